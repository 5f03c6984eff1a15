"""A progress bar on one line of a terminal. A pipe gets no output."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import monotonic
from types import TracebackType

from finale.checker.report.layout import console, shortened

from .meter import SEPARATOR, fitting

SECONDS_BETWEEN = 0.2
WIDTH = 20


class Bar:
    """A bar and a few words on stderr. Whoever prints takes it away first: it comes again."""

    def __init__(self) -> None:
        self._page = console(stderr=True)
        self._next = 0.0
        self._is_there = False

    def __enter__(self) -> Bar:
        return self

    def __call__(self, part: float, words: Sequence[str]) -> None:
        """Show the completed part, from 0 to 1, and words, the most important first."""
        if not self._page.is_terminal or monotonic() < self._next:
            return
        self._next = monotonic() + SECONDS_BETWEEN
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


def line_of(part: float, words: Sequence[str], width: int) -> str:
    """The bar and as many words as there is room for."""
    done = round(min(max(part, 0.0), 1.0) * WIDTH)
    bar = f"[{'#' * done}{'.' * (WIDTH - done)}] "
    return shortened(bar + SEPARATOR.join(fitting(words, width - len(bar))), width)


__all__ = ["Bar", "line_of"]
