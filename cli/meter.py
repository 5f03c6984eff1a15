"""How far a search is, on one line of a terminal; nothing in a pipe."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from checker.question import News
from checker.show.layout import console, duration, grouped, shortened

if TYPE_CHECKING:
    from rich.status import Status


class Meter:
    """A line on stderr while a search runs. It appears with the first report, and then vanishes."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._page = console(stderr=True)
        self._status: Status | None = None

    def __enter__(self) -> Meter:
        return self

    def __call__(self, news: News) -> None:
        """Tell how far the search is."""
        if not self._page.is_terminal:
            return
        parts = [
            f"{self._name}: {grouped(news.states)} states",
            f"{grouped(round(news.states / news.seconds)) if news.seconds else '?'}/s",
            f"{grouped(news.frontier)} open",
            f"level {news.depth}",
            duration(news.seconds),
        ]
        if news.seconds_left is not None:
            parts.append(f"about {duration(news.seconds_left)} left")
        elif news.depth:
            parts.append("levels still grow")
        if news.memory:
            parts.append(f"{grouped(round(news.memory / 2**20))} MB")
        text = " · ".join(parts)
        if self._status is None:
            self._status = self._page.status("", spinner="line")
            self._status.start()
        self._status.update(shortened(text, self._page.width - 3))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._status is not None:
            self._status.stop()
