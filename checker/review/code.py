"""Says what a change defines: the methods and the values of its classes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import cast

from finale.checker.spec.overriding import Member, members_in
from finale.model.language.decorators import mark_of
from finale.model.language.entities import Entity, Field
from finale.model.language.protocol import Protocol


@dataclass(frozen=True)
class ChangedMember:
    """A method that the change defines: `rule`, `helper` or `method`, and the lines of its body.

    `overrides` is the class whose member it takes the place of, if there is one. `acts` says that
    it is a rule or a step: its lines count if the whole rule is taken.
    """

    member: Member
    role: str
    acts: bool
    code: CodeType
    body: tuple[ast.stmt, ...]

    @property
    def overrides(self) -> type | None:
        """The class that has the inherited member."""
        inherited = self.member.inherited
        return None if inherited is None else inherited[0]

    @property
    def file(self) -> str:
        """The file."""
        return str(self.member.place.file)


@dataclass(frozen=True)
class ChangedCode:
    """All that a change defines: its methods, and its other members (fields, values)."""

    methods: tuple[ChangedMember, ...]
    values: tuple[Member, ...]

    @property
    def files(self) -> frozenset[str]:
        """The files that the change is in."""
        return frozenset(str(each.place.file) for each in self.members)

    @property
    def members(self) -> tuple[Member, ...]:
        """All members, in the order of their places."""
        every = [*(each.member for each in self.methods), *self.values]
        return tuple(sorted(every, key=lambda each: (str(each.place.file), each.place.line or 0)))


def changed_code(variant: type[Protocol] | None, base: type[Protocol]) -> ChangedCode:
    """Return what the variant's classes define, and those of its entities beside them."""
    if variant is None:
        return ChangedCode((), ())
    kinds = [kind for kind in variant.__mro__ if kind not in base.__mro__]
    modules = [sys.modules[name] for name in dict.fromkeys(kind.__module__ for kind in kinds)]
    trees = {module.__name__: ast.parse(_file(module).read_bytes()) for module in modules}
    kinds += _entities(modules, kinds, base, trees.values())
    methods, values = list[ChangedMember](), list[Member]()
    for module in modules:
        tree = trees[module.__name__]
        functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
        bodies = {each.lineno: tuple(each.body) for each in functions}
        for kind in kinds:
            if kind.__module__ != module.__name__:
                continue
            for member in members_in(tree, _file(module), kind, variant):
                body = bodies.get(member.place.line or 0)
                function = function_of(member.value)
                if body is not None and function is not None:
                    role, acts = _role(member.value)
                    methods.append(ChangedMember(member, role, acts, function.__code__, body))
                elif member.inherited or isinstance(member.value, Field | cached_property):
                    values.append(member)
    methods.sort(key=lambda each: (each.file, each.member.place.line or 0))
    return ChangedCode(tuple(methods), tuple(values))


def _file(module: ModuleType) -> Path:
    return Path(str(module.__file__))


def function_of(value: object) -> FunctionType | None:
    """Return the function of a member: of a rule, a helper, a property or a method."""
    mark = mark_of(value)
    function: object = value if mark is None else mark.function
    function = function.fget if isinstance(function, property) else function
    if isinstance(function, staticmethod | classmethod):
        function = cast("staticmethod[..., object]", function).__func__
    return function if isinstance(function, FunctionType) else None


def _role(value: object) -> tuple[str, bool]:
    """The role of a member, and whether it acts."""
    mark = mark_of(value)
    if mark is None:
        return "method", False
    return "rule" if mark.role == "rule" else "helper", mark.role in ("rule", "step")


# --- the entities of a change --------------------------------------------------------------------


def _entities(
    modules: Iterable[ModuleType],
    kinds: Iterable[type],
    base: type[Protocol],
    trees: Iterable[ast.Module],
) -> Iterator[type]:
    """The classes of entities that the change names, and those that nothing in its files names:
    the change may have forgotten these. The others are of another variant, or of the protocol."""
    uses = _uses(trees)
    of_change, of_base = _named(kinds, uses), _named(base.__mro__, uses)
    others = {used for name, names in uses.items() for used in names if used != name}
    for module in modules:
        is_of_base = any(kind.__module__ == module.__name__ for kind in base.__mro__)
        for name, kind in vars(module).items():
            if not isinstance(kind, type) or kind.__module__ != module.__name__:
                continue
            if issubclass(kind, Protocol) or not issubclass(kind, Entity) or name in of_base:
                continue
            if name in of_change or not (is_of_base or name in others):
                yield kind


def _uses(trees: Iterable[ast.Module]) -> Mapping[str, set[str]]:
    """The names that each definition of some files uses."""
    uses: dict[str, set[str]] = {}
    for node in (node for tree in trees for node in tree.body):
        names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
        used = {each.id for each in names if isinstance(each.ctx, ast.Load)}
        made = {each.id for each in names} - used
        for name in {node.name} if isinstance(node, ast.ClassDef | ast.FunctionDef) else made:
            uses.setdefault(name, set()).update(used)
    return uses


def _named(kinds: Iterable[type], uses: Mapping[str, set[str]]) -> set[str]:
    """All names that the definitions of some classes use, and that these use in turn."""
    found = set[str]()
    left = [kind.__qualname__.partition(".")[0] for kind in kinds]
    while left:
        name = left.pop()
        if name in uses and name not in found:
            found.add(name)
            left += uses[name]
    return found


__all__ = ["ChangedCode", "ChangedMember", "changed_code"]
