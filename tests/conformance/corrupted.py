"""Logs of real runs as raw lines, and what can be changed in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Concatenate, ParamSpec

from finale.checker.logs.flink.observations import (
    Observation,
    Observations,
    observations_of,
)
from finale.checker.logs.flink.run_job import RunJob, job_of
from finale.checker.logs.lines import Observed
from finale.checker.logs.read.job_runs import JobRun, runs_of
from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_events import LineTally, events_of_lines
from finale.checker.logs.read.log_files import LogLine, LogShelf, RawLog

Logs = tuple[tuple[bytes, ...], ...]
"""The lines of each log of a cluster."""


def runs_in(logs: Logs) -> list[JobRun]:
    """The runs that some lines tell of."""
    tally = LineTally()
    events = [
        event
        for place, lines in enumerate(logs)
        for event in events_of_lines(
            (LogLine(0, number, raw) for number, raw in enumerate(lines, 1)),
            table("flink-2.3"), tally, place,
        )
    ]  # fmt: skip
    return runs_of(events)[0]


def clusters(archive: str) -> Iterator[tuple[str, Logs]]:
    """The logs of each folder of an archive."""
    with LogShelf() as shelf:
        by_folder: dict[str, list[RawLog]] = {}
        for log in shelf.logs([archive]):
            by_folder.setdefault(log.folder, []).append(log)
        for folder, logs in by_folder.items():
            name = folder.rpartition("!")[2].rpartition("/")[2]
            yield name, tuple(tuple(line.raw for line in shelf.lines(log)) for log in logs)


@dataclass(frozen=True)
class Copy:
    """A corrupted copy. `wrong` is the first line that no run can have: of which log, and which."""

    kind: str
    run: str
    job: str
    what: str
    logs: Callable[[], Logs]
    wrong: tuple[int, int] | None

    def runs(self) -> list[JobRun]:
        return [run for run in runs_in(self.logs()) if run.job == self.job]

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.kind}: {self.run}, job {self.job[-6:]}, {self.what}"


Parts = ParamSpec("Parts")


def _later(
    change: Callable[Concatenate[Original, Parts], Logs],
) -> Callable[Concatenate[Original, Parts], Callable[[], Logs]]:
    """A change that is made when it is wanted: of most that could be, no copy is made."""

    def made(self: Original, /, *args: Parts.args, **named: Parts.kwargs) -> Callable[[], Logs]:
        return partial(change, self, *args, **named)

    return made


class Original:
    """A run as it was, and where it can be corrupted."""

    def __init__(
        self, name: str, logs: Logs, run: JobRun, job: RunJob, *, anywhere: bool = False
    ) -> None:
        self.name, self.logs, self.run, self.job = name, logs, run, job
        self._anywhere = anywhere
        self.observations: Observations = observations_of(run, job)
        readers = {channel.receiver.name for channel in job.job.channels}
        self.sources = {each.name for each in job.job.subtasks} - readers

    @cached_property
    def by_kind(self) -> dict[Observed, list[Observation]]:
        found: dict[Observed, list[Observation]] = {seen: [] for seen in Observed}
        for observation in self.observations.all:
            found[observation.seen].append(observation)
        return found

    def of(self, seen: Observed, task: str | None, number: int | None) -> list[Observation]:
        """Lines of a kind, of one task and checkpoint."""
        both = ((each.task, each.checkpoint) for each in self.by_kind[seen])
        pairs = zip(both, self.by_kind[seen], strict=True)
        return [observation for own, observation in pairs if own == (task, number)]

    def point(self, seen: Observed, number: int | None) -> Observation | None:
        """The line of a checkpoint, if there is just one."""
        found = [each for each in self.by_kind[seen] if each.checkpoint == number]
        return found[0] if len(found) == 1 else None

    @cached_property
    def calm(self) -> set[str]:
        """The tasks of a job that has finished; none where an attempt fails, or a user asks.

        There it is told less exactly what a part may be. All, if copies are made `anywhere`.
        """
        if self._anywhere:
            return {each.name for each in self.job.job.subtasks}
        ends = {e.log_event.fields["to"] for e in self.run.events if e.word == "job-switched"}
        words = {event.word for event in self.run.events}
        restless = (
            Observed.STOPS,
            Observed.LOST,
            Observed.RUNS,
            Observed.RESTORED,
            Observed.CANCELLING,
        )
        asked = words & {"request_stop", "request_savepoint"}
        if any(self.by_kind[seen] for seen in restless) or asked:
            return set()
        ended = {each.task for each in self.by_kind[Observed.LEARNED]}
        return {each for each in ended if each} if "FINISHED" in ends else set()

    def anywhere(self) -> Original:
        """The same, to be corrupted also where attempts fail and users ask for something."""
        return Original(self.name, self.logs, self.run, self.job, anywhere=True)

    @property
    def overtakes(self) -> bool:
        """Whether barriers overtake: then a task goes on with a checkpoint that it has begun."""
        return any(each.log_event.fields.get("unaligned") == "true" for each in self.run.events)

    def late(self, task: str | None, trigger: Observation | None) -> bool:
        """Whether it is learned behind a trigger that a task has finished, if ever."""
        learned = [each for each in self.by_kind[Observed.LEARNED] if each.task == task]
        return trigger is not None and all(each.place > trigger.place for each in learned)

    def copy(
        self,
        kind: str,
        observation: Observation,
        logs: Callable[[], Logs],
        wrong: tuple[int, int] | None,
    ) -> Copy:
        return Copy(
            kind, self.name, self.run.job, f"{observation}, line {observation.line}", logs, wrong
        )

    # --- changes of lines ------------------------------------------------------------------------

    def text(self, observation: Observation) -> bytes:
        return self.logs[log_of(observation)][observation.line - 1]

    def changed(self, log: int, lines: Sequence[bytes]) -> Logs:
        return (*self.logs[:log], tuple(lines), *self.logs[log + 1 :])

    @_later
    def without(self, *observations: Observation) -> Logs:
        log, gone = log_of(observations[0]), {each.line for each in observations}
        lines = enumerate(self.logs[log], 1)
        return self.changed(log, [raw for number, raw in lines if number not in gone])

    @_later
    def inserted(self, log: int, behind: int, raw: bytes) -> Logs:
        lines = self.logs[log]
        return self.changed(log, [*lines[:behind], raw, *lines[behind:]])

    @_later
    def moved(self, observation: Observation, behind: int) -> Logs:
        """A line behind another one instead."""
        log, lines = log_of(observation), list(self.logs[log_of(observation)])
        raw = lines.pop(observation.line - 1)
        at = behind if behind < observation.line else behind - 1
        return self.changed(log, [*lines[:at], raw, *lines[at:]])

    @_later
    def instead(self, observation: Observation, pattern: bytes, text: bytes) -> Logs:
        log, lines = log_of(observation), list(self.logs[log_of(observation)])
        raw = re.sub(pattern, text, lines[observation.line - 1], count=1)
        assert raw != lines[observation.line - 1], f"{pattern!r} is not in {raw!r}"
        lines[observation.line - 1] = raw
        return self.changed(log, lines)


def log_of(observation: Observation) -> int:
    return observation.event.log_event.log


def at_line(observation: Observation, change: int = 0) -> tuple[int, int]:
    return log_of(observation), observation.line + change


def same_log(*observations: Observation) -> bool:
    return len({log_of(each) for each in observations}) == 1


def originals(clusters: Iterator[tuple[str, Logs]]) -> Iterator[Original]:
    """All runs that can be corrupted."""
    for name, logs in clusters:
        for run in runs_in(logs):
            job = job_of(run)
            if job is not None and not run.ambiguous:
                yield Original(name, logs, run, job)
