"""The form of a system: all that a search reads of it, as plain tuples.

Systems of one form have the same states, steps and properties. Where code stands, and how its
parameters and helpers are called, says nothing of what a search finds, and is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from finale.checker.search.state_graph.folding import fold, parts
from finale.model.expressions import Cell, Constant, Expression
from finale.model.language.entities import Variable
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

Form = tuple[object, ...]


def rules_that_differ(first: System, second: System) -> tuple[str, ...]:
    """Return the rules of which some binding steps otherwise, or that one system alone has.

    Cells are compared by the names of their variables: a variable that only one system has does not
    make all rules differ.
    """
    one, other = (_by_rule(system) for system in (first, second))
    return tuple(name for name in {**one, **other} if one.get(name) != other.get(name))


def digest_of(system: System) -> str:
    """Return a digest of the form of a system: equal for systems of one form in any process."""
    forms = _of_any_process(system)
    said = (
        forms.rules(system.rules),
        forms.first(system.variables, system.initial, system.terminal),
        [forms.property(each) for each in system.properties],
    )
    return hashlib.blake2b(repr(said).encode(), digest_size=16).hexdigest()


def _by_rule(system: System) -> dict[str, Form]:
    forms = _of_any_process(system)
    ground: dict[str, list[GroundRule]] = {}
    for each in system.rules:
        ground.setdefault(each.rule.name, []).append(each)
    return {name: forms.rules(own) for name, own in ground.items()}


def _of_any_process(system: System) -> Forms:
    """Forms in which cells have the names of their variables, and expressions are digests."""
    names = [(v.name, n) for v in system.variables for n in range(v.domain.width)]
    named = names.__getitem__
    return Forms(Digests(named).of, named)


def _itself(said: object) -> object:
    return said


@dataclass(frozen=True)
class Forms:
    """Forms of what a system is made of.

    `node` gives that of an expression, `cell` that of a cell. By default they stand for themselves:
    equal expressions are one object.
    """

    node: Callable[[Expression], object] = _itself
    cell: Callable[[int], object] = _itself

    def first(
        self, variables: Iterable[Variable], initial: Iterable[State], terminal: Expression
    ) -> Form:
        """The form of what is neither a rule nor a property."""
        said = [(each.name, *map(str, each.domain.cells)) for each in variables]
        return *said, *initial, self.node(terminal)

    def rules(self, rules: Iterable[GroundRule]) -> Form:
        """The form of some rules. One that is never enabled is as if it were not there."""
        return tuple(
            self.rule(each)
            for each in rules
            if not isinstance(each.tree, Blocked) or each.tree.bound is not None
        )

    def rule(self, rule: GroundRule) -> Form:
        """The form of a rule."""
        beside = [(name, self.node(node)) for name, node in (*rule.earlier, *rule.moved)]
        promise = rule.rule.fairness, rule.rule.makes_progress
        return str(rule), *promise, rule.entities, self.tree(rule.tree), *beside

    def property(self, each: Property) -> Form:
        """The form of a property."""
        predicates = map(self.predicate, (*each.predicates, *sum(each.on_rules, ())))
        return each.name, each.kind, each.witness, each.not_asked, *predicates

    def tree(self, tree: Tree) -> Form:
        """The form of a decision tree."""
        match tree:
            case Test():
                return self.node(tree.condition), self.tree(tree.yes), self.tree(tree.no)
            case Blocked():
                return "blocked", tree.bound
            case Update():
                writes = sorted(tree.writes, key=_first)
                return tuple((self.cell(index), self.node(value)) for index, value in writes)
            case Fault():
                return "fault", tree.code

    def predicate(self, each: Predicate) -> Form:
        """The form of what a property says of one binding."""
        nodes = (each.when, each.claim, each.fault, each.moved)
        return each.binding, *map(self.node, nodes)


def _first(write: tuple[int, Expression]) -> int:
    return write[0]


@dataclass
class Digests:
    """Digests of expressions. That of each is made once; `cell` gives the form of a cell."""

    cell: Callable[[int], object] = _itself
    nodes: dict[Expression, bytes] = field(default_factory=dict[Expression, bytes], init=False)

    def of(self, expression: Expression) -> bytes:
        """The digest of an expression."""

        def made(node: Expression) -> bytes:
            match node:
                case Constant():
                    said: list[object] = [node.value, node.boolean]
                case Cell():
                    said = [self.cell(node.index), node.after, node.boolean]
                case _:
                    said = [type(node).__name__, *(self.nodes[part] for part in parts(node))]
            return hashlib.blake2b(repr(said).encode(), digest_size=12).digest()

        return fold(expression, made, self.nodes)


__all__ = ["Digests", "Form", "Forms", "digest_of", "rules_that_differ"]
