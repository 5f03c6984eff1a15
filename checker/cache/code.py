"""The code of a protocol, function by function: what each is made from, and what it can reach.

Exploring a rule runs the rule, its helpers, and whatever these read. `Reach` finds all of it
without running anything, by names: a function that says `.pending` reaches everything called
`pending` in any class of the protocol and of its entities. That is more than what really runs, so a
digest may change where nothing did; then something is worked out twice. The other mistake, a digest
that stays where something changed, must not happen: what is not understood raises `NotCacheable`,
and nothing is kept.

Lines are counted from the first line of a function, so that a function keeps its digest when it is
moved. The code of the tool itself (`model/` without protocols and properties) is one digest.
"""

from __future__ import annotations

# What is looked at here may be any object.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
import enum
import functools
import linecache
import operator
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast, get_args, get_origin

from finale import model
from finale.model.language.decorators import DecoratedFunction, mark_of
from finale.model.language.entities import Entity, Field
from finale.model.language.observing import observed_kinds
from finale.model.language.path_ends import is_inner
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol, Setting

DIGEST_BYTES = 16
#: The packages of the model that hold protocols and properties: code that people change.
CHANGING = ("finale.model.protocols", "finale.model.properties")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Code that says one of these may read whatever there is in a class or an entity.
_READS_ANYTHING = frozenset(
    {"getattr", "hasattr", "vars", "dir", "__dict__", "__mro__", "__getattribute__"}
)
#: Code that says one of these may ask of which class the protocol is. (What Python generates for
#: data classes asks it of values only.)
_READS_CLASSES = frozenset({"type", "__class__", "__name__", "__qualname__"})
_READERS = (operator, operator.attrgetter, operator.methodcaller)
#: Code that says one of these may read what no digest knows.
READS_OUTSIDE = frozenset({"eval", "exec", "globals", "locals", "open", "input", "__import__"})
#: The modules of Python's library whose functions read nothing but what they are given.
PURE_MODULES = _words("""
    __future__ abc bisect builtins collections contextlib copy dataclasses decimal enum fractions
    functools heapq itertools math numbers operator re reprlib string textwrap types typing
""")
#: What runs before anything is explored: its results are part of `Reach.instance`.
_BEFORE = _words("""
    __init__ __new__ __post_init__ __init_subclass__ __set_name__ Bounds Options Sizes
    bound_names entities ghosts keeps key left_behind limits needs_job parts start_states
    starts_from_snapshots terminal
""")
#: What Python itself writes into a class.
_OF_PYTHON = _words("""
    __module__ __doc__ __dict__ __weakref__ __annotations__ __qualname__ __match_args__
    __dataclass_fields__ __dataclass_params__ __abstractmethods__ _abc_impl __parameters__
    __orig_bases__ __slots__
""")


class NotCacheable(Exception):
    """It cannot be told what something is made from."""


def digest(said: Iterable[object]) -> bytes:
    """Return the digest of plain values: of numbers, texts, bytes, and tuples or lists of these."""
    return blake2b(repr(tuple(said)).encode(), digest_size=DIGEST_BYTES).digest()


#: In a checkout this is a link's target: files are compared by where they really are.
_MODEL = Path(model.__file__).resolve().parent
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


def is_changing(module: str | None) -> bool:
    """Whether a module has code of protocols or properties: the model's own, or a user's."""
    package = (module or "builtins").partition(".")[0]
    if is_of_model(module):
        return (module or "").startswith(CHANGING)
    return package not in sys.stdlib_module_names and package != "builtins"


def _check_pure(module: str | None, what: str) -> None:
    """Raises `NotCacheable` for a module of Python's library that may read what no digest knows."""
    package = (module or "builtins").partition(".")[0]
    if not is_of_model(module) and package.removeprefix("_") not in PURE_MODULES:
        raise NotCacheable(f"code uses {what} of {module}")


def name_of(thing: Any) -> str:
    """Return the name of a class or function, without the packages that its module is in."""
    return f"{(thing.__module__ or '').rpartition('.')[2]}:{thing.__qualname__}"


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
    said, names = _said(code, code.co_firstlineno), frozenset(_names_in(code))
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


def _names_in(code: types.CodeType) -> Iterator[str]:
    """All names that code says, and all texts: a text may become a name."""
    yield from code.co_names
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)
        elif isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple):
            yield from (each for each in cast("tuple[object, ...]", constant) if type(each) is str)


# --- what it reaches -----------------------------------------------------------------------------


@dataclass
class _Node:
    """A function, a class or an attribute: its own digest, and the nodes that it names."""

    own: bytes
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
        self._class_of_protocol = len(self._nodes)
        self._nodes.append(_Node(digest(["class of the protocol", *classes]), set()))
        for each in (protocol, *entities):
            self._add_kind(type(each))
        self.instance = self._instance(protocol, entities)
        self._fill_table()
        self._hooks = self._hook_nodes()

    # --- the objects -----------------------------------------------------------------------------

    def _add_kind(self, kind: type) -> None:
        for base in kind.__mro__:
            if is_changing(base.__module__):
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
        if isinstance(value, Entity):
            if id(value) not in self._entities:
                raise NotCacheable(f"{value!r} is not an entity of the protocol")
            return "entity", self._entities[id(value)]
        if isinstance(value, tuple | list):
            parts = cast("tuple[object, ...]", value)
            return kind.__name__, [self._value(each, edges) for each in parts]
        if isinstance(value, set | frozenset):
            members = cast("set[object]", value)
            return kind.__name__, sorted(repr(self._value(each, edges)) for each in members)
        if isinstance(value, Mapping):
            items = cast("Mapping[object, object]", value).items()
            return "map", [(self._value(k, edges), self._value(v, edges)) for k, v in items]
        if isinstance(value, type):
            return self._class(value, edges)
        if isinstance(value, enum.Enum):
            return "member", self._class(kind, edges), value.name
        if isinstance(value, types.ModuleType):
            return self._module(value, edges)
        return self._callable(value, edges) or self._object(value, edges)

    def _class(self, kind: type, edges: set[int]) -> object:
        """What code learns by a class: its name, and whether the protocol is an instance of it."""
        if not is_changing(kind.__module__):
            _check_pure(kind.__module__, kind.__qualname__)
            return "class", kind.__module__, kind.__qualname__
        if not issubclass(kind, Entity) or kind not in self._kinds:
            edges.add(self._number(("class", kind), kind))
        try:
            is_own = issubclass(self._protocol, kind)
        except TypeError:  # a structural type that nothing can be asked of
            is_own = False
        return "class", name_of(kind), is_own

    def _module(self, module: types.ModuleType, edges: set[int]) -> object:
        name = module.__name__
        if not is_changing(name):
            _check_pure(name, "what is there")
            return "module", name
        edges.add(self._number(("module", name), module))
        return "module", name.rpartition(".")[2]

    def _callable(self, value: Any, edges: set[int]) -> object:
        mark = mark_of(value)
        match value:
            case Family():
                edges.add(self._function(value.mark.function))
                return "family", value.name, value.kind.value, value.witness, value.needs
            case DecoratedFunction():
                edges.add(self._function(value.function))
                return "marked", value.role, str(value.fairness)
            case property():
                parts = (value.fget, value.fset)
                return "property", [self._value(each, edges) for each in parts]
            case functools.cached_property():
                return "cached", self._value(cast(Any, value).func, edges)
            case staticmethod() | classmethod():
                own = cast(Any, value).__func__
                return type(value).__name__, self._value(own, edges)
            case functools.partial():
                some = cast(Any, value)
                return "partial", self._value((some.func, some.args, some.keywords), edges)
            case types.MethodType():
                return "method", self._value((value.__func__, value.__self__), edges)
            case types.FunctionType() if mark is not None and is_inner(value.__code__.co_filename):
                return self._callable(mark, edges)
            case types.FunctionType() if is_changing(value.__module__):
                edges.add(self._function(value))
                return "function", name_of(value)
            case types.FunctionType():
                _check_pure(value.__module__, value.__qualname__)
                return "function", value.__module__, value.__qualname__
            case types.BuiltinFunctionType():
                _check_pure(value.__module__, value.__qualname__)
                owner = value.__self__  # a module, or the object that a method belongs to
                of = None if isinstance(owner, types.ModuleType) else self._value(owner, edges)
                return "function", value.__module__, value.__qualname__, of
            case (
                types.MethodDescriptorType()
                | types.WrapperDescriptorType()
                | types.MemberDescriptorType()
                | types.GetSetDescriptorType()
            ):
                return "slot", self._class(value.__objclass__, edges), value.__name__
            case _:
                return None

    def _object(self, value: Any, edges: set[int]) -> object:
        """An object of some class: the class and the parts."""
        kind = type(value)
        if isinstance(value, Field):
            return "field", value.name, value.ghost
        if id(value) in self._seen:
            return "seen", self._seen[id(value)]
        if kind.__module__ in ("typing", "types", "re"):
            return "said", self._spoken(value, edges)
        if not is_changing(kind.__module__) and not is_of_model(kind.__module__):
            if isinstance(value, int):
                return kind.__qualname__, int(value)
            raise NotCacheable(f"a value of {kind.__module__}.{kind.__qualname__}")
        self._seen[id(value)] = len(self._seen)
        said = self._class(kind, edges)
        if isinstance(value, int):
            said = (said, int(value))
        if is_dataclass(value):
            own = {each.name: getattr(value, each.name, None) for each in fields(value)}
        else:
            slots = (name for base in kind.__mro__ for name in vars(base).get("__slots__", ()))
            own = {name: getattr(value, name) for name in slots if hasattr(value, name)}
            own |= {
                name: each
                for name, each in getattr(value, "__dict__", {}).items()
                if not isinstance(getattr(kind, name, None), functools.cached_property)
            }
        return "object", said, self._value(own, edges)

    def _spoken(self, value: Any, edges: set[int]) -> object:
        """A type that is written with brackets, such as `Annotated[int, …]`, or a pattern."""
        origin, arguments = get_origin(value), get_args(value)
        if origin is None:
            text = repr(value)
            if " at 0x" in text:
                raise NotCacheable(text)
            return text
        return self._value(origin, edges), [self._value(each, edges) for each in arguments]

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

    def _finish(self) -> None:
        """Find out about the nodes that are named, until there are no new ones."""
        if not self._todo:
            return
        while self._todo:
            number, thing = self._todo.pop()
            self._seen = {}
            if isinstance(thing, types.ModuleType):
                node = self._module_node(thing)
            elif isinstance(thing, tuple):
                kind, name, value = cast("tuple[type, str, object]", thing)
                edges: set[int] = set()
                said = self._value(value, edges)
                said = ["attribute", name_of(kind), name, self._homes(name), said]
                node = _Node(digest(said), edges)
            elif isinstance(thing, type):
                node = self._class_node(thing)
            else:
                node = self._function_node(thing)
            self._nodes[number] = node
        self._close()

    def _module_node(self, module: types.ModuleType) -> _Node:
        edges: set[int] = set()
        said: list[object] = []
        for name, value in vars(module).items():
            if not name.startswith("__"):
                said.append((name, self._value(value, edges)))
        return _Node(digest(["module", *said]), edges)

    def _class_node(self, kind: type) -> _Node:
        edges: set[int] = set()
        said: list[object] = ["class", name_of(kind)]
        said += [self._class(base, edges) for base in kind.__mro__[1:]]
        if issubclass(kind, enum.Enum):
            members = kind.__members__.items()  # with the further names of members
            said += [(name, each.name, self._value(each.value, edges)) for name, each in members]
        for name, value in vars(kind).items():
            if name in _OF_PYTHON or (issubclass(kind, enum.Enum) and _is_of_enum(name, value)):
                continue
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
            try:
                said.append((name, self._value(cell.cell_contents, edges)))
            except ValueError:
                said.append((name, "empty"))
        library = function.__globals__.get("__name__")  # of a decorator, for what it has wrapped
        is_followed = is_changing(library)
        if not is_followed:
            _check_pure(library, function.__code__.co_qualname)
        for name in sorted(text.names - closed.keys()):
            found = self._table.get(name)
            if found is not None:
                edges |= found
            if name in function.__globals__ and is_followed:
                value = function.__globals__[name]
                said.append((name, self._value(value, edges)))
                if any(value is each for each in _READERS):
                    edges.update(*self._table.values())
            elif found is None and is_followed:
                if name in READS_OUTSIDE:
                    raise NotCacheable(f"{function.__qualname__} uses {name}")
                if name in _READS_ANYTHING:
                    edges.update(*self._table.values())
                is_super = name in function.__code__.co_freevars  # `__class__`
                if name in _READS_CLASSES and not is_super and not text.file.startswith("<"):
                    edges.add(self._class_of_protocol)
        return _Node(digest(said), edges, text, name_of(function))

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
        self._finish()
        found = {node.text.file for node in self._nodes if node is not None and node.text}
        return found | {file for kind in self._kinds if (file := _file_of(kind)) is not None}

    def is_called(self, name: str, roots: Iterable[str]) -> bool:
        """Whether the code that some names reach may call a method of the protocol.

        Methods of the same name, which may call the one that they override, do not count.
        """
        self._finish()
        own = {f"{name_of(kind)}.{name}" for kind in self._protocol.__mro__}
        reached = 0
        for number in self._hooks.union(*map(self.named, roots)):
            reached |= self._reached[number]
        calls = {name, *_READS_ANYTHING}
        return any(
            node is not None
            and node.text is not None
            and reached >> number & 1
            and node.name not in own
            and not calls.isdisjoint(node.text.names)
            for number, node in enumerate(self._nodes)
        )

    def own(self, function: Any) -> bytes:
        """Return the digest of a function alone: of its text, and what its names stand for."""
        number = self._function(function)
        self._finish()
        node = self._nodes[number]
        assert node is not None
        return node.own

    def reached(self, roots: set[int]) -> Reached:
        """Return all that some nodes reach."""
        self._finish()
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
    if isinstance(value, types.FunctionType) and is_changing(value.__module__):
        return False
    return isinstance(value, enum.Enum) or name in _OF_ENUMERATIONS


class Reached:
    """What some code reaches: a digest, and the places of its functions."""

    def __init__(self, nodes: list[_Node]) -> None:
        own = b"".join(sorted(node.own for node in nodes))  # all of one length
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
