"""Conditions on a state in the words of the protocol: `S.status is CLOSED`, `cp1 in K.taken`.

A cell is told as the part of a value that it is: of a queue its length or one of its elements, of a
record its class or one of its parts, of an option whether it is there.
"""

from __future__ import annotations

# pyright: reportUnnecessaryComparison=false
# Domains are invariant in what they hold, so pyright takes no Boolean for a domain of objects.
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from finale.model.domains import Boolean, Domain, Option, Queue, Set, Union
from finale.model.expressions import Cell, Constant, Equal, Expression, Less, Not, Or
from finale.model.itf import element_of, keys_of
from finale.model.language.build import shown
from finale.model.system import System
from finale.model.value_text import label_of, value_text

#: More values than these are told by what they are not.
VALUES_TOLD = 4


@dataclass(frozen=True)
class CellPart:
    """The label of a cell, and its values in words."""

    label: str
    value: Callable[[int], str]
    is_truth: bool = False


def part_of(system: System, index: int) -> CellPart:
    """Return the label and the words of a cell."""
    variable = system.variable_of_cell[index]
    domain = cast("Domain[object]", variable.domain)
    return _part(label_of(variable), domain, index - variable.offset)


def _part(label: str, domain: Domain[object], offset: int) -> CellPart:
    match domain:
        case Boolean():
            return CellPart(label, lambda value: "true" if value else "false", True)
        case Option():
            if offset == 0:
                return CellPart(label, lambda value: "something" if value else "nothing")
            return _part(label, domain.element, offset - 1)
        case Union():
            if offset == 0:
                return CellPart(label, lambda value: domain.kinds[value].__name__)
            for name, (start, part) in domain.layout.items():
                if start <= offset < start + part.width:
                    return _part(f"{label}.{name}", part, offset - start)
            raise AssertionError("a cell of a record is in one of its parts")
        case Queue():
            if offset == 0:
                return CellPart(f"length of {label}", str)
            place, inner = divmod(offset - 1, domain.element.width)
            return _part(f"{label}[{place}]", domain.element, inner)
        case Set():
            member = value_text(domain.element, domain.universe[offset])
            return CellPart(
                f"{member} in {label}", lambda value: "true" if value else "false", True
            )
        case _ if hasattr(domain, "keys"):
            element = element_of(domain)
            place, inner = divmod(offset, element.width)
            return _part(f"{label}[{shown(keys_of(domain)[place])}]", element, inner)
        case _:
            return CellPart(label, lambda value: value_text(domain, domain.decode([value])))


def is_one_of(system: System, index: int, values: Sequence[int]) -> str:
    """Return the text that a cell has one of some values."""
    part, cell = part_of(system, index), system.cells[index]
    if part.is_truth:
        return part.label if values == [1] else f"not {part.label}"
    others = [each for each in range(cell.low, cell.high + 1) if each not in values]
    if len(values) > VALUES_TOLD or len(values) > len(others) == 1:
        return f"{part.label} is not {_either(part, others)}"
    return f"{part.label} is {_either(part, values)}"


def _either(part: CellPart, values: Sequence[int]) -> str:
    if len(values) > VALUES_TOLD and list(values) == list(range(values[0], values[-1] + 1)):
        return f"{part.value(values[0])} to {part.value(values[-1])}"
    return " or ".join(map(part.value, values))


def never_together(system: System, cells: Mapping[int, Iterable[int]]) -> str:
    """Return the text that cells never have some of their values at the same time."""
    return ", and ".join(is_one_of(system, index, sorted(v)) for index, v in sorted(cells.items()))


def condition_text(system: System, expression: Expression) -> str:
    """Show a condition of a solver, in words if possible."""
    match expression:
        case Not(operand=operand):
            return _negated(system, operand)
        case Cell(index=index):
            return is_one_of(system, index, [1])
        case Equal(left=Cell(index=index), right=Constant(value=value)):
            return is_one_of(system, index, [value])
        case Or(operands=operands):
            return " or ".join(condition_text(system, each) for each in operands)
        case Less(left=Cell() as left, right=Constant(value=value)):
            return is_one_of(system, left.index, list(range(left.low, value)))
        case _:
            return f"({type(expression).__name__})"


def _negated(system: System, operand: Expression) -> str:
    match operand:
        case Cell(index=index):
            return is_one_of(system, index, [0])
        case _:
            return f"not ({condition_text(system, operand)})"
