"""Takes the events of a user's own operators: writes, and commits of transactions."""

from __future__ import annotations

from finale.checker.logs.read.log_events import LogEvent
from finale.model.protocols.sinks.sinks import Sink
from finale.model.protocols.task.tasks import Task

from .replay_state import ReplayState

#: The words that lines of sinks may tell.
SINK_WORDS = ("written", "emitted", "precommitted", "committed")


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
