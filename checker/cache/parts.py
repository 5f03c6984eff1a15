"""Keeps the parts of systems: what exploring a rule, a property or a condition gave.

A part is kept under a digest of all that it is made from. If it reaches code of Finale's alone,
that is the code that it reaches (`code.py`), the entities and variables of the system, and the tool
itself. So a rule that changed is explored anew, and its neighbours are not. A part that reaches a
user's code is kept under the digest of all of this code (`user_code.py`).
"""

from __future__ import annotations

# What JSON gives has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
import marshal
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from finale.model.expressions import Expression
from finale.model.language.bindings import BoundRule
from finale.model.language.build import Parts
from finale.model.language.decorators import DecoratedFunction
from finale.model.language.entities import World
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.system import GroundRule, Property, System

from .code import (
    CHANGING,
    NotCacheable,
    Reach,
    Reached,
    digest,
    is_of_model,
    of_checker,
    of_finale,
    of_setting,
    of_tool,
)
from .store import Store
from .text import Reader, Writer
from .user_code import UserCode

T = TypeVar("T")


class CachedParts(Parts):
    """The parts of one system.

    `code` is that of the user's folder, and `named` says by which names its protocol is found.
    `keys` are those of all parts, in their order, or None if one of them cannot be kept.
    """

    def __init__(
        self, store: Store, code: UserCode | None = None, named: Sequence[object] = ()
    ) -> None:
        self._store, self._code, self._named = store, code, named
        self._reach: Reach | None = None
        self._of_users: bytes | None = None
        self._runs_users = False
        self._rules: bytes | None = None
        self._made: dict[bytes, str] = {}
        self._key_of_code = None if code is None else code.key()
        self.keys: list[bytes] | None = []

    def begin(self, protocol: Protocol, world: World) -> None:
        """Find out what the parts of a system are made from."""
        if self._code is None or (_has_own(protocol) and self._code.leaves_finale_as_it_is()):
            try:
                reach = Reach(protocol, world.entities[1:])
                reach.finish()  # all code is looked at now: later on there is nothing to refuse
            except Exception as error:
                if self._code is None and not isinstance(error, NotCacheable):
                    raise
            else:
                self._reach = reach
        self._runs_users = not is_of_model(type(protocol).__module__)
        if self._code is not None and self._key_of_code is not None:
            said = (*self._named, of_setting(protocol.setting))
            self._of_users = digest([of_tool(), self._key_of_code, *said])

    def end(self) -> None:
        """Put what was explored into the store, if the keys still say what it is made from."""
        if self._code is not None:
            is_same = self._code.key() == self._key_of_code
            if self._runs_users and self._reach is not None:
                is_same = is_same and self._code.leaves_finale_as_it_is()
            if self._made and not is_same:
                self._made, self.keys = {}, None
        for key, text in self._made.items():
            self._store.put(key, text)
        self._store.flush()

    def unchecked(self, marks: Iterable[DecoratedFunction]) -> Iterable[DecoratedFunction]:
        """Return the functions that are not known to keep to the rule language."""
        keys = [(mark, self._key_of_check(mark)) for mark in marks]
        known = self._store.texts(key for _, key in keys if key is not None)
        return [mark for mark, key in keys if key not in known]

    def checked(self, marks: Iterable[DecoratedFunction]) -> None:
        """Keep that functions keep to the rule language."""
        for mark in marks:
            key = self._key_of_check(mark)
            if key is not None:
                self._made[key] = ""

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

        said = [bound.rule.name, bound.binding]
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

        said: list[object] = [family.name, family.kind.value]
        said += [family.witness, family.of_all_ids]
        if family.kind.is_of_steps or family.kind.is_liveness:
            said.append(self._digest_of(rules))
        return self._part("property", said, family.mark.function, explore, read, write)

    def condition(self, name: str, explore: Callable[[], Expression]) -> Expression:
        """Return a condition that the protocol has under a name."""

        def read(reader: Reader) -> Expression:
            number: int = reader.said
            return reader.nodes[number]

        return self._part(
            "condition", [name], name, explore, read, lambda writer, node: writer.node(node)
        )

    def key_of(self, system: System) -> bytes | None:
        """Return the key of the whole system, or None if it cannot be told what it is made from."""
        if self.keys is None:
            return None
        return digest([*self.keys, [str(rule) for rule in system.rules], system.initial])

    def was_compared(self, system: System) -> bool:
        """Return whether a system's rules and each of its properties were compared before."""
        keys = self._keys_of_comparison(system)
        return bool(keys) and len(self._store.texts(keys)) == len(set(keys))

    def compared(self, system: System) -> None:
        """Keep that a system was compared with plain Python."""
        for key in self._keys_of_comparison(system):
            self._store.put(key, "")
        self._store.flush()

    # --- keys ------------------------------------------------------------------------------------

    def _keys_of_comparison(self, system: System) -> list[bytes]:
        """The keys of the rules together, and of each property; none if one cannot be kept."""
        if self.keys is None:
            return []
        rules = len(self.keys) - len(system.properties)
        own = digest(["compared", of_finale(), of_checker(), *self.keys[:rules], system.initial])
        return [own, *(digest([own, each]) for each in self.keys[rules:])]

    def _key_of_check(self, mark: DecoratedFunction) -> bytes | None:
        if self._reach is not None:
            with suppress(NotCacheable):
                return digest(["checked", of_tool(), self._reach.own(mark.function)])
        if self._of_users is None or self._code is None:
            return None
        own = marshal.dumps(mark.function.__code__)
        return digest(["checked", self._of_users, self._code.name_of(mark.function), own])

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
        """What a name or function reaches, if all of it is known, and the key of what is made."""
        if self._reach is not None:
            with suppress(NotCacheable):
                named = isinstance(root, str)
                own = self._reach.named(root) if named else self._reach.function(root)
                reached = self._reach.reached(own)
                instance = self._reach.instance
                return reached, digest([kind, of_tool(), instance, reached.digest, *said])
        if self._of_users is None or self._code is None:
            return None, None
        self._runs_users = True
        where = root if isinstance(root, str) else self._code.name_of(root)
        return None, digest([kind, self._of_users, where, *said])

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
        if key is None:
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
            self._made[key] = writer.text(write(writer, made))
        except NotCacheable:
            self.keys, made = None, explore()
        return made


def _has_own(protocol: Protocol) -> bool:
    """Whether code of Finale's own protocols may be among a protocol's."""
    return any(kind.__module__.startswith(CHANGING) for kind in type(protocol).__mro__)
