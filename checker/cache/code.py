"""The code of Finale's own protocols, function by function: what each is made from, and can reach.

Exploring a rule runs the rule, its helpers, and whatever these read. `Reach` finds all of it
without running anything, by names: a function that says `.pending` reaches everything called
`pending` in any class of the protocol and of its entities. That is more than what really runs, so a
digest may change where nothing did; then something is worked out twice. The other mistake, a digest
that stays where something changed, must not happen: what is not understood raises `NotCacheable`.

Only code of Finale's own protocols and properties is followed: it is known, and tests look at all
of it. What a user's class has is a node that nothing sees through, and whoever reaches it has no
digest here: its key is that of all the user's modules (`user_code.py`).

Lines are counted from the first line of a function, so that a function keeps its digest when it is
moved. The code of the tool itself (`model/` without protocols and properties) is one digest.
"""

from __future__ import annotations

# What is looked at here may be any object.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
import enum
import linecache
import re
import sys
import types
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_origin

import finale
from finale import model
from finale.model.language.decorators import DecoratedFunction, mark_of
from finale.model.language.entities import Entity, Field
from finale.model.language.observing import observed_kinds
from finale.model.language.path_ends import is_inner
from finale.model.language.protocol import Protocol, Setting

DIGEST_BYTES = 16
#: The packages of the model that hold protocols and properties: code that people change.
CHANGING = ("finale.model.protocols", "finale.model.properties")


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


#: Code that says one of these may read whatever there is in a class or an entity.
_READS_ANYTHING = frozenset(
    {"getattr", "hasattr", "vars", "dir", "__dict__", "__mro__", "__getattribute__"}
)
#: Code that says one of these may ask of which class the protocol is. (What Python generates for
#: data classes asks it of values only.)
_READS_CLASSES = frozenset({"type", "__class__", "__name__", "__qualname__"})
#: Code that says one of these may read what no digest knows.
READS_OUTSIDE = frozenset({"eval", "exec", "globals", "locals", "open", "input", "__import__"})
#: The modules of Python's library whose functions read nothing but what they are given.
PURE_MODULES = words("""
    __future__ abc bisect builtins collections contextlib copy dataclasses decimal enum fractions
    functools heapq itertools math numbers operator re reprlib string textwrap types typing
""")
#: What runs before anything is explored: its results are part of `Reach.instance`. A guard of the
#: layout only refuses, and what Finale's own rules read of a layout is known to do no harm.
_BEFORE = words("""
    __init__ __new__ __post_init__ __init_subclass__ __set_name__ Bounds Options Sizes
    bound_names entities ghosts keeps key layout_guard left_behind limits needs_job parts
    start_states starts_from_snapshots terminal
""")
#: What Python itself writes into a class. Code that says one of `_HIDDEN` is not followed.
_HIDDEN = words("""
    __doc__ __weakref__ __annotations__ __match_args__ __dataclass_fields__ __dataclass_params__
    __abstractmethods__ _abc_impl __parameters__ __orig_bases__ __slots__
    __subclasses__
""")
_OF_PYTHON = _HIDDEN | {"__module__", "__qualname__", "__dict__"}
#: What each member of an enumeration has; its name is said, and its class.
_OF_MEMBERS = words("_name_ __objclass__ _sort_order_")


_WORD = re.compile(r"\w+")
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_PLAIN = (tuple, list, dict, set, frozenset, str, bytes, float)


class NotCacheable(Exception):
    """It cannot be told what something is made from."""


def digest(said: Iterable[object]) -> bytes:
    """Return the digest of plain values: of numbers, texts, bytes, and tuples or lists of these."""
    return blake2b(repr(tuple(said)).encode(), digest_size=DIGEST_BYTES).digest()


#: In a checkout this is a link's target: files are compared by where they really are.
_MODEL = Path(model.__file__).resolve().parent
_CHECKER = Path(__file__).parents[1]
#: Where the protocols and properties are that this package brings.
CHANGING_FOLDERS = tuple(_MODEL / name.rpartition(".")[2] for name in CHANGING)


def is_tool_file(file: Path) -> bool:
    """Whether a file is code of this tool that is no protocol and no property."""
    ours = file.suffix == ".py" and file.is_relative_to(_MODEL.parent)
    packages = {"model", "checker"}
    return (
        ours
        and file.relative_to(_MODEL.parent).parts[0] in packages
        and not any(file.is_relative_to(folder) for folder in CHANGING_FOLDERS)
    )


@cache
def of_tool() -> bytes:
    """Return the digest of the code that explores, and of the Python that runs it."""
    files = [*_MODEL.rglob("*.py"), *Path(__file__).parent.glob("*.py")]
    ours = sorted(file for file in files if is_tool_file(file))
    said = [(str(file.relative_to(_MODEL.parent)), of_file(file)) for file in ours]
    return digest([sys.version, sys.flags.optimize, *said])


@cache
def of_file(file: Path) -> bytes:
    """Return the digest of a file of the tool, as it was when it was first asked for."""
    return blake2b(file.read_bytes(), digest_size=DIGEST_BYTES).digest()


def is_of_model(module: str | None) -> bool:
    """Whether a module is one of the model: of the rule language, a protocol, or a property."""
    return f"{module}.".startswith(f"{model.__name__}.")


@cache
def of_finale() -> bytes:
    """Return the digest of all that a user's code can import of Finale, and of where it is."""
    faces = Path(finale.__path__[0]).glob("*.py*")
    files = sorted([*_MODEL.rglob("*.py"), *(file for file in faces if file.is_file())])
    said = [(str(file), of_file(file)) for file in files]
    return digest([model.__file__, of_tool(), *said])


@cache
def of_checker(*folders: str) -> bytes:
    """Return the digest of the code of the checker, or of folders in it, and of the tool.

    Where the files are is part of it: what a search reports names them.
    """
    files = sorted(file for name in folders or ("",) for file in (_CHECKER / name).rglob("*.py"))
    return digest([of_tool(), *((str(file), of_file(file)) for file in files)])


def _is_own(module: str | None) -> bool:
    """Whether a module has code of Finale's own protocols or properties."""
    return f"{module}.".startswith(tuple(f"{each}." for each in CHANGING))


def _is_users(module: str | None) -> bool:
    """Whether a module is a user's, and neither Finale's nor Python's."""
    package = (module or "").partition(".")[0]
    return not is_of_model(module) and package not in sys.stdlib_module_names


def _check_pure(module: str | None, what: str) -> None:
    """Raises `NotCacheable` for a module of Python's library that may read what no digest knows."""
    package = (module or "?").partition(".")[0]
    if not is_of_model(module) and package.removeprefix("_") not in PURE_MODULES:
        raise NotCacheable(f"code uses {what} of {module}")


def name_of(thing: Any) -> str:
    """Return the name of a class or function, without the packages that its module is in."""
    return f"{(thing.__module__ or '').rpartition('.')[2]}:{thing.__qualname__}"


def of_setting(setting: Setting) -> tuple[object, ...]:
    """Return a setting as plain values, with that of the protocol that ran before."""
    maps = (setting.sizes, setting.options, setting.bounds)
    plain = [sorted((name, repr(value)) for name, value in each.items()) for each in maps]
    former = setting.former
    before = None
    if former is not None:
        before = (former.protocol.__class__.__qualname__, of_setting(former.protocol.setting))
    return repr(setting.job), plain, sorted(setting.observe), sorted(setting.without), before


# --- one function --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Text:
    """A function as written: a digest of its text and code, and the names that it says."""

    digest: bytes
    names: frozenset[str]
    file: str
    first: int
    last: int


#: Texts by the identity of their code: code of two files may be equal. Code is held with its text.
_TEXTS: dict[int, tuple[types.CodeType, Text]] = {}


def text_of(code: types.CodeType) -> Text:
    """Return the text of a function. Raises `NotCacheable` if its source cannot be read."""
    if id(code) not in _TEXTS:
        _TEXTS[id(code)] = code, _read(code)
    return _TEXTS[id(code)][1]


def _read(code: types.CodeType) -> Text:
    last = max(_line_numbers(code))
    lines: list[str] = []
    if not code.co_filename.startswith("<"):  # else it is generated, and its code says all
        known = linecache.getlines(code.co_filename)
        if len(known) < last:
            raise NotCacheable(f"the source of {code.co_qualname} cannot be read")
        first = code.co_firstlineno - 1
        depth = _depth(known[first])
        start = first  # decorators stand before the line with `def`
        while known[start].lstrip().startswith("@") and start < len(known) - 1:
            start += 1
            while not known[start].lstrip().startswith(("@", "def ", "async def ")):
                start += 1
        last = max(last, start + 1)
        # Behind the last line that has code may be what the compiler left out.
        while last < len(known) and (not known[last].strip() or _depth(known[last]) > depth):
            last += 1
        lines = known[first:last]
    said, names = _said(code, code.co_firstlineno), frozenset(names_in(code))
    return Text(digest([said, lines]), names, code.co_filename, code.co_firstlineno, last)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _line_numbers(code: types.CodeType) -> Iterator[int]:
    yield code.co_firstlineno
    yield from (line for _, _, line in code.co_lines() if line is not None)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _line_numbers(constant)


def _said(code: types.CodeType, first: int) -> tuple[object, ...]:
    """What a code object is, with lines counted from the first one of the function."""
    constants = tuple(
        _said(each, first) if isinstance(each, types.CodeType) else _constant(each)
        for each in code.co_consts
    )
    return (
        code.co_qualname,
        code.co_firstlineno - first,
        code.co_code,
        constants,
        (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        code.co_linetable,
        code.co_exceptiontable,
    )


def _constant(value: object) -> object:
    if isinstance(value, frozenset):
        return sorted(map(repr, cast("frozenset[object]", value)))
    return type(value).__name__, repr(value)


def names_in(code: types.CodeType) -> Iterator[str]:
    """Return all names that code says, and all texts: a text may become a name."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)
        elif isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple):
            yield from (each for each in cast("tuple[object, ...]", constant) if type(each) is str)


# --- what it reaches -----------------------------------------------------------------------------


@dataclass
class _Node:
    """A function, a class or an attribute: its own digest, and the nodes that it names.

    What a user wrote has no digest, nor has what is not understood.
    """

    own: bytes | None
    edges: set[int]
    text: Text | None = None
    name: str = ""


class Reach:
    """The code that a protocol and its entities have, and what each function of it reaches.

    Raises `NotCacheable` for what is not understood.
    """

    def __init__(self, protocol: Protocol, entities: Iterable[Entity]) -> None:
        self._entities = {id(each): n for n, each in enumerate((protocol, *entities))}
        self._numbers: dict[tuple[object, ...], int] = {}
        self._nodes: list[_Node | None] = []
        self._todo: list[tuple[int, Any]] = []
        self._reached: list[int] = []
        #: What was asked for, by the bits of its nodes: all bindings of a rule reach the same.
        self._known: dict[int, Reached] = {}
        #: Objects of the node that is looked at, by identity: an object may hold itself.
        self._seen: dict[int, int] = {}
        #: Nodes that whatever is explored may use: the classes of values that entities have.
        self._always: set[int] = set()
        self._kinds: dict[type, None] = {}
        self._table: dict[str, set[int]] = {}
        self._types = list(dict.fromkeys(type(each) for each in (protocol, *entities)))
        self._protocol = type(protocol)
        classes = [name_of(kind) for kind in type(protocol).__mro__]
        own = digest(["class of the protocol", *classes])
        is_users = _is_users(type(protocol).__module__)
        self._class_of_protocol = len(self._nodes)
        self._nodes.append(_Node(None if is_users else own, set()))
        for each in (protocol, *entities):
            self._add_kind(type(each))
        self.instance = self._instance(protocol, entities)
        self._fill_table()
        self._hooks = self._hook_nodes()

    # --- the objects -----------------------------------------------------------------------------

    def _add_kind(self, kind: type) -> None:
        if type(kind).__module__ not in ("builtins", "abc", "typing"):
            raise NotCacheable(f"{kind.__qualname__} has a metaclass")
        for base in kind.__mro__:
            if _is_own(base.__module__) or _is_users(base.__module__):
                self._kinds[base] = None

    def _instance(self, protocol: Protocol, entities: Iterable[Entity]) -> bytes:
        """The digest of all entities with what they have that is no state."""
        said: list[object] = []
        observed = {id(entity): sound for entity, _, sound in observed_kinds(protocol)}
        for sound in observed.values():
            self._add_kind(sound)
        self._types = list(dict.fromkeys([*self._types, *observed.values()]))
        for each in (protocol, *entities):
            own = {
                name: value
                for name, value in vars(each).items()
                if name not in ("variables", "_world", "_changed", "setting")
            }
            # A variant has a class of its own. Only code that asks for it is told which it is.
            kinds = {observed.get(id(each), type(each))}
            if each is not protocol:
                kinds.add(type(each))
            said.append((each.name, sorted(map(name_of, kinds)), self._value(own, self._always)))
        said.append(self._setting(protocol.setting))
        for variable in protocol.world.variables:
            domain = self._value(variable.domain, self._always)
            said.append((variable.name, variable.offset, variable.ghost, domain))
        return digest(said)

    def _setting(self, setting: Setting) -> object:
        """A setting, with the protocol that ran before."""
        parts = (setting.job, setting.sizes, setting.options, setting.bounds, setting.observe)
        said = self._value(parts, self._always)
        if setting.former is None:
            return said
        kind = type(setting.former.protocol)
        self._always.add(self._number(("class", kind), kind))
        return said, name_of(kind), self._setting(setting.former.protocol.setting)

    # --- values ----------------------------------------------------------------------------------

    def _value(self, value: Any, edges: set[int]) -> object:
        """A value as plain texts and numbers; what it refers to is added to `edges`."""
        kind = type(value)
        if value is None or kind in (bool, int, float, str, bytes, type(Ellipsis)):
            return kind.__name__, value
        if kind in (tuple, list):
            return kind.__name__, [self._value(each, edges) for each in value]
        if kind in (set, frozenset):
            return kind.__name__, sorted(repr(self._value(each, edges)) for each in value)
        if kind in (dict, types.MappingProxyType):
            return "map", [(self._value(k, edges), self._value(v, edges)) for k, v in value.items()]
        if id(value) in self._entities:
            return "entity", self._entities[id(value)]
        if isinstance(value, type):
            return self._class(value, edges)
        if kind.__module__ == "builtins":
            return self._callable(value, edges)
        if kind is TypeVar:
            return value.__name__, self._value((value.__bound__, value.__constraints__), edges)
        if kind.__module__ in ("typing", "types") and get_origin(value) is not None:
            parts = (get_origin(value), *get_args(value))  # such as `Annotated[int, …]`
            return "type", [self._value(each, edges) for each in parts]
        if kind.__module__ == "typing" and repr(value).startswith("typing."):
            return repr(value)
        if not is_of_model(kind.__module__):
            raise NotCacheable(f"a value of {kind.__module__}.{kind.__qualname__}")
        return self._own_value(value, edges)

    def _own_value(self, value: Any, edges: set[int]) -> object:
        """A value of a class of Finale's."""
        if isinstance(value, Entity):
            raise NotCacheable(f"{value.name} is not an entity of the protocol")
        if isinstance(value, enum.Enum):
            return "member", self._class(type(value), edges), value.name
        if isinstance(value, DecoratedFunction):
            edges.add(self._function(value.function))
            return "marked", value.role, str(value.fairness)
        return self._object(value, edges)

    def _class(self, kind: type, edges: set[int]) -> object:
        """What code learns by a class: its name, and whether the protocol is an instance of it."""
        if not _is_own(kind.__module__):
            _check_pure(kind.__module__, kind.__qualname__)
            return "class", kind.__module__, kind.__qualname__
        if not issubclass(kind, Entity) or kind not in self._kinds:
            edges.add(self._number(("class", kind), kind))
        try:
            is_own = issubclass(self._protocol, kind)
        except TypeError:  # a structural type that nothing can be asked of
            is_own = False
        return "class", name_of(kind), is_own

    def _callable(self, value: Any, edges: set[int]) -> object:
        """A function or what holds one, or a module."""
        match value:
            case types.ModuleType() if not _is_own(value.__name__):
                _check_pure(value.__name__, "what is there")
                return "module", value.__name__
            case property():
                return "property", [self._value(each, edges) for each in (value.fget, value.fset)]
            case staticmethod() | classmethod():
                return type(value).__name__, self._value(cast(Any, value).__func__, edges)
            case types.FunctionType() if _is_own(value.__module__):
                mark = mark_of(value)
                if mark is not None and is_inner(value.__code__.co_filename):
                    return self._value(mark, edges)
                edges.add(self._function(value))
                return "function", name_of(value)
            case types.FunctionType():
                _check_pure(value.__module__, value.__qualname__)
                return "function", value.__module__, value.__qualname__
            case _:
                raise NotCacheable(f"a value of {type(value).__qualname__}")

    def _object(self, value: Any, edges: set[int]) -> object:
        """An object of a class of Finale's: the class and the parts."""
        kind = type(value)
        if isinstance(value, Field):
            return "field", value.name, value.ghost
        if id(value) in self._seen:
            return "seen", self._seen[id(value)]
        self._seen[id(value)] = len(self._seen)
        own: dict[str, object] = {}
        if is_dataclass(value):
            own = {each.name: getattr(value, each.name, None) for each in fields(value)}
        slots = (name for base in kind.__mro__ for name in vars(base).get("__slots__", ()))
        own |= {name: getattr(value, name) for name in slots if hasattr(value, name)}
        own |= {
            name: each
            for name, each in getattr(value, "__dict__", {}).items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }
        if isinstance(value, _PLAIN):
            raise NotCacheable(f"a value of {kind.__qualname__}, which is more than it shows")
        held = int.__index__(value) if isinstance(value, int) else None
        return "object", self._class(kind, edges), held, self._value(own, edges)

    # --- nodes -----------------------------------------------------------------------------------

    def _number(self, key: tuple[object, ...], thing: Any) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self._nodes)
            self._nodes.append(None)
            self._todo.append((self._numbers[key], thing))
        return self._numbers[key]

    def _function(self, function: types.FunctionType | Any) -> int:
        return self._number(("function", function), function)

    def _fill_table(self) -> None:
        for kind in list(self._kinds):
            for name, value in vars(kind).items():
                if name not in _OF_PYTHON:
                    number = self._number(("attribute", kind, name), (kind, name, value))
                    self._table.setdefault(name, set()).add(number)

    def _homes(self, name: str) -> list[tuple[str, ...]]:
        """The classes that have an attribute, in the order in which they are asked for it."""
        found = {tuple(name_of(k) for k in kind.__mro__ if name in vars(k)) for kind in self._types}
        return sorted(found)

    def _hook_nodes(self) -> set[int]:
        """What the tool itself calls: names of its base classes, and operators."""
        names = {*vars(Protocol), *vars(Entity), *(n for n in self._table if n.startswith("__"))}
        names -= _BEFORE
        return set().union(*(self._table.get(name, set()) for name in names)) | self._always

    def finish(self) -> None:
        """Find out about the nodes that are named, until there are no new ones."""
        if not self._todo:
            return
        while self._todo:
            number, thing = self._todo.pop()
            self._seen = {}
            try:
                self._nodes[number] = self._node(thing)
            except Exception:  # what is not understood
                self._nodes[number] = _Node(None, set())
        self._close()

    def _node(self, thing: Any) -> _Node:
        if isinstance(thing, tuple):
            kind, name, value = cast("tuple[type, str, object]", thing)
            if _is_users(kind.__module__):
                raise NotCacheable(f"{name} is a user's")
            edges: set[int] = set()
            said = self._value(value, edges)
            return _Node(digest(["attribute", name_of(kind), name, self._homes(name), said]), edges)
        if _is_users(thing.__module__):
            raise NotCacheable(f"{thing.__qualname__} is a user's")
        return self._class_node(thing) if isinstance(thing, type) else self._function_node(thing)

    def _class_node(self, kind: type) -> _Node:
        edges: set[int] = set()
        said: list[object] = ["class", name_of(kind)]
        said += [self._class(base, edges) for base in kind.__mro__[1:]]
        said.append(self._class(type(kind), edges))
        if issubclass(kind, enum.Enum):
            for name, each in kind.__members__.items():  # with the further names of members
                own = {k: v for k, v in vars(each).items() if k not in _OF_MEMBERS}
                said.append((name, each.name, self._value(own, edges)))
        for each in vars(kind).get("__dataclass_fields__", {}).values():
            said.append((each.name, self._value(each.metadata, edges)))
        for name, value in vars(kind).items():
            if name in _OF_PYTHON or (issubclass(kind, enum.Enum) and _is_of_enum(name, value)):
                continue
            if isinstance(value, _SLOTS) and kind.__module__ == value.__objclass__.__module__:
                continue  # what a class has for `__slots__`
            said.append((name, self._value(value, edges)))
        return _Node(digest(said), edges)

    def _function_node(self, function: types.FunctionType) -> _Node:
        text, edges = text_of(function.__code__), set[int]()
        said: list[object] = [text.digest, name_of(function)]
        said.append(self._value(function.__defaults__, edges))
        said.append(self._value(function.__kwdefaults__, edges))
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        closed = {name: cell for name, cell in cells if name != "__class__"}
        for name, cell in closed.items():
            said.append((name, self._value(cell.cell_contents, edges)))
        attributes = {k: v for k, v in vars(function).items() if k not in ("__finale__",)}
        said.append(self._value(attributes, edges))
        library = function.__globals__.get("__name__")  # of a decorator, for what it has wrapped
        if not isinstance(library, str):
            raise NotCacheable(f"{function.__qualname__} has names of its own")
        if not _is_own(library):
            _check_pure(library, function.__code__.co_qualname)
        names = set(text.names)
        for value in function.__annotations__.values():
            if isinstance(value, str):
                said += self._annotated(value, function, edges)
            else:
                said.append(self._value(value, edges))
        for name in sorted(names - closed.keys()):
            self._add_name(name, function, _is_own(library), said, edges)
        return _Node(digest(said), edges, text, name_of(function))

    def _annotated(
        self, text: str, function: types.FunctionType, edges: set[int]
    ) -> Iterator[object]:
        """What the names in an annotation stand for: of a class its name, for it is not used."""
        for name in _WORD.findall(text):
            value = function.__globals__.get(name)
            yield name, name_of(value) if isinstance(value, type) else self._value(value, edges)

    def _add_name(
        self,
        name: str,
        function: types.FunctionType,
        is_followed: bool,
        said: list[object],
        edges: set[int],
    ) -> None:
        """Add what a name in a function may stand for."""
        if is_followed and name in _HIDDEN:
            raise NotCacheable(f"{function.__qualname__} uses {name}")
        found = self._table.get(name)
        if found is not None:
            edges |= found
        if name in function.__globals__ and is_followed:
            said.append((name, self._value(function.__globals__[name], edges)))
        elif found is None and is_followed:
            if name in READS_OUTSIDE:
                raise NotCacheable(f"{function.__qualname__} uses {name}")
            if name in _READS_ANYTHING:
                edges.update(*self._table.values())
            is_super = name in function.__code__.co_freevars  # `__class__`
            is_generated = function.__code__.co_filename.startswith("<")
            if name in _READS_CLASSES and not is_super and not is_generated:
                edges.add(self._class_of_protocol)

    # --- what is reached -------------------------------------------------------------------------

    def _close(self) -> None:
        """Follow the edges of new nodes to their end. Sets of nodes are the bits of integers.

        What was known before names nothing new.
        """
        new = range(len(self._reached), len(self._nodes))
        edges = {n: node.edges for n in new if (node := self._nodes[n]) is not None}
        self._reached += [1 << number for number in new]
        reached, changed = self._reached, True
        while changed:
            changed = False
            for number in reversed(new):
                before = after = reached[number]
                for edge in edges[number]:
                    after |= reached[edge]
                if after != before:
                    reached[number], changed = after, True

    def named(self, name: str) -> set[int]:
        """Return the nodes of everything of a name in the classes of the protocol."""
        return self._table.get(name, set())

    def function(self, function: Any) -> set[int]:
        """Return the node of a function."""
        return {self._function(function)}

    def files(self) -> set[str]:
        """Return the files of all code that was looked at."""
        self.finish()
        found = {node.text.file for node in self._nodes if node is not None and node.text}
        return found | {file for kind in self._kinds if (file := _file_of(kind)) is not None}

    def is_called(
        self, name: str, roots: Iterable[str], users: Sequence[tuple[str, frozenset[str]]]
    ) -> bool:
        """Whether the code that some names reach may call a method of the protocol.

        Methods of the same name, which may call the one that they override, do not count. `users`
        are the functions of a user, which are not followed: they may call all that they name.
        """
        self.finish()
        own = {f"{kind.__qualname__}.{name}" for kind in self._protocol.__mro__}
        calls = {name, *_READS_ANYTHING}
        if any(at not in own and not calls.isdisjoint(said) for at, said in users):
            return True
        reached = 0
        for root in {*roots, *chain.from_iterable(said for _, said in users)}:
            for number in self.named(root):
                reached |= self._reached[number]
        for number in self._hooks:
            reached |= self._reached[number]
        return any(
            node is not None
            and node.text is not None
            and reached >> number & 1
            and node.name.partition(":")[2] not in own
            and not calls.isdisjoint(node.text.names)
            for number, node in enumerate(self._nodes)
        )

    def own(self, function: Any) -> bytes:
        """Return the digest of a function alone: of its text, and what its names stand for."""
        number = self._function(function)
        self.finish()
        node = self._nodes[number]
        assert node is not None
        if node.own is None:
            raise NotCacheable("it cannot be followed")
        return node.own

    def reached(self, roots: set[int]) -> Reached:
        """Return all that some nodes reach."""
        self.finish()
        reached = 0
        for number in roots | self._hooks:
            reached |= self._reached[number]
        if reached not in self._known:
            bits = enumerate(reversed(f"{reached:b}"))
            found = [self._nodes[number] for number, bit in bits if bit == "1"]
            self._known[reached] = Reached([node for node in found if node is not None])
        return self._known[reached]


def _file_of(kind: type) -> str | None:
    return getattr(sys.modules.get(kind.__module__), "__file__", None)


class _Plain(enum.Enum):
    """An enumeration with nothing of its own."""

    MEMBER = 0


_OF_ENUMERATIONS = frozenset(vars(_Plain))


def _is_of_enum(name: str, value: object) -> bool:
    """Whether an attribute of an enumeration is a member, or what Python makes for members."""
    if isinstance(value, types.FunctionType) and _is_own(value.__module__):
        return False
    return isinstance(value, enum.Enum) or name in _OF_ENUMERATIONS


class Reached:
    """What some code reaches: a digest, and the places of its functions."""

    def __init__(self, nodes: list[_Node]) -> None:
        found = [node.own for node in nodes if node.own is not None]
        if len(found) < len(nodes):
            raise NotCacheable("a part of it cannot be followed")
        own = b"".join(sorted(found))  # all of one length
        self.digest = blake2b(own, digest_size=DIGEST_BYTES).digest()
        self._nodes = nodes

    def has(self, file: str, line: int) -> bool:
        """Return whether a line is in one of the functions."""
        texts = (node.text for node in self._nodes if node.text is not None)
        return any(each.file == file and each.first <= line <= each.last for each in texts)

    def spot(self, file: str, line: int) -> tuple[str, int]:
        """Return the function that a line is in, and the line in it. Raises `NotCacheable`."""
        at = [n for n in self._nodes if n.text is not None and n.text.file == file]
        within = [n for n in at if n.text is not None and n.text.first <= line <= n.text.last]
        if not within:
            raise NotCacheable(f"{file}:{line} is in no function that is known")
        node = max(within, key=lambda n: n.text.first if n.text else 0)
        assert node.text is not None
        return node.name, line - node.text.first

    def place(self, name: str, line: int) -> tuple[str, int]:
        """Return the file and line of a spot. Raises `NotCacheable` if it is not unique."""
        found = [n for n in self._nodes if n.name == name and n.text is not None]
        if len(found) != 1 or found[0].text is None:
            raise NotCacheable(f"{len(found)} functions are called {name}")
        return found[0].text.file, found[0].text.first + line
