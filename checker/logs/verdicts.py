"""Verdicts as plain data: they can be printed, stored in a table, and sent between processes.

Every engine and every place of judging has the same form of verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from finale.checker.logs.findings import Coverage

from .findings import Finding, Severity, Where
from .read.log_files import RawLog
from .read.run_file import ChosenSetting, TriedSettings
from .replay.checkpoint_history import Fate
from .validate import Conformance, JudgedJob

#: The fields of a verdict that JSON has as lists.
_LISTS = ("restored", "decided", "undecided", "ambiguous", "untold")


@dataclass(frozen=True)
class JobVerdict:
    """What is said of one job of a cluster, or of one run in an event log."""

    logs: str
    """Where it was read: a log, or the folder of several."""
    job: str
    """Its id; of a run, its name."""
    name: str | None
    state: str | None
    """The last state that is told."""
    coverage: Coverage
    events: int
    checkpoints: Mapping[Fate, tuple[int, ...]]
    """The numbers of those that came to this end."""
    restored: tuple[int, ...]
    failed: int
    findings: tuple[Finding, ...]
    decided: tuple[str, ...]
    """The properties that have had an answer, and those that had none."""
    undecided: tuple[str, ...]
    ambiguous: tuple[str, ...] = ()
    """Names of several vertices: such a job is not judged."""
    conforms: Conformance | None = None
    """None where it was not asked."""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The undecided properties that other lines could decide, and the levels of loggers that would
    write these lines. With no level: all loggers have the levels that the property needs, but the
    lines leave open whether it holds."""
    too_many: int = 0
    """The number of subtasks of a job that is not judged because it has too many; else 0."""
    untold: tuple[str, ...] = ()
    """The undecided properties that ask for what no line of any level tells."""
    asked: bool = True
    """Whether properties were asked of the job."""
    restarts: int = 0
    """How often the coordinator started tasks again, from a checkpoint or from nothing."""

    @property
    def shows(self) -> tuple[Finding, ...]:
        """The findings but for what may still come after the end of the log."""
        return tuple(each for each in self.findings if each.severity is not Severity.OPEN)

    @property
    def fails(self) -> bool:
        """Whether the job shows what must not be, or cannot have done this."""
        return bool(self.shows) or (self.conforms is not None and self.conforms.rejected)

    @property
    def is_open(self) -> bool:
        """Whether something stays undecided: the lines do not decide a property, the job was not
        judged, or it is not decided whether a run of the protocol explains the job."""
        conforms = self.conforms
        is_open = conforms is not None and not conforms.accepted and not conforms.rejected
        return not self.asked or bool(self.needs) or is_open

    def to_table(self) -> dict[str, Any]:
        """As JSON has it."""
        table = {each.name: getattr(self, each.name) for each in fields(self)}
        return (
            table
            | {name: list(table[name]) for name in _LISTS}
            | {
                "coverage": self.coverage.value,
                "checkpoints": {fate.value: list(each) for fate, each in self.checkpoints.items()},
                "needs": {name: list(each) for name, each in self.needs.items()},
                "findings": [_table_of(each) for each in self.findings],
                "conforms": None if self.conforms is None else asdict(self.conforms),
            }
        )

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> JobVerdict:
        """Back from JSON. Raises `ValueError`, `TypeError` or `KeyError` where it is none."""
        points, conforms = table["checkpoints"], table["conforms"]
        told: dict[str, Any] = {name: tuple(table[name]) for name in _LISTS}
        told |= {
            "coverage": Coverage(table["coverage"]),
            "checkpoints": {Fate(fate): tuple(each) for fate, each in points.items()},
            "needs": {name: tuple(each) for name, each in table.get("needs", {}).items()},
            "findings": tuple(map(_found_in, table["findings"])),
            "conforms": None if conforms is None else _conforms_in(conforms),
        }
        return cls(**{**table, **told})


def verdict_of(where: str, judged: JudgedJob, logs: Sequence[RawLog]) -> JobVerdict:
    """What is said of a job whose lines were read off these logs."""
    history = judged.history
    return JobVerdict(
        where,
        history.job,
        history.name,
        history.state,
        judged.coverage,
        judged.events,
        {fate: history.with_fate(fate) for fate in Fate},
        history.restored,
        history.failed,
        tuple(named(each, logs) for each in judged.findings),
        judged.decided,
        judged.undecided,
        judged.ambiguous,
        judged.conforms,
        judged.needs,
        judged.too_many,
        judged.untold,
        judged.asked,
        history.restarts,
    )


def named(finding: Finding, logs: Sequence[RawLog]) -> Finding:
    """A finding with the name of its file in place of the file's number."""
    until = None if finding.until is None else Where(0, 0, finding.until.line)
    file = logs[finding.where.log].parts[finding.where.part]
    return replace(finding, where=Where(0, 0, finding.line), until=until, file=str(file))


def _table_of(finding: Finding) -> dict[str, Any]:
    until = None if finding.until is None else finding.until.line
    told: dict[str, Any] = {"binding": dict(finding.binding), "severity": finding.severity.value}
    told |= {"file": finding.file, "line": finding.line, "sentence": finding.sentence}
    told |= {"why": finding.why, "until": until, "where": finding.place}
    return {"property": finding.property, **told}


def _conforms_in(table: Mapping[str, Any]) -> Conformance:
    told = tuple(ChosenSetting(**each) for each in table.get("told", ()))
    tried = tuple(TriedSettings(**each) for each in table.get("tried", ()))
    return replace(Conformance(**table), told=told, tried=tried)


def _found_in(table: Mapping[str, Any]) -> Finding:
    until = table["until"]
    return Finding(
        table["property"],
        tuple(table["binding"].items()),
        Where(0, 0, table["line"]),
        Severity(table["severity"]),
        table["sentence"],
        table["why"],
        None if until is None else Where(0, 0, until),
        table["file"],
    )
