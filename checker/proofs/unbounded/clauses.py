"""Lists the protocols that have clauses, and the properties that the clauses should imply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol

from . import finish, stops


@dataclass(frozen=True)
class ClauseCatalogue:
    """The clauses of a protocol, and the names of the properties that they should imply.

    A property that claims some checkpoint exists is proven by a witness: `witnesses` has the name
    of the task's field that holds the checkpoint.
    """

    clauses: tuple[Family, ...]
    goals: tuple[str, ...]
    witnesses: Mapping[str, str] = field(default_factory=dict[str, str])


_CATALOGUES = {
    "final-checkpoint": ClauseCatalogue(finish.CLAUSES, finish.GOALS, finish.WITNESSES),
    "stop-with-savepoint": ClauseCatalogue(stops.CLAUSES, stops.GOALS, stops.WITNESSES),
}


def catalogue_of(kind: type[Protocol]) -> ClauseCatalogue | None:
    """Return the clauses of a protocol, or of the protocol that it is a variant of."""
    return _CATALOGUES.get(kind.key)
