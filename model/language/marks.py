"""What marks a function as part of the language: @rule, @define, @step, and the properties.

A marked function stays callable. While a rule is explored a call runs its prepared body (inline for
a rule that calls `super()`, merged for a helper); on plain values it runs as it is written.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ParamSpec, TypeVar, cast, overload

from model.errors import FinaleError, Place
from model.expressions import FALSE, TRUE, Expression, conjunction, disjunction, negation
from model.system import Fairness

from .explore import Branch, current, decide, exploring, merged, note_branch
from .shapes import join, symbol
from .stops import BlockedHere, caller
from .symbols import SymbolicBool, truth_of
from .syntax import Prepared, prepared

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V")


@dataclass
class Marked:
    """A marked function: what it is, and its body as exploring runs it."""

    function: Callable[..., Any]
    role: str
    fairness: Fairness = Fairness.NONE

    @cached_property
    def prepared(self) -> Prepared:
        """The prepared body. Raises a coded error for what the language refuses in it."""
        file = self.function.__code__.co_filename

        def branch(line: int, test: object) -> bool:
            outcome = bool(test)
            note_branch(Branch(file, line, outcome))
            return outcome

        return prepared(self.function, {**_QUANTIFIERS, "_branch": branch})

    @property
    def place(self) -> Place:
        """Where the function stands."""
        code = self.function.__code__
        return Place(code.co_filename, code.co_firstlineno, rule=self.function.__qualname__)

    @property
    def sentence(self) -> str:
        """The docstring's first paragraph on one line."""
        paragraph = (self.function.__doc__ or "").strip().split("\n\n")[0]
        return " ".join(paragraph.split())

    @property
    def cites(self) -> tuple[str, ...]:
        """The rule ids that the docstring names: FC-2, PL-5, S7, V-11."""
        found = re.findall(
            r"\b(?:[A-Z]{2,3}-|[A-Z]\d+-|V-|[SLH](?=\d))\d+\b", self.function.__doc__ or ""
        )
        return tuple(dict.fromkeys(found))


def mark_of(value: object) -> Marked | None:
    """The mark of a function or method, if it has one."""
    return cast("Marked | None", getattr(value, "__finale__", None))


def _marking(mark: Marked, function: Callable[P, T], how: Callable[..., T]) -> Callable[P, T]:
    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        return how(*args, **kwargs) if exploring() else function(*args, **kwargs)

    called.__finale__ = mark  # type: ignore[attr-defined]
    return called


# --- rules and helpers ---------------------------------------------------------------------------


@overload
def rule(function: Callable[P, None], /) -> Callable[P, None]: ...


@overload
def rule(*, fair: Fairness) -> Callable[[Callable[P, None]], Callable[P, None]]: ...


def rule(
    function: Callable[P, None] | None = None, /, *, fair: Fairness = Fairness.NONE
) -> Callable[P, None] | Callable[[Callable[P, None]], Callable[P, None]]:
    """Mark a method as a rule: one ground rule for each binding of its parameters.

    Parameters are annotated with entity classes, or with finite choices: `bool`, an enumeration, or
    `Annotated[int, Range(0, 2)]`. `fair` says what is promised when the rule stays enabled.
    """

    def marking(body: Callable[P, None]) -> Callable[P, None]:
        mark = Marked(body, "rule", fair)
        return _marking(mark, body, lambda *a, **k: mark.prepared.function(*a, **k))

    return marking if function is None else marking(function)


def define(function: Callable[P, T]) -> Callable[P, T]:
    """Mark a helper that only reads: explored on its own and merged into one value."""
    mark = Marked(function, "define")

    def how(*args: Any, **kwargs: Any) -> T:
        store = current().store
        written = dict(store.writes)
        value = merged(lambda: mark.prepared.function(*args, **kwargs), store, join)
        if store.writes != written:
            raise FinaleError(
                "define-writes",
                f"{function.__qualname__} is marked @define and writes to the state",
                place=mark.place,
                advice="mark it @step",
            )
        return cast(T, value)

    return _marking(mark, function, how)


def step(function: Callable[P, T]) -> Callable[P, T]:
    """Mark a helper that writes: explored on its own, its writes merged with if-then-else."""
    mark = Marked(function, "step")

    def how(*args: Any, **kwargs: Any) -> T:
        body = mark.prepared.function
        return cast(T, merged(lambda: body(*args, **kwargs), current().store, join))

    return _marking(mark, function, how)


# --- guards --------------------------------------------------------------------------------------


def require(*conditions: object) -> None:
    """The rule is enabled only where all conditions hold.

    They are tested in order; a callable is called only when those before it hold.
    """
    for condition in conditions:
        if not (condition() if callable(condition) else condition):
            raise BlockedHere


class Limit(int):
    """A bound of the spec: a number that knows its name."""

    name: str

    def __new__(cls, value: int, name: str) -> Limit:
        self = super().__new__(cls, value)
        self.name = name
        return self


def within(used: int, limit: int) -> None:
    """The rule is enabled only while `used` is below a bound: it ends the search, not the protocol.

    What only a bound forbids is no deadlock, and no reason to call a run complete.
    """
    if not isinstance(limit, Limit):
        raise FinaleError(
            "not-a-bound",
            "within() takes a number of [bounds] as its second argument",
            place=caller(),
            advice="pass self.bounds.<name>; use require() for guards of the protocol",
        )
    if not used < int(limit):
        raise BlockedHere(limit.name)


# --- quantifiers ---------------------------------------------------------------------------------


def _one_by_one(items: Iterable[V], value_of: Callable[[V], object], decisive: bool) -> bool:
    """`all` (decisive False) or `any` (True) with each item explored on its own."""
    so_far: list[Expression] = []
    for item in items:
        given = (
            TRUE
            if not so_far
            else conjunction([negation(each) if decisive else each for each in so_far])
        )
        if given is FALSE:
            break
        value = merged(functools.partial(value_of, item), current().store, join, given)
        so_far.append(truth_of(value))
    total = disjunction(so_far) if decisive else conjunction(so_far)
    return cast(bool, _as_bool(total))


def _as_bool(expression: Expression) -> object:
    return bool(expression is TRUE) if expression in (TRUE, FALSE) else SymbolicBool(expression)


def _collected(values: Iterator[object], decisive: bool) -> object:
    """The values that one item yields, as one: mostly a single one."""
    total: Expression | None = None
    for value in values:
        if total is None:
            total = truth_of(value)
        elif decide(total) is decisive:
            break
        else:
            total = truth_of(value)
    return _as_bool((FALSE if decisive else TRUE) if total is None else total)


def _quantify_all(items: Iterable[V], each_of: Callable[[tuple[V]], Iterator[object]]) -> bool:
    return _one_by_one(items, lambda item: _collected(each_of((item,)), False), False)


def _quantify_any(items: Iterable[V], each_of: Callable[[tuple[V]], Iterator[object]]) -> bool:
    return _one_by_one(items, lambda item: _collected(each_of((item,)), True), True)


def _quantify_sum(
    items: Iterable[V], each_of: Callable[[tuple[V]], Iterator[int]], start: int = 0
) -> int:
    total = start
    for item in items:
        part = functools.partial(lambda one: sum(each_of((one,))), item)
        total = total + cast(int, merged(part, current().store, join))
    return total


_QUANTIFIERS = {
    "_quantify_all": _quantify_all,
    "_quantify_any": _quantify_any,
    "_quantify_sum": _quantify_sum,
}


def forall(items: Iterable[V], condition: Callable[[V], bool]) -> bool:
    """Whether the condition holds for all items: one expression, however many there are."""
    if not exploring():
        return all(condition(item) for item in items)
    return _one_by_one(items, condition, False)


def exists(items: Iterable[V], condition: Callable[[V], bool]) -> bool:
    """Whether the condition holds for some item: one expression."""
    if not exploring():
        return any(condition(item) for item in items)
    return _one_by_one(items, condition, True)


def count(items: Iterable[V], condition: Callable[[V], bool]) -> int:
    """For how many items the condition holds: one expression."""
    if not exploring():
        return sum(1 for item in items if condition(item))
    return _quantify_sum(items, lambda one: iter([1 if condition(one[0]) else 0]))


def each(items: Iterable[V], action: Callable[[V], None]) -> None:
    """Do something for each item, in order; the paths of each are merged."""
    for item in items:
        if exploring():
            merged(functools.partial(action, item), current().store, join)
        else:
            action(item)


__all__ = [
    "Limit",
    "Marked",
    "count",
    "define",
    "each",
    "exists",
    "forall",
    "mark_of",
    "require",
    "rule",
    "step",
    "symbol",
    "within",
]
