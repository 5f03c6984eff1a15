"""Symmetry reduction: finds groups of interchangeable entities.

Candidates come from names (`candidates.py`). Each exchange of two neighbours in a group is proven
to leave the system unchanged (`invariance.py`). These exchanges generate all permutations of the
group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from finale.model.system import System

from .candidates import Candidates
from .canonical import SymmetryGroup
from .grouping import group_of
from .invariance import Invariance
from .kinds import Symmetry
from .proofs import Proofs
from .renaming import NotRenamable, Renaming

#: Why liveness is not asked under symmetry.
FAIR_RUNS = "fairness speaks of single entities"


@dataclass
class _Growing:
    """A group while members are added: the exchanges of each with the one before it."""

    members: list[object]
    system: System
    exchanges: list[Renaming] = field(default_factory=list[Renaming])


def symmetry_of(system: System, look: Callable[[], None] = lambda: None) -> Symmetry:
    """Return the groups of interchangeable entities, and the properties that they keep.

    `look` is called again and again, and may raise.
    """
    proofs, near_misses = Proofs(system, look), list[str]()
    groups: list[SymmetryGroup] = []
    exchanges: list[Renaming] = []
    for growing in _growing(system, proofs, near_misses):
        found = group_of(system, growing.members, growing.exchanges)
        if isinstance(found, SymmetryGroup):
            groups.append(found)
            exchanges += growing.exchanges
        else:
            near_misses.append(f"{_listed(growing.members)}: {found}")
    remarks = [f"symmetry: {_listed(group.members)} are interchangeable" for group in groups]
    if not groups:
        remarks.append("symmetry: nothing is interchangeable")
        remarks += [f"symmetry: not {reason}" for reason in near_misses]
    refused = tuple(_refused(system, exchanges, proofs)) if groups else ()
    return Symmetry(tuple(groups), tuple(remarks), refused, tuple(exchanges))


def _growing(system: System, proofs: Proofs, near_misses: list[str]) -> Iterator[_Growing]:
    """The groups: each entity joins the first group of its class that it may join."""
    candidates = Candidates(system)
    moved: set[int] = set()
    for entities in candidates.classes():
        groups: list[_Growing] = []
        for entity in entities:
            if id(entity) in moved:
                continue
            if not any(_joins(each, entity, candidates, proofs, near_misses) for each in groups):
                groups.append(_Growing([entity], candidates.system))
        for group in groups:
            if len(group.members) > 1:
                moved |= {id(one) for each in group.exchanges for one, _ in each.pairs}
                yield group


def _joins(
    group: _Growing,
    entity: object,
    candidates: Candidates,
    proofs: Proofs,
    near_misses: list[str],
) -> bool:
    """Adds an entity to a group if it may change names with its last member."""
    before = group.members[-1]
    pairs = candidates.exchange(before, entity)
    if pairs is None:
        return False
    renaming = Renaming(group.system, pairs)
    try:
        reason = Invariance(renaming, proofs).of_system()
    except NotRenamable:
        return False  # they have different fields: nobody would expect it
    if reason:
        near_misses.append(f"{before} and {entity}: {reason}")
        return False
    group.members.append(entity)
    group.exchanges.append(renaming)
    return True


def _refused(
    system: System, exchanges: Sequence[Renaming], proofs: Proofs
) -> Iterator[tuple[str, str]]:
    """The properties whose verdict is not kept, with the reason."""
    checks = [Invariance(each, proofs) for each in exchanges]
    for prop in system.properties:
        if prop.kind.is_liveness:
            yield prop.name, FAIR_RUNS
            continue
        reason = next(filter(None, (check.of_property(prop) for check in checks)), "")
        if reason:
            yield prop.name, reason


def _listed(names: Iterable[object]) -> str:
    *most, last = map(str, names)
    return f"{', '.join(most)} and {last}"


__all__ = ["symmetry_of"]
