"""From a rule with its parameters bound to its decision tree."""

from __future__ import annotations

from model.errors import FinaleError, Place
from model.system import (
    Blocked,
    Fault,
    Rule,
    Test,
    Tree,
    Update,
    leaves,
)

from .bindings import Bound
from .entities import World
from .explore import End, Fork, explore
from .stops import BlockedHere, FaultHere
from .stores import SymbolicStore


def tree_of(world: World, bound: Bound) -> Tree:
    """The decision tree of a rule with its parameters bound. Raises coded errors."""
    store = SymbolicStore(world.cells())
    try:
        with world.on(store):
            runs = explore(lambda: bound.method(*bound.arguments), store)
    except FinaleError as error:
        raise error.located(
            Place(bound.rule.place.file, bound.rule.place.line, rule=bound.rule.name)
        ) from None
    tree = _decision(runs, store)
    _refuse_certain_mistakes(tree, bound.rule)
    return tree


def _decision(node: Fork | End, store: SymbolicStore) -> Tree:
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
                if expression is not store.cells[index]
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
            advice="guard it with require(...), or mend what is written",
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


__all__ = ["tree_of"]
