"""Judges event logs: the one entry point for `finale conform` and `finale validate`.

A judge first takes each event as a step, and asks the properties. If no event is missing, a search
would find nothing else: no run explains an event that cannot be taken. Any other log is searched
for a run that explains it (`acceptance.py`), if the caller asks for a search. Otherwise the run is
followed up to the gap, and nothing after the gap is judged.

Sections of the same shape share a cache of steps (`step_cache`). A section that the cache cannot
follow is judged once more, event by event, in a system of its own: that gives the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from finale.checker.logs.event_log.acceptance import (
    ALL_VISIBLE,
    LIMITS,
    ROOM,
    accept,
    coverage_of,
    given_up,
)
from finale.checker.logs.event_log.progress import OnProgress, OverTime, SearchEffort
from finale.checker.logs.event_log.reading import ReadLog, Section
from finale.checker.logs.event_log.restarts import EarlierSections
from finale.checker.logs.event_log.section_judge import findings_of
from finale.checker.logs.event_log.section_search import Accepted, Move, Rejected, Undecided
from finale.checker.logs.event_log.section_setting import IDS_LIVE
from finale.checker.logs.event_log.section_system import Refusal, SectionSystem
from finale.checker.logs.event_log.step_cache.lines import (
    EventForms,
    RunLines,
    SectionSteps,
    Stretch,
    read_run,
    read_slowly,
    runs_in,
    wrong_attempt,
)
from finale.checker.logs.findings import Coverage, Finding, Severity
from finale.checker.logs.read.visibility import Visibility
from finale.checker.search.limits import Limits
from finale.checker.search.native.support import why_not
from finale.checker.spec.catalogue import Catalogue, catalogue

#: So much is known at once, before all is forgotten: paths of some 700 bytes, words of some 1000,
#: heads and tails of lines of some 200.
PATHS_MAX, WORDS_MAX = 1_000_000, 400_000


@dataclass(frozen=True)
class RunSearch:
    """How far to search for a run that explains a log, if the log does not do so by itself.

    `profile` says of steps, by name, whether they leave events: else they do.
    """

    limits: Limits = LIMITS
    profile: Mapping[str, Visibility] = field(default_factory=lambda: ALL_VISIBLE)
    on_progress: OnProgress | None = None


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
    conforms: Accepted | Rejected | Undecided | None = None
    """Whether a run explains the log; None if no search was asked for."""

    @property
    def fails(self) -> bool:
        """Whether the run cannot be, or shows what must not be; what is open only is neither."""
        wrong = self.stopped is not None and not self.stopped.missing
        if self.conforms is not None:
            wrong = isinstance(self.conforms, Rejected)
        return wrong or any(each.severity is not Severity.OPEN for each in self.findings)

    @property
    def is_own_witness(self) -> bool:
        """Whether it is a run of the protocol as it stands: nothing is missing, and each event is
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
        from .step_cache.shapes import SectionShapes

        self.shapes = SectionShapes(self.known)

    def judge_file(self, data: bytes, file: str | None = None) -> Iterator[JudgedLog]:
        """What is said of each run in a file. Raises what `judge_run` raises."""
        for stretches in runs_in(data):
            yield self.judge_run(stretches, file)

    def judge_run(
        self,
        stretches: Sequence[Stretch],
        file: str | None = None,
        search: RunSearch | None = None,
    ) -> JudgedLog:
        """Judge the run that some lines are; with `search`, look for a run that explains them.

        Raises what `read_log` raises, and what is wrong with a protocol, its options and its job.
        """
        run = self._read(stretches, file)
        if search is None:
            return self._walked(run, stretches, file)
        last = run.parts[-1]
        lines = max(last.lines, default=last.section.line)
        effort, walked = SearchEffort(lines, search.limits, search.on_progress), None
        try:
            if all(seen is Visibility.ALWAYS for seen in search.profile.values()):
                walked = self._walked(run, stretches, file, effort)
        except (OverTime, KeyboardInterrupt) as stop:
            conforms = given_up(stop, effort)
            return JudgedLog(run, coverage_of(run.log), (), None, self._completed(run), conforms)
        if walked is not None and walked.is_own_witness:
            return replace(walked, conforms=Accepted(((),)))
        run = read_slowly(stretches, self.vocabulary, file)
        verdict = accept(
            run.log,
            profile=search.profile,
            limits=search.limits,
            known=self.known,
            file=file,
            effort=effort,
        )
        return JudgedLog(
            run,
            verdict.coverage,
            _both(walked, verdict.findings),
            None if walked is None else walked.stopped,
            self._completed(run),
            verdict.conforms,
        )

    def _read(self, stretches: Sequence[Stretch], file: str | None) -> RunLines:
        if self.shapes.learned > PATHS_MAX or self.vocabulary.size > WORDS_MAX:
            self.forget()
        return read_run(stretches, self.vocabulary, file)

    def _walked(
        self,
        run: RunLines,
        stretches: Sequence[Stretch],
        file: str | None,
        effort: SearchEffort | None = None,
    ) -> JudgedLog:
        """Take each event as a step, as far as that goes."""
        findings: list[Finding] = []
        stopped: StoppedAt | None = None
        for place, part in enumerate(run.parts):
            ends = place + 1 == len(run.parts)
            wrong = wrong_attempt(part, self.vocabulary.words)
            taken = part if wrong is None else part.first(wrong[0])
            count, found = self._followed(taken, effort, ends=ends and wrong is None)
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
        completed = self._completed(run)
        return JudgedLog(run, coverage_of(run.log), tuple(findings), stopped, completed)

    def _completed(self, run: RunLines) -> tuple[int, ...]:
        words = self.vocabulary.words
        done = {at for part in run.parts for at in set(part.words) if words[at].name == "complete"}
        both = (zip(part.words, part.numbers, strict=True) for part in run.parts)
        return tuple(number for each in both for word, number in each if word in done)

    def _followed(
        self, part: SectionSteps, effort: SearchEffort | None, *, ends: bool
    ) -> tuple[int, list[Finding]]:
        """How many events of a section can be taken, and what that shows."""
        if why_not():
            return 0, []  # without machine code the rules alone follow it
        words = self.vocabulary.words
        for room in (ROOM, None):
            shape = self.shapes.of(part, self.vocabulary, room)
            count, found = shape.follow(part, words, effort, ends=ends)
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


def _both(walked: JudgedLog | None, searched: Sequence[Finding]) -> tuple[Finding, ...]:
    """What the steps show, as far as they could be taken, and what the search found besides.

    The steps were taken in the order of lines, which says nothing in a log ordered by clocks.
    """
    sections = () if walked is None else walked.run.log.sections
    certain = all(section.start.get("order") != "clocks" for section in sections)
    own = walked.findings if walked is not None and certain else ()
    named = {(each.property, each.binding) for each in own}
    others = (each for each in searched if (each.property, each.binding) not in named)
    return (*own, *others)


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


def filled_in(log: ReadLog, accepted: Accepted) -> list[tuple[int, Counter[str]]]:
    """The steps of a witness that have no event, by the line behind which it took them."""
    found: dict[int, Counter[str]] = {}
    for section, moves in zip(log.sections, accepted.witness, strict=True):
        behind = section.line
        for move in moves:
            if move.line is None:
                found.setdefault(behind, Counter())[move.rule.rule.name] += 1
            else:
                behind = move.line
    return sorted(found.items())


def gaps(run: RunLines) -> list[int]:
    """The lines behind which something may be missing; a section without its end is one, too."""
    found: set[int] = set()
    for number, part in enumerate(run.parts):
        found |= {_before(part, place) for place in part.section.lost}
        if not part.section.ended:
            found.add(_before(part, None))
        if part.section.line in run.log.missing:
            found.add(_before(run.parts[number - 1], None) if number else 0)
    return sorted(found)


def _before(part: SectionSteps, place: int | None) -> int:
    """The line that comes before one of the places between events; before None, the last."""
    return max(part.lines[:place], default=part.section.line)
