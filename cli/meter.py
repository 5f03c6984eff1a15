"""The progress of a command: a search has one or two lines of a terminal, other work has a bar.

Of a search, a file or a pipe gets a whole line now and then: a log of a build shows that the work
goes on. It gets a line at once if the search must be compiled first. Of a bar they get nothing.
A program that runs a command can open a pipe for its progress: see `PROGRESS`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

from finale.checker.report.layout import console, counted, duration, grouped, shortened, write
from finale.checker.search.limits import COMPILING, SearchProgress

if TYPE_CHECKING:
    from rich.status import Status

    from finale.checker.logs.event_log.progress import LogProgress
    from finale.checker.review.review import Progress

SEPARATOR = " · "
#: A file's name is not shortened to less.
NAME_MIN = 8
#: Seconds between two lines in a file or a pipe. A short search writes none.
SECONDS_BETWEEN_LINES = 30.0
SECONDS_BETWEEN_BARS = 0.2
BAR_WIDTH = 20
#: The environment variable with the number of a pipe that a program has opened. A line of progress
#: goes there each second, and none to stderr.
PROGRESS = "FINALE_PROGRESS"
SECONDS_BETWEEN_LINES_OF_PIPE = 1.0
#: The pipe that the variable named, if any.
_PIPES: list[int] = []


class Meter:
    """The progress line on stderr. It appears with the first report, and vanishes at the end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._page = console(stderr=True)
        self._status: Status | None = None
        self._pipe = _pipe()
        self._between = (
            SECONDS_BETWEEN_LINES if self._pipe is None else SECONDS_BETWEEN_LINES_OF_PIPE
        )
        self._next = monotonic() + self._between
        self._is_compiling = False

    def __enter__(self) -> Meter:
        return self

    def __call__(self, progress: SearchProgress | LogProgress) -> None:
        """Tell how far the search is."""
        is_long = isinstance(progress, SearchProgress) and progress.before == COMPILING
        if self._is_due or is_long:
            self._show(lines_of(self._name, progress, self._page.width - 3))

    def tell_many(self, busy: Sequence[Path | str], done: int, count: int) -> None:
        """Tell which of many specs are being searched, and how many are done."""
        self._tell_of_workers([], busy, done, count)

    def tell_review(self, progress: Progress) -> None:
        """Tell how far a review is, and what it has found."""
        left, unknown = progress.seconds_left, [] if progress.done else ["no estimate yet"]
        parts = unknown if left is None else [f"about {duration(left)} left"]
        found = f"newly violated: {', '.join(progress.fallen)}" if progress.fallen else ""
        self._tell_of_workers(parts, progress.busy, progress.done, progress.count, found)

    def _tell_of_workers(
        self,
        more: Sequence[str],
        busy: Sequence[Path | str],
        done: int,
        count: int,
        found: str = "",
    ) -> None:
        """Tell how many are done, and more; what was `found` has a line of its own in a terminal.

        That a worker compiles the search is told at once.
        """
        from finale.checker.search.native.compiling import is_compiling

        now, before = is_compiling(), self._is_compiling
        self._is_compiling = now
        if self._is_due or (now and not before):
            names = ", ".join(Path(each).name for each in busy)
            parts = [f"{done} of {count} {self._name}", *more, COMPILING if now else "", names]
            lines = [SEPARATOR.join(part for part in parts if part), *([found] if found else [])]
            if self._page.is_terminal:
                lines = [shortened(line, self._page.width - 3) for line in lines]
            self._show(lines)

    @property
    def _is_due(self) -> bool:
        return self._page.is_terminal or monotonic() >= self._next

    def _show(self, lines: Sequence[str]) -> None:
        if self._pipe is not None or not self._page.is_terminal:
            self._next = monotonic() + self._between
            line = SEPARATOR.join(lines)
            if self._pipe is None:
                write(self._page, [line])
            else:
                _tell(self._pipe, line)
            return
        from rich.console import Group
        from rich.text import Text

        text = Group(*map(Text, lines))
        if self._status is None:
            self._status = self._page.status("", spinner="line")
            self._status.start()
        self._status.update(text)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()


def lines_of(name: str, progress: SearchProgress | LogProgress, width: int) -> list[str]:
    """Lay out the progress in one line, or in two lines if one line is too short."""
    short = shortened(name, max(width // 3, NAME_MIN))
    head, *parts = (
        _parts(short, progress)
        if isinstance(progress, SearchProgress)
        else _parts_of_log(short, progress)
    )
    first = fitting([head, *parts], width)
    second = fitting(parts[len(first) - 1 :], width)
    return [shortened(SEPARATOR.join(line), width) for line in (first, second) if line]


def _parts(name: str, progress: SearchProgress) -> list[str]:
    """The progress of a search, the most important part first."""
    if progress.before:
        head = f"{name}: {progress.before}"
        return [head, duration(progress.seconds)] if progress.seconds else [head]
    parts = [f"{name}: {grouped(progress.states)} states", duration(progress.seconds)]
    if progress.after:
        parts.insert(1, progress.after)
    if progress.seconds_left is not None:
        parts.append(f"about {duration(progress.seconds_left)} left")
    elif progress.depth:
        parts.append("no estimate yet")
    if progress.memory:
        parts.append(f"{grouped(round(progress.memory / 2**20))} MB")
    if progress.seconds and not progress.after:
        parts.append(f"{grouped(round(progress.states / progress.seconds))}/s")
    return [*parts, f"level {progress.depth}", f"{grouped(progress.frontier)} open"]


def _parts_of_log(name: str, progress: LogProgress) -> list[str]:
    """The progress of judging an event log. The judge reads the log twice."""
    doing = "judging" if progress.judges else "explaining"
    head = f"{name}: {doing} line {grouped(progress.line)} of {grouped(progress.lines)}"
    return [head, duration(progress.seconds), counted(progress.states, "state")]


def fitting(parts: Sequence[str], width: int) -> list[str]:
    """As many of the first parts as there is room for, whole; the first one in any case."""
    taken = list(parts[:1])
    for part in parts[1:]:
        if len(SEPARATOR.join([*taken, part])) > width:
            break
        taken.append(part)
    return taken


class Bar:
    """A bar and a few words on stderr. Whoever prints takes it away first: it comes again."""

    def __init__(self) -> None:
        self._page = console(stderr=True)
        self._pipe = _pipe()
        self._next = 0.0
        self._is_there = False

    def __enter__(self) -> Bar:
        return self

    def __call__(self, part: float, words: Sequence[str]) -> None:
        """Show the completed part, from 0 to 1, and words, the most important first."""
        if monotonic() < self._next:
            return
        if self._pipe is not None:
            self._next = monotonic() + SECONDS_BETWEEN_LINES_OF_PIPE
            _tell(self._pipe, SEPARATOR.join([f"{part:.0%}", *words]))
            return
        if not self._page.is_terminal:
            return
        self._next = monotonic() + SECONDS_BETWEEN_BARS
        self.clear()
        sys.stderr.write(line_of(part, words, self._page.width - 1))
        sys.stderr.flush()
        self._is_there = True

    def clear(self) -> None:
        """Make room."""
        if self._is_there:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._is_there = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()


def _pipe() -> int | None:
    """The pipe for progress, if a program has opened one.

    The variable is removed: a process that the command starts inherits it, and not the pipe.
    """
    number = os.environ.pop(PROGRESS, "")
    if number.isdecimal():
        _PIPES[:] = [int(number)]
    return _PIPES[0] if _PIPES else None


def _tell(pipe: int, line: str) -> None:
    with suppress(OSError, OverflowError):  # the number is no open pipe
        os.write(pipe, f"{line}\n".encode())


def line_of(part: float, words: Sequence[str], width: int) -> str:
    """The bar and as many words as there is room for."""
    done = round(min(max(part, 0.0), 1.0) * BAR_WIDTH)
    bar = f"[{'#' * done}{'.' * (BAR_WIDTH - done)}] "
    return shortened(bar + SEPARATOR.join(fitting(words, width - len(bar))), width)
