"""Generates a JSON schema from dataclasses: what writes a document is what describes the document.

A field is `Annotated` with its description. Its type is a text, a number, a truth value, a
`Literal`, a dataclass, a tuple of any length, or one of these or None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_WORDS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}

Json: TypeAlias = dict[str, Any]


def schema_of(kind: type, id: str) -> dict[str, object]:
    """Return the schema of documents that are the fields of a dataclass."""
    parts: dict[str, Json] = {}
    whole = _object(kind, parts)
    return {"$schema": DRAFT, "$id": id, **whole, "$defs": parts}


def _object(kind: type, parts: dict[str, Json]) -> Json:
    """A dataclass: each field is there, and nothing else is."""
    assert is_dataclass(kind)
    hints = get_type_hints(kind, include_extras=True)
    names = [each.name for each in fields(kind)]
    return {
        "description": kind.__doc__,
        "type": "object",
        "properties": {name: _field(hints[name], parts) for name in names},
        "required": names,
        "additionalProperties": False,
    }


def _field(hint: object, parts: dict[str, Json]) -> Json:
    assert get_origin(hint) is Annotated, f"{hint} has no description"
    kind, description = get_args(hint)
    return {"description": description, **_value(kind, parts)}


def _value(kind: Any, parts: dict[str, Json]) -> Json:
    if kind in _WORDS:
        return {"type": _WORDS[kind]}
    origin = get_origin(kind)
    if origin is tuple:
        return {"type": "array", "items": _value(get_args(kind)[0], parts)}
    if origin in (UnionType, Union):
        return _joined([_value(each, parts) for each in get_args(kind)])
    if origin is Literal:
        return {"enum": list(get_args(kind))}
    if kind.__name__ not in parts:
        parts[kind.__name__] = {}  # a class that has itself as a part ends here
        parts[kind.__name__] = _object(kind, parts)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _joined(choices: list[Json]) -> Json:
    """One of some values: in few words if all of them are."""
    if all(each.keys() == {"type"} for each in choices):
        return {"type": [each["type"] for each in choices]}
    if all(_plain(each) for each in choices):
        return {"enum": [word for each in choices for word in each.get("enum", [None])]}
    return {"anyOf": choices}


def _plain(choice: Mapping[str, object]) -> bool:
    return "enum" in choice or choice == {"type": "null"}
