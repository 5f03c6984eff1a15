"""Checkpoints on disk: one folder each, complete when its metadata exists.

    checkpoints/<number>/<task>.json           the state of a task
    checkpoints/<number>/<task>.channels.json  what was in flight to it
    checkpoints/<number>/metadata.json         what all this is: docs/checkpoint-format.md

The metadata is written under another name and renamed: there is no half a checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from finale.model.errors import FinaleError, Place
from finale.model.events import Copied
from finale.model.given import json_of
from finale.model.topology import Job
from finale.reference.formats.files import Files
from finale.reference.formats.metadata import (
    CHANNELS,
    CHECKPOINT,
    FIELDS,
    STATE,
    File,
    Metadata,
    OperatorMetadata,
    SubtaskMetadata,
    altered,
    decoded,
    encoded,
)

FOLDER = "checkpoints"
METADATA = "metadata.json"
REFUSED = "metadata.refused.json"
LEFT = "left"
COPIED = "copied"

State = Any
"""What JSON can write."""


def shape_of(
    job: Job, kinds: Sequence[str], settings: Sequence[Mapping[str, Any]] = ()
) -> tuple[OperatorMetadata, ...]:
    """The operators of a job, each of which is of a kind; nothing is known of their state."""
    said = settings or [dict[str, Any]() for _ in kinds]
    return tuple(
        OperatorMetadata(
            vertex.name,
            kind,
            tuple(edge.source for edge in job.edges_into(vertex)),
            (SubtaskMetadata(),) * vertex.parallelism,
            of_state,
        )
        for vertex, kind, of_state in zip(job.vertices, kinds, said, strict=True)
    )


class CheckpointStore:
    """The snapshots of one job. `keeps` leaves what is of no use any more, to be looked at."""

    def __init__(
        self,
        files: Files,
        shape: Sequence[OperatorMetadata] = (),
        *,
        keeps: bool = False,
        retained: int = 1,
        version: int = FIELDS,
    ) -> None:
        self.files = files
        self.shape = tuple(shape)
        self.keeps = keeps
        self.retained = retained
        """So many checkpoints are kept; savepoints are the user's, and are kept all."""
        self.version = version
        """What is written."""
        self.newest: int | None = None
        """The newest checkpoint that is complete, and that a restart takes."""
        self.known: dict[int, str] = {}
        """The complete checkpoints and savepoints, and what each is for."""
        self.written: dict[int, dict[str, File | None]] = {}
        """What was written of those that are not complete, by task and use; or the task had
        finished."""

    # --- writing ---------------------------------------------------------------------------------

    def put(self, checkpoint: int, task: str, state: State, use: str = STATE) -> None:
        """Write a task's part of a checkpoint."""
        try:
            data = json.dumps(state, separators=(",", ":"), sort_keys=True).encode()
        except (TypeError, ValueError, RecursionError) as reason:
            raise FinaleError(
                "bad-record",
                f'the state of "{task}" has what JSON cannot write: {reason}',
                advice="keep records plain: texts, numbers, lists, and tables with texts as names",
            ) from None
        self.put_data(checkpoint, f"{task}{use}", data)

    def put_finished(self, checkpoint: int, task: str) -> None:
        """A task's part is that it had finished before the checkpoint that it was restored from."""
        self.written.setdefault(checkpoint, {})[task] = None

    def put_data(self, checkpoint: int, name: str, data: bytes) -> None:
        """Write a file of a checkpoint."""
        file = File.of(f"{name}.json", data)
        path = f"{_folder(checkpoint)}/{file.name}"
        self.files.write(path, data)
        self.files.sync(path)
        self.written.setdefault(checkpoint, {})[name] = file

    def complete(
        self,
        checkpoint: int,
        finished: Collection[str],
        *,
        kind: str = CHECKPOINT,
        newest: bool = True,
    ) -> None:
        """All parts are there, but of tasks that had finished: from now on it can be restored.

        `newest`: a restart takes it.
        """
        written = self.written.pop(checkpoint, {})
        operators = tuple(
            replace(each, parts=tuple(_part(t, t in finished, written) for t in each.tasks))
            for each in self.shape
        )
        metadata = Metadata(checkpoint, kind, newest, operators)
        folder = _folder(checkpoint)
        self.files.write(f"{folder}/.{METADATA}", encoded(metadata, self.version))
        self.files.sync(f"{folder}/.{METADATA}")
        self.files.rename(f"{folder}/.{METADATA}", f"{folder}/{METADATA}")
        self.known[checkpoint] = kind
        if newest:
            self.newest = max(checkpoint, self.newest or 0)

    def discard_older(self, pending: Collection[int] = ()) -> None:
        """Remove checkpoints older than the newest one, except savepoints of users.

        Aborted ones go with it. What has metadata that cannot be read, or was refused, may be such
        a savepoint, and stays. `pending`: those that may still be completed.
        """
        if self.keeps or self.newest is None:
            return
        known = sorted(n for n, kind in self.known.items() if kind == CHECKPOINT)
        users = {n for n, kind in self.known.items() if kind != CHECKPOINT}
        unread = self._looked_at() - self.known.keys()
        kept = {*known[-self.retained :], *users, *unread, *pending}
        self._remove({n for n in self.numbers() if n < self.newest} - kept)

    def discard_incomplete(self) -> None:
        """Remove incomplete checkpoints of an earlier run."""
        self._remove(self.numbers() - self._looked_at())

    def _looked_at(self) -> set[int]:
        """Those that were complete, whatever has become of them."""
        return {number for number, file in self._files() if file in (METADATA, REFUSED)}

    def place_of(self, checkpoint: int) -> str:
        """Return the folder of a checkpoint, whether it exists or not."""
        return self.files.told(_folder(checkpoint))

    def refuse(self, checkpoint: int) -> None:
        """It is not used from now on, whatever becomes of it, but stays to be looked at."""
        folder = _folder(checkpoint)
        self.files.rename(f"{folder}/{METADATA}", f"{folder}/{REFUSED}")
        self.known.pop(checkpoint, None)

    def note_copy(self, checkpoint: int, of: int, why: Copied) -> None:
        """Say of a checkpoint that is to be written what it is a copy of, and that one, if it is.

        No event log may have told of that one: a process that is killed once its copy is complete
        has told nothing.
        """
        name = f"{_folder(checkpoint)}/{COPIED}"
        said: dict[str, object] = {"of": of, "why": why.value}
        before = None if why is Copied.ELSEWHERE else self.copied(of)
        if before is not None:
            earlier = cast("list[object]", before.get("chain", []))
            said["chain"] = [*earlier, [of, before.get("of"), before.get("why")]]
        self.files.write(name, json.dumps(said).encode())
        self.files.sync(name)

    def leave_newer(self, checkpoint: int, by: int = 0) -> None:
        """Give up newer checkpoints, because a run continues from an older one.

        `by`: once this checkpoint is complete. Until then nothing is dropped, and what an earlier
        run was to complete and has not is void.
        """
        for number in self.complete_ones():
            name, left = f"{_folder(number)}/{LEFT}", self.is_left(number)
            # What is left stays so, also when the one is gone by which it was.
            until = b"0" if left else str(by).encode()
            if left or number > checkpoint:
                if self.files.exists(name) and self.files.read(name) == until:
                    continue
                self.files.write(f"{name}~", until)
                self.files.sync(f"{name}~")
                self.files.rename(f"{name}~", name)
            elif self.files.exists(name):
                self.files.remove(name)

    def is_left(self, checkpoint: int) -> bool:
        """Whether a run has gone on here from before it."""
        name = f"{_folder(checkpoint)}/{LEFT}"
        if not self.files.exists(name):
            return False
        by = self.files.read(name)
        return not by.isdigit() or int(by) <= max(self._looked_at(), default=0)

    def _remove(self, numbers: Collection[int]) -> None:
        """The metadata goes first: what is left of a checkpoint is never taken for one."""
        found = [(file != METADATA, n, file) for n, file in self._files() if n in numbers]
        for _, number, file in sorted(found):
            self.files.remove(f"{_folder(number)}/{file}")
        for number in numbers:
            self.known.pop(number, None)
            self.written.pop(number, None)

    # --- reading ---------------------------------------------------------------------------------

    def numbers(self) -> set[int]:
        """All of which there is something."""
        return {number for number, _ in self._files()}

    def complete_ones(self) -> list[int]:
        """All of which there is metadata, the newest first."""
        return sorted((n for n, file in self._files() if file == METADATA), reverse=True)

    def refused_ones(self) -> list[int]:
        """All that were complete, and passed over since they were damaged."""
        return sorted(number for number, file in self._files() if file == REFUSED)

    def copied(self, checkpoint: int) -> Mapping[str, object] | None:
        """Return the original of a copied checkpoint, and the reason; None for an original.

        `chain`: where that one is a copy, too, its number, and of which and why; the oldest first.
        """
        name = f"{_folder(checkpoint)}/{COPIED}"
        if not self.files.exists(name):
            return None
        try:
            said = json_of(self.files.read(name))
        except ValueError:
            return None
        return cast("dict[str, object]", said) if isinstance(said, dict) else None

    def snapshot(self, checkpoint: int) -> StoredCheckpoint:
        """A complete checkpoint. Raises `checkpoint-altered`, `checkpoint-format`."""
        snapshot = StoredCheckpoint.read(self.files, _folder(checkpoint))
        if snapshot.metadata.checkpoint != checkpoint:
            raise altered(self.files.told(f"{snapshot.folder}/{METADATA}"))
        return snapshot

    def finished(self, checkpoint: int) -> frozenset[str]:
        """The tasks that had finished when it was planned."""
        return self.snapshot(checkpoint).metadata.finished

    def beside(self, task: str) -> tuple[str, ...]:
        """The tasks of the same operator, itself among them."""
        return next(each.tasks for each in self.shape if task in each.tasks)

    def load(self, checkpoint: int, task: str, use: str = STATE) -> State:
        """A task's part; None where it has none. Raises `checkpoint-altered`."""
        snapshot = self.snapshot(checkpoint)
        return snapshot.load(snapshot.metadata.part(task).file(use))

    def _files(self) -> list[tuple[int, str]]:
        """The files of all checkpoints, complete or not."""
        split = [name.split("/") for name in self.files.under(FOLDER)]
        return [(int(each[1]), each[2]) for each in split if len(each) == 3 and each[1].isdigit()]


@dataclass(frozen=True)
class StoredCheckpoint:
    """A complete checkpoint, in any folder."""

    files: Files
    folder: str
    metadata: Metadata

    @classmethod
    def read(cls, files: Files, folder: str) -> StoredCheckpoint:
        """Raises `no-checkpoint`, `checkpoint-altered`, `checkpoint-format`."""
        name = f"{folder}/{METADATA}"
        try:
            data = files.read(name)
        except OSError:
            raise FinaleError(
                "no-checkpoint",
                "this is not a complete checkpoint: its metadata cannot be read",
                place=Place(files.told(name)),
                advice="name the folder of a complete checkpoint",
            ) from None
        return cls(files, folder, decoded(data, files.told(name)))

    def load(self, file: File | None) -> State:
        """Read a state file. Raises `checkpoint-altered`."""
        return None if file is None else json_of(self.data(file))

    def data(self, file: File) -> bytes:
        """A file as it was written. Raises `checkpoint-altered`."""
        name = f"{self.folder}/{file.name}"
        try:
            data = self.files.read(name)
        except OSError:
            raise altered(self.files.told(name)) from None
        if File.of(file.name, data) != file:
            raise altered(self.files.told(name))
        return data

    def verify(self) -> None:
        """Read every file. Raises `checkpoint-altered`."""
        for file in self.metadata.files:
            self.data(file)


def _folder(checkpoint: int) -> str:
    return f"{FOLDER}/{checkpoint}"


def _part(task: str, finished: bool, written: Mapping[str, File | None]) -> SubtaskMetadata:
    if finished or written.get(task, ...) is None:
        return SubtaskMetadata(finished=True)
    return SubtaskMetadata(False, written.get(f"{task}{STATE}"), written.get(f"{task}{CHANNELS}"))
