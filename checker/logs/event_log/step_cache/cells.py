"""Stores states as cells, and notes which cells a rule or a property reads.

A state has one cell for each variable, and one for each member that a set can have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from finale.model.domains import Set
from finale.model.language.entities import Variable
from finale.model.language.plain import PlainSet, PlainStore

#: A cell and its value.
Pair = tuple[int, int]


class StateCells:
    """Where the values of variables are: numbers that stand for them."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.variables = variables
        self.first: list[int] = []
        self.sets: list[tuple[object, ...] | None] = []
        """Of each variable what can be in it, if it is a set."""
        self.members: list[dict[object, int]] = []
        """And the place of each member."""
        self._numbers: list[dict[object, int]] = [{} for _ in variables]
        self._values: list[list[object]] = [[] for _ in variables]
        count = 0
        for variable in variables:
            domain: Any = variable.domain
            universe = domain.universe if isinstance(variable.domain, Set) else None
            self.first.append(count)
            self.sets.append(universe)
            self.members.append({each: place for place, each in enumerate(universe or ())})
            count += 1 if universe is None else len(universe)
        self.count = count + count % 2
        """How many cells: an even number, since states are copied in words."""

    def number(self, position: int, value: object) -> int:
        """The number that stands for a value of a variable, unless the variable is a set."""
        numbers, values = self._numbers[position], self._values[position]
        number = numbers.setdefault(value, len(values))
        if number == len(values):
            values.append(value)
        return number

    def values(self, position: int) -> Sequence[object]:
        """The values of a variable that are known, by their numbers."""
        return self._values[position]

    def put(self, position: int, value: Any, cells: list[int]) -> None:
        """Write a value of a variable into cells."""
        first, universe = self.first[position], self.sets[position]
        if universe is None:
            cells[first] = self.number(position, value)
        else:
            cells[first : first + len(universe)] = [int(each in value) for each in universe]

    def of(self, values: Sequence[object]) -> list[int]:
        """The cells of a state."""
        cells = [0] * self.count
        for position, value in enumerate(values):
            self.put(position, value, cells)
        return cells

    def decoded(self, cells: Sequence[int]) -> tuple[object, ...]:
        """The state that cells stand for."""
        found: list[object] = []
        for position, first in enumerate(self.first):
            universe = self.sets[position]
            if universe is None:
                found.append(self._values[position][cells[first]])
            else:
                found.append(frozenset(v for at_, v in enumerate(universe) if cells[first + at_]))
        return tuple(found)


class NotingValues:
    """A state as its values by position, that notes which cells are read, in turn."""

    def __init__(
        self, cells: StateCells, state: Sequence[int], reads: dict[int, int], offset: int
    ) -> None:
        self.cells, self.state, self.reads, self.offset = cells, state, reads, offset
        self.written: dict[int, int] = {}

    def read(self, cell: int) -> int:
        """What is in a cell."""
        if cell in self.written:
            return self.written[cell]
        value = self.state[self.offset + cell]
        self.reads[self.offset + cell] = value
        return value

    def __getitem__(self, position: int) -> Any:
        first, universe = self.cells.first[position], self.cells.sets[position]
        if universe is None:
            return self.cells.values(position)[self.read(first)]
        return frozenset(each for at_, each in enumerate(universe) if self.read(first + at_))

    def __setitem__(self, position: int, value: Any) -> None:
        first, universe = self.cells.first[position], self.cells.sets[position]
        if universe is None:
            self.written[first] = self.cells.number(position, value)
        else:
            self.written |= {first + at_: int(v in value) for at_, v in enumerate(universe)}


class _Members(PlainSet):
    """A set of which each member is looked at by itself."""

    def __init__(self, domain: Any, noted: NotingValues, position: int) -> None:
        def write(value: Any) -> None:
            noted[position] = value

        super().__init__(domain, lambda: noted[position], write)
        self.noted, self.first = noted, noted.cells.first[position]
        self.places = noted.cells.members[position]

    def _cell(self, value: Any) -> int:
        return self.first + self.places[self.member(value)]

    def has(self, value: Any) -> bool:
        return bool(self.noted.read(self._cell(value)))

    def add(self, value: Any) -> None:
        self.noted.written[self._cell(value)] = 1

    def remove(self, value: Any) -> None:
        self.noted.written[self._cell(value)] = 0

    @property
    def is_empty(self) -> bool:
        return not any(self.noted.read(self.first + place) for place in self.places.values())


class NotingStore(PlainStore):
    """A state that notes which cells are read and written."""

    def __init__(
        self, cells: StateCells, state: Sequence[int], reads: dict[int, int], offset: int
    ) -> None:
        self.cells = cells
        self.noted = NotingValues(cells, state, reads, offset)
        self.values = cast("list[object]", self.noted)

    def get(self, variable: Variable) -> Any:
        if self.cells.sets[variable.position] is not None:
            return _Members(variable.domain, self.noted, variable.position)
        return super().get(variable)
