"""Reads the `[job]` table of a spec: its vertices one by one, or a standard shape.

    A = { records = 1 }                               # no `from`: a source
    D = { from = ["A"], kind = "keyed", parallelism = 2 }
    E = { from = [{ vertex = "D", pattern = "pointwise" }], sink = "two-phase" }
    F = { from = [{ vertex = "D", broadcast = true, overtakes = false }] }
    P = { from = ["A", { vertex = "A", again = true }] }    # two parallel edges
    G = { from = ["E"], chained = [1, 1] }            # two sources in each of its subtasks
    H = { parallelism = 2, union_state = true }       # a source; others are of kind "union-state"

    shape       = "diamond"                           # or a shape, and what should differ from
    parallelism = 2                                   # one record a source, one subtask a vertex,
    pattern     = "pointwise"                         # all-to-all, bounded, two-phase sinks
    X           = { kind = "buffering" }              # a vertex of the shape, further described

What the table says is checked here; whether it makes a job is for `Job` to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import TypeGuard, TypeVar

from finale.model.errors import FinaleError, Place, nearest
from finale.model.topology.parts import (
    Edge,
    OperatorKind,
    Pattern,
    Sink,
    Vertex,
    check_parallelism,
    per_subtask,
)

SHAPES: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "pair": {"S": (), "K": ("S",)},
        "chain": {"S": (), "W": ("S",), "K": ("W",)},
        "fan-in": {"S1": (), "S2": (), "K": ("S1", "S2")},
        "fan-out": {"S": (), "K1": ("S",), "K2": ("S",)},
        "diamond": {"S": (), "X": ("S",), "Y": ("S",), "K": ("X", "Y")},
        "figure": {"A": (), "C": (), "D": ("C",), "E": ("A", "D")},
        "disjoint": {"A1": (), "A2": ("A1",), "B1": (), "B2": ("B1",)},
    }
)
"""Shape -> vertex -> the vertices that it reads. Those that nobody reads are the sinks."""

SHEET_NAMES: Mapping[str, str] = MappingProxyType(
    {"A": "pair", "B": "chain", "D": "fan-in", "E": "disjoint"}
)
"""The rule sheet's letter of a topology -> its name here."""


VERTEX_KEYS = (
    "from",
    "kind",
    "sink",
    "parallelism",
    "records",
    "bounded",
    "chained",
    "union_state",
)
INPUT_KEYS = ("vertex", "pattern", "broadcast", "overtakes", "again")
SHAPE_KEYS = ("shape", "records", "bounded", "parallelism", "sink", "pattern")


@dataclass(frozen=True)
class _Entry:
    """A value of the table and the key under which it was written."""

    value: object
    key: str

    def error(self, code: str, message: str, advice: str) -> FinaleError:
        return FinaleError(code, message, place=Place(key=self.key), advice=advice)


_Entries = dict[str, _Entry]
_Word = TypeVar("_Word", bound=Enum)


def read_job(table: Mapping[str, object]) -> tuple[tuple[Vertex, ...], tuple[Edge, ...]]:
    """The vertices and edges that a `[job]` table describes, in the order of the table."""
    described = _of_shape(table) if isinstance(table.get("shape"), str) else _one_by_one(table)
    vertices = tuple(_vertex(name, entries) for name, entries in described.items())
    edges = tuple(
        edge for name, entries in described.items() for edge in _edges_into(name, entries)
    )
    return vertices, edges


def _one_by_one(table: Mapping[str, object]) -> dict[str, _Entries]:
    described: dict[str, _Entries] = {}
    for name, value in table.items():
        entry = _Entry(value, f"job.{name}")
        if not _is_table(value) and name in SHAPE_KEYS:
            raise entry.error(
                "bad-shape" if name == "shape" else "unknown-key",
                f"`{name}` is not a vertex here, but a setting of a standard shape",
                'name the shape, shape = "diamond", or write the setting at each vertex',
            )
        described[name] = _own_entries(name, entry)
    return described


def _of_shape(table: Mapping[str, object]) -> dict[str, _Entries]:
    entries = {name: _Entry(value, f"job.{name}") for name, value in table.items()}
    word = str(table["shape"])
    outline = SHAPES.get(SHEET_NAMES.get(word, word))
    if outline is None:
        raise entries["shape"].error(
            "bad-shape", f'there is no shape "{word}"', nearest(word, SHAPES)
        )
    _check_keys(table, (*SHAPE_KEYS, *outline), "job")
    common = {key: entries[key] for key in SHAPE_KEYS if key in entries}
    read = {name for inputs in outline.values() for name in inputs}
    described: dict[str, _Entries] = {}
    for name, inputs in outline.items():
        keys = ["parallelism", *(["pattern"] if inputs else ["records", "bounded"])]
        mine: _Entries = {}
        if inputs:
            mine["from"] = _Entry(inputs, "job.shape")
        if name not in read:
            keys.append("sink")
            mine["sink"] = _Entry(Sink.TWO_PHASE.value, "job.shape")
        mine |= {key: common[key] for key in keys if key in common}
        if name in entries:
            own = _own_entries(name, entries[name])
            if "from" in own:
                raise own["from"].error(
                    "bad-shape",
                    f'the shape "{word}" decides what "{name}" reads',
                    "leave out this `from`, or leave out the shape and write every vertex",
                )
            mine |= own
        described[name] = mine
    return described


def _own_entries(name: str, entry: _Entry) -> _Entries:
    if not _is_table(entry.value):
        raise entry.error(
            "bad-vertex",
            f'the vertex "{name}" is {entry.value!r}, not a table',
            f"write {name} = {{ records = 1 }} for a source, "
            f'{name} = {{ from = ["A"] }} for a vertex that reads A',
        )
    _check_keys(entry.value, VERTEX_KEYS, entry.key)
    return {key: _Entry(value, f"{entry.key}.{key}") for key, value in entry.value.items()}


def _vertex(name: str, entries: _Entries) -> Vertex:
    kind = OperatorKind.PASS_THROUGH if "from" in entries else OperatorKind.SOURCE
    chained: tuple[int, ...] = ()
    if "chained" in entries:
        kind, chained = OperatorKind.CHAINED, _chained(name, entries["chained"])
    if "kind" in entries:
        kind = _word(entries["kind"], OperatorKind, "bad-kind", "kind of vertex")
    sink = Sink.NONE
    if "sink" in entries:
        sink = _word(entries["sink"], Sink, "bad-sink", "kind of sink")
    parallelism = 1
    if "parallelism" in entries:
        parallelism = _parallelism(name, entries["parallelism"])
    is_head = kind is OperatorKind.ITERATION_HEAD
    records: tuple[int, ...] = (1,) * parallelism if kind is OperatorKind.SOURCE or is_head else ()
    if "records" in entries:
        records = _records(name, entries["records"], parallelism)
    each = (not is_head,) * parallelism
    if "bounded" in entries:
        each = _bounded(name, entries["bounded"], parallelism)
    ending = () if all(each) else tuple(n for n, ends in enumerate(each) if ends)
    union = False
    if "union_state" in entries:
        union = _union_state(name, entries["union_state"])
    return Vertex(name, kind, parallelism, sink, records, all(each), ending, chained, union)


def _edges_into(name: str, entries: _Entries) -> list[Edge]:
    if "from" not in entries:
        return []
    entry = entries["from"]
    inputs = entry.value
    if not _is_list(inputs) or not inputs:
        raise entry.error(
            "bad-from",
            f'"{name}" reads from {inputs!r}, which is not a list of vertices',
            'write from = ["A"], or leave `from` out if the vertex is a source',
        )
    pattern = Pattern.ALL_TO_ALL
    if "pattern" in entries:
        pattern = _word(entries["pattern"], Pattern, "bad-pattern", "pattern")
    return _numbered([_edge(_Entry(each, entry.key), name, pattern) for each in inputs])


def _numbered(read: Sequence[tuple[Edge, bool]]) -> list[Edge]:
    """The edges into a vertex. One that is said to be there again counts on from the one before."""
    edges: list[Edge] = []
    for edge, again in read:
        before = sum(edge.source == other.source for other in edges)
        edges.append(replace(edge, number=before + 1) if again else edge)
    return edges


def _edge(entry: _Entry, target: str, pattern: Pattern) -> tuple[Edge, bool]:
    """The edge, and whether it is parallel to an earlier one."""
    source = entry.value
    broadcast, overtakes, again = False, True, False
    if _is_table(source):
        _check_keys(source, INPUT_KEYS, entry.key)
        if "pattern" in source:
            written = _Entry(source["pattern"], f"{entry.key}.pattern")
            pattern = _word(written, Pattern, "bad-pattern", "pattern")
        broadcast = _flag(entry, "broadcast", source, broadcast)
        overtakes = _flag(entry, "overtakes", source, overtakes)
        again = _flag(entry, "again", source, again)
        source = source.get("vertex")
    if not isinstance(source, str):
        raise entry.error(
            "bad-from",
            f'"{target}" reads from {entry.value!r}, which names no vertex',
            'write "A" or { vertex = "A", pattern = "pointwise" }',
        )
    return Edge(source, target, pattern, broadcast, overtakes), again


def _flag(entry: _Entry, name: str, table: Mapping[str, object], default: bool) -> bool:
    value = table.get(name, default)
    if isinstance(value, bool):
        return value
    raise _Entry(value, f"{entry.key}.{name}").error(
        "bad-edge", f"`{name}` of an edge cannot be {value!r}", "write true or false"
    )


def _parallelism(name: str, entry: _Entry) -> int:
    if not _is_whole(entry.value):
        raise entry.error(
            "bad-parallelism",
            f'"{name}" cannot have parallelism {entry.value!r}',
            "write a whole number, 1 or more",
        )
    check_parallelism(entry.value, name, entry.key)
    return entry.value


def _records(name: str, entry: _Entry, parallelism: int) -> tuple[int, ...]:
    value = entry.value
    if _is_whole(value):
        return per_subtask(value, parallelism, name, entry.key)
    if _is_list(value):
        each = tuple(number for number in value if _is_whole(number))
        if len(each) == len(value):
            return per_subtask(each, parallelism, name, entry.key)
    raise entry.error(
        "bad-records",
        f'"{name}" cannot have {value!r} records',
        "write a whole number, or a list with one number for each subtask; a source with 0 emits "
        "no record",
    )


def _chained(name: str, entry: _Entry) -> tuple[int, ...]:
    """The records of each source that is chained into a subtask."""
    value = entry.value
    if _is_list(value) and value:
        each = tuple(number for number in value if _is_whole(number))
        if len(each) == len(value):
            return each
    raise entry.error(
        "bad-chained",
        f'{value!r} says of no source chained into "{name}" how many records it has',
        "write a list with one whole number for each such source",
    )


def _bounded(name: str, entry: _Entry, parallelism: int) -> tuple[bool, ...]:
    """Whether each subtask is."""
    value = entry.value
    if isinstance(value, bool):
        return (value,) * parallelism
    if _is_list(value):
        each = tuple(flag for flag in value if isinstance(flag, bool))
        if len(each) == len(value) == parallelism:
            return each
    raise entry.error(
        "bad-bounded",
        f'"{name}" is bounded or it is not; {value!r} says neither',
        "write true, or false for a source that never ends by itself, or a list with one of them "
        "for each subtask",
    )


def _union_state(name: str, entry: _Entry) -> bool:
    if isinstance(entry.value, bool):
        return entry.value
    raise entry.error(
        "bad-kind",
        f'{entry.value!r} does not say whether the source "{name}" has union state',
        "write union_state = true",
    )


def _word(entry: _Entry, words: type[_Word], code: str, what: str) -> _Word:
    for word in words:
        if word.value == entry.value:
            return word
    known = [str(word.value) for word in words]
    raise entry.error(code, f"{entry.value!r} is no {what}", nearest(str(entry.value), known))


def _check_keys(table: Mapping[str, object], known: Sequence[str], key: str) -> None:
    for name in table:
        if name not in known:
            raise FinaleError(
                "unknown-key",
                f"`{name}` means nothing in `{key}`",
                place=Place(key=f"{key}.{name}"),
                advice=nearest(name, known),
            )


def _is_table(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, (list, tuple))


def _is_whole(value: object) -> TypeGuard[int]:
    # In Python, though not in TOML, true is a whole number.
    return isinstance(value, int) and not isinstance(value, bool)
