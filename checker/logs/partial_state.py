"""A state that is known in part, and the cells of it that a property reads.

A cell is a variable, or whether a set has one member: a property that asks whether a task is in a
set is asked again if that changes, and not if the set changes elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Hashable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, cast

from finale.model.domains import Set
from finale.model.language.entities import Variable
from finale.model.language.plain import PlainSet, PlainStore

Cell = Hashable
"""The position of a variable, or of a set and what may be in it. With `WHOLE` for a member: that
the set is read at all, whether it is known, and what its second value is."""
#: A variable to which lines leave two values: its position, the value that it has, and the other.
Choice = tuple[int, object, object]
WHOLE = object()


class UnknownHere(Exception):
    """A property reads what the log does not tell: a variable, or how tasks are connected."""

    def __init__(self, position: int | None = None) -> None:
        super().__init__()
        self.position = position


class WrittenStore(PlainStore):
    """A state that is written. It notes which variables are touched."""

    def __init__(self, values: Sequence[object]) -> None:
        super().__init__(values)
        self.touched: set[int] = set()

    def get(self, variable: Variable) -> Any:
        self.touched.add(variable.position)
        return super().get(variable)

    def set(self, variable: Variable, value: Any) -> None:
        self.touched.add(variable.position)
        super().set(variable, value)


class PartialStore(PlainStore):
    """A state of which some variables are known. It notes the cells that are read.

    `others` are the second values of variables to which lines leave two.
    """

    def __init__(
        self,
        values: list[object],
        known: Collection[int],
        read: set[Cell],
        others: Mapping[int, object] = MappingProxyType({}),
    ) -> None:
        self.values = values
        self.earlier = None
        self.known, self.read, self.others = known, read, others

    def get(self, variable: Variable) -> Any:
        at = variable.position
        if at not in self.known:
            self.read.add(at)
            raise UnknownHere(at)
        if type(variable.domain) is Set:
            self.read.add((at, WHOLE))
            return ReadSet(self, at, variable.domain)
        self.read.add(at)
        if variable.domain.is_place or variable.domain.holds_places:
            return super().get(variable)
        return self.values[at]

    @contextmanager
    def on_others(self, choices: Collection[Choice]) -> Generator[None]:
        """The state with the second values of those variables that are chosen."""
        values = self.values
        self.values = list(values)
        for at, value in self.others.items():
            if (at, values[at], value) in choices:
                self.values[at] = value
        try:
            yield
        finally:
            self.values = values

    def open(self) -> list[Choice]:
        """The variables that were read and have two values."""
        if not self.others:
            return []
        read = {cell[0] if isinstance(cell, tuple) else cell for cell in self.read}
        return [(at, self.values[at], self.others[at]) for at in sorted(self.others.keys() & read)]


class ReadSet(PlainSet):
    """A set of a state whose readers are noted member by member."""

    def __init__(self, store: PartialStore, at: int, domain: Set[Any]) -> None:
        self.store, self.at = store, at
        super().__init__(domain, self._all, _refuse)

    def _all(self) -> object:
        self.store.read.add(self.at)
        return self.store.values[self.at]

    def has(self, value: Any) -> bool:
        members = cast(frozenset[object], self.store.values[self.at])
        if not members:
            self.store.read.add(self.at)  # whatever is asked for is not in it
            return False
        found = value in members
        self.store.read.add((self.at, value))
        return found


def _refuse(_: object) -> None:
    raise AssertionError("a property writes to the state")


def cells_of(positions: Iterable[int]) -> set[Cell]:
    """The cells of variables of which all may be different: their values, and what is known."""
    return {cell for at in positions for cell in (at, (at, WHOLE))}


def changed_cells(
    positions: Iterable[int], before: Sequence[object], after: Sequence[object]
) -> set[Cell]:
    """The cells that have another value in the second state, of these variables."""
    changed = set[Cell]()
    for at in positions:
        old, new = before[at], after[at]
        if old is not new and old != new:
            changed.add(at)
            if isinstance(old, frozenset) and isinstance(new, frozenset):
                changed.update((at, member) for member in cast(frozenset[object], old ^ new))
    return changed


def changed_between(before: Sequence[object], after: Sequence[object]) -> list[int]:
    """The positions of the variables that have another value in the second state."""
    both = enumerate(zip(before, after, strict=True))
    return [at for at, (old, new) in both if new is not old and new != old]
