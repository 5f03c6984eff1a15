"""What is learned of functions and told by a teacher, and the runs that are followed with it.

Nothing is known here of what functions mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from .kernel import learned as at

#: A cell and its value.
Pair = tuple[int, int]


@dataclass(frozen=True)
class Said:
    """What a predicate has read, and what it said: one of HOLDS, FAILS, SILENT."""

    reads: Sequence[Pair]
    said: int


@dataclass(frozen=True)
class Part:
    """What a rule reads, then writes; None: it cannot be taken. Then an id may be given again."""

    reads: Sequence[Pair]
    writes: Sequence[Pair] | None
    gone: int | None = None
    bounded: bool = False
    """Only a bound of the model's forbids it."""


@dataclass(frozen=True)
class Moved:
    """Where a cell gets its value from when an id is given again, and what becomes of the values.

    `values` has of each known value the new one, and is empty if they stay as they are; without a
    source it has the value that the cell gets.
    """

    source: int | None
    values: Sequence[int]
    key: object = None
    """Cells of the same key have the same values."""


class Teacher(Protocol):
    """Knows what functions mean. States are given as their cells, behind them those before, and
    those that tell the step."""

    def rule(self, rule: int, state: Sequence[int]) -> Sequence[Part]:
        """What a rule does; behind the last one, that an id is given again, by its place."""
        ...

    def said(self, function: int, state: Sequence[int]) -> Said: ...
    def asked(self, rule: int, state: Sequence[int]) -> Iterable[tuple[int, Said]]:
        """The predicates that ask which step it is, what they say; but for those that say nothing
        of any step of this rule."""
        ...

    def moved(self, gone: int) -> Sequence[Moved]: ...


@dataclass(frozen=True)
class Form:
    """How large everything is."""

    cells: int
    told: Sequence[Sequence[int]]
    """Of each rule what the cells are that tell the step."""
    leads: Sequence[bool]
    """Of each state predicate whether it is of something that must come."""
    plain: Sequence[bool]
    """Of each step predicate whether it does not ask which step it is."""
    renumbered: Sequence[Sequence[int | None]]
    """When an id is given again, of each state predicate the one that says the same then; None: it
    is about that id."""
    statuses: Sequence[int]
    """The cells with the status of each id."""
    unused: int
    """What a status is while the id is not used."""

    @property
    def rules(self) -> int:
        """How many rules there are."""
        return len(self.told)


@dataclass(frozen=True)
class Code:
    """What events are: the rule, or with `by_id` where rules are listed by id."""

    rule: int
    by_id: bool = False
    restores: bool = False
    counts: int = at.NONE


@dataclass(frozen=True)
class Record:
    """A predicate fails: at which event, -1 before the first, and with which ids."""

    event: int
    of_state: bool
    number: int
    ids: tuple[int, ...]


@dataclass(frozen=True)
class Begin:
    """The state in which a run begins: its cells, the ids that are known, the next number or 0."""

    state: tuple[int, ...]
    ids: tuple[int, ...]
    following: int


__all__ = ["Begin", "Code", "Form", "Moved", "Pair", "Part", "Record", "Said", "Teacher"]
