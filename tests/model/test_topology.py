"""Jobs: their expansion, their orders, and the enumeration of small ones."""

from __future__ import annotations

import dataclasses
import itertools
import math
import tomllib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finale.model.topology import (
    Edge,
    Job,
    Pattern,
    Sink,
    Subtask,
    Vertex,
    all_shapes,
)
from finale.model.topology.enumeration import canonical


def read(toml: str) -> Job:
    return Job.from_table(tomllib.loads(toml))


def downstream(job: Job, subtask: Subtask) -> tuple[Subtask, ...]:
    return tuple(channel.receiver for channel in job.outputs(subtask))


def names(items: tuple[object, ...]) -> list[str]:
    return [str(item) for item in items]


# Expansion


def test_a_subtask_is_numbered_only_where_there_are_several() -> None:
    job = read("A = {}\nD = { from = ['A'], parallelism = 2 }\nE = { from = ['D'] }")
    assert names(job.subtasks) == ["A", "D.0", "D.1", "E"]
    assert names(job.channels) == ["A→D.0", "A→D.1", "D.0→E", "D.1→E"]


def test_neighbours_of_a_subtask_come_in_order_of_edge_then_index() -> None:
    job = read(
        """
        A = { parallelism = 2 }
        B = { parallelism = 2 }
        K = { from = [{ vertex = "B", pattern = "pointwise" }, "A"], parallelism = 2 }
        L = { from = ["A"] }
        """
    )
    k1 = job.subtasks_of(job.vertex("K"))[1]
    a0 = job.subtasks_of(job.vertex("A"))[0]
    assert names(job.inputs(k1)) == ["B.1→K.1", "A.0→K.1", "A.1→K.1"]
    assert names(job.upstream(k1)) == ["B.1", "A.0", "A.1"]
    assert names(job.outputs(a0)) == ["A.0→K.0", "A.0→K.1", "A.0→L"]
    assert names(downstream(job, a0)) == ["K.0", "K.1", "L"]
    assert job.inputs(a0) == ()
    assert job.outputs(k1) == ()
    assert names(job.edges_into(job.vertex("K"))) == ["B→K", "A→K"]
    assert names(job.edges_out_of(job.vertex("A"))) == ["A→K", "A→L"]
    assert job.edges[0].pattern is Pattern.POINTWISE


@pytest.mark.parametrize(
    ("senders", "receivers", "read_by"),
    [  # The cases of Flink's PointwisePatternTest, and those of one digit on either side.
        (1, 1, [[0]]),
        (3, 3, [[0], [1], [2]]),
        (1, 3, [[0], [0], [0]]),
        (3, 1, [[0, 1, 2]]),
        (2, 3, [[0], [0], [1]]),
        (3, 2, [[0], [1, 2]]),
        (2, 4, [[0], [0], [1], [1]]),
        (4, 2, [[0, 1], [2, 3]]),
        (3, 5, [[0], [0], [1], [1], [2]]),
        (5, 3, [[0], [1, 2], [3, 4]]),
        (4, 6, [[0], [0], [1], [2], [2], [3]]),
        (6, 4, [[0], [1, 2], [3], [4, 5]]),
        (3, 10, [[0], [0], [0], [0], [1], [1], [1], [2], [2], [2]]),
        (10, 3, [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9]]),
        (6, 10, [[0], [0], [1], [1], [2], [3], [3], [4], [4], [5]]),
        (10, 6, [[0], [1, 2], [3, 4], [5], [6, 7], [8, 9]]),
    ],
)
def test_pointwise_connects_as_flink_does(
    senders: int, receivers: int, read_by: list[list[int]]
) -> None:
    job = Job(
        (Vertex.source("S", parallelism=senders), Vertex("K", parallelism=receivers)),
        (Edge("S", "K", Pattern.POINTWISE),),
    )
    receiving = job.subtasks_of(job.vertex("K"))
    assert [[each.index for each in job.upstream(one)] for one in receiving] == read_by


parallelisms = st.integers(1, 40)


@given(parallelisms, parallelisms)
def test_pointwise_wastes_nobody_and_is_even(senders: int, receivers: int) -> None:
    reads = [list(Pattern.POINTWISE.senders(j, senders, receivers)) for j in range(receivers)]
    fed = Counter(itertools.chain(*reads))
    assert set(fed) == set(range(senders))
    assert sum(map(len, reads)) == max(senders, receivers)
    assert list(itertools.chain(*reads)) == sorted(itertools.chain(*reads))
    for shares in (list(map(len, reads)), list(fed.values())):
        assert min(shares) >= 1
        assert max(shares) - min(shares) <= 1


@given(parallelisms, parallelisms)
def test_pointwise_feeds_the_ranges_that_flink_computes_from_the_sender(p: int, q: int) -> None:
    if p < q:
        for i in range(p):
            fed = [j for j in range(q) if i in Pattern.POINTWISE.senders(j, p, q)]
            assert fed == list(range(math.ceil(i * q / p), math.ceil((i + 1) * q / p)))


# Random jobs


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    count = draw(st.integers(1, 6))
    order = draw(st.permutations([f"N{i}" for i in range(count)]))
    vertices: list[Vertex] = []
    edges: list[Edge] = []
    for position, name in enumerate(order):
        inputs = draw(st.sets(st.sampled_from(order[:position]))) if position else set[str]()
        parallelism = draw(st.integers(1, 4))
        if inputs:
            vertices.append(Vertex(name, parallelism=parallelism))
        else:
            vertices.append(Vertex.source(name, parallelism=parallelism))
        edges += [Edge(each, name, draw(st.sampled_from(Pattern))) for each in sorted(inputs)]
    return Job(tuple(draw(st.permutations(vertices))), tuple(draw(st.permutations(edges))))


@given(jobs())
def test_inputs_and_outputs_are_two_views_of_the_channels(job: Job) -> None:
    assert len({channel.name for channel in job.channels}) == len(job.channels)
    assert len(set(job.subtasks)) == sum(vertex.parallelism for vertex in job.vertices)
    for views in (job.inputs, job.outputs):
        each = [channel for subtask in job.subtasks for channel in views(subtask)]
        assert Counter(each) == Counter(job.channels)
    for subtask in job.subtasks:
        assert all(channel.receiver == subtask for channel in job.inputs(subtask))
        assert all(channel.sender == subtask for channel in job.outputs(subtask))
        assert all(subtask in downstream(job, other) for other in job.upstream(subtask))
        assert bool(job.upstream(subtask)) is not subtask.vertex.is_source
    everybody = [
        (s, r)
        for edge in job.edges
        if edge.pattern is Pattern.ALL_TO_ALL
        for s in job.subtasks_of(job.vertex(edge.source))
        for r in job.subtasks_of(job.vertex(edge.target))
    ]
    assert everybody == [
        (channel.sender, channel.receiver)
        for channel in job.channels
        if channel.edge.pattern is Pattern.ALL_TO_ALL
    ]


@given(jobs())
def test_orders_respect_the_edges(job: Job) -> None:
    place = {vertex.name: i for i, vertex in enumerate(job.topological)}
    assert sorted(place) == sorted(vertex.name for vertex in job.vertices)
    assert all(place[edge.source] < place[edge.target] for edge in job.edges)
    layer = {vertex.name: i for i, layer in enumerate(job.layers()) for vertex in layer}
    assert sorted(layer) == sorted(place)
    for vertex in job.vertices:
        inputs = [layer[edge.source] for edge in job.edges_into(vertex)]
        assert layer[vertex.name] == (max(inputs) + 1 if inputs else 0)


@given(jobs())
def test_a_job_is_a_value(job: Job) -> None:
    again = Job(job.vertices, job.edges)
    assert job.channels == again.channels  # and has filled the caches of both
    assert job == again
    assert hash(job) == hash(again)
    with pytest.raises(dataclasses.FrozenInstanceError):
        job.edges = ()  # type: ignore[misc]


def test_topological_order_prefers_the_first_declared() -> None:
    job = read(
        "K = { from = ['Y', 'X'] }\nY = { from = ['S'] }\nX = { from = ['S'] }\nT = {}\nS = {}"
    )
    assert names(job.topological) == ["T", "S", "Y", "X", "K"]
    assert [names(layer) for layer in job.layers()] == [["T", "S"], ["Y", "X"], ["K"]]


def test_a_shortcut_does_not_pull_a_vertex_forward() -> None:
    job = read("A = {}\nB = { from = ['A'] }\nC = { from = ['A', 'B'] }")
    assert [names(layer) for layer in job.layers()] == [["A"], ["B"], ["C"]]


# Enumeration

Arrows = frozenset[tuple[int, int]]


def arrows(job: Job) -> Arrows:
    position = {vertex.name: i for i, vertex in enumerate(job.vertices)}
    return frozenset((position[edge.source], position[edge.target]) for edge in job.edges)


def relabellings(graph: Arrows, size: int) -> list[Arrows]:
    return [
        frozenset((order[a], order[b]) for a, b in graph)
        for order in itertools.permutations(range(size))
    ]


def acyclic_graphs(size: int) -> set[Arrows]:
    """All on numbered vertices, by trying every set of arrows: slow and plain."""
    pairs = list(itertools.permutations(range(size), 2))
    found: set[Arrows] = set()
    for chosen in itertools.product([False, True], repeat=len(pairs)):
        graph = frozenset(itertools.compress(pairs, chosen))
        left = set(range(size))
        while free := {v for v in left if not any(a in left and b == v for a, b in graph)}:
            left -= free
        if not left:
            found.add(graph)
    return found


def labelled_count(size: int) -> int:
    """Robinson's recurrence for acyclic graphs on numbered vertices: 1, 3, 25, 543, 29281."""
    if size == 0:
        return 1
    return sum(
        (-1) ** (k + 1) * math.comb(size, k) * 2 ** (k * (size - k)) * labelled_count(size - k)
        for k in range(1, size + 1)
    )


def test_a_canonical_form_does_not_depend_on_the_numbers() -> None:
    for job in all_shapes(4):
        size = len(job.vertices)
        forms = {
            canonical(tuple(frozenset(a for a, b in graph if b == v) for v in range(size)))
            for graph in relabellings(arrows(job), size)
        }
        assert len(forms) == 1


def test_there_are_as_many_shapes_as_unlabelled_acyclic_graphs() -> None:
    sizes = [len(job.vertices) for job in all_shapes(6)]
    assert sizes == sorted(sizes)
    assert Counter(sizes) == {1: 1, 2: 2, 3: 6, 4: 31, 5: 302, 6: 5984}  # OEIS A003087


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_every_acyclic_graph_is_one_shape_renumbered(size: int) -> None:
    shapes = [arrows(job) for job in all_shapes(size) if len(job.vertices) == size]
    classes = [set(relabellings(shape, size)) for shape in shapes]
    together = set[Arrows]().union(*classes)
    assert sum(map(len, classes)) == len(together)  # no two are the same
    assert together == acyclic_graphs(size)


def test_the_shapes_of_five_account_for_all_numbered_graphs() -> None:
    total = 0
    forms: set[Arrows] = set()
    for job in all_shapes(5):
        if len(job.vertices) == 5:
            renumbered = set(relabellings(arrows(job), 5))
            total += len(renumbered)
            forms |= renumbered
    assert total == len(forms) == labelled_count(5) == 29281


def test_a_shape_is_a_job_with_sources_first_and_sinks_last() -> None:
    small = list(all_shapes(2, records=2, sink=Sink.AT_LEAST_ONCE))
    assert small == [
        Job((Vertex.source("V1", records=2),)),
        Job((Vertex.source("V1", records=2), Vertex.source("V2", records=2))),
        Job(
            (Vertex.source("V1", records=2), Vertex("V2", sink=Sink.AT_LEAST_ONCE)),
            (Edge("V1", "V2"),),
        ),
    ]
    for job in all_shapes(4):
        assert job.topological == job.vertices
        reading = {edge.target for edge in job.edges} - {edge.source for edge in job.edges}
        assert {vertex.name for vertex in job.sinks} == reading


def test_shapes_come_one_by_one_and_always_in_the_same_order() -> None:
    endless = all_shapes(1000)
    first = list(itertools.islice(endless, 9))
    assert [len(job.vertices) for job in first] == [1, 2, 2, 3, 3, 3, 3, 3, 3]
    assert first == list(all_shapes(3))
    assert list(all_shapes(0)) == []
