"""Writes the table of a spec as TOML, and a job as the `[job]` table that describes it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from finale.model.topology import Job, OperatorKind, Pattern, Sink, Vertex
from finale.model.topology.parts import Edge

from .typed import is_list, is_table

_BARE = re.compile(r"[A-Za-z0-9_-]+")
#: Kinds that a vertex has without saying so.
_PLAIN = (OperatorKind.SOURCE, OperatorKind.PASS_THROUGH, OperatorKind.CHAINED)


def spec_text(table: Mapping[str, object]) -> str:
    """Return a spec in TOML: plain keys first, then its tables, then lists of tables."""
    plain = {name: value for name, value in table.items() if _is_plain(value)}
    lines = [f"{_key(name)} = {toml_value(value)}" for name, value in plain.items()]
    for name, value in table.items():
        if is_table(value) and value:
            lines += ["", *table_lines(name, value)]
    for name, value in table.items():
        for row in value if is_list(value) and not _is_plain(value) else ():
            if is_table(row):
                lines += ["", f"[[{_key(name)}]]"]
                lines += [f"{_key(key)} = {toml_value(own)}" for key, own in row.items()]
    return "\n".join(lines) + "\n"


def table_lines(name: str, table: Mapping[str, object]) -> list[str]:
    """Return a table in TOML: its name, and a line for each key."""
    return [
        f"[{_key(name)}]",
        *(f"{_key(key)} = {toml_value(value)}" for key, value in table.items()),
    ]


def _is_plain(value: object) -> bool:
    if is_list(value):
        return not any(is_table(each) for each in value)
    return not is_table(value)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    """A text in quotes: as in JSON, but TOML has no pairs of surrogates, and no bare DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def toml_value(value: object) -> str:
    """Return a value as TOML writes it, in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_table(value):
        inner = ", ".join(f"{_key(name)} = {toml_value(each)}" for name, each in value.items())
        return f"{{ {inner} }}"
    if is_list(value):
        return f"[{', '.join(map(toml_value, value))}]"
    return _text(value) if isinstance(value, str) else str(value)


def job_table(job: Job) -> dict[str, dict[str, object]]:
    """Return the table of a job, vertex by vertex; what is usual is left out."""
    return {each.name: dict(_vertex(job, each)) for each in job.vertices}


def _vertex(job: Job, vertex: Vertex) -> Iterator[tuple[str, object]]:
    edges = job.edges_into(vertex)
    if edges:
        yield "from", [_edge(each) for each in edges]
    if vertex.kind not in _PLAIN or (vertex.kind is OperatorKind.PASS_THROUGH and not edges):
        yield "kind", vertex.kind.value
    if vertex.sink is not Sink.NONE:
        yield "sink", vertex.sink.value
    if vertex.parallelism > 1:
        yield "parallelism", vertex.parallelism
    if vertex.is_source:
        same = len(set(vertex.records)) == 1
        yield "records", vertex.records[0] if same else list(vertex.records)
    if vertex.chained:
        yield "chained", list(vertex.chained)
    if vertex.ending:
        yield "bounded", [index in vertex.ending for index in range(vertex.parallelism)]
    elif not vertex.bounded and vertex.kind is not OperatorKind.ITERATION_HEAD:
        yield "bounded", False
    if vertex.union_state:
        yield "union_state", True


def _edge(edge: Edge) -> object:
    said: dict[str, object] = {"vertex": edge.source}
    if edge.pattern is not Pattern.ALL_TO_ALL:
        said["pattern"] = edge.pattern.value
    if edge.broadcast:
        said["broadcast"] = True
    if not edge.overtakes:
        said["overtakes"] = False
    if edge.number > 1:
        said["again"] = True
    return edge.source if len(said) == 1 else said
