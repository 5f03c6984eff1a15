"""The job: a validated acyclic graph of vertices, and its expansion into subtasks and channels.

Modelled on Flink's JobGraph and ExecutionGraph. Everything comes in one order, whoever asks:
vertices and edges as declared, subtasks by vertex and index, channels by edge, sender, receiver.
"""

from __future__ import annotations

import heapq
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from finale.model.errors import FinaleError, Place, nearest

from .parts import Channel, Edge, Subtask, Vertex
from .table import read_job


@dataclass(frozen=True)
class Job:
    """Vertices and the edges between them; made only if a protocol could run on it."""

    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...] = ()

    def __post_init__(self) -> None:
        _check_vertices(self.vertices)
        _check_edges(self.vertices, self.edges)
        _check_ends(self.vertices, self.edges)
        _check_acyclic(self.vertices, self.edges)

    @classmethod
    def from_table(cls, table: Mapping[str, object]) -> Job:
        """The job that the `[job]` table of a spec describes."""
        return cls(*read_job(table))

    # Vertices

    def vertex(self, name: str) -> Vertex:
        """The vertex of that name."""
        if name not in self._vertices:
            raise _unknown(name, self._vertices, Place())
        return self._vertices[name]

    @cached_property
    def sources(self) -> tuple[Vertex, ...]:
        return tuple(vertex for vertex in self.vertices if vertex.is_source)

    @cached_property
    def sinks(self) -> tuple[Vertex, ...]:
        return tuple(vertex for vertex in self.vertices if vertex.is_sink)

    def edges_into(self, vertex: Vertex) -> tuple[Edge, ...]:
        return tuple(edge for edge in self.edges if edge.target == vertex.name)

    def edges_out_of(self, vertex: Vertex) -> tuple[Edge, ...]:
        return tuple(edge for edge in self.edges if edge.source == vertex.name)

    @cached_property
    def topological(self) -> tuple[Vertex, ...]:
        """Every vertex after all that it reads; of those that could be next, the first declared."""
        return tuple(self._vertices[name] for name in _sorted(self.vertices, self.edges))

    def layers(self) -> tuple[tuple[Vertex, ...], ...]:
        """The vertices by the length of the longest path that leads to them, sources first."""
        depth: dict[str, int] = {}
        for vertex in self.topological:
            depth[vertex.name] = max(
                (depth[edge.source] + 1 for edge in self.edges_into(vertex)), default=0
            )
        return tuple(
            tuple(vertex for vertex in self.vertices if depth[vertex.name] == layer)
            for layer in range(max(depth.values()) + 1)
        )

    # Subtasks and channels, made when first asked for

    @cached_property
    def subtasks(self) -> tuple[Subtask, ...]:
        return tuple(each for vertex in self.vertices for each in self.subtasks_of(vertex))

    def subtasks_of(self, vertex: Vertex) -> tuple[Subtask, ...]:
        return tuple(Subtask(vertex, index) for index in range(vertex.parallelism))

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        return tuple(channel for edge in self.edges for channel in self._expand(edge))

    def inputs(self, subtask: Subtask) -> tuple[Channel, ...]:
        """The channels that a subtask reads."""
        return self._inputs[subtask]

    def outputs(self, subtask: Subtask) -> tuple[Channel, ...]:
        """The channels that a subtask writes."""
        return self._outputs[subtask]

    def upstream(self, subtask: Subtask) -> tuple[Subtask, ...]:
        """The subtasks that it reads directly: the rule sheet's up(t)."""
        return tuple(channel.sender for channel in self.inputs(subtask))

    def _expand(self, edge: Edge) -> list[Channel]:
        senders = self.subtasks_of(self.vertex(edge.source))
        receivers = self.subtasks_of(self.vertex(edge.target))
        pairs = [
            (sender, receiver.index)
            for receiver in receivers
            for sender in edge.pattern.senders(receiver.index, len(senders), len(receivers))
        ]
        return [Channel(senders[i], receivers[j], edge) for i, j in sorted(pairs)]

    @cached_property
    def _vertices(self) -> dict[str, Vertex]:
        return {vertex.name: vertex for vertex in self.vertices}

    @cached_property
    def _inputs(self) -> dict[Subtask, tuple[Channel, ...]]:
        found: dict[Subtask, list[Channel]] = {subtask: [] for subtask in self.subtasks}
        for channel in self.channels:
            found[channel.receiver].append(channel)
        return {subtask: tuple(channels) for subtask, channels in found.items()}

    @cached_property
    def _outputs(self) -> dict[Subtask, tuple[Channel, ...]]:
        found: dict[Subtask, list[Channel]] = {subtask: [] for subtask in self.subtasks}
        for channel in self.channels:
            found[channel.sender].append(channel)
        return {subtask: tuple(channels) for subtask, channels in found.items()}


def _check_vertices(vertices: tuple[Vertex, ...]) -> None:
    if not vertices:
        raise FinaleError(
            "job-empty",
            "the job has no vertex",
            place=Place(key="job"),
            advice='write at least a source, A = { records = 1 }, or a shape, shape = "pair"',
        )
    for name, count in Counter(vertex.name for vertex in vertices).items():
        if count > 1:
            raise FinaleError(
                "duplicate-vertex",
                f'{count} vertices are called "{name}"',
                place=Place(key=f"job.{name}"),
                advice="give each vertex a name of its own",
            )
    _check_alphabet(vertices)


def _check_alphabet(vertices: tuple[Vertex, ...]) -> None:
    """Refuse names that may look alike. Raises `bad-name`.

    Letters of two alphabets look alike (Latin S, Cyrillic \u0405). Those that do have an upper and
    a lower case, so the letters of a job that have both are of one alphabet.
    """
    first_of: dict[str, str] = {}
    for vertex in vertices:
        for letter in vertex.name:
            if letter.lower() != letter.upper():
                first_of.setdefault(unicodedata.name(letter).split()[0].title(), vertex.name)
    if len(first_of) > 1:
        (one, name), (other, second) = list(first_of.items())[:2]
        raise FinaleError(
            "bad-name",
            f'"{name}" has {one} letters and "{second}" has {other} ones, which can look alike',
            place=Place(key=f"job.{second}"),
            advice="write all names of a job in one alphabet",
        )


def _check_edges(vertices: tuple[Vertex, ...], edges: tuple[Edge, ...]) -> None:
    names = [vertex.name for vertex in vertices]
    seen: set[str] = set()
    for edge in edges:
        place = Place(key=f"job.{edge.target}.from")
        for name in (edge.target, edge.source):
            if name not in names:
                raise _unknown(name, names, place)
        if edge.name in seen:
            # A channel is named by its two ends, in the model, in traces and in logs.
            raise FinaleError(
                "duplicate-edge",
                f'"{edge.target}" reads "{edge.source}" twice',
                place=place,
                advice="keep one of the two, or put a pass-through vertex into the second path; "
                "in a spec, mark a parallel edge with again = true",
            )
        seen.add(edge.name)


def _check_ends(vertices: tuple[Vertex, ...], edges: tuple[Edge, ...]) -> None:
    read = {edge.source: edge.target for edge in reversed(edges)}
    reading = {edge.target: edge.source for edge in reversed(edges)}
    for vertex in vertices:
        name, key = vertex.name, f"job.{vertex.name}"
        if vertex.is_sink and not vertex.chained and name not in reading:
            raise FinaleError(
                "sink-without-input",
                f'the sink "{name}" reads from nowhere',
                place=Place(key=f"{key}.sink"),
                advice='say what it reads, from = ["A"], or that it is no sink',
            )
        if vertex.is_sink and name in read:
            raise FinaleError(
                "sink-with-output",
                f'"{read[name]}" reads the sink "{name}", which has no output',
                place=Place(key=f"{key}.sink"),
                advice=f'let "{read[name]}" read what "{name}" reads, or end the job there',
            )
        if vertex.is_source and name in reading:
            raise FinaleError(
                "source-with-input",
                f'the source "{name}" reads "{reading[name]}"',
                place=Place(key=f"{key}.from"),
                advice="leave out what it reads, or give it another kind",
            )
        if not vertex.is_source and not vertex.chained and name not in reading:
            raise FinaleError(
                "source-missing",
                f'"{name}" reads from nowhere, but its kind is {vertex.kind.value}, not source',
                place=Place(key=f"{key}.kind"),
                advice='say what it reads, from = ["A"], or make it a source',
            )


def _check_acyclic(vertices: tuple[Vertex, ...], edges: tuple[Edge, ...]) -> None:
    done = set(_sorted(vertices, edges))
    left = [vertex.name for vertex in vertices if vertex.name not in done]
    if not left:
        return
    # What is left lies on a cycle or behind one: going upstream must come round.
    path = [left[0]]
    while True:
        before = next(e.source for e in edges if e.target == path[-1] and e.source not in done)
        if before in path:
            break
        path.append(before)
    cycle = path[path.index(before) :][::-1]
    start = cycle.index(min(cycle, key=left.index))
    turned = cycle[start:] + cycle[:start] + cycle[start : start + 1]
    raise FinaleError(
        "job-cycle",
        f"the job runs in a circle: {'→'.join(turned)}",
        place=Place(key=f"job.{turned[0]}.from"),
        advice="take out one of these edges: iterations are not modelled",
    )


def _sorted(vertices: tuple[Vertex, ...], edges: tuple[Edge, ...]) -> list[str]:
    """The names of all vertices that no cycle holds back, each after those that it reads."""
    rank = {vertex.name: position for position, vertex in enumerate(vertices)}
    missing = Counter(edge.target for edge in edges)
    ready = [rank[vertex.name] for vertex in vertices if not missing[vertex.name]]
    found: list[str] = []
    while ready:
        name = vertices[heapq.heappop(ready)].name
        found.append(name)
        for edge in edges:
            if edge.source == name:
                missing[edge.target] -= 1
                if not missing[edge.target]:
                    heapq.heappush(ready, rank[edge.target])
    return found


def _unknown(name: str, known: Iterable[str], place: Place) -> FinaleError:
    return FinaleError(
        "unknown-vertex",
        f'the job has no vertex "{name}"',
        place=place,
        advice=nearest(name, known),
    )
