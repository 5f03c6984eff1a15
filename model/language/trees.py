"""Builds the decision tree of a rule with bound parameters."""

from __future__ import annotations

from finale.model.errors import FinaleError, Place
from finale.model.expressions import FALSE, Expression, choose
from finale.model.system import Blocked, Fault, GroundRule, Rule, Test, Tree, Update, leaves

from .bindings import BoundRule
from .entities import World
from .explore import Fork, PathEnd, explore
from .path_ends import BlockedHere, FaultHere
from .stores import RuleStore, SymbolicStore


def ground_rule(world: World, bound: BoundRule) -> GroundRule:
    """Return a rule with its parameters bound, as a decision tree. Raises coded errors."""
    store = RuleStore(world.cells(), len(world.entities))
    try:
        with world.on(store):
            runs = explore(lambda: bound.method(*bound.arguments), store)
    except FinaleError as error:
        raise error.located(
            Place(bound.rule.place.file, bound.rule.place.line, rule=bound.rule.name)
        ) from None
    tree = _decision(runs, store)
    _refuse_certain_mistakes(tree, bound.rule)
    earlier, moved = _earlier(runs, store), _moved(runs, store)
    return GroundRule(
        bound.rule,
        bound.binding,
        bound.entities,
        tree,
        tuple(sorted(earlier.items())),
        tuple((world.entities[position].name, each) for position, each in sorted(moved.items())),
    )


def _earlier(node: Fork | PathEnd, store: RuleStore) -> dict[int, Expression]:
    """Return the cells of the state before the step that differ under the names after it."""
    if isinstance(node, PathEnd):
        return store.earlier(node.writes)
    yes, no = _earlier(node.yes, store), _earlier(node.no, store)
    cells = store.cells
    # Where the rule is not taken, either side will do.
    yes, no = (no if _is_never_taken(node.yes) else yes), (yes if _is_never_taken(node.no) else no)
    return {
        index: choose(node.test, yes.get(index, cells[index]), no.get(index, cells[index]))
        for index in yes.keys() | no.keys()
    }


def _moved(node: Fork | PathEnd, store: RuleStore) -> dict[int, Expression]:
    """Return by position of an entity where the rule is taken and makes another one of it."""
    if isinstance(node, PathEnd):
        return {} if _is_never_taken(node) else store.moved(node.writes)
    yes, no = _moved(node.yes, store), _moved(node.no, store)
    return {
        position: choose(node.test, yes.get(position, FALSE), no.get(position, FALSE))
        for position in yes.keys() | no.keys()
    }


def _is_never_taken(node: Fork | PathEnd) -> bool:
    if isinstance(node, Fork):
        return _is_never_taken(node.yes) and _is_never_taken(node.no)
    return node.stop is not None or node.beyond is not None


def _decision(node: Fork | PathEnd, store: SymbolicStore) -> Tree:
    if isinstance(node, Fork):
        yes, no = _decision(node.yes, store), _decision(node.no, store)
        return yes if yes == no else Test(node.test, yes, no)
    match node.stop:
        case BlockedHere(bound=bound):
            return Blocked(bound)
        case _ if node.beyond is not None:
            return Blocked(node.beyond)
        case FaultHere() as fault:
            return Fault(fault.code, fault.message, fault.place)
        case _:
            writes = tuple(
                (index, expression)
                for index, expression in sorted(node.writes.items())
                if index < store.states and expression is not store.cells[index]
            )
            return Update(writes, tuple(node.branches.items()))


def _refuse_certain_mistakes(tree: Tree, rule: Rule) -> None:
    ends = list(leaves(tree))
    faults = [end for end in ends if isinstance(end, Fault)]
    updates = [end for end in ends if isinstance(end, Update)]
    if faults and not updates:
        raise FinaleError(
            faults[0].code,
            f"{faults[0].message}, in every state in which {rule.name} is enabled",
            place=Place(faults[0].place.file, faults[0].place.line, rule=rule.name),
            advice="add a guard with require(...), or correct the write",
        )
    idle = next((update for update in updates if not update.writes), None)
    if idle is not None:
        taken = [f"line {b.line} is {str(b.outcome).lower()}" for b, _ in idle.branches]
        raise FinaleError(
            "rule-does-nothing",
            f"{rule.name} writes nothing where {' and '.join(taken)}"
            if taken
            else f"on some path {rule.name} writes nothing",
            place=rule.place,
            advice="require(...) what the rule is for, so that it is not enabled there",
        )
