"""Shrinks counterexamples for `finale check` and `finale trace`, and shows how far it is."""

from __future__ import annotations

from collections.abc import Iterator

from finale.checker.review.minimise import Minimised, minimised
from finale.checker.search.limits import SearchProgress
from finale.checker.search.rows import SpecResult
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec

from .meter import Meter


def shrunk(spec: Spec, name: str, known: Catalogue, seconds: float | None = None) -> Minimised:
    """Return the smallest setting in which a property falls. Raises `nothing-to-minimise`."""
    with Meter(f"smaller than {spec.file.name}") as meter:

        def look(searched: int, states: int) -> None:
            meter(SearchProgress(states, 0, 0, 0, 0.0, before=f"{searched} settings searched"))

        return minimised(spec, name, seconds, look, known)


def fallen(result: SpecResult) -> Iterator[str]:
    """The properties whose counterexamples are to be shrunk.

    These are the violations that are not as expected. If there are none: those that are expected,
    or all.
    """
    rows = [r for r in result.rows if r.counterexample is not None]
    wrong = [row for row in rows if not row.ok or row.property in result.only]
    expected = [row for row in rows if row.expected == Word.VIOLATED]
    for row in wrong or expected or rows:
        yield row.property


__all__ = ["fallen", "shrunk"]
