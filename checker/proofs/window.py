"""A window onto a system without bounds: a few entities are laid out, some of them summaries.

A *summary* is an entity that stands for any number of others. Rules and properties are explored on
the window as they are for a search. What `all` or `any` says of a summary becomes a cell of its own
that no state has: a `Quantified` says what such a cell means. A proof translates the cell into a
quantifier, or into facts about what it stands for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from finale.model.expressions import TRUE, Expression, cell, disjunction
from finale.model.language.build import world_of
from finale.model.language.entities import Entity
from finale.model.language.explore import Folded, explore, fold
from finale.model.language.joining import join
from finale.model.language.layout import LayoutGuard, guarding, refuse_unguarded
from finale.model.language.protocol import Protocol
from finale.model.language.stores import SymbolicStore


@dataclass(frozen=True)
class Quantified:
    """The meaning of a cell that no state has: something holds of all, or some, of a summary."""

    entity: Entity
    holds: Expression
    some: bool


@dataclass(frozen=True)
class Effect:
    """What a rule or method does: where it returns, where it faults, and its writes by cell."""

    returns: Expression
    faults: Expression
    writes: Mapping[int, Expression]


@dataclass(frozen=True)
class Claim:
    """What a property says: its claim, and the antecedent of the claim."""

    when: Expression
    holds: Expression


class Window(ABC):
    """Some entities of a protocol, laid out; those that are summaries stand for others.

    There is no guard where no entity does.
    """

    def __init__(self, protocol: Protocol, guard: LayoutGuard | None) -> None:
        self.guard = guard
        with guarding(guard):
            self.world = world_of(protocol, protocol.keeps())
        if guard is not None:
            refuse_unguarded(self.world, guard)
        self.quantified: dict[int, Quantified] = {}
        self._further: dict[Hashable, int] = {}

    @abstractmethod
    def is_summary(self, item: object) -> TypeGuard[Entity]:
        """Return whether an item is an entity that stands for others."""

    @property
    def cells(self) -> tuple[Expression, ...]:
        """The cells of a state."""
        return self.world.cells()

    def over(self, item: object, holds: Expression, some: bool) -> Expression:
        """Return what an item adds to `all` or, with `some`, to `any`: of a summary, a cell."""
        if not self.is_summary(item):
            return holds
        meaning = Quantified(item, holds, some)
        index = self.further_cell(meaning)
        self.quantified[index] = meaning
        return cell(index, 0, 1, True)

    def is_only_asked(self, item: object) -> bool:
        """Return whether an item is only asked about: what belongs to it is not laid out."""
        return False

    @abstractmethod
    def count(self, item: object) -> None:
        """Refuse to count an item that stands for others."""

    def further_cell(self, meaning: Hashable) -> int:
        """Return the number of a cell that no state has: the same one for the same meaning."""
        return self._further.setdefault(meaning, len(self.cells) + len(self._further))

    def explored(
        self, body: Callable[[], object], store: SymbolicStore, given: Expression = TRUE
    ) -> tuple[Effect, Folded]:
        """Return what a body does where `given` holds, and all that exploring it has found."""
        with self.world.on(store), guarding(self.guard):
            folded = fold(explore(body, store, given), store, join)
        faults = disjunction(condition for condition, _ in folded.faults)
        return Effect(folded.returns, faults, folded.writes), folded


class WindowStore(SymbolicStore):
    """The cells of a window; a summary stands for all that it summarises in `all` and `any`."""

    def __init__(self, window: Window, *, after: bool = False) -> None:
        super().__init__(window.world.cells(after))
        self._over, self._count = window.over, window.count
        self._is_summary: Callable[[object], bool] = window.is_summary
        self._is_only_asked = window.is_only_asked

    def over(self, item: object, holds: Expression, decisive: bool) -> Expression:
        return self._over(item, holds, decisive)

    def count(self, item: object) -> None:
        self._count(item)

    def is_summary(self, item: object) -> bool:
        return self._is_summary(item)

    def is_only_asked(self, item: object) -> bool:
        return self._is_only_asked(item)
