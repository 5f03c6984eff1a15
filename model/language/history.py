"""Refuses rules that read history, so that what is recorded changes no verdict.

History is a field whose `ghost` is a switch of `[observe]`, and each field of an entity that is
there only if something is observed, as sinks are. A rule may write history, and count on with what
it has written. What the rule does otherwise, and when, may not depend on history, nor on what is
kept. Both are seen on the finished trees of the rules. For the second they are compared with those
of the same protocol without any observation, and with as much as it can have. Only rules of a user
are looked at; a test looks at those of Finale.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from functools import cache
from types import FunctionType
from typing import cast

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
    bare = _observing(protocol, frozenset())
    lasting = {each.name for each in bare.entities()} if bare is not None else set[str]()
    kept = [
        variable
        for variable in world.variables
        if variable.ghost in protocol.ghosts
        or (bare is not None and variable.entity.name not in (*lasting, protocol.name))
    ]
    history = {index: variable.name for variable in kept for index in variable.indices}
    names = {variable.field for variable in kept}

    def mentions(function: FunctionType) -> bool:
        return is_of_user(function) and not names.isdisjoint(all_mentioned(function))

    reads, code = _Reads(history), CodeByName.of(world)
    for rule in rules if history else ():
        if not code.is_reached_from(code.functions[rule.rule.name], mentions):
            continue  # Finale's own rules read history only to go on with it
        name = reads.of_tree(rule.tree)
        if name is not None:
            raise _error(rule, f"depends on {name}, which is history")


@dataclass(frozen=True)
class Otherwise:
    """The same protocol under another observation, and the names by which a rule can tell."""

    protocol: Protocol
    names: frozenset[str]

    @property
    def words(self) -> str:
        """Which observation it is."""
        kept = ", ".join(sorted(self.protocol.setting.observe))
        return f"[observe] keeps {kept}" if kept else "[observe] keeps no history"


def otherwise(protocol: Protocol) -> Iterator[Otherwise]:
    """Yield the protocol under other observations, if code of a user may tell them apart.

    One observes nothing, and one observes all that the protocol can keep in its setting.
    """
    observed = protocol.setting.observe
    most = observed
    for ghost in protocol.ghosts:
        if ghost not in most and _observing(protocol, most | {ghost}) is not None:
            most |= {ghost}
    mentioned = _mentioned_by_user(protocol)
    for each in dict.fromkeys((frozenset[str](), most)):
        other = None if each == observed else _observing(protocol, each)
        if other is None:
            continue
        names = ASKS_WHETHER | _that_differ(protocol, other)
        if not names.isdisjoint(mentioned):
            yield Otherwise(other, names)


def _observing(protocol: Protocol, observe: frozenset[str]) -> Protocol | None:
    """The protocol with another `[observe]`; None if it cannot have that."""
    try:
        return type(protocol)(replace(protocol.setting, observe=observe))
    except FinaleError:
        return None


def _that_differ(protocol: Protocol, other: Protocol) -> frozenset[str]:
    """The plain attributes by which entities differ: there or not, how many, another value."""
    pairs = {each.name: each for each in (other, *other.entities())}
    found = set[str]()
    for entity in (protocol, *protocol.entities()):
        mine, its = vars(entity), vars(pairs.get(entity.name, entity))
        found |= {
            name for name in mine.keys() | its.keys() if _kind(mine, name) != _kind(its, name)
        }
    return frozenset(found)


def _kind(attributes: Mapping[str, object], name: str) -> object:
    """What a rule could tell of a plain attribute, without a look into it."""
    value = attributes.get(name)
    size = len(cast("Sized", value)) if isinstance(value, tuple | list | dict | frozenset) else None
    return type(value), value if isinstance(value, bool | int | str) else None, size


def _mentioned_by_user(protocol: Protocol) -> frozenset[object]:
    """The names and texts in the functions of the user's files."""
    kinds = {type(each) for each in (protocol, *protocol.entities())}
    return frozenset(
        _name_in(node)
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
    under: Otherwise,
    build: Callable[[Protocol], tuple[World, Sequence[GroundRule]]],
) -> None:
    """Refuse rules that do something else under another observation. Raises `rule-reads-history`.

    `build` returns the rules of another protocol. Code that needs history is refused there by
    itself (`not-observed`), so that it never gives two verdicts.
    """
    other = under.protocol
    try:
        other_world, others = build(other)
    except FinaleError as error:
        if error.code == "not-observed":
            return
        raise
    code = CodeByName.of(world)

    def asks(function: FunctionType) -> bool:
        return is_of_user(function) and not under.names.isdisjoint(all_mentioned(function))

    @cache
    def may_ask(name: str) -> bool:
        return code.is_reached_from(code.functions[name], asks)

    lasting = {each.name for each in world.entities} & {each.name for each in other_world.entities}
    shapes: dict[object, int] = {}
    here = _Shapes(protocol, world, shapes, lasting)
    there = _Shapes(other, other_world, shapes, lasting)
    known = {(each.rule.name, each.binding): there.of_tree(each.tree) for each in others}
    for rule in rules:
        other_tree = known.pop((rule.rule.name, rule.binding), None)
        if may_ask(rule.rule.name) and other_tree != here.of_tree(rule.tree):
            raise _error(rule, f"does something else if {under.words}")
    for each in others:
        if (each.rule.name, each.binding) in known and may_ask(each.rule.name):
            raise _error(each, f"can be taken only if {under.words}")


def _error(rule: GroundRule, what: str) -> FinaleError:
    bound = ", ".join(text for _, text in rule.binding)
    place = replace(rule.rule.place, rule=rule.rule.name)
    return FinaleError(
        "rule-reads-history",
        f"{rule.rule.name}({bound}) {what}",
        place=place,
        advice="let properties read history, and rules only write it; keep what a rule needs in a "
        "field without ghost; a vertex says whether it is a sink: task.subtask.vertex.is_sink",
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

    def __init__(
        self, protocol: Protocol, world: World, shapes: dict[object, int], lasting: Container[str]
    ) -> None:
        self._names = {
            index: (variable.name, place)
            for variable in world.variables
            if variable.ghost not in protocol.ghosts and variable.entity.name in lasting
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
