"""Runs a command and tells, as JSON, its CPU seconds, its peak memory, and what it printed.

A process of its own, small and without imports: on Linux the peak memory of a child begins with
that of the process which started it.
"""

import json
import resource
import subprocess
import sys


def main() -> None:
    done = subprocess.run(
        sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = {
        "exit": done.returncode,
        "seconds": used.ru_utime + used.ru_stime,
        "bytes": used.ru_maxrss * 1024,
        "text": done.stdout,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
