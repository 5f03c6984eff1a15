"""Operators, each alone: what it emits, and that nothing is lost when its subtasks change."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finale.model.errors import FinaleError
from finale.reference.channel import Record
from finale.reference.operators.aggregates import Aggregate, CountByKey, WindowAggregate
from finale.reference.operators.functions import Filter, FlatMap, Map, WordSplitter
from finale.reference.operators.keys import (
    GROUPS,
    ByKey,
    InTurn,
    KeyField,
    index_of,
    text_of,
    value_of,
)
from finale.reference.operators.sinks import TransactionalSink

from .bench import COUNTS, KEYS, TABLES, Bench, Make, emitted, few, flat, plain

# --- one record at a time -------------------------------------------------------------------------

ROWS = [{"k": "a", "n": 1}, {"k": "b", "n": 2}]


def letters(record: Any) -> list[str]:
    return list(record)


def nothing(record: Any) -> None:
    """A function that forgets to return."""


def doubled(record: Any) -> Any:
    return record * 2


@pytest.mark.parametrize(
    ("make", "records", "wanted"),
    [
        (partial(WordSplitter), ["A b", " c "], ["a", "b", "c"]),
        (partial(WordSplitter, field="k"), ROWS, ["a", "b"]),
        (partial(Map, function=doubled), [1, "x"], [2, "xx"]),
        (partial(Map, field="n"), ROWS, [1, 2]),
        (partial(Map, fields=["n"]), ROWS, [{"n": 1}, {"n": 2}]),
        (partial(FlatMap, function=letters), ["ab", ""], ["a", "b"]),
        (partial(Filter, function=bool), [0, 1, ""], [1]),
        (partial(Filter, field="n", equals=2), ROWS, ROWS[1:]),
        (partial(Filter, equals=1), [1, True, 1.0, "1"], [1]),
        (partial(Filter, matches="^a"), ["ab", "ba"], ["ab"]),
    ],
)
def test_one_record_at_a_time(make: Make, records: list[Any], wanted: list[Any]) -> None:
    assert emitted(make, (0, records)) == wanted
    again = emitted(make, (0, records), (0, records), counts=(2, 3))
    assert plain(again) == plain(2 * wanted)


@pytest.mark.parametrize(
    ("make", "record", "code", "said"),
    [
        (partial(WordSplitter, field="k"), {"n": 1}, "bad-record", 'no "k"'),
        (partial(WordSplitter, field="k"), "text", "bad-record", 'no "k"'),
        (partial(Map, fields=["n"]), {"k": 1}, "bad-record", 'no "n"'),
        (partial(Map, function=lambda record: {1}), 1, "bad-record", "JSON"),
        (partial(Map, function=doubled), None, "operator-raised", "TypeError"),
        (partial(FlatMap, function=doubled), None, "operator-raised", "TypeError"),
        (partial(FlatMap, function=doubled), 1, "bad-record", "doubled returned 2 for 1"),
        (partial(FlatMap, function=nothing), 1, "bad-record", "nothing returned None for 1"),
        (partial(Aggregate, aggregate="sum", field="n"), {"n": "1"}, "bad-record", "no number"),
        (partial(Aggregate, aggregate="sum", field="n"), {"n": True}, "bad-record", "no number"),
        (partial(Aggregate, aggregate="sum", field="n"), {"n": 1e999}, "bad-record", "not finite"),
        (partial(WindowAggregate, key="k", time="t", size=5), {"k": 1}, "bad-record", 'no "t"'),
        (TransactionalSink, {1: {2}}, "bad-record", "JSON"),
    ],
)
def test_what_cannot_be_worked_on_is_named(make: Make, record: Any, code: str, said: str) -> None:
    with pytest.raises(FinaleError) as caught:
        emitted(make, (0, [record]))
    assert caught.value.code == code
    assert said in caught.value.message
    assert caught.value.place is not None
    assert str(caught.value.place.key).startswith("operators.D.")


# --- by key ---------------------------------------------------------------------------------------


@few
@given(KEYS)
def test_a_key_is_written_as_text_and_read(key: Record) -> None:
    assert value_of(text_of(key)) == key
    assert type(value_of(text_of(key))) is type(key)


@few
@given(KEYS, st.integers(1, GROUPS))
def test_each_subtask_has_a_range_of_groups(key: Record, count: int) -> None:
    index = index_of(text_of(key), count)
    assert index in range(count)
    assert index_of(text_of(key), GROUPS) in range(
        -(-index * GROUPS // count), -(-(index + 1) * GROUPS // count)
    )


@few
@given(st.lists(KEYS), st.integers(1, 12))
def test_records_are_shared_out_whole(records: list[Record], count: int) -> None:
    for share in (InTurn(), ByKey(KeyField("D", "key", None))):
        shares = [each for _ in range(2) for each in share(records, count)]
        assert plain([r for some in shares for r in some]) == plain(2 * records)


def test_records_without_a_key_are_shared_out_evenly() -> None:
    turn, sizes = InTurn(), [0, 0, 0]
    for records in (["a"], ["b"], ["c", "d"], ["e", "f"]):
        for index, share in enumerate(turn(records, 3)):
            sizes[index] += len(share)
    assert sizes == [2, 2, 2]


def test_keys_are_where_they_always_were() -> None:
    """The state of a checkpoint is found again by another version on another machine."""
    assert [index_of(key, GROUPS) for key in ("a", "word", "\0 1", "ä")] == [67, 17, 10, 3]


def number_of(rows: list[Any]) -> dict[str, list[Any]]:
    by_key: dict[str, list[Any]] = {}
    for row in rows:
        by_key.setdefault(json.dumps(row["k"]), []).append(row["n"])
    return by_key


@few
@given(TABLES, COUNTS, st.sampled_from(["count", "min", "max"]))
def test_an_aggregate_does_not_depend_on_its_subtasks(
    tables: list[list[Any]], counts: list[int], aggregate: str
) -> None:
    make = partial(Aggregate, aggregate=aggregate, key="k", field="n")
    told = emitted(make, *((0, rows) for rows in tables), counts=counts, key="k")
    fold: Any = {"count": len, "min": min, "max": max}[aggregate]
    wanted = {key: fold(some) for key, some in number_of(flat(tables)).items()}
    assert {json.dumps(each["key"]): each[aggregate] for each in told} == wanted
    assert len(told) == len(wanted)


@few
@given(TABLES, COUNTS, st.randoms(use_true_random=False))
def test_a_sum_is_exact_in_any_order(tables: list[list[Any]], counts: list[int], dice: Any) -> None:
    make = partial(Aggregate, aggregate="sum", key="k", field="n")
    rows = flat(tables)
    shuffled = dice.sample(rows, len(rows))
    told = emitted(make, *((0, some) for some in tables), counts=counts, key="k")
    again = emitted(make, (0, shuffled), key="k")
    assert plain(told) == plain(again)
    assert {each["key"]: each["sum"] for each in emitted(make, (0, [
        {"k": "a", "n": 0.1}, {"k": "a", "n": 0.2}, {"k": "b", "n": 10**30}, {"k": "b", "n": 1}
    ]))} == {"a": 0.30000000000000004, "b": 10**30 + 1}  # fmt: skip


def test_an_aggregate_tells_each_change() -> None:
    make = partial(Aggregate, aggregate="count", key="k", emit="each")
    told = emitted(make, (0, ROWS), (0, ROWS), key="k")
    assert [(each["key"], each["count"]) for each in told] == [
        ("a", 1),
        ("b", 1),
        ("a", 2),
        ("b", 2),
    ]


@few
@given(st.lists(st.lists(KEYS, max_size=6), max_size=4), COUNTS)
def test_counts_are_told_as_text(buffers: list[list[Record]], counts: list[int]) -> None:
    told = emitted(CountByKey, *((0, some) for some in buffers), counts=counts, key="")
    words = Counter(text_of(each).removeprefix("\0") for some in buffers for each in some)
    assert sum(int(line.rpartition("\t")[2]) for line in told) == sum(words.values())
    assert {line.rpartition("\t")[0] for line in told} == set(words)


# --- windows --------------------------------------------------------------------------------------

EVENTS = st.lists(
    st.fixed_dictionaries({"k": st.sampled_from("ab"), "t": st.integers(-20, 20)}), max_size=12
)


@few
@given(EVENTS, EVENTS, COUNTS)
def test_a_window_has_all_that_is_not_late(
    before: list[Any], after: list[Any], counts: list[int]
) -> None:
    """What comes behind the watermark is late if its window has been told, and kept then."""
    bench = Bench(
        partial(WindowAggregate, key="k", time="t", size=5, on_late="keep"), counts[0], key="k"
    )
    bench.feed(0, before)
    bench.watermark(3)
    told = list(bench.emitted)
    bench.rescale(counts[1])
    bench.feed(0, after)
    bench.rescale(counts[0])
    bench.finish()
    bench.rescale(1)

    def windows(events: list[Any]) -> Counter[tuple[str, int]]:
        return Counter((each["k"], each["t"] // 5 * 5) for each in events)

    def seen(records: list[Any]) -> dict[tuple[str, int], int]:
        assert all(each["to"] - each["from"] == 5 for each in records)
        return {(each["key"], each["from"]): each["count"] for each in records}

    late = [each for each in after if each["t"] // 5 * 5 + 5 <= 3]
    assert seen(told) == {at: n for at, n in windows(before).items() if at[1] + 5 <= 3}
    wanted = windows(before) + windows(after) - windows(late)
    assert seen(bench.emitted) == dict(wanted)
    kept = [line for n in bench.files.under("late") for line in bench.files.read(n).splitlines()]
    assert Counter(kept) == Counter(json.dumps(each).encode() for each in late)


def test_a_late_record_is_refused() -> None:
    bench = Bench(partial(WindowAggregate, key="k", time="t", size=5), 1, key="k")
    bench.feed(0, [{"k": "a", "t": 1}])
    bench.watermark(5)
    bench.feed(0, [{"k": "a", "t": 5}])
    with pytest.raises(FinaleError) as caught:
        bench.feed(0, [{"k": "a", "t": 4}])
    assert caught.value.code == "late-record"


def test_who_has_told_least_decides_what_is_late() -> None:
    states = [
        {"passed": 10, "windows": [[15, {"a": 1, "b": 1}]], "late": None},
        {"passed": 5, "windows": [[10, {"c": 1}], [15, {"d": 2}]], "late": None},
        None,
    ]
    shared = WindowAggregate.share(states, 0, 1)
    assert shared["passed"] == 5
    assert shared["windows"] == [[10, {"c": 1}], [15, {"a": 1, "b": 1, "d": 2}]]
