"""Errors for mistakes of the user, each with a code, a place and an advice.

A mistake is an exception; a verdict is a value (`checker.search.answer`), an
impossibility an assertion.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .visible import visible

#: Where a name is unknown, so many of those that are known are told.
NAMES_MAX = 6
#: A message, a place or advice is not longer: a value may be of any length.
CHARACTERS_MAX = 1000


@dataclass(frozen=True)
class Place:
    """The place of a mistake: a file, a line, a key of a spec, or a rule."""

    file: str | None = None
    line: int | None = None
    key: str | None = None
    rule: str | None = None

    def __str__(self) -> str:
        spot = self.file or ""
        if self.line is not None:
            spot = f"{spot}:{self.line}"
        details = [f"key {self.key}"] if self.key else []
        details += [f"rule {self.rule}"] if self.rule else []
        return " ".join([spot, f"({', '.join(details)})"] if details else [spot]).strip()


class FinaleError(Exception):
    """Bad input: the user's to mend. The command line prints it and exits with 2.

    `code` is a stable kebab-case word, `advice` says what to do in one sentence.
    """

    def __init__(self, code: str, message: str, *, place: Place | None = None, advice: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = place
        self.advice = advice

    def __reduce__(self) -> tuple[object, ...]:
        return _error, (self.code, self.message, self.place, self.advice)

    def __str__(self) -> str:
        where = f"{_told(str(self.place))}: " if self.place and str(self.place) else ""
        message, advice = _told(self.message), _told(self.advice)
        return f"error[{self.code}]: {where}{message}\n  help: {advice}"

    def located(self, place: Place) -> FinaleError:
        """Return the same error with missing parts of its place filled in."""
        known = self.place or Place()
        self.place = Place(
            known.file or place.file,
            known.line if known.file else place.line,
            known.key or place.key,
            known.rule or place.rule,
        )
        return self


def _error(code: str, message: str, place: Place | None, advice: str) -> FinaleError:
    return FinaleError(code, message, place=place, advice=advice)


def _told(text: str) -> str:
    """A part of an error in one line: it may quote what came from outside."""
    shown = visible(text)
    return shown if len(shown) <= CHARACTERS_MAX else f"{shown[:CHARACTERS_MAX]}…"


def nearest(word: str, known: Iterable[str], further: str = "") -> str:
    """Half a sentence that helps with a misspelt `word`: the nearest known one, or what is known.

    Of more than `NAMES_MAX` those are named that are least unlike it, and how many more there are.
    A sentence `further` may follow.
    """
    import difflib  # only mistakes pay for it

    names, word = list(known), word[:CHARACTERS_MAX]
    matches = difflib.get_close_matches(word, names, n=1, cutoff=0.5)
    if matches:
        return f'did you mean "{matches[0]}"? {further}'.rstrip()
    few = difflib.get_close_matches(word, names, n=NAMES_MAX, cutoff=0.0)
    more = f" and {len(names) - NAMES_MAX} more" if len(names) > NAMES_MAX else ""
    told = f"known: {', '.join(sorted(few))}{more}" if names else "none is known here"
    return f"{told}. {further}" if further else told
