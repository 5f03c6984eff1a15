"""When a rule is enabled: guards of the protocol, and bounds of the search."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from model.errors import FinaleError

from .explore import exploring, go_beyond
from .stops import BlockedHere, FaultHere, caller, caller_line


@dataclass(frozen=True, order=True)
class Guard:
    """One condition of a `require`, or a `when`: where it stands, and which of several it is."""

    file: str
    line: int
    number: int


@dataclass
class Watch:
    """The guards that were met while a system is built, but for those that are left out."""

    left_out: frozenset[Guard]
    met: dict[Guard, None] = field(default_factory=dict[Guard, None])

    def leaves_out(self, number: int) -> bool:
        """Whether the condition of this number, at the line under way, is left out."""
        guard = Guard(*caller_line(), number)
        if guard in self.left_out:
            return True
        self.met[guard] = None
        return False


_watch: Watch | None = None


@contextmanager
def watching(left_out: frozenset[Guard] = frozenset()) -> Generator[Watch]:
    """While a system is built: what guards it, and what it is without some of its guards."""
    global _watch  # noqa: PLW0603 - `require` must find it
    outer, _watch = _watch, Watch(left_out)
    try:
        yield _watch
    finally:
        _watch = outer


def is_left_out(number: int = 0) -> bool:
    """Whether the condition under way is not to be asked."""
    return _watch is not None and _watch.leaves_out(number)


def require(*conditions: object) -> None:
    """The rule is enabled only where all conditions hold.

    They are tested in order; a callable is called only when those before it hold.
    """
    for number, condition in enumerate(conditions):
        if is_left_out(number):
            continue
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

    What only a bound forbids is no deadlock, and no reason to call a run complete. Whether only the
    bound forbids it does not depend on where `within` stands: beyond the bound the rule goes on, to
    see whether it would have been enabled, and is blocked at its end.
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


__all__ = [
    "Guard",
    "Limit",
    "Watch",
    "is_left_out",
    "plain_rule",
    "require",
    "watching",
    "within",
]
