"""Checks that a run of the model has exactly the lines of a log.

The check does not know how the run was found. It compares the states before and after each step,
and derives which lines the step shows. For each clock the shown lines must be in the log, in their
order, if the log has such lines at all. Other lines must say nothing about the run of the model.
Lines of different clocks have no order, except the pairs of `CAUSES` in `checker/logs/lines.py`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import cast

from finale.checker.logs.event_log.section_search import Move
from finale.checker.logs.event_log.section_system import Reached, SectionSystem
from finale.checker.logs.lines import BY_STATUS, BY_STEP, BY_VARIABLE, CAUSES, CRASH, Observed
from finale.model.language.plain import PlainStore
from finale.model.protocols.coordinator.checkpoints import ABORTED, COMPLETED, PENDING, Checkpoint
from finale.model.protocols.job.elements import Barrier
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task, TaskStatus

from .observations import Attempt, LineClock, Observation, Observations, clock_of

_GONE = (TaskStatus.FAILED, TaskStatus.RESTORING)
#: What is looked at. What else lines tell is of failures, which are several steps, or none.
_SHOWN = frozenset(kind for kind in Observed if kind.facts.tells and not kind.facts.begins_attempt)

Always = Mapping[str, frozenset[Observed]]
"""By task, what always leaves a line."""


@dataclass(frozen=True)
class StepObservation:
    """What a step shows: of which task, checkpoint and channel."""

    seen: Observed
    task: str | None
    checkpoint: int | None
    channel: str | None = None
    is_sure: bool = True
    """It always leaves a line, where such lines are in the log."""
    step: int = -1
    """The number of the step."""

    def __str__(self) -> str:
        about = (each for each in (self.task, self.channel, self.checkpoint) if each is not None)
        return f"{self.seen.facts.text}({', '.join(map(str, about))})"


def unexplained(
    system: SectionSystem, moves: Sequence[Move], observations: Observations, always: Always
) -> str | None:
    """Why the lines are not those of a run, by its first difference; None if they are."""
    shows = _by_clock(system, moves)
    lines = _Lines(observations, {each for own in shows.values() for each in own})
    steps: dict[int, int] = {}
    for clock in dict.fromkeys((*lines.by_clock, *shows)):
        kinds = always.get(clock[1] or "") or frozenset[Observed]().union(*always.values())
        own = lines.by_clock.get(clock, [])
        why = _Matching(shows.get(clock, []), lines, kinds, steps).match(own)
        if why is not None:
            return why
    return _against_attempts(lines, steps, moves) or _against_edges(lines, steps)


class _Lines:
    """The lines of a log that are looked at."""

    def __init__(self, observations: Observations, shows: Set[StepObservation]) -> None:
        numbers = defaultdict[object, set[int | None]](set)
        for each in shows:
            numbers[each.seen.facts.becomes].add(each.checkpoint)
        self._first = min((n for n in numbers[PENDING] if n is not None), default=0)
        """What is said of older checkpoints than this may be of another job."""
        self.all = [observation for observation in observations.all if observation.seen in _SHOWN]
        self.by_clock = defaultdict[LineClock, list[Observation]](list)
        self._begun = {(s.own, s.checkpoint) for s in self.all if s.seen is Observed.BEGUN}
        self._failed = {s.own for s in observations.all if s.seen.facts.fails}
        for crash in (each for each in observations.all if each.seen is Observed.CRASHED):
            self._failed |= {s.own for s in observations.all if s.place < crash.place}
        self._confirmed = defaultdict[Attempt, int](int)
        """By attempt, where its last confirmation is."""
        triggered, aborted = set[int | None](), set[int | None]()
        self.late = set[int | None]()
        """Checkpoints of which it is told that they are given up before it is that they begin."""
        self._again = set[int]()
        for observation in self.all:
            self.by_clock[clock_of(observation.seen, observation.task)].append(observation)
            if observation.seen is Observed.CONFIRMED:
                self._confirmed[observation.own] = observation.place
            if observation.seen.begins_checkpoint:
                triggered.add(observation.checkpoint)
                self.late |= {observation.checkpoint} & aborted
            elif observation.seen.facts.becomes is ABORTED:
                if observation.checkpoint in aborted or observation.checkpoint not in triggered:
                    self._again.add(id(observation))
                aborted.add(observation.checkpoint)
        self._ended = {
            Observed.CONFIRMED: numbers[COMPLETED],
            Observed.GIVEN_UP: numbers[ABORTED] | aborted,
        }
        """The checkpoints of which a task may be told that they have ended so."""

    def says_nothing(self, observation: Observation) -> bool:
        """Whether nothing need come of what a line tells: a call that nobody carries out, a
        checkpoint that ends and has not begun, or ends once more, what is told to who has failed,
        unless it is untrue.
        """
        if observation.seen is Observed.CALLED:
            return (observation.own, observation.checkpoint) not in self._begun
        late = observation.seen.facts.late and observation.own in self._failed
        if (
            observation.seen is Observed.LEFT
            and self._confirmed[observation.own] > observation.place
        ):
            return False  # a task that has left hears of no completion, whatever becomes of it
        return (late and not self._is_untrue(observation)) or id(observation) in self._again

    def _is_untrue(self, observation: Observation) -> bool:
        """Whether a line tells of the end of a checkpoint that has no such end in the run, or has
        it behind the line, by a line of the same log."""
        number = observation.checkpoint or 0
        if observation.seen not in self._ended or number < self._first:
            return False
        later = (
            each.seen.facts.becomes is COMPLETED
            and each.place > observation.place
            and _go_together(each, observation)
            for each in self.all
        )
        is_late = observation.seen is Observed.CONFIRMED and any(later)
        return number not in self._ended[observation.seen] or is_late


@dataclass
class _Matching:
    """One clock of a run, and which of its steps each line is of."""

    left: list[StepObservation]
    """What is shown and was not told yet."""
    lines: _Lines
    always: frozenset[Observed]
    steps: dict[int, int]
    """By line, the step that shows it."""

    def match(self, tells: Sequence[Observation]) -> str | None:
        for observation in tells:
            shown = self._shown(observation)
            if shown is not None:
                self.steps[id(observation)] = shown.step
                self.left.remove(shown)
            elif not self.lines.says_nothing(observation):
                return f"line {observation.line}, {observation}: {self._next()}"
        return f"no line tells it: {self._next()}" if any(map(self._is_sure, self.left)) else None

    def _is_sure(self, shown: StepObservation) -> bool:
        return shown.is_sure and shown.seen in self.always

    def _next(self) -> str:
        sure = (str(each) for each in self.left if self._is_sure(each))
        return f"the run shows {next(sure, 'nothing more')} next"

    def _shown(self, observation: Observation) -> StepObservation | None:
        """What a line is of: nothing comes before it that always leaves a line. What one step shows
        is told in any order."""
        line = observation.seen, observation.task, observation.checkpoint, observation.channel
        until: int | None = None
        for each in self.left:
            if until is not None and each.step > until:
                return None
            if (each.seen, each.task, each.checkpoint, each.channel) == line:
                return each
            if until is None and self._is_sure(each) and not self._may_be_late(each):
                until = each.step
        return None

    def _may_be_late(self, shown: StepObservation) -> bool:
        """Whoever has given a checkpoint up may tell so before whoever has begun it."""
        return shown.seen.begins_checkpoint and shown.checkpoint in self.lines.late


def _against_attempts(lines: _Lines, steps: Mapping[int, int], moves: Sequence[Move]) -> str | None:
    """Return the first line of another attempt than its step. Each restore begins a newer one."""
    restored = defaultdict[str, list[int]](list)
    for number, move in enumerate(moves):
        if move.rule.rule.name == "restore":
            restored[dict(move.rule.binding)["task"]].append(number)
    known: dict[tuple[str, int], Observation] = {}
    for observation in (each for each in lines.all if each.tells_attempt and id(each) in steps):
        task = observation.task or ""
        own = bisect_left(restored[task], steps[id(observation)])
        first = known.setdefault((task, own), observation)
        before = known.get((task, own - 1))
        if first.attempt != observation.attempt or (
            before and before.attempt >= observation.attempt
        ):
            other = first if first.attempt != observation.attempt else before
            told = "" if other is None else f"line {other.line} tells attempt {other.attempt}"
            return (
                f"line {observation.line}, {observation}: attempt {observation.attempt}, and {told}"
            )
    return None


def _against_edges(lines: _Lines, steps: Mapping[int, int]) -> str | None:
    """A line that stands before that of a step which, in the run, has come before its own."""
    known = [each for each in lines.all if id(each) in steps]
    for first, then in CAUSES:
        causes = [each for each in known if each.seen is first]
        for effect in (each for each in known if each.seen is then):
            for cause in causes:
                if cause.place < effect.place or not _go_together(cause, effect):
                    continue
                if steps[id(cause)] < steps[id(effect)]:
                    return f"line {effect.line}, {effect}: line {cause.line}, {cause}, is behind it"
    return None


def _go_together(cause: Observation, effect: Observation) -> bool:
    """Whether both are of one log, and of one task and checkpoint, as far as they tell."""
    if cause.event.log_event.log != effect.event.log_event.log:
        return False
    pairs = (cause.task, effect.task), (cause.checkpoint, effect.checkpoint)
    return all(one is None or other is None or one == other for one, other in pairs)


# --- what steps show ------------------------------------------------------------------------------


def _by_clock(
    system: SectionSystem, moves: Sequence[Move]
) -> dict[LineClock, list[StepObservation]]:
    """Clock by clock what a run shows."""
    found, before = defaultdict[LineClock, list[StepObservation]](list), system.start()
    for number, move in enumerate(moves):
        for each in _Step(system, move, before).shown():
            found[clock_of(each.seen, each.task)].append(replace(each, step=number))
        before = move.after
    return dict(found)


class _Step:
    """A step of a run, between two states."""

    def __init__(self, system: SectionSystem, move: Move, before: Reached) -> None:
        self.system, self.before, self.after = system, before, move.after
        self.protocol = cast(StopWithSavepoint, system.protocol)
        self.name, self.about = move.rule.rule.name, dict(move.rule.binding)

    def shown(self) -> Iterator[StepObservation]:
        known = self.before.ids
        if self.after.ids[: len(known)] != known:  # an id is given again: all others are renamed
            yield StepObservation(BY_STATUS[PENDING], None, self.after.ids[-1])
            return
        crashes = self.name == CRASH
        if crashes:
            yield StepObservation(Observed.CRASHED, None, None)
        for point in self.protocol.checkpoints:
            old, new = self._of(point, "status")
            if old is not new and new in BY_STATUS:
                # A coordinator whose process ends writes nothing of what is pending then.
                yield StepObservation(
                    BY_STATUS[new], None, self._number(point), is_sure=not crashes
                )
        if self.name in ("poll_barrier", "notice_barrier"):
            yield self._barrier(self.about["channel"])
        for task in self.protocol.tasks:
            yield from self._of_task(task)
        shown = BY_STEP.get(self.name)
        if shown in (Observed.ACKNOWLEDGED, Observed.GIVEN_UP):
            yield StepObservation(shown, self.about["task"], self._own())

    def _barrier(self, name: str) -> StepObservation:
        """A line tells of a barrier, unless it says nothing new."""
        channel = next(each for each in self.protocol.channels if each.name == name)
        with self.system.world.on(PlainStore(self.before.values)):
            reader, head = self.protocol.reader(channel), channel.queue.head
            if self.name == "notice_barrier":
                known, number = False, self._own()
            else:
                point = cast(Barrier, head).checkpoint
                known = bool(reader.gate.is_past(point)) or bool(channel.aligned)
                number = self._number(cast(Checkpoint, point))
        return StepObservation(Observed.BARRIER, reader.name, number, name, is_sure=not known)

    def _of_task(self, task: Task) -> Iterator[StepObservation]:
        for point in self._new(task, "mail"):
            yield StepObservation(BY_VARIABLE["mail"], task.name, self._number(point))
        old, new = self._of(task, "status")
        if new not in _GONE:
            for point in self._new(task, "taken"):
                yield StepObservation(BY_VARIABLE["taken"], task.name, self._number(point))
        if self.name in ("deliver_confirmation", "deliver_abort"):
            yield from self._confirmed(task)
        if old is not new and new in BY_STATUS:
            yield StepObservation(BY_STATUS[new], task.name, None)
        if self._of(task, "reported_finished") == (False, True):
            yield StepObservation(BY_VARIABLE["reported_finished"], task.name, None)

    def _confirmed(self, task: Task) -> Iterator[StepObservation]:
        """A task is told of a completion; an abort may tell it of the newest one, too."""
        before, after = self._of(task, "confirmed")
        if before != after:
            yield StepObservation(
                Observed.CONFIRMED, task.name, self._number(cast(Checkpoint, after))
            )
        elif self.name == "deliver_confirmation" and self.about["task"] == task.name:
            yield StepObservation(Observed.CONFIRMED, task.name, self._own())

    def _own(self) -> int | None:
        """The number of the checkpoint that the step is about."""
        return self.after.ids[int(self.about["checkpoint"].removeprefix("cp")) - 1]

    def _of(self, entity: Checkpoint | Task, name: str) -> tuple[object, object]:
        at = entity.variables[name].position
        return self.before.values[at], self.after.values[at]

    def _new(self, task: Task, name: str) -> list[Checkpoint]:
        old, new = (cast("frozenset[Checkpoint]", each) for each in self._of(task, name))
        return [*(new - old)]

    def _number(self, point: Checkpoint) -> int | None:
        at = self.protocol.checkpoints.index(point)
        return self.after.ids[at] if at < len(self.after.ids) else None
