"""Whether a run of the protocol explains an event log, and what such a run shows.

An accepted log comes with its witness: steps from the first state on, those of the events and,
where events may be missing, others between them; it is gone once more before it is believed. For a
rejected one all has been tried: its first event that no run explains is told, with the states that
were possible before it. Else it is undecided. What properties say of the witness is said apart
(`acceptance_findings.py`): a run may show a hazard, and be one of the protocol.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping
from dataclasses import dataclass

from checker.concrete.execution import After
from checker.loading import Catalogue, catalogue
from reference.formats.eventlog import Log, Section

from .acceptance_findings import Finding, Judge, Severity
from .acceptance_restarts import Known
from .acceptance_search import (
    ALL_STEPS,
    BUDGET,
    REACHES,
    Accepted,
    Move,
    Rejected,
    Search,
    Undecided,
)
from .acceptance_setting import IDS_LIVE
from .acceptance_system import Refusal, SectionSystem

#: Channels that take only so much are tried first: the rules look at each place of a queue. A run
#: that is found is a run; only where they take all that can be needed is a log rejected.
ROOM: int | None = 6


class Visible(enum.Enum):
    """Whether steps of a name leave an event."""

    ALWAYS = "always"
    MAYBE = "maybe"
    NEVER = "never"


#: Each step leaves an event.
ALL_VISIBLE: Mapping[str, Visible] = {}


class Coverage(enum.Enum):
    """How much of what happened the log has."""

    COMPLETE = "complete"
    TRUNCATED = "truncated"
    """Its end is missing."""
    GAP = "gap"
    """Something in its midst is missing."""


@dataclass(frozen=True)
class Verdict:
    """What can be said of a log."""

    conforms: Accepted | Rejected | Undecided
    findings: tuple[Finding, ...]
    coverage: Coverage


def accept(
    log: Log,
    *,
    profile: Mapping[str, Visible] = ALL_VISIBLE,
    budget: int = BUDGET,
    judges: bool = True,
    known: Catalogue | None = None,
    file: str | None = None,
) -> Verdict:
    """Judge a log. `profile` says of steps, by name, whether they leave events: else they do.

    Raises coded errors where `log-start` names a protocol, option or job that is not known.
    """
    hidden = frozenset(name for name, seen in profile.items() if seen is not Visible.ALWAYS)
    asked = _Asked(hidden, budget, known or catalogue(), file, judges)
    witness: list[tuple[Move, ...]] = []
    findings: list[Finding] = []
    runs: dict[object, Known] = {}
    for number, section in enumerate(log.sections):
        name = section.start.get("run")
        later = log.sections[number + 1 :]
        place = next((n for n, each in enumerate(later) if each.start.get("run") == name), None)
        follows = None if place is None else later[place]
        skips = place is not None and any(each.line in log.missing for each in later[: place + 1])
        earlier = runs.get(name, Known())
        if why := earlier.wrong_finished(section):
            wrong = Rejected(section.line, "log-start", (Refusal(why),), 1)
            return Verdict(wrong, tuple(findings), _coverage(log))
        known_before = earlier.before(section, skips=skips)
        run = _explained(section, follows, asked, known_before)
        if not isinstance(run, _Run):
            return Verdict(run, tuple(findings), _coverage(log))
        replay(run.system, run.moves)
        witness.append(run.moves)
        runs[name] = run.known
        if judges:
            found = Judge(run.system).judge(run.moves, ends=follows is None)
            if any(each.severity is Severity.STUCK for each in found):
                # It must not be for want of room.
                wide = _explained(
                    section, follows, dataclasses.replace(asked, room=None), known_before
                )
                if isinstance(wide, _Run):
                    found = Judge(wide.system).judge(wide.moves, ends=follows is None)
            findings += found
    return Verdict(Accepted(tuple(witness)), tuple(findings), _coverage(log))


def _coverage(log: Log) -> Coverage:
    *earlier, last = log.sections
    inner = any(place < len(last.events) for place in last.lost)
    if inner or log.missing or any(not each.ended or each.lost for each in earlier):
        return Coverage.GAP
    return Coverage.COMPLETE if last.ended else Coverage.TRUNCATED


def replay(system: SectionSystem, moves: tuple[Move, ...]) -> None:
    """Go a witness once more, by the rules alone. An error is a mistake of the search."""
    values = system.start().values
    for move in moves:
        taken = system.plain.take(move.rule, values)
        assert taken == After(move.after.values), f"{move} does not lead where the witness says"
        values = move.after.values


# --- one section ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    system: SectionSystem
    moves: tuple[Move, ...]
    known: Known
    """What is so after it."""


@dataclass(frozen=True)
class _Asked:
    """What is asked of a log, and with what."""

    hidden: frozenset[str]
    budget: int
    known: Catalogue
    file: str | None
    judges: bool
    room: int | None = ROOM


def _explained(
    section: Section,
    follows: Section | None,
    asked: _Asked,
    known: Known,
) -> _Run | Rejected | Undecided:
    """A run for a section; with more ids where there were too few."""
    live, reaches, room = IDS_LIVE, list(REACHES), asked.room
    while True:
        reach, part = reaches[0]
        system = SectionSystem(
            section,
            asked.known,
            asked.hidden,
            file=asked.file,
            live=live,
            judges=asked.judges,
            room=room,
        )
        budget = len(section.events) + int(asked.budget * part)
        search = Search(system, asked.hidden, budget, reach, follows, known)
        found = search.run()
        if isinstance(found, tuple):
            return _Run(system, found, search.known_after(found))
        if room is not None:
            room = None
        elif search.cut and len(reaches) > 1:
            del reaches[0]
        elif search.short is not None and live < len(section.events):
            live *= 4
        else:
            return found if search.short is None else Undecided(found.line, search.short)


__all__ = [
    "ALL_STEPS",
    "Accepted",
    "Coverage",
    "Log",
    "Move",
    "Rejected",
    "Undecided",
    "Verdict",
    "Visible",
    "accept",
]
