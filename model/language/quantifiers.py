"""Quantifiers over the topology: each makes one expression, for any number of items.

`forall`, `exists`, `count` and `each` are what a protocol writes where a function is handier than
`all(...)`, `any(...)` and `sum(...)` over a generator, which mean the same: `syntax.py` rewrites
those, and `min(...)` and `max(...)`, into calls of the functions below.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

from finale.model.expressions import FALSE, Expression, conjunction, disjunction, negation

from .explore import current, decide, exploring, merged, settled
from .joining import CannotJoin, as_returned, join, joined
from .symbols import Symbolic, truth_from, truth_of

V = TypeVar("V")


def _one_by_one(items: Iterable[V], value_of: Callable[[V], object], decisive: bool) -> Any:
    """Return `all` (decisive False) or `any` (True), exploring each item separately.

    As in Python an item counts only where those before it have not decided: elsewhere it cannot
    fault, block or write.
    """
    so_far: list[Expression] = []
    store = current().store
    for item in items:
        given = settled(conjunction(negation(each) if decisive else each for each in so_far))
        if given is FALSE:
            break
        part = functools.partial(_as_truth, value_of, item)
        so_far.append(store.over(item, truth_of(merged(part, store, join, given)), decisive))
    return truth_from(disjunction(so_far) if decisive else conjunction(so_far))


def _as_truth(value_of: Callable[[V], object], item: V) -> Any:
    return truth_from(truth_of(value_of(item)))


def _collected(values: Iterator[object], decisive: bool) -> Any:
    """The values that one item yields, as one: mostly a single one."""
    total: Expression | None = None
    for value in values:
        if total is not None and decide(total) is decisive:
            break
        total = truth_of(value)
    return (not decisive) if total is None else truth_from(total)


# --- what syntax.py rewrites to ------------------------------------------------------------------

#: A generator over one item: `(body for x in one if condition)`.
Generator = Callable[[tuple[V]], Iterator[Any]]


def all_of(items: Iterable[V], each_of: Generator[V]) -> Any:
    """`all(body for x in items)`."""
    return _one_by_one(items, lambda item: _collected(each_of((item,)), False), False)


def any_of(items: Iterable[V], each_of: Generator[V]) -> Any:
    """`any(body for x in items)`."""
    return _one_by_one(items, lambda item: _collected(each_of((item,)), True), True)


def all_in(values: Any) -> Any:
    """`all(values)`."""
    if not isinstance(values, list | tuple):
        return all(values)
    return truth_from(conjunction(truth_of(value) for value in cast("list[Any]", values)))


def any_in(values: Any) -> Any:
    """`any(values)`."""
    if not isinstance(values, list | tuple):
        return any(values)
    return truth_from(disjunction(truth_of(value) for value in cast("list[Any]", values)))


def sum_of(items: Iterable[V], each_of: Generator[V], start: Any = 0) -> Any:
    """`sum(body for x in items)`."""
    total = start
    for item in items:
        current().store.count(item)
        part = functools.partial(_sum_of_one, each_of, item)
        total = total + merged(part, current().store, join)
    return total


def _sum_of_one(each_of: Generator[V], item: V) -> Any:
    return sum(each_of((item,)))


def least_of(items: Iterable[V], each_of: Generator[V]) -> Any:
    """`min(body for x in items)`, without conditions."""
    return least(*_values_of(items, each_of))


def greatest_of(items: Iterable[V], each_of: Generator[V]) -> Any:
    """`max(body for x in items)`, without conditions."""
    return greatest(*_values_of(items, each_of))


def _values_of(items: Iterable[V], each_of: Generator[V]) -> list[Any]:
    items = tuple(items)
    for item in items:
        current().store.count(item)
    parts = [functools.partial(_first_of_one, each_of, item) for item in items]
    return [merged(part, current().store, join) for part in parts]


def _first_of_one(each_of: Generator[V], item: V) -> Any:
    return as_returned(next(each_of((item,))))


def least(*values: Any) -> Any:
    """`min(a, b, ...)`."""
    return _extreme(values, lambda new, best: new < best, min)


def greatest(*values: Any) -> Any:
    """`max(a, b, ...)`."""
    return _extreme(values, lambda new, best: new > best, max)


def _extreme(
    values: tuple[Any, ...], better: Callable[[Any, Any], Any], plain: Callable[..., Any]
) -> Any:
    if len(values) < 2 or not any(isinstance(value, Symbolic) for value in values):
        return plain(values) if len(values) != 1 else values[0]
    best = values[0]
    for value in values[1:]:
        test = settled(truth_of(better(value, best)))
        try:
            best = joined(test, value, best)
        except CannotJoin:
            best = value if decide(test) else best
    return best


# --- what a protocol writes ----------------------------------------------------------------------


def forall(items: Iterable[V], condition: Callable[[V], bool]) -> bool:
    """Whether the condition holds for all items: one expression, however many there are."""
    if not exploring():
        return all(condition(item) for item in items)
    return cast(bool, _one_by_one(items, condition, False))


def exists(items: Iterable[V], condition: Callable[[V], bool]) -> bool:
    """Whether the condition holds for some item: one expression."""
    if not exploring():
        return any(condition(item) for item in items)
    return cast(bool, _one_by_one(items, condition, True))


def count(items: Iterable[V], condition: Callable[[V], bool]) -> int:
    """For how many items the condition holds: one expression."""
    if not exploring():
        return sum(1 for item in items if condition(item))
    return cast(int, sum_of(items, lambda one: iter([1 if condition(one[0]) else 0])))


def each(items: Iterable[V], action: Callable[[V], None]) -> None:
    """Do something for each item, in order; the paths of each are merged."""
    for item in items:
        if exploring():
            merged(functools.partial(action, item), current().store, join)
        else:
            action(item)
