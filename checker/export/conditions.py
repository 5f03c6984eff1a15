"""Builds the conditions of properties as expressions over one state, for exports.

A step into a fault is no step in what is exported, so that states and transitions are counted as
contracts say; that a rule would fault in a state is a condition on that state, and so is whether a
state is stuck. What an `on_step` property says of a step is, at a leaf of a tree, a condition on
the state before: the cells after the step are what the leaf writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from finale.checker.search.state_graph.folding import Known, cells_read, fold, folded, parts, sides
from finale.model.expressions import (
    FALSE,
    TRUE,
    Cell,
    Constant,
    Expression,
    choose,
    conjunction,
    disjunction,
    equal,
    negation,
)
from finale.model.system import (
    Blocked,
    Fairness,
    Fault,
    GroundRule,
    Predicate,
    Property,
    System,
    Test,
    Tree,
    Update,
)

End = Update | Blocked | Fault


def condition_of(tree: Tree, at_leaf: Callable[[End], Expression]) -> Expression:
    """The condition that a leaf is reached and that what is asked of it holds there."""
    if not isinstance(tree, Test):
        return at_leaf(tree)
    return choose(tree.condition, condition_of(tree.yes, at_leaf), condition_of(tree.no, at_leaf))


def is_taken(tree: Tree) -> Expression:
    """Whether the rule is enabled, and its step no fault."""
    return condition_of(tree, lambda end: TRUE if isinstance(end, Update) else FALSE)


def is_faulty(tree: Tree) -> Expression:
    """Whether the rule's step is a fault."""
    return condition_of(tree, lambda end: TRUE if isinstance(end, Fault) else FALSE)


def is_at_bound(tree: Tree) -> Expression:
    """Whether a bound alone forbids the rule."""
    return condition_of(
        tree, lambda end: TRUE if isinstance(end, Blocked) and end.bound is not None else FALSE
    )


class Conditions:
    """The conditions of one system."""

    def __init__(self, system: System) -> None:
        self.system = system

    def changes(self, end: Update) -> Expression:
        """Whether an update leads to another state."""
        cells = self.system.cells
        same = (equal(value, cells[index]) for index, value in end.writes)
        return negation(conjunction(same))

    def is_stuck(self) -> Expression:
        """Whether a state is a deadlock: `semantics.is_deadlock` in one expression."""

        def at_leaf(end: End, known: Known) -> Expression:
            if isinstance(end, Update):
                return folded(self.changes(end), known, {})
            return FALSE if isinstance(end, Blocked) and end.bound is None else TRUE

        rules = (each for each in self.system.rules if each.rule.makes_progress)
        moves = (_along(rule.tree, at_leaf, {}) for rule in rules)
        return negation(disjunction([self.system.terminal, *moves]))

    def is_at_some_bound(self) -> Expression:
        """Whether a bound alone forbids some rule that makes progress."""
        rules = (each for each in self.system.rules if each.rule.makes_progress)
        return disjunction(is_at_bound(rule.tree) for rule in rules)

    def faults_of_properties(self) -> Iterator[tuple[Property, Expression]]:
        """Return where the evaluation of a property on a state reads a missing value."""
        for prop in self.system.properties:
            fault = disjunction(each.fault for each in prop.predicates)
            if fault is not FALSE:
                yield prop, fault

    def before(self, end: Update, condition: Expression, known: Known | None = None) -> Expression:
        """A condition on a step, as a condition on the state before a step by this leaf."""
        writes = dict(end.writes)
        substituted: Known = dict(known or {})
        for cell in cells_read([condition]):
            if cell.after:
                here = self.system.cells[cell.index]
                after = writes.get(cell.index, here)
                substituted[cell] = folded(after, known, {}) if known else after
        return folded(condition, substituted, {})

    def stays_and(self, tree: Tree, condition: Expression) -> Expression:
        """Whether the rule leads from a state to itself, and a condition holds of that step.

        What the tests on the way to a leaf say is used: most leaves are seen to change the state.
        """

        def at_leaf(end: End, known: Known) -> Expression:
            if not isinstance(end, Update):
                return FALSE
            stays = folded(negation(self.changes(end)), known, {})
            return conjunction([stays, self.before(end, condition, known)])

        return _along(tree, at_leaf, {})


def _along(tree: Tree, at_leaf: Callable[[End, Known], Expression], known: Known) -> Expression:
    """The condition that a leaf asks for, with what the tests on the way there say."""
    if not isinstance(tree, Test):
        return at_leaf(tree, known)
    test, further = sides(tree, known)
    found = [_along(side, at_leaf, below) for _, side, below in further]
    return found[0] if isinstance(test, Constant) else choose(test, *found)


def step_claims(prop: Property) -> Iterator[tuple[Expression, tuple[int, ...]]]:
    """Return the claims of a property about steps, each once, with their ground rules."""
    found: dict[Expression, list[int]] = {}
    for rule, predicates in enumerate(prop.on_rules):
        for predicate in predicates:
            claim = claim_of(predicate)
            if claim is not TRUE:
                rules = found.setdefault(claim, [])
                if rules[-1:] != [rule]:
                    rules.append(rule)
    for claim, rules in found.items():
        yield claim, tuple(rules)


def step_faults(prop: Property) -> Iterator[tuple[Expression, tuple[int, ...]]]:
    """Return a claim that the evaluation of a property on a step reads no missing value."""
    found: dict[Expression, list[int]] = {}
    for rule, predicates in enumerate(prop.on_rules):
        fault = disjunction(each.fault for each in predicates)
        if fault is not FALSE:
            found.setdefault(negation(fault), []).append(rule)
    for claim, rules in found.items():
        yield claim, tuple(rules)


def claim_of(predicate: Predicate) -> Expression:
    """Return the claim of one binding of a safety property, under its antecedent."""
    return disjunction([negation(predicate.when), predicate.claim])


def fair_keys(system: System) -> dict[tuple[str, tuple[str, ...]], list[GroundRule]]:
    """The ground rules of each fairness key that is promised something."""
    keys: dict[tuple[str, tuple[str, ...]], list[GroundRule]] = {}
    for rule in system.rules:
        if rule.rule.fairness is not Fairness.NONE:
            keys.setdefault(rule.fairness_key, []).append(rule)
    return keys


def written_out(expression: Expression, sizes: dict[Expression, int]) -> int:
    """Return the number of nodes of an expression, with shared parts counted repeatedly."""
    return fold(expression, lambda node: 1 + sum(sizes[part] for part in parts(node)), sizes)


def expressions_in(tree: Tree) -> Iterator[Expression]:
    """The tests and new values of a tree."""
    match tree:
        case Test():
            yield tree.condition
            yield from expressions_in(tree.yes)
            yield from expressions_in(tree.no)
        case Update():
            yield from (value for _, value in tree.writes)
        case Blocked() | Fault():
            pass


def expressions_of(system: System) -> Iterator[Expression]:
    """Every expression of a system: tests, new values, and what properties say."""
    for rule in system.rules:
        yield from expressions_in(rule.tree)
    for prop in system.properties:
        for predicate in (*prop.predicates, *(p for each in prop.on_rules for p in each)):
            yield from (predicate.when, predicate.claim, predicate.fault, predicate.moved)
    yield from system.cells


def initial_states(system: System) -> tuple[tuple[int, ...], ...]:
    """The initial states, each once."""
    return tuple(dict.fromkeys(system.initial))


def live_cells(system: System) -> list[int]:
    """The cells that are variables: the others have one value only."""
    return [index for index, cell in enumerate(system.cells) if isinstance(cell, Cell)]


def sorted_groups(system: System, cells: Iterable[int]) -> dict[int, list[int]]:
    """Cells by the position of the variable that they belong to."""
    groups: dict[int, list[int]] = {}
    for cell in cells:
        groups.setdefault(system.variable_of_cell[cell].position, []).append(cell)
    return groups
