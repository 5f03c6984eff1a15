"""Joins systems of several settings into one system, whose first cell is the setting.

The settings are those of one spec under different options, bounds or jobs. The cell of the setting
begins with any value and never changes. Cells of the same name are one cell, and so are ground
rules of the same name and binding. What a solver learns about one setting thus helps with the
others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from finale.checker.search.state_graph.folding import Known, folded
from finale.model.errors import Place
from finale.model.expressions import (
    Cell,
    Expression,
    cell,
    conjunction,
    disjunction,
    equal,
    integer,
)
from finale.model.system import (
    Blocked,
    Fault,
    GroundRule,
    Predicate,
    Property,
    State,
    System,
    Test,
    Tree,
    Update,
)
from finale.model.trace import Trace, replay

CellKey = tuple[str, int, bool]
RuleKey = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class JoinedSystem:
    """One of the systems: the places of its cells in the product, and the numbers of its rules."""

    system: System
    places: tuple[int, ...]
    rules: tuple[int, ...]


@dataclass(frozen=True)
class ProductSystem:
    """All systems as one, with one property. Cell 0 is the number of the setting."""

    system: System
    parts: tuple[JoinedSystem, ...]

    def is_setting(self, number: int) -> Expression:
        """Return the condition: the setting has this number."""
        return _is(len(self.parts), number)

    def own(self, trace: Trace) -> Trace:
        """Return a run of the product as a run of the system that it belongs to."""
        part = self.parts[trace.states[0][0]]
        numbers = {joined: own for own, joined in enumerate(part.rules)}
        states = tuple(tuple(state[i] for i in part.places) for state in trace.states)
        rules = tuple(numbers[rule] for rule in trace.rules)
        own = Trace(states, rules)
        replay(part.system, own)
        return own


def joined(systems: Sequence[System], name: str) -> ProductSystem:
    """Return the product of systems that have one property each, of this name."""
    joining = _Joining(systems)
    parts = tuple(
        JoinedSystem(
            system, joining.places(system), tuple(joining.rules[key] for key in _rule_keys(system))
        )
        for system in systems
    )
    return ProductSystem(joining.system(name), parts)


class _Joining:
    def __init__(self, systems: Sequence[System]) -> None:
        self.systems = systems
        bounds: dict[CellKey, tuple[int, int]] = {}
        for system in systems:
            for key, each in _cells(system):
                low, high = bounds.get(key, (each.low, each.high))
                bounds[key] = min(low, each.low), max(high, each.high)
        self._places = {key: index for index, key in enumerate(bounds, 1)}
        self._cells = [cell(0, 0, len(systems) - 1, False)]
        for (_, _, boolean), (low, high) in bounds.items():
            self._cells.append(cell(len(self._cells), low, high, boolean))
        keys = dict.fromkeys(key for system in systems for key in _rule_keys(system))
        for system in systems:
            own = list(_rule_keys(system))
            assert len({*own}) == len(own), "ground rules of a protocol are told apart by these"
        self.rules = {key: number for number, key in enumerate(keys)}
        self._known = [self._renaming(system) for system in systems]
        self._memos: list[Known] = [{} for _ in systems]

    def places(self, system: System) -> tuple[int, ...]:
        return tuple(self._places[key] for key, _ in _cells(system))

    def system(self, name: str) -> System:
        terminal = disjunction(
            conjunction([self._is(number), self._of(number, system.terminal)])
            for number, system in enumerate(self.systems)
        )
        return System(
            self.systems[0].protocol,
            (),
            tuple(self._cells),
            tuple(self._initial()),
            tuple(self._rule(key) for key in self.rules),
            (self._property(name),),
            terminal,
        )

    def _is(self, number: int) -> Expression:
        return _is(len(self.systems), number)

    def _of(self, number: int, expression: Expression) -> Expression:
        return folded(expression, self._known[number], self._memos[number])

    def _renaming(self, system: System) -> Known:
        known: Known = {}
        for index, place in enumerate(self.places(system)):
            each, there = system.cells[index], self._cells[place]
            if isinstance(each, Cell):
                low, high, boolean = there.low, there.high, there.boolean
                for after in (False, True):
                    old = cell(index, each.low, each.high, each.boolean, after)
                    known[old] = cell(place, low, high, boolean, after)
        return known

    def _initial(self) -> Iterator[State]:
        for number, system in enumerate(self.systems):
            for state in system.initial:
                values = [each.low for each in self._cells]
                values[0] = number
                for place, value in zip(self.places(system), state, strict=True):
                    values[place] = value
                yield tuple(values)

    # --- rules -----------------------------------------------------------------------------------

    def _rule(self, key: RuleKey) -> GroundRule:
        """A rule that does in each setting what it does there; settings that agree share it."""
        alike: dict[Tree, list[int]] = {}
        rule: GroundRule | None = None
        for number, system in enumerate(self.systems):
            for each in _rules_of(system, key):
                rule = each
                alike.setdefault(self._tree(number, each.tree), []).append(number)
        assert rule is not None
        tree: Tree = Blocked()
        for own, numbers in alike.items():
            here = disjunction(self._is(number) for number in numbers)
            tree = Test(here, own, tree)
        return GroundRule(rule.rule, rule.binding, rule.entities, tree)

    def _tree(self, number: int, tree: Tree) -> Tree:
        match tree:
            case Test():
                condition = self._of(number, tree.condition)
                return Test(condition, self._tree(number, tree.yes), self._tree(number, tree.no))
            case Update():
                places = self.places(self.systems[number])
                writes = ((places[i], self._of(number, value)) for i, value in tree.writes)
                return Update(tuple(writes))
            case Blocked() | Fault():
                return tree

    # --- the property ----------------------------------------------------------------------------

    def _property(self, name: str) -> Property:
        own = [next(p for p in system.properties if p.name == name) for system in self.systems]
        predicates = tuple(
            self._predicate(number, each)
            for number, prop in enumerate(own)
            for each in prop.predicates
        )
        on_rules: list[tuple[Predicate, ...]] = []
        if any(prop.on_rules for prop in own):
            on_rules = [tuple(self._on_rule(own, key)) for key in self.rules]
        return Property(name, own[0].kind, own[0].sentence, Place(), predicates, tuple(on_rules))

    def _on_rule(self, own: Sequence[Property], key: RuleKey) -> Iterator[Predicate]:
        for number, prop in enumerate(own):
            for index, each in enumerate(_rule_keys(self.systems[number])):
                if each == key:
                    yield from (self._predicate(number, p) for p in prop.on_rules[index])

    def _predicate(self, number: int, predicate: Predicate) -> Predicate:
        when = conjunction([self._is(number), self._of(number, predicate.when)])
        claim, fault = self._of(number, predicate.claim), self._of(number, predicate.fault)
        fault = conjunction([self._is(number), fault])
        moved = conjunction([self._is(number), self._of(number, predicate.moved)])
        return Predicate(predicate.binding, when, claim, fault, moved)


def _is(count: int, number: int) -> Expression:
    return equal(cell(0, 0, count - 1, False), integer(number))


def _cells(system: System) -> Iterator[tuple[CellKey, Expression]]:
    """The cells of a system in order, by what each is called."""
    for variable in system.variables:
        for position, index in enumerate(variable.indices):
            each = system.cells[index]
            yield (variable.name, position, each.boolean), each


def _rule_keys(system: System) -> Iterator[RuleKey]:
    for rule in system.rules:
        yield rule.rule.name, rule.binding


def _rules_of(system: System, key: RuleKey) -> Iterator[GroundRule]:
    for rule in system.rules:
        if (rule.rule.name, rule.binding) == key:
            yield rule
