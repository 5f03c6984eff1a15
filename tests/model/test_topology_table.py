"""The `[job]` table: what it may say, the standard shapes, and every mistake with its code."""

from __future__ import annotations

import tomllib

import pytest

from finale.model.errors import FinaleError
from finale.model.topology import (
    SHAPES,
    SHEET_NAMES,
    Edge,
    Job,
    OperatorKind,
    Pattern,
    Sink,
    Subtask,
    Vertex,
)


def read(toml: str) -> Job:
    return Job.from_table(tomllib.loads(toml))


def names(items: tuple[object, ...]) -> list[str]:
    return [str(item) for item in items]


# Tables


def test_a_table_of_vertices() -> None:
    job = read(
        """
        A = { records = [2, 0], parallelism = 2, bounded = false }
        C = {}
        D = { from = ["A"], kind = "keyed", parallelism = 3 }
        E = { from = ["C", { vertex = "D", pattern = "pointwise" }], sink = "at-least-once" }
        """
    )
    assert job == Job(
        (
            Vertex("A", OperatorKind.SOURCE, 2, Sink.NONE, (2, 0), bounded=False),
            Vertex("C", OperatorKind.SOURCE, 1, Sink.NONE, (1,), bounded=True),
            Vertex("D", OperatorKind.KEYED, 3),
            Vertex("E", OperatorKind.PASS_THROUGH, 1, Sink.AT_LEAST_ONCE),
        ),
        (Edge("A", "D"), Edge("C", "E"), Edge("D", "E", Pattern.POINTWISE)),
    )
    assert names(job.sources) == ["A", "C"]
    assert names(job.sinks) == ["E"]
    assert [subtask.records for subtask in job.subtasks] == [2, 0, 1, 0, 0, 0, 0]


def test_one_number_of_records_holds_for_each_subtask() -> None:
    job = read("A = { records = 3, parallelism = 2 }")
    assert job.vertex("A").records == (3, 3)
    assert Vertex.source("A", records=3, parallelism=2) == job.vertex("A")


SELF_FED = (OperatorKind.SOURCE, OperatorKind.ITERATION_HEAD, OperatorKind.CHAINED)
READING = [kind for kind in OperatorKind if kind not in SELF_FED]


@pytest.mark.parametrize("kind", READING)
def test_every_kind_has_a_word(kind: OperatorKind) -> None:
    assert read(f"S = {{}}\nV = {{ from = ['S'], kind = '{kind.value}' }}").vertex("V").kind is kind


def test_sources_are_chained_into_a_task_with_inputs_or_without() -> None:
    job = read(
        "S = {}\nV = { from = ['S'], chained = [1, 0] }\nW = { chained = [2], bounded = false }"
    )
    reading, alone = job.vertex("V"), job.vertex("W")
    assert (reading.kind, reading.chained, reading.bounded) == (OperatorKind.CHAINED, (1, 0), True)
    assert (alone.kind, alone.chained, alone.bounded) == (OperatorKind.CHAINED, (2,), False)
    assert [subtask.records for subtask in job.subtasks] == [1, 1, 2]
    assert [vertex.name for vertex in job.sources] == ["S"]


EXPECTED_SHAPES = {
    "pair": ["S→K"],
    "chain": ["S→W", "W→K"],
    "fan-in": ["S1→K", "S2→K"],
    "fan-out": ["S→K1", "S→K2"],
    "diamond": ["S→X", "S→Y", "X→K", "Y→K"],
    "figure": ["C→D", "A→E", "D→E"],
    "disjoint": ["A1→A2", "B1→B2"],
}


def test_every_shape_is_listed() -> None:
    assert list(SHAPES) == list(EXPECTED_SHAPES)
    assert set(SHEET_NAMES.values()) <= set(SHAPES)


@pytest.mark.parametrize(("shape", "channels"), EXPECTED_SHAPES.items())
def test_a_standard_shape(shape: str, channels: list[str]) -> None:
    job = Job.from_table({"shape": shape})
    assert names(job.channels) == channels
    reading = {channel.split("→")[1] for channel in channels}
    read_from = {channel.split("→")[0] for channel in channels}
    assert {each.name for each in job.sinks} == reading - read_from
    assert {each.sink for each in job.sinks} == {Sink.TWO_PHASE}
    assert all(source.records == (1,) and source.bounded for source in job.sources)


def test_some_subtasks_of_a_source_may_never_end() -> None:
    job = read("A = { parallelism = 3, bounded = [true, false, true] }")
    assert job.vertex("A") == Vertex(
        "A", OperatorKind.SOURCE, 3, records=(1,) * 3, bounded=False, ending=(0, 2)
    )
    assert [each.bounded for each in job.subtasks] == [True, False, True]
    same = read("A = { parallelism = 2, bounded = [false, false] }")
    assert same == read("A = { parallelism = 2, bounded = false }")


def test_a_shape_may_be_called_as_in_the_sheet() -> None:
    for letter, edges in {"A": "pair", "B": "chain", "D": "fan-in", "E": "disjoint"}.items():
        assert Job.from_table({"shape": letter}) == Job.from_table({"shape": edges})


def test_a_shape_with_other_settings() -> None:
    job = read(
        """
        shape       = "chain"
        records     = [2, 1]
        bounded     = false
        parallelism = 2
        pattern     = "pointwise"
        sink        = "at-least-once"
        W           = { kind = "buffering", parallelism = 1 }
        """
    )
    assert job == Job(
        (
            Vertex.source("S", records=(2, 1), parallelism=2, bounded=False),
            Vertex("W", OperatorKind.BUFFERING),
            Vertex("K", parallelism=2, sink=Sink.AT_LEAST_ONCE),
        ),
        (Edge("S", "W", Pattern.POINTWISE), Edge("W", "K", Pattern.POINTWISE)),
    )


def test_a_shape_without_a_sink() -> None:
    assert Job.from_table({"shape": "pair", "sink": "none"}).sinks == ()


# Mistakes


@pytest.mark.parametrize(
    ("toml", "code", "key", "hint"),
    [
        ("", "job-empty", "job", "at least a source"),
        ("D = { colour = 1 }", "unknown-key", "job.D.colour", "from"),
        ("D = { record = 1 }", "unknown-key", "job.D.record", '"records"'),
        ("shape = 'pair'\nsinks = 'none'", "unknown-key", "job.sinks", '"sink"'),
        ("parallelism = 2\nA = {}", "unknown-key", "job.parallelism", "at each vertex"),
        ("shape = 'diamnd'", "bad-shape", "job.shape", '"diamond"'),
        ("shape = 3", "bad-shape", "job.shape", '"diamond"'),
        ("shape = 'pair'\nK = { from = ['S'] }", "bad-shape", "job.K.from", "leave out"),
        ("A = 1", "bad-vertex", "job.A", "records = 1"),
        ("A = {}\nD = { from = 'A' }", "bad-from", "job.D.from", '["A"]'),
        ("D = { from = [] }", "bad-from", "job.D.from", "source"),
        ("A = {}\nD = { from = [1] }", "bad-from", "job.D.from", '"A"'),
        ("A = {}\nD = { from = [{ pattern = 'pointwise' }] }", "bad-from", "job.D.from", "vertex"),
        ("A = {}\nD = { from = [{ vertx = 'A' }] }", "unknown-key", "job.D.from.vertx", "vertex"),
        (
            "A = {}\nD = { from = [{ vertex = 'A', pattern = 'pointwize' }] }",
            "bad-pattern",
            "job.D.from.pattern",
            '"pointwise"',
        ),
        ("shape = 'pair'\npattern = 'all'", "bad-pattern", "job.pattern", "all-to-all"),
        ("Sorce = {}\nD = { from = ['Source'] }", "unknown-vertex", "job.D.from", '"Sorce"'),
        ("A = {}\nD = { from = ['A', 'A'] }", "duplicate-edge", "job.D.from", "one of the two"),
        ("A = {}\nD = { from = ['A'], kind = 'key' }", "bad-kind", "job.D.kind", '"keyed"'),
        ("A = {}\nD = { from = ['A'], sink = 'two' }", "bad-sink", "job.D.sink", "two-phase"),
        ("A = {}\nD = { from = ['A'], sink = true }", "bad-sink", "job.D.sink", "two-phase"),
        ("K = { sink = 'two-phase' }", "sink-without-input", "job.K.sink", "from"),
        (
            "A = {}\nK = { from = ['A'], sink = 'two-phase' }\nL = { from = ['K'] }",
            "sink-with-output",
            "job.K.sink",
            '"L"',
        ),
        ("A = {}\nD = { from = ['A'], kind = 'source' }", "source-with-input", "job.D.from", ""),
        ("D = { kind = 'keyed' }", "source-missing", "job.D.kind", "from"),
        ("A = { parallelism = 0 }", "bad-parallelism", "job.A.parallelism", "from 1"),
        ("A = { parallelism = 32769 }", "bad-parallelism", "job.A.parallelism", "32768"),
        ("A = { parallelism = true }", "bad-parallelism", "job.A.parallelism", "1 or more"),
        ("shape = 'pair'\nparallelism = 0", "bad-parallelism", "job.parallelism", "from 1"),
        ("A = { records = -1 }", "bad-records", "job.A.records", "0"),
        ("A = { records = 'none' }", "bad-records", "job.A.records", "with 0 emits"),
        ("A = { records = [1, true], parallelism = 2 }", "bad-records", "job.A.records", "list"),
        ("A = { records = [1, 2, 3], parallelism = 2 }", "bad-records", "job.A.records", "list"),
        ("shape = 'pair'\nrecords = [1, 2]", "bad-records", "job.records", "list"),
        ("shape = 'pair'\nrecords = 1.5", "bad-records", "job.records", "whole number"),
        ("A = {}\nD = { from = ['A'], records = 1 }", "records-on-non-source", "job.D.records", ""),
        (
            "A = {}\nD = { from = ['A'], bounded = false }",
            "bounded-on-non-source",
            "job.D.bounded",
            "sources",
        ),
        (
            "A = {}\nD = { from = [{ vertex = 'A', broadcast = 1 }] }",
            "bad-edge",
            "job.D.from.broadcast",
            "true or false",
        ),
        (
            "A = { kind = 'iteration-head', bounded = true }",
            "bounded-iteration",
            "job.A.bounded",
            "leave out",
        ),
        ("A = { union_state = 1 }", "bad-kind", "job.A.union_state", "union_state = true"),
        (
            "A = {}\nB = { from = ['A'], union_state = true }",
            "bad-kind",
            "job.B.union_state",
            'kind = "union-state"',
        ),
        ("A = { chained = 1 }", "bad-chained", "job.A.chained", "list"),
        ("A = { chained = [] }", "bad-chained", "job.A.chained", "list"),
        ("A = { chained = [1, true] }", "bad-chained", "job.A.chained", "list"),
        ("A = { chained = [1, -1] }", "bad-chained", "job.A.chained", "two sources"),
        ("A = { chained = [1], kind = 'keyed' }", "bad-chained", "job.A.chained", "no `kind`"),
        ("A = {}\nB = { from = ['A'], kind = 'chained' }", "bad-chained", "job.B.chained", ""),
        ("A = { chained = [1], records = 1 }", "records-on-non-source", "job.A.records", ""),
        ("A = { bounded = 'no' }", "bad-bounded", "job.A.bounded", "false"),
        ("A = { bounded = [true, false] }", "bad-bounded", "job.A.bounded", "each subtask"),
        ("A = { bounded = [1] }", "bad-bounded", "job.A.bounded", "each subtask"),
        ("'D.0' = {}", "bad-name", "job.D.0", "plain"),
        ("'A→B' = {}", "bad-name", "job.A→B", "plain"),
        # An e and an accent, for which there is one letter; and a wide S.
        ("'e\u0301' = {}", "bad-name", "job.e\u0301", "plain"),
        ("'\uff33' = {}", "bad-name", "job.\uff33", "plain"),
        ("S = {}\n'\u0405' = {}", "bad-name", "job.\u0405", "one alphabet"),
        ("' ' = {}", "bad-name", "job. ", "plain"),
    ],
)
def test_a_mistake_has_a_code_a_place_and_advice(toml: str, code: str, key: str, hint: str) -> None:
    with pytest.raises(FinaleError) as caught:
        read(toml)
    assert caught.value.place is not None
    assert (caught.value.code, caught.value.place.key) == (code, key)
    assert hint in caught.value.advice
    assert caught.value.advice.strip()
    assert caught.value.message.strip()


@pytest.mark.parametrize(
    ("toml", "cycle"),
    [
        ("A = { from = ['A'] }", "A→A"),
        ("B = { from = ['A'] }\nA = { from = ['B'] }", "B→A→B"),
        (
            "S = {}\nZ = { from = ['Y'] }\nX = { from = ['S', 'W'] }\nY = { from = ['X'] }\n"
            "W = { from = ['Y'] }",
            "X→Y→W→X",  # Z lies behind the cycle, not on it
        ),
    ],
)
def test_a_cycle_is_named(toml: str, cycle: str) -> None:
    with pytest.raises(FinaleError) as caught:
        read(toml)
    assert caught.value.code == "job-cycle"
    assert caught.value.message.endswith(f": {cycle}")


def test_two_vertices_of_one_name() -> None:
    with pytest.raises(FinaleError) as caught:
        Job((Vertex.source("A"), Vertex.source("A")))
    assert caught.value.code == "duplicate-vertex"


def test_an_unknown_vertex_is_asked_for() -> None:
    with pytest.raises(FinaleError) as caught:
        Job.from_table({"shape": "fan-in"}).vertex("S3")
    assert caught.value.code == "unknown-vertex"
    assert '"S' in caught.value.advice


def test_a_source_made_by_hand_needs_its_records() -> None:
    with pytest.raises(FinaleError) as caught:
        Vertex("A", OperatorKind.SOURCE)
    assert caught.value.code == "bad-records"


def test_a_subtask_that_cannot_be() -> None:
    with pytest.raises(AssertionError):
        Subtask(Vertex.source("A"), 1)


def test_an_edge_may_copy_and_keep_barriers_in_line() -> None:
    job = read(
        """
        A = {}
        D = { from = ["A", { vertex = "B", broadcast = true, overtakes = false }] }
        B = { kind = "iteration-head", records = 2 }
        """
    )
    assert job.edges == (Edge("A", "D"), Edge("B", "D", broadcast=True, overtakes=False))
    assert job.vertex("B") == Vertex("B", OperatorKind.ITERATION_HEAD, records=(2,), bounded=False)
    assert job.sources == (job.vertex("A"), job.vertex("B"))


def test_an_edge_can_be_parallel_to_an_earlier_one() -> None:
    job = read(
        "A = {}\nD = { from = ['A', { vertex = 'A', again = true, pattern = 'pointwise' }, "
        "{ vertex = 'A', again = true }] }"
    )
    assert [edge.name for edge in job.edges] == ["A→D", "A→D→2", "A→D→3"]
    assert [channel.name for channel in job.channels] == ["A→D", "A→D→2", "A→D→3"]
