"""Runs rules and properties as functions of the cells that they read.

The Python bodies are those that the searches run. They run on a state that notes each read
(`cells.py`): nothing but these reads decides the result. `cache.py` keeps the results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from checker.logs.event_log.section_judge import promised, renumbered
from checker.logs.event_log.section_system import SectionSystem
from checker.search.interpreter.execution import PlainPredicate
from checker.search.native.kernel import cache_block as at
from model.language.bindings import BoundRule
from model.language.entities import Variable
from model.language.path_ends import BlockedHere, FaultHere
from model.language.properties import Taken, goal_alone
from model.language.renaming import PlainRenaming
from model.protocols.coordinator.checkpoints import UNUSED, Checkpoint
from model.rules import Nothing
from model.system import Kind

from .cells import NotingStore, Pair, RulePart, StateCells


@dataclass(frozen=True)
class PropertyAnswer:
    """What a predicate has read, and what it said: one of HOLDS, FAILS, SILENT."""

    reads: Sequence[Pair]
    said: int


@dataclass(frozen=True)
class MovedCell:
    """Where a cell gets its value from when an id is given again, and what becomes of the values.

    `values` has of each known value the new one, and is empty if they stay as they are; without a
    source it has the value that the cell gets.
    """

    source: int | None
    values: Sequence[int]
    key: object = None
    """Cells of the same key have the same values."""


@dataclass(frozen=True)
class FunctionSizes:
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


class _Binding(Mapping[str, object]):
    """What a step is about, that notes what of it is looked at."""

    def __init__(self, told: _Told) -> None:
        self.told = told

    def __getitem__(self, kind: str) -> object:
        steps = self.told.steps
        if kind not in steps.kinds:
            raise KeyError(kind)
        number = self.told.read(1 + steps.kinds.index(kind))
        if number == 0:
            raise KeyError(kind)
        return steps.names[number]

    def __iter__(self) -> Iterator[str]:
        return (kind for kind in self.told.steps.kinds if kind in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Told:
    """A step, that notes what of it is looked at."""

    def __init__(
        self, steps: Steps, state: Sequence[int], reads: dict[int, int], base: int
    ) -> None:
        self.steps, self._state, self._reads, self._base = steps, state, reads, base
        self.binding = _Binding(self)

    def read(self, place: int) -> int:
        """One of the cells that tell the step."""
        value = self._reads[self._base + place] = self._state[self._base + place]
        return value

    @property
    def rule(self) -> str:
        """The name of its rule."""
        return self.steps.names[self.read(0)]


class Steps:
    """The cells that tell a step: its rule's name, and by kind what it is about."""

    def __init__(self, rules: Sequence[BoundRule]) -> None:
        self.kinds = tuple(dict.fromkeys(kind for rule in rules for kind, _ in rule.binding))
        self.names = [""]
        """Names, by number; 0 for none."""
        numbers: dict[str, int] = {"": 0}
        self.cells: list[tuple[int, ...]] = []
        for rule in rules:
            about = dict(rule.binding)
            told = (rule.rule.name, *(about.get(kind, "") for kind in self.kinds))
            for name in told:
                if name not in numbers:
                    numbers[name] = len(self.names)
                    self.names.append(name)
            self.cells.append(tuple(numbers[name] for name in told))


class ProtocolFunctions:
    """A protocol as a teacher: what its rules do and its properties say in a state."""

    def __init__(self, system: SectionSystem) -> None:
        self.system, self.plain = system, system.plain
        self.cells = StateCells(system.world.variables)
        kinds: dict[Kind, list[PlainPredicate]] = {kind: [] for kind in Kind}
        for predicate in self.plain.predicates:
            kinds[predicate.family.kind].append(predicate)
        self.states = (*kinds[Kind.ALWAYS], *kinds[Kind.LEADS_TO])
        self.steps = tuple(kinds[Kind.ON_STEP])
        self.rules = self.plain.rules
        self.told = Steps(self.rules)
        self.promised = promised(self.plain)
        self.places = {id(rule): place for place, rule in enumerate(self.rules)}
        self._moved: dict[tuple[int, object], list[int]] = {}
        """By the place of an id that is given again and a key: what each value becomes then,"""
        self._maps: dict[int, dict[object, tuple[PlainRenaming, Variable, Variable]]] = {}
        """by whom,"""
        self._renamings: dict[int, Sequence[MovedCell]] = {}
        """and what becomes of cells."""
        points = system.protocol.checkpoints
        statuses = [each.variables["status"].position for each in points]
        names = [each.name for each in points]
        self.sizes = FunctionSizes(
            self.cells.count,
            self.told.cells,
            [each.family.kind is Kind.LEADS_TO for each in self.states],
            [not each.takes_step for each in self.steps],
            [renumbered(self.states, names, gone) for gone in range(len(names))],
            [self.cells.first[position] for position in statuses],
            self.cells.number(statuses[0], UNUSED),
        )

    # --- what is asked of a teacher --------------------------------------------------------------

    def rule(self, rule: int, state: Sequence[int]) -> Sequence[RulePart]:
        """What a rule does in a state: in several parts, where ids are given again."""
        store = NotingStore(self.cells, state, {}, 0)
        try:
            with self.system.world.on(store):
                if rule < len(self.rules):
                    bound = self.rules[rule]
                    bound.method(*bound.arguments)
                else:
                    protocol = self.system.protocol
                    protocol.forget(protocol.checkpoints[rule - len(self.rules)])
        except (BlockedHere, FaultHere) as stop:
            bounded = isinstance(stop, BlockedHere) and stop.bound is not None
            reads = tuple(store.noted.reads.items())
            return (*store.parts, RulePart(reads, None, bounded=bounded))
        store.ends()
        return store.parts

    def said(self, function: int, state: Sequence[int]) -> PropertyAnswer:
        """What a predicate says of a state, or of a step."""
        number, states = function - len(self.rules), len(self.states)
        if number < states:
            return self._of_state(self.states[number], state)
        if number < 2 * states:
            with goal_alone():
                return self._of_state(self.states[number - states], state)
        if number < 2 * states + len(self.steps):
            return self._of_step(self.steps[number - 2 * states], state)
        number -= 2 * states + len(self.steps)
        return self._restored(state) if number == 0 else self._free(number - 1, state)

    def asked(self, rule: int, state: Sequence[int]) -> Iterable[tuple[int, PropertyAnswer]]:
        """Those that ask which step it is, and do not hold of all steps of this rule."""
        for number, predicate in enumerate(self.steps):
            if predicate.takes_step:
                said = self._of_step(predicate, state)
                asks = any(cell < 2 * self.cells.count for cell, _ in said.reads)
                if asks or said.said == at.FAILS:
                    yield number, said

    def moved(self, gone: int) -> Sequence[MovedCell]:
        """What becomes of each cell when an id is given again."""
        found = self._renamings.get(gone)
        if found is None:
            found = self._renamings[gone] = self._all_moved(gone)
        for renaming, variable, source in self._maps.get(gone, {}).values():
            self._values_moved(renaming, gone, variable, source)
        return found

    def _all_moved(self, gone: int) -> Sequence[MovedCell]:
        world = self.system.world
        renaming = PlainRenaming(world, self.system.protocol.checkpoints, gone)
        found: list[MovedCell] = []
        for variable in world.variables:
            source, first = renaming.source(variable), self.cells.first[variable.position]
            universe = self.cells.sets[variable.position]
            if universe is not None:
                found += self._moved_members(renaming, variable, source, universe)
            elif source is None:
                value = self.cells.number(variable.position, renaming.first(variable))
                found.append(MovedCell(None, (value,)))
            else:
                first = self.cells.first[source.position]
                key = self.cells.keys[variable.position]
                maps = self._maps.setdefault(gone, {})
                maps.setdefault(key, (renaming, variable, source))
                values = self._values_moved(renaming, gone, variable, source)
                found.append(MovedCell(first, values, key))
        if len(found) < self.cells.count:
            found.append(MovedCell(len(found), ()))
        return found

    # --- what properties say ---------------------------------------------------------------------

    def _of_state(self, predicate: PlainPredicate, state: Sequence[int]) -> PropertyAnswer:
        reads: dict[int, int] = {}
        with self.system.world.on(NotingStore(self.cells, state, reads, 0)):
            said = self.plain.said(predicate)
        return PropertyAnswer(tuple(reads.items()), _number_of(said))

    def _of_step(self, predicate: PlainPredicate, state: Sequence[int]) -> PropertyAnswer:
        reads: dict[int, int] = {}
        after = NotingStore(self.cells, state, reads, 0)
        before = NotingStore(self.cells, state, reads, self.cells.count)
        told = _Told(self.told, state, reads, 2 * self.cells.count)
        with self.plain.on_step(before, after):
            said = self.plain.said(predicate, cast(Taken, told))
        return PropertyAnswer(tuple(reads.items()), _number_of(said))

    def _restored(self, state: Sequence[int]) -> PropertyAnswer:
        """The place of the checkpoint that a restart would take, plus 1; or 0."""
        reads: dict[int, int] = {}
        protocol = self.system.protocol
        with self.system.world.on(NotingStore(self.cells, state, reads, 0)):
            point = protocol.restore_point()
        place = 0 if point == Nothing else 1 + protocol.checkpoints.index(cast(Checkpoint, point))
        return PropertyAnswer(tuple(reads.items()), place)

    def _free(self, place: int, state: Sequence[int]) -> PropertyAnswer:
        """Whether an id can be given again, and nobody asks for it later."""
        reads: dict[int, int] = {}
        protocol = self.system.protocol
        with self.system.world.on(NotingStore(self.cells, state, reads, 0)):
            point = protocol.checkpoints[place]
            free = protocol.is_free(point) and not protocol.is_remembered(point)
        return PropertyAnswer(tuple(reads.items()), at.HOLDS if free else at.FAILS)

    def _moved_members(
        self,
        renaming: PlainRenaming,
        variable: Variable,
        source: Variable | None,
        universe: tuple[object, ...],
    ) -> Iterable[MovedCell]:
        first: Any = renaming.first(variable)
        for member in universe:
            if source is None:
                yield MovedCell(None, (int(member in first),))
                continue
            base = self.cells.first[source.position]
            # What one member becomes tells where each comes from.
            froms = [
                at_
                for at_, old in enumerate(universe)
                if member in cast("Any", renaming.renamed(variable.domain, frozenset((old,))))
            ]
            yield MovedCell(base + froms[0], ()) if froms else MovedCell(None, (0,))

    def _values_moved(
        self, renaming: PlainRenaming, gone: int, variable: Variable, source: Variable
    ) -> Sequence[int]:
        """What stands for the new value of each value that is known."""
        known = self._moved.setdefault((gone, self.cells.keys[variable.position]), [])
        values = self.cells.values(source.position)
        while len(known) < len(values):
            value = renaming.renamed(variable.domain, values[len(known)])
            known.append(self.cells.number(variable.position, value))
        return known


def _number_of(said: object) -> int:
    return {True: at.HOLDS, False: at.FAILS}.get(cast(bool, said), at.SILENT)


__all__ = ["FunctionSizes", "MovedCell", "PropertyAnswer", "ProtocolFunctions"]
