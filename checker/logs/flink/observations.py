"""Turns the lines of a run of Flink into observations, one list for each clock.

An *observation* is a line that a run of the model has to explain. A line that tells no step of the
model is no observation: for example, what a background thread writes. The module also gathers what
becomes clear only later in the log: who took part in a checkpoint, whose call was missed, from
which checkpoint on a task's data had ended. The search uses this as guidance; the rules decide.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from finale.checker.logs.lines import Observed, observed
from finale.checker.logs.read.failovers import Failover
from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.model.events import Clock
from finale.model.protocols.coordinator.checkpoints import COMPLETED

from .run_job import RunJob

Attempt = tuple[str, int]
"""A task, and which attempt of it."""
LineClock = tuple[Clock, str | None]
"""A clock, and the task that it is of, if the coordinator has no part in it."""


@dataclass(frozen=True)
class Observation:
    """A line to be explained. `place` is where it stands among the lines of its run."""

    place: int
    seen: Observed
    task: str | None
    checkpoint: int | None
    channel: str | None
    event: RunEvent

    @property
    def line(self) -> int:
        return self.event.log_event.line

    @property
    def attempt(self) -> int:
        """Which attempt of its task it is of."""
        return (self.event.task and self.event.task.attempt) or 0

    @property
    def tells_attempt(self) -> bool:
        """Whether the line tells which attempt of a task it is of."""
        return self.event.task is not None and self.event.task.attempt is not None

    @property
    def own(self) -> Attempt:
        """Of whom it is."""
        return self.task or "", self.attempt

    @property
    def kind(self) -> str:
        """Of a trigger: for what."""
        return self.event.log_event.fields.get("kind", "")

    @property
    def why(self) -> str:
        """Of an abort: the reasons, all of them."""
        return " ".join(f"{kind} {text}" for kind, text in self.event.log_event.causes)

    def __str__(self) -> str:
        about = (self.task, self.channel, self.checkpoint)
        told = ", ".join(str(each) for each in about if each is not None)
        return f"{self.seen.facts.text}({told})"


@dataclass
class Observations:
    """The observations of a run, and what they say together."""

    clocks: list[list[Observation]]
    takes_part: dict[int, set[str]]
    """By checkpoint, the tasks that had not finished for all that its plan knew."""
    called: dict[int, set[str]]
    missed: dict[int, list[str]]
    """By checkpoint, the tasks whose call came too late."""
    unwritten: dict[int, list[str]]
    """By checkpoint, the tasks whose part could not be written."""
    completed: set[int]
    taken: dict[Attempt, list[int]]
    """The checkpoints that each took part in, in order."""
    final: dict[Attempt, int] = field(default_factory=dict[Attempt, int])
    """The checkpoint before which the data of each had ended, at the latest."""
    part: dict[Attempt, int] = field(default_factory=dict[Attempt, int])
    """The newest checkpoint that each is known to take part in."""
    until: dict[int, int] = field(default_factory=dict[int, int])
    """By checkpoint, the place of the last line by which it is still pending, or completes."""

    @property
    def number(self) -> int:
        return sum(map(len, self.clocks))

    @property
    def all(self) -> list[Observation]:
        """All of them, in the order of their lines."""
        return sorted((s for clock in self.clocks for s in clock), key=lambda each: each.place)


def observations_of(run: JobRun, job: RunJob) -> Observations:
    """What a run shows."""
    clocks: defaultdict[LineClock, list[Observation]] = defaultdict(list)
    observations = Observations([], defaultdict(set), defaultdict(set), defaultdict(list),
                    defaultdict(list), set(), defaultdict(list))  # fmt: skip
    last_call: dict[str, int] = {}
    standing, ended = list[int](), set[int]()
    for place, event in enumerate(run.events):
        observation = _observation(place, event, run, job)
        if event.word == "trigger-missed" and event.task is not None:
            _miss(observations, event, job.task(event.task), last_call, standing)
        elif event.word == "fail_snapshot" and event.task is not None:
            observations.unwritten[event.log_event.checkpoint or 0].append(job.task(event.task))
        elif event.word == "trigger-overtaken":
            whose = event if event.task is not None else _begun_last(run, place)
            _overtake(observations, whose, job, clocks)
        if observation is None:
            continue
        own = clocks[clock_of(observation.seen, observation.task)]
        if observation.seen is Observed.NOT_BEGUN and own and own[-1].seen is Observed.BEGUN:
            _unbegin(observations, own.pop())
        own.append(observation)
        if observation.seen is Observed.CALLED and observation.task and observation.checkpoint:
            last_call[observation.task] = observation.checkpoint
        if observation.seen.begins_checkpoint and observation.checkpoint:
            standing = [*(each for each in standing if each not in ended), observation.checkpoint]
        elif observation.seen.ends_checkpoint and observation.checkpoint:
            ended.add(observation.checkpoint)
        _gather(observations, observation)
    observations.clocks = [*clocks.values()]
    observations.final = _finals(observations, job, _ended_before(run, job, observations))
    return observations


def _unbegin(observations: Observations, observation: Observation) -> None:
    """A task that begins, and then learns that the checkpoint has been given up, did not."""
    if observation.checkpoint in observations.taken[observation.own]:
        observations.taken[observation.own].remove(observation.checkpoint)


def _overtake(
    observations: Observations,
    whose: RunEvent | None,
    job: RunJob,
    clocks: Mapping[LineClock, list[Observation]],
) -> None:
    """A task begins, and then finds that it has begun a newer one: the older one did not begin."""
    if whose is None or whose.task is None:
        return
    own = clocks.get((Clock.MAILBOX, job.task(whose.task)), [])
    if own and own[-1].seen is Observed.BEGUN and own[-1].checkpoint == whose.log_event.checkpoint:
        _unbegin(observations, own.pop())


def _miss(
    observations: Observations,
    event: RunEvent,
    task: str,
    last_call: dict[str, int],
    standing: list[int],
) -> None:
    """A call comes too late. Where its task is gone, no line tells for which checkpoint it was:
    calls come in order, so for the oldest one that stands and was not called."""
    number = event.log_event.checkpoint
    if number is None and event.log_event.task is not None:
        number = last_call.get(task)
    elif number is None:
        later = [each for each in standing if each > last_call.get(task, 0)]
        number = later[0] if later else None
    if number is not None:
        last_call[task] = number
        observations.missed[number].append(task)
        observations.called[number].add(task)
        observations.takes_part[number].add(task)
        own = task, event.task.attempt or 0 if event.task else 0
        observations.part[own] = max(observations.part.get(own, 0), number)


def _observation(place: int, event: RunEvent, run: JobRun, job: RunJob) -> Observation | None:
    if event.failover is not None and _crashes(event, run.events[:place]):
        return Observation(place, Observed.CRASHED, None, None, None, event)
    told = event.log_event
    seen = observed(event.word, told.fields.get("to", ""))
    task = None if event.task is None else job.task(event.task)
    if seen is Observed.NOT_BEGUN and task is None:
        event = _begun_last(run, place) or event
        task = None if event.task is None else job.task(event.task)
    if seen is None or (task is None and not seen.of_coordinator):
        return None
    if seen in (Observed.CANCELLING, Observed.CANCELED) and not _is_cancelled(run):
        return None  # so the adaptive scheduler calls what it does to restart
    if seen is Observed.RESTORED and any(each.word == "resumed" for each in run.events[:place]):
        resumes = sum(each.word == "restored" for each in run.events[:place])
        if not resumes:
            return None  # what another job has left is not this one's
    first = event.task is not None and not event.task.attempt
    if seen is Observed.RUNS and (first or told.fields["from"] != "INITIALIZING"):
        return None  # the model begins when all run
    channel = None
    if seen is Observed.BARRIER and event.task is not None:
        channel = job.channel(event.task, int(told.fields["gate"]), int(told.fields["channel"]))
    return Observation(place, seen, task, told.checkpoint, channel, event)


def _crashes(event: RunEvent, before: Sequence[RunEvent]) -> bool:
    """Whether a line is the first that tells of a failover: the old coordinator gives the job up,
    or, if its process ends without a word, the new one begins."""
    if event.failover is Failover.BEGINS:
        told = (each.failover for each in reversed(before) if each.failover is not None)
        return next(told, None) is not Failover.SUSPENDED
    return event.failover is Failover.SUSPENDED


def _begun_last(run: JobRun, place: int) -> RunEvent | None:
    """Of whom a line is that follows at once upon a begin, and does not tell it."""
    number = run.events[place].log_event.checkpoint
    begun = (e for e in reversed(run.events[:place]) if e.word == Observed.BEGUN.word)
    return next((e for e in begun if e.log_event.checkpoint == number), None)


def _is_cancelled(run: JobRun) -> bool:
    """Whether somebody cancels the job."""
    phases = [e.log_event.fields.get("to") for e in run.events if e.word == "adaptive-phase"]
    return not phases or "Canceling" in phases


def clock_of(seen: Observed, task: str | None) -> LineClock:
    """Return the clock of a line; a process or a thread of a task has its own."""
    return seen.facts.clock, None if seen.of_coordinator else task


def _gather(observations: Observations, observation: Observation) -> None:
    number, task, seen = observation.checkpoint, observation.task, observation.seen
    if number is None:
        return
    if seen.facts.takes_part:
        observations.part[observation.own] = max(observations.part.get(observation.own, 0), number)
        if task:
            observations.takes_part[number].add(task)
    if seen is Observed.ACKNOWLEDGED or seen.facts.becomes is COMPLETED:
        observations.until[number] = observation.place
    if seen is Observed.CALLED and task:
        observations.called[number].add(task)
    elif seen is Observed.BEGUN and task:
        observations.taken[observation.own].append(number)
    elif seen.facts.becomes is COMPLETED:
        observations.completed.add(number)


def _ended_before(run: JobRun, job: RunJob, observations: Observations) -> dict[Attempt, int]:
    """Of those of whom a line tells that their data have ended, the first checkpoint after it."""
    found: dict[Attempt, int] = {}
    ended: set[Attempt] = set()
    for event in run.events:
        if event.task is None:
            continue
        own = job.task(event.task), event.task.attempt or 0
        number = event.log_event.checkpoint or 0
        if event.word == "loop-left":
            ended.add(own)
        elif (
            event.word == Observed.BEGUN.word and own in ended and number in observations.taken[own]
        ):
            found.setdefault(own, number)
    return found


def _finals(
    observations: Observations, job: RunJob, told: dict[Attempt, int]
) -> dict[Attempt, int]:
    """Before which checkpoint each one's data had ended: before the first one after the line that
    tells it, before the newest that it took of those that it was released by, and before those of
    the tasks behind it. Whoever is cancelled has not been released."""
    final = dict(told)
    cancelled = {
        observation.own for observation in observations.all if observation.seen is Observed.STOPS
    }
    confirmed: dict[Attempt, int] = {}
    for observation in observations.all:
        own = observation.own
        if observation.seen is Observed.CONFIRMED and observation.checkpoint:
            confirmed[own] = max(confirmed.get(own, 0), observation.checkpoint)
        elif observation.seen in (Observed.LEFT, Observed.ENDED) and own not in cancelled:
            taken = [each for each in observations.taken[own] if each <= confirmed.get(own, 0)]
            if taken:
                final[own] = min(max(taken), final.get(own, max(taken)))
    took = {
        (task, number): (task, attempt)
        for (task, attempt), numbers in observations.taken.items()
        for number in numbers
    }
    before: dict[Attempt, int] | None = None
    while before != final:
        before = dict(final)
        for channel in job.job.channels:
            for (task, _), number in before.items():
                writer = took.get((channel.sender.name, number))
                if task == channel.receiver.name and writer is not None:
                    final[writer] = min(final.get(writer, number), number)
    return final
