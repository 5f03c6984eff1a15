"""Guards the layout of a system: a rule may not read what differs between a layout and a run.

A proof lays out a few entities that stand for any number of them, and a search with ids that are
given again lays out a few ids. The numbers, names, places and counts of these entities are those of
the layout. A rule that reads one of them says something about the layout, and not about every run.

Within `guarding` every plain value that code reads of an entity is looked at. Three things may be
read: what is the same in every run (`Same`), what a function of Finale reads for a reason
(`Reader`), and many entities one by one (`Many`), which code gets as `LaidOut`. All else is refused
(`reads-layout`). The fields of entities are the state, and are not guarded.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NoReturn, TypeVar, cast

from finale.model.domains import Domain, Scope
from finale.model.errors import FinaleError, Place

from .decorators import mark_of
from .entities import Entity, Field, World, fields_of
from .explore import current, exploring
from .guards import Limit
from .instrumenting import NAME
from .loops import keeps_rounds_apart
from .path_ends import is_inner
from .simple_code import guard as guard_calls
from .simple_code import refuse_other_code
from .syntax import check_reader

T = TypeVar("T")

READS_LAYOUT = "reads-layout"
SHOWN_MAX = 60
"""Of a value in a message so many characters are shown."""
_PACKAGE = str(Path(__file__).parents[2]) + "/"
_RULES = f"{_PACKAGE}model/"
_PROTOCOLS = f"{_RULES}protocols/"
_LIBRARY = str(Path(dis.__file__).parent) + "/"
_OWN = frozenset({"variables", "_world", "_without", "_changed", "__dict__", "name", "setting"})
"""What the language itself reads of an entity."""
_OF_CLASS = frozenset({"__class__", "__dict__", "world"})
"""What is not kept by the entity, and answers for it all the same."""
_SHOWN = frozenset({"__str__", "__repr__"})
_ASKS_KIND = frozenset({"is_instance"})


# --- the closed list -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Same:
    """Plain values that every run has as the layout has them, so that any code may read them."""

    of: str
    names: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class Reader:
    """A function of Finale that reads plain values of the layout, and why this is sound.

    `function` is its module below `model/protocols` (or `model`), a colon and its name. If the
    function `answers` by such a value, only functions of Finale may call it.
    """

    function: str
    names: tuple[str, ...]
    why: str
    answers: bool = False


@dataclass(frozen=True)
class Many:
    """Entities that stand for others: code may look at each of them, and not at their number."""

    of: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class LayoutGuard:
    """What may be read of a layout. `what` says which layout it is, in a message."""

    what: str
    same: Sequence[Same]
    readers: Sequence[Reader]
    many: Sequence[Many]
    bounds: Collection[str] | None
    """The bounds that differ in a run; None for all of them."""
    kinds: bool = False
    """Whether a run has entities of other kinds."""
    fixed: Mapping[str, str] = field(default_factory=dict[str, str])
    """The members that no protocol of a user may have, and what each of them does."""
    forgets: str = ""
    """The class whose entities are forgotten: then rules of Finale are known to be right."""

    def is_same(self, entity: Entity, name: str) -> bool:
        """Return whether a value is the same in every run."""
        return name in _names_of(self.same, type(entity))

    def is_many(self, entity: Entity, name: str) -> bool:
        """Return whether a value is the entities that stand for others."""
        return name in _names_of(self.many, type(entity))

    def is_bound(self, name: str) -> bool:
        """Return whether a run may have another number of this name."""
        return self.bounds is None or name in self.bounds

    def reader(self, function: str, name: str) -> Reader | None:
        """Return the entry that lets a function read a value."""
        return next(
            (each for each in self.readers if each.function == function and name in each.names),
            None,
        )


def _names_of(entries: Sequence[Same] | Sequence[Many], kind: type) -> frozenset[str]:
    return _names_known(tuple(entries), kind)


@cache
def _names_known(entries: tuple[Same | Many, ...], kind: type) -> frozenset[str]:
    """The names that entries have for a class, or for one of its bases in Finale."""
    known = {base.__name__ for base in kind.__mro__ if base.__module__.startswith("finale.")}
    return frozenset(name for each in entries if each.of in known for name in each.names)


# --- who reads -----------------------------------------------------------------------------------


def _reader_of(frame: FrameType | None) -> FrameType:
    """The nearest frame that is neither of the language nor of Python's library."""
    assert frame is not None
    while frame.f_back is not None and _is_between(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


@cache
def _is_between(file: str) -> bool:
    is_library = file.startswith(_LIBRARY) and "site-packages" not in file
    return is_inner(file) or is_library or file.startswith("<frozen")


@cache
def _is_rule_of_finale(file: str) -> bool:
    return file.startswith(_RULES) and not is_inner(file)


@cache
def _is_machinery(file: str) -> bool:
    """Whether a file is of Finale, but not of its rules and properties."""
    return file.startswith(_PACKAGE) and not file.startswith(_RULES)


def _is_of_finale(file: str) -> bool:
    return file.startswith(_PACKAGE) or _is_between(file)


@cache
def function_of(code: CodeType) -> str:
    """Return the function that code is part of: its module below `model/protocols`, and its name.

    The rewritten code of a marked function is within a factory; lambdas and comprehensions are part
    of the function that they stand in.
    """
    parts = [p for p in code.co_qualname.split(".") if p[0] != "<" and p != "_factory"]
    while len(parts) > 1 and parts[0].lstrip("_")[:1].isupper():
        del parts[0]
    file = code.co_filename.removeprefix(_PROTOCOLS).removeprefix(_RULES)
    module = file.removesuffix(".py").replace("/", ".")
    return f"{module}:{parts[0] if parts else code.co_name}"


def refuse_count(what: str) -> None:
    """Refuse to count what stands for others. Raises `reads-layout`, but for a listed reader."""
    frame = _reader_of(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
    while _is_machinery(frame.f_code.co_filename) and frame.f_back is not None:
        frame = _reader_of(frame.f_back)
    if _guard is not None and _guard.reader(function_of(frame.f_code), "count") is None:
        _refuse(frame, "a count of entities", what)


def _refuse(frame: FrameType, what: str, shown: object) -> NoReturn:
    global _guard  # noqa: PLW0603 - the message may look at what a rule may not
    guard, _guard = _guard, None
    try:
        text = repr(shown)
    finally:
        _guard = guard
    assert guard is not None
    raise FinaleError(
        "reads-layout",
        f"{frame.f_code.co_qualname.replace('_factory.<locals>.', '')} reads {what}, "
        f"here {text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + '…'}: {guard.what}",
        place=Place(frame.f_code.co_filename, frame.f_lineno),
        advice="compare entities with == and <, and ask all(...) or any(...) of them in a helper "
        "that is marked; docs/proofs.md lists what a rule may read of a layout",
    )


# --- reading -------------------------------------------------------------------------------------

_guard: LayoutGuard | None = None
#: The file through which instrumented code calls functions.
_CALLS = str(Path(__file__).with_name("refusals.py"))
#: Where the language itself asks a protocol.
_BUILDS = str(Path(__file__).with_name("build.py"))


def is_foreign(kinds: Iterable[type]) -> bool:
    """Return whether a class, or one that it is derived from, is not Finale's."""
    return bool(foreign_files(kinds))


def foreign_files(kinds: Iterable[type]) -> list[str]:
    """Return the files of classes that are not Finale's."""
    bases = dict.fromkeys(base for kind in kinds for base in kind.__mro__)
    modules = {base.__module__: None for base in bases if not _is_known(base.__module__)}
    return [file for name in modules if (file := getattr(sys.modules.get(name), "__file__", None))]


def _is_known(module: str) -> bool:
    return module.partition(".")[0] in {"finale", *sys.stdlib_module_names}


def refuse_unguarded(
    world: World, guard: LayoutGuard, functions: Iterable[Callable[..., object]] = ()
) -> None:
    """Refuse code and fields of a user that can depend on a layout and do not ask an entity.

    A guard cannot see that. `functions` are code beside that of the entities. Raises
    `reads-layout`.
    """
    functions = tuple(functions)
    kinds = {type(each) for each in world.entities}
    fields_known = frozenset(each.name for kind in kinds for each in fields_of(kind))
    refuse_other_code(kinds, functions, fields_known)
    protocol = type(world.entities[0])
    _refuse_own(protocol, guard)
    _refuse_bounded(world, guard)
    if guard.forgets:
        _refuse_several(world, guard, functions)
        laid_out: Any = world.entities[0]
        type(laid_out)(laid_out.setting)  # refuses what it may not read while it is made


def _refuse_own(protocol: type, guard: LayoutGuard) -> None:
    """Refuse members of a user's protocol: what they rest on, or lead to, cannot be seen."""
    for base in protocol.__mro__:
        for name in vars(base).keys() & guard.fixed if not _is_known(base.__module__) else ():
            own = vars(base)[name]
            code = getattr(own.fget if isinstance(own, property) else own, "__code__", None)
            raise FinaleError(
                "reads-layout",
                f"{base.__name__}.{name} {guard.fixed[name]}: {guard.what}",
                place=Place(code.co_filename, code.co_firstlineno) if code else None,
                advice=f"leave {name} out; bound fields by numbers, or by names that stand under "
                "[bounds]",
            )


def _refuse_several(
    world: World, guard: LayoutGuard, functions: Iterable[Callable[..., object]]
) -> None:
    """Refuse rules and properties of a user about several entities that can be forgotten.

    One of them may be forgotten before the others do what the rule waits for.
    """
    lost = {
        type(e) for e in world.entities if guard.forgets in {b.__name__ for b in type(e).__mro__}
    }
    bases = {base: None for each in world.entities for base in type(each).__mro__}
    own = (vars(base).values() for base in bases if not _is_known(base.__module__))
    for mark in map(mark_of, (*functions, *(value for values in own for value in values))):
        if mark is None or _is_known(mark.function.__module__) or mark.role in ("define", "step"):
            continue
        count = sum(_can_be(hint, lost, world.scope) for hint in mark.hints.values())
        if count > 1:
            raise FinaleError(
                "reads-layout",
                f"{mark.function.__name__} is about {count} entities that can be forgotten: "
                f"{guard.what}",
                place=mark.place,
                advice="give the bound checkpoints in place of live_checkpoints",
            )


def _can_be(hint: Any, kinds: Collection[type], scope: Scope) -> bool:
    """Whether a parameter with an annotation can be of a class."""
    if isinstance(hint, type):
        return any(issubclass(kind, hint) for kind in kinds)
    given = (each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Domain))
    return any(type(value) in kinds for each in given for value in each.resolve(scope).values())


def _refuse_bounded(world: World, guard: LayoutGuard) -> None:
    """Refuse fields and parameters of a user that are bounded by what a run need not have.

    In the layout a counter would never pass the bound of the layout.
    """
    known = world.scope
    others = Scope({n: b + guard.is_bound(n) for n, b in known.bounds.items()}, known.entities)
    for variable in world.variables:
        kind = type(variable.entity)
        declared: Field[Any] = getattr(kind, variable.field)
        owner = next(base for base in kind.__mro__ if variable.field in vars(base))
        if not _is_known(owner.__module__) and declared.domain.resolve(others) != variable.domain:
            raise _bounded(f"the values of {variable.name}", guard, declared.place)
    bases = {base: None for each in world.entities for base in type(each).__mro__}
    own = (vars(base).values() for base in bases if not _is_known(base.__module__))
    for mark in (mark_of(value) for values in own for value in values):
        for name, domain in mark.domains if mark is not None else ():
            if domain.resolve(others) != domain.resolve(known):
                assert mark is not None
                raise _bounded(f'the values of the parameter "{name}"', guard, mark.place)


def _bounded(what: str, guard: LayoutGuard, place: Place) -> FinaleError:
    return FinaleError(
        "reads-layout",
        f"{what} are bounded by the layout: {guard.what}",
        place=place,
        advice="bound the field or the parameter by a number, or leave it out",
    )


@contextmanager
def guarding(guard: LayoutGuard | None) -> Generator[None]:
    """Refuse each read of the layout that a guard does not allow; without a guard none."""
    global _guard  # noqa: PLW0603 - entities must find it
    outer, _guard = _guard, guard
    _install(guard is not None)
    try:
        yield
    finally:
        _guard = outer
        _install(outer is not None)


def _install(guarded: bool) -> None:
    """Look at what is read of entities only while a guard is there: it costs time."""
    guard_calls(guarded)
    kind: Any = Entity
    if guarded:
        kind.__getattribute__ = _guarded_read
    elif "__getattribute__" in vars(kind):
        del kind.__getattribute__


def _guarded_read(entity: Entity, name: str) -> Any:
    value: Any = object.__getattribute__(entity, name)
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    own: dict[str, object] = object.__getattribute__(entity, "__dict__")
    if name not in own and name not in _OF_CLASS and not _is_default(cast(Any, type(entity)), name):
        if _is_field(cast(Any, type(entity)), name) and exploring():
            check_reader(frame.f_code)  # the field sees this function as its reader
        return value
    code = frame.f_code
    if is_inner(code.co_filename) and not _calls_for_user(code):
        if name == "__class__" and code.co_name not in _ASKS_KIND:
            return value
        if name == "world" or (name in _OWN and not _shows_it(frame)):
            return value
    elif name == "__class__" and _is_for_language(frame):
        return value
    return _read(entity, name, value, _reader_of(frame))


def _calls_for_user(code: CodeType) -> bool:
    """Whether a function of the language only makes a call that code of a user has written."""
    return code.co_name == "call" and code.co_filename == _CALLS


def _is_for_language(frame: FrameType) -> bool:
    """Whether Python's library asks for a kind because the language does, for itself."""
    asking = frame.f_back
    if asking is None or not frame.f_code.co_filename.startswith(_LIBRARY):
        return False
    return is_inner(asking.f_code.co_filename) and asking.f_code.co_name not in _ASKS_KIND


def _shows_it(frame: FrameType) -> bool:
    """Whether the language reads a value for other code: a symbolic entity, or a text of one."""
    if frame.f_code.co_name in _SHOWN and frame.f_back is not None:
        asking = frame.f_back
        # Instrumented code of a user calls `str(task)` through that file.
        while asking.f_code.co_filename == _CALLS and asking.f_back is not None:
            asking = asking.f_back
        return not is_inner(asking.f_code.co_filename)
    return frame.f_code.co_name == "__getattr__"


def _read(entity: Entity, name: str, value: Any, frame: FrameType) -> Any:
    """What a reader gets for a plain value. Raises `reads-layout`."""
    guard, code = _guard, frame.f_code
    if guard is None or _is_machinery(code.co_filename):
        return value
    if name == "__class__" and not guard.kinds:
        return value
    of_finale = _is_rule_of_finale(code.co_filename)
    entry = guard.reader(function_of(code), name) if of_finale else None
    is_same = guard.is_same(entity, name) or _is_option(entity, name, value)
    if of_finale and (guard.forgets or not exploring()):
        if not is_same:
            _refuse_answer(frame, name, value)
        if entry is not None and entry.answers:
            _refuse_caller(frame, entry, value)
        return value
    if is_same:
        return value
    if entry is not None:
        if entry.answers:
            _refuse_caller(frame, entry, value)
        return value
    if name == "bounds" and is_dataclass(value):
        return _GuardedBounds(value, guard)
    if isinstance(value, tuple) and guard.is_many(entity, name):
        return LaidOut(value, f'"{name}" of {_owner(entity)}', not value and _is_whole(entity))
    shown = "its kind" if name == "__class__" else f'"{name}"'
    _refuse(frame, f"{shown} of {_owner(entity)}", value)


def _is_whole(entity: Entity) -> bool:
    """Whether the layout should have all that belongs to an entity."""
    return exploring() and not cast(Any, current().store).is_only_asked(entity)


@cache
def _is_field(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, name, None), Field)


@cache
def _is_default(kind: type, name: str) -> bool:
    """Whether a class of Finale gives entities without a value of their own a plain one."""
    if name.startswith("_"):
        return False
    owner = next((base for base in kind.__mro__ if name in vars(base)), object)
    value = vars(owner).get(name)
    is_code = callable(value) or hasattr(type(value), "__get__")
    of_protocol = "Protocol" in {base.__name__ for base in kind.__mro__}
    return owner.__module__.startswith("finale.") and not is_code and not of_protocol


def _owner(entity: Entity) -> str:
    name: str = object.__getattribute__(entity, "__dict__").get("name", "")
    return name or "the protocol"


def _is_option(entity: Entity, name: str, value: object) -> bool:
    """Whether an attribute is the value of an option: the spec's, in every run."""
    own: dict[str, object] = object.__getattribute__(entity, "__dict__")
    options: Any = own.get("options")
    if name == "options" or options is None or not is_dataclass(options):
        return name == "options"
    known = {each.name for each in fields(options)}
    return name in known and getattr(options, name) == value


def _refuse_caller(frame: FrameType, entry: Reader, value: object) -> None:
    """Refuse code that is not Finale's, and asks a function that answers by a layout."""
    caller = frame.f_back and _reader_of(frame.f_back)
    while caller is not None and function_of(caller.f_code) == entry.function:
        caller = caller.f_back and _reader_of(caller.f_back)
    if caller is not None and not _is_of_finale(caller.f_code.co_filename):
        _refuse(caller, f"what {entry.function.rpartition(':')[2]} answers", value)


def _refuse_answer(frame: FrameType, name: str, value: object) -> None:
    """Refuse code of a user that asks a function of Finale without a mark about a layout.

    Such a function may answer with a plain value. Marked functions answer with the state.
    """
    asked: FrameType | None = frame
    while asked is not None and not _is_of_user(asked):
        code = asked.f_code
        is_rule = _is_rule_of_finale(code.co_filename)
        if is_rule and (code.co_name == "__init__" or "_factory" in code.co_qualname):
            return
        if code.co_filename == _BUILDS or _is_machinery(code.co_filename):
            return  # Finale asks for itself
        asked = asked.f_back
    if asked is not None and asked.f_code.co_name != "entities":
        _refuse(asked, f'what {frame.f_code.co_name} works out of "{name}"', value)


def _is_of_user(frame: FrameType) -> bool:
    return NAME in frame.f_globals


# --- many entities -------------------------------------------------------------------------------


class LaidOut:
    """Entities of a layout that stand for others: each can be looked at, their number cannot."""

    __slots__ = ("_items", "_lacks", "_what")

    def __init__(self, items: tuple[Any, ...], what: str, lacks: bool) -> None:
        self._items = items
        self._what = what
        self._lacks = lacks
        """Whether the layout has none of what other entities have."""

    def __iter__(self) -> Iterator[Any]:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        file, reader = frame.f_code.co_filename, _reader_of(frame)
        is_rules = not _is_machinery(reader.f_code.co_filename)
        if (file == _CALLS or not is_inner(file)) and is_rules and not _is_apart(reader):
            _refuse(reader, f"{self._what} in their order or by their number", self._items)
        this = _Round(frame, frame.f_code.co_name in _QUANTIFIERS, _is_of_user(reader))
        if self._lacks and this.is_users:
            _refuse(reader, f"{self._what}, of which the layout has none", self._items)
        if this.is_within(_rounds_around(frame), reader, self._items):
            _refuse(reader, f"{self._what} for each of others", self._items)
        return _each_round(self._items, this)

    def mapped(self, function: Callable[[Any], Any]) -> LaidOut:
        """Return what a function makes of each, which stands for as many."""
        return LaidOut(tuple(map(function, self._items)), self._what, self._lacks)

    def _looked_at(self, *_: object) -> NoReturn:
        frame = _reader_of(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        _refuse(frame, f"{self._what} by place, number or membership", self._items)

    __len__ = __bool__ = __getitem__ = __contains__ = __reversed__ = _looked_at
    __add__ = __radd__ = __mul__ = __eq__ = __ne__ = __lt__ = __le__ = _looked_at
    __gt__ = __ge__ = __str__ = __format__ = index = count = _looked_at
    __hash__ = _looked_at

    def __repr__(self) -> str:
        return repr(self._items)


def mapped(function: Callable[[Any], T], items: tuple[Any, ...]) -> tuple[T, ...]:
    """Return what a function makes of each of some entities, guarded as these are."""
    if isinstance(items, LaidOut):
        return cast("tuple[T, ...]", items.mapped(function))
    return tuple(map(function, items))


_QUANTIFIERS = frozenset({"_one_by_one", "sum_of", "_values_of"})
"""Functions of the language that ask something of each of some items."""
LOOPS_MAX = 2
"""So deep are loops over tasks nested in the jobs that a window is compared with."""


@dataclass(frozen=True)
class _Round:
    """What goes through entities that stand for others."""

    frame: FrameType
    asks: bool
    """Whether it asks something of each, or else does something to each."""
    is_users: bool

    def is_within(
        self, outer: Sequence[_Round], reader: FrameType, items: tuple[object, ...]
    ) -> bool:
        """Return whether it is within others, so that one entity would stand for two different
        ones. Finale's own rules do that only where it is right."""
        alike = [each for each in outer if each.asks is self.asks]
        if not self.is_users and not any(each.is_users for each in alike):
            return False
        if not self.asks:
            return len(alike) >= LOOPS_MAX
        has = cast(Any, current().store).is_summary
        return bool(alike) or any(has(e) and e in items for e in reader.f_locals.values())


_under_way: list[_Round] = []


def _rounds_around(frame: FrameType) -> list[_Round]:
    """The rounds that a frame is part of. One that a fault has ended may still be listed."""
    stack: set[FrameType] = set()
    above: FrameType | None = frame
    while above is not None:
        stack.add(above)
        above = above.f_back
    return [each for each in _under_way if each.frame in stack]


def _each_round(items: tuple[Any, ...], this: _Round) -> Iterator[Any]:
    _under_way.append(this)
    try:
        yield from items
    finally:
        _under_way.remove(this)


def _is_apart(frame: FrameType) -> bool:
    """Whether a frame begins a loop whose rounds know nothing of each other."""
    code, at = frame.f_code, frame.f_lasti
    if code.co_name.startswith("<") or not _is_loop(code, at):
        return False
    line = list(code.co_positions())[at // 2][0]
    return line is not None and keeps_rounds_apart(code.co_filename, line)


@cache
def _is_loop(code: CodeType, at: int) -> bool:
    following = [each for each in dis.get_instructions(code) if each.offset >= at][:2]
    return [each.opname for each in following] == ["GET_ITER", "FOR_ITER"]


# --- bounds --------------------------------------------------------------------------------------


class _GuardedBounds:
    """The bounds of a layout: those that every run has are numbers, the others are only bounds."""

    def __init__(self, bounds: Any, guard: LayoutGuard) -> None:
        self._bounds, self._differing = bounds, guard.bounds

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._bounds, name)
        differs = self._differing is None or name in self._differing
        if not differs or not isinstance(value, Limit):
            return value
        return GuardedLimit(value, name)

    def _looked_at(self) -> NoReturn:
        frame = _reader_of(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        _refuse(frame, "all bounds", self._bounds)

    __str__ = __repr__ = __hash__ = _looked_at


class GuardedLimit(Limit):
    """A bound that a run need not have: `within` knows it, and nothing else may ask its number."""


def _number_asked(name: str) -> Callable[..., Any]:
    plain = getattr(int, name)

    def asked(self: GuardedLimit, *others: object) -> Any:
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        if _guard is not None and not (
            is_inner(frame.f_code.co_filename) and frame.f_code.co_name == "within"
        ):
            reader = _reader_of(frame)
            if not _is_of_finale(reader.f_code.co_filename):
                _refuse(reader, f'the bound "{self.name}"', int.__int__(self))
        return plain(self, *others)

    return asked


_OPERATIONS = (
    "__int__ __index__ __bool__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __add__ __radd__ __sub__ "
    "__rsub__ __mul__ __rmul__ __floordiv__ __mod__ __divmod__ __and__ __or__ __xor__ __neg__ "
    "__str__ __repr__ __format__ __hash__ __float__ __pow__ __truediv__ __rfloordiv__ __rmod__"
)
for _name in _OPERATIONS.split():
    setattr(GuardedLimit, _name, _number_asked(_name))
