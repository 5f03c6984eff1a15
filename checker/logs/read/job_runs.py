"""Groups events into runs: finds the job and the task of each event.

The logs of one cluster are read together: the JobManager and the TaskManagers can have files of
their own, and one file can have events of several jobs. Lines of one file keep their order, and
lines of different files that of their messages (`messages.py`). All others are merged by their
times, as far as clocks are known (`clocks.py`): that helps a reader, and claims no order.
Attempts count on if a new coordinator takes the job over (`failovers.py`).
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from finale.checker.logs.lines import BY_STATUS, CHECKPOINT_BECOMES
from finale.model.protocols.coordinator.checkpoints import (
    ABORTED,
    COMPLETED,
    PENDING,
    CheckpointStatus,
)

from .clocks import Clocks
from .failovers import Failover, GraphAttempts, first_attempts
from .log_events import Execution, LinePlace, LogEvent, TaskId
from .messages import ENDED, TERMINAL, HappenedBefore, OrderedLine

#: The line of a coordinator that creates a graph of executions.
_CREATED = "graph-created"
#: The lines with which a coordinator restores a job before it starts tasks.
_RESTORES = ("restored", "restored-nothing", "resumed", "ids-reset")
#: So much of the id of a vertex is shown at least.
_ID_SHOWN = 4
#: The states of a job that has just begun.
FIRST = ("INITIALIZING", "CREATED")
#: Those behind which no other coordinator goes on with the job.
GLOBALLY_TERMINAL = ENDED


LogExtent = dict[int, tuple[LinePlace | None, LinePlace | None]]
"""By log the lines before and after which a job has none, if they are known."""


# Not frozen: that takes three times as long, and each line has one.
@dataclass(slots=True, unsafe_hash=True)
class RunEvent:
    """An event of a run. `task` has its attempt where that is known."""

    log_event: LogEvent
    task: TaskId | None
    graph: str | None
    """Of which graph of executions: a new one may be made when a job is started anew."""
    failover: Failover | None = None
    """What it tells of a coordinator that another one follows."""

    @property
    def word(self) -> str:
        return self.log_event.word

    @property
    def checkpoint_becomes(self) -> CheckpointStatus | None:
        """The new status of its checkpoint, if it tells one."""
        return CHECKPOINT_BECOMES.get(self.log_event.word)


@dataclass(frozen=True)
class Processes:
    """The order of a cluster's lines, which are in several files, and the lines of one job."""

    order: HappenedBefore
    clocks: Clocks
    events: Mapping[int, RunEvent] = field(default_factory=dict[int, RunEvent])
    """Those of the job, by their numbers in the order."""
    new_coordinators: frozenset[str] = frozenset()


@dataclass
class JobRun:
    """What one job did, as its logs tell it."""

    job: str
    """Its id; or that of its graph of executions, where no line says of which job that is."""
    name: str | None = None
    events: list[RunEvent] = field(default_factory=list[RunEvent])
    doubled: tuple[str, ...] = ()
    """Names that an old and a new attempt of a task have at once, or a task of another job: a line
    can be of either."""
    processes: Processes | None = None
    """None if all lines are in one file."""
    threads: bool = True
    """False if names of threads are cut, and do not tell which tasks they are."""
    shared_names: Mapping[str, int] = field(default_factory=dict[str, int])
    """The names that several vertices have, and how many do. Lines that tell a task by such a name
    alone are left out."""
    own_names: Mapping[str, str] = field(default_factory=dict[str, str])
    """By id the names of these vertices, which have a part of the id."""

    def precedes(self, one: LinePlace, two: LinePlace) -> bool:
        """Whether a line comes before another one for certain, whatever clocks say."""
        if self.processes is None:
            return one[0] == two[0] and one < two
        return self.processes.order.precedes(one, two)

    def goes_on(self, log: int, place: LinePlace) -> bool:
        """Whether a file has a line that comes after a line of another file for certain."""
        return self.processes is not None and self.processes.order.goes_on(log, place)

    def file_ends(self) -> Mapping[LinePlace, int]:
        """Return the lines that tell what another file lacks since it ends early, and that file."""
        if self.processes is None:
            return {}
        order = self.processes.order
        return {
            order.lines[number].event.place: log
            for log, number in order.ends_early.items()
            if log in self.logs
        }

    def is_left_open(self, vertex: str, subtask: int, attempt: int, log: int) -> bool:
        """Whether an attempt runs in the process of a file that does not tell its end."""
        assert self.processes is not None, "one file has no other that ends before it"
        order, own = self.processes.order, (self.job, (vertex, subtask, attempt))
        return order.hosts.get(own) == log and own not in order.over

    @property
    def coordinator(self) -> int | None:
        """The file of the coordinator, if one of several files is."""
        return None if self.processes is None else self.processes.order.hosts.get(self.job)

    @property
    def logs(self) -> tuple[int, ...]:
        """The files that have lines of the job."""
        return tuple(dict.fromkeys(sorted(event.log_event.log for event in self.events)))

    def in_other_order(self, log: int, *, early: bool) -> JobRun:
        """Return the run with the lines of one file as early, or as late, as messages allow."""
        assert self.processes is not None, "lines of one file have one order"
        order, clocks = self.processes.order, self.processes.clocks

        def rank(number: int) -> tuple[float, ...]:
            own = order.lines[number].event.log == log
            return own is not early, clocks.times[number], order.lines[number].event.log

        events = self.processes.events
        numbers = order.in_order(rank, events)
        ordered = [events[number] for number in numbers]
        return replace(self, events=_taken_over(ordered, self.processes.new_coordinators))

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
        """Whether its logs have its beginning, and it begins once.

        A job that had a checkpoint before it first runs had another coordinator, whose log is not
        here. A job that has ended and begins once more is another job of the same id.
        """
        switches = self.switches
        if not switches or switches[0].fields["from"] not in FIRST:
            return False
        before = [*itertools.takewhile(lambda each: each.word != "job-switched", self.events)]
        resumed = any(each.word == "resumed" for each in before)
        was_there = any(each.failover or each.log_event.checkpoint for each in before)
        return not self._begins_again and (resumed or not was_there)

    @property
    def _begins_again(self) -> bool:
        """Whether a new coordinator begins behind the end of the job."""
        state = ""
        for event in self.events:
            if event.failover is Failover.BEGINS and state in GLOBALLY_TERMINAL:
                return True
            state = event.log_event.fields["to"] if event.word == "job-switched" else state
        return False

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
        """Names that several of its attempts have at once, or another job's task: a line tells of
        any of them."""
        return self.doubled


def clusters_of(events: Sequence[LogEvent]) -> list[list[LogEvent]]:
    """The events by cluster, each in their order. Logs that tell of one job, or of one graph of
    executions, are of one cluster. A log that tells of none is of the only cluster, if there is
    one."""
    logs = {event.log for event in events}
    if len(logs) < 2:
        return [[*events]]
    import networkx as nx

    told: set[tuple[int, str]] = set()
    for event in events:
        graph = None if event.execution is None else event.execution.graph
        own = (event.job, event.fields.get("graph"), graph)
        told.update((event.log, each) for each in own if each)
    clusters: list[set[int]] = [
        {each for each in found if isinstance(each, int)}
        for found in nx.connected_components(nx.Graph(sorted(told)))
    ]
    lost = logs - {log for each in clusters for log in each}
    if len(clusters) < 2:
        return [[*events]]
    clusters += [{log} for log in sorted(lost)]
    number = {log: at for at, logs in enumerate(sorted(clusters, key=min)) for log in logs}
    parted: list[list[LogEvent]] = [[] for _ in clusters]
    for event in events:
        parted[number[event.log]].append(event)
    return parted


#: How the path of a savepoint or a checkpoint tells the job that has written it.
_WRITTEN_BY = re.compile(r"savepoint-([0-9a-f]{6})-|\b([0-9a-f]{32})/chk-\d+")


def origin_of(run: JobRun, runs: Sequence[JobRun]) -> JobRun | None:
    """Return the job from whose savepoint or checkpoint another job starts, if it is there."""
    paths = [e.log_event.fields["path"] for e in run.events if e.word == "resumed"]
    found = _WRITTEN_BY.search(paths[0]) if paths else None
    if found is None:
        return None
    job = found[1] or found[2]
    others = [each for each in runs if each is not run and each.job.startswith(job)]
    return others[0] if len(others) == 1 else None


def runs_of(events: Sequence[LogEvent]) -> tuple[list[JobRun], list[LogEvent]]:
    """The runs that the events of one cluster are of, and the events that are of none.

    Events come log by log, each in the order of its lines.
    """
    events, has_threads = whole_threads(events)
    index = _Index(events)
    runs: dict[str, JobRun] = {}
    homeless: list[LogEvent] = []
    several = len({event.log for event in events}) > 1
    order = HappenedBefore(
        [OrderedLine(each, index.owner(each), index.task(each)) for each in events]
        if several
        else ()
    )
    clocks = Clocks(order)
    numbered: defaultdict[str, dict[int, RunEvent]] = defaultdict(dict)
    for number in clocks.merged() if several else range(len(events)):
        event = events[number]
        owner = index.owner(event)
        if owner is None:
            homeless.append(event)
            continue
        if index.is_unclear(event):
            continue
        run = runs.setdefault(owner, JobRun(owner))
        if event.word == "job-switched":
            run.name = event.fields.get("name", run.name)
        numbered[owner][number] = RunEvent(event, index.task(event), index.graph(event))
    for run in runs.values():
        events_of_job = numbered[run.job]
        run.events = _taken_over([*events_of_job.values()], index.new_coordinators)
        run.doubled = tuple(index.unsure.get(run.job, ()))
        run.threads = has_threads
        run.shared_names, run.own_names = index.shared_names(run.job)
        if several:
            run.processes = Processes(order, clocks, events_of_job, index.new_coordinators)
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


def _taken_over(events: list[RunEvent], new: frozenset[str]) -> list[RunEvent]:
    """The events of a run, in which lines tell of failovers: `new` are graphs of new coordinators.

    What the old coordinator writes into a file of its own comes before the new one begins.
    """
    events = _with_creations(events, new)
    begun = 0
    for graph in [each.log_event.fields["graph"] for each in events if each.word == _CREATED]:
        if graph not in new:
            continue
        at = next(n for n, e in enumerate(events) if e.log_event.fields.get("graph") == graph)
        begins, before, after = events[at], events[:at], events[at + 1 :]
        late = _left_over(begins, after)
        moved = {id(each) for each in late}
        after = [each for each in after if id(each) not in moved]
        before += late
        gives_up = next((n for n, e in enumerate(before) if n >= begun and _gives_up(e)), None)
        if gives_up is None:
            before += _completed_unseen(before, after)
        else:
            before[gives_up] = replace(before[gives_up], failover=Failover.SUSPENDED)
        events = [*before, replace(begins, failover=Failover.BEGINS), *after]
        begun = len(before) + 1
    return events


def _with_creations(events: list[RunEvent], new: frozenset[str]) -> list[RunEvent]:
    """The events with the creation of each graph of a new coordinator, also if no line tells it.

    The creation comes before the first line of the graph, and before the lines of the coordinator
    right before that one, which restore the job.
    """
    told = {each.log_event.fields.get("graph") for each in events}
    for graph in new - told:
        at = next((n for n, each in enumerate(events) if each.graph == graph), None)
        while at and events[at - 1].word in _RESTORES:
            at -= 1
        if at is not None:
            first = events[at]
            fields = {"graph": graph, "job": first.log_event.job or ""}
            created = replace(first.log_event, word=_CREATED, fields=fields, task=None)
            events = [*events[:at], replace(first, log_event=created, task=None), *events[at:]]
    return events


def _gives_up(event: RunEvent) -> bool:
    return event.word == "job-switched" and event.log_event.fields["to"] == "SUSPENDED"


def _left_over(begins: RunEvent, after: Sequence[RunEvent]) -> list[RunEvent]:
    """What other coordinators write into files of their own, until they create a graph again."""
    found: list[RunEvent] = []
    again = {begins.log_event.log}
    for event in after:
        if event.word == _CREATED:
            again.add(event.log_event.log)
        elif event.log_event.clock.startswith("jm") and event.log_event.log not in again:
            found.append(event)
    return found


def _completed_unseen(before: Sequence[RunEvent], after: Sequence[RunEvent]) -> list[RunEvent]:
    """The completion of the checkpoint that a new coordinator restores, if no line tells its end.

    A coordinator stores a checkpoint before it writes so. If its process ends between both, only
    the line that restores the checkpoint tells that it had completed.
    """
    begins = itertools.takewhile(lambda each: each.word != "job-switched", after)
    for event in begins:
        number = event.log_event.checkpoint
        own = {each.checkpoint_becomes for each in before if each.log_event.checkpoint == number}
        if event.word == "restored" and PENDING in own and not own & {COMPLETED, ABORTED}:
            word = BY_STATUS[COMPLETED].word
            return [replace(event, log_event=replace(event.log_event, word=word))]
    return []


def own_name(name: str, vertex: str, others: Collection[str]) -> str:
    """The name of a vertex that shares its name with others: with so much of its id that it is the
    only one."""
    length = next(
        n
        for n in range(_ID_SHOWN, len(vertex) + 1)
        if len({each[:n] for each in others}) == len(others)
    )
    return f"{name} [{vertex[:length]}]"


def _place(execution: Execution) -> tuple[str, str, int]:
    """The subtask of one execution graph. Another job may have a vertex with the same id."""
    return execution.graph, execution.vertex, execution.subtask


_Name = tuple[int, str, int | None]
"""A log, and a task and its attempt as the log calls them."""


def _has_ended(event: LogEvent) -> bool:
    learned = event.word == "task-learned" and event.fields["to"] in ENDED
    return learned or event.word == "end-reported"


class _Named:
    """Which execution a task's name means: the one that was told with it last in the same log.

    A new coordinator gives the name of an attempt again, while the old attempt may still close. The
    name means the new one from its first RUNNING on, or as soon as the old one has ended.

    Two jobs that run at the same time can have tasks of one name, too. A line of the name alone can
    then be of either, from the first line that tells the second execution.
    """

    def __init__(self, job: Callable[[str], str]) -> None:
        self._job = job
        """The job of a graph."""
        self._means: dict[_Name, Execution] = {}
        self._before: dict[_Name, list[Execution]] = {}
        self._live: defaultdict[_Name, dict[Execution, None]] = defaultdict(dict)
        self._ended: set[Execution] = set()
        self._over: set[Execution] = set()
        """Those that have ended, and those of which the coordinator tells so."""

    def meant(self, name: _Name, event: LogEvent) -> tuple[Execution | None, list[Execution]]:
        """The execution of an event with this name, and others that it can be of as well."""
        own, present = event.execution, self._means.get(name)
        before = self._before.setdefault(name, [])
        if own is None:
            if present is None:
                return None, []
            same = [e for e in before if e not in self._ended and self._is_of_one_job(e, present)]
            live = self._live[name]
            return present, [*same, *(e for e in live if not self._is_of_one_job(e, present))]
        if _has_ended(event):
            self._over.add(own)
            self._live[name].pop(own, None)
        elif own not in self._over:
            self._live[name][own] = None
        if present is None or own.graph == present.graph:
            self._means[name] = own
        elif all(own.graph != each.graph for each in before):
            runs = event.word == "task-switched" and event.fields["to"] == "RUNNING"
            if runs or present in self._ended:
                self._means[name] = own
                before.append(present)
        if event.word == "end-reported":
            self._ended.add(own)
        return own, []

    def _is_of_one_job(self, one: Execution, other: Execution) -> bool:
        return self._job(one.graph) == self._job(other.graph)


class _Index:
    """Of which job and task the events are: read off all of them, since one file explains others.

    An event without any name is of the job that its log has told of last.
    """

    def __init__(self, events: Sequence[LogEvent]) -> None:
        self._job_of: dict[str, str] = {}
        self._names: dict[tuple[str, str, int], tuple[str, int]] = {}
        self._known: dict[int, tuple[str | None, TaskId | None, str | None]] = {}
        self._shared: dict[str, dict[str, int]] = {}
        self._apart: dict[tuple[str, str], str] = {}
        """By graph and vertex the name of one that shares its name with others."""
        self.unsure: dict[str, dict[str, None]] = {}
        """By job, names of tasks that two attempts have at once, or another job's task: a line may
        be of either."""
        jobs: dict[str, None] = {}
        attempts: defaultdict[str, GraphAttempts] = defaultdict(GraphAttempts)
        for event in events:
            if (own := event.execution) is not None:
                attempts[own.graph].note((own.vertex, own.subtask), own.attempt)
            if event.job is not None:
                jobs.setdefault(event.job)
                if event.execution is not None:
                    self._job_of.setdefault(event.execution.graph, event.job)
                elif "graph" in event.fields:
                    self._job_of[event.fields["graph"]] = event.job
            if event.task is not None and event.execution is not None:
                self._names[_place(event.execution)] = event.task.vertex, event.task.parallelism
        self._only = next(iter(jobs)) if len(jobs) == 1 else None
        self._tell_apart(events)
        created = _merged([each for each in events if each.word == _CREATED])
        told = dict.fromkeys(each.fields["graph"] for each in created)
        graphs = (*(each for each in attempts if each not in told), *told)
        self._first, self.new_coordinators = first_attempts(
            [(each, self._job(each)) for each in graphs], attempts
        )
        self._attribute(events)

    def _tell_apart(self, events: Sequence[LogEvent]) -> None:
        """Give vertices of a graph that share a name names of their own, by their ids."""
        ids: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for (graph, vertex, _), (name, _) in self._names.items():
            ids[graph, name].setdefault(vertex)
        for (graph, vertex, subtask), (name, parallelism) in [*self._names.items()]:
            others = ids[graph, name]
            if len(others) > 1:
                own = own_name(name, vertex, others)
                self._names[graph, vertex, subtask] = own, parallelism
                self._apart[graph, vertex] = own
                self._shared.setdefault(self._job(graph), {})[name] = len(others)

    def shared_names(self, job: str) -> tuple[dict[str, int], dict[str, str]]:
        """The names that several vertices of a job have, and how many; and by id their own."""
        own = {v: name for (graph, v), name in self._apart.items() if self._job(graph) == job}
        return self._shared.get(job, {}), own

    def is_unclear(self, event: LogEvent) -> bool:
        """Whether an event is of a task, and its name is all that tells of which."""
        if event.task is None or event.execution is not None:
            return False
        return event.task.vertex in self._shared.get(self.owner(event) or "", {})

    def _attribute(self, events: Sequence[LogEvent]) -> None:
        latest_job: dict[int, str] = {}
        named = _Named(self._job)
        for event in events:
            execution, task = event.execution, event.task
            if execution is not None:
                name = self._names.get(_place(execution))
                is_apart = (execution.graph, execution.vertex) in self._apart
                if (task is None or is_apart) and name is not None:
                    task = TaskId(name[0], execution.subtask, name[1], execution.attempt)
                elif task is not None and task.attempt != execution.attempt:
                    task = replace(task, attempt=execution.attempt)
            if task is not None:
                execution, others = named.meant((event.log, task.name, task.attempt), event)
                for each in (execution, *others) if execution is not None and others else ():
                    self.unsure.setdefault(self._job(each.graph), {}).setdefault(task.name)
            graph = None if execution is None else execution.graph
            first = 0 if graph is None else self._first.get(graph, 0)
            if first and task is not None and task.attempt is not None:
                task = replace(task, attempt=task.attempt + first)
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


def whole_threads(events: Sequence[LogEvent]) -> tuple[list[LogEvent], bool]:
    """Return events with the whole names of their tasks, and whether all of these are known.

    A layout can cut the name of a thread, from its beginning (`%15.15t`) or from its end. Messages
    have names of tasks as a whole. A name of which a thread has the end is meant if it is the only
    one with this end; else the task is unknown.
    """
    known: dict[str, TaskId] = {}
    for event in events:
        if event.task is not None and not event.by_thread:
            known.setdefault(event.task.name, event.task)
    meant: dict[str, TaskId | None] = {}
    found: list[LogEvent] = []
    is_sure = True
    for event in events:
        task = event.task
        if task is None or not event.by_thread or task.name in known:
            found.append(event)
            continue
        if task.name not in meant:
            meant[task.name] = _whole(task, known.values())
        whole = meant[task.name]
        is_sure = is_sure and whole is not None
        found.append(replace(event, task=None if whole is None else _as(whole, task)))
    return found, is_sure and not _lacks_tasks(events)


def _whole(task: TaskId, known: Iterable[TaskId]) -> TaskId | None:
    """The task whose name has this end; the task itself, if no name has it."""
    found = [each for each in known if each.name.endswith(task.name)]
    return task if not found else found[0] if len(found) == 1 else None


def _as(whole: TaskId, task: TaskId) -> TaskId:
    return replace(whole, attempt=task.attempt)


def _lacks_tasks(events: Sequence[LogEvent]) -> bool:
    """Whether some threads of tasks are cut so that nothing tells the task, and others are not."""
    own = [each for each in events if each.by_thread and each.clock == "task.mailbox"]
    return any(each.task is None for each in own) and any(each.task is not None for each in own)
