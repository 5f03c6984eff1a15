"""Checks the overrides of a user's protocol classes before any rule runs.

A mistake in an override is otherwise met far away: in an inherited rule, or not at all, if a helper
is misspelt and the inherited one runs in its place.
"""

from __future__ import annotations

import ast
import dis
import inspect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from types import FunctionType, ModuleType
from typing import TypeGuard, cast

from finale.model.domains import Bound, Queue, Range, Union
from finale.model.errors import FinaleError, Place
from finale.model.language.bindings import is_misspelt
from finale.model.language.decorators import mark_of
from finale.model.language.entities import Entity, Field
from finale.model.language.protocol import Protocol
from finale.model.values import Record

#: How alike the name of an unused helper and an inherited name must be.
ALIKE = 0.75


@dataclass(frozen=True)
class Member:
    """Something that the body of a class defines, and where."""

    kind: type
    name: str
    place: Place

    @property
    def value(self) -> object:
        """The value of the class under this name."""
        return vars(self.kind)[self.name]

    @property
    def bases(self) -> Sequence[type]:
        """The classes that the class inherits from, the nearest first."""
        return self.kind.__mro__[1:]

    @property
    def inherited(self) -> tuple[type, object] | None:
        """The overridden value and its class, if there is one."""
        return next(((b, vars(b)[self.name]) for b in self.bases if self.name in vars(b)), None)

    def __str__(self) -> str:
        return f"{class_name(self.kind)}.{self.name}"


@dataclass(frozen=True)
class MixedIn(Member):
    """A member of a class beside the entities: it counts in `entity`, which inherits from both."""

    entity: type

    @property
    def bases(self) -> Sequence[type]:
        """The classes that come after the member's own in the entity."""
        order = self.entity.__mro__
        return order[order.index(self.kind) + 1 :]


def class_name(kind: type) -> str:
    """Return the name of a class, without the function that makes it."""
    return kind.__qualname__.rpartition("<locals>.")[2]


def check_overrides(modules: Iterable[tuple[Path, ModuleType]]) -> None:
    """Raises `defined-twice`, `field-redeclared`, `override-differs`, `override-hides`,
    `override-misspelt` and `override-overwritten`.
    """
    sources = [(ast.parse(file.read_bytes()), file, module) for file, module in modules]
    used = used_names(tree for tree, _, _ in sources)
    for tree, file, module in sources:
        _check_once(tree, file, module)
        _check_mixins(tree, file, module)
        _check_hiding(tree, file, module)
        for member in _members_of(tree, file, module):
            _check_field(member)
            _check_method(member)
            _check_value(member)
            if member.name not in used:
                _check_spelling(member)


def changes(kind: type[Protocol], base: type[Protocol]) -> Iterator[str]:
    """The names under which a variant differs from its protocol."""
    for each in kind.__mro__:
        for name, value in vars(each).items() if each not in base.__mro__ else ():
            mark = mark_of(value)
            is_rule = mark is not None and mark.role == "rule"
            if is_rule or isinstance(value, Field) or (hasattr(base, name) and _is_said(name)):
                yield name


def _is_said(name: str) -> bool:
    return not name.startswith(("__", "_abc_")) or name == "__init__"


def _members_of(tree: ast.Module, file: Path, module: ModuleType) -> Iterator[Member]:
    """What the protocol and entity classes of a file define."""
    for node, kind in _classes(tree, module):
        if issubclass(kind, Entity):
            for name, line in _said_in(node, kind):
                yield Member(kind, name, Place(str(file), line))


def members_in(tree: ast.Module, file: Path, kind: type, entity: type) -> Iterator[Member]:
    """Return what a class of a file defines, also if a function makes the class.

    `entity` inherits from the class if this is no entity itself.
    """
    try:
        first = inspect.findsource(kind)[1] + 1
    except (OSError, TypeError):  # Python code made the class without a `class` statement
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and first == _first_line(node):
            for name, line in _said_in(node, kind):
                place = Place(str(file), line)
                if Entity in kind.__mro__:
                    yield Member(kind, name, place)
                else:
                    yield MixedIn(kind, name, place, entity)


def _first_line(node: ast.ClassDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _said_in(node: ast.ClassDef, kind: type) -> Iterator[tuple[str, int]]:
    for name, line in _defined(node.body):
        if name in vars(kind) and _is_said(name):
            yield name, line


def _defined(body: Iterable[ast.stmt]) -> Iterator[tuple[str, int]]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name):
                yield name, node.lineno
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node.lineno
            case _:
                pass


def used_names(trees: Iterable[ast.Module]) -> set[str]:
    """Return all names that some files read or call."""
    return {name for tree in trees for name in _used(tree)}


def _used(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name, ctx=ast.Load()):
                yield name
            case _:
                pass


# --- what a class says twice, and what a class beside the entities says --------------------------


def _check_once(tree: ast.Module, file: Path, module: ModuleType) -> None:
    """Python silently keeps the last one of two members of one name."""
    for node, kind in _classes(tree, module):
        seen: dict[str, int] = {}
        for name, line in _defined(node.body):
            value = vars(kind).get(name)
            if name in seen and (isinstance(value, Field) or mark_of(value) is not None):
                raise FinaleError(
                    "defined-twice",
                    f"{kind.__qualname__}.{name} is defined in line {seen[name]} already, and "
                    "only the last definition counts",
                    place=Place(str(file), line),
                    advice="rename one of the two, or leave it out",
                )
            seen[name] = line


def _check_mixins(tree: ast.Module, file: Path, module: ModuleType) -> None:
    """A field of a class that is no entity, and that an entity of the folder inherits from."""
    entities = [each for each in vars(module).values() if _is_own_entity(each, module)]
    for node, kind in _classes(tree, module):
        if Entity in kind.__mro__:
            continue
        lines = dict(_defined(node.body))
        for entity in entities:
            if kind in entity.__mro__:
                for name, line in lines.items():
                    if isinstance(vars(kind).get(name), Field):
                        _check_field(MixedIn(kind, name, Place(str(file), line), entity))


# --- what one base class hides of another --------------------------------------------------------


@dataclass(frozen=True)
class Hidden:
    """Something of the class `of` that a class hides which does not inherit from it."""

    name: str
    by: type
    of: type


def hidden_in(kind: type) -> Iterator[Hidden]:
    """What one base of an entity class hides of another one, where nothing calls `super()` for it.

    Neither base knows of the other. What the class itself defines under the name decides it.
    """
    order = [each for each in kind.__mro__ if each is not object]
    for name in dict.fromkeys(name for each in order for name in vars(each)):
        if not _is_said(name) or name == "__init__" or name in vars(kind):
            continue
        owners = [each for each in order if _is_of_rules(vars(each).get(name))]
        for by, of in pairwise(owners):
            if _is_abstract(vars(of)[name]) or of in by.__mro__ or name in _passed_on_by(by):
                continue
            after, before = vars(by)[name], vars(of)[name]
            if isinstance(after, Field) and isinstance(before, Field):
                mine, other = cast("Field[object]", after), cast("Field[object]", before)
                if _holds_as_much(mine.domain, other.domain):
                    continue
            yield Hidden(name, by, of)


def _is_of_rules(value: object) -> bool:
    return isinstance(value, Field | FunctionType | property | cached_property)


@cache
def _passed_on_by(kind: type) -> frozenset[str]:
    """The names for which a method of a class calls `super()`."""
    try:
        tree = ast.parse(dedent(inspect.getsource(kind)))
    except (OSError, TypeError, SyntaxError):
        return frozenset()
    return frozenset(
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "super"
    )


def _check_hiding(tree: ast.Module, file: Path, module: ModuleType) -> None:
    for node, kind in _classes(tree, module):
        if not issubclass(kind, Entity) or len(kind.__bases__) == 1:
            continue
        for each in hidden_in(kind):
            what = f"{each.by.__qualname__}.{each.name}"
            raise FinaleError(
                "override-hides",
                f"in {kind.__qualname__} {what} hides {each.of.__qualname__}.{each.name}, from "
                f"which {each.by.__qualname__} does not inherit",
                place=Place(str(file), node.lineno),
                advice=f"define {each.name} in {kind.__qualname__}, or call "
                f"super().{each.name}(…) in {each.by.__qualname__}",
            )


def _classes(tree: ast.Module, module: ModuleType) -> Iterator[tuple[ast.ClassDef, type]]:
    for node in tree.body:
        kind = vars(module).get(node.name) if isinstance(node, ast.ClassDef) else None
        if not isinstance(node, ast.ClassDef) or not isinstance(kind, type):
            continue
        if kind.__module__ == module.__name__:
            yield node, kind


def _is_own_entity(value: object, module: ModuleType) -> TypeGuard[type[Entity]]:
    is_entity = isinstance(value, type) and issubclass(value, Entity)
    return is_entity and value.__module__ == module.__name__


# --- fields --------------------------------------------------------------------------------------


def _check_field(member: Member) -> None:
    inherited = member.inherited
    owner, before = inherited or (member.kind, None)
    after = cast("Field[object] | None", member.value)
    if isinstance(before, Field):
        declared = cast("Field[object]", before)
        if (
            isinstance(after, Field)
            and declared.ghost == after.ghost
            and _holds_as_much(after.domain, declared.domain)
        ):
            return
        raise _redeclared(member, f"the field that {owner.__qualname__} declares otherwise")
    if not isinstance(after, Field):
        return
    if inherited is not None:
        raise _redeclared(member, f"{owner.__qualname__}.{member.name}, which is no field")
    for base in member.bases:
        if member.name in _assigned_in(base):
            raise _redeclared(member, f"what {base.__qualname__}.__init__ assigns")


def _holds_as_much(after: object, before: object) -> bool:
    """Whether a field of one domain can hold what one of another can; of a queue: the elements."""
    if isinstance(after, Queue) and isinstance(before, Queue):
        held, held_before = cast("Queue[object]", after), cast("Queue[object]", before)
        return _holds_as_much(held.element, held_before.element)
    if isinstance(after, Union) and isinstance(before, Union):
        one, other = cast("Union[Record]", after), cast("Union[Record]", before)
        return set(one.kinds) >= set(other.kinds)
    if isinstance(after, Range) and isinstance(before, Range):
        return _reaches(before.low, after.low) and _reaches(after.high, before.high)
    return after == before


def _reaches(end: int | Bound, other: int | Bound) -> bool:
    """Whether an end of a range is at least another; of two bounds only the same is known to be."""
    if isinstance(end, int) and isinstance(other, int):
        return end >= other
    return end == other


def _assigned_in(base: type) -> set[str]:
    """Return the attributes that the `__init__` of a class assigns."""
    made = vars(base).get("__init__")
    if not isinstance(made, FunctionType):
        return set()
    own = made.__code__.co_varnames[0]
    steps = pairwise(dis.get_instructions(made))
    return {e.argval for on, e in steps if e.opname == "STORE_ATTR" and _is_last(own, on.argval)}


def _is_last(name: str, loaded: object) -> bool:
    """Whether an instruction has loaded a name last: newer Pythons load two in one."""
    names = cast("tuple[object, ...]", loaded) if isinstance(loaded, tuple) else (loaded,)
    return names[-1] == name


def _redeclared(member: Member, what: str) -> FinaleError:
    return FinaleError(
        "field-redeclared",
        f"{member} takes the place of {what}: inherited rules expect the inherited field",
        place=member.place,
        advice="give the new field a name of its own; an inherited one may start with another "
        "value, and an inherited queue or range may hold more",
    )


# --- methods -------------------------------------------------------------------------------------


def _check_method(member: Member) -> None:
    if member.inherited is None or member.name == "__init__":
        return
    base, before = member.inherited
    after = member.value
    wanted, given = _signature(before), _signature(after)
    what = f"{base.__qualname__}.{member.name}"
    if wanted is None:
        if _is_computed(before) and given is not None:
            raise _differs(member, f"{member} is called, and {what} is read without a call")
    elif given is None:
        if _is_computed(after) or not (callable(after) or hasattr(after, "__get__")):
            raise _differs(member, f"{member} cannot be called, and {what} is")
    elif _is_rule(after) and not _is_rule(before) and not _is_abstract(before):
        raise FinaleError(
            "override-differs",
            f"{member} is a rule, and {what} is a helper that other rules call",
            place=member.place,
            advice="override a helper by a helper, marked as the inherited one is; give the rule "
            "a name of its own",
        )
    elif _is_rule(after):
        if _is_rule(before) and len(given.parameters) < len(wanted.parameters):
            raise _differs(member, f"{member}{given} has fewer parameters than {what}{wanted}")
    elif not _takes_all(given, wanted):
        raise _differs(member, f"{member}{given} cannot be called as {what}{wanted} is")
    elif _are_exchanged(given, wanted):
        raise _differs(
            member, f"{member}{given} has the parameters of {what}{wanted} in another order"
        )


def _differs(member: Member, message: str) -> FinaleError:
    return FinaleError(
        "override-differs",
        message,
        place=member.place,
        advice="override a method by a method, with the parameters of the inherited one; further "
        "ones need a default",
    )


def _is_computed(value: object) -> bool:
    return isinstance(value, property | cached_property)


def _signature(value: object) -> inspect.Signature | None:
    """The parameters of a method, and None of what is none."""
    mark = None if _is_computed(value) else mark_of(value)
    function = value if mark is None else mark.function
    return inspect.signature(function) if isinstance(function, FunctionType) else None


def _is_rule(value: object) -> bool:
    mark = mark_of(value)
    return mark is not None and mark.role == "rule"


def _is_abstract(value: object) -> bool:
    return bool(getattr(value, "__isabstractmethod__", False))


def _takes_all(given: inspect.Signature, wanted: inspect.Signature) -> bool:
    """Whether a function can be called as another one: with all that one takes, and with least."""
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    at_place = [each for each in wanted.parameters.values() if each.kind in places]
    by_name = [e for e in wanted.parameters.values() if e.kind is inspect.Parameter.KEYWORD_ONLY]
    for only_needed in (False, True):
        asked = [each for each in at_place if not only_needed or each.default is each.empty]
        named = [each for each in by_name if not only_needed or each.default is each.empty]
        try:
            given.bind(*asked, **{each.name: each for each in named})
        except TypeError:
            return False
    return True


def _are_exchanged(given: inspect.Signature, wanted: inspect.Signature) -> bool:
    """Whether two functions have parameters of the same names at different places.

    The base's callers give arguments by place, so each argument would come under a wrong name.
    """
    mine, theirs = list(given.parameters), list(wanted.parameters)
    shared = set(mine) & set(theirs)
    return [n for n in mine if n in shared] != [n for n in theirs if n in shared]


def _check_value(member: Member) -> None:
    """What an inherited `__init__` replaces in each object, or, where it is computed, cannot;
    and a plain value in the place of another kind of value."""
    value = member.value
    if isinstance(value, Field) or (isinstance(value, property) and value.fset):
        return
    for base in member.bases:
        if member.name in _assigned_in(base):
            raise FinaleError(
                "override-overwritten",
                f"{base.__qualname__}.__init__ assigns {member.name}, so {member} is never read",
                place=member.place,
                advice="set the option that it is made of, or assign it in an __init__ of your own "
                "after super().__init__(setting)",
            )
    if _is_set_by_option(member):
        raise FinaleError(
            "override-overwritten",
            f"the option {member.name} sets {member.name}, so {member} is never read",
            place=member.place,
            advice="set the option, or assign it in an __init__ of your own after "
            "super().__init__(setting)",
        )
    if member.inherited is not None and not _can_replace(value, member.inherited[1]):
        base, before = member.inherited
        raise FinaleError(
            "override-differs",
            f"{member} is not of the kind of {base.__qualname__}.{member.name}, "
            f"which is {_kind_of(before)}",
            place=member.place,
            advice="give it a value of the inherited kind; give a method a name of its own",
        )


def _is_set_by_option(member: Member) -> bool:
    """Whether an inherited attribute has its value from an option: see `Protocol`."""
    if member.inherited is None or not issubclass(member.kind, Protocol):
        return False
    offered = {each.name for each in fields(member.kind.Options)}
    return member.name in offered and not hasattr(member.inherited[1], "__get__")


def _can_replace(after: object, before: object) -> bool:
    """Whether a value of a class can stand where an inherited one is read; methods aside."""
    if isinstance(before, Field) or before is None or hasattr(before, "__get__"):
        return True
    if isinstance(after, property | cached_property):
        return True
    if is_dataclass(before):
        names = {each.name for each in fields(before)}
        return is_dataclass(after) and names <= {each.name for each in fields(after)}
    return isinstance(after, type(before))


def _kind_of(value: object) -> str:
    return "a class with other fields" if is_dataclass(value) else f"a {type(value).__name__}"


# --- names ---------------------------------------------------------------------------------------


def _check_spelling(member: Member) -> None:
    """A member that overrides nothing, that nothing uses, and that is called almost as another."""
    if member.inherited is not None or _is_rule(member.value):
        return  # rules run by themselves: they have a check of their own
    names = {name for base in member.bases for name in vars(base) if _is_said(name)}
    names -= set(vars(member.kind))
    meant = next((name for name in sorted(names) if is_misspelt(member.name, name)), None)
    near = get_close_matches(member.name, sorted(names), n=1, cutoff=ALIKE)
    if meant is None and not near:
        return
    meant = meant or near[0]
    raise FinaleError(
        "override-misspelt",
        f'{member} overrides nothing, and nothing uses it; "{meant}", which is inherited, stays',
        place=member.place,
        advice=f'to override that one, call it "{meant}"; else use the new one, or leave it out',
    )
