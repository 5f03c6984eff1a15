"""Runs rules and properties as functions of the cells that they read.

The Python bodies are those that the searches run. They run on a state that notes each read
(`cells.py`): nothing but these reads decides the result. `cache.py` keeps the results. The order of
the functions is that of `checker/search/native/kernel/cache_block.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, cast

from finale.checker.logs.event_log.section_judge import promised, renumbered
from finale.checker.logs.event_log.section_system import Reached, SectionSystem
from finale.checker.logs.questions import of_states_and_steps
from finale.checker.search.native.kernel import cache_block as at
from finale.model.language.bindings import BoundRule
from finale.model.language.path_ends import BlockedHere, FaultHere
from finale.model.language.properties import Taken, goal_alone
from finale.model.language.renaming import PlainRenaming
from finale.model.protocols.coordinator.checkpoints import UNUSED, Checkpoint
from finale.model.rules import Nothing

from .cells import NotingStore, Pair, StateCells

#: A function, the cells that it reads one after the other, and its value; of a rule its writes.
Path = tuple[int, Sequence[Pair], int | Sequence[Pair]]


class ProtocolFunctions:
    """The rules and the properties of a protocol, by number."""

    def __init__(self, system: SectionSystem) -> None:
        self.system, self.rules = system, system.plain.rules
        self.cells = StateCells(system.world.variables)
        states, steps = of_states_and_steps(system.plain.predicates)
        self.state_words = -(-len(states) // 64)
        """The words of a set of predicates of states; those of steps begin behind two of these."""
        self.first_step = 2 * 64 * self.state_words
        self.set_words = 2 * self.state_words + -(-len(steps) // 64)
        self.predicates = dict(chain(enumerate(states), enumerate(steps, self.first_step)))
        """The predicates by their place in a set; the goals are left out."""
        self.leads = [n for n, each in enumerate(states) if each.family.kind.is_liveness]
        self.restored = len(self.rules) + 64 * self.set_words
        self.ids = system.protocol.checkpoints
        self.free = self.restored + 1
        self.forget = self.free + len(self.ids)
        self.count = self.forget + len(self.ids) * self.cells.count
        names = [each.name for each in self.ids]
        self.renumbered = [renumbered(states, names, gone) for gone in range(len(names))]
        """By forgotten id and predicate of states the one that says the same afterwards."""
        self.steps = _StepCells(self.rules)
        self.promised = promised(system.plain)
        self.places = {id(rule): place for place, rule in enumerate(self.rules)}
        statuses = [each.variables["status"].position for each in self.ids]
        self.statuses = [self.cells.first[position] for position in statuses]
        """The cells with the status of each id."""
        (self.unused,) = {self.cells.number(position, UNUSED) for position in statuses}

    def paths(self, function: int, state: Sequence[int]) -> Iterator[Path]:
        """Return what there is to learn about a function in a state."""
        number = function - len(self.rules)
        if number < 0:
            yield self._rule(function, state)
        elif function < self.restored:
            yield function, *self._said(number, state)
        elif function == self.restored:
            yield function, *self._of_protocol(state, self._restored)
        elif function < self.forget:
            point = self.ids[function - self.free]
            yield function, *self._of_protocol(state, lambda: self._is_free(point))
        else:
            yield from self._forgotten((function - self.forget) // self.cells.count, state)

    def _rule(self, rule: int, state: Sequence[int]) -> Path:
        reads: dict[int, int] = {}
        store, bound = NotingStore(self.cells, state, reads, 0), self.rules[rule]
        result: int | Sequence[Pair]
        try:
            with self.system.world.on(store):
                bound.method(*bound.arguments)
            result = tuple(store.noted.written.items())
        except BlockedHere as stop:
            result = at.REFUSED if stop.bound is None else at.BOUNDED
        except FaultHere:
            result = at.REFUSED
        return rule, tuple(reads.items()), result

    def _said(self, number: int, state: Sequence[int]) -> tuple[Sequence[Pair], int]:
        """What a predicate says of a state or a step."""
        reads: dict[int, int] = {}
        count, plain = self.cells.count, self.system.plain
        after = NotingStore(self.cells, state, reads, 0)
        if number >= self.first_step:
            before = NotingStore(self.cells, state, reads, count)
            step = _NotingStep(self.steps, state, reads, 2 * count)
            with plain.on_step(before, after):
                said = plain.said(self.predicates[number], cast(Taken, step))
        elif number >= 64 * self.state_words:
            with goal_alone(), self.system.world.on(after):
                said = plain.said(self.predicates[number - 64 * self.state_words])
        else:
            said = plain.judge_store(self.predicates[number], after)
        leaf = {True: at.HOLDS, False: at.FAILS}.get(cast(bool, said), at.SILENT)
        return tuple(reads.items()), leaf

    def _of_protocol(
        self, state: Sequence[int], asked: Callable[[], int]
    ) -> tuple[Sequence[Pair], int]:
        reads: dict[int, int] = {}
        with self.system.world.on(NotingStore(self.cells, state, reads, 0)):
            value = asked()
        return tuple(reads.items()), value

    def _restored(self) -> int:
        """The place of the checkpoint that a restart would take, plus 1; or 0."""
        point = self.system.protocol.restore_point()
        return 0 if point == Nothing else 1 + self.ids.index(cast(Checkpoint, point))

    def _is_free(self, point: Checkpoint) -> int:
        """Whether an id can be given again, and nobody asks for it later."""
        protocol = self.system.protocol
        free = protocol.is_free(point) and not protocol.is_remembered(point)
        return at.HOLDS if free else at.FAILS

    def _forgotten(self, gone: int, state: Sequence[int]) -> Iterator[Path]:
        """What becomes of each cell when an id is given again: each depends on one cell at most."""
        before = Reached(self.cells.decoded(state), ())
        after = self.cells.of(self.system.forgotten(before, gone).values)
        first = self.forget + gone * self.cells.count
        sources = self._sources(gone)
        for cell, value in enumerate(after):
            source = next(sources, None)
            yield first + cell, () if source is None else ((source, state[source]),), value

    def _sources(self, gone: int) -> Iterator[int | None]:
        """The cells on which cells depend when an id is given again."""
        renaming, cells = PlainRenaming(self.system.world, self.ids, gone), self.cells
        for variable in cells.variables:
            source, universe = renaming.source(variable), cells.sets[variable.position]
            if source is None:
                yield from [None] * (1 if universe is None else len(universe))
            elif universe is None:
                yield cells.first[source.position]
            else:
                sets: Sequence[Any] = [
                    renaming.renamed(variable.domain, frozenset((each,))) for each in universe
                ]
                for member in universe:
                    froms = (place for place, renamed in enumerate(sets) if member in renamed)
                    place = next(froms, None)
                    yield None if place is None else cells.first[source.position] + place


class _StepCells:
    """The cells that tell a step: the name of its rule, and by kind what it is about."""

    def __init__(self, rules: Sequence[BoundRule]) -> None:
        self.kinds = tuple(dict.fromkeys(kind for rule in rules for kind, _ in rule.binding))
        self.count = (1 + len(self.kinds) + 1) // 2 * 2
        told = [
            (rule.rule.name, *(dict(rule.binding).get(kind, "") for kind in self.kinds), "")
            for rule in rules
        ]
        self.names = ["", *dict.fromkeys(name for each in told for name in each if name)]
        """Names, by number; 0 for none."""
        numbers = {name: number for number, name in enumerate(self.names)}
        self.of_rules = [[numbers[name] for name in each[: self.count]] for each in told]


class _NotingStep:
    """A step that notes which of its cells are read."""

    def __init__(
        self, steps: _StepCells, state: Sequence[int], reads: dict[int, int], base: int
    ) -> None:
        self.steps, self._state, self._reads, self._base = steps, state, reads, base
        self.binding = _NotingBinding(self)

    def read(self, place: int) -> str:
        """The name in one of the cells."""
        value = self._reads[self._base + place] = self._state[self._base + place]
        return self.steps.names[value]

    @property
    def rule(self) -> str:
        """The name of its rule."""
        return self.read(0)


class _NotingBinding(Mapping[str, object]):
    """The binding of a step that notes which of its cells are read."""

    def __init__(self, step: _NotingStep) -> None:
        self.step = step

    def __getitem__(self, kind: str) -> object:
        kinds = self.step.steps.kinds
        name = self.step.read(1 + kinds.index(kind)) if kind in kinds else ""
        if not name:
            raise KeyError(kind)
        return name

    def __iter__(self) -> Iterator[str]:
        return (kind for kind in self.step.steps.kinds if kind in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)
