"""A file that stores what each batch added to the logs of a folder.

Each batch is a frame: a line that says which batch it is, how long it is, and a checksum; then so
many bytes. A batch that is repeated takes the place of what was written of it, and of all that
came later: it was not finished, else it were not repeated.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from finale.model.errors import FinaleError, Place
from finale.model.given import json_of


class FolderBatches:
    """The file of one folder of logs, read up to some batch."""

    def __init__(self, state: Path, folder: str) -> None:
        digest = hashlib.sha256(folder.encode("utf-8", "surrogateescape")).hexdigest()[:24]
        self.file = state / f"{digest}.batches"
        self.folder = folder
        self.batch = -1
        """The last one that was read or written."""
        self._end = 0

    def before(self, batch: int) -> Iterator[Mapping[str, Any]]:
        """Return the additions before a batch that were not read yet. Raises `watch-damaged`."""
        try:
            with self.file.open("rb") as stream:
                stream.seek(self._end)
                while (frame := self._frame(stream)) is not None and frame[0] < batch:
                    self.batch, self._end = frame[0], stream.tell()
                    yield frame[1]
        except FileNotFoundError:
            return

    def append(self, batch: int, more: Mapping[str, Any]) -> None:
        """Write down what a batch adds; it is on the disk then."""
        content = json.dumps(more, separators=(",", ":")).encode() + b"\n"
        head = {"batch": batch, "bytes": len(content), "crc32": zlib.crc32(content)}
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        with os.fdopen(os.open(self.file, flags, 0o644), "r+b") as stream:
            stream.truncate(self._end)
            stream.seek(self._end)
            stream.write(json.dumps(head).encode() + b"\n" + content)
            stream.flush()
            os.fsync(stream.fileno())
            self.batch, self._end = batch, stream.tell()

    def _frame(self, stream: IO[bytes]) -> tuple[int, Mapping[str, Any]] | None:
        """The next frame; None at the end, or where one was not written to its end."""
        line = stream.readline()
        if not line.endswith(b"\n"):
            return None
        try:
            head = json_of(line)
            content = stream.read(head["bytes"])
            if len(content) < head["bytes"]:
                return None
            if zlib.crc32(content) != head["crc32"]:
                raise ValueError
            return head["batch"], json_of(content)
        except (ValueError, KeyError, TypeError):
            raise FinaleError(
                "watch-damaged",
                "the saved state of the watch is damaged: a checksum is wrong",
                place=Place(str(self.file)),
                advice="watch anew, with another folder for --resume",
            ) from None
