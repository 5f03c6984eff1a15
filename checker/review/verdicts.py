"""Says which verdicts of two reports differ, and which way."""

from __future__ import annotations

import builtins
import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from finale.checker.search.rows import Exit
from finale.checker.search.verdict import Report, Verdict, Word
from finale.model.trace import Trace


class Direction(enum.Enum):
    """How a verdict differs, the worst first. The value is how a page says it.

    A verdict that is unknown without the change is never called new.
    """

    VIOLATED = "newly violated"
    UNREACHED = "no longer reached"
    VACUOUS = "now vacuous"
    UNSETTLED = "violated, and unknown without the change"
    UNREACHED_OR_NOT = "not reached, and unknown without the change"
    VACUOUS_OR_NOT = "vacuous, and unknown without the change"
    UNKNOWN = "now unknown"
    UNASKED = "not asked any more"
    REACHED = "newly reached"
    MENDED = "mended"
    TESTED = "holds, and was vacuous"
    DECIDED = "holds, and was unknown"
    SEEN = "reached, and was unknown"
    ASKED = "newly asked, and holds"

    @property
    def falls(self) -> bool:
        """Whether a run of the changed protocol shows it: new, or not known to be new."""
        return self in (Direction.VIOLATED, Direction.UNSETTLED)

    @property
    def exit(self) -> Exit:
        """The exit code of a review with such a verdict."""
        if self in _WORSE:
            return Exit.FAILED
        return Exit.LIMIT if self in _OPEN else Exit.AS_EXPECTED


_WORSE = (Direction.VIOLATED, Direction.UNREACHED, Direction.VACUOUS)
_OPEN = (
    *(Direction.UNSETTLED, Direction.UNREACHED_OR_NOT, Direction.VACUOUS_OR_NOT),
    *(Direction.UNKNOWN, Direction.UNASKED),
)


class _Said(enum.Enum):
    """What a verdict comes to, whatever its property's kind."""

    HOLDS = enum.auto()
    FALLS = enum.auto()
    REACHED = enum.auto()
    UNREACHED = enum.auto()
    VACUOUS = enum.auto()
    UNKNOWN = enum.auto()
    NOTHING = enum.auto()


_NOW: Mapping[_Said, Direction] = {
    _Said.FALLS: Direction.VIOLATED,
    _Said.UNREACHED: Direction.UNREACHED,
    _Said.REACHED: Direction.REACHED,
    _Said.VACUOUS: Direction.VACUOUS,
    _Said.UNKNOWN: Direction.UNKNOWN,
    _Said.NOTHING: Direction.UNASKED,
}
#: What a verdict is now that was unknown.
_NOW_KNOWN: Mapping[_Said, Direction] = {
    _Said.FALLS: Direction.UNSETTLED,
    _Said.UNREACHED: Direction.UNREACHED_OR_NOT,
    _Said.VACUOUS: Direction.VACUOUS_OR_NOT,
    _Said.REACHED: Direction.SEEN,
}
#: What a property was that holds now.
_HELD_BEFORE: Mapping[_Said, Direction] = {
    _Said.FALLS: Direction.MENDED,
    _Said.VACUOUS: Direction.TESTED,
    _Said.UNKNOWN: Direction.DECIDED,
    _Said.NOTHING: Direction.ASKED,
}


@dataclass(frozen=True)
class Difference:
    """A verdict that differs. `trace` is a shortest run that shows the new verdict, if one does."""

    property: str
    direction: Direction
    before: Verdict | None
    after: Verdict | None

    @builtins.property  # the field of that name hides the word
    def trace(self) -> Trace | None:
        """The counterexample, or the witness of what is newly reached."""
        return None if self.after is None else self.after.trace


def differences(base: Report, changed: Report) -> Iterator[Difference]:
    """Yield the verdicts that differ."""
    before = {each.property: each for each in base.verdicts}
    after = {each.property: each for each in changed.verdicts}
    for name in {**before, **after}:
        one, other = before.get(name), after.get(name)
        was, now = _said(one), _said(other)
        if was is now:
            continue
        yield Difference(name, _direction(was, now), one, other)


def _direction(was: _Said, now: _Said) -> Direction:
    if now is _Said.HOLDS:
        return _HELD_BEFORE[was]
    now_known = _NOW_KNOWN if was is _Said.UNKNOWN else _NOW
    return now_known.get(now, _NOW[now])


def _said(verdict: Verdict | None) -> _Said:
    if verdict is None:
        return _Said.NOTHING
    match verdict.word:
        case Word.HOLDS:
            return _Said.HOLDS if verdict.witness is None else _Said.REACHED
        case Word.VIOLATED:
            return _Said.UNREACHED if verdict.is_unreached else _Said.FALLS
        case Word.VACUOUS:
            return _Said.VACUOUS
        case Word.UNKNOWN:
            return _Said.UNKNOWN
        case Word.NOT_ASKED | Word.DOES_NOT_APPLY | Word.RUN:
            return _Said.NOTHING


__all__ = ["Difference", "Direction", "differences"]
