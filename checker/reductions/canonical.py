"""States rewritten into one representative of their class: as plain data, and what it means.

Two reductions do this: of states that differ only in the names of interchangeable entities, or only
in what nobody will read, one is kept. The native search compiles the data
(`checker/native/canonical.py`); what it must do is what `Canonical.representative` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from model.expressions import Expression
from model.semantics import evaluate
from model.system import State


@dataclass(frozen=True)
class Reset:
    """Where `condition` holds, nobody will read these cells any more: they take their lowest value.

    It is a condition on cells that are never reset.
    """

    condition: Expression
    cells: tuple[int, ...]


@dataclass(frozen=True)
class Reference:
    """A cell that names a member of a group, where `guard` holds: `values[i]` names member `i`.

    What the guard reads is the same whatever the members are called.
    """

    cell: int
    guard: Expression
    values: tuple[int, ...]


@dataclass(frozen=True)
class Group:
    """Entities that may change their names: any permutation of them keeps the system as it is.

    A column is one cell of each member; the cells change places with their members. References stay
    where they are and name another member.
    """

    members: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]
    references: tuple[Reference, ...] = ()

    def key(self, state: State, member: int) -> tuple[int, ...]:
        """All that tells a member from the others: those of equal keys are interchangeable."""
        own = (state[column[member]] for column in self.columns)
        named = (int(self._names(state, each) == member) for each in self.references)
        return (*own, *named)

    def permuted(self, state: State, order: Sequence[int]) -> State:
        """The state in which member `order[i]` has become member `i`."""
        after = list(state)
        for column in self.columns:
            for place, member in enumerate(order):
                after[column[place]] = state[column[member]]
        for reference in self.references:
            named = self._names(state, reference)
            if named is not None:
                after[reference.cell] = reference.values[order.index(named)]
        return tuple(after)

    @staticmethod
    def _names(state: State, reference: Reference) -> int | None:
        """The member that a reference names, if it names one."""
        value = state[reference.cell]
        if value not in reference.values or not evaluate(reference.guard, state):
            return None
        return reference.values.index(value)


@dataclass(frozen=True)
class Canonical:
    """First what nobody reads is reset, then the members of each group are sorted by their keys.

    `lows` are the lowest values of all cells.
    """

    lows: tuple[int, ...]
    resets: tuple[Reset, ...] = ()
    groups: tuple[Group, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.resets or self.groups)

    def representative(self, state: State) -> State:
        """The state that stands for the class of this one."""
        cells = list(state)
        for reset in self.resets:
            if evaluate(reset.condition, state):
                for cell in reset.cells:
                    cells[cell] = self.lows[cell]
        found = tuple(cells)
        for group in self.groups:
            order = sorted(range(len(group.members)), key=lambda each: group.key(found, each))
            found = group.permuted(found, order)
        return found


__all__ = ["Canonical", "Group", "Reference", "Reset"]
