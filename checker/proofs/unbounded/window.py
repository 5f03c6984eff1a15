"""A window onto unboundedly many checkpoint ids: a few of them, and gaps for the others.

The protocol is laid out with 2n + 1 ids. Every second id is an id of the window and stands for
itself. The others are gaps, before, between and behind; each stands for all ids in its place. Rules
and properties are explored on this layout as for a search. Then:

- `all` and `any` over a gap say something about all, or some, of its ids. This is a cell of its
  own. All that is known of it: the same question has the same answer.
- What is written to a gap is written to ids that nobody looks at.
- An id that a field holds is an integer. Its place among the ids of the window is a comparison.

The caller chooses the ids of the window: the ids that a claim is about, and the ids that a step
names (`named_by`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeGuard, cast

from finale.checker.proofs.window import Claim, Effect, Window, WindowStore
from finale.checker.search.state_graph.folding import nodes
from finale.model.domains import Array, Domain, MapDomain, Option, Queue, Ref, Set, Union
from finale.model.errors import FinaleError, Place
from finale.model.expressions import FALSE, TRUE, Cell, Constant, Equal, Expression, IfThenElse
from finale.model.language.bindings import BoundRule, bindings, bound_rules, choices, rule_names
from finale.model.language.build import initial_states
from finale.model.language.decorators import mark_of
from finale.model.language.entities import Entity, Variable
from finale.model.language.guards import Limit
from finale.model.language.layout import guarding, refuse_count
from finale.model.language.observing import observing
from finale.model.language.properties import Family, Taken, stepping
from finale.model.language.protocol import Setting
from finale.model.language.symbolic_values import cells_of
from finale.model.language.symbols import truth_from, truth_of
from finale.model.properties.observed import newest_stored
from finale.model.protocols.coordinator.checkpoints import UNUSED, Checkpoint, CheckpointStatus
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.layouts import UNBOUNDED, for_setting
from finale.model.protocols.task.sources import Source

#: Stands for a bound that is not there: whatever is compared with it, is compared with any number.
NO_BOUND = 1_000_000_000
#: A source has records before one that is looked at, that one, and records behind it.
RECORDS = 3


@dataclass(frozen=True)
class RuleEffect(Effect):
    """What a rule does, with its parameters bound."""

    bound: BoundRule

    def ids(self, window: IdWindow) -> tuple[Entity, ...]:
        """Return the ids of the window that are parameters of the rule."""
        return tuple(each for each in window.ids if each in self.bound.arguments)

    def __str__(self) -> str:
        return f"{self.bound.rule.name}({', '.join(value for _, value in self.bound.binding)})"


@dataclass(frozen=True)
class IdClaim(Claim):
    """What a property or a clause says of some entities; `ids` are those of the window.

    If reading the claim is a fault, the claim does not hold.
    """

    fault: Expression
    binding: tuple[tuple[str, str], ...]
    ids: tuple[Entity, ...]
    reads: frozenset[int]
    """The cells that it reads, with those of the state of which something is asked of gaps."""


class IdWindow(Window):
    """A protocol on a job with `size` ids of the window, and gaps between them."""

    def __init__(
        self,
        kind: type[JobProtocol],
        setting: Setting,
        size: int,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self.size, self._look = size, look
        capacity, guard = kind(setting).bounds.channel, for_setting(UNBOUNDED, setting)
        with guarding(guard):
            self.protocol: JobProtocol = kind(_widened(setting, 2 * size + 1, int(capacity)))
        self.protocol.id_limit = Limit(NO_BOUND, "checkpoints")
        super().__init__(self.protocol, guard)
        statuses = list(CheckpointStatus)
        self.unused = statuses.index(UNUSED)
        self.completed = statuses.index(CheckpointStatus.COMPLETED)
        self.ids: tuple[Entity, ...] = self.protocol.checkpoints[1::2]
        self.gaps: tuple[Entity, ...] = self.protocol.checkpoints[::2]
        self.id_cells: set[int] = set()
        self.gap_cells: set[int] = set()
        self.presence: dict[int, int] = {}
        """Of an id that may be missing: the cell that says whether it is there."""
        self.countdowns: dict[int, Source] = {}
        """Cells that say how many records of a source are to come."""
        for variable in self.world.variables:
            self._sort(variable)

    # --- what cells are --------------------------------------------------------------------------

    def _sort(self, variable: Variable) -> None:
        gap = variable.entity in self.gaps
        for index, (is_id, is_gap) in zip(
            variable.indices, self._sorts(variable.domain, gap), strict=True
        ):
            if is_gap:
                self.gap_cells.add(index)
            elif is_id:
                self.id_cells.add(index)
                if isinstance(variable.domain, Option):
                    self.presence[index] = variable.indices[0]
            elif isinstance(variable.entity, Source) and variable.field in ("remaining", "offset"):
                self.countdowns[index] = variable.entity

    def _sorts(self, domain: Domain[Any], gap: bool) -> list[tuple[bool, bool]]:
        """Of each cell of a value, whether it holds an id, and whether it is of a gap."""
        match domain:
            case Ref(kind=kind) if issubclass(kind, CheckpointId):
                return [(True, gap)]
            case Option():
                return [(False, gap), *self._sorts(domain.element, gap)]
            case Union():
                found = [(False, gap)]
                for _, part in domain.layout.values():
                    found += self._sorts(part, gap)
                return found
            case Queue():
                one = self._sorts(cast("Any", domain).element, gap)
                return [(False, gap), *one * cast("Any", domain).slots]
            case Array():
                inner = cast("Any", domain)
                return self._sorts(inner.element, gap) * int(inner.length)
            case Set():
                return [(False, gap or member in self.gaps) for member in domain.universe]
            case MapDomain():
                inner = cast("Any", domain)
                return [
                    sort
                    for key in inner.entities
                    for sort in self._sorts(inner.element, gap or key in self.gaps)
                ]
            case _:
                return [(False, gap)] * domain.width

    def is_summary(self, item: object) -> TypeGuard[Entity]:
        return item in self.gaps

    def over(self, item: object, holds: Expression, some: bool) -> Expression:
        """Return what an item adds to `all` or `any`: of a gap a cell.

        If it holds of every id (for `all`) or of none (for `any`), an empty gap adds the same.
        """
        neutral = FALSE if some else TRUE
        return holds if holds is neutral else super().over(item, holds, some)

    def count(self, item: object) -> None:
        """Refuse to count a gap as one id, but for the rules that may."""
        if item in self.gaps:
            refuse_count(f"{item}, which stands for any number of ids")

    @cached_property
    def ids_of_rules(self) -> Mapping[str, int]:
        """Return for each rule how many of its parameters are ids."""
        found: dict[str, int] = {}
        for name in rule_names(type(self.protocol)):
            mark = mark_of(getattr(type(self.protocol), name))
            assert mark is not None
            known = choices(self.protocol, mark, skip=1).values()
            found[name] = sum(any(each in self.ids for each in some) for some in known)
        return found

    # --- exploring -------------------------------------------------------------------------------

    @cached_property
    def steps(self) -> tuple[RuleEffect, ...]:
        """The effects of each rule whose parameters are in the window."""
        found: list[RuleEffect] = []
        for bound in bound_rules(self.protocol):
            self._look()
            if not any(each in self.gaps for each in bound.arguments):
                body = partial(bound.method, *bound.arguments)
                try:
                    effect, _ = self.explored(body, self._store())
                except FinaleError as error:
                    raise error.located(Place(rule=bound.rule.name)) from None
                if effect.returns is not FALSE:
                    seen = {i: e for i, e in effect.writes.items() if i not in self.gap_cells}
                    found.append(RuleEffect(effect.returns, effect.faults, seen, bound))
        return tuple(found)

    def claims(self, family: Family, step: RuleEffect | None = None) -> tuple[IdClaim, ...]:
        """Return the claims of a property or clause for all entities; of a step if it needs one."""
        on_step = family.kind.is_of_steps
        taken: tuple[Taken, ...] = ()
        if Taken in family.mark.hints.values():
            assert step is not None
            taken = (Taken(step.bound.rule.name, dict(step.bound.binding)),)
        found: list[IdClaim] = []
        for arguments, binding, _ in bindings(self.protocol, family.mark, skip=1):
            self._look()
            if any(each in self.gaps for each in arguments):
                continue
            given = (self.protocol, *arguments, *taken)
            body = partial(_truth, family.mark.prepared.function, given)
            earlier = stepping(self.world, self._store()) if on_step else nullcontext()
            with earlier, observing(self.protocol, family.view):
                effect, folded = self.explored(body, self._store(after=on_step))
            when, fault = effect.returns, effect.faults
            if when is not FALSE or fault is not FALSE:
                ids = tuple(each for each in self.ids if each in arguments)
                holds = truth_of(folded.value)
                reads = self._reads((when, holds, fault))
                found.append(IdClaim(when, holds, fault, binding, ids, reads))
        return tuple(found)

    def id_of(self, name: str) -> int:
        """Return the cell that holds the id of a variable, by its name."""
        return next(v for v in self.world.variables if v.name == name).indices[-1]

    def newest_completed(self, *, after: bool) -> tuple[Expression, Expression]:
        """Return whether there is a completed checkpoint to restore, and the newest one.

        Both are what properties observe. A variant can override the helper that its rules call: if
        the helper returned a checkpoint that no window has, every claim would be proven.
        """
        domain: Domain[Any] = Option(Ref(CheckpointId)).resolve(self.world.scope)
        with observing(self.protocol, JobProtocol):
            present, index = self._value(
                lambda: cells_of(domain, newest_stored(self.protocol)), after=after
            )
        return present, index

    def has_status(self, ids: Sequence[Entity], status: int) -> list[Expression]:
        """Return, for each of some ids, the condition that it has a status, given by position."""
        wanted = list(CheckpointStatus)[status]
        known = cast("Sequence[Checkpoint]", ids)
        found: list[Expression] = self._value(
            lambda: [truth_of(each.status == wanted) for each in known]
        )
        return found

    def _value(self, body: Callable[[], Any], *, after: bool = False) -> Any:
        return self.explored(body, self._store(after=after))[1].value

    @property
    def initial_states(self) -> tuple[tuple[int, ...], ...]:
        """The initial states of the layout."""
        with guarding(self.guard):
            return initial_states(self.protocol, self.world)

    def _reads(self, roots: Iterable[Expression]) -> frozenset[int]:
        cells = {each.index for each in nodes(roots) if isinstance(each, Cell)}
        if any(index in self.quantified for index in cells):
            return frozenset(range(len(self.cells)))  # who knows what has changed in a gap
        return frozenset(cells)

    def _store(self, *, after: bool = False) -> WindowStore:
        return WindowStore(self, after=after)

    # --- named ids -------------------------------------------------------------------------------

    def named_by(self, roots: Iterable[Expression]) -> set[Cell]:
        """Return the ids that expressions compare with a single id, not only by order."""
        found: set[Cell] = set()
        for node in nodes(roots):
            if not isinstance(node, Equal) or not isinstance(node.right, Constant):
                continue
            if node.right.value % 2 == 0 and self.is_id(node.left):
                found |= set(self._leaves(node.left))
        return found

    def statuses_of_gaps(self, roots: Iterable[Expression]) -> dict[int, bool]:
        """Return the statuses that gaps are compared with, and whether after a step."""
        found: dict[int, bool] = {}
        for node in nodes(roots):
            if isinstance(node, Equal) and isinstance(node.right, Constant):
                left = node.left
                if isinstance(left, Cell) and left.index in self._statuses:
                    found[node.right.value] = left.after
        return found

    @cached_property
    def _statuses(self) -> frozenset[int]:
        return frozenset(each.variables["status"].indices[0] for each in self.gaps)

    def _leaves(self, node: Expression) -> Iterator[Cell]:
        if isinstance(node, IfThenElse):
            yield from self._leaves(node.yes)
            yield from self._leaves(node.no)
        elif isinstance(node, Cell) and node.index not in self.gap_cells:
            yield node

    def is_id(self, node: Expression) -> bool:
        """Return whether an expression is an id."""
        match node:
            case Cell():
                return node.index in self.id_cells
            case IfThenElse():
                return self.is_id(node.yes) or self.is_id(node.no)
            case _:
                return False


def _truth(function: Callable[..., object], given: tuple[object, ...]) -> object:
    return truth_from(truth_of(function(*given)))


def _widened(setting: Setting, ids: int, capacity: int) -> Setting:
    """A setting with so many ids, any number of records, and any number of failures.

    Channels have the capacity that they have in the setting as it was given.
    """
    widened = {"checkpoints": ids, "live_checkpoints": 0, "failures": NO_BOUND}
    bounds = {**setting.bounds, **widened, "channel": capacity}
    assert setting.job is not None
    vertices = tuple(
        replace(vertex, records=(RECORDS,) * vertex.parallelism) if vertex.is_source else vertex
        for vertex in setting.job.vertices
    )
    return replace(setting, bounds=bounds, job=replace(setting.job, vertices=vertices))
