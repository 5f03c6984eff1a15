"""What renaming entities does to a state: cells move, and references change.

The fields of an entity become the fields of its new name; so do the entries of maps and sets that
have the entity as key. A value that refers to the entity then refers to the new name, wherever it
is stored: in fields, queues or records. A cell of an option, a union or a queue holds a reference
only if the cells beside it say so: this condition is the *guard* of the reference.
"""

from __future__ import annotations

# A domain that is known by its class alone has lost what it is a domain of.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from finale.model.domains import Array, Domain, MapDomain, Option, Queue, Ref, Set, Union
from finale.model.expressions import (
    TRUE,
    Cell,
    Expression,
    cell,
    choose,
    conjunction,
    disjunction,
    equal,
    integer,
)
from finale.model.system import State, System

Guard = tuple[tuple[int, frozenset[int]], ...]
"""Where a cell holds what it may hold: each of these cells has one of these values."""


class NotRenamable(Exception):
    """The entities cannot change names; the argument says why."""


@dataclass(frozen=True)
class CellMove:
    """The new place of a cell's value; if the guard holds, the value becomes `labels[value]`."""

    source: int
    target: int
    labels: tuple[int, ...] = ()
    guard: Guard = ()


@dataclass(frozen=True, eq=False)
class Renaming:
    """A renaming of entities: in each pair, who becomes whom."""

    system: System
    pairs: tuple[tuple[object, object], ...]

    @cached_property
    def _after(self) -> dict[int, object]:
        return {id(one): other for one, other in self.pairs}

    def of(self, entity: object) -> object:
        """Return the new name of an entity."""
        return self._after.get(id(entity), entity)

    @cached_property
    def moves(self) -> tuple[CellMove, ...]:
        """Return what becomes of each cell, in order. Raises NotRenamable."""
        variables = {(id(v.entity), v.field): v for v in self.system.variables}
        found: list[CellMove] = []
        for variable in self.system.variables:
            other = variables.get((id(self.of(variable.entity)), variable.field))
            if other is None or other.domain != variable.domain:
                raise NotRenamable(f"{variable.name} has no counterpart")
            found += self._moves(variable.domain, variable.offset, other.offset, ())
        return tuple(sorted(found, key=lambda move: move.source))

    def _moves(self, domain: Domain[Any], begin: int, to: int, guard: Guard) -> Iterator[CellMove]:
        match domain:
            case Ref():
                labels = self._positions(domain.entities)
                is_same = labels == tuple(range(len(labels)))
                yield CellMove(begin, to, () if is_same else labels, () if is_same else guard)
            case Option():
                yield CellMove(begin, to)
                here: Guard = (*guard, (begin, frozenset({1})))
                yield from self._moves(domain.element, begin + 1, to + 1, here)
            case Union():
                yield CellMove(begin, to)
                for name, (offset, part) in domain.layout.items():
                    kinds = [i for i, parts in enumerate(domain.parts) if name in dict(parts)]
                    here = (*guard, (begin, frozenset(kinds)))
                    yield from self._moves(part, begin + offset, to + offset, here)
            case Queue():
                yield CellMove(begin, to)
                width, longest = domain.element.width, domain.slots
                for slot in range(domain.slots):
                    at = 1 + slot * width
                    here = (*guard, (begin, frozenset(range(slot + 1, longest + 1))))
                    yield from self._moves(domain.element, begin + at, to + at, here)
            case Set():
                for position, value in enumerate(domain.universe):
                    after = self.renamed(domain.element, domain.element.encode(value))
                    yield CellMove(begin + position, to + domain.positions[after])
            case Array() | MapDomain():
                keys, width = domain.keys, domain.element.width
                places = (
                    self._positions(keys) if isinstance(domain, MapDomain) else range(len(keys))
                )
                for position, place in enumerate(places):
                    one, other = begin + position * width, to + place * width
                    yield from self._moves(domain.element, one, other, guard)
            case _:
                for position in range(domain.width):
                    yield CellMove(begin + position, to + position)

    def _positions(self, entities: Sequence[object]) -> tuple[int, ...]:
        """The places that entities take among themselves."""
        places = {id(entity): place for place, entity in enumerate(entities)}
        after = [places.get(id(self.of(entity))) for entity in entities]
        found = tuple(place for place in after if place is not None)
        if len(found) < len(after):
            raise NotRenamable("a reference may be to one of them and not to the other")
        return found

    def renamed(self, domain: Domain[Any], cells: Sequence[int]) -> tuple[int, ...]:
        """Return the cells of a value after the renaming."""
        return _moved(tuple(self._moves(domain, 0, 0, ())), cells)

    def applied(self, state: State) -> State:
        """Return the state after the renaming."""
        return _moved(self.moves, state)

    # --- as expressions --------------------------------------------------------------------------

    def image(self, move: CellMove, cells: Sequence[Expression]) -> Expression:
        """Return the new value of a cell, given the values `cells`."""
        value = cells[move.source]
        renamed = value
        for number, label in enumerate(move.labels):
            if number != label:
                renamed = choose(equal(value, integer(number)), integer(label), renamed)
        return choose(guard_expression(move.guard, cells), renamed, value)

    def substitution(self, after: bool = False) -> dict[Expression, Expression]:
        """Return each cell of the renamed state as an expression over the state."""
        cells = [_with_after(each, after) for each in self.system.cells]
        return {
            cells[move.target]: self.image(move, cells)
            for move in self.moves
            if isinstance(cells[move.target], Cell)
        }


def _with_after(expression: Expression, after: bool) -> Expression:
    if not after or not isinstance(expression, Cell):
        return expression
    return cell(expression.index, expression.low, expression.high, expression.boolean, after=True)


def _moved(moves: Sequence[CellMove], cells: Sequence[int]) -> tuple[int, ...]:
    after = list(cells)
    for move in moves:
        value = cells[move.source]
        if move.labels and all(cells[index] in values for index, values in move.guard):
            value = move.labels[value]
        after[move.target] = value
    return tuple(after)


def guard_expression(guard: Guard, cells: Sequence[Expression]) -> Expression:
    """Return a guard as an expression over the values of cells."""

    def is_one(value: Expression, wanted: frozenset[int]) -> Expression:
        if value.boolean:
            return value if wanted == frozenset({1}) else TRUE
        return disjunction(equal(value, integer(each)) for each in sorted(wanted))

    return conjunction(is_one(cells[index], wanted) for index, wanted in guard)


__all__ = ["CellMove", "Guard", "NotRenamable", "Renaming", "guard_expression"]
