"""Witnesses of corrupted logs of real runs, kept as event logs.

A witness is a run of the whole model, and tells each step. `python -m tests.conformance.witnesses`
finds and writes all anew.
"""

from __future__ import annotations

import json
import lzma
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from finale.checker.logs.event_log.acceptance import Accepted, Rejected
from finale.checker.logs.event_log.reading import Section, read_log
from finale.checker.logs.event_log.section_search import Move
from finale.checker.logs.event_log.section_system import Refusal, SectionSystem
from finale.checker.logs.flink.always_logged import always_shown
from finale.checker.logs.flink.judge import LIVE, accept_run
from finale.checker.logs.flink.observations import observations_of
from finale.checker.logs.flink.run_job import job_of
from finale.checker.logs.flink.witness_check import unexplained
from finale.checker.logs.read.job_runs import JobRun
from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import catalogue
from finale.model.events import WORDS
from finale.reference.formats.eventlog import table_of
from tests.conformance.corrupted import clusters, originals
from tests.conformance.corruptions import copies, kinds
from tests.logs.archive import SAMPLES

STORED = Path(__file__).with_name("witnesses.ndjson.xz")
#: So many copies of each kind that may be invisible, and the seed by which they are chosen.
EACH, SEED = 12, 1
#: What is tried until a log is given up: those that are explained need a tenth of it.
LIMITS = Limits(states_max=300_000)


def written(name: str, section: Section, moves: Sequence[Move]) -> list[str]:
    """The event log of a witness."""
    job = table_of(section.job)
    for vertex in section.job.vertices:
        if vertex.union_state:
            job[vertex.name]["union_state"] = True
    start = {"event": "log-start", "v": 1, "profile": "witness", "run": name, "process": 1,
             "order": "file", **section.start, "job": job, "starts": "running"}  # fmt: skip
    lines: list[dict[str, Any]] = [start]
    owners = {each.name: (each.vertex.name, each.index) for each in section.job.subtasks}
    seq, known = Counter[str](), 0
    for move in moves:
        event, clock = _event(move, owners, known)
        known = len(move.after.ids)
        lines.append({**event, "clock": clock, "seq": seq[clock]})
        seq[clock] += 1
    lines.append({"event": "log-end", "count": len(moves)})
    return [json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines]


def _event(
    move: Move, owners: dict[str, tuple[str, int]], known: int
) -> tuple[dict[str, Any], str]:
    event: dict[str, Any] = {"event": move.rule.rule.name}
    ids, task, rest = move.after.ids, "", dict[str, str]()
    for kind, value in move.rule.binding:
        match kind:
            case "task":
                (event["vertex"], event["subtask"]), task = owners[value], value
            case "channel":
                event["channel"], task = value, value.split("→")[1]
            case "checkpoint":
                event["checkpoint"] = ids[int(value.removeprefix("cp")) - 1]
            case _:
                rest[kind] = value
    if len(ids) > known:
        event["checkpoint"] = ids[-1]
    clock = WORDS[move.rule.rule.name].clock.value
    own = f"{clock} {task}" if task and clock.startswith("t") else clock
    return {**event, **({"fields": rest} if rest else {})}, own


def judged(name: str, run: JobRun) -> tuple[str, list[str]]:
    """What comes of a log that need not be rejected, and its witness, if there is one."""
    verdict = accept_run(run, limits=LIMITS)
    if not isinstance(verdict.conforms, Accepted):
        return ("rejected" if isinstance(verdict.conforms, Rejected) else "undecided"), []
    assert verdict.section is not None
    return "explained", written(name, verdict.section, verdict.conforms.witness[0])


@cache
def stored() -> dict[str, list[str]]:
    """The lines of all that are kept, by their names."""
    found: dict[str, list[str]] = {}
    own: list[str] = []
    for line in lzma.decompress(STORED.read_bytes()).decode().splitlines():
        if line.startswith('{"event":"log-start"'):
            own = found[json.loads(line)["run"]] = []
        own.append(line)
    return found


def main() -> None:
    """Keep the witnesses of all copies that have one, and nothing else."""
    among = [*originals(clusters(str(SAMPLES)))]
    kept: list[str] = []
    for kind in kinds():
        for copy in () if kind.is_rejected else copies(kind.name, among, EACH, SEED):
            (run,) = copy.runs()
            found, lines = judged(copy.name, run)
            kept += lines
            print(f"{found}: {copy.name}", flush=True)
    STORED.write_bytes(lzma.compress("".join(f"{line}\n" for line in kept).encode(), preset=9))


def differs(lines: Sequence[str], run: JobRun) -> str | None:
    """Why a kept witness does not explain a log, or None: its steps are taken as it tells them."""
    (section,) = read_log(lines).sections
    system = SectionSystem(section, catalogue(), (), live=LIVE, judges=False, room=None)
    here, moves = system.start(), list[Move]()
    for event in section.events:
        taken = system.take(event, here)
        if isinstance(taken, Refusal):
            return f"line {event.line}, {event.name}: {system.explain(event, here)}"
        rule, here = taken
        moves.append(Move(rule, event.line, here))
    job = job_of(run)
    assert job is not None
    observations = observations_of(run, job)
    return unexplained(system, moves, observations, always_shown(run, job, observations))


if __name__ == "__main__":
    main()
