"""When a rule is enabled: guards of the protocol, and bounds of the search."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from model.errors import FinaleError

from .explore import exploring, go_beyond
from .stops import BlockedHere, FaultHere, caller


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


__all__ = ["Limit", "plain_rule", "require", "within"]
