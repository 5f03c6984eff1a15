"""Logs of real runs that are changed line by line, for commands to judge as a user calls them."""

import json
import re
import tarfile
from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from tests.cli.running import Ran, run

from .archive import FAILOVERS, SAMPLES

Edit = Callable[[list[str]], list[str]]


@cache
def lines_of(name: str) -> tuple[str, ...]:
    """The lines of a run that has one log."""
    for archived in (SAMPLES, FAILOVERS):
        with tarfile.open(archived) as archive:
            for each in archive:
                path = PurePosixPath(each.name)
                if path.parent.name == name and path.name == "flink.log":
                    file = archive.extractfile(each)
                    assert file is not None
                    return tuple(file.read().decode().splitlines())
    raise KeyError(name)


def edited(name: str, *edits: Edit) -> list[str]:
    """The lines of a sample after some edits."""
    lines = list(lines_of(name))
    for edit in edits:
        changed = edit(lines)
        assert changed != lines, "an edit has changed nothing"
        lines = changed
    return lines


def written(folder: Path, lines: list[str]) -> Path:
    """A folder with one log."""
    (folder / "flink.log").write_text("".join(f"{each}\n" for each in lines))
    return folder


def validated(folder: Path, lines: list[str], flags: str = "") -> tuple[dict[str, Any], Ran]:
    """The verdict on the first job of a log as JSON has it, and what the command prints as text."""
    written(folder, lines)
    page = json.loads(run(f"validate flink.log --format json {flags}", folder).stdout)
    return page["results"][0], run(f"validate flink.log {flags}", folder, columns=200)


def found(job: dict[str, Any], *severities: str) -> dict[str, list[dict[str, Any]]]:
    """The findings by their property; only those of some severities, if any are given."""
    by: dict[str, list[dict[str, Any]]] = {}
    for each in job["findings"]:
        if not severities or each["severity"] in severities:
            by.setdefault(each["property"], []).append(each)
    return by


# --- edits ----------------------------------------------------------------------------------------


def until(pattern: str, extra: int = 0) -> Edit:
    """The log ends with the first line that fits, or some lines behind it."""

    def edit(lines: list[str]) -> list[str]:
        return lines[: at(lines, pattern) + 1 + extra]

    return edit


def dropped(pattern: str, start: str = "") -> Edit:
    """Lines that fit are missing, from the first line on that fits `start`."""

    def edit(lines: list[str]) -> list[str]:
        first = at(lines, start)
        return [
            each for n, each in enumerate(lines) if n < first or re.search(pattern, each) is None
        ]

    return edit


def replaced(pattern: str, text: str) -> Edit:
    """The first line that fits has another text in place of what fits."""

    def edit(lines: list[str]) -> list[str]:
        place = at(lines, pattern)
        return [*lines[:place], re.sub(pattern, text, lines[place]), *lines[place + 1 :]]

    return edit


def inserted(behind: str, line: str) -> Edit:
    """A line stands behind the first that fits; it has that one's time."""

    def edit(lines: list[str]) -> list[str]:
        place = at(lines, behind)
        return [*lines[: place + 1], f"{lines[place][:24]}{line}", *lines[place + 1 :]]

    return edit


def moved(pattern: str, behind: str) -> Edit:
    """All lines that fit stand behind the last line that fits another pattern."""

    def edit(lines: list[str]) -> list[str]:
        away = [each for each in lines if re.search(pattern, each)]
        rest = [each for each in lines if re.search(pattern, each) is None]
        place = max(n for n, each in enumerate(rest) if re.search(behind, each))
        return [*rest[: place + 1], *away, *rest[place + 1 :]]

    return edit


def at_info(lines: list[str]) -> list[str]:
    """What is left if no logger is set to DEBUG."""
    kept, found = True, []
    for line in lines:
        head = re.match(r"\d{4}-\d\d-\d\d \S+ (\w+)", line)
        kept = kept if head is None else head[1] not in ("DEBUG", "TRACE")
        found += [line] if kept else []
    return found


def without_threads(lines: list[str]) -> list[str]:
    """As Flink's default layout has it."""
    return [re.sub(r"^(\d{4}-\S+ \S+ \w+ +\S+ \[)[^]]*\]", r"\1]", each) for each in lines]


def at(lines: list[str], pattern: str) -> int:
    """The place of the first line that fits."""
    return next(n for n, each in enumerate(lines) if re.search(pattern, each))


def number(lines: list[str], pattern: str) -> int:
    """The number of the first line that fits."""
    return at(lines, pattern) + 1
