"""Reads a job file: operators with their inputs, and the checkpoint interval.

    [operators.lines]
    kind = "lines"              # the lines of files
    path = "texts/*.txt"

    [operators.counts]
    kind = "count"              # how often each record came
    from = ["words"]
    parallelism = 2

What a kind does, and which keys it has, is in `operators`; `function = "module:name"` is any
function of one's own.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from finale.model.errors import FinaleError, Place, nearest
from finale.model.given import text_of, toml_of
from finale.model.topology import Edge, Job, Pattern, Sink, Subtask, Vertex
from finale.reference.channel import Record
from finale.reference.engine import Engine
from finale.reference.formats.files import Files
from finale.reference.formats.metadata import VERSIONS
from finale.reference.formats.modules import function_of
from finale.reference.operators.base import Context, Operator
from finale.reference.operators.checks import (
    Checks,
    Said,
    is_count,
    is_number,
    is_tables,
    is_text,
    refuse_types,
    refuse_unknown,
)
from finale.reference.operators.keys import ByKey, InTurn, KeyField
from finale.reference.operators.kinds import KINDS, OF_ALL, check_operator, settings_of
from finale.reference.operators.sources import files_of
from finale.reference.protocols import ENGINES, STOPPABLE
from finale.reference.protocols.legacy_stop import LegacyFinish
from finale.reference.task import Partitioner

OF_A_JOB = (
    "name", "protocol", "barriers", "timeout", "seconds", "records", "retained",
    "checkpoint-format", "operators",
)  # fmt: skip
#: Operators are so called: the files of their tasks are called after them.
NAME = re.compile(r"(?!metadata$)[\w-]+")
#: What each key takes, in words and as a test.
CHECKS: Checks = {
    "protocol": ("the name of a protocol", is_text),
    "barriers": (
        f"one of {', '.join(STOPPABLE)}",
        lambda value: is_text(value) and value in STOPPABLE,
    ),
    "timeout": ("a number of seconds above zero", is_number),
    "seconds": ("a number of seconds above zero", is_number),
    "records": ("a whole number above zero", is_count),
    "name": ("a name", is_text),
    "retained": ("a whole number above zero", is_count),
    "checkpoint-format": (
        f"one of {', '.join(map(str, VERSIONS))}",
        lambda it: is_count(it) and it in VERSIONS,
    ),
    "operators": ("tables, [operators.NAME]", is_tables),
}
#: Which key of an operator is wrong where a job has no good shape, and what to do if not as told.
OF_SHAPES = {
    "job-empty": ("", 'write at least a source, [operators.lines] with kind = "lines", and a path'),
    "job-cycle": ("from", "take out one of these ways: what an operator emits cannot come back"),
    "duplicate-edge": ("from", "keep one of the two, or put a map into the second way"),
    "sink-without-input": ("from", 'say what it reads, from = ["…"]'),
    "sink-with-output": ("kind", ""),
    "source-missing": ("from", 'say what it reads, from = ["…"]'),
}
#: A spec's words, and a job's.
WORDS = (
    (r"^the job has no vertex", "the job has no operator"),
    (r", but its kind is .*$", ", and is no source"),
)


@dataclass(frozen=True)
class JobFile:
    """A job that can be run. As a program it says what its tasks run."""

    file: Path
    job: Job
    engine: type[Engine]
    seconds: float
    """How long after a checkpoint the next one is due."""
    timeout: float
    """How long after its trigger a checkpoint's barriers overtake, if they do so after a time."""
    records: int | None
    """After how many records from sources it is due in any case."""
    operators: Mapping[str, Said]
    functions: Mapping[str, Callable[[Record], Any]]
    files: Mapping[str, Mapping[str, Path]]
    """What sources read, by their paths as the job has them: absolute, or from its folder."""
    name: str
    is_named: bool
    """The file says so; else it is called as the file."""
    retained: int
    """So many checkpoints stay; savepoints do all."""
    checkpoint_format: int
    """The version in which checkpoints are written."""

    @property
    def loses_output(self) -> bool:
        """Whether there is no checkpoint at its end, and something waits for one to commit."""
        transactional = any(
            KINDS[said["kind"]].sink is Sink.TWO_PHASE
            or "keep" in (said.get("on-bad"), said.get("on-late"))
            for said in self.operators.values()
        )
        return issubclass(self.engine, LegacyFinish) and transactional

    def kind(self, vertex: Vertex) -> str:
        """The kind of a vertex."""
        return str(self.operators[vertex.name]["kind"])

    def settings(self, vertex: Vertex) -> Mapping[str, Any]:
        """The settings of a vertex that its state depends on."""
        return settings_of(self.operators[vertex.name])

    def inputs(self, vertex: Vertex) -> list[str]:
        """The files that a vertex reads."""
        return list(self.files.get(vertex.name, ()))

    def operator(self, subtask: Subtask, files: Files, *, keeps: bool) -> Callable[[], Operator]:
        """Makes the operator of a subtask, once for each attempt."""
        name, kind = subtask.vertex.name, KINDS[self.kind(subtask.vertex)]
        said = {k.replace("-", "_"): v for k, v in self.operators[name].items() if k not in OF_ALL}
        if name in self.functions:
            said["function"] = self.functions[name]
        if name in self.files:
            del said["path"]
            said["files"] = self.files[name]
        if kind.sink is Sink.TWO_PHASE:
            said["keeps"] = keeps
        context = Context(subtask.name, files, subtask.index, subtask.vertex.parallelism)
        return partial(kind.make, context, **said)

    def partitioner(self, edge: Edge) -> Partitioner | None:
        """Records with one key go to one subtask, where that matters."""
        said = self.operators[edge.target]
        if KINDS[said["kind"]].keyed:
            return ByKey(KeyField(edge.target, "key", said.get("key")))
        return None if edge.broadcast else InTurn()

    def mark(self, edge: Edge) -> None:
        """A record goes along every edge as it is."""


def read_job(file: Path, functions: Path | None = None) -> JobFile:
    """Read a job, and modules from a folder. Raises coded errors, with the file and the key."""
    try:
        text = text_of(file)
        table = toml_of(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as reason:
        why = reason.strerror if isinstance(reason, OSError) else reason
        raise FinaleError(
            "job-unreadable",
            f"the job cannot be read: {why}",
            place=Place(str(file)),
            advice="check its name, and that it is TOML",
        ) from None
    if "operators" not in table and not table.keys().isdisjoint(("title", "job", "expect")):
        raise FinaleError(
            "not-a-job",
            "this file is a spec, not a job",
            place=Place(str(file)),
            advice="finale check checks it; a job says what it runs in [operators.NAME]",
        )
    try:
        return _job(file, table, functions or file.parent)
    except FinaleError as error:
        place = error.place or Place()
        error.place = Place(str(file), key=place.key)
        raise


def _job(file: Path, table: Mapping[str, Any], folder: Path) -> JobFile:
    refuse_unknown(table, OF_A_JOB, "")
    refuse_types(table, CHECKS, "")
    operators: dict[str, dict[str, Any]] = table.get("operators", {})
    protocol = table.get("protocol")
    if protocol is not None and protocol not in ENGINES:
        raise FinaleError(
            "no-engine",
            f'the engine has no "{protocol}"',
            place=Place(key="protocol"),
            advice=nearest(protocol, ENGINES),
        )
    if protocol is not None and "barriers" in table:
        raise FinaleError(
            "two-protocols",
            f'"{protocol}" determines already how barriers move, and "barriers" is set too',
            place=Place(key="barriers"),
            advice='leave out "protocol", and the job can be stopped; or leave out "barriers"',
        )
    job = _shape(operators)
    functions = {
        name: function_of(folder, f"operators.{name}.function", said["function"])
        for name, said in operators.items()
        if "function" in said
    }
    return JobFile(
        file=file,
        job=job,
        engine=ENGINES[protocol] if protocol else STOPPABLE[table.get("barriers", "aligned")],
        seconds=float(table.get("seconds", 5.0)),
        timeout=float(table.get("timeout", 1.0)),
        records=table.get("records"),
        operators=operators,
        functions=functions,
        files={
            name: _files(file.parent, name, said)
            for name, said in operators.items()
            if "path" in said
        },
        name=str(table.get("name", file.stem)),
        is_named="name" in table,
        retained=int(table.get("retained", 1)),
        checkpoint_format=int(table.get("checkpoint-format", max(VERSIONS))),
    )


def _shape(operators: Mapping[str, Said]) -> Job:
    vertices = tuple(_vertex(name, said) for name, said in operators.items())
    edges = [edge for name, said in operators.items() for edge in _edges(name, said)]
    _refuse_same_files(operators)
    try:
        return Job(vertices, tuple(edges))
    except FinaleError as error:
        raise _in_words_of_jobs(error) from None


def _in_words_of_jobs(error: FinaleError) -> FinaleError:
    """Report a mistake in a job's shape in the words of job files."""
    told = str(error.place and error.place.key).removeprefix("job").strip(".")
    name, _, key = told.partition(".")
    key, advice = OF_SHAPES.get(error.code, (key, error.advice))
    message = error.message
    for old, new in WORDS:
        message = re.sub(old, new, message, count=1)
    where = ".".join(each for each in ("operators", name, key) if each)
    return FinaleError(error.code, message, place=Place(key=where), advice=advice or error.advice)


def _refuse_same_files(operators: Mapping[str, Said]) -> None:
    """Refuse two operators whose output files would have the same name."""
    for name, said in operators.items():
        before, _, number = name.rpartition("-")
        other = operators.get(before, {}).get("kind")
        if number.isdecimal() and (said["kind"], other) == ("at-least-once", "exactly-once"):
            raise FinaleError(
                "same-output",
                f'"{name}" is called as a file of "{before}" is',
                place=Place(key=f"operators.{name}"),
                advice=f'call it otherwise: "{before}" writes a file for each of its checkpoints',
            )


def _vertex(name: str, said: Said) -> Vertex:
    if not NAME.fullmatch(name):
        raise FinaleError(
            "bad-name",
            f"an operator cannot be called {name!r}: files are named after it",
            place=Place(key=f"operators.{name}"),
            advice='write letters, digits, - and _, and not "metadata"',
        )
    kind, parallelism = check_operator(name, said), int(said.get("parallelism", 1))
    if kind.is_source:
        bounded = not said.get("follow", False)
        return Vertex.source(name, parallelism=parallelism, records=0, bounded=bounded)
    return Vertex(name, parallelism=parallelism, sink=kind.sink)


def _edges(name: str, said: Said) -> list[Edge]:
    broadcast = KINDS[said["kind"]].broadcast
    return [
        Edge(source, name, Pattern.ALL_TO_ALL, broadcast=port == broadcast)
        for port, source in enumerate(said.get("from", ()))
    ]


def _files(folder: Path, name: str, said: Said) -> dict[str, Path]:
    files = files_of(folder, said["path"], f"operators.{name}.path")
    if Path(said["path"]).is_absolute():
        return {os.path.normpath(each): each for each in files}
    return {Path(os.path.relpath(each, folder)).as_posix(): each for each in files}
