"""How evenly a sweep is shared out: `python -m benchmarks.sweeping [MATRIX]`, half an hour of work.

The ideal is the time that all cells took, divided by the workers. The same sweep once more has
nothing to search, and must cost little. Where one of both is missed, the exit code is 1.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "sweeps" / "finish.toml"
WORKERS = 2
#: At most so many times the ideal; and so many seconds of processor time for nothing new.
RATIO_MAX, AGAIN_MAX = 1.3, 10.0


@dataclass(frozen=True)
class Measured:
    """Cells, their work in seconds, how long all took; the processor time of the second time."""

    cells: int
    work: float
    seconds: float
    again: float
    same: bool

    @property
    def ratio(self) -> float:
        """How many times the ideal."""
        return self.seconds / (self.work / WORKERS)

    @property
    def ok(self) -> bool:
        """Whether what is claimed holds."""
        return self.same and self.ratio <= RATIO_MAX and self.again <= AGAIN_MAX

    def __str__(self) -> str:
        load = f"{self.seconds:.0f} s for {self.work:.0f} s of work of {self.cells} cells"
        again = f"again: {self.again:.1f} s of processor time"
        return f"{load}: {self.ratio:.2f} times the ideal; {again}"


def measured(matrix: Path) -> Measured:
    """A sweep of a matrix from nothing, and once more."""
    with tempfile.TemporaryDirectory() as folder:
        began = perf_counter()
        first = _swept(matrix, Path(folder))
        seconds = perf_counter() - began
        before = _processor_time()
        second = _swept(matrix, Path(folder))
        again = _processor_time() - before
    work = sum(float(str(cell["seconds"])) for cell in first)
    return Measured(len(first), work, seconds, again, first == second)


def _swept(matrix: Path, folder: Path) -> list[dict[str, object]]:
    command: list[str | Path] = [
        Path(sys.executable).with_name("finale"),
        "sweep",
        matrix,
        "--output",
        folder,
    ]
    flags: list[str | Path] = ["--workers", str(WORKERS), "--format", "json"]
    environment = os.environ | {"NO_COLOR": "1"}
    ran = subprocess.run([*command, *flags], env=environment, stdout=subprocess.PIPE, check=True)
    found: list[dict[str, object]] = json.loads(ran.stdout)["cells"]
    return found


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Measure and print; the exit code."""
    found = measured(Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLE)
    print(found if found.ok else f"FAILED: {found}")
    return 0 if found.ok else 1


if __name__ == "__main__":
    sys.exit(main())
