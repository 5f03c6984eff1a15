"""Checkpoints on disk: a folder each, complete once its metadata is there.

    checkpoints/<number>/<task>.json    the state of a task
    checkpoints/<number>/metadata.json  the format, which tasks had finished, the sums of the files

The metadata is written under another name and renamed: there is no half a checkpoint.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from model.errors import FinaleError, Place
from reference.formats.files import Files

FORMAT = 2
FOLDER = "checkpoints"
METADATA = "metadata.json"

State = Any
"""What JSON can write."""


class CheckpointStore:
    """The snapshots of one job. `keeps` leaves what is of no use any more, to be looked at."""

    def __init__(self, files: Files, *, keeps: bool = False) -> None:
        self.files = files
        self.keeps = keeps
        self.newest: int | None = None
        """The newest checkpoint that is complete."""

    # --- writing ---------------------------------------------------------------------------------

    def put(self, checkpoint: int, task: str, state: State) -> None:
        """Write a task's part of a checkpoint."""
        name = _part(checkpoint, task)
        self.files.write(name, _text(state))
        self.files.sync(name)

    def complete(self, checkpoint: int, finished: set[str], *, newest: bool = True) -> None:
        """All parts are there, but of tasks that had finished: from now on it can be restored.

        `newest`: a restart takes it.
        """
        parts = [name for name in self.files.under(_folder(checkpoint)) if _is_part(name)]
        metadata = {
            "format": FORMAT,
            "checkpoint": checkpoint,
            "finished": sorted(finished),
            "files": {name.rsplit("/", 1)[1]: _sum(self.files.read(name)) for name in parts},
        }
        draft = f"{_folder(checkpoint)}/.{METADATA}"
        self.files.write(draft, _text(metadata))
        self.files.sync(draft)
        self.files.rename(draft, _metadata(checkpoint))
        if newest:
            self.newest = checkpoint

    def discard_older(self) -> None:
        """What is older than the newest complete checkpoint is not needed, aborted or not.

        The metadata goes first: what is left of a checkpoint is never taken for one.
        """
        if self.keeps or self.newest is None:
            return
        older = [name for name in self.files.under(FOLDER) if _number(name) < self.newest]
        for name in sorted(older, key=_is_part):
            self.files.remove(name)

    # --- reading ---------------------------------------------------------------------------------

    def find(self) -> int | None:
        """Look for the newest complete checkpoint, as a new process does; remove what is not."""
        names = self.files.under(FOLDER)
        complete = [_number(name) for name in names if name.endswith(f"/{METADATA}")]
        self.newest = max(complete, default=None)
        for name in names:
            if _number(name) != self.newest:
                self.files.remove(name)
        return self.newest

    def finished(self, checkpoint: int) -> frozenset[str]:
        """The tasks that had finished when it was planned."""
        return frozenset(self._read_metadata(checkpoint)["finished"])

    def load(self, checkpoint: int, task: str) -> State:
        """A task's part. Raises `checkpoint-altered`; None where the task has no part."""
        sums = self._read_metadata(checkpoint)["files"]
        name = _part(checkpoint, task)
        file = name.rsplit("/", 1)[1]
        if file not in sums:
            return None
        if not self.files.exists(name) or _sum(data := self.files.read(name)) != sums[file]:
            raise _altered(name)
        return json.loads(data)

    def _read_metadata(self, checkpoint: int) -> dict[str, Any]:
        name = _metadata(checkpoint)
        try:
            metadata: dict[str, Any] = json.loads(self.files.read(name))
        except ValueError:
            raise _altered(name) from None
        if metadata.get("format") != FORMAT:
            raise FinaleError(
                "checkpoint-format",
                f"{name} is of format {metadata.get('format')!r}, and {FORMAT} is known",
                place=Place(name, key="format"),
                advice="read it with the version that has written it",
            )
        return metadata


def _altered(name: str) -> FinaleError:
    return FinaleError(
        "checkpoint-altered",
        "the file is gone, or not what the checkpoint has written",
        place=Place(name),
        advice="put it back, or run the job from its start in another directory",
    )


def _folder(checkpoint: int) -> str:
    return f"{FOLDER}/{checkpoint}"


def _number(name: str) -> int:
    return int(name.split("/")[1])


def _part(checkpoint: int, task: str) -> str:
    return f"{_folder(checkpoint)}/{task}.json"


def _metadata(checkpoint: int) -> str:
    return f"{_folder(checkpoint)}/{METADATA}"


def _is_part(name: str) -> bool:
    file = name.rsplit("/", 1)[1]
    return file.endswith(".json") and not file.endswith(METADATA)


def _text(value: State) -> bytes:
    return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()


def _sum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
