"""Reads the tables of line patterns: TOML files, one for each version of an engine.

A table is data: `flink-2.3.toml` beside this file explains its keys. A second table can add the
lines of a user's own operators, such as writes and commits. `log4j2` writes the configuration of a
logging library that makes Flink write all these lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, cast

from finale.model.errors import FinaleError, Place, nearest
from finale.model.events import LINES
from finale.model.given import not_read, text_of, toml_of

from .layouts import Layouts, shipped
from .times import zone_of

_FOLDER = Path(__file__).parent
_META = re.compile(r"[\\.^$*+?{}\[\]|()]")
#: What a user's table can have; `wrapping`, `json`, `layout` and `start` are read by `layouts.py`.
_KEYS = (
    *("line", "part", "sequence", "layout", "start", "wrapping", "json"),
    *("engine", "release", "since", "package"),
)
_LINE_KEYS = ("event", "logger", "level", "message", "clock", "line", "task", "cause")
LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")


@dataclass(frozen=True)
class LinePattern:
    """A kind of line: what it tells, whose lines look like it, and how."""

    event: str
    logger: str
    levels: tuple[str, ...]
    message: re.Pattern[str]
    prefix: str
    """What it begins with, literally: looked at first, since that is fast."""
    clock: str
    follows: bool
    by_thread: bool
    has_cause: bool

    @property
    def is_by_name(self) -> bool:
        """Whether a line tells its task by the name alone, and not by the id of an execution."""
        told = self.message.groupindex
        return self.by_thread or ("execution" not in told and ("task" in told or "known" in told))


@dataclass(frozen=True)
class PatternTable:
    """How the lines of an engine version look, and what they tell."""

    engine: str
    release: str
    layouts: Layouts
    thread: re.Pattern[str]
    loggers: dict[str, tuple[LinePattern, ...]]
    """The last part of a logger's name, and the patterns of its lines, in their order."""
    packages: dict[str, str]
    """What comes before the last part of a logger's name."""
    since: str = ""
    """The oldest release with these lines; empty if all have them."""
    sequences: tuple[tuple[tuple[str, str], ...], ...] = ()
    """Lines that tell no event and that one thread of a task writes in this order: the last part of
    the logger's name, and how the message begins."""

    @property
    def name(self) -> str:
        """The release whose lines these are."""
        return f"{self.engine}-{self.release}"

    @property
    def patterns(self) -> tuple[LinePattern, ...]:
        return tuple(each for patterns in self.loggers.values() for each in patterns)

    def member_of(self, logger: str, message: str) -> tuple[int, int] | None:
        """Return the sequence that has a line, and its place there; None if none has it."""
        for number, place, beginning in self._members.get(logger, ()):
            if message.startswith(beginning):
                return number, place
        return None

    @cached_property
    def _members(self) -> dict[str, list[tuple[int, int, str]]]:
        """By logger the beginnings of messages in sequences, each with its place."""
        found: dict[str, list[tuple[int, int, str]]] = {}
        for number, lines in enumerate(self.sequences):
            for place, (logger, beginning) in enumerate(lines):
                found.setdefault(logger, []).append((number, place, beginning))
        return found

    def logger_of(self, end: str) -> str:
        """Return the logger whose name has this end, if one alone has; else the end."""
        found = [each for each in self.loggers if each.endswith(end)]
        return found[0] if len(found) == 1 else end

    def in_zone(self, name: str | None) -> PatternTable:
        """This table, with the zone of times that tell none. Raises `bad-timezone`."""
        zone = None if name is None else zone_of(name)
        return replace(self, layouts=replace(self.layouts, timezone=zone))

    def with_lines_of(self, other: PatternTable) -> PatternTable:
        """This table with another's lines, which are looked at first, and its layouts."""
        loggers = dict(self.loggers)
        for logger, patterns in other.loggers.items():
            loggers[logger] = (*patterns, *loggers.get(logger, ()))
        return replace(self, loggers=loggers, layouts=other.layouts)


def tables() -> tuple[str, ...]:
    """The names of the tables that there are, the newest release of an engine last."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*-*.toml")))


@cache
def table(name: str) -> PatternTable:
    """A table by its name. Raises `unknown-table`."""
    if name not in tables():
        raise FinaleError(
            "unknown-table",
            f'no table of log lines is called "{name}"',
            advice=nearest(name, tables()),
        )
    return read_table(_FOLDER / f"{name}.toml")


def read_table(path: Path, base: PatternTable | None = None) -> PatternTable:
    """A table that a file has; layouts and parts that it lacks are those of `base`.

    Raises `no-such-path`, `unreadable`, `bad-table`.
    """
    try:
        content = toml_of(text_of(path))
    except OSError as error:
        raise not_read(path, error, "the table") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise bad_table(path, str(error)) from None
    return _Reading(path, content, base).table()


def bad_table(path: Path, why: str, key: str | None = None) -> FinaleError:
    """What is wrong with a table that somebody wrote."""
    return FinaleError(
        "bad-table",
        f"this is no table of log lines: {why}",
        place=Place(str(path), key=key),
        advice="see docs/pipeline.md, and flink-2.3.toml in checker/logs/read for an example",
    )


class _Reading:
    """One table that is being read."""

    def __init__(self, path: Path, content: dict[str, Any], base: PatternTable | None) -> None:
        self.path, self.content, self.base = path, content, base
        known = base or (None if path.parent == _FOLDER else table(tables()[-1]))
        own: object = content.get("part", {})
        if not isinstance(own, dict):
            raise bad_table(path, "[part] is no table", "part")
        self.parts = {str(k): str(v) for k, v in cast("dict[object, object]", own).items()}
        self.known = known
        if known is not None:
            self.parts = _parts_of_shipped() | self.parts

    def table(self) -> PatternTable:
        loggers: dict[str, tuple[LinePattern, ...]] = {}
        for name in self.content:
            if name not in _KEYS:
                raise bad_table(self.path, f'"{name}" means nothing: {nearest(name, _KEYS)}', name)
        lines = self.content.get("line", [])
        layouts = self._layouts()
        if not isinstance(lines, list) or not (lines or layouts is not self._known_layouts):
            raise bad_table(self.path, "it has no [[line]], and no [[layout]]", "line")
        for number, line in enumerate(cast("list[object]", lines)):
            pattern = self._pattern(f"line[{number}]", line)
            loggers[pattern.logger] = (*loggers.get(pattern.logger, ()), pattern)
        if self.known is not None:
            return replace(self.known, loggers=loggers, layouts=layouts)
        return PatternTable(
            str(self.content["engine"]),
            str(self.content["release"]),
            layouts,
            self._compiled("part.thread", self.parts["thread"]),
            loggers,
            {str(key): str(value) for key, value in self.content["package"].items()},
            str(self.content.get("since", "")),
            tuple(
                tuple((str(logger), str(message)) for logger, message in each["lines"])
                for each in self.content.get("sequence", ())
            ),
        )

    @property
    def _known_layouts(self) -> Layouts:
        return shipped() if self.known is None else self.known.layouts

    def _layouts(self) -> Layouts:
        """The layouts that are known, and those of this table."""
        known, content = self._known_layouts, self.content
        if not {"layout", "start", "wrapping", "json"} & content.keys():
            return known

        def fail(why: str, key: str | None) -> FinaleError:
            return bad_table(self.path, why, key)

        return known.with_own(content, fail)

    def _pattern(self, key: str, line: object) -> LinePattern:
        if not isinstance(line, dict):
            raise bad_table(self.path, "a [[line]] is a table", key)
        told = cast("dict[str, object]", line)
        for name in told:
            if name not in _LINE_KEYS:
                help_ = nearest(name, _LINE_KEYS)
                raise bad_table(self.path, f'"{name}" means nothing in [[line]]: {help_}', key)
        for name in ("event", "logger", "message"):
            if name not in told:
                raise bad_table(self.path, f'a [[line]] has no "{name}"', key)
        event = str(told["event"])
        if event not in WORDS:
            why = f'no event is called "{event}": {nearest(event, sorted(WORDS))}'
            raise bad_table(self.path, why, key)
        levels = told.get("level", list(LEVELS))
        if not isinstance(levels, list) or not set(cast("list[str]", levels)) <= set(LEVELS):
            raise bad_table(self.path, f"level is a list of some of {', '.join(LEVELS)}", key)
        text = told["message"]
        text = "".join(cast("list[str]", text)) if isinstance(text, list) else str(text)
        return LinePattern(
            event,
            str(told["logger"]),
            tuple(cast("list[str]", levels)),
            self._compiled(key, text),
            _prefix_of(text),
            str(told.get("clock", "none")),
            told.get("line", "follows") == "follows",
            told.get("task") == "thread",
            told.get("cause") == "next",
        )

    def _compiled(self, key: str, text: object) -> re.Pattern[str]:
        whole = "".join(cast("list[str]", text)) if isinstance(text, list) else str(text)
        for name, part in self.parts.items():
            whole = whole.replace(f"{{{name}}}", part)
        try:
            return re.compile(whole)
        except re.error as error:
            raise bad_table(self.path, f"no regular expression: {error}", key) from None


def _prefix_of(text: str) -> str:
    found = _META.search(text)
    if "|" in re.sub(r"\([^()]*\)", "", text):
        return ""  # any of several beginnings
    if found is None:
        return text
    # What may be repeated or left out is no part of what it begins with.
    return text[: found.start() - 1 if found[0] in "*?+" else found.start()]


def _parts_of_shipped() -> dict[str, str]:
    text = (_FOLDER / f"{tables()[-1]}.toml").read_text(encoding="utf-8")
    return {str(key): str(value) for key, value in toml_of(text)["part"].items()}


#: The words that lines may tell, by their names.
WORDS = {word.name: word for word in LINES}


#: Lines of such loggers are helpful to a reader, and nothing is judged by them.
_NEEDLESS = ("DefaultCheckpointStatsTracker", "AdaptiveScheduler")


def levels_needed(table: PatternTable) -> dict[str, str]:
    """Of loggers with lines below INFO: the whole name, and the level at which all are written."""
    found: dict[str, str] = {}
    for logger, patterns in table.loggers.items():
        level = min((each.levels[0] for each in patterns), key=LEVELS.index)
        if LEVELS.index(level) < LEVELS.index("INFO") and logger not in _NEEDLESS:
            found[f"{table.packages[logger]}.{logger}"] = level
    return found


def log4j2(table: PatternTable) -> str:
    """What to add to a `log4j.properties` of Log4j 2, as Flink has it in `conf/`."""
    lines = [
        f"# {table.engine} {table.release}: lines from which finale validate decides most.",
        "# Some ten lines a task and checkpoint, and none a record.",
        "# Threads: without them nobody knows which task waits for its final checkpoint. This line",
        "# is there already: replace it, in each appender.",
        "appender.main.layout.pattern = %d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %c [%t] - %m%n",
        "",
    ]
    for name, level in sorted(levels_needed(table).items()):
        short = name.rpartition(".")[2].lower()
        lines += [f"logger.finale_{short}.name = {name}", f"logger.finale_{short}.level = {level}"]
    return "\n".join(lines) + "\n"
