"""Replays a run of Flink event by event, and collects what the properties say on the way."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from finale.checker.logs.findings import Finding, Severity, Where
from finale.checker.logs.read.failovers import Failover
from finale.checker.logs.read.job_runs import JobRun, RunEvent
from finale.checker.logs.read.log_events import LinePlace, LogEvent
from finale.checker.logs.read.visibility import LogProfile
from finale.checker.logs.replay.job_events import ENDING, JobEvents
from finale.checker.logs.replay.replay_state import ReplayState, where_of
from finale.checker.logs.replay.stops import AllStops, HungStop, hung_stop
from finale.checker.logs.replay.task_events import TaskEvents
from finale.model.protocols.coordinator.checkpoints import ABORTED
from finale.model.protocols.sinks import Sink
from finale.model.protocols.task.tasks import Task

#: The words that lines of sinks may tell.
SINK_WORDS = ("written", "emitted", "precommitted", "committed")


def last_before(run: JobRun, gaps: Iterable[LinePlace]) -> frozenset[LinePlace]:
    """Return for each gap the last line of the run before it in its file."""
    places = sorted(event.log_event.place for event in run.events)
    at = (bisect_left(places, gap) for gap in gaps)
    return frozenset(places[number - 1] for number in at if number)


class SinkEvents:
    """Takes the events of sinks.

    A record that an operator emits is in the transaction that is pre-committed next, and is called
    by what the line says of it: the same word means the same record.
    """

    def __init__(self, state: ReplayState) -> None:
        self.state = state
        self._emitted: list[str] = []
        self._transactions: dict[str, list[str]] = {}
        self._visible: dict[str, int] = {}

    def apply(self, event: LogEvent, task: Task) -> None:
        """An event of a task."""
        match event.word:
            case "written" if task.inputs:
                binding = {"channel": task.inputs[0].name}
                self.state.take("poll_data", binding, lambda: None)
            case "emitted":
                self._emitted.append(event.fields["record"])
            case "precommitted" if "transaction" in event.fields:
                self._transactions[event.fields["transaction"]] = self._emitted
                self._emitted = []
            case "committed" if task.sink is not None:
                self._committed(event, task.sink)
            case _:
                pass

    def _committed(self, event: LogEvent, sink: Sink) -> None:
        """A transaction is committed: again, if it was before, which changes nothing outside."""
        records = [event.fields["record"]] if "record" in event.fields else []
        records += self._transactions.pop(event.fields.get("transaction", ""), [])
        datum = sink.data[0]
        for record in records:
            count = self._visible[record] = min(2, self._visible.get(record, 0) + 1)

            def write(count: int = count) -> None:
                sink.visible[datum] = count

            self.state.take("commit", {}, write)
            self.state.monitors.ask("commit-at-most-once", (sink, datum), self.state.where, record)


class LogReplay:
    """A run that is judged. `begins`: the log has its beginning.

    Before the lines at `gaps` a part of the log is missing, or they are unreadable.
    """

    def __init__(
        self,
        run: JobRun,
        profile: LogProfile,
        *,
        begins: bool = True,
        gaps: Iterable[LinePlace] = (),
    ) -> None:
        self._gaps = list(gaps)
        self._before = last_before(run, self._gaps)
        self._file_ends = run.file_ends()
        self.state = ReplayState(run, profile, begins=begins)
        self.job, self.tasks = JobEvents(self.state), TaskEvents(self.state)
        self.sinks = SinkEvents(self.state)
        self.stops = AllStops()
        """What became of stops with a savepoint."""

    def judged(self) -> tuple[Finding, ...]:
        """What the run shows."""
        state = self.state
        state.monitors.start(where_of(state.run.events[0].log_event))
        for event in state.run.events:
            state.where = where_of(event.log_event)
            self._pass_gaps(event.log_event)
            if (log := self._file_ends.get(event.log_event.place)) is not None:
                self.state.falls_silent(self.tasks.running_in(log))
                if log == state.run.coordinator:
                    self._forget()
            self._take(event)
            if event.log_event.place in self._before:
                self._forget()
        state.monitors.end_log(over=self.job.over)
        for number, reason in enumerate(self.hung_stops()):
            if reason is not None:
                self._tell(number, reason, None)
        return tuple(state.monitors.found.values())

    def _pass_gaps(self, told: LogEvent) -> None:
        """Forget what may have changed: once behind the last line before a gap, for lines of other
        files may come next, and once before the first line behind it."""
        passed = [at for at in self._gaps if at[0] == told.log and at <= told.place]
        if passed:
            self._gaps = [at for at in self._gaps if at not in passed]
            self._forget()

    def _forget(self) -> None:
        self.stops.restart()
        self.state.forget()

    def hung_stops(self, told: LogEvent | None = None) -> list[HungStop | None]:
        """What keeps each stop from its end, when an event comes, or at the end of the log."""
        state = self.state
        newest = state.profile.newest if told is None else {told.log: told.time}
        return [
            hung_stop(stop, self.stops, state.profile, state.silent, newest)
            for stop in self.stops.stops
        ]

    def _tell(self, number: int, reason: HungStop, until: Where | None) -> None:
        name = "failed-stop-leaves-a-job" if reason.failed else "stop-is-answered"
        severity = reason.severity if until is None else Severity.RECOVERED
        request = self.state.protocol.stop_requests[number]
        where = self.stops.stops[number].asked
        self.state.monitors.tell(name, (request,), where, severity, reason.why, until)

    def _leaves(self, told: LogEvent, *, fails_over: bool = False) -> None:
        """The job leaves RUNNING, or a stop's savepoint is aborted: what hung is over."""
        for number, reason in enumerate(self.hung_stops(told)):
            fails = reason is not None and reason.failed and told.fields.get("to") != "CANCELLING"
            hangs = reason is not None and reason.severity in (Severity.STUCK, Severity.OVERDUE)
            if reason is not None and hangs and not fails and told.fields.get("to") != "FINISHED":
                ends = told.fields.get("to") in ENDING and not fails_over
                self._tell(number, reason, None if ends else self.state.where)

    def _fails_over(self, event: RunEvent) -> None:
        """A coordinator gives the job up, and forgets its stops; or a new one begins."""
        self._leaves(event.log_event, fails_over=True)
        self.stops.restart()
        if event.failover is Failover.BEGINS:
            forget_job = self.job.crash()
            forget_tasks = self.tasks.crash(event.log_event.fields["graph"])

            def write() -> None:
                forget_job()
                forget_tasks()

            self.state.take("crash_coordinator", {}, write)

    def _take(self, event: RunEvent) -> None:
        state, told, named = self.state, event.log_event, event.task
        task = None if named is None else state.system.task(named.vertex, named.subtask)
        point = state.point(told.checkpoint)
        leaves = told.word == "job-switched" and told.fields["from"] == "RUNNING"
        if event.failover is not None:
            self._fails_over(event)
            return
        aborts = event.checkpoint_becomes is ABORTED
        if leaves or (aborts and self.stops.waits_for(told.checkpoint)):
            self._leaves(told)
        if told.word == "graph-created":
            self.tasks.creates(told.fields["graph"])
        if task is None or named is None:
            self.stops.of_job(told, state.where)
            self.job.apply(told, point)
            return
        if not self.tasks.is_present(task, event):
            return  # it comes late, of an attempt that is over
        self.stops.of_task(event, named)
        if told.word in SINK_WORDS:
            self.sinks.apply(told, task)
        else:
            self.tasks.apply(told, task, point)
