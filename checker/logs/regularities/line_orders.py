"""What the order of lines can contradict, by the shape of the sentence.

Each shape finds in slices of a run the lines that break it. `assumptions.py` says which sentences
the rules assume. A line can be missing for another reason than that its step was not taken;
`KnownLogs` says where it cannot.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from finale.checker.logs.lines import ENDED_OTHERWISE, OF_CHECKPOINTS, STOPS
from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.checker.logs.read.log_events import LinePlace

from .line_classes import Scope, is_source, slice_of

Slices = dict[Hashable, dict[str, list[RunEvent]]]
"""By slice and word the events, in their order."""
#: As a task writes the kind of a snapshot.
_KIND = re.compile(r"(?P<class>\w+)\{name='(?P<name>[^']*)'")


@dataclass(frozen=True)
class KnownLogs:
    """Which lines cannot be missing in the logs of a run."""

    run: JobRun
    begins: bool
    """The logs have the beginning of the run."""
    gaps: Sequence[LinePlace]
    """Where lines are missing."""
    deployed: Mapping[Hashable, int]
    """The attempts whose process has a log, from their beginning on, and that log."""
    over: frozenset[Hashable]
    """The attempts whose process tells their end."""
    coordinates: frozenset[int]
    """The logs that the coordinator writes."""
    is_one_coordinator: bool
    """No other process has taken the job over."""
    brought: frozenset[int | None]
    """The checkpoints of another job from which the job has started."""

    def have(self, cause: str, effect: RunEvent) -> bool:
        """Whether a cause of the effect would have left its line."""
        if cause in OF_CHECKPOINTS:  # all other causes are lines of the process of a task
            is_there = self.run.ends or effect.log_event.log in self.coordinates
        else:
            is_there = self._reaches(effect)
        return self.begins and is_there and not self._lacks_some_before(effect.log_event.place)

    def _lacks_some_before(self, place: LinePlace) -> bool:
        """Whether a gap may be before a line: if it is not behind the line in the same file."""
        return any(gap[0] != place[0] or gap <= place for gap in self.gaps)

    def _reaches(self, effect: RunEvent) -> bool:
        """Whether the log of the process of an attempt goes on beyond the causes of an effect."""
        attempt, place = slice_of(effect, Scope.ATTEMPT), effect.log_event.place
        log = self.deployed.get(attempt)
        if log is None:
            return False
        return attempt in self.over or log == place[0] or self.run.goes_on(log, place)

    def can_precede(self, one: RunEvent, two: RunEvent) -> bool:
        """Whether a line can stand for what came before another: nothing orders them otherwise."""
        return one is not two and not self.precedes(two, one)

    def precedes(self, one: RunEvent, two: RunEvent) -> bool:
        """Whether a line comes before another one for certain."""
        return self.run.precedes(one.log_event.place, two.log_event.place)


@dataclass(frozen=True)
class Once:
    """In each slice there is at most one line of the word."""

    word: str

    def broken(self, slices: Slices, logs: KnownLogs) -> Iterator[tuple[RunEvent, RunEvent]]:
        """The lines that come again, each with the line before it."""
        for words in slices.values():
            events = words.get(self.word, ())
            yield from ((again, first) for first, again in pairwise(events))

    @property
    def words(self) -> tuple[str, ...]:
        return (self.word,)


@dataclass(frozen=True)
class After:
    """In each slice a line of the effect has a line of the cause before it."""

    cause: str
    effect: str
    of_coordinator: bool = False
    """The coordinators of two processes have no common order, also where they write into one file.
    The cause of a checkpoint that the job has brought with it is in the log of another job."""

    def broken(self, slices: Slices, logs: KnownLogs) -> Iterator[tuple[RunEvent, RunEvent | None]]:
        """The first effects without a cause, each with the cause that comes later.

        If nothing orders the lines of two files, a cause must merely exist.
        """
        for words in slices.values():
            causes = words.get(self.cause, [])
            for effect in words.get(self.effect, [])[:1]:
                if any(logs.can_precede(each, effect) for each in causes):
                    continue
                if self._has_line(causes, effect, logs):
                    yield effect, causes[0] if causes else None

    def _has_line(self, causes: Sequence[RunEvent], effect: RunEvent, logs: KnownLogs) -> bool:
        """Whether the cause of an effect would have a line in these logs."""
        is_told = logs.have(self.cause, effect)
        if not self.of_coordinator:
            return is_told
        is_own = logs.is_one_coordinator and effect.log_event.checkpoint not in logs.brought
        return is_own and (bool(causes) or is_told)

    @property
    def words(self) -> tuple[str, ...]:
        return (self.cause, self.effect)


@dataclass(frozen=True)
class Never:
    """In each slice no line of the word comes behind a line of the end."""

    end: str
    word: str

    def broken(self, slices: Slices, logs: KnownLogs) -> Iterator[tuple[RunEvent, RunEvent]]:
        """The first line behind each end."""
        for words in slices.values():
            for end in words.get(self.end, [])[:1]:
                later = (each for each in words.get(self.word, ()) if logs.precedes(end, each))
                yield from ((each, end) for each in [*later][:1])

    @property
    def words(self) -> tuple[str, ...]:
        return (self.end, self.word)


@dataclass(frozen=True)
class Rising:
    """In each slice the numbers of checkpoints in lines of the word rise."""

    word: str

    def broken(self, slices: Slices, logs: KnownLogs) -> Iterator[tuple[RunEvent, RunEvent]]:
        """The lines with a number that is not above all before it, each with the highest one."""
        for words in slices.values():
            highest: RunEvent | None = None
            for event in words.get(self.word, ()):
                if highest is None or _number_of(event) > _number_of(highest):
                    highest = event
                elif logs.precedes(highest, event):
                    yield event, highest

    @property
    def words(self) -> tuple[str, ...]:
        return (self.word,)


@dataclass(frozen=True)
class Alike:
    """In each slice the lines of the effect tell the kind of snapshot that the cause tells."""

    cause: str
    effect: str

    def broken(self, slices: Slices, logs: KnownLogs) -> Iterator[tuple[RunEvent, RunEvent]]:
        """The first line of another kind, with the line of the cause."""
        for words in slices.values():
            causes = words.get(self.cause, ())[:1]
            for cause in causes:
                others = (e for e in words.get(self.effect, ()) if _differ_in_kind(cause, e))
                yield from ((each, cause) for each in [*others][:1])

    @property
    def words(self) -> tuple[str, ...]:
        return (self.cause, self.effect)


def _differ_in_kind(triggered: RunEvent, begun: RunEvent) -> bool:
    """Whether a task begins another kind of snapshot than the coordinator has triggered.

    A full checkpoint is a checkpoint to the coordinator.
    """
    told, heard = triggered.log_event.fields, _KIND.match(begun.log_event.fields["kind"])
    if heard is None or told["class"] == heard["class"] == "CheckpointType":
        return False
    return (told["class"], told["kind"]) != (heard["class"], heard["name"])


@dataclass(frozen=True)
class Released:
    """In each slice, a task that must wait leaves after it has heard of a completion that can
    release it.

    A task says that it waits for its final checkpoint. It waits for the savepoint of a stop, too,
    if it begins the savepoint in its main loop.
    """

    def broken(self, slices: Slices, logs: KnownLogs) -> Iterator[tuple[RunEvent, None]]:
        """The lines by which a task leaves that no completion has released."""
        # A process in which no task hears of a completion may have another level for these lines.
        hear = {
            heard.log_event.log
            for words in slices.values()
            for heard in words.get("notified-complete", ())
        }
        for words in slices.values():
            events = sorted(
                (each for word in self.words for each in words.get(word, ())),
                key=lambda each: each.log_event.place,
            )
            files = {each.log_event.log for each in events}
            if len(files) != 1 or not files <= hear:
                continue  # lines of two files have no order
            left = _left_unreleased(events)
            if left is not None and logs.have("notified-complete", left):
                yield left, None

    @property
    def words(self) -> tuple[str, ...]:
        return (
            "loop-left",
            "waits",
            "snapshot-begins",
            "notified-complete",
            "operators-left",
            "task-switched",
        )


def _left_unreleased(events: Sequence[RunEvent]) -> RunEvent | None:
    """The line by which an attempt leaves, if it must wait and nothing can have released it.

    A task that has begun the savepoint of a stop heeds the completion of no other checkpoint. A
    source that begins a checkpoint behind its main loop has not been released in the loop. Of all
    others each completion may be that of the final checkpoint: no line tells when data end.
    """
    at_source = any(each.task is not None and is_source(each.task) for each in events)
    in_loop, waits, released, early, begins_behind = True, False, False, False, False
    stop: int | None = None
    for event in events:
        told = event.log_event
        match event.word:
            case "loop-left":
                in_loop = False
            case "waits":
                waits = True
            case "snapshot-begins":
                begins_behind |= not in_loop
                if _is_of_stop(told.fields["kind"]):
                    stop, waits = _number_of(event), waits or in_loop
            case "notified-complete" if stop is None and at_source and in_loop:
                early = True
            case "notified-complete":
                released |= stop in (None, _number_of(event))
            case "operators-left":
                released |= early and not begins_behind and stop is None
                return event if waits and not released else None
            case "task-switched" if told.fields["to"] in ENDED_OTHERWISE:
                return None
            case _:
                pass
    return None


def _is_of_stop(kind: str) -> bool:
    heard = _KIND.match(kind)
    return heard is not None and heard["name"] in STOPS


LineOrder = Once | After | Never | Rising | Alike | Released


def is_one_coordinator(run: JobRun) -> bool:
    """Whether one process coordinates the job. The coordinators of two have no common order, also
    where they write into one file."""
    graphs = sum(event.word == "graph-created" for event in run.events)
    suspended = any(
        event.word == "job-switched" and event.log_event.fields["to"] == "SUSPENDED"
        for event in run.events
    )
    return graphs <= 1 and not suspended and all(event.failover is None for event in run.events)


def _number_of(event: RunEvent) -> int:
    """The checkpoint that a line names; -1 if it names none."""
    number = event.log_event.checkpoint
    return -1 if number is None else number
