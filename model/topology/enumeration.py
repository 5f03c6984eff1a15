"""Every small job: what a claim about all jobs up to a size is checked on.

Each acyclic graph comes once up to renaming, and each is a job: a vertex without input is a source.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TypeAlias

from .job import Job
from .parts import Edge, Sink, Vertex

Graph: TypeAlias = tuple[frozenset[int], ...]
"""For each vertex, those that it reads."""


def all_shapes(
    vertices_max: int, *, records: int = 1, sink: Sink = Sink.TWO_PHASE
) -> Iterator[Job]:
    """The jobs with up to so many vertices, connected or not, smallest first, parallelism 1.

    Vertices are called V1, V2, … and each comes after those that it reads. Whatever reads and is
    not read is a `sink`. There are 1, 2, 6, 31, 302, 5984 jobs of 1, 2, 3, 4, 5, 6 vertices.
    """
    graphs: list[Graph] = [()]
    for _ in range(vertices_max):
        smaller, graphs = graphs, []
        for graph in _grown(smaller):
            graphs.append(graph)
            yield _job(graph, records, sink)


def _grown(smaller: list[Graph]) -> Iterator[Graph]:
    """All graphs that are one of the smaller ones and a vertex that nobody reads.

    These are all of the next size: an acyclic graph has such a vertex, and may lose it.
    """
    seen: set[Graph] = set()
    for graph in smaller:
        for count in range(len(graph) + 1):
            for inputs in itertools.combinations(range(len(graph)), count):
                grown = (*graph, frozenset(inputs))
                form = canonical(grown)
                if form not in seen:
                    seen.add(form)
                    yield grown


def canonical(graph: Graph) -> Graph:
    """One graph for all that differ in the numbers of the vertices only.

    Of all renumberings the least, where only those are tried that respect the colours: vertices of
    different colour are told apart without their numbers, and few have the same colour.
    """
    colours = _colours(graph)
    cells = [
        [vertex for vertex, colour in enumerate(colours) if colour == which]
        for which in sorted(set(colours))
    ]
    orders = itertools.product(*(itertools.permutations(cell) for cell in cells))
    forms = (_renumbered(graph, list(itertools.chain(*order))) for order in orders)
    return min(forms, key=lambda form: [sorted(inputs) for inputs in form])


def _colours(graph: Graph) -> list[int]:
    """A number for each vertex, refined by those of its neighbours until nothing changes."""
    colours = [0] * len(graph)
    while True:
        views = [
            (
                colours[vertex],
                sorted(colours[other] for other in graph[vertex]),
                sorted(colours[other] for other, inputs in enumerate(graph) if vertex in inputs),
            )
            for vertex in range(len(graph))
        ]
        distinct = [view for view, _ in itertools.groupby(sorted(views))]
        refined = [distinct.index(view) for view in views]
        if refined == colours:
            return colours
        colours = refined


def _renumbered(graph: Graph, order: list[int]) -> Graph:
    number = {vertex: position for position, vertex in enumerate(order)}
    return tuple(frozenset(number[other] for other in graph[vertex]) for vertex in order)


def _job(graph: Graph, records: int, sink: Sink) -> Job:
    names = [f"V{number}" for number in range(1, len(graph) + 1)]
    read = frozenset[int]().union(*graph)
    vertices = tuple(
        Vertex(name, sink=Sink.NONE if number in read else sink)
        if graph[number]
        else Vertex.source(name, records=records)
        for number, name in enumerate(names)
    )
    edges = tuple(
        Edge(names[source], names[target])
        for target, inputs in enumerate(graph)
        for source in sorted(inputs)
    )
    return Job(vertices, edges)
