"""Decides whether a run of the protocol explains an event log, and what such a run shows.

An accepted log has a witness: the steps of a run from the first state on. The witness has a step
for each event and, if events can be missing, other steps between them. The rules alone replay each
witness before the log is accepted. A log is rejected only if every run was tried: the verdict names
the first event that no run explains, and states that were possible before it. Any other log is
undecided. What the properties say of the witness is a separate result (`section_judge.py`): a run
can show a hazard and still be a run of the protocol.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from finale.checker.logs.event_log.reading import EventLine, ReadLog, Section
from finale.checker.logs.findings import Coverage, Finding, Severity
from finale.checker.logs.read.visibility import Visibility
from finale.checker.search.interpreter.execution import TakenStep
from finale.checker.search.limits import INTERRUPTED, Limits
from finale.checker.spec.catalogue import Catalogue, catalogue

from .progress import OnProgress, OverTime, SearchEffort
from .restarts import EarlierSections
from .section_judge import findings_of
from .section_search import (
    ALL_STEPS,
    BUDGET,
    REACHES,
    Accepted,
    GaveUp,
    Move,
    Rejected,
    SectionSearch,
    Undecided,
)
from .section_setting import IDS_LIVE
from .section_system import Refusal, SectionSystem

#: Channels that take only so much are tried first: the rules look at each place of a queue. A run
#: that is found is a run; only where they take all that can be needed is a log rejected.
ROOM: int | None = 6


#: Where the search stops unless somebody says otherwise.
LIMITS = Limits(states_max=BUDGET)
#: Each step leaves an event.
ALL_VISIBLE: Mapping[str, Visibility] = {}


@dataclass(frozen=True)
class EventLogVerdict:
    """What can be said of a log."""

    conforms: Accepted | Rejected | Undecided
    findings: tuple[Finding, ...]
    coverage: Coverage

    @property
    def fails(self) -> bool:
        """Whether the log cannot be, or shows what must not be; what is open only is neither."""
        found = any(each.severity is not Severity.OPEN for each in self.findings)
        return found or isinstance(self.conforms, Rejected)


def accept(  # noqa: PLR0913 - a log, and how it is judged
    log: ReadLog,
    *,
    profile: Mapping[str, Visibility] = ALL_VISIBLE,
    limits: Limits = LIMITS,
    judges: bool = True,
    known: Catalogue | None = None,
    file: str | None = None,
    on_progress: OnProgress | None = None,
    effort: SearchEffort | None = None,
) -> EventLogVerdict:
    """Judge a log. `profile` says of steps, by name, whether they leave events: else they do.

    In each section the search goes on from so many states as `limits` say, beside one for each
    event; what is not known by then, or after so long, or when the user interrupts, is undecided.
    `on_progress` is called now and then with how far it is. An `effort` that has begun goes on.
    Raises coded errors where `log-start` names a protocol, option or job that is not known.
    """
    hidden = frozenset(name for name, seen in profile.items() if seen is not Visibility.ALWAYS)
    last = log.sections[-1]
    lines = max((event.line for event in last.events), default=last.line)
    effort = effort or SearchEffort(lines, limits, on_progress)
    budget = math.inf if limits.states_max is None else limits.states_max
    asked = _Asked(hidden, budget, known or catalogue(), file, judges, effort)
    findings: list[Finding] = []
    try:
        conforms = _conforms(log, asked, findings)
    except (OverTime, KeyboardInterrupt) as stop:
        conforms = given_up(stop, effort)
    return EventLogVerdict(conforms, tuple(findings), coverage_of(log))


def given_up(stop: OverTime | KeyboardInterrupt, effort: SearchEffort) -> Undecided:
    """Why judging a log was given up, and how far it came."""
    if isinstance(stop, OverTime):
        return Undecided(GaveUp.SECONDS, effort.limits.seconds_word, effort.progress)
    return Undecided(GaveUp.INTERRUPTED, INTERRUPTED, effort.progress)


def _conforms(
    log: ReadLog, asked: _Asked, findings: list[Finding]
) -> Accepted | Rejected | Undecided:
    """Whether there is a run, section by section; what the run of each shows is added."""
    witness: list[tuple[Move, ...]] = []
    runs: dict[object, EarlierSections] = {}
    for number, section in enumerate(log.sections):
        name = section.start.get("run")
        later = log.sections[number + 1 :]
        place = next((n for n, each in enumerate(later) if each.start.get("run") == name), None)
        follows = None if place is None else later[place]
        skips = place is not None and any(each.line in log.missing for each in later[: place + 1])
        earlier = runs.get(name, EarlierSections())
        if why := earlier.wrong_finished(section):
            return Rejected(section.line, "log-start", (Refusal(why),), 1)
        known_before = earlier.before(section, skips=skips)
        run = _explained(section, follows, asked, known_before)
        wrong = None if asked.hidden else wrong_attempt(section)
        if wrong is not None and not (isinstance(run, Rejected) and run.line <= wrong[0].line):
            event, why = wrong
            return Rejected(event.line, event.name, (Refusal(why),), 1)
        if not isinstance(run, _Run):
            return run
        replay(run.system, run.moves)
        witness.append(run.moves)
        runs[name] = run.known
        if asked.judges:
            findings += _findings(run, follows, asked, known_before)
    return Accepted(tuple(witness))


def _findings(
    run: _Run, follows: Section | None, asked: _Asked, known: EarlierSections
) -> tuple[Finding, ...]:
    """What the properties say of the run of a section."""
    ends, look = follows is None, asked.effort.judges
    found = findings_of(run.system, run.moves, look, ends=ends)
    if any(each.severity is Severity.STUCK for each in found):
        # It must not be for want of room.
        wide = dataclasses.replace(asked, room=None)
        again = _explained(run.system.section, follows, wide, known)
        if isinstance(again, _Run):
            found = findings_of(again.system, again.moves, look, ends=ends)
    return found


def coverage_of(log: ReadLog) -> Coverage:
    """Whether something is missing: in the midst of a log, or at its end."""
    *earlier, last = log.sections
    inner = any(place < len(last.events) for place in last.lost)
    if inner or log.strays or log.missing or any(not each.ended or each.lost for each in earlier):
        return Coverage.GAP
    return Coverage.COMPLETE if last.ended else Coverage.TRUNCATED


def replay(system: SectionSystem, moves: tuple[Move, ...]) -> None:
    """Go a witness once more, by the rules alone. An error is a mistake of the search."""
    values = system.start().values
    for move in moves:
        taken = system.plain.take(move.rule, values)
        assert taken == TakenStep(move.after.values), f"{move} does not lead where the witness says"
        values = move.after.values


# --- one section ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    system: SectionSystem
    moves: tuple[Move, ...]
    known: EarlierSections
    """What is so after it."""


@dataclass(frozen=True)
class _Asked:
    """What is asked of a log, and with what."""

    hidden: frozenset[str]
    budget: float
    known: Catalogue
    file: str | None
    judges: bool
    effort: SearchEffort
    room: int | None = ROOM


def _explained(
    section: Section,
    follows: Section | None,
    asked: _Asked,
    known: EarlierSections,
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
        budget = len(section.events) + asked.budget * part
        search = SectionSearch(system, asked.hidden, budget, reach, follows, known, asked.effort)
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
            if search.short is None or isinstance(found, Undecided):
                return found
            why = f"there may have been more {search.short} than were tried"
            return Undecided(GaveUp.BOUND, why, asked.effort.progress)


@dataclass(frozen=True)
class AttemptEvent:
    """What an event tells of attempts: of which it is, and who is restored in it."""

    attempt: int | None
    restored: str | None


def wrong_attempt(section: Section) -> tuple[EventLine, str] | None:
    """The first event that cannot be of the attempt that it tells, and why not."""
    tells = (
        AttemptEvent(each.attempt, dict(each.about).get("task") if each.name == "restore" else None)
        for each in section.events
    )
    wrong = first_wrong(section, tells)
    return None if wrong is None else (section.events[wrong[0]], wrong[1])


def first_wrong(section: Section, events: Iterable[AttemptEvent]) -> tuple[int, str] | None:
    """The place of the first event that cannot be of the attempt that it tells, and why not.

    Asked where an engine has written all its events in order: of others nobody knows which are
    not there.
    """
    start = section.start
    if start.get("profile") != "engine" or start.get("order") != "file" or section.lost:
        return None
    now = 1
    restored = {each.name: 0 for each in section.job.subtasks}
    if start.get("starts") != "restoring":
        restored = dict.fromkeys(restored, 1)
    for place, event in enumerate(events):
        if event.attempt is None:
            continue
        if not now <= event.attempt <= now + 1:
            return place, f"it is of attempt {event.attempt}, after one of attempt {now}"
        now = event.attempt
        if event.restored in restored:
            if restored[event.restored] == now:
                return place, f"{event.restored} is restored again in attempt {now}"
            restored[event.restored] = now
    return None


__all__ = [
    "ALL_STEPS",
    "LIMITS",
    "Accepted",
    "Coverage",
    "EventLogVerdict",
    "GaveUp",
    "Move",
    "ReadLog",
    "Rejected",
    "Undecided",
    "Visibility",
    "accept",
    "coverage_of",
    "given_up",
]
