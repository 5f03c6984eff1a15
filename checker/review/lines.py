"""Says which lines of a change some run has reached.

A complete search knows each rule that was taken, and each outcome of an `if` or a `match` in it. If
this leaves a line open (in a helper, in a rule that other code calls, in a loop that never
branches), the rules are run as plain Python in the counterexamples and the first states of each
case, and the lines are noted. An attempt that ends blocked is no run: it reaches no line of a rule
or step. It does reach lines of a helper that only reads, as a guard says no in such attempts alone.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from types import CodeType, FrameType
from typing import Any

from finale.checker.cache.code import NotCacheable, Reach, is_of_model, names_in
from finale.checker.search.interpreter.breadth_first import InterpreterSearch
from finale.checker.search.interpreter.execution import PlainSystem, TakenStep, Values
from finale.checker.search.limits import Limits
from finale.model.errors import FinaleError
from finale.model.language.build import BoundRule, build, rule_names, world_of
from finale.model.language.decorators import mark_of
from finale.model.language.explore import Branch
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.system import Blocked, Fault
from finale.model.trace import Trace

from .cases import Case
from .code import ChangedCode, ChangedMember
from .followed import followed, has_taken, heads_of
from .pair import Pair

#: Of a case that has more states, only so many are run line by line.
STATES_MAX = 20_000
#: All runs line by line end after so many seconds.
SECONDS_MAX = 10.0
#: A file and a number.
_Line = tuple[str, int]


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
        return tuple(sorted((*self.unreached, *self.unknown)))

    @property
    def is_dead(self) -> bool:
        """Whether no line was reached."""
        return bool(self.lines) and self.unreached == self.lines


@dataclass(frozen=True)
class Coverage:
    """What was reached of each method."""

    methods: tuple[MemberCoverage, ...]


# --- what was reached ----------------------------------------------------------------------------


@dataclass
class _Seen:
    """What the searches of all cases have taken of the change."""

    rules: set[tuple[type, str]] = field(default_factory=set[tuple[type, str]])
    """The rules that were taken, and the class whose method each is."""
    hidden: set[tuple[type, str]] = field(default_factory=set[tuple[type, str]])
    """Methods that may run although no search took them: another class has its own in their place,
    or other code calls them."""
    taken: set[Branch] = field(default_factory=set[Branch])
    lines: set[_Line] = field(default_factory=set[_Line])
    tells_all: bool = True
    """Whether what no search took is taken in no run."""

    def of(self, method: ChangedMember, *, is_complete: bool = False) -> MemberCoverage:
        """What was reached of a method. `is_complete`: all states were run line by line."""
        heads = list(heads_of(method.body))
        lines = tuple(dict.fromkeys(each.start for each in heads))
        # Python runs a statement on several lines without its first line, if nothing is there.
        own = {each.start for each in heads if any((method.file, n) in self.lines for n in each)}
        # A search knows which rules it took, and each outcome of a branch that it came to.
        name = method.member.kind, method.member.name
        is_told = method.role == "rule" and name not in self.hidden
        untold = set[int]()
        if name in self.rules or has_taken(method.file, method.body, self.taken):
            told = followed(method.file, method.body, self.taken)
            own |= told.ran
            is_told, untold = method.acts, told.open
        if not (is_told and self.tells_all):
            untold = set(lines)
        left = [line for line in lines if line not in own]
        unknown = () if is_complete else tuple(line for line in left if line in untold)
        unreached = tuple(line for line in left if line not in unknown)
        return MemberCoverage(method, lines, unreached, unknown)


def coverage_of(
    code: ChangedCode,
    tried: Sequence[tuple[Case, Pair]],
    seconds: float = SECONDS_MAX,
    *,
    is_whole: bool = True,
) -> Coverage:
    """Return which lines of a change the runs of some cases have reached.

    `seconds` is the time limit of the runs line by line. `is_whole` says that no case was left out.
    """
    is_whole = is_whole and bool(tried)
    seen = _Seen(tells_all=is_whole)
    for case, pair in tried:
        seen.taken |= pair.taken
        seen.tells_all &= pair.tells_all
        order = case.changed.protocol.__mro__
        for name in {name for kind in order for name in vars(kind)}:
            first, *others = (kind for kind in order if name in vars(kind))
            seen.hidden |= {(kind, name) for kind in others}
            if name in pair.changed.exercised:
                seen.rules.add((first, name))
    seen.hidden |= _called((case for case, _ in tried), code.methods, seen.rules | seen.hidden)
    interpreted = 0
    began = perf_counter()
    for case, pair in tried:
        left = seconds - (perf_counter() - began)
        missing = [each for each in map(seen.of, code.methods) if each.unknown]
        if not missing or left <= 0:
            break
        interpreted += _interpreted(case, pair, [each.of for each in missing], left, seen.lines)
    is_complete = is_whole and interpreted == len(tried)
    return Coverage(tuple(seen.of(each, is_complete=is_complete) for each in code.methods))


def _called(
    cases: Iterable[Case], methods: Sequence[ChangedMember], known: set[tuple[type, str]]
) -> set[tuple[type, str]]:
    """The rules among some methods that other code may call, other than the known ones."""
    rules = {(each.member.kind, each.member.name) for each in methods if each.role == "rule"}
    found, looked = set[tuple[type, str]](), set[tuple[type, ...]]()
    for case in cases if rules - known else ():
        protocol = case.changed.instance()
        entities = world_of(protocol, protocol.keeps()).entities[1:]
        kinds = type(protocol), *dict.fromkeys(map(type, entities))
        if kinds in looked:
            continue  # the same code
        looked.add(kinds)
        try:
            reach, names = Reach(protocol, entities), rule_names(type(protocol))
        except NotCacheable:
            return rules
        users = [*_code_of_users(kinds)]
        found |= {each for each in rules - known if reach.is_called(each[1], names, users)}
    return found


def _code_of_users(kinds: Iterable[type]) -> Iterator[tuple[str, frozenset[str]]]:
    """All functions of a user whose folder some classes are from, with the names that they say.

    Those of other protocols do not run.
    """
    bases = {base for kind in kinds for base in kind.__mro__}
    modules = (base.__module__ for base in bases)
    packages = {each.partition(".")[0] for each in modules if not is_of_model(each)}
    packages -= sys.stdlib_module_names
    for module in [each for each in sys.modules if each.partition(".")[0] in packages]:
        for value in list(vars(sys.modules[module]).values()):
            is_other = isinstance(value, type) and issubclass(value, Protocol)
            if getattr(value, "__module__", None) == module and not (
                is_other and value not in bases
            ):
                yield from _code_of(value)


def _code_of(value: Any) -> Iterator[tuple[str, frozenset[str]]]:
    if isinstance(value, type):
        for each in vars(value).values():
            yield from _code_of(each)
        return
    mark = mark_of(value)
    function = value if mark is None else mark.function
    if isinstance(function, property):
        function = function.fget
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if isinstance(code, CodeType):
        yield code.co_qualname, frozenset(names_in(code))


class _Attempts(PlainSystem):
    """Keeps the lines of an `attempt` to take a rule, if it was taken or ended in a fault."""

    def __init__(
        self,
        protocol: Protocol,
        families: Sequence[Family],
        attempt: set[_Line],
        kept: set[_Line],
    ) -> None:
        super().__init__(protocol, families)
        self.attempt, self.kept = attempt, kept

    def take(self, rule: BoundRule, values: Values) -> TakenStep | Blocked | Fault:
        """Run a rule in a state."""
        self.attempt.clear()
        end = super().take(rule, values)
        if not isinstance(end, Blocked):
            self.kept |= self.attempt
        return end


def _interpreted(
    case: Case, pair: Pair, methods: Sequence[ChangedMember], seconds: float, found: set[_Line]
) -> bool:
    """Note the lines of some methods that run in the states of a case, and in its counterexamples.
    Whether all states were run."""
    attempt = set[_Line]()
    into = {code: attempt if each.acts else found for each in methods for code in _codes(each.code)}
    try:
        # What builds the system runs lines for states that are never reached.
        with _noting(into):
            protocol = case.changed.instance()
            protocol.entities()
        with case.changed.catalogue.blaming_user_code():
            build(protocol, ())
        # A method that does not act may run for a property alone, or to tell whether all has ended.
        reads = not all(each.acts for each in methods)
        system = _Attempts(protocol, case.changed.asked if reads else (), attempt, found)
        search = InterpreterSearch(system, Limits(STATES_MAX, seconds), None)
        with _noting(into):
            for trace in _counterexamples(pair):
                for number, state in zip(trace.rules, trace.states, strict=False):
                    system.take(system.rules[number], system.world.decode(state))
            search.run()
            for values in search.states if reads else ():
                system.is_terminal(values)
    except FinaleError:
        return False
    return not search.stopped


def _counterexamples(pair: Pair) -> Iterator[Trace]:
    for verdict in pair.changed.verdicts:
        if verdict.counterexample is not None:
            yield verdict.counterexample


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function, and of the functions in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


@contextmanager
def _noting(into: Mapping[CodeType, set[_Line]]) -> Generator[None]:
    """Note the lines of some functions that run, each into the set of its function."""

    def note(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            into[frame.f_code].add((frame.f_code.co_filename, frame.f_lineno))
        return note

    def enter(frame: FrameType, _event: str, _argument: Any) -> Any:
        return note if frame.f_code in into else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)


__all__ = [
    "Coverage",
    "MemberCoverage",
    "coverage_of",
]
