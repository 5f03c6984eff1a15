"""Drawings and values: jobs, life cycles, what changed, and which values matter."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.text import Text

from finale.checker.report.canvas import Canvas
from finale.checker.report.job import job_lines
from finale.checker.report.layout import (
    columns,
    counted,
    duration,
    flow,
    grouped,
    paragraph,
    shortened,
    times,
)
from finale.checker.report.lifecycle import LifeCycle, StatusEdge, life_cycles
from finale.checker.report.story import cells_that_matter
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.meanings import meanings
from finale.checker.spec.reading import read_spec
from finale.model.domains import Array, Bool, Domain, Option, Queue, Range, RecordOf, Scope, Set
from finale.model.expressions import (
    TRUE,
    cell,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
    negation,
)
from finale.model.language.entities import Variable
from finale.model.rules import Nothing, Protocol, Record, field, part, rule, when
from finale.model.system import System
from finale.model.topology import SHAPES, Job
from finale.model.value_text import ValueChange, changes, label_of, value_text
from tests.cli.running import HERE, ROOT
from tests.model.language_kit import system_of


def drawn(job: Job, width: int = 100) -> str:
    return "\n".join(line.plain for line in job_lines(job, width))


def ping() -> System:
    known = catalogue(HERE / "inputs" / "protocols")
    return read_spec(HERE / "inputs" / "ping.toml", known).system()


# --- jobs ----------------------------------------------------------------------------------------

FIGURE = """
┌──────────────────┐
│ A                │────────────────────┐
│ source, 1 record │                    │     ┌─────────────────┐
└──────────────────┘                    └─┬──▶│ E               │
┌──────────────────┐   ┌──────────────┐   │   │ sink, two-phase │
│ C                │──▶│ D            │───┘   └─────────────────┘
│ source, 1 record │   │ pass-through │
└──────────────────┘   └──────────────┘
"""


def test_the_figure_of_the_blog() -> None:
    assert drawn(Job.from_table({"shape": "figure"})) == FIGURE.strip("\n")


def test_parallel_vertices() -> None:
    job = Job.from_table({"shape": "pair", "parallelism": 2, "records": 3})
    box, *_, note = drawn(job).splitlines()[1:]
    assert box == f"│ S {times(2)}              │──▶│ K {times(2)}            │"
    assert note == "S→K all-to-all, 4 channels"


def test_a_crossing_is_no_joint() -> None:
    job = Job.from_table(
        {
            "A": {},
            "B": {},
            "X": {"from": ["A", "B"], "sink": "two-phase"},
            "Y": {"from": ["A", "B"], "sink": "two-phase"},
        }
    )
    assert "─│─┤" in drawn(job)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_shows_every_vertex(shape: str) -> None:
    job = Job.from_table({"shape": shape})
    drawing = drawn(job)
    for vertex in job.vertices:
        assert f"│ {vertex.name} " in drawing
    assert drawing.count("▶") == sum(bool(job.edges_into(vertex)) for vertex in job.vertices)


def test_a_narrow_page_gets_a_list() -> None:
    told = drawn(Job.from_table({"shape": "figure"}), 40)
    assert "┌" not in told
    assert "E  sink, two-phase; reads A, D" in told


def test_lines_of_one_bundle_join_and_of_two_only_cross() -> None:
    canvas = Canvas()
    canvas.across(0, 4, 1, "a")
    canvas.down(1, 1, 2, "a")
    canvas.down(3, 0, 2, "b")
    assert [line.plain for line in canvas.lines()] == ["   │", "─┬─│─", " │ │"]


# --- life cycles ---------------------------------------------------------------------------------


def cycle_of(cycles: list[LifeCycle], kind: str) -> LifeCycle:
    return next(cycle for cycle in cycles if cycle.kind == kind)


def test_the_life_of_the_yardstick_s_tasks() -> None:
    spec = read_spec(ROOT / "specs" / "yardstick" / "one-checkpoint.toml", catalogue())
    cycles = life_cycles(spec.system())
    worker = cycle_of(cycles, "Worker")
    assert worker.names == ["D", "E"]
    assert worker.initial == ("RUNNING",)
    assert worker.lived == ("RUNNING", "WAITING", "CONFIRMED", "CLOSED")
    moves = {
        edge: [cause.rule for cause in causes]
        for edge, causes in worker.edges.items()
        if edge.source != edge.target
    }
    # `receive` does not look at the status: that it leads nowhere else was seen in a search.
    assert moves == {
        StatusEdge("RUNNING", "WAITING"): ["receive"],
        StatusEdge("WAITING", "CONFIRMED"): ["notify"],
        StatusEdge("CONFIRMED", "CLOSED"): ["close"],
    }
    causes = worker.edges[StatusEdge("RUNNING", "WAITING")]
    assert [cause.emits for cause in causes] == [("EndOfData",)]
    source = cycle_of(cycles, "Source")
    assert [c.emits for c in source.edges[StatusEdge("CONFIRMED", "CLOSED")]] == [
        ("EndOfPartition",)
    ]
    assert [c.rule for c in source.edges[StatusEdge("WAITING", "WAITING")]] == ["snapshot"]


def test_a_value_taken_from_a_choice_gives_two_edges() -> None:
    (peer,) = life_cycles(ping())
    assert [c.rule for c in peer.edges[StatusEdge("WAITING", "DONE")]] == ["receive"]
    assert [c.rule for c in peer.edges[StatusEdge("WAITING", "IDLE")]] == ["receive"]


# --- values --------------------------------------------------------------------------------------


class Empty(Record):
    """Nothing in it."""


class Number(Record):
    """A number."""

    number: int = part(Range(0, 9))


class Both(Record):
    """Two parts."""

    number: int = part(Range(0, 9))
    last: bool = part(Bool)


class Flag(Record):
    """A truth value: its name says what it is about."""

    last: bool = part(Bool)


def resolved(domain: object) -> Domain[object]:
    assert isinstance(domain, Domain)
    return domain.resolve(Scope({}, {}))


@pytest.mark.parametrize(
    ("domain", "value", "text"),
    [
        (Bool, True, "true"),
        (Range(0, 3), 2, "2"),
        (Option(Range(1, 3)), Nothing, "nothing"),
        (Option(Range(1, 3)), 3, "3"),
        (RecordOf(Empty), Empty(), "Empty"),
        (RecordOf(Number), Number(3), "Number(3)"),
        (RecordOf(Flag), Flag(False), "Flag(last false)"),
        (RecordOf(Both), Both(3, True), "Both(number 3, last true)"),
        (Set(Range(0, 3)), frozenset({2, 0}), "{0, 2}"),
        (Queue(Range(0, 3), 3), (), "[ ] →"),
        (Queue(Range(0, 3), 3), (1, 2, 3), "[ 3 | 2 | 1 ] →"),
        (Array(Bool, 2), (True, False), "(true, false)"),
    ],
)
def test_a_value_as_text(domain: object, value: object, text: str) -> None:
    assert value_text(resolved(domain), value) == text


def changed(domain: object, old: object, new: object) -> list[ValueChange]:
    variable: Variable = next(iter(ping().variables))
    return list(changes(replace(variable, domain=resolved(domain)), old, new))


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ((), (1,), "put 1"),
        ((1, 2), (2,), "took 1"),
        ((1, 2), (2, 3), "took 1, put 3"),
        ((1, 2, 3), (), "emptied"),
        ((1,), (), "took 1"),
        ((1, 2), (3, 1, 2), ""),
    ],
)
def test_what_moved_in_a_queue(old: object, new: object, moved: str) -> None:
    (change,) = changed(Queue(Range(0, 3), 3), old, new)
    assert change.moved == moved


def test_only_the_elements_of_an_array_that_changed() -> None:
    (change,) = changed(Array(Range(0, 3), 3), (0, 1, 2), (0, 3, 2))
    assert change == ValueChange("sent[1]", "1", "3")


# --- which values matter -------------------------------------------------------------------------


def test_only_the_cells_that_decide_matter() -> None:
    a, b, c = (cell(index, 0, 1, True) for index in range(3))
    n = cell(3, 0, 5, False)

    def matter(expression: object, *state: int) -> list[int]:
        return list(cells_that_matter(expression, state))  # type: ignore[arg-type]

    assert matter(conjunction([a, b, c]), 1, 0, 1, 0) == [1]
    assert matter(conjunction([a, b, c]), 1, 1, 1, 0) == [0, 1, 2]
    assert matter(disjunction([a, b, c]), 1, 0, 1, 0) == [0, 2]
    assert matter(disjunction([a, b, c]), 0, 0, 0, 0) == [0, 1, 2]
    assert matter(negation(equal(n, integer(3))), 0, 0, 0, 3) == [3]
    assert matter(choose(a, equal(n, integer(1)), b), 0, 1, 0, 0) == [0, 1]
    assert matter(TRUE, 0, 0, 0, 0) == []


# --- pages ---------------------------------------------------------------------------------------


def plain(lines: list[Text]) -> list[str]:
    return [line.plain for line in lines]


def test_the_last_column_wraps_under_itself() -> None:
    rows = [["a", "long", "one two three four five six seven eight nine"], ["bcd", "e", "f"]]
    assert plain(columns(rows, 52, indent=1)) == [
        " a    long  one two three four five six seven eight",
        "            nine",
        " bcd  e     f",
    ]


def test_what_does_not_fit_a_narrow_page_goes_below() -> None:
    rows = [["a", "long", "one two three four five six seven"], ["bcd", "e", "f"]]
    assert plain(columns(rows, 35, indent=1)) == [
        " a    long",
        "     one two three four five six",
        "     seven",
        " bcd  e     f",
    ]


def test_text_flows_and_breaks_between_its_parts() -> None:
    assert plain(flow(["one two", "", "three", "four"], 17, indent=1)) == [
        " one two · three",
        " four",
    ]
    assert plain(paragraph("a word and another one, and more", 26, indent=2)) == [
        "  a word and another one,",
        "  and more",
    ]


def test_small_words() -> None:
    assert grouped(1234567) == "1 234 567"
    assert counted(1, "branch") == "1 branch"
    assert counted(2, "branch") == "2 branches"
    assert [duration(s) for s in (0.0042, 0.42, 4.25, 42, 200)] == [
        "4 ms", "0.42 s", "4.2 s", "42 s", "3 min 20 s",
    ]  # fmt: skip
    assert shortened("a long title", 8) == "a long…"


def test_the_meaning_of_a_field_stands_beside_it() -> None:
    kind = catalogue(HERE / "inputs" / "protocols").protocol("ping-pong").Options
    assert meanings(kind) == {
        "answer": "What the second peer does with a ping.",
        "repeat": "How a ping is repeated.",
    }


class _Line(Protocol):
    """A protocol whose own field is called as that of a channel."""

    queue = field(Queue(Range(0, 1), 2), ())

    @rule
    def join(self) -> None:
        """One joins the line."""
        when(self.queue.is_empty)
        self.queue.put(1)


def test_a_queue_of_the_protocol_itself_has_its_name() -> None:
    assert [label_of(each) for each in system_of(_Line).variables] == ["queue"]


def test_the_queue_of_a_channel_has_the_name_of_the_channel() -> None:
    names = {label_of(each) for each in ping().variables if each.field == "queue"}
    assert names
    assert all(not name.endswith("queue") for name in names)
