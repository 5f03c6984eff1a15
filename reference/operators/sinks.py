"""Sinks that write files, at least once or exactly once.

Exactly once: records go to a staging file, the open transaction. A checkpoint pre-commits it under
the checkpoint's number; the news that the checkpoint is complete commits it, by a rename that may
be repeated. A start from a checkpoint commits what that lists, and drops what it does not.

    staging/<task>           the open transaction
    pending/<task>-<number>  pre-committed
    output/<task>-<number>   committed, to be read by others
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence

from finale.reference.channel import Record
from finale.reference.formats.snapshots import State
from finale.reference.operators.base import Context, Emit, Operator
from finale.reference.operators.keys import bad_record


def lines_of(records: Sequence[Record], vertex: str = "") -> bytes:
    """A line for each record: texts as they are, all else as JSON. Raises `bad-record`."""
    if set(map(type, records)) == {str}:
        text = "\n".join(map(str, records))
        if text.count("\n") == len(records) - 1 and (data := _bytes(text)) is not None:
            return data + b"\n"
    return b"".join(_line(record, vertex) for record in records)


def _line(record: Record, vertex: str) -> bytes:
    if isinstance(record, str) and "\n" not in record and (data := _bytes(record)) is not None:
        return data + b"\n"
    try:
        text = json.dumps(record, ensure_ascii=False)
    except (TypeError, ValueError) as reason:
        raise bad_record(vertex, "kind", record, f"JSON cannot write it: {reason}") from None
    data = _bytes(text)
    return (json.dumps(record).encode() if data is None else data) + b"\n"


def _bytes(text: str) -> bytes | None:
    """Return the bytes of a text; None if no bytes decode to the text."""
    try:
        return text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return None


class AppendingSink(Operator):
    """Writes at once: after a restart what is processed again is written again."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.written = f"output/{context.task}"

    def start(self) -> None:
        """A line that was written in part is no record: it comes again, maybe to another task."""
        files, context = self.context.files, self.context
        own = re.compile(rf"output/{re.escape(context.vertex)}(\.(?P<index>\d+))?")
        for name in files.under("output"):
            found = own.fullmatch(name)
            if found and int(found["index"] or 0) % context.count == context.index:
                data = files.read(name)
                files.truncate(name, data.rfind(b"\n") + 1)

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        self.context.files.append(self.written, lines_of(records, self.context.vertex))

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        """Nothing to restore; but what the sources will not send again must be safe."""
        if self.context.files.exists(self.written):
            self.context.files.sync(self.written)
        return None


class TransactionalSink(Operator):
    """Writes each record once. `keeps` leaves empty and dropped transactions to be looked at.

    `beside` names a folder that takes the place of the output.
    """

    def __init__(self, context: Context, *, keeps: bool = False, beside: str = "") -> None:
        super().__init__(context)
        self.keeps = keeps
        self.files = context.files
        self.folder = beside or "output"
        self.mark = f"~{beside}" if beside else ""
        self.staged = f"staging/{context.task}{self.mark}"
        of_all = rf"{re.escape(context.vertex)}(\.\d+)?"
        self.open = 0
        """So many records are in the open transaction."""
        self._committed = rf"{re.escape(self.folder)}/{of_all}-(?P<number>\d+)"

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        self.files.append(self.staged, lines_of(records, self.context.vertex))
        self.open += len(records)

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        task = self.context.task
        if not last and (self.keeps or self.files.exists(self.staged)):
            if not self.files.exists(self.staged):
                self.files.write(self.staged, b"")
            self.files.sync(self.staged)
            self.files.rename(self.staged, self._pending(task, checkpoint))
            self.open = 0
        return {"task": task, "pending": self.pending()}

    def completed(self, checkpoint: int, emit: Emit) -> None:
        task = self.context.task
        for number in self.pending():
            if number <= checkpoint:
                self._commit(task, number)

    def restore(self, state: State) -> None:
        for task, listed in state.get("earlier", ()):
            self._settle(task, listed)
        self._settle(self.context.task, state["pending"])

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        """Settle the transactions of former subtasks in the present ones."""
        known = [state for state in states[index::count] if state is not None]
        earlier = [each for state in known for each in state.get("earlier", ())]
        own = [[state["task"], state["pending"]] for state in known if "task" in state]
        return {"pending": [], "earlier": earlier + own}

    def uncommitted(self) -> int:
        return self.open

    def ahead_of(self, checkpoint: int | None) -> list[str]:
        names = self.files.under(self.folder)
        own = (re.fullmatch(self._committed, name) for name in names)
        newest = 0 if checkpoint is None else checkpoint
        return [found.group() for found in own if found and int(found["number"]) > newest]

    def start(self) -> None:
        self._settle(self.context.task, ())

    def restore_finished(self) -> Operator:
        self.start()
        return self if self.keeps else super().restore_finished()

    def close(self) -> None:
        self.files.remove(self.staged)

    def pending(self, task: str | None = None) -> list[int]:
        """The numbers of a task's transactions that are neither committed nor dropped."""
        prefix = self._pending(task or self.context.task, "")
        names = (name.removeprefix(prefix) for name in self.files.under("pending"))
        return sorted(int(name) for name in names if name.isdecimal())

    def _settle(self, task: str, listed: Collection[int]) -> None:
        """Commit the transactions that a checkpoint lists, and no others."""
        self.files.remove(f"staging/{task}{self.mark}")
        for number in self.pending(task):
            if number in listed:
                self._commit(task, number)
            else:
                self._drop(task, number)

    def _pending(self, task: str, number: int | str) -> str:
        return f"pending/{task}{self.mark}-{number}"

    def _commit(self, task: str, number: int) -> None:
        self.files.rename(self._pending(task, number), f"{self.folder}/{task}-{number}")

    def _drop(self, task: str, number: int) -> None:
        if self.keeps:
            self.files.rename(self._pending(task, number), f"dropped/{task}-{number}")
        else:
            self.files.remove(self._pending(task, number))


class SideFile:
    """Files beside the output for records that an operator cannot use.

    An operator whose records are refused instead has one that is not `used`.
    """

    def __init__(self, context: Context, folder: str, *, used: bool) -> None:
        self.sink = TransactionalSink(context, beside=folder)
        self.used = used
        self.count = 0

    def add(self, records: Sequence[Record]) -> None:
        self.sink.process(0, records, _nowhere)
        self.count += len(records)

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        if not self.used:
            return None
        return {"count": self.count, "file": self.sink.snapshot(checkpoint, last=last)}

    def go_on(self, state: State) -> None:
        """Restore, or start where there is nothing to restore."""
        if state is not None:
            self.count = state["count"]
            self.sink.restore(state["file"])
        elif self.used:
            self.sink.start()

    def uncommitted(self) -> int:
        return self.sink.uncommitted()

    def ahead_of(self, checkpoint: int | None) -> list[str]:
        return self.sink.ahead_of(checkpoint)

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        known = [state for state in states if state is not None]
        if not known:
            return None
        files = [None if state is None else state["file"] for state in states]
        return {
            "count": sum(state["count"] for state in known) if index == 0 else 0,
            "file": TransactionalSink.share(files, index, count),
        }

    def completed(self, checkpoint: int) -> None:
        if self.used:
            self.sink.completed(checkpoint, _nowhere)

    def close(self) -> None:
        if self.used:
            self.sink.close()


def _nowhere(records: Sequence[Record]) -> None:
    """Files emit nothing."""
