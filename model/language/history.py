"""Refuses rules that read history, so that what is recorded changes no verdict.

History is a field whose `ghost` is a switch of `[observe]`. A rule may write history, and count on
with what it has written. What the rule does otherwise, and when, may not depend on history, nor on
whether history is kept. Both are seen on the finished trees of the rules. Only rules of a user are
looked at; a test looks at those of Finale.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import FunctionType

from finale.model.errors import FinaleError
from finale.model.expressions import And, Cell, Constant, Expression, Or, parts
from finale.model.system import Blocked, Fault, GroundRule, Test, Tree, Update

from .entities import World
from .layout import foreign_files
from .loops import functions_in, text_of
from .protocol import Protocol
from .reaching import CodeByName, all_mentioned, is_of_user

#: Names by which a rule can ask whether history is kept: what knows it, and what asks by a text.
ASKS_WHETHER = frozenset(
    {
        *("observes", "keeps", "setting", "ghosts", "scope", "variables", "world", "_world"),
        *("cut", "counts_cancellations"),
        *("hasattr", "getattr", "vars", "dir", "attrgetter", "methodcaller", "format"),
        *("format_map", "__dict__", "__getattribute__", "__getattr__", "getattr_static"),
    }
)


def refuse_history(protocol: Protocol, world: World, rules: Sequence[GroundRule]) -> None:
    """Refuse rules that depend on history. Raises `rule-reads-history`."""
    history = {
        index: variable.name
        for variable in world.variables
        if variable.ghost in protocol.ghosts
        for index in variable.indices
    }
    names = {variable.field for variable in world.variables if variable.ghost in protocol.ghosts}

    def mentions(function: FunctionType) -> bool:
        return is_of_user(function) and not names.isdisjoint(all_mentioned(function))

    reads, code = _Reads(history), CodeByName.of(world)
    for rule in rules if history else ():
        if not code.is_reached_from(code.functions[rule.rule.name], mentions):
            continue  # Finale's own rules read history only to go on with it
        name = reads.of_tree(rule.tree)
        if name is not None:
            raise _error(rule, f"depends on {name}, which is history")


def asks_whether_kept(protocol: Protocol) -> bool:
    """Return whether code of a user may ask whether history is kept."""
    kinds = {type(each) for each in (protocol, *protocol.entities())}
    return bool(protocol.setting.observe) and any(
        _name_in(node) in ASKS_WHETHER
        for file in foreign_files(kinds)
        for function in functions_in(text_of(file))
        for node in ast.walk(function)
    )


def _name_in(node: ast.AST) -> object:
    """The name or text that a node is."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Constant(value=str(name)):
            return name
        case _:
            return None


def refuse_difference(
    protocol: Protocol,
    world: World,
    rules: Sequence[GroundRule],
    build: Callable[[Protocol], tuple[World, Sequence[GroundRule]]],
) -> None:
    """Refuse rules that do something else if no history is kept. Raises `rule-reads-history`.

    `build` returns the rules of another protocol. Code that needs history is refused there by
    itself (`not-observed`), so that it never gives two verdicts.
    """
    other = type(protocol)(replace(protocol.setting, observe=frozenset()))
    try:
        bare_world, bare = build(other)
    except FinaleError as error:
        if error.code == "not-observed":
            return
        raise
    code = CodeByName.of(world)

    def asks(function: FunctionType) -> bool:
        return is_of_user(function) and not ASKS_WHETHER.isdisjoint(all_mentioned(function))

    @cache
    def may_ask(name: str) -> bool:
        return code.is_reached_from(code.functions[name], asks)

    shapes: dict[object, int] = {}
    here, there = _Shapes(protocol, world, shapes), _Shapes(other, bare_world, shapes)
    known = {(each.rule.name, each.binding): there.of_tree(each.tree) for each in bare}
    for rule in rules:
        other_tree = known.pop((rule.rule.name, rule.binding), None)
        if may_ask(rule.rule.name) and other_tree != here.of_tree(rule.tree):
            raise _error(rule, "does something else if [observe] keeps no history")
    for each in bare:
        if (each.rule.name, each.binding) in known and may_ask(each.rule.name):
            raise _error(each, "can be taken only if [observe] keeps no history")


def _error(rule: GroundRule, what: str) -> FinaleError:
    bound = ", ".join(text for _, text in rule.binding)
    place = replace(rule.rule.place, rule=rule.rule.name)
    return FinaleError(
        "rule-reads-history",
        f"{rule.rule.name}({bound}) {what}",
        place=place,
        advice="let properties read history, and rules only write it; keep what a rule needs in a "
        "field without ghost",
    )


class _Reads:
    """What trees read of some cells, given by name."""

    def __init__(self, cells: Mapping[int, str]) -> None:
        self._cells = cells
        self._known: dict[Expression, str | None] = {}

    def of_tree(self, tree: Tree) -> str | None:
        """Return a history that decides what a tree does, other than about history."""
        match tree:
            case Test():
                read = self._of(tree.condition)
                if read is not None and not _only_fails(tree):
                    return read
                return self.of_tree(tree.yes) or self.of_tree(tree.no)
            case Update():
                written = (e for index, e in tree.writes if index not in self._cells)
                return next((read for e in written if (read := self._of(e)) is not None), None)
            case _:
                return None

    def _of(self, root: Expression) -> str | None:
        for node in _children_first(root, self._known):
            own = self._cells.get(node.index) if isinstance(node, Cell) else None
            inner = (self._known[each] for each in parts(node))
            self._known[node] = own or next((each for each in inner if each is not None), None)
        return self._known[root]


def _only_fails(tree: Test) -> bool:
    """Whether a test only says where a written history would leave its domain."""
    return isinstance(tree.yes, Fault) or isinstance(tree.no, Fault)


def _children_first(root: Expression, known: Mapping[Expression, object]) -> Iterator[Expression]:
    pending = [root]
    while pending:
        node = pending[-1]
        missing = [each for each in parts(node) if each not in known]
        if node in known:
            pending.pop()
        elif missing:
            pending += missing
        else:
            pending.pop()
            yield node


class _Shapes:
    """Numbers for trees: two systems give equal numbers to trees that do the same to the state."""

    def __init__(self, protocol: Protocol, world: World, shapes: dict[object, int]) -> None:
        self._names = {
            index: (variable.name, place)
            for variable in world.variables
            if variable.ghost not in protocol.ghosts
            for place, index in enumerate(variable.indices)
        }
        self._shapes = shapes
        self._known: dict[Expression, int] = {}

    def of_tree(self, tree: Tree) -> int:
        """Return the number of a tree; what the tree writes to history does not count."""
        match tree:
            case Test():
                yes, no = self.of_tree(tree.yes), self.of_tree(tree.no)
                if yes == no or isinstance(tree.yes, Fault) or isinstance(tree.no, Fault):
                    # A fault of history is there only if history is.
                    return no if isinstance(tree.yes, Fault) else yes
                return self._number(("test", self._of(tree.condition), yes, no))
            case Update():
                writes = ((self._names.get(index), e) for index, e in tree.writes)
                kept = tuple((name, self._of(e)) for name, e in writes if name is not None)
                return self._number(("update", frozenset(kept)))
            case Blocked():
                return self._number(("blocked", tree.bound))
            case Fault():
                return self._number(("fault",))

    def _of(self, root: Expression) -> int:
        for node in _children_first(root, self._known):
            inner = [self._known[each] for each in parts(node)]
            match node:
                case Cell():
                    told: object = self._names.get(node.index)
                case Constant():
                    told = (node.value, node.boolean)
                case And() | Or():
                    told = frozenset(inner)
                case _:
                    told = tuple(inner)
            self._known[node] = self._number((type(node).__name__, told))
        return self._known[root]

    def _number(self, shape: object) -> int:
        return self._shapes.setdefault(shape, len(self._shapes))
