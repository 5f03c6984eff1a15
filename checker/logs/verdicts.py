"""Verdicts on jobs as plain data: they can be printed, stored in a table, and sent to a process.

Every engine and every place of judging has the same form of verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from finale.model.protocols.coordinator.checkpoints import CheckpointStatus

from .findings import Coverage, Finding, Severity, Where
from .read.log_files import RawLog
from .read.run_file import ChosenSetting, TriedSettings

#: What becomes of a job for which a run of the protocol is looked for.
CONFORM = ("accepted", "rejected", "undecided")


@dataclass(frozen=True)
class Conformance:
    """Whether a run of the protocol, as the release has it, explains what a job did."""

    accepted: bool
    """A run was found that has just these lines; else it is not known."""
    lines: int
    """How many lines are explained."""
    why: str | None
    """What was not explained, or what was in the way."""
    rejected: bool = False
    """There is no such run."""
    told: tuple[ChosenSetting, ...] = ()
    """What is told of its settings, and by whom."""
    tried: tuple[TriedSettings, ...] = ()
    """What came of settings that nobody tells."""

    @property
    def word(self) -> str:
        """One of CONFORM."""
        return CONFORM[0 if self.accepted else 1 if self.rejected else 2]


@dataclass(frozen=True)
class FileRemark:
    """What is said of the file of a process, and from which line on. `file` is its name."""

    where: Where
    text: str
    file: str = ""

    def to_plain(self) -> dict[str, object]:
        """As JSON has it."""
        return {"file": self.file, "line": self.where.line, "says": self.text}

    @classmethod
    def of_plain(cls, data: Mapping[str, Any]) -> FileRemark:
        """Back from JSON. Raises `KeyError` or `TypeError` if it is none."""
        return cls(Where(0, 0, data["line"]), data["says"], data["file"])


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
    checkpoints: Mapping[CheckpointStatus, tuple[int, ...]]
    """The numbers of those that came to this end."""
    restored: tuple[int, ...]
    failed: int
    findings: tuple[Finding, ...] = ()
    decided: tuple[str, ...] = ()
    """The properties that have had an answer."""
    undecided: tuple[str, ...] = ()
    """Those that had none, since no line tells what they ask. Others had nothing to ask."""
    ambiguous: tuple[str, ...] = ()
    """Names of several attempts or jobs at once: such a job is not judged."""
    conforms: Conformance | None = None
    """None where it was not asked."""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """The undecided properties that other lines could decide, and the levels of loggers that would
    write these lines. With no level: all loggers have the levels that the property needs, but the
    lines leave open whether it holds."""
    too_many: int = 0
    """The number of subtasks of a job that is not judged because it has too many; else 0."""
    other_release: str = ""
    """The release of the engine of a job that is not judged because no table has its lines; else
    empty."""
    untold: tuple[str, ...] = ()
    """The undecided properties that ask for what no line of any level tells."""
    asked: bool = True
    """Whether properties were asked of the job."""
    restarts: int = 0
    """How often the coordinator started tasks again, from a checkpoint or from nothing."""
    files: tuple[FileRemark, ...] = ()
    """What is said of the files of processes: whose clocks are off, and which end early."""
    stops: tuple[FileRemark, ...] = ()
    """What came of each stop with a savepoint, at the line of its request."""

    @property
    def shows(self) -> tuple[Finding, ...]:
        """The findings but for what may still come after the end of the log."""
        return tuple(each for each in self.findings if each.severity.is_sure)

    @property
    def fails(self) -> bool:
        """Whether the job shows what must not be, or cannot have done this."""
        return bool(self.shows) or (self.conforms is not None and self.conforms.rejected)

    @property
    def is_open(self) -> bool:
        """Whether something stays undecided: the lines do not decide a property, the job was not
        judged, a request has no answer, the log is damaged, or it is not decided whether a run of
        the protocol explains the job."""
        conforms = self.conforms
        is_open = conforms is not None and not conforms.accepted and not conforms.rejected
        is_open |= any(each.severity is Severity.UNANSWERED for each in self.findings)
        is_open |= self.coverage is Coverage.DAMAGED
        return not self.asked or bool(self.needs) or is_open


def named_in(verdict: JobVerdict, where: str, logs: Sequence[RawLog]) -> JobVerdict:
    """Return a verdict with the names of the logs whose lines it rests on."""
    return replace(
        verdict,
        logs=where,
        findings=tuple(_named(each, logs) for each in verdict.findings),
        files=tuple(_remark(each, logs) for each in verdict.files),
        stops=tuple(_remark(each, logs) for each in verdict.stops),
    )


def _remark(remark: FileRemark, logs: Sequence[RawLog]) -> FileRemark:
    """A remark with the name of its file in place of the file's number."""
    where = remark.where
    return replace(remark, where=Where(0, 0, where.line), file=_file(where, logs))


def _file(where: Where, logs: Sequence[RawLog]) -> str:
    return str(logs[where.log].parts[where.part])


def _named(finding: Finding, logs: Sequence[RawLog]) -> Finding:
    """A finding with the name of its file in place of the file's number."""
    file, until = _file(finding.where, logs), finding.until
    elsewhere = "" if until is None or (there := _file(until, logs)) == file else there
    until = None if until is None else Where(0, 0, until.line)
    where = Where(0, 0, finding.line)
    return replace(finding, where=where, until=until, file=file, until_file=elsewhere)
