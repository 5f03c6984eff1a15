"""A window onto a job of any shape: a few entities, and summaries that stand for the others.

A method of a protocol loops over producers, consumers or inputs, and asks `all` or `any` of them. A
window has one summary for "any producer" and one for "any other input", and the method is explored
on them as on any job. What the method asks of all producers becomes a quantifier over what the
summary stands for. What the method writes to a summary, it writes to each entity that the summary
stands for.

This is sound only if the method does not read from one such entity what it has written to another,
and if nothing depends on their number. A method that breaks this has no formula (`reading.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

from finale.checker.proofs.window import Claim, Effect, Window, WindowStore
from finale.model.domains import Domain, Set
from finale.model.errors import FinaleError
from finale.model.expressions import TRUE, Expression, cell
from finale.model.language.entities import Entity, Variable
from finale.model.language.layout import guarding
from finale.model.language.properties import Family, stepping
from finale.model.language.protocol import Protocol, Setting
from finale.model.language.symbols import truth_of
from finale.model.protocols.layouts import ALL_JOBS

if TYPE_CHECKING:
    from .logic import Logic, Term

Binding = Mapping[Entity, "Term"]
Among = Callable[["Logic", Binding, "Term"], "Term"]
"""Whether an entity stands for a node, where other entities stand for those of the binding."""


@dataclass(frozen=True)
class Symbol:
    """What a cell is on any job: a relation or function of nodes, or a single value."""

    name: str
    low: int
    high: int
    boolean: bool


def laid_out(kind: type[Protocol], setting: Setting) -> Any:
    """Return a protocol on the job of a window, which its own code may not look at."""
    with guarding(ALL_JOBS):
        return kind(setting)


class JobWindow(Window):
    """Some entities of a protocol, laid out. `single` stand for themselves, `many` are summaries.

    All of them are nodes. `written` are the summaries that loops over all nodes visit: no two of
    them stand for the same node. The other summaries are only asked about.
    """

    def __init__(
        self,
        protocol: Protocol,
        single: Sequence[Entity],
        many: Mapping[Entity, Among],
        written: Sequence[Entity],
    ) -> None:
        super().__init__(protocol, ALL_JOBS if many else None)
        self.protocol = protocol
        self.single, self.many, self.written = tuple(single), many, tuple(written)
        self.nodes = (*self.single, *many)
        self.read_late: dict[int, Symbol] = {}
        self._symbols = dict(self._all_symbols())
        self.index = {known: index for index, known in self._symbols.items()}

    def _all_symbols(self) -> Iterator[tuple[int, tuple[Symbol, Entity | None]]]:
        for variable in self.world.variables:
            for position, index in enumerate(variable.indices):
                where = self.cells[index]
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
        """Return what a cell is on any job, and the node that it belongs to."""
        return self._symbols[index]

    def is_summary(self, item: object) -> TypeGuard[Entity]:
        return item in self.many

    def is_only_asked(self, item: object) -> bool:
        return item in self.many and item not in self.written

    def count(self, item: object) -> None:
        """Raises `not-for-any-job`."""
        if item in self.many:
            raise not_for_any_job(f"{item}, which stands for any number, is counted as one")

    # --- exploring -------------------------------------------------------------------------------

    def step(self, body: Callable[[], object], given: Expression = TRUE) -> Effect:
        """Return what a method does, in states where `given` holds. Raises coded errors."""
        return self.explored(body, JobStore(self), given)[0]

    def condition(self, body: Callable[[], object]) -> Expression:
        """Return a condition, as an expression."""
        return self._claimed(body, JobStore(self)).holds

    def claim(self, family: Family, *arguments: Entity) -> Claim:
        """Return what a property of the registry says of these entities."""
        on_step = family.kind.is_of_steps

        def body() -> object:
            return family.mark.prepared.function(self.protocol, *arguments)

        earlier = stepping(self.world, JobStore(self)) if on_step else nullcontext()
        with earlier:
            return self._claimed(body, JobStore(self, after=on_step))

    def _claimed(self, body: Callable[[], object], store: JobStore) -> Claim:
        effect, folded = self.explored(body, store)
        assert not folded.faults
        return Claim(effect.returns, truth_of(folded.value))

    def late(self, index: int) -> Expression:
        """Return a cell that may have changed already, as cells of a summary's entities may."""
        where = self.cells[index]
        further = self.further_cell(index)
        self.read_late[further] = self.symbol(index)[0]
        return cell(further, where.low, where.high, where.boolean)


def _member(domain: Any, position: int) -> object:
    return tuple(domain.element.values())[position]


class JobStore(WindowStore):
    """The cells of a window onto a job; refuses to read late what a summary stands for."""

    def __init__(self, window: JobWindow, *, after: bool = False) -> None:
        super().__init__(window, after=after)
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


def not_for_any_job(what: str) -> FinaleError:
    """Return the error that what a method does cannot be read off for jobs of any shape."""
    return FinaleError(
        "not-for-any-job",
        f"what a rule does to a job of any shape cannot be told: {what}",
        advice="ask all(...) or any(...) of producers, consumers or inputs; do not count them, and "
        "do not let what is done to one depend on what was done to another",
    )
