"""That no run of the protocol has a log's lines: shown of a part, with all else free.

A part is a task with a checkpoint, or a task alone (`flink_components.py`). Its lines are gone
through clock by clock, in every order that their clocks allow, by the rules' own steps on what the
part may be; what no line tells may happen whenever it can. Where that ends before the lines do,
the whole has no run either: whatever a run does, it does in the part. A line is not passed over
unless it is of an attempt that is over, or tells once more what is so.

Lines of different clocks have no order, but for `EDGES`: there the line of what comes first is
written before that of what it leads to, if both are in one log.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from checker.logs.runs import Run
from model.protocols.parts.checkpoints import CheckpointStatus

from .acceptance_effort import Effort
from .flink_components import (
    DIES,
    ENDS,
    NO_MORE,
    OTHER,
    PARTS,
    POINTS,
    READER,
    SOURCE,
    Given,
    part_of,
    restores,
)
from .flink_job import RunJob
from .flink_levels import always_shown, dying, has_finished
from .flink_parts import Label, Part, Possible, Values
from .flink_sights import JOB, LATE, LOCK, Seen, Sight, Sights

#: Of what comes first the line is written before it can lead to the other, and of that behind it.
EDGES = (
    (Seen.TRIGGERED, Seen.CALLED),
    (Seen.TRIGGERED, Seen.BEGUN),
    (Seen.CALLED, Seen.BEGUN),
    (Seen.BEGUN, Seen.ACKNOWLEDGED),
    (Seen.COMPLETED, Seen.CONFIRMED),
    (Seen.ENDED, Seen.LEARNED),
    (Seen.LEARNED, Seen.TRIGGERED),
)
#: Of these lines the attempt is none of a task.
_POINTS = (Seen.TRIGGERED, Seen.COMPLETED, Seen.ABORTED, Seen.RESTORED)
#: Where barriers stay in their order.
_ALIGNED = "stop-with-savepoint"
#: The order of the lines of one step.
_ORDER: tuple[Label, ...] = (*Seen, OTHER)
_STATUSES = list(CheckpointStatus)
_PENDING = _STATUSES.index(CheckpointStatus.PENDING)
_COMPLETED = _STATUSES.index(CheckpointStatus.COMPLETED)

At = tuple[int, int]
"""A line: of which clock, and which of it."""
Line = tuple[Label, int, bool]
"""What it shows, of which attempt of its task, and whether it is of a call that was missed."""
State = tuple[tuple[int, ...], Values, int]
"""How many lines of each clock are explained, what the part is, the attempt of its task."""


@dataclass(frozen=True)
class Pattern:
    """The lines of a part, as far as they decide: many a task and checkpoint have the same."""

    part: str
    is_source: bool
    may_die: bool
    may_end: bool
    """The input that is looked at may end before the lines do."""
    shown: frozenset[Label]
    clocks: tuple[tuple[Line, ...], ...]
    order: tuple[At, ...]
    """All lines in the order of the log."""
    later: frozenset[tuple[At, At]]
    """Of two lines with an edge: the first is written behind the second."""


@dataclass(frozen=True)
class Dead:
    """Nothing goes on: the line that is not explained, and what the part may be there."""

    at: At
    task: str
    states: frozenset[Values]


@dataclass(frozen=True)
class Contradiction:
    """A line that no run explains: of what, and what that may be before it."""

    sight: Sight
    part: Part
    name: str
    stands: str
    """The task of the part that stands for the log's."""
    task: str
    checkpoint: int | None
    states: frozenset[Values]


def given_of(protocol: str, options: Mapping[str, object], run: Run, sights: Sights) -> Given:
    """What the parts' system is built of. Of what a bound counts one stands for any number."""
    fails = any(each.seen in (Seen.STOPS, Seen.LOST, Seen.RUNS) for each in sights.all)
    kinds = {each.kind for each in sights.all if each.seen is Seen.TRIGGERED}
    words = {event.word for event in run.events}
    stops = bool(kinds & {"Terminate Savepoint", "Suspend Savepoint"}) or "request_stop" in words
    bounds = {
        "failures": fails or not has_finished(run),
        "stops": stops,
        "savepoints": "Savepoint" in kinds or "request_savepoint" in words,
        "cancels": any(each.seen is Seen.CANCELLING for each in sights.all),
        **dict.fromkeys(
            ("declines", "expiries", "manual", "lost_confirmations", "time_outs"), True
        ),
    }
    most = {"concurrent": min(int(str(options["concurrent"])), POINTS)}
    return Given(
        protocol,
        tuple(sorted({**options, **most}.items())),
        tuple((name, int(is_there)) for name, is_there in bounds.items()),
    )


class Refuter:
    """Looks for a part that cannot do what the lines of a run tell of it."""

    def __init__(self, given: Given, run: Run, job: RunJob, sights: Sights, effort: Effort) -> None:
        self.given, self.sights, self.effort = given, sights, effort
        self._tasks = [subtask.name for subtask in job.job.subtasks]
        self._inputs = {name: _inputs(job, name) for name in self._tasks}
        self._sources = {name for name in self._tasks if not self._inputs[name]}
        bounds = dict(given.bounds)
        fails = bounds["failures"] or bounds["stops"]
        self._aligns = given.protocol == _ALIGNED and not fails
        """Barriers stay in their order, and no attempt is given up, which would need a close look.
        """
        self._resumed = any(event.word == "resumed" for event in run.events)
        self._shown = always_shown(run, job, sights)
        self._dying = dying(run, job, sights)
        self._found: dict[Pattern, Dead | None] = {}
        self._missed = {(t, c) for c, tasks in sights.missed.items() for t in tasks}

    def contradiction(self) -> Contradiction | None:
        """Return the first line of those that some part cannot explain. Raises `OverTime`."""
        found = [*self._each()]
        return min(found, key=lambda each: each.sight.place, default=None)

    def _each(self) -> Iterator[Contradiction]:
        of_point: defaultdict[int, list[Sight]] = defaultdict(list)
        of_task: defaultdict[str, list[Sight]] = defaultdict(list)
        for sight in self.sights.all:
            if sight.task is not None:
                of_task[sight.task].append(sight)
            elif sight.checkpoint is not None:
                of_point[sight.checkpoint].append(sight)
        for number, about in of_point.items():
            yield from self._restarts(number, about)
        for task in self._tasks:
            yield from self._asked("life", task, None, of_task[task])
            of_both: defaultdict[int | None, list[Sight]] = defaultdict(list)
            for sight in of_task[task]:
                of_both[sight.checkpoint].append(sight)
            aborts = [each for each in of_task[task] if each.seen is Seen.GIVEN_UP]
            for number in sorted({*of_point, *(each for each in of_both if each is not None)}):
                own = [*of_point[number], *of_both[number]]
                others = [each for each in aborts if each.checkpoint != number]
                yield from self._asked("call", task, number, [*own, *of_both[None]])
                yield from self._asked("acknowledgement", task, number, [*own, *of_both[None]])
                yield from self._asked("notice", task, number, [*own, *others])
                if Seen.BEGUN in {each.seen for each in of_both[number]}:
                    yield from self._barriers(task, number, [*of_both[number], *of_both[None]])

    def _barriers(self, task: str, number: int, about: Sequence[Sight]) -> Iterator[Contradiction]:
        """Of each input of a task that begins a checkpoint. Whoever writes to it and has begun that
        has put its barrier there, and what ends the input comes behind it."""
        for channel, sender in self._inputs[task] if self._aligns else ():
            begins = (Seen.BEGUN, sender, number)
            begun = any((s.seen, s.task, s.checkpoint) == begins for s in self.sights.all)
            own = [each for each in about if each.channel in (None, channel)]
            yield from self._asked("barrier", task, number, own, may_end=not begun)

    def _restarts(self, number: int, about: Sequence[Sight]) -> Iterator[Contradiction]:
        """Of a checkpoint from which tasks are restored. It may be that of another job."""
        kinds = {each.seen for each in about}
        known = Seen.TRIGGERED in kinds or not self._resumed
        fails = any(sight.seen is Seen.LOST for sight in self.sights.all)
        if known and fails and Seen.RESTORED in kinds:
            yield from self._asked("restart", self._tasks[0], number, about)

    def _asked(
        self,
        name: str,
        task: str,
        number: int | None,
        about: Iterable[Sight],
        *,
        may_end: bool = True,
    ) -> Iterator[Contradiction]:
        shown = self._shown[task] & PARTS[name].shows
        lines = sorted((s for s in about if s.seen in shown), key=lambda each: each.place)
        clocks = _by_clock(lines)
        pattern = Pattern(
            name,
            task in self._sources,
            task in self._dying,
            may_end,
            shown,
            tuple(tuple(self._line(s, number) for s in clock) for clock in clocks),
            _in_order(clocks),
            frozenset(_later(clocks)),
        )
        if pattern not in self._found:
            self._found[pattern] = _explored(self.given, pattern, self.effort)
        dead = self._found[pattern]
        if dead is not None:
            clock, place = dead.at
            part = part_of(self.given, name, dead.task)
            yield Contradiction(
                clocks[clock][place], part, name, dead.task, task, number, dead.states
            )

    def _line(self, sight: Sight, number: int | None) -> Line:
        other = sight.seen is Seen.GIVEN_UP and sight.checkpoint != number
        missed = (sight.task or "", sight.checkpoint or 0) in self._missed
        return OTHER if other else sight.seen, sight.attempt, missed


def _inputs(job: RunJob, task: str) -> list[tuple[str, str]]:
    """The channels that a task reads, and who writes to each."""
    own = (each for each in job.job.channels if each.receiver.name == task)
    return [(each.name, each.sender.name) for each in own]


def _by_clock(lines: Sequence[Sight]) -> list[list[Sight]]:
    """Lines by their clocks: the coordinator's lock, its main thread, calls, the main loop."""
    found: defaultdict[int, list[Sight]] = defaultdict(list)
    for sight in lines:
        kinds = (sight.seen in LOCK, sight.seen in JOB, sight.seen is Seen.CALLED, True)
        found[kinds.index(True)].append(sight)
    return [found[clock] for clock in sorted(found)]


def _in_order(clocks: Sequence[Sequence[Sight]]) -> tuple[At, ...]:
    places = {s.place: (n, m) for n, clock in enumerate(clocks) for m, s in enumerate(clock)}
    return tuple(places[each] for each in sorted(places))


def _later(clocks: Sequence[Sequence[Sight]]) -> Iterator[tuple[At, At]]:
    all_ = [(s, (n, m)) for n, clock in enumerate(clocks) for m, s in enumerate(clock)]
    for first, one in all_:
        for then, other in all_:
            edge = (first.seen, then.seen) in EDGES and first.event.told.log == then.event.told.log
            if edge and then.place < first.place:
                yield one, other


# --- the search ----------------------------------------------------------------------------------


def _explored(given: Given, pattern: Pattern, effort: Effort) -> Dead | None:
    """None where the part has a run that explains its lines; else where the furthest one ends."""
    task = SOURCE if pattern.is_source else READER
    return _Search(given, part_of(given, pattern.part, task), pattern, task, effort).run()


@dataclass
class _Search:
    """All ways to go through the lines of a part."""

    given: Given
    part: Part
    pattern: Pattern
    task: str
    effort: Effort

    def run(self) -> Dead | None:
        """None if all lines can be explained; else the first that cannot with all before it."""
        clocks = self.pattern.clocks
        todo: list[State] = [((0,) * len(clocks), values, 0) for values in self.part.start]
        seen, furthest, stuck = set(todo), -1, set[Values]()
        while todo:
            self.effort.look()
            state = todo.pop()
            place = self._explained(state[0])
            if place == len(self.pattern.order):
                return None
            if place > furthest:
                furthest, stuck = place, set[Values]()
            if place == furthest:
                stuck.add(state[1])
            for after in self._onward(state):
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return Dead(self.pattern.order[furthest], self.task, frozenset(stuck))

    def _explained(self, positions: tuple[int, ...]) -> int:
        """Up to which line all are explained, in the order of the log."""
        order = self.pattern.order
        open_ = (n for n, (clock, place) in enumerate(order) if positions[clock] <= place)
        return next(open_, len(order))

    def _onward(self, state: State) -> Iterator[State]:
        positions, values, attempt = state
        for clock in range(len(positions)):
            line = self._line(clock, positions)
            if line is not None and self._passes(line, values, attempt):
                yield _further(positions, clock), values, attempt
        for labels, after, _ in self.part.onward(values):
            dies, ends = DIES in labels, ENDS in labels
            if dies <= self.pattern.may_die and ends <= self.pattern.may_end:
                yield from self._shown(positions, labels, after, attempt)

    def _shown(
        self, positions: tuple[int, ...], labels: frozenset[Label], after: Values, attempt: int
    ) -> Iterator[State]:
        """After a step, all lines that it always leaves, if they come next."""
        shown: set[Label] = {*self.pattern.shown}
        if Seen.GIVEN_UP in shown:
            shown.add(OTHER)
        for label in sorted(labels & shown, key=_ORDER.index):
            lines = (self._line(clock, positions) for clock in range(len(positions)))
            found = [n for n, line in enumerate(lines) if line is not None and line[0] == label]
            line = self._line(found[0], positions) if found else None
            if line is None or not self._is_of(line, attempt):
                return
            positions = _further(positions, found[0])
            attempt = line[1] if label is Seen.RUNS else attempt
        starts = Seen.RUNS in labels and Seen.RUNS not in shown
        for each in self._newer(attempt) if starts else (attempt,):
            yield positions, after, each

    def _newer(self, attempt: int) -> frozenset[int]:
        """Which attempt may begin where no line tells: one that others tell of, or the next."""
        told = {line[1] for clock in self.pattern.clocks for line in clock}
        most = max(told, default=0) + 1
        return frozenset((min(attempt + 1, most), *(each for each in told if each > attempt)))

    def _line(self, clock: int, positions: tuple[int, ...]) -> Line | None:
        """The next line of a clock, if nothing has been explained before it that is behind it."""
        at = clock, positions[clock]
        if at[1] == len(self.pattern.clocks[clock]):
            return None
        early = any(n == at and m[1] < positions[m[0]] for m, n in self.pattern.later)
        return None if early else self.pattern.clocks[clock][at[1]]

    def _is_of(self, line: Line, attempt: int) -> bool:
        """Whether a line is of the attempt that the task is in."""
        follows = line[0] is Seen.RUNS and line[1] > attempt
        nobodys = line[0] in _POINTS or "task" not in self._names
        return follows or line[1] == attempt or nobodys

    @property
    def _names(self) -> tuple[str, ...]:
        return PARTS[self.pattern.part].names

    def _passes(self, line: Line, values: Values, attempt: int) -> bool:
        """Whether a line tells nothing new of the part."""
        (seen, own, missed), has = line, dict(zip(self._names, values, strict=True))
        if seen in LATE and self.pattern.may_die:
            gone = "task" not in has or has["task"] in NO_MORE
            if own < attempt or (own == attempt and gone) or "task" not in has:
                return True
        if seen is Seen.CALLED:
            return missed or has.get("checkpoint") != _PENDING
        if seen is Seen.BARRIER:  # of which nothing comes: a call has stood for it
            called = any(each[0] is Seen.CALLED for clock in self.pattern.clocks for each in clock)
            return bool(called and has["aligned"])
        if seen is Seen.RESTORED:
            restored = restores(self.given)
            return 1 in (Possible(self.part.known(values)).of(restored) or (1,))
        return seen == OTHER or (
            seen is Seen.ABORTED and has["checkpoint"] not in (_PENDING, _COMPLETED)
        )


def _further(positions: tuple[int, ...], clock: int) -> tuple[int, ...]:
    return (*positions[:clock], positions[clock] + 1, *positions[clock + 1 :])


__all__ = ["EDGES", "Contradiction", "Refuter", "given_of"]
