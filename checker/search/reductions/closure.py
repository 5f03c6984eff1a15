"""Closes the pairs of a system under all that leads a search from one state to another.

These are the updates, and the ways in which the other reductions replace a state: a reset of dead
cells, an exchange of two members of a symmetry. So the pairs hold in every state of a search under
these reductions, although a state with a reset cell may be reachable in no other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from finale.model.expressions import Expression, choose, conjunction, equal, integer
from finale.model.semantics import evaluate
from finale.model.system import System

from .canonical import Canonical, Reference, SymmetryGroup
from .pairs import Pairs, Step, TooMany
from .products import Product, products_of
from .transitions import Transitions


def pairs_of(
    transitions: Transitions,
    canonical: Canonical | None = None,
    look: Callable[[], None] = lambda: None,
) -> Pairs:
    """Return the pairs of facts that may hold together where states are made canonical.

    Products are left out if some step writes one from too many cells.
    """
    system = transitions.system
    steps = [*_updates(transitions)]
    if canonical is not None:
        for reset in canonical.resets:
            lowest = {index: integer(canonical.lows[index]) for index in reset.cells}
            steps.append(Step(((reset.condition, True),), lowest))
        for group in canonical.groups:
            steps += [Step((), exchange(system, group, i)) for i in range(len(group.members) - 1)]
    try:
        return _closed(system, steps, products_of(system), look)
    except TooMany:
        return _closed(system, steps, [], look)


def _closed(
    system: System,
    steps: Sequence[Step],
    products: Sequence[Product],
    look: Callable[[], None],
) -> Pairs:
    initial = (
        (*state, *(evaluate(each.value({}), state) for each in products))
        for state in system.initial
    )
    found = Pairs([*system.cells, *(each.cell for each in products)], len(system.cells))
    found.close(initial, [_with_products(step, products) for step in steps], look)
    return found


def _with_products(step: Step, products: Sequence[Product]) -> Step:
    """The same step, which writes each product that stands for a cell that it writes."""
    more = {
        each.cell.index: each.value(step.writes)
        for each in products
        if not each.indices.isdisjoint(step.writes)
    }
    return Step(step.guard, {**step.writes, **more}) if more else step


def _updates(transitions: Transitions) -> Iterator[Step]:
    for leaf in transitions.leaves:
        if leaf is not None and leaf.writes:
            guard = ((transitions.atoms.all[each // 2], bool(each % 2)) for each in leaf.guard)
            yield Step(tuple(guard), leaf.writes)


def exchange(system: System, group: SymmetryGroup, first: int) -> Mapping[int, Expression]:
    """Return the new values of cells if a member and the next one are exchanged.

    Does what `SymmetryGroup.permuted` does.
    """
    cells, second = system.cells, first + 1
    writes: dict[int, Expression] = {}

    def renamed(reference: Reference) -> Expression:
        value = cells[reference.cell]
        found = value
        for naming in reference.naming:
            for old, new in ((first, second), (second, first)):
                names = conjunction([reference.guard, equal(value, integer(naming[old]))])
                found = choose(names, integer(naming[new]), found)
        return found

    for column in group.columns:
        writes[column[first]], writes[column[second]] = cells[column[second]], cells[column[first]]
    for reference in group.shared:
        writes[reference.cell] = renamed(reference)
    for row in group.rows:
        for place, reference in enumerate(row):
            other = {first: second, second: first}.get(place, place)
            writes[reference.cell] = renamed(row[other])
    return writes


__all__ = ["exchange", "pairs_of"]
