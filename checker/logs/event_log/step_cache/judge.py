"""Judges event logs without a search: takes each event as a step, and asks the properties.

If no event is missing, a search would find nothing else: no run explains an event that cannot be
taken. If events are missing, the run is followed up to the gap, and nothing after it is judged.

Sections of the same shape share a cache of steps (`shapes.py`). A section that the cache cannot
follow is judged once more, event by event, in a system of its own: that gives the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from checker.logs.event_log.acceptance import ROOM, Move, coverage_of
from checker.logs.event_log.restarts import EarlierSections
from checker.logs.event_log.section_judge import findings_of
from checker.logs.event_log.section_setting import IDS_LIVE
from checker.logs.event_log.section_system import Refusal, SectionSystem
from checker.logs.findings import Coverage, Finding, Severity
from checker.spec.catalogue import Catalogue, catalogue
from reference.formats.eventlog import Section

from .lines import (
    EventForms,
    RunLines,
    SectionSteps,
    Stretch,
    read_run,
    read_slowly,
    runs_in,
    wrong_attempt,
)
from .shapes import SectionShapes

#: So much is known at once, before all is forgotten: paths of some 700 bytes, words of some 1000,
#: heads and tails of lines of some 200.
PATHS_MAX, WORDS_MAX = 1_000_000, 400_000


@dataclass(frozen=True)
class StoppedAt:
    """The event at which a run cannot be followed further, and why not."""

    line: int
    event: str
    refusal: Refusal
    missing: bool
    """Something is missing in the log that may explain it, or only the order on each clock is told,
    and there may be another one that does."""


@dataclass(frozen=True)
class JudgedLog:
    """What is said of one run in an event log."""

    run: RunLines
    coverage: Coverage
    findings: tuple[Finding, ...]
    stopped: StoppedAt | None
    """None: each event is a step that can be taken there."""

    completed: tuple[int, ...]
    """The checkpoints that have completed, in turn."""

    @property
    def fails(self) -> bool:
        """Whether the run cannot be, or shows what must not be; what is open only is neither."""
        wrong = self.stopped is not None and not self.stopped.missing
        return wrong or any(each.severity is not Severity.OPEN for each in self.findings)

    @property
    def accepted(self) -> bool:
        """Whether it is a run of the protocol, as it stands: nothing is missing, and each event is
        a step. Of a log of several processes it is not known: one must fit the one before."""
        (first, *others), whole = self.run.log.sections, self.coverage is not Coverage.GAP
        alone = not others and EarlierSections().wrong_finished(first) is None
        return alone and whole and self.stopped is None


class EventLogJudge:
    """Judges event logs. What was learned from one run is known for the next."""

    def __init__(self, known: Catalogue | None = None) -> None:
        self.known = known or catalogue()
        self.forget()

    def forget(self) -> None:
        """Begin anew: what was learned of too many shapes takes too much memory."""
        self.vocabulary = EventForms()
        self.shapes = SectionShapes(self.known)

    def judge(self, data: bytes, file: str | None = None) -> Iterator[JudgedLog]:
        """What is said of each run in a file. Raises what `judge_run` raises."""
        for stretches in runs_in(data):
            yield self.judge_run(stretches, file)

    def judge_run(self, stretches: Sequence[Stretch], file: str | None = None) -> JudgedLog:
        """What is said of the run that some lines are.

        Raises what `read_log` raises, and what is wrong with a protocol, its options and its job.
        """
        if self.shapes.learned > PATHS_MAX or self.vocabulary.size > WORDS_MAX:
            self.forget()
        run = read_run(stretches, self.vocabulary, file)
        findings: list[Finding] = []
        stopped: StoppedAt | None = None
        for place, part in enumerate(run.parts):
            ends = place + 1 == len(run.parts)
            wrong = wrong_attempt(part, self.vocabulary.words)
            taken = part if wrong is None else part.first(wrong[0])
            count, found = self._followed(taken, ends=ends and wrong is None)
            if count < len(taken.words):
                section = read_slowly(stretches, self.vocabulary, file).log.sections[place]
                section = replace(section, events=section.events[: len(taken.words)])
                found, stopped = self._stepped(section, ends=ends and wrong is None, file=file)
            if stopped is None and wrong is not None:
                name = self.vocabulary.words[part.words[wrong[0]]].name
                line = part.lines[wrong[0]]
                stopped = StoppedAt(line, name, Refusal(wrong[1]), missing=False)
            findings += found
            if stopped is not None:
                break
        words = self.vocabulary.words
        done = {at for part in run.parts for at in set(part.words) if words[at].name == "complete"}
        both = (zip(part.words, part.numbers, strict=True) for part in run.parts)
        completed = tuple(number for each in both for word, number in each if word in done)
        return JudgedLog(run, coverage_of(run.log), tuple(findings), stopped, completed)

    def _followed(self, part: SectionSteps, *, ends: bool) -> tuple[int, list[Finding]]:
        """How many events of a section can be taken, and what that shows."""
        words = self.vocabulary.words
        for room in (ROOM, None):
            shape = self.shapes.of(part, self.vocabulary, room)
            count, found = shape.follow(part, words, ends=ends)
            if count == len(part.words) and not _is_stuck(found):
                break  # else it must not be for want of room
        return count, found

    def _stepped(
        self, section: Section, *, ends: bool, file: str | None
    ) -> tuple[list[Finding], StoppedAt | None]:
        """A section in a system of its own, step by step: nothing is for want of room."""
        live, room = IDS_LIVE, ROOM
        while True:
            system = SectionSystem(
                section, self.known, frozenset(), file=file, live=live, room=room
            )
            moves, refusal = _moves(system)
            beyond = refusal is not None and refusal.bound is not None
            if room is None and beyond and live < len(section.events):
                live *= 4
                continue
            found = findings_of(system, moves, lambda _: None, ends=ends and refusal is None)
            if room is None or (refusal is None and not _is_stuck(found)):
                break
            room = None
        if refusal is None:
            return list(found), None
        event = section.events[len(moves)]
        here = moves[-1].after if moves else system.start()
        missing = any(place <= len(moves) for place in section.lost)
        missing = missing or section.start.get("order") == "clocks"
        why = refusal if refusal.why else system.explain(event, here)
        return list(found), StoppedAt(event.line, event.name, why, missing)


def _is_stuck(found: Iterable[Finding]) -> bool:
    return any(each.severity is Severity.STUCK for each in found)


def _moves(system: SectionSystem) -> tuple[list[Move], Refusal | None]:
    """The steps of a section's events, as far as they can be taken, and why no further."""
    moves: list[Move] = []
    reached = system.start()
    for event in system.section.events:
        taken = system.take(event, reached)
        if isinstance(taken, Refusal):
            return moves, taken
        rule, reached = taken
        moves.append(Move(rule, event.line, reached))
    return moves, None


__all__ = ["EventLogJudge", "JudgedLog", "StoppedAt"]
