"""Keeps the parts of systems: what exploring a rule, a property or a condition gave.

A part is kept under a digest of all that it is made from: the code that it reaches (`code.py`), the
entities and variables of the system, and the tool itself. So a rule that changed is explored anew,
and its neighbours are not.
"""

from __future__ import annotations

# What JSON gives has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from finale.model.expressions import Expression
from finale.model.language.bindings import BoundRule
from finale.model.language.build import Parts
from finale.model.language.decorators import DecoratedFunction
from finale.model.language.entities import World
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.system import GroundRule, Kind, Property, System

from .code import NotCacheable, Reach, Reached, digest, of_tool
from .store import Store
from .text import Reader, Writer

T = TypeVar("T")

_ON_RULES = (Kind.ON_STEP, Kind.LEADS_TO, Kind.EVENTUALLY)


class CachedParts(Parts):
    """The parts of one system.

    `keys` are those of all its parts, in their order, or None if one of them cannot be kept.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._reach: Reach | None = None
        self._rules: bytes | None = None
        self.keys: list[bytes] | None = []

    def begin(self, protocol: Protocol, world: World) -> None:
        """Find out what the parts of a system are made from."""
        try:
            reach = Reach(protocol, world.entities[1:])
            reach.reached(set())  # all code is looked at now: later on there is nothing to refuse
        except Exception:
            self.keys = None
        else:
            self._reach = reach

    def unchecked(self, marks: Iterable[DecoratedFunction]) -> Iterable[DecoratedFunction]:
        """Return the functions that are not known to keep to the rule language."""
        if self.keys is None or self._reach is None:
            return marks
        keys = [(mark, self._key_of_check(mark)) for mark in marks]
        known = self._store.texts(key for _, key in keys)
        return [mark for mark, key in keys if key not in known]

    def checked(self, marks: Iterable[DecoratedFunction]) -> None:
        """Keep that functions keep to the rule language."""
        if self.keys is not None and self._reach is not None:
            for mark in marks:
                self._store.put(self._key_of_check(mark), "")

    def rule(self, bound: BoundRule, explore: Callable[[], GroundRule]) -> GroundRule:
        """Return a rule with its parameters bound."""

        def read(reader: Reader) -> GroundRule:
            tree, earlier, moved = reader.said
            return GroundRule(
                bound.rule,
                bound.binding,
                bound.entities,
                reader.tree(tree),
                tuple((index, reader.nodes[node]) for index, node in earlier),
                tuple((name, reader.nodes[node]) for name, node in moved),
            )

        def write(writer: Writer, rule: GroundRule) -> object:
            earlier = [[index, writer.node(node)] for index, node in rule.earlier]
            moved = [[name, writer.node(node)] for name, node in rule.moved]
            return [writer.tree(rule.tree), earlier, moved]

        said = [self._instance(), bound.rule.name, bound.binding]
        return self._part("rule", said, bound.rule.name, explore, read, write)

    def property(
        self, family: Family, rules: Sequence[GroundRule], explore: Callable[[], Property]
    ) -> Property:
        """Return a property."""

        def read(reader: Reader) -> Property:
            predicates, groups, of_rules, has_antecedent, not_asked = reader.said
            own = [reader.predicates(each) for each in groups]
            return Property(
                family.name,
                family.kind,
                family.sentence,
                family.mark.place,
                reader.predicates(predicates),
                tuple(own[each] for each in of_rules),
                family.witness,
                has_antecedent,
                not_asked,
            )

        def write(writer: Writer, made: Property) -> object:
            groups: dict[int, int] = {}
            for each in made.on_rules:
                groups.setdefault(id(each), len(groups))
            own = {groups[id(each)]: each for each in made.on_rules}
            return [
                writer.predicates(made.predicates),
                [writer.predicates(own[number]) for number in range(len(own))],
                [groups[id(each)] for each in made.on_rules],
                made.has_antecedent,
                made.not_asked,
            ]

        said: list[object] = [self._instance(), family.name, family.kind.value]
        said += [family.witness, family.of_all_ids]
        if family.kind in _ON_RULES:
            said.append(self._digest_of(rules))
        return self._part("property", said, family.mark.function, explore, read, write)

    def condition(self, name: str, explore: Callable[[], Expression]) -> Expression:
        """Return a condition that the protocol has under a name."""
        said = [self._instance(), name]

        def read(reader: Reader) -> Expression:
            number: int = reader.said
            return reader.nodes[number]

        return self._part(
            "condition", said, name, explore, read, lambda writer, node: writer.node(node)
        )

    def key_of(self, system: System) -> bytes | None:
        """Return the key of the whole system, or None if it cannot be told what it is made from."""
        if self.keys is None:
            return None
        return digest([*self.keys, [str(rule) for rule in system.rules], system.initial])

    # --- keys ------------------------------------------------------------------------------------

    def _key_of_check(self, mark: DecoratedFunction) -> bytes:
        assert self._reach is not None
        return digest(["checked", of_tool(), self._reach.own(mark.function)])

    def _instance(self) -> bytes:
        return b"" if self._reach is None else self._reach.instance

    def _digest_of(self, rules: Sequence[GroundRule]) -> bytes:
        """The digest of what a property may hear of rules."""
        if self._rules is None:
            writer = Writer()
            said = [
                [
                    each.rule.name,
                    each.binding,
                    [[index, writer.node(node)] for index, node in each.earlier],
                    [[name, writer.node(node)] for name, node in each.moved],
                ]
                for each in rules
            ]
            self._rules = digest([writer.text(said)])
        return self._rules

    def _key(
        self, kind: str, said: Sequence[object], root: Any
    ) -> tuple[Reached | None, bytes | None]:
        """What a name or function reaches, and the key of what is made of it."""
        if self._reach is None:
            return None, None
        try:
            own = self._reach.named(root) if isinstance(root, str) else self._reach.function(root)
            reached = self._reach.reached(own)
        except NotCacheable:
            return None, None
        return reached, digest([kind, of_tool(), reached.digest, *said])

    def _part(
        self,
        kind: str,
        said: Sequence[object],
        root: Any,
        explore: Callable[[], T],
        read: Callable[[Reader], T],
        write: Callable[[Writer, T], object],
    ) -> T:
        reached, key = self._key(kind, said, root)
        if reached is None or key is None:
            self.keys = None
            return explore()
        if self.keys is not None:
            self.keys.append(key)
        text = self._store.text(key)
        try:
            if text is not None:
                return read(Reader(text, reached))
            made = explore()
            writer = Writer(reached)
            self._store.put(key, writer.text(write(writer, made)))
        except NotCacheable:
            self.keys, made = None, explore()
        return made
