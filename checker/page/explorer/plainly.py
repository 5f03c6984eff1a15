"""Runs a rule as plain Python in one state, and says which lines ran and which condition failed.

It also evaluates an expression of the reader in that state. An expression only reads: it is a part
of Python without assignments, imports, names that begin with an underscore, and functions other
than those of the rule language and of the protocol. What it would write is thrown away.
"""

from __future__ import annotations

import ast
import enum
import inspect
import re
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, cast

from finale.checker.proofs.needed import guard_text
from finale.checker.report.places import shown_place
from finale.checker.search.interpreter.execution import PlainSystem
from finale.checker.spec.claim import Spec
from finale.model import rules as language
from finale.model.domains import Domain
from finale.model.errors import FinaleError, Place
from finale.model.language.access import Structure
from finale.model.language.bindings import BoundRule, shown
from finale.model.language.build import world_of
from finale.model.language.entities import Entity
from finale.model.language.guards import Guard, require
from finale.model.language.path_ends import BlockedHere, EarlyEnd, is_inner
from finale.model.language.plain import PlainStore
from finale.model.system import GroundRule, State
from finale.model.value_text import value_text
from finale.model.values import NothingType, Record

Json = dict[str, object]

#: What an expression of a reader can be made of.
_ALLOWED = (
    *(ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.IfExp),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot),
    *(ast.In, ast.NotIn, ast.Call, ast.keyword, ast.Attribute, ast.Subscript, ast.Name, ast.Load),
    *(ast.Store, ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Lambda, ast.arguments, ast.arg),
    *(ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.comprehension),
)
_QUANTIFIERS = ("count", "each", "exists", "forall", "EMPTY", "Nothing")
_BUILTINS = (all, any, bool, int, isinstance, len, list, max, min, set, sorted, sum, tuple)
#: How names begin by which Python's own machinery is reached, and texts are formatted.
_HIDDEN = ("_", "gi_", "cr_", "ag_", "tb_", "co_", "f_", "format", "mro")
CHARACTERS_MAX = 1_000
_HERE, _PYTHON = str(__file__), str(sysconfig.get_path("stdlib"))
#: So many values of a condition are told.
VALUES_MAX = 8


@dataclass(frozen=True)
class Reason:
    """Why a rule is not enabled: the condition that is false, where it stands, and its values."""

    place: Place
    inside: str
    condition: str
    values: tuple[tuple[str, str], ...] = ()


@dataclass
class Lines:
    """The lines of each function that ran, by its code; in the order of the first calls."""

    ran: dict[CodeType, set[int]] = field(default_factory=dict[CodeType, set[int]])

    def call(self, frame: FrameType, event: str, _argument: object) -> Callable[..., Any] | None:
        """Follow a function that is not of the language itself."""
        if _is_no_rule(frame.f_code):
            return None
        self.ran.setdefault(frame.f_code, set())
        return self.line

    def line(self, frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        """Note a line."""
        if event == "line":
            self.ran[frame.f_code].add(frame.f_lineno)
        return self.line


class Plainly:
    """The protocol of a spec as plain Python, for one question at a time."""

    def __init__(self, spec: Spec) -> None:
        protocol = spec.instance()
        world_of(protocol, protocol.keeps())
        self._system = PlainSystem(protocol)
        self._rules = {(each.rule.name, each.binding): each for each in self._system.rules}
        self._lock = Lock()

    # --- rules -----------------------------------------------------------------------------------

    def reason(self, rule: GroundRule, state: State) -> Reason | None:
        """Why a rule is not enabled; nothing if it is."""
        with self._lock:
            return self._run(rule, state)

    def source(
        self, rule: GroundRule, state: State
    ) -> tuple[list[dict[str, object]], Reason | None]:
        """The functions that run if the rule is tried, each with its lines; and why it stops."""
        lines = Lines()
        with self._lock:
            reason = self._run(rule, state, lines)
        stop = None if reason is None else (reason.place.file, reason.place.line)
        functions = (_function(code, lines.ran, stop) for code in lines.ran)
        return [each for each in functions if each is not None], reason

    def _run(self, rule: GroundRule, state: State, lines: Lines | None = None) -> Reason | None:
        plain = self._rules[rule.rule.name, rule.binding]
        store = PlainStore(self._system.world.decode(state))
        with self._system.world.on(store):
            tracing = sys.gettrace()
            try:
                sys.settrace(tracing if lines is None else lines.call)
                try:
                    plain.method(*plain.arguments)
                finally:
                    sys.settrace(tracing)
            except BlockedHere as stop:
                return _reason(stop, plain)
            except (EarlyEnd, AssertionError, LookupError, ArithmeticError, ValueError):
                return None  # a fault: the rule is enabled
        return None

    # --- expressions -----------------------------------------------------------------------------

    def value_of(self, text: str, state: State) -> str:
        """The value of an expression in a state. Raises `bad-expression`."""
        code = _checked(text)
        with self._lock, self._system.world.on(PlainStore(self._system.world.decode(state))):
            try:
                return told(eval(code, {"__builtins__": {}}, _Names(self._names())))
            except FinaleError as error:
                raise _bad(error.message) from None
            except Exception as error:
                raise _bad(f"{type(error).__name__}: {error}") from None

    def names(self) -> list[str]:
        """The names that an expression can begin with."""
        return sorted(name for name in self._names() if name.isidentifier())

    def _names(self) -> dict[str, object]:
        protocol = self._system.protocol
        found: dict[str, object] = {each.__name__: each for each in _BUILTINS}
        found |= {name: getattr(language, name) for name in _QUANTIFIERS}
        for kind in reversed(type(protocol).__mro__):
            module = vars(sys.modules[kind.__module__])
            found |= {name: value for name, value in module.items() if _is_word(value)}
        found |= {name: v for name, v in vars(protocol).items() if not name.startswith("_")}
        found |= {each.name: each for each in self._system.world.entities if each.name}
        return found | {"state": protocol, "self": protocol}


class _Names(dict[str, object]):
    """The names of an expression. A protocol's fields and helpers are names, too."""

    def __missing__(self, name: str) -> object:
        if not name.startswith("_") and hasattr(type(self["state"]), name):
            return getattr(self["state"], name)
        raise KeyError(name)


def _is_word(value: object) -> bool:
    """Whether a name of a module is a kind of value: of an enumeration, a record, an entity."""
    return isinstance(value, type) and issubclass(value, (enum.Enum, Record, Entity))


def _checked(text: str) -> CodeType:
    if len(text) > CHARACTERS_MAX:
        raise _bad(f"it has more than {CHARACTERS_MAX} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _bad("it is no expression of Python") from None
    for node in ast.walk(tree):
        if not isinstance(node, _ALLOWED):
            raise _bad(f"it has a {type(node).__name__}")
        name = str(getattr(node, "attr", "") or getattr(node, "id", ""))
        if name.startswith(_HIDDEN):
            raise _bad(f"it names {name}")
    return compile(tree, "<expression>", "eval")


def _bad(what: str) -> FinaleError:
    return FinaleError(
        "bad-expression",
        f"the expression has no value: {what}",
        advice="write a condition as rules do: S.status, or exists(tasks, lambda t: t.has_closed)",
    )


# --- why -----------------------------------------------------------------------------------------


def _reason(stop: BlockedHere, rule: BoundRule) -> Reason:
    frames = list(walk_tb(stop.__traceback__))
    outer = [(frame, line) for frame, line in frames if not _is_no_rule(frame.f_code)]
    if stop.bound is not None or not outer:
        code = inspect.unwrap(rule.method).__code__
        place = Place(code.co_filename, code.co_firstlineno)
        return Reason(place, rule.rule.name, f'the bound "{stop.bound}" forbids it')
    frame, line = outer[-1]
    place = Place(frame.f_code.co_filename, line)
    asked = next((f for f, _ in frames if f.f_code is require.__code__), None)
    number = 0 if asked is None else int(asked.f_locals.get("number", 0))
    inside, condition = guard_text(Guard(frame.f_code.co_filename, line, number))
    return Reason(place, inside, condition, tuple(_values(condition, frame)))


def _is_no_rule(code: CodeType) -> bool:
    """Whether a function is of the language, of Python itself, or of this file."""
    file = code.co_filename
    return is_inner(file) or file.startswith((_HERE, _PYTHON))


def _values(condition: str, frame: FrameType) -> Iterator[tuple[str, str]]:
    """The values of what a condition compares, as the rule sees them; each text once.

    If a condition calls a helper, they are also the values of what the helper returns.
    """
    names: Mapping[str, object] = {**frame.f_globals, **frame.f_locals}
    try:
        tree = ast.parse(condition, mode="eval").body
    except SyntaxError:
        return
    texts: set[str] = set()
    parts = [(part, names) for part in _parts(tree)]
    while parts and len(texts) < VALUES_MAX:
        part, names = parts.pop(0)
        text = _named(part, names)
        if text in texts:
            continue
        try:
            value, returned = _evaluated(part, names)
            yield text, told(value)
        except Exception:  # what cannot be read alone is left out
            continue
        texts.add(text)
        if returned is not None and isinstance(value, bool):
            parts += [(inner, returned.names) for inner in _parts(returned.expression)]


def _named(part: ast.expr, names: Mapping[str, object]) -> str:
    """A part of a condition as it is written; an entity whose method it is in has its name."""
    own = names.get("self")
    text = ast.unparse(part)
    return re.sub(r"\bself\b", own.name, text) if isinstance(own, Entity) and own.name else text


@dataclass(frozen=True)
class _Returned:
    """What a helper has returned: the expression, and what its names mean."""

    expression: ast.expr
    names: Mapping[str, object]


def _evaluated(part: ast.expr, names: Mapping[str, object]) -> tuple[object, _Returned | None]:
    """The value of a part of a condition, and what the helper that it calls has returned."""
    ended: list[tuple[CodeType, int, dict[str, object]]] = []

    def call(frame: FrameType, event: str, _argument: object) -> Callable[..., Any] | None:
        is_helper = not _is_no_rule(frame.f_code) and not frame.f_code.co_name.startswith("<")
        return end if is_helper else None

    def end(frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        if event == "return":
            names = {**frame.f_globals, **frame.f_locals}
            ended.append((frame.f_code, frame.f_lineno, names))
        return end

    tracing = sys.gettrace()
    sys.settrace(call)
    try:
        value = eval(compile(ast.Expression(part), "<condition>", "eval"), dict(names))
    finally:
        sys.settrace(tracing)
    if not ended:
        return value, None
    code, line, names_there = ended[-1]  # the outermost helper ends last
    texts, first = inspect.getsourcelines(code)
    for node in ast.walk(ast.parse(textwrap.dedent("".join(texts)))):
        if isinstance(node, ast.Return) and node.value is not None:
            last = node.end_lineno or node.lineno
            if node.lineno <= line - first + 1 <= last:
                return value, _Returned(node.value, names_there)
    return value, None


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BoolOp(values=values):
            for each in values:
                yield from _parts(each)
        case ast.UnaryOp(operand=operand):
            yield from _parts(operand)
        case ast.Compare(left=left, comparators=others):
            for each in (left, *others):
                yield from _parts(each)
        case ast.Constant() | ast.Lambda():
            return
        case ast.Call(func=ast.Attribute(value=of), args=arguments):
            yield node
            for each in (of, *arguments):
                yield from _parts(each)
        case ast.Attribute(value=ast.Name(id=name)) if name[:1].isupper():
            return  # a member of an enumeration
        case ast.Name(id=name) if name == "self" or name.isupper():
            return
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            for each in elements:
                yield from _parts(each)
        case _:
            yield node


# --- lines ---------------------------------------------------------------------------------------


def _function(
    code: CodeType, ran: Mapping[CodeType, set[int]], stop: tuple[str | None, int | None] | None
) -> Json | None:
    """A function with its lines: which of them ran, and at which the rule stopped."""
    if code.co_name.startswith("<"):
        return None  # a part of a function that is there
    try:
        texts, first = inspect.getsourcelines(code)
    except OSError:
        return None  # Python made it, as it makes the methods of a dataclass
    inner = (lines for other, lines in ran.items() if other.co_filename == code.co_filename)
    wanted = {line for lines in inner for line in lines}
    source = textwrap.dedent("".join(texts))
    marks = dict.fromkeys(_whole(source, first, wanted), "ran")
    if stop is not None and stop[0] == code.co_filename and stop[1] is not None:
        marks |= dict.fromkeys(_whole(source, first, {stop[1]}), "stop")
    rows = [
        [number, text, marks.get(number, "")]
        for number, text in enumerate(source.rstrip().splitlines(), first)
    ]
    return {
        "name": code.co_qualname,
        "place": shown_place(Place(code.co_filename, first)),
        "lines": rows,
    }


def _whole(source: str, first: int, lines: Iterable[int]) -> Iterator[int]:
    """All lines of the statements that some lines are of; of a block its head alone."""
    wanted = set(lines)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            own = range(node.lineno + first - 1, max(last, node.lineno) + first)
            if wanted.intersection(own):
                yield from own


# --- values --------------------------------------------------------------------------------------


def told(value: object) -> str:
    """A value as text; of a queue, a set or a record all that it holds."""
    match value:
        case Structure():
            domain = cast("Domain[object]", value.domain)
            return value_text(domain, value.read())
        case bool():
            return "true" if value else "false"
        case enum.Enum() | Entity():
            return shown(value)
        case NothingType() | None:
            return "nothing"
        case Record():
            parts = ", ".join(f"{name} {told(part)}" for name, part in vars(value).items())
            return f"{type(value).__name__}({parts})"
        case frozenset() | set():
            return "{" + ", ".join(sorted(map(told, cast("Iterable[object]", value)))) + "}"
        case tuple() | list():
            return "[" + ", ".join(map(told, cast("Iterable[object]", value))) + "]"
        case _ if callable(value):
            raise TypeError("it is a function: add ( )")
        case _:
            return str(value)


__all__ = ["Plainly", "Reason"]
