"""What a run's lines say of steps, clock by clock, and what the whole of them says of each step.

A *sight* is a line that a run of the model has to explain. Lines that tell nothing of a step of the
model, as of what is written in the background, are none. What only becomes clear later in a log is
gathered here, too: who took part in a checkpoint, whose call was missed, from which checkpoint on
a task's data had ended. The search goes by it; the rules decide.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from checker.logs.read.runs import Run, RunEvent

from .job import RunJob


class Seen(enum.Enum):
    """What a line shows."""

    TRIGGERED = "triggered"
    ACKNOWLEDGED = "apply_acknowledgement"
    COMPLETED = "completed"
    ABORTED = "aborted"
    CALLED = "trigger-arrived"
    BARRIER = "barrier-received"
    CANCEL = "cancel-received"
    BEGUN = "snapshot-begins"
    NOT_BEGUN = "trigger-after-abort"
    CONFIRMED = "notified-complete"
    GIVEN_UP = "notified-abort"
    LEFT = "operators-left"
    RUNS = "task runs"
    ENDED = "task has finished"
    STOPS = "task has failed"
    LEARNED = "finish learned"
    LOST = "failure learned"
    RESTORED = "restored"
    CANCELLING = "cancellation"
    CANCELED = "canceled"


#: Those of the coordinator's lock; of its main thread; of calls. The rest are of main loops.
LOCK = (Seen.TRIGGERED, Seen.ACKNOWLEDGED, Seen.COMPLETED, Seen.ABORTED)
JOB = (Seen.LEARNED, Seen.LOST, Seen.RESTORED, Seen.CANCELLING, Seen.CANCELED)
_CALLS = (Seen.CALLED,)
LOOP = tuple(seen for seen in Seen if seen not in (*LOCK, *JOB, *_CALLS))
#: What an attempt is told after the failure that ends it, in the model at once, does nothing.
LATE = (Seen.CONFIRMED, Seen.GIVEN_UP, Seen.CALLED, Seen.LEFT, Seen.CANCEL, Seen.NOT_BEGUN,
        Seen.STOPS, Seen.LOST)  # fmt: skip
_BY_WORD = {seen.value: seen for seen in Seen}
_BY_STATE = {
    ("task-switched", "RUNNING"): Seen.RUNS,
    ("task-switched", "FINISHED"): Seen.ENDED,
    ("task-switched", "FAILED"): Seen.STOPS,
    ("task-switched", "CANCELED"): Seen.STOPS,
    ("task-learned", "FINISHED"): Seen.LEARNED,
    ("task-learned", "FAILED"): Seen.LOST,
    ("task-learned", "CANCELED"): Seen.LOST,
    ("job-switched", "CANCELLING"): Seen.CANCELLING,
    ("job-switched", "CANCELED"): Seen.CANCELED,
}
Attempt = tuple[str, int]
"""A task, and which attempt of it."""


@dataclass(frozen=True)
class Sight:
    """A line to be explained. `place` is where it stands among the lines of its run."""

    place: int
    seen: Seen
    task: str | None
    checkpoint: int | None
    channel: str | None
    event: RunEvent

    @property
    def line(self) -> int:
        return self.event.told.line

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
        return self.event.told.fields.get("kind", "")

    @property
    def why(self) -> str:
        """Of an abort: the reasons, all of them."""
        return " ".join(f"{kind} {text}" for kind, text in self.event.told.causes)

    def __str__(self) -> str:
        about = (self.task, self.channel, self.checkpoint)
        told = ", ".join(str(each) for each in about if each is not None)
        return f"{self.seen.value}({told})"


@dataclass
class Sights:
    """The sights of a run, and what they say together."""

    clocks: list[list[Sight]]
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
    def all(self) -> list[Sight]:
        """All of them, in the order of their lines."""
        return sorted((s for clock in self.clocks for s in clock), key=lambda each: each.place)


def sights_of(run: Run, job: RunJob) -> Sights:
    """What a run shows."""
    clocks: defaultdict[tuple[str, str | None], list[Sight]] = defaultdict(list)
    sights = Sights([], defaultdict(set), defaultdict(set), defaultdict(list),
                    defaultdict(list), set(), defaultdict(list))  # fmt: skip
    last_call: dict[str, int] = {}
    standing, ended = list[int](), set[int]()
    for place, event in enumerate(run.events):
        sight = _sight(place, event, run, job)
        if event.word == "trigger-missed" and event.task is not None:
            _miss(sights, event, job.task(event.task), last_call, standing)
        elif event.word == "fail_snapshot" and event.task is not None:
            sights.unwritten[event.told.checkpoint or 0].append(job.task(event.task))
        elif event.word == "trigger-overtaken":
            whose = event if event.task is not None else _begun_last(run, place)
            _overtake(sights, whose, job, clocks)
        if sight is None:
            continue
        clock = _clock(sight)
        own = clocks[clock, sight.task if clock in ("loop", "calls") else None]
        if sight.seen is Seen.NOT_BEGUN and own and own[-1].seen is Seen.BEGUN:
            _unbegin(sights, own.pop())
        own.append(sight)
        if sight.seen is Seen.CALLED and sight.task and sight.checkpoint:
            last_call[sight.task] = sight.checkpoint
        if sight.seen is Seen.TRIGGERED and sight.checkpoint:
            standing = [*(each for each in standing if each not in ended), sight.checkpoint]
        elif sight.seen in (Seen.ABORTED, Seen.COMPLETED) and sight.checkpoint:
            ended.add(sight.checkpoint)
        _gather(sights, sight)
    sights.clocks = [*clocks.values()]
    sights.final = _finals(sights, job, _ended_before(run, job, sights))
    return sights


def _unbegin(sights: Sights, sight: Sight) -> None:
    """A task that begins, and then learns that the checkpoint has been given up, did not."""
    if sight.checkpoint in sights.taken[sight.own]:
        sights.taken[sight.own].remove(sight.checkpoint)


def _overtake(
    sights: Sights,
    whose: RunEvent | None,
    job: RunJob,
    clocks: Mapping[tuple[str, str | None], list[Sight]],
) -> None:
    """A task begins, and then finds that it has begun a newer one: the older one did not begin."""
    if whose is None or whose.task is None:
        return
    own = clocks.get(("loop", job.task(whose.task)), [])
    if own and own[-1].seen is Seen.BEGUN and own[-1].checkpoint == whose.told.checkpoint:
        _unbegin(sights, own.pop())


def _miss(
    sights: Sights, event: RunEvent, task: str, last_call: dict[str, int], standing: list[int]
) -> None:
    """A call comes too late. Where its task is gone, no line tells for which checkpoint it was:
    calls come in order, so for the oldest one that stands and was not called."""
    number = event.told.checkpoint
    if number is None and event.told.task is not None:
        number = last_call.get(task)
    elif number is None:
        later = [each for each in standing if each > last_call.get(task, 0)]
        number = later[0] if later else None
    if number is not None:
        last_call[task] = number
        sights.missed[number].append(task)
        sights.called[number].add(task)
        sights.takes_part[number].add(task)
        own = task, event.task.attempt or 0 if event.task else 0
        sights.part[own] = max(sights.part.get(own, 0), number)


def _sight(place: int, event: RunEvent, run: Run, job: RunJob) -> Sight | None:
    told = event.told
    seen = _BY_STATE.get((event.word, told.fields.get("to", ""))) or _BY_WORD.get(event.word)
    task = None if event.task is None else job.task(event.task)
    if seen is Seen.NOT_BEGUN and task is None:
        event = _begun_last(run, place) or event
        task = None if event.task is None else job.task(event.task)
    if seen is None or (task is None and seen not in (*LOCK, *JOB)):
        return None
    if seen in (Seen.CANCELLING, Seen.CANCELED) and not _is_cancelled(run):
        return None  # so the adaptive scheduler calls what it does to restart
    if seen is Seen.RESTORED and any(each.word == "resumed" for each in run.events[:place]):
        resumes = sum(each.word == "restored" for each in run.events[:place])
        if not resumes:
            return None  # what another job has left is not this one's
    first = event.task is not None and not event.task.attempt
    if seen is Seen.RUNS and (first or told.fields["from"] != "INITIALIZING"):
        return None  # the model begins when all run
    channel = None
    if seen is Seen.BARRIER and event.task is not None:
        channel = job.channel(event.task, int(told.fields["gate"]), int(told.fields["channel"]))
    return Sight(place, seen, task, told.checkpoint, channel, event)


def _begun_last(run: Run, place: int) -> RunEvent | None:
    """Of whom a line is that follows at once upon a begin, and does not tell it."""
    number = run.events[place].told.checkpoint
    begun = (e for e in reversed(run.events[:place]) if e.word == Seen.BEGUN.value)
    return next((e for e in begun if e.told.checkpoint == number), None)


def _is_cancelled(run: Run) -> bool:
    """Whether somebody cancels the job."""
    phases = [e.told.fields.get("to") for e in run.events if e.word == "adaptive-phase"]
    return not phases or "Canceling" in phases


def _clock(sight: Sight) -> str:
    if sight.seen in LOCK:
        return "lock"
    if sight.seen in JOB:
        return "job"
    return "calls" if sight.seen in _CALLS else "loop"


def _gather(sights: Sights, sight: Sight) -> None:
    number, task = sight.checkpoint, sight.task
    if number is None:
        return
    if sight.seen in (Seen.ACKNOWLEDGED, Seen.BARRIER, Seen.BEGUN, Seen.CALLED):
        sights.part[sight.own] = max(sights.part.get(sight.own, 0), number)
    if sight.seen in (Seen.ACKNOWLEDGED, Seen.COMPLETED):
        sights.until[number] = sight.place
    match sight.seen:
        case Seen.CALLED if task:
            sights.called[number].add(task)
            sights.takes_part[number].add(task)
        case Seen.ACKNOWLEDGED | Seen.BARRIER if task:
            sights.takes_part[number].add(task)
        case Seen.BEGUN if task:
            sights.takes_part[number].add(task)
            sights.taken[sight.own].append(number)
        case Seen.COMPLETED:
            sights.completed.add(number)
        case _:
            pass


def _ended_before(run: Run, job: RunJob, sights: Sights) -> dict[Attempt, int]:
    """Of those of whom a line tells that their data have ended, the first checkpoint after it."""
    found: dict[Attempt, int] = {}
    ended: set[Attempt] = set()
    for event in run.events:
        if event.task is None:
            continue
        own = job.task(event.task), event.task.attempt or 0
        number = event.told.checkpoint or 0
        if event.word == "loop-left":
            ended.add(own)
        elif event.word == Seen.BEGUN.value and own in ended and number in sights.taken[own]:
            found.setdefault(own, number)
    return found


def _finals(sights: Sights, job: RunJob, told: dict[Attempt, int]) -> dict[Attempt, int]:
    """Before which checkpoint each one's data had ended: before the first one after the line that
    tells it, before the newest that it took of those that it was released by, and before those of
    the tasks behind it. Whoever is cancelled has not been released."""
    final = dict(told)
    cancelled = {sight.own for sight in sights.all if sight.seen is Seen.STOPS}
    confirmed: dict[Attempt, int] = {}
    for sight in sights.all:
        own = sight.own
        if sight.seen is Seen.CONFIRMED and sight.checkpoint:
            confirmed[own] = max(confirmed.get(own, 0), sight.checkpoint)
        elif sight.seen in (Seen.LEFT, Seen.ENDED) and own not in cancelled:
            taken = [each for each in sights.taken[own] if each <= confirmed.get(own, 0)]
            if taken:
                final[own] = min(max(taken), final.get(own, max(taken)))
    took = {(task, number): (task, attempt) for (task, attempt), numbers in sights.taken.items()
            for number in numbers}  # fmt: skip
    before: dict[Attempt, int] | None = None
    while before != final:
        before = dict(final)
        for channel in job.job.channels:
            for (task, _), number in before.items():
                writer = took.get((channel.sender.name, number))
                if task == channel.receiver.name and writer is not None:
                    final[writer] = min(final.get(writer, number), number)
    return final


__all__ = ["JOB", "LATE", "LOCK", "LOOP", "Attempt", "Seen", "Sight", "Sights", "sights_of"]
