"""Says which lines of a change some run has reached.

Three sources say that a line was reached. A complete search knows each rule that was taken, and
each outcome of an `if` or a `match`. Where both leave a line open (a helper that never branches),
the rules are run as plain Python in the first states of each case, and the lines are noted.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import CodeType, FrameType, FunctionType
from typing import Any

from checker.search.interpreter.breadth_first import InterpreterSearch
from checker.search.interpreter.execution import PlainSystem
from checker.search.limits import Limits
from checker.spec.overriding import Member, members_of
from model.errors import FinaleError
from model.language.build import build
from model.language.decorators import mark_of
from model.language.entities import Field
from model.language.explore import Branch
from model.language.protocol import Protocol

from .cases import Case
from .pair import Pair

#: Of a case that has more states, only so many are run line by line.
STATES_MAX = 20_000
#: All runs line by line end after so many seconds.
SECONDS_MAX = 10.0


@dataclass(frozen=True)
class ChangedMember:
    """A method that the change defines: `rule`, `helper` or `method`, and the lines of its body.

    `overrides` is the class whose member it takes the place of, if there is one.
    """

    member: Member
    role: str
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


@dataclass(frozen=True)
class MemberCoverage:
    """The lines of a method that have code, and those of them that no run reached.

    Of `unknown` lines no run was seen to reach them, and not all runs were looked at.
    """

    of: ChangedMember
    lines: tuple[int, ...]
    unreached: tuple[int, ...]
    unknown: tuple[int, ...] = ()

    @property
    def left(self) -> tuple[int, ...]:
        """The lines that no run was seen to reach."""
        return self.unreached or self.unknown

    @property
    def is_dead(self) -> bool:
        """Whether no line was reached."""
        return bool(self.lines) and self.unreached == self.lines


@dataclass(frozen=True)
class Coverage:
    """What was reached of each method. Of `cases`, all states of `interpreted` ones were run line
    by line."""

    methods: tuple[MemberCoverage, ...]
    cases: int
    interpreted: int


def changed_code(variant: type[Protocol] | None, base: type[Protocol]) -> ChangedCode:
    """Return what the variant's classes define, and those of entities beside them."""
    if variant is None:
        return ChangedCode((), ())
    kinds = [kind for kind in variant.__mro__ if kind not in base.__mro__]
    methods, values = list[ChangedMember](), list[Member]()
    for name in dict.fromkeys(kind.__module__ for kind in kinds):
        module = sys.modules[name]
        file = Path(str(module.__file__))
        tree = ast.parse(file.read_bytes())
        bodies = dict(_bodies(tree))
        # A file with the protocol itself has entities of the protocol, too.
        is_of_base = any(kind.__module__ == name for kind in base.__mro__)
        for member in members_of(tree, file, module):
            if member.kind not in kinds and (is_of_base or issubclass(member.kind, Protocol)):
                continue
            body = bodies.get((member.kind.__qualname__, member.name))
            function = _function(member.value)
            if body is not None and function is not None:
                methods.append(ChangedMember(member, _role(member.value), function.__code__, body))
            elif isinstance(member.value, Field) or member.inherited is not None:
                values.append(member)
    return ChangedCode(tuple(methods), tuple(values))


def _bodies(tree: ast.Module) -> Iterator[tuple[tuple[str, str], tuple[ast.stmt, ...]]]:
    for kind in tree.body:
        if isinstance(kind, ast.ClassDef):
            for node in kind.body:
                if isinstance(node, ast.FunctionDef):
                    yield (kind.name, node.name), tuple(node.body)


def _function(value: object) -> FunctionType | None:
    mark = mark_of(value)
    function: object = value if mark is None else mark.function
    function = function.fget if isinstance(function, property) else function
    return function if isinstance(function, FunctionType) else None


def _role(value: object) -> str:
    mark = mark_of(value)
    if mark is None:
        return "method"
    return "rule" if mark.role == "rule" else "helper"


# --- what was reached ----------------------------------------------------------------------------


@dataclass
class _Seen:
    """What the searches of all cases have taken of the change."""

    rules: set[str] = field(default_factory=set[str])
    taken: set[Branch] = field(default_factory=set[Branch])
    lines: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])

    def of(self, method: ChangedMember, *, is_complete: bool = True) -> MemberCoverage:
        """What was reached of a method. `is_complete`: all states were run line by line."""
        lines = tuple(dict.fromkeys(_lines(method.body)))
        own = {line for line in lines if (method.file, line) in self.lines}
        is_followed = self._is_followed(method, lines)
        if is_followed:
            own |= set(self._followed(method.file, method.body))
        left = tuple(line for line in lines if line not in own)
        # A search knows which rules it took, and each outcome of a branch that it came to.
        if is_complete or is_followed or method.role == "rule":
            return MemberCoverage(method, lines, left)
        return MemberCoverage(method, lines, (), left)

    def _is_followed(self, method: ChangedMember, lines: Sequence[int]) -> bool:
        """Whether the searches tell which lines of a method ran."""
        spots = {each.line for each in self.taken if each.file == method.file}
        by_rule = method.role == "rule" and method.member.name in self.rules
        return by_rule or not spots.isdisjoint(lines)

    def _followed(self, file: str, body: Iterable[ast.stmt]) -> Iterator[int]:
        """The lines that run if a body runs, given the branches that were taken."""
        for node in body:
            if _is_text(node):
                continue
            yield node.lineno
            match node:
                case ast.If():
                    if Branch(file, node.lineno, True) in self.taken:
                        yield from self._followed(file, node.body)
                    if Branch(file, node.lineno, False) in self.taken:
                        yield from self._followed(file, node.orelse)
                case ast.Match():
                    for case in node.cases:
                        line = case.pattern.lineno
                        yield line
                        if Branch(file, line, True) in self.taken:
                            yield from self._followed(file, case.body)
                case ast.For() | ast.With():
                    yield from self._followed(file, node.body)
                case _:
                    pass


def coverage_of(
    code: ChangedCode, tried: Sequence[tuple[Case, Pair]], seconds: float = SECONDS_MAX
) -> Coverage:
    """Return which lines of a change the runs of some cases have reached.

    `seconds` is the time limit of the runs line by line.
    """
    seen = _Seen()
    for _, pair in tried:
        seen.rules |= pair.changed.exercised
        seen.taken |= pair.taken
    interpreted = 0
    began = perf_counter()
    for case, _ in tried:
        left = seconds - (perf_counter() - began)
        missing = [each for each in map(seen.of, code.methods) if each.unreached]
        if not missing or left <= 0:
            break
        lines, is_whole = _interpreted(case, [each.of.code for each in missing], left)
        seen.lines |= lines
        interpreted += is_whole
    is_complete = interpreted == len(tried)
    methods = tuple(seen.of(each, is_complete=is_complete) for each in code.methods)
    return Coverage(methods, len(tried), interpreted)


def _lines(body: Iterable[ast.stmt]) -> Iterator[int]:
    """The lines of all statements, and of the cases of a `match`."""
    for node in body:
        if _is_text(node):
            continue
        yield node.lineno
        for name in ("body", "orelse"):
            yield from _lines(getattr(node, name, ()))
        if isinstance(node, ast.Match):
            for case in node.cases:
                yield case.pattern.lineno
                yield from _lines(case.body)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _interpreted(
    case: Case, codes: Sequence[CodeType], seconds: float
) -> tuple[set[tuple[str, int]], bool]:
    """The lines of some functions that run in the states of a case, and whether all states were
    run."""
    found: set[tuple[str, int]] = set()
    try:
        # What builds the system runs lines for states that are never reached.
        with _noting(codes, found):
            protocol = case.changed.instance()
            protocol.entities()
        build(protocol, ())
        search = InterpreterSearch(PlainSystem(protocol), Limits(STATES_MAX, seconds), None)
        with _noting(codes, found):
            search.run()
    except FinaleError:
        return found, False
    return found, not search.stopped


@contextmanager
def _noting(codes: Sequence[CodeType], found: set[tuple[str, int]]) -> Generator[None]:
    """Note the lines of some functions that run."""
    wanted = set(codes)

    def note(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            found.add((frame.f_code.co_filename, frame.f_lineno))
        return note

    def enter(frame: FrameType, _event: str, _argument: Any) -> Any:
        return note if frame.f_code in wanted else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)


__all__ = [
    "ChangedCode",
    "ChangedMember",
    "Coverage",
    "MemberCoverage",
    "changed_code",
    "coverage_of",
]
