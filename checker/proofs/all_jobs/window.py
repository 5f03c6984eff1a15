"""A window onto a job of any shape: few entities are laid out, and stand for all the others.

A method of a protocol loops over producers, consumers or inputs, and asks `all` or `any` of them.
In a window there is one entity for "any producer", one for "any other input", and the method is
explored on them as on any job. What it says of all producers becomes a cell of its own, whose
meaning is kept beside it: a quantifier over what that entity stands for. What it writes to an
entity that stands for many, it writes to each of those.

That is so only if what is written to one of them is not read of another, and if nothing depends on
how many there are. What depends on such a thing has no formula (`reading.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model.domains import Domain, Set
from model.errors import FinaleError
from model.expressions import TRUE, Expression, cell, disjunction
from model.language.build import world_of
from model.language.entities import Entity, Variable
from model.language.explore import explore, fold
from model.language.joining import join
from model.language.properties import Family, stepping
from model.language.protocol import Protocol
from model.language.stores import SymbolicStore
from model.language.symbols import truth_of

if TYPE_CHECKING:
    from .logic import Logic, Term

Binding = Mapping[Entity, "Term"]
Among = Callable[["Logic", Binding, "Term"], "Term"]
"""Whether an entity stands for a node, where other entities stand for those of the binding."""


@dataclass(frozen=True)
class Symbol:
    """What a cell is of whatever job: a relation or function of nodes, or a single value."""

    name: str
    low: int
    high: int
    boolean: bool


@dataclass(frozen=True)
class Quantified:
    """The meaning of a cell that is in no state: something of all, or of some, of many."""

    entity: Entity
    holds: Expression
    some: bool


@dataclass(frozen=True)
class Step:
    """What a method does: the writes by cell, where it returns at all, and where it faults."""

    returns: Expression
    faults: Expression
    writes: Mapping[int, Expression]


@dataclass(frozen=True)
class Claim:
    """What a property says: its claim, where its antecedent holds."""

    when: Expression
    holds: Expression


class Window:
    """Some entities of a protocol, laid out; `single` stand for themselves, `many` for others.

    Entities of either are nodes. `written` are those among `many` that loops over all nodes visit:
    no two of them stand for the same node. The rest is only ever asked about.
    """

    def __init__(
        self,
        protocol: Protocol,
        single: Sequence[Entity],
        many: Mapping[Entity, Among],
        written: Sequence[Entity],
    ) -> None:
        self.protocol = protocol
        self.world = world_of(protocol, protocol.keeps())
        self.single, self.many, self.written = tuple(single), many, tuple(written)
        self.nodes = (*self.single, *many)
        self.quantified: dict[int, Quantified] = {}
        self.read_late: dict[int, Symbol] = {}
        self._cells: dict[Quantified | int, int] = {}
        self._symbols = dict(self._all_symbols())
        self.index = {known: index for index, known in self._symbols.items()}

    def _all_symbols(self) -> Iterator[tuple[int, tuple[Symbol, Entity | None]]]:
        for variable in self.world.variables:
            for position, index in enumerate(variable.indices):
                where = self.world.cells()[index]
                name, entity = self._named(variable, position)
                low, high = (where.low, where.high)
                yield index, (Symbol(name, low, high, where.boolean), entity)

    def _named(self, variable: Variable, position: int) -> tuple[str, Entity | None]:
        owner, name = variable.entity, variable.field
        member: object = None
        domain: Domain[Any] = variable.domain
        if isinstance(domain, Set):
            member = _member(domain, position)
        elif domain.width > 1:
            name = f"{name}.{position}"
        if owner in self.nodes:
            assert member not in self.nodes, f"{variable.name} relates nodes"
            return (f"{name}[{member}]" if member is not None else name), owner
        name = f"{owner}.{name}" if str(owner) else name
        if isinstance(member, Entity) and member in self.nodes:
            return name, member
        return (f"{name}[{member}]" if member is not None else name), None

    def symbol(self, index: int) -> tuple[Symbol, Entity | None]:
        """What a cell is of whatever job, and the node that it is of."""
        return self._symbols[index]

    # --- exploring -------------------------------------------------------------------------------

    def step(self, body: Callable[[], object], given: Expression = TRUE) -> Step:
        """What a method does, in states where `given` holds. Raises coded errors."""
        store = WindowStore(self)
        with self.world.on(store):
            folded = fold(explore(body, store, given), store, join)
        faults = disjunction(condition for condition, _ in folded.faults)
        return Step(folded.returns, faults, folded.writes)

    def condition(self, body: Callable[[], object]) -> Expression:
        """A condition, as an expression."""
        return self._claimed(body, WindowStore(self)).holds

    def claim(self, family: Family, *arguments: Entity) -> Claim:
        """A property of the registry, of these entities."""
        on_step = family.mark.role == "on-step"

        def body() -> object:
            return family.mark.prepared.function(self.protocol, *arguments)

        earlier = stepping(self.world, WindowStore(self)) if on_step else nullcontext()
        with earlier:
            return self._claimed(body, WindowStore(self, after=on_step))

    def _claimed(self, body: Callable[[], object], store: WindowStore) -> Claim:
        with self.world.on(store):
            folded = fold(explore(body, store), store, join)
        assert not folded.faults
        return Claim(folded.returns, truth_of(folded.value))

    def over(self, item: object, holds: Expression, decisive: bool) -> Expression:
        """What an entity adds to `all` or `any`: what holds of all, or some, of many is a cell."""
        if not isinstance(item, Entity) or item not in self.many:
            return holds
        meaning = Quantified(item, holds, decisive)
        index = self._further(meaning)
        self.quantified[index] = meaning
        return cell(index, 0, 1, True)

    def late(self, index: int) -> Expression:
        """A cell that may have changed already, as those have that its entity stands for."""
        where = self.world.cells()[index]
        further = self._further(index)
        self.read_late[further] = self.symbol(index)[0]
        return cell(further, where.low, where.high, where.boolean)

    def _further(self, what: Quantified | int) -> int:
        return self._cells.setdefault(what, len(self.world.cells()) + len(self._cells))


def _member(domain: Any, position: int) -> object:
    return tuple(domain.element.values())[position]


class WindowStore(SymbolicStore):
    """The cells of a window; an entity of many stands for the others in `all` and `any`."""

    def __init__(self, window: Window, *, after: bool = False) -> None:
        super().__init__(window.world.cells(after))
        self.window = window

    def read(self, index: int) -> Expression:
        if index not in self.writes and self._is_late(index):
            return self.window.late(index)
        return super().read(index)

    def _is_late(self, index: int) -> bool:
        """Whether a cell is of one that no loop visits, and one that they visit was written."""
        symbol, entity = self.window.symbol(index)
        if entity not in self.window.many or entity in self.window.written:
            return False
        index_of = self.window.index.get
        return any(index_of((symbol, each)) in self.writes for each in self.window.written)

    def over(self, item: object, holds: Expression, decisive: bool) -> Expression:
        return self.window.over(item, holds, decisive)

    def count(self, item: object) -> None:
        if item in self.window.many:
            raise not_for_any_job(f"{item}, which stands for any number, is counted as one")


def not_for_any_job(what: str) -> FinaleError:
    """What a method does cannot be read off for jobs of any shape."""
    return FinaleError(
        "not-for-any-job",
        f"what a rule does to a job of any shape cannot be told: {what}",
        advice="ask all(...) or any(...) of producers, consumers or inputs; do not count them, and "
        "do not let what is done to one depend on what was done to another",
    )


__all__ = ["Among", "Binding", "Claim", "Quantified", "Step", "Symbol", "Window", "not_for_any_job"]
