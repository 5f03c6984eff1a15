"""A job as a user writes it down: operators by name, what each reads, and when checkpoints are due.

    [operators.lines]
    kind = "lines"              # the lines of files
    path = "texts/*.txt"

    [operators.counts]
    kind = "count"              # how often each record came
    from = ["words"]
    parallelism = 2

What a kind does is in `operators`; `function = "module:name"` is any function of one's own that
makes an iterable of a record.
"""

from __future__ import annotations

import importlib
import os
import sys
import tomllib
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from model.errors import FinaleError, Place, nearest
from model.topology import Edge, Job, Pattern, Sink, Subtask, Vertex
from reference.elements import Record
from reference.formats.files import Files
from reference.operators.base import Context, Operator
from reference.operators.sinks import AppendingSink, TransactionalSink
from reference.operators.text import CountByKey, Each, Lines, files_of, words
from reference.protocols import ENGINES
from reference.task import Partitioner

#: The keys of an operator of each kind, beside those that all may have.
KINDS = {
    "lines": ("path",),
    "words": (),
    "each": ("function",),
    "count": (),
    "exactly-once": (),
    "at-least-once": (),
}
SINKS = {"exactly-once": Sink.TWO_PHASE, "at-least-once": Sink.AT_LEAST_ONCE}
OF_ALL = ("kind", "from", "parallelism")
OF_A_JOB = ("protocol", "barriers", "seconds", "records", "operators")
#: The protocols of jobs that can be stopped, by how barriers go.
BARRIERS = {"aligned": "stop-with-savepoint", "unaligned": "unaligned"}


@dataclass(frozen=True)
class JobFile:
    """A job that can be run. As a program it says what its tasks run."""

    file: Path
    job: Job
    protocol: str
    seconds: float
    """How long after a checkpoint the next one is due."""
    records: int | None
    """After how many records from sources it is due in any case."""
    operators: Mapping[str, Mapping[str, Any]]
    functions: Mapping[str, Callable[[Record], Iterable[Record]]]

    def kind(self, vertex: Vertex) -> str:
        """What a vertex does."""
        return str(self.operators[vertex.name]["kind"])

    def inputs(self, vertex: Vertex) -> list[str]:
        """The files that a vertex reads: a position is one of them, by its number, and a byte."""
        if self.kind(vertex) != "lines":
            return []
        return [os.path.relpath(each, self.file.parent) for each in self._files_of(vertex)]

    def _files_of(self, vertex: Vertex) -> tuple[Path, ...]:
        return files_of(str(self.file.parent / self.operators[vertex.name]["path"]))

    def operator(self, subtask: Subtask, files: Files, *, keeps: bool) -> Callable[[], Operator]:
        """Makes the operator of a subtask, once for each attempt."""
        context, vertex = Context(subtask.name, files), subtask.vertex
        said = self.operators[vertex.name]
        match said["kind"]:
            case "lines":
                share = self._files_of(vertex)[subtask.index :: vertex.parallelism]
                return partial(Lines, context, files=share)
            case "words":
                return partial(Each, context, function=words, name="words")
            case "each":
                function = self.functions[vertex.name]
                return partial(Each, context, function=function, name=said["function"])
            case "count":
                return partial(CountByKey, context)
            case "exactly-once":
                return partial(TransactionalSink, context, keeps=keeps)
            case _:
                return partial(AppendingSink, context)

    def partitioner(self, edge: Edge) -> Partitioner | None:
        """Records that are alike go to one subtask."""
        return by_hash

    def mark(self, edge: Edge) -> None:
        """A record goes along every edge as it is."""


def by_hash(record: Record, count: int) -> int:
    """The same in every process, other than Python's own."""
    return zlib.crc32(str(record).encode(errors="surrogateescape")) % count


def read_job(file: Path, functions: Path | None = None) -> JobFile:
    """Read a job, and modules from a folder. Raises coded errors, with the file and the key."""
    try:
        text = file.read_text(encoding="utf-8")
        table = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as reason:
        raise FinaleError(
            "job-unreadable",
            f"the job cannot be read: {reason}",
            place=Place(str(file)),
            advice="check its name, and that it is TOML",
        ) from None
    try:
        return _job(file, table, functions or file.parent)
    except FinaleError as error:
        place = error.place or Place()
        error.place = Place(str(file), key=place.key)
        raise


def _job(file: Path, table: Mapping[str, Any], folder: Path) -> JobFile:
    _refuse_unknown(table, OF_A_JOB, "")
    _refuse_types(table, "")
    operators: dict[str, dict[str, Any]] = table.get("operators", {})
    protocol = str(table.get("protocol", BARRIERS[table.get("barriers", "aligned")]))
    if protocol not in ENGINES:
        raise FinaleError(
            "no-engine",
            f'the engine has no "{protocol}"',
            place=Place(key="protocol"),
            advice=nearest(protocol, ENGINES),
        )
    vertices = tuple(_vertex(name, said) for name, said in operators.items())
    edges = tuple(
        Edge(source, name, Pattern.ALL_TO_ALL)
        for name, said in operators.items()
        for source in said.get("from", ())
    )
    functions = {
        name: _function(folder, name, said["function"])
        for name, said in operators.items()
        if said["kind"] == "each"
    }
    return JobFile(
        file=file,
        job=Job(vertices, edges),
        protocol=protocol,
        seconds=float(table.get("seconds", 5.0)),
        records=table.get("records"),
        operators=operators,
        functions=functions,
    )


def _vertex(name: str, said: Mapping[str, Any]) -> Vertex:
    _refuse_types(said, f"operators.{name}.")
    kind = str(said.get("kind"))
    if kind not in KINDS:
        raise FinaleError(
            "unknown-operator",
            f'"{name}" is of kind "{kind}", which is no operator',
            place=Place(key=f"operators.{name}.kind"),
            advice=nearest(kind, KINDS),
        )
    _refuse_unknown(said, (*OF_ALL, *KINDS[kind]), f"operators.{name}.")
    for key in KINDS[kind]:
        if key not in said:
            raise FinaleError(
                "missing-key",
                f'"{name}" is of kind "{kind}", and does not say its {key}',
                place=Place(key=f"operators.{name}.{key}"),
                advice=f'write {key} = "…"',
            )
    parallelism = int(said.get("parallelism", 1))
    if kind == "lines":
        return Vertex.source(name, parallelism=parallelism, records=0)
    return Vertex(name, parallelism=parallelism, sink=SINKS.get(kind, Sink.NONE))


def _refuse_unknown(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise FinaleError(
                "unknown-key",
                f'"{key}" means nothing here',
                place=Place(key=f"{where}{key}"),
                advice=nearest(key, known),
            )


def _refuse_types(table: Mapping[str, Any], where: str) -> None:
    for key in TYPES.keys() & table.keys():
        (wanted, fits), value = TYPES[key], table[key]
        if not fits(value):
            raise FinaleError(
                "bad-value",
                f'"{key}" is {value!r}',
                place=Place(key=f"{where}{key}"),
                advice=f"write {wanted}",
            )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(map(_is_text, cast("list[object]", value)))


def _is_tables(value: object) -> bool:
    tables = cast("dict[str, object]", value).values() if isinstance(value, dict) else ()
    return isinstance(value, dict) and all(isinstance(table, dict) for table in tables)


#: What each key takes, in words and as a test.
TYPES: dict[str, tuple[str, Callable[[object], bool]]] = {
    "protocol": ("the name of a protocol", _is_text),
    "barriers": (f"one of {', '.join(BARRIERS)}", lambda value: value in BARRIERS),
    "seconds": ("a number of seconds above zero", _is_number),
    "records": ("a whole number above zero", _is_count),
    "operators": ("tables, [operators.NAME]", _is_tables),
    "kind": ("the name of an operator", _is_text),
    "from": ('names of operators, ["a", "b"]', _is_texts),
    "parallelism": ("a whole number above zero", _is_count),
    "path": ("a path, which may have * in it", _is_text),
    "function": ("module:name", _is_text),
}


def _function(folder: Path, name: str, said: str) -> Callable[[Record], Iterable[Record]]:
    module, _, function = said.partition(":")
    sys.path.insert(0, str(folder))
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as reason:
        raise FinaleError(
            "no-function",
            f'"{said}" cannot be found: {reason}',
            place=Place(key=f"operators.{name}.function"),
            advice="write it as module:function, with the module beside the job's file",
        ) from None
    finally:
        sys.path.remove(str(folder))
    return cast("Callable[[Record], Iterable[Record]]", found)
