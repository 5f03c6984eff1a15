"""Reads the fields of a line in JSON, whoever wrote it: a logging library, or a shipper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from finale.model.given import json_of

from .layouts import JsonFields

#: The levels of syslog, which GELF has, by their numbers.
_SYSLOG = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
_LEVELS = {"WARNING": "WARN", "CRITICAL": "FATAL", "SEVERE": "ERROR", "NOTICE": "INFO"}
#: So many exceptions are taken from a tree of causes.
_CAUSES_MAX = 64
_KIND = ("name", "className", "class", "exception_class", "type")
_SAYS = ("message", "exception_message")
_STACK = ("extendedStackTrace", "stackTrace", "stacktrace", "stack_trace")


@dataclass(frozen=True, slots=True)
class JsonLine:
    """An object: a record if it has a logger and a level, else the envelope of a text."""

    text: str
    time: str
    level: str
    logger: str
    thread: str
    thrown: tuple[str, ...]
    """The lines of an exception, as layouts of texts have them."""
    source: tuple[tuple[str, str], ...]
    """The fields that tell of the process, and what they tell."""
    stream: str
    """Which output of the process, if a container runtime tells it."""


def json_line(line: str, names: JsonFields) -> JsonLine | None:
    """Return the fields of a line in JSON; None if it is no object, or has no text."""
    try:
        value: object = json_of(line)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    told = cast("dict[str, Any]", value)
    text = _text_of(_first(told, names.message, (str, list)))
    if text is None:
        return None
    sources = ((name, _at(told, name)) for name in names.source)
    return JsonLine(
        _filled(text, told.get("arguments")),
        _time_of(_first(told, names.time, (str, int, float, dict))),
        _level_of(_first(told, names.level)),
        str(_first(told, names.logger, (str,)) or ""),
        str(_first(told, names.thread) or "").strip(),
        _thrown(told, names, text),
        tuple((name, str(each)) for name, each in sources if isinstance(each, str | int)),
        str(told.get("stream", "")),
    )


def _at(told: Mapping[str, Any], name: str) -> object:
    """The value of a field; a dot may lead into an object."""
    if name in told or "." not in name:
        return told.get(name)
    for place in (at for at, each in enumerate(name) if each == "."):
        inside = told.get(name[:place])
        if isinstance(inside, dict):
            return _at(cast("dict[str, Any]", inside), name[place + 1 :])
    return None


def _first(
    told: Mapping[str, Any], names: Sequence[str], kinds: tuple[type, ...] = (str, int)
) -> Any:
    """The first field that is there and is of one of some kinds."""
    return next((each for name in names if isinstance(each := _at(told, name), kinds)), None)


def _text_of(value: object) -> str | None:
    """A text; the journal has one with unprintable characters as a list of its bytes."""
    if isinstance(value, list):
        try:
            return bytes(cast("list[int]", value)).decode("utf-8", "surrogateescape")
        except (TypeError, ValueError):
            return None
    return value if isinstance(value, str) else None


def _filled(text: str, arguments: object) -> str:
    """A message whose arguments are in a field of their own, as logback has them."""
    if not isinstance(arguments, list):
        return text
    pieces = text.split("{}")
    own = [str(each) for each in cast("list[object]", arguments)][: len(pieces) - 1]
    own += ["{}"] * (len(pieces) - 1 - len(own))
    return pieces[0] + "".join(f"{a}{piece}" for a, piece in zip(own, pieces[1:], strict=True))


def _time_of(value: object) -> str:
    if isinstance(value, dict):
        instant = cast("dict[str, object]", value)
        seconds, more = instant.get("epochSecond"), instant.get("nanoOfSecond", 0)
        is_told = isinstance(seconds, int) and isinstance(more, int)
        return f"{seconds}.{more:09d}" if is_told else ""
    return "" if value is None else str(value)


def _level_of(value: object) -> str:
    if isinstance(value, str) and not value.isdecimal():
        return _LEVELS.get(value.upper(), value.upper())
    number = -1 if value is None else int(cast("str | int", value))
    return _SYSLOG[number] if 0 <= number < len(_SYSLOG) else ""


def _thrown(told: Mapping[str, Any], names: JsonFields, message: str) -> tuple[str, ...]:
    """The lines of the exception of an object, as the layouts of texts have them."""
    for name in names.thrown:
        value = _at(told, name)
        if isinstance(value, str):
            # GELF can repeat the message before the exception.
            return tuple(value.removeprefix(message).lstrip("\n").splitlines())
        if isinstance(value, dict):
            return tuple(_stack_of(cast("dict[str, Any]", value)))
    kind, says = _at(told, "error.type"), _at(told, "error.message")
    return (f"{kind}: {says}",) if isinstance(kind, str) else ()


def _stack_of(thrown: Mapping[str, Any]) -> list[str]:
    """The exceptions of a tree, each caused by the next one."""
    if (stack := _first(thrown, _STACK, (str,))) is not None:
        return str(stack).splitlines()
    found: list[str] = []
    while len(found) < _CAUSES_MAX and (kind := _first(thrown, _KIND, (str,))) is not None:
        says = _first(thrown, _SAYS, (str,))
        line = str(kind) if says is None else f"{kind}: {says}"
        found += [f"Caused by: {line}" if found else line]
        cause = thrown.get("cause")
        thrown = cast("dict[str, Any]", cause) if isinstance(cause, dict) else {}
    return found
