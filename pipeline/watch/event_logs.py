"""What is said of an event log as far as it has come, as of any other log.

A run of the protocol that explains what there is must be one that explains the beginning of more:
so a log that is rejected stays so, whatever comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checker.conformance.acceptance import LIMITS, Accepted, Rejected, Undecided, accept
from checker.conformance.acceptance_findings import Severity
from checker.logs.histories import Fate
from checker.logs.sources import RawLog
from checker.logs.validate import Conforms, Coverage
from checker.logs.verdicts import Found, Verdict
from checker.question import Limits
from reference.formats.eventlog import Event, Log, read_log

#: What an event log claims that is rejected.
ACCEPTED = "accepted"
SENTENCE = "Some run of the protocol has just these events."
#: So long is tried for, each time that it is judged.
SECONDS_MAX = 20.0


def verdict_of_events(raw: RawLog, lines: Sequence[str], *, gap: bool) -> Verdict:
    """What is said of these lines; `gap`: some before them, or between, may be missing.

    Raises what `read_log` and `accept` raise.
    """
    where = str(raw)
    log = read_log(lines, where)
    said = accept(log, limits=Limits(LIMITS.states_max, SECONDS_MAX), file=where)
    findings = [
        Found(each.property, each.binding, each.severity, where, each.line or 1, each.sentence)
        for each in said.findings
    ]
    conforms = said.conforms
    why = None
    if isinstance(conforms, Rejected):
        why = "; ".join(refusal.why for refusal in conforms.refusals) or None
        found = Found(ACCEPTED, (), Severity.VIOLATED, where, conforms.line, SENTENCE, why)
        findings.append(found)
    elif isinstance(conforms, Undecided):
        why = conforms.why
    explained = len(lines) if isinstance(conforms, Accepted) else conforms.line
    coverage = Coverage.GAP if gap else Coverage(said.coverage.value)
    return Verdict(
        where,
        str(log.sections[-1].start.get("run", "")),
        None,
        None,
        coverage,
        log.count,
        _checkpoints(log),
        tuple(
            event.fields["from"]
            for event in _events(log)
            if event.name == "restore" and isinstance(event.fields.get("from"), int)
        ),
        0,
        tuple(findings),
        (),
        (),
        conforms=Conforms(isinstance(conforms, Accepted), explained, why),
    )


def _events(log: Log) -> Iterator[Event]:
    return (event for section in log.sections for event in section.events)


def _checkpoints(log: Log) -> dict[Fate, tuple[int, ...]]:
    """The checkpoints that completed; what else became of one no event tells by itself."""
    completed = (event.checkpoint for event in _events(log) if event.name == "complete")
    found: dict[Fate, tuple[int, ...]] = dict.fromkeys(Fate, ())
    return found | {Fate.COMPLETED: tuple(each for each in completed if each is not None)}


__all__ = ["ACCEPTED", "verdict_of_events"]
