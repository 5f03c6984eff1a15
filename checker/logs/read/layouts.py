"""Holds how lines are taken apart: `layouts.toml` beside this file, and the layouts of users."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import tzinfo
from functools import cache
from pathlib import Path
from typing import cast

from finale.model.given import toml_of

_PATH = Path(__file__).parent / "layouts.toml"
#: What the first line of an entry must tell, in each layout.
_TOLD = ("time", "level", "logger", "message")


@dataclass(frozen=True)
class Layout:
    """How a logging library writes a line. `logger_width`: longer names lose their beginning."""

    name: str
    head: re.Pattern[str]
    logger_width: int = 0
    time_format: str | None = None
    """As `strptime` has it; None for times that need no explanation."""


@dataclass(frozen=True)
class Wrapping:
    """What a shipper writes before a line."""

    name: str
    head: re.Pattern[str]


@dataclass(frozen=True)
class JsonFields:
    """The names that fields of JSON objects have, whoever writes them."""

    time: tuple[str, ...]
    level: tuple[str, ...]
    logger: tuple[str, ...]
    thread: tuple[str, ...]
    message: tuple[str, ...]
    thrown: tuple[str, ...]
    source: tuple[str, ...]


@dataclass(frozen=True)
class Layouts:
    """All that lines are taken apart by. `timezone` is the zone of times that tell none."""

    parts: Mapping[str, str]
    layouts: tuple[Layout, ...]
    start: tuple[re.Pattern[str], ...]
    """What a line begins with that wants to be the first one of an entry."""
    wrappings: tuple[Wrapping, ...]
    json: JsonFields
    timezone: tzinfo | None = None

    def with_own(
        self, content: Mapping[str, object], fail: Callable[[str, str | None], Exception]
    ) -> Layouts:
        """Return these with those of a user's table, which are tried first.

        `fail` makes the error for a key that is wrong.
        """
        own = _Own(content, self.parts, fail)
        return replace(
            self,
            parts=own.parts,
            layouts=(*own.layouts(), *self.layouts),
            start=(*own.start(), *self.start),
            wrappings=(*own.wrappings(), *self.wrappings),
            json=own.json(self.json),
        )


@dataclass
class _Own:
    """The layouts of one table."""

    content: Mapping[str, object]
    parts: Mapping[str, str]
    fail: Callable[[str, str | None], Exception]

    def __post_init__(self) -> None:
        own = self._table(self.content.get("part", {}), "part")
        self.parts = {**self.parts, **{key: _whole(each) for key, each in own.items()}}

    def layouts(self) -> tuple[Layout, ...]:
        found: list[Layout] = []
        for key, told in self._tables("layout", ("name", "head", "logger_width", "time_format")):
            head = self._compiled(key, told["head"])
            for name in _TOLD:
                if name not in head.groupindex:
                    raise self.fail(f'the head of a [[layout]] has no group "{name}"', key)
            width, form = told.get("logger_width", 0), told.get("time_format")
            if not isinstance(width, int) or not isinstance(form, str | None):
                raise self.fail("logger_width is a number, and time_format a text", key)
            found.append(Layout(str(told.get("name", key)), head, width, form))
        return tuple(found)

    def wrappings(self) -> tuple[Wrapping, ...]:
        found: list[Wrapping] = []
        for key, told in self._tables("wrapping", ("name", "head")):
            head = self._compiled(key, told["head"])
            if "rest" not in head.groupindex:
                raise self.fail('the head of a [[wrapping]] has no group "rest"', key)
            found.append(Wrapping(str(told.get("name", key)), head))
        return tuple(found)

    def start(self) -> tuple[re.Pattern[str], ...]:
        told = self._table(self.content.get("start", {}), "start")
        for key in told:
            if key != "head":
                raise self.fail(f'"{key}" means nothing in [start], which has a head', "start")
        return (self._compiled("start", told["head"]),) if told else ()

    def json(self, known: JsonFields | None) -> JsonFields:
        told = self._table(self.content.get("json", {}), "json")
        names = [each.name for each in fields(JsonFields)]
        own: dict[str, tuple[str, ...]] = {}
        for key, value in told.items():
            if key not in names or not isinstance(value, list):
                raise self.fail(f"[json] has lists of {', '.join(names)}", f"json.{key}")
            before = () if known is None else getattr(known, key)
            own[key] = (*map(str, cast("list[object]", value)), *before)
        return JsonFields(**own) if known is None else replace(known, **own)

    def _tables(self, key: str, names: tuple[str, ...]) -> list[tuple[str, dict[str, object]]]:
        told = self.content.get(key, [])
        if not isinstance(told, list):
            raise self.fail(f"[[{key}]] is a list of tables", key)
        found: list[tuple[str, dict[str, object]]] = []
        for number, each in enumerate(cast("list[object]", told)):
            place = f"{key}[{number}]"
            table = self._table(each, place)
            for name in table:
                if name not in names:
                    why = f'"{name}" means nothing in [[{key}]], which has {", ".join(names)}'
                    raise self.fail(why, place)
            if "head" not in table:
                raise self.fail(f'a [[{key}]] has no "head"', place)
            found.append((place, table))
        return found

    def _table(self, told: object, key: str) -> dict[str, object]:
        if not isinstance(told, dict):
            raise self.fail(f"{key} is no table", key)
        return {str(name): each for name, each in cast("dict[object, object]", told).items()}

    def _compiled(self, key: str, text: object) -> re.Pattern[str]:
        whole = _whole(text)
        # A part may be made of others.
        for _ in range(3):
            for name, part in self.parts.items():
                whole = whole.replace(f"{{{name}}}", part)
        try:
            return re.compile(whole)
        except re.error as error:
            raise self.fail(f"no regular expression: {error}", key) from None


def _whole(text: object) -> str:
    """A text, or one that is written as a list of its pieces."""
    return "".join(map(str, cast("list[object]", text))) if isinstance(text, list) else str(text)


@cache
def shipped() -> Layouts:
    """Return the layouts that Finale knows."""

    def fail(why: str, key: str | None) -> Exception:
        return AssertionError(f"{_PATH}: {key}: {why}")

    own = _Own(toml_of(_PATH.read_text(encoding="utf-8")), {}, fail)
    return Layouts(own.parts, own.layouts(), own.start(), own.wrappings(), own.json(None))
