"""What a violation means for a user of the system: lost data, a hang, or something else."""

from __future__ import annotations

import enum

from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED
from finale.model.language.decorators import ids_in
from finale.model.language.properties import Family


class Effect(enum.Enum):
    """The effect of a violation, the worst first."""

    LOSS = "data are lost or doubled"
    HANG = "a job hangs"
    OTHER = "another promise is broken"
    FAULT = "a rule commits a fault"


#: Properties that say where records are, and how often they are visible (docs/rule-reference.md).
_OF_DATA = frozenset({"S1", "S2", "S3", "S4", "S5", "S6", "S13", "S16", "S20", "S23", "S25", "S26"})


def effect_of(name: str, family: Family | None) -> Effect:
    """Return the effect of a violation of a property; the built-in ones have no family."""
    if name == WELL_FORMED:
        return Effect.FAULT
    if name == NO_DEADLOCK:
        return Effect.HANG
    if family is None:
        return Effect.OTHER
    if family.kind.is_liveness:
        return Effect.HANG
    is_claim = family.kind.is_safety
    cites = ids_in(family.mark.function.__doc__ or "")
    return Effect.LOSS if is_claim and _OF_DATA.intersection(cites) else Effect.OTHER
