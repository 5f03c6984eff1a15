"""A real cluster of Spark's own kind on loopback: a master and workers, each a process of its own.

Its workers have Python and the dependencies, and none of this code.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyspark

SECONDS_TO_START = 120
LOOPBACK = "127.0.0.1"
#: For a session on such a cluster: small, and quick to see that a worker is gone.
CONF = {
    "spark.executor.memory": "600m",
    "spark.network.timeout": "60s",
    "spark.executor.heartbeatInterval": "5s",
}


@dataclass(frozen=True)
class Standalone:
    """A cluster that runs: where its master is, its workers, and the Python that they start."""

    master: str
    workers: Sequence[subprocess.Popen[bytes]]
    python: str

    def kill_worker(self, number: int) -> None:
        """A worker and all that it has started are gone at once, as when a machine is."""
        os.killpg(self.workers[number].pid, signal.SIGKILL)
        self.workers[number].wait()


@contextmanager
def standalone(folder: Path, workers: int = 2) -> Iterator[Standalone]:
    """A cluster with workers of one processor each; it ends with everything that it started."""
    port = _free_port()
    master = f"spark://{LOOPBACK}:{port}"
    started: list[subprocess.Popen[bytes]] = []
    try:
        flags = ["--host", LOOPBACK, "--port", str(port), "--webui-port", "0"]
        started.append(_start(folder / "master.log", "master.Master", *flags))
        _wait_for(folder / "master.log", "I have been elected leader")
        for number in range(workers):
            log = folder / f"worker-{number}.log"
            flags = ["--host", LOOPBACK, "--cores", "1", "--memory", "1g", "--webui-port", "0"]
            work = ["--work-dir", str(folder / f"work-{number}")]
            started.append(_start(log, "worker.Worker", *flags, *work, master))
            _wait_for(log, "Successfully registered with master")
        yield Standalone(master, started[1:], str(_python(folder)))
    finally:
        for process in reversed(started):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _start(log: Path, what: str, *flags: str) -> subprocess.Popen[bytes]:
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{what}", *flags]
    environment = os.environ | {
        "SPARK_LOCAL_IP": LOOPBACK,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_NO_DAEMONIZE": "1",
    }
    environment.pop("PYTHONPATH", None)
    with log.open("wb") as written:
        return subprocess.Popen(
            command, env=environment, stdout=written, stderr=written, start_new_session=True
        )


def _wait_for(log: Path, words: str) -> None:
    for _ in range(SECONDS_TO_START * 10):
        if words in log.read_text(errors="replace"):
            return
        time.sleep(0.1)
    raise AssertionError(f"no {words!r} in {log}:\n{log.read_text(errors='replace')}")


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind((LOOPBACK, 0))
        port: int = asked.getsockname()[1]
        return port


def _python(folder: Path) -> Path:
    """A Python with the packages installed here, which does not see where this code is."""
    packages = sysconfig.get_path("purelib")
    file = folder / "python"
    file.write_text(
        "#!/bin/sh\n"
        f'PYTHONPATH="{packages}${{PYTHONPATH:+:$PYTHONPATH}}" exec "{sys.executable}" -S "$@"\n'
    )
    file.chmod(0o755)
    return file
