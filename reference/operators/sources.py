"""Sources that read lines of files, and remember the position in each file."""

from __future__ import annotations

import errno
import glob
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

from finale.model.errors import FinaleError, Place
from finale.model.given import json_of, line_of, opened
from finale.reference.channel import Buffer, Record
from finale.reference.formats.files import AGAIN
from finale.reference.formats.snapshots import State
from finale.reference.operators.base import Context, Emit, Operator, SourceOperator
from finale.reference.operators.sinks import SideFile

#: So many bytes of a file are read at once.
CHUNK = 1 << 18


def files_of(folder: Path, pattern: str, key: str) -> tuple[Path, ...]:
    """The files that a pattern names in a folder, sorted. Raises `no-input`."""
    # A pattern may be absolute, which Path.glob refuses; a folder's name is no pattern.
    whole = os.path.join(glob.escape(str(folder)), pattern)  # noqa: PTH118
    found = (Path(name) for name in sorted(glob.glob(whole, recursive=True)))  # noqa: PTH207
    files = tuple(path for path in found if path.is_file())
    if not files:
        raise FinaleError(
            "no-input",
            f'no file is called "{folder / pattern}"',
            place=Place(key=key),
            advice="check the path: it is relative to the job's file",
        )
    return files


@dataclass
class Position:
    """The read position in a file."""

    path: Path
    offset: int = 0
    line: int = 0
    time: int | None = None
    """The latest that was read of it since the start."""
    ended: bool = False


@dataclass(frozen=True)
class Chunk:
    """A chunk that was read from a file."""

    position: Position
    size: int
    lines: int
    time: int | None
    buffer: Buffer
    bad: tuple[Record, ...]


@dataclass(eq=False)
class Bad(Exception):
    """A line that says nothing: which, counted from the chunk's first, and why."""

    line: int
    problem: str


class LineSource(SourceOperator):
    """The lines of files. A position is a file, by its path, and a byte: it stays with its subtask.

    A bounded source reads one file after the other; where records tell their time, the file that is
    furthest behind. One that follows its files never ends, and leaves a half line for later.
    """

    def __init__(
        self,
        context: Context,
        *,
        files: Mapping[str, Path],
        follow: bool = False,
        bad: bool = False,
    ) -> None:
        super().__init__(context)
        self.files = files
        self.follow = follow
        self.positions: dict[str, Position] = {}
        self.watermark_told: int | None = None
        self.bad = SideFile(context, "bad", used=bad)
        self._next: Chunk | None = None
        self.over = False
        """Whoever reads it has been told that nothing follows."""
        self._take(sorted(files))

    def _take(self, names: Sequence[str]) -> None:
        """Distribute new files over all subtasks that have not finished."""
        index, count = self.context.index, self.context.count
        if self.beside:
            index, count = self.beside.index(self.context.task), len(self.beside)
        for name in names[index::count]:
            self.positions[name] = Position(self.files[name])

    # --- as a source -----------------------------------------------------------------------------

    def peek(self) -> Buffer | None:
        if self._next is None:
            self._next = self._read()
        return None if self._next is None else self._next.buffer

    def advance(self) -> None:
        chunk = self._next
        assert chunk is not None
        at = chunk.position
        self.read_bytes += chunk.size
        at.offset, at.line, at.time = at.offset + chunk.size, at.line + chunk.lines, chunk.time
        if chunk.buffer.watermark is not None:
            self.watermark_told = chunk.buffer.watermark
        if chunk.bad:
            self.bad.add(chunk.bad)
        self._next = None

    @property
    def has_ended(self) -> bool:
        return not self.follow and self.peek() is None

    def _read(self) -> Chunk | None:
        open_files = [each for each in self.positions.values() if not each.ended]
        while open_files:
            position = min(open_files, key=_behind)
            data = self._bytes(position)
            if data:
                return self._chunk(position, data)
            position.ended = not self.follow
            open_files.remove(position)
        return None

    def _bytes(self, position: Position) -> bytes:
        """Read the next bytes of a file."""
        try:
            with opened(position.path) as file:
                file.seek(position.offset)
                return self.whole(file, file.read(CHUNK))
        except OSError as reason:
            if reason.errno == errno.EINVAL:
                self._refuse(position, Bad(0, str(reason.strerror)))
            raise FinaleError(
                "no-input",
                f"the file cannot be read any more: {reason.strerror}",
                place=Place(str(position.path)),
                advice=f"put it back, and {AGAIN}",
            ) from reason

    def _chunk(self, position: Position, data: bytes) -> Chunk:
        text = data.decode(errors="surrogateescape").removesuffix("\n")
        lines = text.split("\n")
        bad: list[Bad] = []
        records = tuple(self.records(position, lines, bad.append))
        if bad and not self.bad.used:
            self._refuse(position, bad[0])
        time = self.latest(records, position.time)
        return Chunk(
            position,
            len(data),
            len(lines),
            time,
            Buffer(records, self._watermark(position, time)),
            tuple(
                {
                    "file": str(position.path),
                    "line": position.line + each.line + 1,
                    "problem": each.problem,
                    "text": lines[each.line],
                }
                for each in bad
            ),
        )

    def _watermark(self, position: Position, time: int | None) -> int | None:
        """Return the common watermark of all files, if it has risen."""
        unread = [each for each in self.positions.values() if not each.ended]
        times = [time if each is position else each.time for each in unread]
        known = [each for each in times if each is not None]
        if len(known) < len(times):
            return None
        mark = min(known) - self.out_of_order
        return mark if self.watermark_told is None or mark > self.watermark_told else None

    def _refuse(self, position: Position, bad: Bad) -> NoReturn:
        raise FinaleError(
            "bad-input",
            bad.problem,
            place=Place(str(position.path), position.line + bad.line + 1),
            advice='correct the line, or write on-bad = "keep" to skip it',
        )

    # --- what other formats do otherwise ---------------------------------------------------------

    out_of_order = 0

    def whole(self, file: IO[bytes], data: bytes) -> bytes:
        """Return the read bytes up to the end of a line."""
        if data and not data.endswith(b"\n"):
            data += line_of(file)
        half = len(data) - (data.rfind(b"\n") + 1) if self.follow else 0
        file.seek(-half, os.SEEK_CUR)
        return data[: len(data) - half]

    def records(
        self, position: Position, lines: Sequence[str], bad: Callable[[Bad], object]
    ) -> Sequence[Record]:
        """Parse lines into records."""
        return lines

    def latest(self, records: Sequence[Record], before: int | None) -> int | None:
        """The latest time of records and of what was read before them."""
        return None

    # --- checkpoints -----------------------------------------------------------------------------

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return {
            "known": sorted(self.files),
            "positions": {name: [p.offset, p.line, p.ended] for name, p in self.positions.items()},
            "bad": self.bad.snapshot(checkpoint, last=last),
            "over": self.over,
        }

    def finish(self, emit: Emit) -> None:
        self.over = True

    def had_ended(self, state: State) -> bool:
        return bool(state.get("over"))

    def restore(self, state: State) -> None:
        """Go on where the files were, and begin those that are new."""
        _refuse_elsewhere(state["known"], self.files)
        self.positions = {}
        for name, (offset, line, ended) in state["positions"].items():
            if name in self.files:
                _refuse_changed(self.files[name], offset)
                self.positions[name] = Position(self.files[name], offset, line)
            elif not ended:
                raise _changed(Path(name), "it is gone, and was not read to its end")
        self._take(sorted(self.files.keys() - set(state["known"])))
        self._note(state["known"])
        self.over = bool(state.get("over"))
        self.bad.go_on(state["bad"])

    def settle(self, state: State) -> None:
        self.bad.go_on(state["bad"])

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        """Assign each file, with its position, to one of the subtasks."""
        known = [state for state in states if state is not None]
        if not known:
            return None
        positions = sorted(each for state in known for each in state["positions"].items())
        return {
            "known": sorted({name for state in known for name in state["known"]}),
            "positions": dict(positions[index::count]),
            "bad": SideFile.share([s and s["bad"] for s in states], index, count),
            "over": all(state.get("over") for state in known),
        }

    def uncommitted(self) -> int:
        return self.bad.uncommitted()

    def ahead_of(self, checkpoint: int | None) -> list[str]:
        return self.bad.ahead_of(checkpoint)

    def start(self) -> None:
        self._note(())
        self.bad.go_on(None)

    def _note(self, known: Iterable[str]) -> None:
        """Which files the source has, for a start after all of it has finished."""
        files, name = self.context.files, self._noted
        data = json.dumps(sorted({*known, *self.files})).encode()
        if not files.exists(name) or files.read(name) != data:
            files.write(f"{name}~", data)
            files.sync(f"{name}~")
            files.rename(f"{name}~", name)

    @property
    def _noted(self) -> str:
        return f"sources/{self.context.vertex}.json"

    def refuse_finished(self) -> None:
        """Refuse files that are new since all subtasks finished. Raises `input-added`."""
        files, name = self.context.files, self._noted
        known = json_of(files.read(name)) if files.exists(name) else self.files
        if added := sorted(self.files.keys() - set(known)):
            raise FinaleError(
                "input-added",
                f'"{self.context.vertex}" has finished, and would not read this',
                place=Place(str(self.files[added[0]])),
                advice="give the file to another job, or remove it",
            )

    def restore_finished(self) -> Operator:
        self.bad.go_on(None)
        return super().restore_finished()

    def completed(self, checkpoint: int, emit: Emit) -> None:
        self.bad.completed(checkpoint)

    def close(self) -> None:
        self.bad.close()


def _behind(position: Position) -> float:
    return float("-inf") if position.time is None else position.time


def _refuse_elsewhere(known: Iterable[str], files: Mapping[str, Path]) -> None:
    """Files that are called as those that are gone may be the same, and would be read again."""
    gone = {Path(name).name: name for name in known}
    if files.keys().isdisjoint(known) and (found := [n for n in files if Path(n).name in gone]):
        raise FinaleError(
            "input-elsewhere",
            f"it may be what was read as {gone[Path(found[0]).name]}, and would be read again: no "
            "file is where the source had it",
            place=Place(str(files[found[0]])),
            advice="put the job back to where it was, with its path; or give new files new names",
        )


def _refuse_changed(path: Path, offset: int) -> None:
    """Refuse a file whose read part has changed, as far as its last bytes show."""
    size = path.stat().st_size
    if size < offset:
        raise _changed(path, f"it has {size} bytes, and {offset} were read of it")
    if 0 < offset < size:
        with opened(path) as file:
            file.seek(offset - 1)
            if file.read(1) != b"\n":
                raise _changed(path, "its last line was read, and has become longer")


def _changed(path: Path, problem: str) -> FinaleError:
    return FinaleError(
        "input-changed",
        f"the file has changed since a checkpoint read it: {problem}",
        place=Place(str(path)),
        advice="put it back, or run the job from its start in another directory",
    )
