"""Canonical forms: rewrites a state into the representative of its class.

Two reductions use this. Of states that differ only in the names of interchangeable entities, or
only in dead cells, one is kept. The native search compiles this data
(`checker/search/native/canonical.py`) and must do what `Canonical.representative` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, permutations, product

from finale.model.expressions import (
    FALSE,
    TRUE,
    Expression,
    conjunction,
    disjunction,
    equal,
    integer,
)
from finale.model.semantics import evaluate
from finale.model.system import State, System


@dataclass(frozen=True)
class Reset:
    """If `condition` holds, these cells are dead and get their lowest value.

    The condition reads only cells that are never reset.
    """

    condition: Expression
    cells: tuple[int, ...]


def deadness(resets: Iterable[Reset]) -> dict[int, Expression]:
    """Return when each cell is dead, of those that are dead at times."""
    found: dict[int, Expression] = {}
    for reset in resets:
        for index in reset.cells:
            found[index] = disjunction([found.get(index, FALSE), reset.condition])
    return found


@dataclass(frozen=True)
class Reference:
    """A cell whose value names a member of a group, if `guard` holds.

    Each of `naming` has a value for each member: `S1#2` names the member `S1`, `S0#2` names `S0`.
    """

    cell: int
    guard: Expression
    naming: tuple[tuple[int, ...], ...]

    def named(self, state: State) -> tuple[int, int] | None:
        """Return which of `naming` it is, and the member; None if it names no member."""
        for kind, values in enumerate(self.naming):
            if state[self.cell] in values and evaluate(self.guard, state):
                return kind, values.index(state[self.cell])
        return None


@dataclass(frozen=True)
class SymmetryGroup:
    """Interchangeable entities: any permutation of them leaves the system unchanged.

    A column is one cell of each member; its cells move with their members. Shared references stay
    in place and name another member then. References in `rows`, one of each member, do both.
    """

    members: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]
    shared: tuple[Reference, ...] = ()
    rows: tuple[tuple[Reference, ...], ...] = ()

    def is_told(self, state: State) -> bool:
        """Return whether no other state of the class of a sorted state is sorted."""
        if len(self.members) < 3:
            return True
        found = ((i, each.named(state)) for row in self.rows for i, each in enumerate(row))
        return all(named is None or named[1] == member for member, named in found)

    def doubt(self, cells: Sequence[Expression]) -> Expression:
        """Return the condition that several states of a class may be kept.

        That needs three members, of which one names another. Of two members, the one that names the
        other is distinguished by that alone.
        """
        if len(self.members) < 3:
            return FALSE
        return disjunction(
            conjunction([reference.guard, equal(cells[reference.cell], integer(value))])
            for row in self.rows
            for member, reference in enumerate(row)
            for naming in reference.naming
            for other, value in enumerate(naming)
            if other != member
        )

    @property
    def cells(self) -> Iterator[int]:
        """All cells that change when members change names."""
        for column in self.columns:
            yield from column
        yield from (reference.cell for reference in self.shared)
        yield from (reference.cell for row in self.rows for reference in row)

    def where(self, alive: Mapping[int, Expression]) -> SymmetryGroup:
        """Return the group, in which some cells name nobody if they are dead: those are reset."""

        def living(reference: Reference) -> Reference:
            guard = conjunction([reference.guard, alive.get(reference.cell, TRUE)])
            return replace(reference, guard=guard)

        rows = tuple(tuple(living(each) for each in row) for row in self.rows)
        return replace(self, shared=tuple(living(each) for each in self.shared), rows=rows)

    def key(self, state: State, member: int) -> tuple[int, ...]:
        """Return what distinguishes a member from the others.

        Members of equal keys are interchangeable if they name no other members. A member that names
        itself is distinguished by that alone.
        """
        found = [state[column[member]] for column in self.columns]
        for reference in self.shared:
            named = reference.named(state)
            found += [int(named == (kind, member)) for kind in range(len(reference.naming))]
        for row in self.rows:
            named = row[member].named(state)
            found.append(state[row[member].cell] if named is None else 0)
            for kind in range(len(row[member].naming)):
                is_kind = named is not None and named[0] == kind
                is_own = named == (kind, member)
                found += [int(is_own), int(is_kind and not is_own)]
        return tuple(found)

    def keys(self, state: State) -> list[tuple[int, ...]]:
        """Return what distinguishes each member from the others."""
        return [self.key(state, member) for member in range(len(self.members))]

    def permuted(self, state: State, order: Sequence[int]) -> State:
        """Return the state in which member `order[i]` has become member `i`."""
        after = list(state)
        for column in self.columns:
            for place, member in enumerate(order):
                after[column[place]] = state[column[member]]
        for reference in self.shared:
            after[reference.cell] = self._renamed(state, reference, order)
        for row in self.rows:
            for place, member in enumerate(order):
                after[row[place].cell] = self._renamed(state, row[member], order)
        return tuple(after)

    @staticmethod
    def _renamed(state: State, reference: Reference, order: Sequence[int]) -> int:
        named = reference.named(state)
        if named is None:
            return state[reference.cell]
        kind, member = named
        return reference.naming[kind][order.index(member)]

    def sorted_alike(self, state: State) -> Iterator[State]:
        """Yield all sorted states of the class of a sorted state, some perhaps twice."""
        if self.is_told(state):
            yield state
            return
        keyed = groupby(range(len(self.members)), key=self.keys(state).__getitem__)
        for orders in product(*(permutations(equals) for _, equals in keyed)):
            yield self.permuted(state, [member for order in orders for member in order])

    def sorted(self, state: State) -> State:
        """Return the state whose members are in the order of their keys."""
        order = sorted(range(len(self.members)), key=lambda member: self.key(state, member))
        return self.permuted(state, order)


@dataclass(frozen=True)
class Canonical:
    """Resets dead cells, then sorts the members of each group by their keys.

    `lows` are the lowest values of all cells.
    """

    lows: tuple[int, ...]
    resets: tuple[Reset, ...] = ()
    groups: tuple[SymmetryGroup, ...] = ()

    def representative(self, state: State) -> State:
        """Return the state that stands for the class of this one.

        Any order of keys will do: the native search has its own.
        """
        found = self._reset(state)
        for group in self.groups:
            found = group.sorted(found)
        return found

    def _reset(self, state: State) -> State:
        cells = list(state)
        for reset in self.resets:
            if evaluate(reset.condition, state):
                for cell in reset.cells:
                    cells[cell] = self.lows[cell]
        return tuple(cells)

    def are_alike(self, one: State, other: State) -> bool:
        """Return whether two states are of one class."""
        first, wanted = self.representative(one), self.representative(other)
        if first == wanted:
            return True
        if self.groups_meet:
            return wanted in self.orbit(first)
        found = {first}
        for group in self.groups:
            if group.keys(first) != group.keys(wanted):
                return False
        for group in self.groups:
            found = {alike for each in found for alike in group.sorted_alike(each)}
        return wanted in found

    @property
    def groups_meet(self) -> bool:
        """Whether a cell is in two groups: then keys of one depend on the other's order."""
        cells = [cell for group in self.groups for cell in group.cells]
        return len(set(cells)) < len(cells)

    def doubt(self, system: System) -> Expression:
        """Return the condition that several states of a class may be kept: a count is too high."""
        if self.groups_meet:
            return TRUE
        return disjunction(group.doubt(system.cells) for group in self.groups)

    def orbit(self, state: State) -> set[State]:
        """Return all states that result from renaming members of groups."""
        found = {state}
        for group in self.groups:
            orders = list(permutations(range(len(group.members))))
            found = {group.permuted(each, order) for each in found for order in orders}
        return found


__all__ = ["Canonical", "Reference", "Reset", "SymmetryGroup"]
