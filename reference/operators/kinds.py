"""The kinds of operators in job files, with their names and keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from finale.model.errors import FinaleError, Place, nearest
from finale.model.topology import Sink
from finale.reference.operators.aggregates import FOLDS, Aggregate, CountByKey, WindowAggregate
from finale.reference.operators.base import Operator
from finale.reference.operators.checks import (
    Checks,
    Said,
    is_count,
    is_one_of,
    is_text,
    is_texts,
    is_whole,
    refuse_types,
    refuse_unknown,
)
from finale.reference.operators.functions import Filter, FlatMap, Map, WordSplitter
from finale.reference.operators.holding import Hold, Join, Lookup, Number
from finale.reference.operators.keys import GROUPS
from finale.reference.operators.sinks import AppendingSink, TransactionalSink
from finale.reference.operators.sources import LineSource
from finale.reference.operators.tables import TYPES, Csv, Ndjson


@dataclass(frozen=True)
class OperatorKind:
    """Operators of one kind. The keys of a job file are the names of what makes them."""

    make: Callable[..., Operator]
    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    """Of these further keys there is exactly one."""
    inputs: int | None = None
    """How many operators it reads, where that is not any number."""
    keyed: bool = False
    """All records with one key go to one subtask."""
    broadcast: int | None = None
    """The input of which all subtasks get all records."""
    sink: Sink = Sink.NONE
    shapes: tuple[str, ...] = ()
    """The keys that say what its state means."""

    @property
    def is_source(self) -> bool:
        return self.inputs == 0

    @property
    def keys(self) -> tuple[str, ...]:
        return (*OF_ALL, *self.needs, *self.one_of, *self.may)


def _is_types(value: object) -> bool:
    types = cast("dict[str, object]", value).values() if isinstance(value, dict) else ()
    return isinstance(value, dict) and all(each in TYPES for each in types)


def _is_pattern(value: object) -> bool:
    try:
        re.compile(str(value))
    except re.error:
        return False
    return isinstance(value, str)


def _is_reference(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[^:]+:[^:]+", value) is not None


#: What each key takes, in words and as a test.
CHECKS: Checks = {
    "kind": ("the name of an operator", is_text),
    "from": ('names of operators, ["a", "b"]', is_texts),
    "parallelism": ("a whole number above zero", is_count),
    "path": ("a path, which may have * in it", is_text),
    "function": ("module:name", _is_reference),
    "follow": ("true or false", lambda value: isinstance(value, bool)),
    "time": ("the name of a field", is_text),
    "out-of-order": ("a whole number", is_whole),
    "types": ('what fields are, { a = "text", b = "number", c = "whole" }', _is_types),
    "fields": ('names of fields, ["a", "b"]', lambda value: is_texts(value) and bool(value)),
    "field": ("the name of a field", is_text),
    "key": ("the name of a field", is_text),
    "size": ("a whole number above zero", is_count),
    "number": ("a whole number above zero", is_count),
    "separator": ("one character", lambda value: isinstance(value, str) and len(value) == 1),
    "matches": ("a regular expression", _is_pattern),
    "aggregate": is_one_of(*FOLDS),
    "emit": is_one_of("end", "each"),
    "on-bad": is_one_of("refuse", "keep"),
    "on-late": is_one_of("refuse", "keep"),
}

OF_ALL = ("kind", "from", "parallelism")
OF_FILES = ("path",)
OF_TABLES = ("follow", "time", "out-of-order", "types", "on-bad")
FOLDED = ("aggregate", "key", "field")
KINDS: dict[str, OperatorKind] = {
    "lines": OperatorKind(LineSource, OF_FILES, ("follow",), inputs=0),
    "ndjson": OperatorKind(Ndjson, OF_FILES, OF_TABLES, inputs=0),
    "csv": OperatorKind(Csv, OF_FILES, (*OF_TABLES, "separator"), inputs=0),
    "words": OperatorKind(WordSplitter, (), ("field",)),
    "map": OperatorKind(Map, one_of=("function", "field", "fields")),
    "flat-map": OperatorKind(FlatMap, ("function",)),
    "filter": OperatorKind(Filter, (), ("field",), one_of=("function", "equals", "matches")),
    "count": OperatorKind(CountByKey, keyed=True),
    "aggregate": OperatorKind(
        Aggregate, ("aggregate",), ("key", "field", "emit"), keyed=True, shapes=FOLDED
    ),
    "window": OperatorKind(
        WindowAggregate,
        ("key", "time", "size"),
        ("aggregate", "field", "on-late"),
        keyed=True,
        shapes=(*FOLDED, "time", "size"),
    ),
    "join": OperatorKind(Join, ("key",), inputs=2, keyed=True, shapes=("key",)),
    "lookup": OperatorKind(Lookup, ("key",), inputs=2, broadcast=1, shapes=("key",)),
    "buffer": OperatorKind(Hold, (), ("number",)),
    "number": OperatorKind(Number),
    "exactly-once": OperatorKind(TransactionalSink, sink=Sink.TWO_PHASE),
    "at-least-once": OperatorKind(AppendingSink, sink=Sink.AT_LEAST_ONCE),
}


def settings_of(said: Said) -> dict[str, Any]:
    """Return the settings of an operator that its state depends on, by key."""
    given = {"aggregate": "count", **said}
    unused = {"field"} if given["aggregate"] == "count" else set[str]()
    shapes = KINDS[str(said["kind"])].shapes
    return {key: given[key] for key in shapes if key in given and key not in unused}


def check_operator(name: str, said: Said) -> OperatorKind:
    """Check the table of an operator. Raises coded errors."""
    where = f"operators.{name}."
    refuse_types(said, CHECKS, where)
    if not re.fullmatch(r"\w[\w .-]*", name):
        raise FinaleError(
            "bad-name",
            f"{name!r} cannot be part of the name of a file",
            place=Place(key=f"operators.{name}"),
            advice='choose a plain name, such as "D" or "window"',
        )
    word = str(said.get("kind"))
    if word not in KINDS:
        raise FinaleError(
            "unknown-operator",
            f'"{name}" is of kind "{word}", which does not exist',
            place=Place(key=f"{where}kind"),
            advice=nearest(word, KINDS),
        )
    kind = KINDS[word]
    refuse_unknown(said, kind.keys, where)
    _refuse_lack(name, word, kind, said)
    _refuse_shape(name, word, kind, said)
    return kind


def _refuse_lack(name: str, word: str, kind: OperatorKind, said: Said) -> None:
    counts = said.get("aggregate", "count") == "count"
    needs = kind.needs if counts else (*kind.needs, "field")
    lack = next((key for key in needs if key not in said), None)
    if lack is None and (not kind.one_of or sum(key in said for key in kind.one_of) == 1):
        return
    wanted = f"its {lack}" if lack else f"one of {', '.join(kind.one_of)}"
    raise FinaleError(
        "missing-key",
        f'"{name}" is of kind "{word}", and does not say {wanted}',
        place=Place(key=f"operators.{name}.{lack or kind.one_of[0]}"),
        advice=f"write {lack} = …" if lack else "write exactly one of them",
    )


def _refuse_shape(name: str, word: str, kind: OperatorKind, said: Said) -> None:
    inputs, parallelism = len(said.get("from", ())), said.get("parallelism", 1)
    if kind.inputs is not None and inputs != kind.inputs:
        raise FinaleError(
            "bad-value",
            f'"{name}" is of kind "{word}", and reads {inputs} operators',
            place=Place(key=f"operators.{name}.from"),
            advice=f"let it read {kind.inputs}",
        )
    if kind.keyed and parallelism > GROUPS:
        raise FinaleError(
            "bad-value",
            f'"{name}" has {parallelism} subtasks, and keys have {GROUPS} groups',
            place=Place(key=f"operators.{name}.parallelism"),
            advice=f"write at most {GROUPS}",
        )
