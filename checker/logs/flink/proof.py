"""Proves that no run of the protocol has the lines of a log.

The proof looks at a projection: a task with a checkpoint, or a task alone (`flink_projections.py`).
It tries the lines of the projection in every order that their clocks allow, by the steps of the
rules. Steps that leave no line can happen at any time. If no order reaches the last line, no run
has these lines: the whole system can do no more than the projection. Every line must be explained,
except a line of an ended attempt or a repetition.

Lines of different clocks have no order, except the pairs of `CAUSES` (`checker/logs/lines.py`): if
both lines are in one log, the line of the cause is written before the line of the effect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from finale.checker.logs.event_log.progress import OverTime, SearchEffort
from finale.checker.logs.lines import CAUSES, SNAPSHOTS, Observed
from finale.checker.logs.read.job_runs import JobRun
from finale.model.events import Clock

from .always_logged import always_shown, dying, has_finished
from .flink_projections import OTHER, PARTS, POINTS, ProofSetting, projection_of
from .observations import Observation, Observations
from .projection import Projection, Values
from .projection_search import At, DeadEnd, Life, Line, ProjectionLines, explored
from .run_job import RunJob

#: Where barriers stay in their order.
_ALIGNED = "stop-with-savepoint"


@dataclass(frozen=True)
class Contradiction:
    """A line that no run explains: of what, and what that may be before it."""

    observation: Observation
    part: Projection
    name: str
    stands: str
    """The task of the part that stands for the log's."""
    task: str
    checkpoint: int | None
    states: frozenset[Values]


def given_of(
    protocol: str, options: Mapping[str, object], run: JobRun, observations: Observations
) -> ProofSetting:
    """What the parts' system is built of. Of what a bound counts one stands for any number."""
    seen = {observation.seen for observation in observations.all}
    crashes = Observed.CRASHED in seen
    fails = crashes or any(kind.facts.fails or kind.facts.begins_attempt for kind in seen)
    kinds = {each.kind for each in observations.all if each.seen.begins_checkpoint}
    asked = {event.word for event in run.events}
    asked |= {SNAPSHOTS[kind].request for kind in kinds if kind in SNAPSHOTS}
    bounds = {
        "failures": fails or not has_finished(run),
        "crashes": crashes,
        "stops": "request_stop" in asked,
        "savepoints": "request_savepoint" in asked,
        "cancels": Observed.CANCELLING in seen,
        **dict.fromkeys(
            ("declines", "expiries", "manual", "lost_confirmations", "time_outs"), True
        ),
    }
    most = {"concurrent": min(int(str(options["concurrent"])), POINTS)}
    return ProofSetting(
        protocol,
        tuple(sorted({**options, **most}.items())),
        tuple((name, int(is_there)) for name, is_there in bounds.items()),
    )


class Refuter:
    """Looks for a part that cannot do what the lines of a run tell of it."""

    def __init__(
        self,
        given: ProofSetting,
        run: JobRun,
        job: RunJob,
        observations: Observations,
        effort: SearchEffort,
    ) -> None:
        self.given, self.observations, self.effort = given, observations, effort
        self._tasks = [subtask.name for subtask in job.job.subtasks]
        self._inputs = {name: _inputs(job, name) for name in self._tasks}
        self._sources = {name for name in self._tasks if not self._inputs[name]}
        bounds = dict(given.bounds)
        fails = bounds["failures"] or bounds["stops"]
        self._aligns = given.protocol == _ALIGNED and not fails
        """Barriers stay in their order, and no attempt is given up, which would need a close look.
        """
        self._resumed = any(event.word == "resumed" for event in run.events)
        self._shown = always_shown(run, job, observations)
        self._dying = dying(run, job, observations)
        self._found: dict[ProjectionLines, DeadEnd | None] = {}
        self._before: float = inf
        """Only lines before this place need an explanation: the line at it has none."""
        self._alive = _alive(observations)
        self._missed = {(t, c) for c, tasks in observations.missed.items() for t in tasks}

    def contradiction(self) -> Contradiction | None:
        """Return the first line of those that some part cannot explain.

        If the time is over, return the first one so far; raises `OverTime` if there is none.
        """
        found: Contradiction | None = None
        self._before = inf
        try:
            for each in self._each():
                found, self._before = each, each.observation.place
        except OverTime:
            if found is None:
                raise
        return found

    def _each(self) -> Iterator[Contradiction]:
        crashes = [each for each in self.observations.all if each.seen is Observed.CRASHED]
        of_point: defaultdict[int, list[Observation]] = defaultdict(lambda: [*crashes])
        of_task: defaultdict[str, list[Observation]] = defaultdict(list)
        for observation in self.observations.all:
            if observation.task is not None:
                of_task[observation.task].append(observation)
            elif observation.checkpoint is not None:
                of_point[observation.checkpoint].append(observation)
        for number, about in of_point.items():
            yield from self._restarts(number, about)
        for task in self._tasks:
            yield from self._asked("life", task, None, [*crashes, *of_task[task]])
            of_both: defaultdict[int | None, list[Observation]] = defaultdict(list)
            for observation in of_task[task]:
                of_both[observation.checkpoint].append(observation)
            aborts = [each for each in of_task[task] if each.seen is Observed.GIVEN_UP]
            for number in sorted({*of_point, *(each for each in of_both if each is not None)}):
                own = [*of_point[number], *of_both[number]]
                others = [each for each in aborts if each.checkpoint != number]
                yield from self._asked("call", task, number, [*own, *of_both[None]])
                yield from self._asked("acknowledgement", task, number, [*own, *of_both[None]])
                yield from self._asked("notice", task, number, [*own, *others])
                if Observed.BEGUN in {each.seen for each in of_both[number]}:
                    yield from self._barriers(task, number, [*of_both[number], *of_both[None]])

    def _barriers(
        self, task: str, number: int, about: Sequence[Observation]
    ) -> Iterator[Contradiction]:
        """Of each input of a task that begins a checkpoint. Whoever writes to it and has begun that
        has put its barrier there, and what ends the input comes behind it."""
        for channel, sender in self._inputs[task] if self._aligns else ():
            begins = (Observed.BEGUN, sender, number)
            begun = any((s.seen, s.task, s.checkpoint) == begins for s in self.observations.all)
            own = [each for each in about if each.channel in (None, channel)]
            yield from self._asked("barrier", task, number, own, may_end=not begun)

    def _restarts(self, number: int, about: Sequence[Observation]) -> Iterator[Contradiction]:
        """Of a checkpoint from which tasks are restored. It may be that of another job."""
        kinds = {each.seen for each in about}
        known = any(kind.begins_checkpoint for kind in kinds) or not self._resumed
        ends = (Observed.LOST, Observed.CRASHED)
        fails = any(observation.seen in ends for observation in self.observations.all)
        if known and fails and Observed.RESTORED in kinds:
            yield from self._asked("restart", self._tasks[0], number, about)

    def _asked(
        self,
        name: str,
        task: str,
        number: int | None,
        about: Iterable[Observation],
        *,
        may_end: bool = True,
    ) -> Iterator[Contradiction]:
        shown = self._shown[task] & PARTS[name].shows
        lines = sorted((s for s in about if s.seen in shown), key=lambda each: each.place)
        clocks = _by_clock(lines)
        pattern = ProjectionLines(
            name,
            task in self._sources,
            task in self._dying,
            self._lives(task, clocks),
            may_end,
            shown,
            tuple(tuple(self._line(s, number) for s in clock) for clock in clocks),
            _in_order(clocks),
            sum(each.place < self._before for each in lines),
            frozenset(_later(clocks)),
        )
        if pattern not in self._found:
            self._found[pattern] = explored(self.given, pattern, self.effort)
        dead = self._found[pattern]
        if dead is not None:
            clock, place = dead.at
            part = projection_of(self.given, name, dead.task)
            yield Contradiction(
                clocks[clock][place], part, name, dead.task, task, number, dead.states
            )

    def _lives(self, task: str, clocks: Sequence[Sequence[Observation]]) -> tuple[Life, ...]:
        """An attempt that begins a checkpoint is alive when that checkpoint is triggered.

        What it begins is a line of its main loop, and the trigger one of the coordinator's lock.
        """
        found: list[Life] = []
        for attempt, (begun, triggered) in self._alive[task].items() if task in self._dying else ():
            last = {Clock.CHECKPOINTS: triggered, Clock.MAILBOX: begun}
            ends = [
                (n, last[clock[0].seen.facts.clock])
                for n, clock in enumerate(clocks)
                if clock[0].seen.facts.clock in last
            ]
            lines = ((n, sum(each.place <= end for each in clocks[n])) for n, end in ends)
            found.append((attempt, tuple(each for each in lines if each[1])))
        return tuple(found)

    def _line(self, observation: Observation, number: int | None) -> Line:
        other = observation.seen is Observed.GIVEN_UP and observation.checkpoint != number
        missed = (observation.task or "", observation.checkpoint or 0) in self._missed
        return OTHER if other else observation.seen, observation.attempt, missed


def _alive(observations: Observations) -> Mapping[str, dict[int, tuple[int, int]]]:
    """By task and attempt, where the newest checkpoint that it begins is begun and triggered."""
    triggered: dict[int | None, int] = {}
    found: defaultdict[str, dict[int, tuple[int, int]]] = defaultdict(dict)
    for observation in observations.all:
        if observation.seen.begins_checkpoint:
            triggered[observation.checkpoint] = observation.place
        elif observation.seen is Observed.BEGUN and observation.task is not None:
            found[observation.task][observation.attempt] = (
                observation.place,
                triggered.get(observation.checkpoint, -1),
            )
    return found


def _inputs(job: RunJob, task: str) -> list[tuple[str, str]]:
    """The channels that a task reads, and who writes to each."""
    own = (each for each in job.job.channels if each.receiver.name == task)
    return [(each.name, each.sender.name) for each in own]


def _by_clock(lines: Sequence[Observation]) -> list[list[Observation]]:
    """Lines by their clocks: the coordinator's lock, its main thread, calls, the main loop."""
    by_clock = {clock: [s for s in lines if s.seen.facts.clock is clock] for clock in Clock}
    return [own for own in by_clock.values() if own]


def _in_order(clocks: Sequence[Sequence[Observation]]) -> tuple[At, ...]:
    places = {s.place: (n, m) for n, clock in enumerate(clocks) for m, s in enumerate(clock)}
    return tuple(places[each] for each in sorted(places))


def _later(clocks: Sequence[Sequence[Observation]]) -> Iterator[tuple[At, At]]:
    all_ = [(s, (n, m)) for n, clock in enumerate(clocks) for m, s in enumerate(clock)]
    for first, one in all_:
        for then, other in all_:
            is_one_log = first.event.log_event.log == then.event.log_event.log
            if (first.seen, then.seen) in CAUSES and is_one_log and then.place < first.place:
                yield one, other
