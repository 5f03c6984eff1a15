"""Groups events into runs: finds the job and the task of each event.

The logs of one cluster are read together: the JobManager and the TaskManagers can have files of
their own, and one file can have events of several jobs. Lines of one file keep their order. The
lines of different files are merged by their times: that helps a reader, and claims no order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from .log_events import Execution, LinePlace, LogEvent, TaskId

#: The states of a job that has just begun, and of one that has ended.
FIRST = ("INITIALIZING", "CREATED")
TERMINAL = ("FINISHED", "FAILED", "CANCELED", "SUSPENDED")


LogExtent = dict[int, tuple[LinePlace | None, LinePlace | None]]
"""By log the lines before and after which a job has none, if they are known."""


@dataclass(frozen=True, slots=True)
class RunEvent:
    """An event of a run. `task` has its attempt where that is known."""

    log_event: LogEvent
    task: TaskId | None
    graph: str | None
    """Of which graph of executions: a new one may be made when a job is started anew."""

    @property
    def word(self) -> str:
        return self.log_event.word


@dataclass
class JobRun:
    """What one job did, as its logs tell it."""

    job: str
    """Its id; or that of its graph of executions, where no line says of which job that is."""
    name: str | None = None
    events: list[RunEvent] = field(default_factory=list[RunEvent])

    @property
    def tasks(self) -> dict[str, int]:
        """Its vertices, in the order of their first mention, and how many subtasks each has."""
        found: dict[str, int] = {}
        for event in self.events:
            if event.task is not None:
                known = found.get(event.task.vertex, 0)
                found[event.task.vertex] = max(known, event.task.parallelism)
        return found

    @property
    def begins(self) -> bool:
        """Whether its logs have its beginning."""
        return bool(self.switches) and self.switches[0].fields["from"] in FIRST

    @property
    def ends(self) -> bool:
        """Whether its logs have its end."""
        return bool(self.switches) and self.switches[-1].fields["to"] in TERMINAL

    @property
    def switches(self) -> list[LogEvent]:
        """The changes of its state, in order."""
        return [each.log_event for each in self.events if each.word == "job-switched"]

    @property
    def ambiguous(self) -> tuple[str, ...]:
        """Names that several of its vertices have: a line that tells one tells of any of them."""
        ids: dict[tuple[str | None, str], set[str]] = {}
        for event in self.events:
            if event.task is not None and event.log_event.execution is not None:
                whose = (event.graph, event.task.vertex)
                ids.setdefault(whose, set()).add(event.log_event.execution.vertex)
        return tuple(dict.fromkeys(name for (_, name), each in ids.items() if len(each) > 1))


def runs_of(events: Sequence[LogEvent]) -> tuple[list[JobRun], list[LogEvent]]:
    """The runs that the events of one cluster are of, and the events that are of none.

    Events come log by log, each in the order of its lines.
    """
    index = _Index(events)
    runs: dict[str, JobRun] = {}
    homeless: list[LogEvent] = []
    for event in _merged(events):
        owner = index.owner(event)
        if owner is None:
            homeless.append(event)
            continue
        run = runs.setdefault(owner, JobRun(owner))
        if event.word == "job-switched":
            run.name = event.fields.get("name", run.name)
        run.events.append(RunEvent(event, index.task(event), index.graph(event)))
    return list(runs.values()), homeless


def extents_of(runs: Sequence[JobRun]) -> list[LogExtent]:
    """Return for each job by log the lines of other jobs between which its own lines are.

    Lines tell this only in the log that has the beginning or the end of the job. Files of other
    processes have clocks of their own, so they can have lines of the job anywhere.
    """
    lines: dict[int, list[tuple[LinePlace, int]]] = {}
    for number, run in enumerate(runs):
        for event in run.events:
            lines.setdefault(event.log_event.log, []).append((event.log_event.place, number))
    found: list[LogExtent] = [{} for _ in runs]
    for log, told in lines.items():
        told.sort()
        first = {owner: at for at, (_, owner) in reversed([*enumerate(told)])}
        last = {owner: at for at, (_, owner) in enumerate(told)}
        for owner, run in ((each, runs[each]) for each in first):
            begins = run.begins and run.switches[0].log == log and first[owner] > 0
            ends = run.ends and run.switches[-1].log == log and last[owner] + 1 < len(told)
            found[owner][log] = (
                told[first[owner] - 1][0] if begins else None,
                told[last[owner] + 1][0] if ends else None,
            )
    return found


def _merged(events: Iterable[LogEvent]) -> list[LogEvent]:
    """All events in one order that keeps that of each log. Times may go backwards in a log."""
    latest: dict[int, str] = {}
    keyed: list[tuple[str, int, int, LogEvent]] = []
    for number, event in enumerate(events):
        latest[event.log] = max(latest.get(event.log, ""), event.time.replace(",", "."))
        keyed.append((latest[event.log], event.log, number, event))
    return [event for *_, event in sorted(keyed, key=lambda each: each[:3])]


def _place(execution: Execution) -> tuple[str, str, int]:
    """The subtask of one execution graph. Another job may have a vertex with the same id."""
    return execution.graph, execution.vertex, execution.subtask


class _Index:
    """Of which job and task the events are: read off all of them, since one file explains others.

    A task's name means the execution that was told with it last in the same log; an event without
    any name is of the job that its log has told of last.
    """

    def __init__(self, events: Sequence[LogEvent]) -> None:
        self._job_of: dict[str, str] = {}
        self._names: dict[tuple[str, str, int], tuple[str, int]] = {}
        self._known: dict[int, tuple[str | None, TaskId | None, str | None]] = {}
        jobs: dict[str, None] = {}
        for event in events:
            if event.job is not None:
                jobs.setdefault(event.job)
                if event.execution is not None:
                    self._job_of.setdefault(event.execution.graph, event.job)
                elif "graph" in event.fields:
                    self._job_of[event.fields["graph"]] = event.job
            if event.task is not None and event.execution is not None:
                self._names[_place(event.execution)] = event.task.vertex, event.task.parallelism
        self._only = next(iter(jobs)) if len(jobs) == 1 else None
        self._attribute(events)

    def _attribute(self, events: Sequence[LogEvent]) -> None:
        latest_job: dict[int, str] = {}
        running: dict[tuple[int, str, int | None], Execution] = {}
        for event in events:
            execution, task = event.execution, event.task
            if execution is not None:
                name = self._names.get(_place(execution))
                if task is None and name is not None:
                    task = TaskId(name[0], execution.subtask, name[1], execution.attempt)
                elif task is not None:
                    task = replace(task, attempt=execution.attempt)
            if task is not None:
                at = (event.log, task.name, task.attempt)
                if execution is not None:
                    running[at] = execution
                else:
                    execution = running.get(at)
            graph = None if execution is None else execution.graph
            job = event.job or (None if graph is None else self._job(graph))
            if job is not None and event.clock.startswith("jm"):
                latest_job[event.log] = job
            if job is None and task is None and event.clock.startswith("jm"):
                job = latest_job.get(event.log)
            self._known[id(event)] = (job or self._only, task, graph)

    def _job(self, graph: str) -> str:
        return self._job_of.get(graph) or self._only or graph

    def owner(self, event: LogEvent) -> str | None:
        return self._known[id(event)][0]

    def task(self, event: LogEvent) -> TaskId | None:
        return self._known[id(event)][1]

    def graph(self, event: LogEvent) -> str | None:
        return self._known[id(event)][2]


__all__ = ["TERMINAL", "JobRun", "LogExtent", "RunEvent", "extents_of", "runs_of"]
