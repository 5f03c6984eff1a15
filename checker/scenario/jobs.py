"""Reads a job from one line of text, and names its tasks.

    V0 p3 r2; V1 p4 union-state; V0 -> V1 pointwise

`pN` is the parallelism, 1 if it is left out; `rN` are the records of each of a source's tasks, none
if it is left out. An edge is all-to-all unless it says otherwise; `V0 -> V1 again` is a further
edge, parallel to the one before. A vertex that reads no other is a source. `V0` are all tasks of a
vertex, `V0[0,2..4]` some of them, and `all` those of the job.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from finale.model.errors import FinaleError, nearest
from finale.model.structures import SET_ELEMENTS_MAX
from finale.model.topology import Edge, Job, OperatorKind, Pattern, Subtask, Vertex
from finale.model.topology import Sink as SinkKind

from .reading import Header

_NAME = re.compile(r"[A-Za-z]\w*")
_PARALLELISM = re.compile(r"p(\d{1,9})")
_RECORDS = re.compile(r"r([0-8])")
_TASKS = re.compile(r"([A-Za-z]\w*)(?:\[([\d,.*]+)\])?")
ALL = "all"


def job_in(header: Header, records: int = 0, key: str = "job") -> Job:
    """The job of a key. Raises `bad-job`, `state-too-wide`, and what `Job` does."""
    place = header.place(key)
    words: dict[str, list[str]] = {}
    edges: list[Edge] = []
    text = header.required(key)
    try:
        for item in filter(str.strip, text.split(";")):
            first, *rest = item.split()
            if not _NAME.fullmatch(first):
                raise _bad(item)
            if rest[:1] == ["->"] and len(rest) > 1:
                edges.append(_edge(item, first, rest[1:], edges))
            else:
                words[first] = rest
        read = {edge.target for edge in edges}
        vertices = [_vertex(name, own, name in read, records) for name, own in words.items()]
        count = sum(vertex.parallelism for vertex in vertices)
        if count > SET_ELEMENTS_MAX:
            raise FinaleError(
                "state-too-wide",
                f"the job has {count} tasks, more than the {SET_ELEMENTS_MAX} of a scenario",
                advice="take a smaller job",
            )
        return Job(tuple(vertices), tuple(edges))
    except FinaleError as error:
        error.place = place
        raise


def _bad(item: str) -> FinaleError:
    return FinaleError(
        "bad-job",
        f'"{item.strip()}" is neither a vertex nor an edge',
        advice="write vertices and edges with ; between them: V0 p2; V1 p2; V0 -> V1 pointwise",
    )


def _edge(item: str, source: str, words: Sequence[str], before: Sequence[Edge]) -> Edge:
    """An edge; with the word `again` one that is parallel to those before it."""
    target, *how = words
    again = how[-1:] == ["again"]
    pattern = _pattern(item, how[:-1] if again else how)
    parallel = sum((each.source, each.target) == (source, target) for each in before)
    return Edge(source, target, pattern, number=parallel + 1 if again else 1)


def _pattern(item: str, words: Sequence[str]) -> Pattern:
    if not words:
        return Pattern.ALL_TO_ALL
    for pattern in Pattern:
        if [pattern.value] == words:
            return pattern
    raise _bad(item)


def _vertex(name: str, words: Sequence[str], reads: bool, records: int) -> Vertex:
    kind, parallelism, sink = OperatorKind.PASS_THROUGH, 1, SinkKind.NONE
    for word in words:
        if found := _PARALLELISM.fullmatch(word):
            parallelism = int(found[1])
        elif found := _RECORDS.fullmatch(word):
            records = int(found[1])
        elif word in {each.value for each in OperatorKind}:
            kind = OperatorKind(word)
        elif word in {each.value for each in SinkKind}:
            sink = SinkKind(word)
        else:
            known = [each.value for each in (*OperatorKind, *SinkKind)]
            raise FinaleError(
                "bad-job", f'"{word}" says nothing about a vertex', advice=nearest(word, known)
            )
    if not reads and kind in (OperatorKind.PASS_THROUGH, OperatorKind.SOURCE):
        return Vertex.source(name, records=records, parallelism=parallelism)
    return Vertex(name, kind, parallelism, sink)


# --- tasks ---------------------------------------------------------------------------------------


def tasks_named(job: Job, words: Iterable[str]) -> tuple[Subtask, ...]:
    """The tasks that words name, in the order of the job. Raises `unknown-task`."""
    found: set[Subtask] = set()
    for word in words:
        found.update(_tasks(job, word))
    return tuple(task for task in job.subtasks if task in found)


def task_named(job: Job, word: str) -> Subtask:
    """The one task that a word names. Raises `unknown-task`."""
    first, *others = tasks_named(job, (word,))
    if others:
        raise FinaleError(
            "unknown-task",
            f'"{word}" names {len(others) + 1} tasks, and one is wanted',
            advice=f"write {first.vertex.name}[{first.index}]",
        )
    return first


def _tasks(job: Job, word: str) -> tuple[Subtask, ...]:
    if word == ALL:
        return job.subtasks
    match = _TASKS.fullmatch(word)
    vertices = {vertex.name: vertex for vertex in job.vertices}
    if match is None or match[1] not in vertices:
        raise FinaleError(
            "unknown-task", f'the job has no task "{word}"', advice=nearest(word, vertices)
        )
    every = job.subtasks_of(vertices[match[1]])
    if match[2] is None or match[2] == "*":
        return every
    chosen: list[Subtask] = []
    for item in match[2].split(","):
        first, _, last = item.partition("..")
        if not first.isdecimal() or not (last or first).isdecimal():
            raise _no_such(word, every)
        if not int(first) <= int(last or first) < len(every):
            raise _no_such(word, every)
        chosen += every[int(first) : int(last or first) + 1]
    return tuple(chosen)


def _no_such(word: str, every: tuple[Subtask, ...]) -> FinaleError:
    name = every[0].vertex.name
    return FinaleError(
        "unknown-task",
        f'"{word}" names no tasks of {name}',
        advice=f"write {name}[0] to {name}[{len(every) - 1}]",
    )


def names_of(job: Job, tasks: Iterable[Subtask]) -> tuple[str, ...]:
    """Tasks as short as they can be written."""
    wanted = set(tasks)
    if wanted == set(job.subtasks):
        return (ALL,)
    names: list[str] = []
    for vertex in job.vertices:
        every = job.subtasks_of(vertex)
        chosen = [task.index for task in every if task in wanted]
        if len(chosen) == len(every):
            names.append(vertex.name)
        elif chosen:
            names.append(f"{vertex.name}[{_ranges(chosen)}]")
    return tuple(names)


def _ranges(numbers: Sequence[int]) -> str:
    spans: list[list[int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1][1] = number
        else:
            spans.append([number, number])
    return ",".join(_span(first, last) for first, last in spans)


def _span(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first},{last}" if last == first + 1 else f"{first}..{last}"
