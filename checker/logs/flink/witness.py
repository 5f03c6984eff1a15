"""Whether a run of the model has just the lines of a log: asked of the run, not of who found it.

What a step shows is read off the states before and after it. Clock by clock, all that is shown must
be told in its turn, if such lines are in the log at all, and what is told besides must say nothing
of the model's run. Lines of different clocks have no order, but for those of `EDGES`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from checker.logs.event_log.search import Move
from checker.logs.event_log.system import Reached, SectionSystem
from model.language.plain import PlainStore
from model.protocols.coordinator.checkpoints import Checkpoint, CheckpointStatus
from model.protocols.job.elements import Barrier
from model.protocols.stop_with_savepoint import StopWithSavepoint
from model.protocols.task.tasks import Task, TaskStatus

from .observations import JOB, LOCK, Seen, Sight, Sights
from .proof import EDGES

_TURNS = {
    CheckpointStatus.PENDING: Seen.TRIGGERED,
    CheckpointStatus.COMPLETED: Seen.COMPLETED,
    CheckpointStatus.ABORTED: Seen.ABORTED,
}
_LIVES = {TaskStatus.QUIESCED: Seen.LEFT, TaskStatus.CLOSED: Seen.ENDED}
_GONE = (TaskStatus.FAILED, TaskStatus.RESTORING)
#: What is looked at. What else lines tell is of failures, which are several steps, or none.
_SHOWN = frozenset(
    (*_TURNS.values(), *_LIVES.values(), Seen.ACKNOWLEDGED, Seen.LEARNED, Seen.CALLED,
     Seen.BARRIER, Seen.BEGUN, Seen.CONFIRMED, Seen.GIVEN_UP)
)  # fmt: skip
#: What tells nothing new of an attempt that has failed.
_LATE = frozenset((Seen.CONFIRMED, Seen.GIVEN_UP, Seen.LEFT))
#: Of these lines it need not be told of which checkpoint they are.
_UNNUMBERED = (Seen.LEFT, Seen.ENDED, Seen.LEARNED)

Clock = tuple[str, str | None]
Always = Mapping[str, frozenset[Seen]]
"""By task, what always leaves a line."""


@dataclass(frozen=True)
class Shown:
    """What a step shows: of which task, checkpoint and channel."""

    seen: Seen
    task: str | None
    checkpoint: int | None
    channel: str | None = None
    is_sure: bool = True
    """It always leaves a line, where such lines are in the log."""
    step: int = -1
    """The number of the step."""

    def __str__(self) -> str:
        about = (each for each in (self.task, self.channel, self.checkpoint) if each is not None)
        return f"{self.seen.value}({', '.join(map(str, about))})"


def unexplained(
    system: SectionSystem, moves: Sequence[Move], sights: Sights, always: Always
) -> str | None:
    """Why the lines are not those of a run, by its first difference; None if they are."""
    shows, lines = _by_clock(system, moves), _Lines(sights)
    steps: dict[int, int] = {}
    for clock in dict.fromkeys((*lines.by_clock, *shows)):
        kinds = always.get(clock[1] or "") or frozenset[Seen]().union(*always.values())
        own = lines.by_clock.get(clock, [])
        why = _Matching(shows.get(clock, []), lines, kinds, steps).match(own)
        if why is not None:
            return why
    return _against_attempts(lines, steps, moves) or _against_edges(lines, steps)


class _Lines:
    """The lines of a log that are looked at."""

    def __init__(self, sights: Sights) -> None:
        self.all = [sight for sight in sights.all if sight.seen in _SHOWN]
        self.by_clock = defaultdict[Clock, list[Sight]](list)
        self._begun = {(s.own, s.checkpoint) for s in self.all if s.seen is Seen.BEGUN}
        self._failed = {s.own for s in sights.all if s.seen in (Seen.STOPS, Seen.LOST)}
        triggered, aborted = set[int | None](), set[int | None]()
        self.late = set[int | None]()
        """Checkpoints of which it is told that they are given up before it is that they begin."""
        self._again = set[int]()
        for sight in self.all:
            self.by_clock[_clock(sight.seen, sight.task)].append(sight)
            if sight.seen is Seen.TRIGGERED:
                triggered.add(sight.checkpoint)
                self.late |= {sight.checkpoint} & aborted
            elif sight.seen is Seen.ABORTED:
                if sight.checkpoint in aborted or sight.checkpoint not in triggered:
                    self._again.add(id(sight))
                aborted.add(sight.checkpoint)

    def says_nothing(self, sight: Sight) -> bool:
        """Whether nothing need come of what a line tells: a call that nobody carries out, a
        checkpoint that ends and has not begun, or ends once more, what is told to who has failed.
        """
        if sight.seen is Seen.CALLED:
            return (sight.own, sight.checkpoint) not in self._begun
        late = sight.seen in _LATE and sight.own in self._failed
        return late or id(sight) in self._again


@dataclass
class _Matching:
    """One clock of a run, and which of its steps each line is of."""

    left: list[Shown]
    """What is shown and was not told yet."""
    lines: _Lines
    always: frozenset[Seen]
    steps: dict[int, int]
    """By line, the step that shows it."""

    def match(self, tells: Sequence[Sight]) -> str | None:
        for sight in tells:
            shown = self._shown(sight)
            if shown is not None:
                self.steps[id(sight)] = shown.step
                self.left.remove(shown)
            elif not self.lines.says_nothing(sight):
                return f"line {sight.line}, {sight}: {self._next()}"
        return f"no line tells it: {self._next()}" if any(map(self._is_sure, self.left)) else None

    def _is_sure(self, shown: Shown) -> bool:
        return shown.is_sure and shown.seen in self.always

    def _next(self) -> str:
        sure = (str(each) for each in self.left if self._is_sure(each))
        return f"the run shows {next(sure, 'nothing more')} next"

    def _shown(self, sight: Sight) -> Shown | None:
        """What a line is of: nothing comes before it that always leaves a line. What one step shows
        is told in any order."""
        line, until = _line(sight), None
        for each in self.left:
            if until is not None and each.step > until:
                return None
            if (each.seen, each.task, each.checkpoint, each.channel) == line:
                return each
            if until is None and self._is_sure(each) and not self._may_be_late(each):
                until = each.step
        return None

    def _may_be_late(self, shown: Shown) -> bool:
        """Whoever has given a checkpoint up may tell so before whoever has begun it."""
        return shown.seen is Seen.TRIGGERED and shown.checkpoint in self.lines.late


def _line(sight: Sight) -> tuple[Seen, str | None, int | None, str | None]:
    number = None if sight.seen in _UNNUMBERED else sight.checkpoint
    return sight.seen, sight.task, number, sight.channel


def _clock(seen: Seen, task: str | None) -> Clock:
    if seen in LOCK or seen in JOB:
        return ("lock" if seen in LOCK else "job"), None
    return ("calls" if seen is Seen.CALLED else "loop"), task


def _against_attempts(lines: _Lines, steps: Mapping[int, int], moves: Sequence[Move]) -> str | None:
    """Return the first line of another attempt than its step. Each restore begins a newer one."""
    restored = defaultdict[str, list[int]](list)
    for number, move in enumerate(moves):
        if move.rule.rule.name == "restore":
            restored[dict(move.rule.binding)["task"]].append(number)
    known: dict[tuple[str, int], Sight] = {}
    for sight in (each for each in lines.all if each.tells_attempt and id(each) in steps):
        task = sight.task or ""
        own = bisect_left(restored[task], steps[id(sight)])
        first = known.setdefault((task, own), sight)
        before = known.get((task, own - 1))
        if first.attempt != sight.attempt or (before and before.attempt >= sight.attempt):
            other = first if first.attempt != sight.attempt else before
            told = "" if other is None else f"line {other.line} tells attempt {other.attempt}"
            return f"line {sight.line}, {sight}: attempt {sight.attempt}, and {told}"
    return None


def _against_edges(lines: _Lines, steps: Mapping[int, int]) -> str | None:
    """A line that stands before that of a step which, in the run, has come before its own."""
    known = [each for each in lines.all if id(each) in steps]
    for first, then in EDGES:
        causes = [each for each in known if each.seen is first]
        for effect in (each for each in known if each.seen is then):
            for cause in causes:
                if cause.place < effect.place or not _go_together(cause, effect):
                    continue
                if steps[id(cause)] < steps[id(effect)]:
                    return f"line {effect.line}, {effect}: line {cause.line}, {cause}, is behind it"
    return None


def _go_together(cause: Sight, effect: Sight) -> bool:
    """Whether both are of one log, and of one task and checkpoint, as far as they tell."""
    if cause.event.told.log != effect.event.told.log:
        return False
    pairs = (cause.task, effect.task), (cause.checkpoint, effect.checkpoint)
    return all(one is None or other is None or one == other for one, other in pairs)


# --- what steps show ------------------------------------------------------------------------------


def _by_clock(system: SectionSystem, moves: Sequence[Move]) -> dict[Clock, list[Shown]]:
    """Clock by clock what a run shows."""
    found, before = defaultdict[Clock, list[Shown]](list), system.start()
    for number, move in enumerate(moves):
        for each in _Step(system, move, before).shown():
            found[_clock(each.seen, each.task)].append(replace(each, step=number))
        before = move.after
    return dict(found)


class _Step:
    """A step of a run, between two states."""

    def __init__(self, system: SectionSystem, move: Move, before: Reached) -> None:
        self.system, self.before, self.after = system, before, move.after
        self.protocol = cast(StopWithSavepoint, system.protocol)
        self.name, self.about = move.rule.rule.name, dict(move.rule.binding)

    def shown(self) -> Iterator[Shown]:
        known = self.before.ids
        if self.after.ids[: len(known)] != known:  # an id is given again: all others are renamed
            yield Shown(Seen.TRIGGERED, None, self.after.ids[-1])
            return
        for point in self.protocol.checkpoints:
            old, new = self._of(point, "status")
            if old is not new and isinstance(new, CheckpointStatus) and new in _TURNS:
                yield Shown(_TURNS[new], None, self._number(point))
        own = self.about.get("task")
        if self.name == "apply_acknowledgement":
            yield Shown(Seen.ACKNOWLEDGED, own, self._own())
        elif self.name in ("poll_barrier", "notice_barrier"):
            yield self._barrier(self.about["channel"])
        for task in self.protocol.tasks:
            yield from self._of_task(task)
        if self.name == "deliver_abort":
            yield Shown(Seen.GIVEN_UP, own, self._own())

    def _barrier(self, name: str) -> Shown:
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
        return Shown(Seen.BARRIER, reader.name, number, name, is_sure=not known)

    def _of_task(self, task: Task) -> Iterator[Shown]:
        for point in self._new(task, "mail"):
            yield Shown(Seen.CALLED, task.name, self._number(point))
        old, new = self._of(task, "status")
        if new not in _GONE:
            for point in self._new(task, "taken"):
                yield Shown(Seen.BEGUN, task.name, self._number(point))
        if self.name in ("deliver_confirmation", "deliver_abort"):
            yield from self._confirmed(task)
        if old is not new and isinstance(new, TaskStatus) and new in _LIVES:
            yield Shown(_LIVES[new], task.name, None)
        if self._of(task, "reported_finished") == (False, True):
            yield Shown(Seen.LEARNED, task.name, None)

    def _confirmed(self, task: Task) -> Iterator[Shown]:
        """A task is told of a completion; an abort may tell it of the newest one, too."""
        before, after = self._of(task, "confirmed")
        if before != after:
            yield Shown(Seen.CONFIRMED, task.name, self._number(cast(Checkpoint, after)))
        elif self.name == "deliver_confirmation" and self.about["task"] == task.name:
            yield Shown(Seen.CONFIRMED, task.name, self._own())

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


__all__ = ["Shown", "unexplained"]
