"""Digests of a system: two systems of one digest have the same states, steps and properties.

Where code stands and what it is called says nothing of what a search finds, and is left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from checker.search.state_graph.folding import fold, parts
from model.expressions import Cell, Constant, Expression
from model.language.entities import Variable
from model.system import (
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


def digest_of(system: System, digest: Digest | None = None) -> str:
    """The digest of all that a search reads. `digest` may know expressions of another system."""
    digest = digest or Digest()
    return _hash(
        [
            digest.first(system.variables, system.initial, system.terminal),
            digest.rules(system.rules),
            *map(digest.property, system.properties),
        ]
    ).hex()


def rules_that_differ(first: System, second: System) -> tuple[str, ...]:
    """Return the rules of which some binding steps otherwise, or that one system alone has.

    Cells are compared by the names of their variables: a variable that only one system has does not
    make all rules differ.
    """
    one, other = (_by_rule(system) for system in (first, second))
    return tuple(name for name in {**one, **other} if one.get(name) != other.get(name))


def _by_rule(system: System) -> dict[str, str]:
    digest = Digest([(v.name, n) for v in system.variables for n in range(v.domain.width)])
    ground: dict[str, list[GroundRule]] = {}
    for each in system.rules:
        ground.setdefault(each.rule.name, []).append(each)
    return {name: digest.rules(own) for name, own in ground.items()}


class Digest:
    """Digests of what a system is made of. That of each expression is made once.

    `cells` are names of the cells; by default a cell is its number.
    """

    def __init__(self, cells: Sequence[object] = ()) -> None:
        self.cells = cells
        self.nodes: dict[Expression, bytes] = {}

    def first(
        self, variables: Iterable[Variable], initial: Iterable[State], terminal: Expression
    ) -> str:
        """The digest of what is neither a rule nor a property."""
        said = [(each.name, [str(cell) for cell in each.domain.cells]) for each in variables]
        return _hash([*said, *initial, self.node(terminal)]).hex()

    def rules(self, rules: Iterable[GroundRule]) -> str:
        """The digest of some rules. One that is never enabled is as if it were not there."""
        said: list[object] = []
        for each in rules:
            if not isinstance(each.tree, Blocked) or each.tree.bound is not None:
                said += [str(each), each.rule.fairness, each.entities, self.tree(each.tree)]
                said += [(name, self.node(node)) for name, node in (*each.earlier, *each.moved)]
        return _hash(said).hex()

    def property(self, each: Property) -> str:
        """The digest of a property."""
        said: list[object] = [each.name, each.kind, each.witness, each.not_asked]
        said += [self.predicate(p) for p in (*each.predicates, *sum(each.on_rules, ()))]
        return _hash(said).hex()

    def cell(self, index: int) -> object:
        """The name of a cell."""
        return self.cells[index] if self.cells else index

    def node(self, expression: Expression) -> bytes:
        """The digest of an expression."""

        def made(node: Expression) -> bytes:
            match node:
                case Constant():
                    said: list[object] = [node.value, node.boolean]
                case Cell():
                    said = [self.cell(node.index), node.after, node.boolean]
                case _:
                    said = [type(node).__name__, *(self.nodes[part] for part in parts(node))]
            return _hash(said)

        return fold(expression, made, self.nodes)

    def tree(self, tree: Tree) -> bytes:
        """The digest of a decision tree."""
        match tree:
            case Test():
                said: list[object] = [
                    self.node(tree.condition),
                    self.tree(tree.yes),
                    self.tree(tree.no),
                ]
            case Blocked():
                said = ["blocked", tree.bound]
            case Update():
                said = [
                    (self.cell(index), self.node(value))
                    for index, value in sorted(tree.writes, key=_first)
                ]
            case Fault():
                said = ["fault", tree.code]
        return _hash(said)

    def predicate(self, each: Predicate) -> bytes:
        """The digest of what a property says of one binding."""
        nodes = (each.when, each.claim, each.fault, each.moved)
        return _hash([each.binding, *map(self.node, nodes)])


def _first(write: tuple[int, Expression]) -> int:
    return write[0]


def _hash(said: Iterable[object]) -> bytes:
    return hashlib.blake2b(repr(list(said)).encode(), digest_size=12).digest()


__all__ = ["Digest", "digest_of", "rules_that_differ"]
