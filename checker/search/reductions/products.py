"""Finds cells that the table of pairs must know together: it has one more cell for each such group.

A pair of facts cannot say that a checkpoint in progress awaits the task whose acknowledgement is on
its way: that takes three cells. So the status of an entity and what its sets say of one element
make a *product*: a cell that is in no state, with one value for each combination of values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from finale.model.domains import Enum, Set
from finale.model.expressions import Cell, Expression, cell, choose, equal, integer, plus
from finale.model.system import System

#: A product has so many values at most: the sets that would make it larger are left out.
VALUES_MAX = 256


@dataclass(frozen=True)
class Product:
    """A cell that stands for others: a status, and truth values."""

    cell: Cell
    status: Cell
    bits: tuple[Cell, ...]

    @property
    def indices(self) -> set[int]:
        """The cells that it stands for."""
        return {self.status.index, *(each.index for each in self.bits)}

    def value(self, writes: Mapping[int, Expression]) -> Expression:
        """Return its value where some of the cells have new values."""
        total: Expression = integer(0)
        for number, each in enumerate(self.bits):
            is_in = writes.get(each.index, each)
            total = plus(total, choose(is_in, integer(1 << number), integer(0)))
        status = writes.get(self.status.index, self.status)
        for value in range(self.status.low, self.status.high + 1):
            part = integer((value - self.status.low) << len(self.bits))
            total = plus(total, choose(equal(status, integer(value)), part, integer(0)))
        return total


def products_of(system: System) -> list[Product]:
    """Return the products of a system, with cells numbered after its own."""
    found: list[Product] = []
    for control in system.variables:
        status = system.cells[control.offset]
        if not isinstance(control.domain, Enum) or not isinstance(status, Cell):
            continue
        sets = [
            each
            for each in system.variables
            if isinstance(each.domain, Set) and each.entity == control.entity
        ]
        for element in dict.fromkeys(repr(each.domain) for each in sets):
            alike = [each for each in sets if repr(each.domain) == element]
            for place in range(alike[0].domain.width):
                bits = tuple(_bits(system, [each.offset + place for each in alike], status))
                if len(bits) > 1:
                    high = ((status.high - status.low + 1) << len(bits)) - 1
                    own = cell(len(system.cells) + len(found), 0, high, False)
                    assert isinstance(own, Cell)
                    found.append(Product(own, status, bits))
    return found


def _bits(system: System, indices: list[int], status: Cell) -> list[Cell]:
    """Those cells that are not constant, as many as there is room for."""
    bits = [each for index in indices if isinstance(each := system.cells[index], Cell)]
    room = VALUES_MAX // (status.high - status.low + 1)
    return bits[: room.bit_length() - 1]


__all__ = ["Product", "products_of"]
