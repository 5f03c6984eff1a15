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
from collections.abc import Sequence

from reference.elements import Record
from reference.formats.snapshots import State
from reference.operators.base import Context, Emit, Operator


def _lines(records: Sequence[Record]) -> bytes:
    return b"".join(_line(record) for record in records)


def _line(record: Record) -> bytes:
    text = record if isinstance(record, str) else json.dumps(record, ensure_ascii=False)
    return f"{text}\n".encode(errors="surrogateescape")


class AppendingSink(Operator):
    """Writes at once: after a restart what is processed again is written again."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.written = f"output/{context.task}"

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        self.context.files.append(self.written, _lines(records))

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        """Nothing to restore; but what the sources will not send again must be safe."""
        if self.context.files.exists(self.written):
            self.context.files.sync(self.written)
        return None


class TransactionalSink(Operator):
    """Writes each record once. `keeps` leaves empty and dropped transactions to be looked at."""

    def __init__(self, context: Context, *, keeps: bool = False) -> None:
        super().__init__(context)
        self.keeps = keeps
        self.files = context.files
        self.staged = f"staging/{context.task}"

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        self.files.append(self.staged, _lines(records))

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        if not last and (self.keeps or self.files.exists(self.staged)):
            if not self.files.exists(self.staged):
                self.files.write(self.staged, b"")
            self.files.sync(self.staged)
            self.files.rename(self.staged, self._pending(checkpoint))
        return {"pending": self.pending()}

    def completed(self, checkpoint: int, emit: Emit) -> None:
        for number in self.pending():
            if number <= checkpoint:
                self._commit(number)

    def restore(self, state: State) -> None:
        self.files.remove(self.staged)
        for number in self.pending():
            if number in state["pending"]:
                self._commit(number)
            else:
                self._drop(number)

    def start(self) -> None:
        self.files.remove(self.staged)
        for number in self.pending():
            self._drop(number)

    def restore_finished(self) -> None:
        self.start()

    def close(self) -> None:
        self.files.remove(self.staged)

    def pending(self) -> list[int]:
        """The numbers of the transactions that are neither committed nor dropped."""
        prefix = self._pending("")
        found = (name for name in self.files.under("pending") if name.startswith(prefix))
        return sorted(int(name.removeprefix(prefix)) for name in found)

    def _pending(self, number: int | str) -> str:
        return f"pending/{self.context.task}-{number}"

    def _commit(self, number: int) -> None:
        self.files.rename(self._pending(number), f"output/{self.context.task}-{number}")

    def _drop(self, number: int) -> None:
        if self.keeps:
            self.files.rename(self._pending(number), f"dropped/{self.context.task}-{number}")
        else:
            self.files.remove(self._pending(number))
