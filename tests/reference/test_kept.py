"""Operators that keep records, and sinks: nothing is lost, and nothing twice."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finale.reference.channel import Record
from finale.reference.formats.files import MemoryFiles
from finale.reference.operators.base import Context
from finale.reference.operators.holding import Hold, Join, Lookup, Number
from finale.reference.operators.sinks import TransactionalSink, lines_of

from .bench import BUFFERS, COUNTS, KEYS, Bench, emitted, few, flat, plain

# --- two inputs -----------------------------------------------------------------------------------

SOME = st.lists(st.fixed_dictionaries({"k": KEYS, "n": st.integers(0, 9)}), max_size=5)
SIDES = st.lists(st.tuples(st.integers(0, 1), SOME), max_size=6)


def sides(fed: list[Any]) -> tuple[list[Any], list[Any]]:
    return (
        [row for port, rows in fed for row in rows if port == 0],
        [row for port, rows in fed for row in rows if port == 1],
    )


def same(one: Record, other: Record) -> bool:
    return json.dumps(one) == json.dumps(other)


@few
@given(SIDES, COUNTS)
def test_a_join_has_each_pair_once(fed: list[Any], counts: list[int]) -> None:
    told = emitted(partial(Join, key="k"), *fed, counts=counts, key="k")
    left, right = sides(fed)
    pairs = [
        {"key": one["k"], "left": one, "right": other}
        for one in left
        for other in right
        if same(one["k"], other["k"])
    ]
    assert plain(told) == plain(pairs)


@few
@given(SIDES, COUNTS)
def test_a_lookup_finds_what_is_there_or_nothing(fed: list[Any], counts: list[int]) -> None:
    """Each key is in the table once: with several, which one is found depends on the moment."""
    table: dict[str, Any] = {}
    fed = [
        (
            port,
            [row for row in rows if not port or table.setdefault(json.dumps(row["k"]), row) is row],
        )
        for port, rows in fed
    ]
    told = emitted(partial(Lookup, key="k"), *fed, counts=counts, broadcast=1)
    left, right = sides(fed)
    found = {json.dumps(row["k"]): row for row in right}
    wanted = [
        {"key": one["k"], "left": one, "right": found.get(json.dumps(one["k"]))} for one in left
    ]
    assert plain(told) == plain(wanted)


# --- held, and numbered ---------------------------------------------------------------------------


@few
@given(BUFFERS, COUNTS, st.one_of(st.none(), st.integers(1, 4)))
def test_what_is_held_comes_out_at_last(
    buffers: list[list[int]], counts: list[int], number: int | None
) -> None:
    make = partial(Hold, number=number)
    told = emitted(make, *((0, some) for some in buffers), counts=counts)
    assert Counter(told) == Counter(flat(buffers))


def test_records_are_held_until_there_are_enough() -> None:
    bench = Bench(partial(Hold, number=3), 1)
    bench.feed(0, [1, 2])
    assert bench.emitted == []
    bench.feed(0, [3, 4, 5, 6, 7])
    assert bench.emitted == [1, 2, 3, 4, 5, 6]
    assert bench.finish() == [1, 2, 3, 4, 5, 6, 7]


@few
@given(BUFFERS, COUNTS)
def test_no_number_is_given_twice(buffers: list[list[int]], counts: list[int]) -> None:
    told = emitted(Number, *((0, some) for some in buffers), counts=counts)
    assert len({each["number"] for each in told}) == len(told)
    assert Counter(each["record"] for each in told) == Counter(flat(buffers))


# --- what is written ------------------------------------------------------------------------------


@few
@given(BUFFERS, COUNTS)
def test_transactions_of_subtasks_that_are_no_more_are_settled(
    buffers: list[list[int]], counts: list[int]
) -> None:
    """What a checkpoint lists is committed; what came after it comes again, and is not."""
    bench = Bench(TransactionalSink, counts[0])
    for number, records in enumerate(buffers):
        bench.feed(0, records)
        bench.rescale(counts[number % len(counts)])
        bench.feed(0, [99])
        for subtask in bench.subtasks:
            subtask.snapshot(1_000 + number, last=False)
        for subtask in bench.subtasks:
            subtask.restore({"pending": []})
    assert bench.files.under("pending") == bench.files.under("staging") == []
    names = bench.files.under("output")
    written = [int(line) for name in names for line in bench.files.read(name).splitlines()]
    assert Counter(written) == Counter(flat(buffers))


def test_a_sink_is_not_taken_for_one_with_a_longer_name() -> None:
    files = MemoryFiles()
    for name in ("out", "out-1"):
        sink = TransactionalSink(Context(name, files))
        sink.process(0, [name], lambda records: None)
        sink.snapshot(3, last=False)
    sink = TransactionalSink(Context("out", files))
    assert sink.pending() == [3]
    sink.start()
    assert files.under("pending") == ["pending/out-1-3"]


@pytest.mark.parametrize(
    ("records", "written"),
    [
        (["a", "b"], b"a\nb\n"),
        (["a", 1, None], b"a\n1\nnull\n"),
        ([{"k": "ä"}], '{"k": "ä"}\n'.encode()),
        (["a\nb", "c"], b'"a\\nb"\nc\n'),
        ([b"\xff".decode(errors="surrogateescape")], b"\xff\n"),
        (["\ud800", "c"], b'"\\ud800"\nc\n'),
        ([["\ud800"]], b'["\\ud800"]\n'),
    ],
)
def test_a_record_is_a_line(records: list[Record], written: bytes) -> None:
    assert lines_of(records) == written
