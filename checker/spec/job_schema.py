"""The JSON schema of `[job]`, from the words by which `model/topology/table.py` reads the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TypeAlias

from finale.model.topology.parts import PARALLELISM_MAX, OperatorKind, Pattern, Sink
from finale.model.topology.table import INPUT_KEYS, SHAPE_KEYS, SHAPES, SHEET_NAMES, VERTEX_KEYS

Schema: TypeAlias = dict[str, object]

_TRUTH: Mapping[str, object] = {"type": "boolean"}
_RECORDS: Mapping[str, object] = {"type": "integer", "minimum": 0}

MEANINGS = {
    "from": "The vertices that this vertex reads; a vertex without it is a source.",
    "kind": "What the operators of the vertex do.",
    "sink": "What the vertex does to the world outside the job.",
    "parallelism": "The number of subtasks.",
    "records": "The records of each subtask of a source, or a list with one number for each.",
    "bounded": "false if a source never ends by itself, or a list with one value for each subtask.",
    "chained": "The records of each source that is chained into a subtask.",
    "union_state": "Whether a source keeps its position in union-list state.",
    "vertex": "The vertex that is read.",
    "pattern": "Which subtasks of the two vertices are connected.",
    "broadcast": "Whether each record goes to every subtask that reads the sender.",
    "overtakes": "Whether barriers overtake records on this edge.",
    "again": "Whether this edge is parallel to an earlier edge between the same vertices.",
    "shape": "A standard shape of the job.",
}


#: What `job_schema` refers to, by the names under which a schema must define it.
VERTEX, VERTEX_OF_SHAPE = "vertex", "vertex-of-shape"


def job_definitions() -> Schema:
    """Return what the schema of a job refers to: a vertex, and a vertex of a standard shape."""
    own = [key for key in VERTEX_KEYS if key != "from"]
    return {VERTEX: _table(VERTEX_KEYS, _values()), VERTEX_OF_SHAPE: _table(own, _values())}


def job_schema() -> Schema:
    """Return the schema: vertices one by one, or a standard shape and what differs from it."""
    shaped = {"required": ["shape"], "properties": {"shape": {"type": "string"}}}
    words = (*SHAPES, *SHEET_NAMES)
    return {
        "type": "object",
        "if": shaped,
        "then": {
            "properties": {"shape": _described("shape", {"enum": list(words)})},
            "allOf": [_of_shape(word, SHAPES[SHEET_NAMES.get(word, word)]) for word in words],
        },
        "else": {"additionalProperties": _defined(VERTEX)},
    }


def _defined(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}


def _described(key: str, value: Mapping[str, object]) -> Schema:
    return {"description": MEANINGS[key], **value}


def _words(words: type[Enum]) -> Schema:
    return {"enum": [word.value for word in words]}


def _one_or_each(value: Mapping[str, object]) -> Schema:
    """One value for all subtasks, or a list with one for each."""
    return {"anyOf": [dict(value), {"type": "array", "minItems": 1, "items": dict(value)}]}


def _values() -> dict[str, Schema]:
    """What the value of each key can be."""
    whole: Schema = {"type": "integer", "minimum": 1, "maximum": PARALLELISM_MAX}
    inputs = {"anyOf": [{"type": "string"}, _input()]}
    return {
        "from": {"type": "array", "minItems": 1, "items": inputs},
        "kind": _words(OperatorKind),
        "sink": _words(Sink),
        "parallelism": whole,
        "records": _one_or_each(_RECORDS),
        "bounded": _one_or_each(_TRUTH),
        "chained": {"type": "array", "minItems": 1, "items": dict(_RECORDS)},
        "union_state": dict(_TRUTH),
        "pattern": _words(Pattern),
    }


def _input() -> Schema:
    values: dict[str, Schema] = {
        "vertex": {"type": "string"},
        "pattern": _words(Pattern),
        "broadcast": dict(_TRUTH),
        "overtakes": dict(_TRUTH),
        "again": dict(_TRUTH),
    }
    return _table(INPUT_KEYS, values) | {"required": ["vertex"]}


def _table(keys: Sequence[str], values: Mapping[str, Schema]) -> Schema:
    properties = {key: _described(key, values[key]) for key in keys}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _of_shape(word: str, outline: Iterable[str]) -> Schema:
    """The keys beside one shape: those of all shapes, and its vertices, which read what it says."""
    values = _values() | {"shape": {"type": "string"}}
    common = {key: _described(key, values[key]) for key in SHAPE_KEYS}
    vertices = dict.fromkeys(outline, _defined(VERTEX_OF_SHAPE))
    then: Schema = {"properties": common | vertices, "additionalProperties": False}
    return {"if": {"properties": {"shape": {"const": word}}}, "then": then}
