"""How fast event logs are judged: `python -m benchmarks.validating [--runs N] [--folder DIR]`.

Runs of the engine, by seeds, of several protocols and jobs, also of engines that make mistakes, of
some 500 events each; many in one file. They are judged in one process, from the bytes of files to
verdicts, and the processor time counts. What rules and properties do is learned on the way: so the
rate is told file by file, and once more of the last one, of which all is known then. Where fewer
events a second are judged there than is claimed, the exit code is 1; so it is where 20 000 runs are
judged, with all that is learned for them, and that takes longer than is claimed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import Any

from finale.checker.logs.event_log.judge import EventLogJudge
from finale.checker.logs.event_log.step_cache.lines import read_run, runs_in
from tests.engine_runs.random_runs import RandomRun, lines_of

#: So many events are judged in a second of processor time, where all is known; over so many runs
#: also with all that is learned on the way.
CLAIMED, MANY = 100_000, 20_000
RUNS_A_FILE = 500


def _source(parallelism: int = 1, **more: Any) -> dict[str, Any]:
    return {"records": 0, "bounded": True, "parallelism": parallelism, **more}


def _sink(*inputs: str) -> dict[str, Any]:
    return {"from": list(inputs), "sink": "two-phase"}


PAIR = {"S": _source(bounded=False), "K": _sink("S")}
CHAIN = {"S": _source(bounded=False, records=2), "D": {"from": ["S"]}, "K": _sink("D")}
FAN = {"S1": _source(), "S2": _source(), "K": _sink("S1", "S2")}
WIDE = {"S": _source(2), "D": {"from": ["S"], "parallelism": 2}, "K": _sink("D")}

FAULTS = {"checkpoints": 60, "failures": 2, "lost_confirmations": 1, "declines": 3, "expiries": 3}
REQUESTS = {"stops": 1, "savepoints": 2}
#: What ends a run comes late.
WEIGHTS = {
    "end_source": 0.004,
    "request_stop": 0.004,
    "request_savepoint": 0.01,
    "poll_data": 0.1,
    "fail": 0.01,
}


def _run(protocol: str, job: Mapping[str, Any], variant: str | None = None) -> RandomRun:
    faults = FAULTS | (REQUESTS if protocol == "stop-with-savepoint" else {})
    return RandomRun(protocol, job, faults=faults, steps_max=900, weights=WEIGHTS, variant=variant)


KINDS = (
    _run("final-checkpoint", PAIR),
    _run("final-checkpoint", WIDE),
    _run("final-checkpoint", FAN, "close-aborts-pending"),
    _run("final-checkpoint", FAN, "waits-for-lost-ack"),
    _run("stop-with-savepoint", CHAIN),
    _run("stop-with-savepoint", FAN),
    _run("unaligned", FAN),
    _run("legacy-finish", FAN, "commit-on-close"),
)


def runs(count: int) -> Iterator[bytes]:
    """The event logs of so many runs."""
    for number in range(count):
        chosen = replace(KINDS[number % len(KINDS)], seed=number, name=f"run-{number}")
        yield ("\n".join(lines_of(chosen)) + "\n").encode()


def write(folder: Path, count: int) -> None:
    """So many runs, in files that are whole or not there."""
    folder.mkdir(parents=True, exist_ok=True)
    made, parts = runs(count), list[bytes]()
    for number, data in enumerate(made, 1):
        parts.append(data)
        if number % RUNS_A_FILE == 0 or number == count:
            file = folder / f"runs-{number:06}.ndjson"
            half = file.with_suffix(".part")
            half.write_bytes(b"".join(parts))
            half.replace(file)
            parts.clear()


@dataclass(frozen=True)
class Measured:
    """What was judged of a file, or of several, and the seconds of processor time for that."""

    runs: int
    events: int
    seconds: float
    paths: int
    """So many ways were learned that rules and properties can go."""
    stopped: int
    """So many runs cannot be;"""
    accepted: int
    """so many are runs of the protocol, as they stand."""
    findings: Counter[str]

    @property
    def rate(self) -> float:
        """Events a second."""
        return self.events / self.seconds

    def __str__(self) -> str:
        return (
            f"{self.runs:>7} runs {self.events:>9} events {self.seconds:>7.1f} s"
            f" {self.rate:>9,.0f} events a second; {self.paths} paths learned"
        )


def measured(rules: EventLogJudge, file: Path) -> Measured:
    """Judge all runs in a file."""
    began, known = process_time(), rules.shapes.learned
    runs, events, stopped, accepted, findings = 0, 0, 0, 0, Counter[str]()
    for ruled in rules.judge_file(file.read_bytes(), str(file)):
        runs += 1
        events += ruled.run.events
        stopped += ruled.stopped is not None
        accepted += ruled.is_own_witness
        findings.update(f"{each.property} {each.severity.value}" for each in ruled.findings)
    paths = rules.shapes.learned - known
    return Measured(runs, events, process_time() - began, paths, stopped, accepted, findings)


def read(rules: EventLogJudge, files: Sequence[Path]) -> float:
    """The seconds that it takes to read the lines of runs alone."""
    began = process_time()
    for file in files:
        for stretches in runs_in(file.read_bytes()):
            read_run(stretches, rules.vocabulary)
    return process_time() - began


def in_all(parts: Sequence[Measured]) -> Measured:
    """The sum of what was measured."""
    findings = sum((each.findings for each in parts), Counter[str]())
    runs, events = sum(each.runs for each in parts), sum(each.events for each in parts)
    seconds, paths = sum(each.seconds for each in parts), sum(each.paths for each in parts)
    stopped, accepted = sum(e.stopped for e in parts), sum(e.accepted for e in parts)
    return Measured(runs, events, seconds, paths, stopped, accepted, findings)


def main(arguments: Sequence[str] | None = None) -> int:
    """Generate what is not there, measure and print; the exit code."""
    parser = argparse.ArgumentParser("python -m benchmarks.validating", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000, help="how many to make (default 2000)")
    parser.add_argument("--folder", type=Path, help="where runs are kept; those there are taken")
    given = parser.parse_args(arguments)
    if given.runs < 1:
        parser.error("--runs must be above zero")
    rules, parts = EventLogJudge(), list[Measured]()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        if not list(folder.glob("*.ndjson")):
            write(folder, given.runs)
        files = sorted(folder.glob("*.ndjson"))
        for file in files:
            parts.append(measured(rules, file))
            print(parts[-1], flush=True)
        again, reading = measured(rules, files[-1]), read(rules, files)
    whole = in_all(parts)
    memory = getrusage(RUSAGE_SELF).ru_maxrss / 1000
    print(f"{whole}; {whole.accepted} accepted, {whole.stopped} cannot be; {memory:,.0f} MB")
    print(f"{again}, once more; {reading:.1f} s of all are to read lines")
    print(*(f"{name}: {count}" for name, count in sorted(whole.findings.items())), sep="\n")
    ok = whole.stopped == 0 and again.rate >= CLAIMED
    ok = ok and (whole.runs < MANY or whole.rate >= CLAIMED)
    if not ok:
        print(f"FAILED: {CLAIMED} events a second are claimed, and that no run stops")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
