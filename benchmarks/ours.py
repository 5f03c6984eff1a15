"""Our native search as an engine; run as a module it is the process that is measured.

From the spec, with tables that grow and all range checks: each write of a rule is checked against
its domain, and each state against all safety properties or none, `well-formed` and `no-deadlock`.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from finale.checker.search.options import SearchOptions

from .measuring import Failed, Sample, run
from .models import ROOT, Counts, Model, named

#: Others search with one, and what counts here are CPU seconds.
ONE_THREAD = SearchOptions(threads=1)
PROPERTIES, BARE = "properties", "bare"


@dataclass(frozen=True)
class Ours:
    """The native search, in a process of its own each time."""

    properties: bool

    @property
    def name(self) -> str:
        return "finale, properties" if self.properties else "finale"

    def can(self, model: Model) -> bool:
        return True

    def measure(self, model: Model, folder: Path) -> Sample:
        asked = PROPERTIES if self.properties else BARE
        line = [sys.executable, "-m", "benchmarks.ours", model.name, asked]
        told = json.loads(run(line, ROOT).text.splitlines()[-1])
        counts = Counts(**told.pop("counts"))
        return Sample(**told, counts=counts)


def sample(model: Model, with_properties: bool) -> Sample:
    """Measures this process, which has done nothing else."""
    from finale.checker.search.limits import Limits
    from finale.checker.search.native.search import check

    imported = time.process_time()
    system = model.system()
    if not with_properties:
        system = replace(system, properties=())
    built = time.process_time()
    one = Limits(states_max=1)
    check(system, one, options=ONE_THREAD)  # loads what is loaded with the first search
    loaded = time.process_time()
    check(system, one, options=ONE_THREAD)
    compiled = time.process_time()
    resident = _memory("VmRSS")
    report = check(system, options=ONE_THREAD)
    searched = time.process_time()
    statistics = report.statistics
    if not statistics.complete:
        raise Failed(f"the search stopped: {report.stopped}")
    compiling = compiled - loaded
    return Sample(
        startup=imported + (loaded - built) - compiling,
        compiling=built - imported + compiling,
        searching=searched - compiled - compiling,
        bytes=_memory("VmHWM") - resident,
        counts=Counts(statistics.states, statistics.transitions, statistics.depth),
    )


def _memory(what: str) -> int:
    """A line of what Linux tells of this process, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    [line] = [each for each in lines if each.startswith(f"{what}:")]
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    print(json.dumps(asdict(sample(named(sys.argv[1]), sys.argv[2] == PROPERTIES))))
