"""The functions that decide whether a rule is enabled: guards of the protocol, and bounds."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import TypeVar, cast

from finale.model.errors import FinaleError
from finale.model.expressions import FALSE, Constant, Expression, disjunction

from .explore import exploring, go_beyond
from .path_ends import BlockedHere, FaultHere, caller, caller_line
from .symbols import Symbolic, truth_from, truth_of

T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Guard:
    """One condition of a `require`, or a `when`: where it stands, and which of several it is."""

    file: str
    line: int
    number: int


@dataclass(frozen=True, order=True)
class Operand:
    """One operand of an `and` or, `either`, an `or`: the lines of all of them, and which it is."""

    file: str
    lines: tuple[int, ...]
    either: bool
    number: int


@dataclass
class Watch:
    """The guards that were met while a system is built, but for those that are left out.

    A guard that has a switch is passed where that is true. `closed` are guards that were false
    whatever the state is, at least for some parameters: no switch opens these.
    """

    left_out: frozenset[Guard | Operand]
    switches: Mapping[Guard, Expression]
    met: dict[Guard, None] = field(default_factory=dict[Guard, None])
    closed: set[Guard] = field(default_factory=set[Guard])

    def asked(self, condition: object, number: int) -> object:
        """The condition of this number, at the line under way, as it is to be tested."""
        guard = Guard(*caller_line(), number)
        if guard in self.left_out:
            return True
        self.met[guard] = None
        value = _asked(condition)
        known = truth_of(value)
        if known is FALSE:
            self.closed.add(guard)
        if isinstance(known, Constant) or guard not in self.switches:
            return value
        return truth_from(disjunction([known, self.switches[guard]]))


_watch: Watch | None = None


@contextmanager
def watching(
    left_out: Collection[Guard | Operand] = (),
    switches: Mapping[Guard, Expression] | None = None,
) -> Generator[Watch]:
    """While a system is built: what guards it, and what it is without some of its guards."""
    global _watch  # noqa: PLW0603 - `require` must find it
    outer, _watch = _watch, Watch(frozenset(left_out), switches or {})
    try:
        yield _watch
    finally:
        _watch = outer


def is_watching() -> bool:
    """Return whether somebody watches guards, or leaves some out."""
    return _watch is not None


def asked(condition: object, number: int = 0) -> object:
    """A condition, as it is to be tested."""
    if _watch is not None:
        return _watch.asked(condition, number)
    return condition if condition.__class__ is bool else _asked(condition)


def _asked(condition: object) -> object:
    """What a condition says. Raises `not-a-truth-value` for several values in one."""
    value = condition() if callable(condition) else condition
    parts: tuple[object, ...] = tuple(value) if isinstance(value, tuple | list) else ()
    if any(isinstance(each, bool | Symbolic) for each in parts):
        raise FinaleError(
            "not-a-truth-value",
            f"a condition is a {type(value).__name__}, which is true whatever is in it",
            place=caller(),
            advice="write all(…) of it; or each condition as an argument of its own",
        )
    return value


def operands(thunks: tuple[T, ...], either: bool) -> tuple[T, ...]:
    """Those operands of an `and` or `or` that are not left out."""
    if _watch is None or not _watch.left_out:
        return thunks
    codes = [thunk.__code__ for thunk in cast("tuple[FunctionType, ...]", thunks)]
    place = codes[0].co_filename, tuple(code.co_firstlineno for code in codes), either
    kept = [
        thunk
        for number, thunk in enumerate(thunks)
        if Operand(*place, number) not in _watch.left_out
    ]
    return tuple(kept)


def require(*conditions: object) -> None:
    """The rule is enabled only where all conditions hold.

    They are tested in order; a callable is called only when those before it hold.
    """
    for number, condition in enumerate(conditions):
        if not asked(condition, number):
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

    If only a bound forbids a rule that makes progress, the state is no deadlock, and a run that
    ends there is not complete. Whether only the bound forbids it does not depend on where `within`
    stands: beyond the bound the rule goes on, to see whether it would have been enabled, and is
    blocked at its end.
    """
    if not isinstance(limit, Limit):
        raise FinaleError(
            "not-a-bound",
            "within() takes a number of [bounds] as its second argument",
            place=caller(),
            advice="pass self.bounds.<name>; use require() for guards of the protocol",
        )
    if used < int(limit):
        return
    if exploring():
        go_beyond(limit.name)
    elif _passed is not None:
        _passed.append(limit.name)
    else:
        raise BlockedHere(limit.name)


_passed: list[str] | None = None
"""The bounds that the plain rule under way has gone beyond."""


@contextmanager
def plain_rule() -> Generator[None]:
    """While a rule runs on plain values: it ends blocked if it went beyond a bound."""
    global _passed  # noqa: PLW0603 - the rule under way, as `within` finds it
    if _passed is not None:  # a rule that calls super(): the outer one ends it
        yield
        return
    _passed = []
    try:
        yield
    except FaultHere:
        if not _passed:
            raise
    finally:
        passed, _passed = _passed, None
    if passed:
        raise BlockedHere(passed[0])
