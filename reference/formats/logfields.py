"""Checks the types of the fields in an event log.

`docs/event-log.md` has every field. What is not there is not missing here: others may tell less.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

Is = Callable[[object], bool]


def is_number(value: object) -> bool:
    """Whether it is an integer. To Python, true and false are such."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


def _all(is_one: Is) -> Is:
    return lambda value: isinstance(value, list) and all(map(is_one, cast("list[object]", value)))


def _or_none(is_one: Is) -> Is:
    return lambda value: value is None or is_one(value)


def _is_start(value: object) -> bool:
    return value in ("running", "restoring")


def _is_order(value: object) -> bool:
    return value in ("file", "clocks")


def _is_link(value: object) -> bool:
    """A copy's number, of which it is one, and why."""
    if not isinstance(value, list):
        return False
    parts = cast("list[object]", value)
    return len(parts) == 3 and all(map(is_number, parts[:2])) and _is_text(parts[2])


def _is_copy(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    table = cast("dict[str, object]", value)
    chain = table.get("chain", [])
    return is_number(table.get("of")) and _is_text(table.get("why")) and _all(_is_link)(chain)


_OF_START: Mapping[str, Is] = {
    "profile": _is_text,
    "run": _is_text,
    "process": is_number,
    "order": _is_order,
    "protocol": _is_text,
    "variant": _or_none(_is_text),
    "options": _is_table,
    "job": _is_table,
    "starts": _is_start,
    "from": _or_none(is_number),
    "finished": _all(_is_text),
    "last": is_number,
    "new": _is_bool,
    "refused": _all(is_number),
    "copied": _is_copy,
}
_OF_EVENT: Mapping[str, Is] = {
    "event": _is_text,
    "run": _is_text,
    "process": is_number,
    "clock": _is_text,
    "seq": is_number,
    "attempt": is_number,
    "vertex": _is_text,
    "subtask": is_number,
    "channel": _is_text,
    "checkpoint": _or_none(is_number),
    "fields": _or_none(_is_table),
}


def wrong_in_start(start: Mapping[str, Any]) -> str | None:
    """The first field of a `log-start` that cannot be."""
    return _wrong(start, _OF_START)


def is_whole(event: Mapping[str, Any], start: Mapping[str, Any]) -> bool:
    """Whether a line can be an event of the section that begins so, not one of another process."""
    both = [key for key in ("run", "process") if key in event and key in start]
    own = all(event[key] == start[key] for key in both)
    return own and _wrong(event, _OF_EVENT) is None


def _wrong(line: Mapping[str, Any], types: Mapping[str, Is]) -> str | None:
    wrong = (key for key, can_be in types.items() if key in line and not can_be(line[key]))
    return next(wrong, None)


def about_of(
    kind: str,
    line: Mapping[str, Any],
    fields: Mapping[str, Any],
    names: Mapping[tuple[object, object], str],
) -> str:
    """Return the entity of this kind that an event is about; tasks by vertex and number."""
    match kind:
        case "task":
            return names.get((line.get("vertex"), line.get("subtask")), "?")
        case "channel":
            return str(line.get("channel"))
        case "checkpoint":
            return f"cp{line.get('checkpoint')}"
        case _:
            return str(fields.get(kind))
