"""Things that are no good file, in the place of each file that a command reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .case import Case, Content
from .things import NO_FILES, NO_TEXTS, TEXTS

SPEC = 'title = "A"\nprotocol = "two-phase-commit"\n[sizes]\nmanagers = 1\n'
JOB = """seconds = 1000
[operators.lines]
kind = "lines"
path = "texts/*"
[operators.out]
kind = "exactly-once"
from = ["lines"]
"""
LOG = "2026-11-22 10:00:00,000 INFO  org.apache.flink.Some [] - Nothing of note.\n"


@dataclass(frozen=True)
class Reader:
    """A command, and the file that it is to read."""

    kind: str
    file: str
    command: str
    beside: Mapping[str, Content] = field(default_factory=dict[str, Content])


IN = "--directory made/state"
WITH_JOB: Mapping[str, Content] = {"job.toml": JOB, "texts/a": "a\n"}
READERS = (
    Reader("a spec", "bad.toml", "check bad.toml"),
    Reader("a matrix", "bad.toml", "sweep bad.toml --output made/sweep"),
    Reader("a scenario", "bad.scenario", "scenario bad.scenario"),
    Reader("a job", "bad.toml", f"run bad.toml {IN}"),
    Reader("a fault list", "bad.toml", f"run job.toml {IN} --faults bad.toml", WITH_JOB),
    Reader("own lines", "bad.toml", "validate a.log --lines bad.toml", {"a.log": LOG}),
    Reader("run.toml", "bad.toml", "validate a.log --accept --run bad.toml", {"a.log": LOG}),
    Reader("run.toml beside", "logs/run.toml", "validate logs --accept", {"logs/a.log": LOG}),
    Reader("a log", "bad.log", "validate bad.log"),
    Reader("a log asked why", "bad.log", "blocked bad.log"),
    Reader("an archive", "bad.tar", "validate bad.tar"),
    Reader("a packed log", "bad.log.gz", "validate bad.log.gz"),
    Reader("an event log", "bad.ndjson", "conform bad.ndjson"),
    Reader("event logs", "bad.ndjson", "validate --engine finale bad.ndjson"),
    Reader("a trace", "bad.itf.json", "replay bad.itf.json"),
    Reader("an input", "texts/bad", f"run job.toml {IN}", {"job.toml": JOB}),
    Reader("a module", "code/bad.py", "check a.toml --protocols code", {"a.toml": SPEC}),
)


def cases() -> Iterator[Case]:
    for reader in READERS:
        for name, content in {**NO_FILES, **NO_TEXTS, **TEXTS}.items():
            files = {**reader.beside, reader.file: content}
            yield Case(reader.kind, name, reader.command, files)
