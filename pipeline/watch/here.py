"""A watch in this process, without Spark: it judges what is new, and looks again.

What a batch will read is written down before the batch begins. So a watch that was killed reads the
same bytes again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from finale.model.given import json_of
from finale.model.written import write_whole

from .files import LogFolder
from .news import BYTES_OF_BATCH, START, NewPart, Offset, offset_after, parts_between, rows_of
from .work import WatchOrder, judged

#: The file with the offsets of a watch.
OFFSETS = "here.json"

Take = Callable[[int, Iterable[dict[str, Any]]], None]
"""Called for each batch: its number, and what is told of each folder."""


def watch_here(
    folder: LogFolder, kept: Path, orders: Callable[[int], WatchOrder], take: Take, seconds: float
) -> None:
    """Judge what is new, batch by batch, until nothing is new in a folder that is frozen."""
    batch, start, end = _saved(kept)
    while True:
        if end is None:
            end = offset_after(folder, start, BYTES_OF_BATCH)
            if end == start:
                end = None
                if folder.is_frozen:
                    return
                time.sleep(seconds)
                continue
            _save(kept, batch, start, end)
        parts = parts_between(start, end)
        take(batch, (judged(orders(batch), name, _news(folder, parts[name])) for name in parts))
        batch, start, end = batch + 1, end, None
        _save(kept, batch, start, None)


def _news(
    folder: LogFolder, parts: Iterable[NewPart]
) -> dict[str, list[tuple[Mapping[str, Any], bytes]]]:
    """Return the new bytes of each log of a folder."""
    news: dict[str, list[tuple[Mapping[str, Any], bytes]]] = {}
    for part in parts:
        for told, data in rows_of(folder.root, part):
            news.setdefault(part.piece.log, []).append((json_of(told), data))
    return news


def _saved(kept: Path) -> tuple[int, Offset, Offset | None]:
    """The next batch, where it begins, and where it ends if it was begun."""
    with suppress(OSError, ValueError):
        saved: dict[str, Any] = json_of((kept / OFFSETS).read_text(encoding="utf-8"))
        return saved["batch"], saved["start"], saved["end"]
    return 0, START, None


def _save(kept: Path, batch: int, start: Offset, end: Offset | None) -> None:
    text = json.dumps({"batch": batch, "start": start, "end": end})
    write_whole(kept / OFFSETS, text, "here.part")
