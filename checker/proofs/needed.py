"""Explains what a proof needs: which guards of rules, which antecedent, which values of options.

First the system is built with a switch at each guard that turns the guard off. For each question of
the invariant's check, the solver names a core: the guards that the answer needs. The guards that no
core needs are removed together, and the system is built anew from its rules without them. So the
result is about the protocol that one gets by deleting the condition. A condition without a switch
is removed alone. Each guard that the invariant does need is examined alone, too: without it the
property may be violated, with a trace, or hold for another reason.

In a claim `a or b` each side is such a condition. In a claim `a and b`, each side is reported with
the number of clauses of the invariant that it needs.
"""

from __future__ import annotations

import ast
import enum
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from time import perf_counter

from finale.checker.search.bmc.search import check
from finale.checker.search.limits import (
    INTERRUPTED,
    LimitHit,
    Limits,
    ProgressListener,
    SearchProgress,
)
from finale.checker.search.run import chosen
from finale.checker.search.state_graph.questions import Topic
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec
from finale.checker.spec.typed import option_word
from finale.model.errors import FinaleError
from finale.model.expressions import cell, negation
from finale.model.language.guards import Guard, Operand, Watch, watching
from finale.model.system import System

from .prove import Proven, Proving

#: So long it is asked what becomes of the property without a guard, or with another option.
SECONDS_OF_ONE = 10.0


@dataclass(frozen=True)
class Without:
    """The outcome for the property after a guard is removed, or an option is changed.

    `word` is the verdict, or `no system`; `steps` is the length of a shortest counterexample.
    """

    word: str
    steps: int | None = None


@dataclass(frozen=True)
class NeededGuard:
    """A guard that the invariant needs, and the outcome for the property without it."""

    guard: Guard | Operand
    without: Without


@dataclass(frozen=True)
class ClaimPart:
    """A part of a conjunctive claim, and the number of clauses of the invariant that it needs.

    The number is 0 if each step keeps the part by itself, and None if the part needs other parts.
    """

    operand: Operand
    clauses: int | None


@dataclass(frozen=True)
class OptionChoice:
    """Another value of an option, and the outcome for the property with it."""

    name: str
    value: str
    other: str
    without: Without


@dataclass(frozen=True)
class ProofNeeds:
    """What a proof needs and what it does not: all of `free` can be removed together.

    `stopped` says why not everything was asked.
    """

    name: str
    free: tuple[Guard | Operand, ...]
    needed: tuple[NeededGuard, ...]
    options: tuple[OptionChoice, ...]
    seconds: float
    stopped: str = ""
    parts: tuple[ClaimPart, ...] = ()


class Explaining:
    """Explains proofs of one spec."""

    def __init__(self, spec: Spec, limits: Limits) -> None:
        self.spec, self._limits = spec, limits
        self._progress: ProgressListener | None = None
        self._began = perf_counter()
        self._cells = 0

    def explain(self, proven: Proven, progress: ProgressListener | None = None) -> ProofNeeds:
        """Return what the proof of a property needs. Raises KeyboardInterrupt."""
        began, stopped, self._progress = perf_counter(), "", progress
        watch, free = self._watched(proven), set[Guard | Operand]()
        conditions = self._conditions(proven, watch)
        needed, options, parts = list[NeededGuard](), list[OptionChoice](), list[ClaimPart]()
        try:
            free.update(self.left_out(proven))
            for each in conditions:
                if each not in free:
                    self._tell(f"without {guard_text(each)[1]}")
                    needed.append(NeededGuard(each, self._without(proven, each)))
            parts.extend(self.parts(proven))
            options.extend(self._options(proven))
        except LimitHit as limit:
            stopped = str(limit)
        return ProofNeeds(
            proven.name,
            tuple(each for each in conditions if each in free),
            tuple(needed),
            tuple(options),
            perf_counter() - began,
            stopped,
            tuple(parts),
        )

    # --- what is not needed ----------------------------------------------------------------------

    def left_out(self, proven: Proven, by_core: bool = True) -> Iterator[Guard | Operand]:
        """Return conditions that can be removed together, a maximal set, without losing the
        invariant.

        Unless `by_core`, they are found one after another.
        """
        watch = self._watched(proven)
        free, core = self._by_core(proven, watch) if by_core else ([], frozenset[Guard]())
        yield from free
        out: list[Guard | Operand] = [*free]
        for each in self._conditions(proven, watch):
            if each not in free and each not in core:
                self._tell(f"may {guard_text(each)[1]} be left out?")
                if self._is_kept(proven, [*out, each]):
                    out.append(each)
                    yield each

    def _watched(self, proven: Proven) -> Watch:
        with watching() as watch:
            self._cells = len(self._system(self.spec, proven).cells)
        return watch

    def _conditions(self, proven: Proven, watch: Watch) -> list[Guard | Operand]:
        """All that may be left out: what is met, and the sides of a claim that has several."""
        sides = (each for each in self._sides(proven, either=True))
        return [*sorted(watch.met), *sides]

    def _sides(self, proven: Proven, either: bool) -> Iterator[Operand]:
        for family in chosen(self.spec, {proven.name}):
            yield from sides_of(family.mark.function, either)

    def _tell(self, doing: str) -> None:
        seconds = perf_counter() - self._began
        if self._limits.seconds_max is not None and seconds > self._limits.seconds_max:
            raise LimitHit(self._limits.seconds_word)
        if self._progress is not None:
            self._progress(SearchProgress(0, 0, 0, 0, seconds, before=f"why: {doing}"))

    def _by_core(self, proven: Proven, watch: Watch) -> tuple[list[Guard], frozenset[Guard]]:
        """Guards that are needed by no question of the check, all together, and those that are.

        Nothing is known of others. It is known of none where the system that is built without them
        does not agree, or where there is none with switches.
        """
        self._tell("cores")
        switched = [each for each in sorted(watch.met) if each not in watch.closed]
        switches = {
            each: cell(self._cells + number, 0, 1, True) for number, each in enumerate(switched)
        }
        try:
            with watching(switches=switches):
                system = self._system(self.spec, proven)
        except FinaleError:
            return [], frozenset()
        proving = Proving(system, self._limits)
        off = [negation(each) for each in switches.values()]
        numbers = proving.core(_topic(proving, proven), proven, off)
        if numbers is None:
            return [], frozenset()
        core = frozenset(switched[number] for number in numbers)
        free = [each for each in switched if each not in core]
        return (free, core) if self._is_kept(proven, free) else ([], frozenset())

    def _is_kept(self, proven: Proven, left_out: Sequence[Guard | Operand]) -> bool:
        """Whether the invariant is one without some conditions."""
        if not self._sides_left(proven, left_out):
            return False
        try:
            with watching(left_out):
                system = self._system(self.spec, proven)
        except FinaleError:
            return False
        proving = Proving(system, self._limits)
        return proving.is_proven_by(_topic(proving, proven), proven)

    def _sides_left(self, proven: Proven, left_out: Sequence[Guard | Operand]) -> bool:
        """Whether some side is left of each `or`."""
        sides = list(self._sides(proven, either=True))
        left = {each.lines for each in sides if each not in left_out}
        return all(each.lines in left for each in sides)

    def _without(self, proven: Proven, left_out: Guard | Operand) -> Without:
        try:
            with watching([left_out]):
                return self._asked(self._system(self.spec, proven), proven)
        except FinaleError:
            return Without("no system")

    def parts(self, proven: Proven) -> Iterator[ClaimPart]:
        """Return the sides of a conjunctive claim, each as if it were the whole claim."""
        sides = list(self._sides(proven, either=False))
        for side in sides:
            self._tell(f"the part {guard_text(side)[1]}")
            others = [e for e in sides if e != side and e.lines == side.lines]
            with watching(others):
                proving = Proving(self._system(self.spec, proven), self._limits)
            yield ClaimPart(side, proving.clauses_needed(_topic(proving, proven), proven))

    def _options(self, proven: Proven) -> Iterator[OptionChoice]:
        setting = self.spec.setting
        now = self.spec.instance().options
        for name, others in alternatives(self.spec.protocol.Options):
            value = getattr(now, name)
            for other in others:
                if other == value:
                    continue
                options = {**setting.options, name: other}
                spec = replace(self.spec, setting=replace(setting, options=options))
                words = option_word(value), option_word(other)
                self._tell(f"{name} = {words[1]}")
                yield OptionChoice(name, *words, self._with(spec, proven))

    def _with(self, spec: Spec, proven: Proven) -> Without:
        try:
            return self._asked(self._system(spec, proven), proven)
        except FinaleError:
            return Without("no system")

    def _asked(self, system: System, proven: Proven) -> Without:
        """What becomes of it in another system: first whether the same invariant is one there."""
        limits = Limits(seconds_max=SECONDS_OF_ONE)
        proving = Proving(system, limits)
        asked = proving.asked([proven.name])[0]
        same = _names(system) == _names(self._system(self.spec, proven))
        if same and proving.is_proven_by(asked[1], proven):
            return Without("vacuous" if proving.says_nothing(asked[1]) else "proven")
        report = check(system, limits, self._progress, {proven.name})
        if report.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        verdict = report.verdict_on(proven.name)
        if verdict is not None and verdict.word is Word.VIOLATED:
            return Without(verdict.word, verdict.steps)
        result = Proving(system, limits).prove(asked, self._progress)
        is_vacuous = result.verdict.word is Word.VACUOUS
        return Without(Word.VACUOUS if is_vacuous else result.word)

    def _system(self, spec: Spec, proven: Proven) -> System:
        return spec.system(chosen(spec, {proven.name, *proven.given}))


def _topic(proving: Proving, proven: Proven) -> Topic:
    return proving.asked([proven.name])[0][1]


def _names(system: System) -> list[tuple[str, range]]:
    return [(each.name, each.indices) for each in system.variables]


def alternatives(kind: type) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the options of a protocol that have few values, with these values."""
    hints = typing.get_type_hints(kind)
    for each in fields(kind):
        hint = hints[each.name]
        if hint is bool:
            yield each.name, (False, True)
        elif typing.get_origin(hint) is typing.Literal:
            yield each.name, typing.get_args(hint)
        elif isinstance(hint, type) and issubclass(hint, enum.Enum):
            yield each.name, tuple(hint)


# --- guards in the words of their source ---------------------------------------------------------


def guard_text(guard: Guard | Operand) -> tuple[str, str]:
    """Return the rule or helper of a condition, and the condition, as they are written."""
    source = _parsed(guard.file)
    line = guard.lines[0] if isinstance(guard, Operand) else guard.line
    inside = [each for each in source.functions if each[0] <= line <= each[1]]
    around = max(inside, default=(0, 0, ""))[2]
    if isinstance(guard, Operand):
        kind = ast.Or if guard.either else ast.And
        return around, source.sides[kind, guard.lines][guard.number]
    for first, last, conditions in source.calls:
        if first <= guard.line <= last and guard.number < len(conditions):
            return around, conditions[guard.number]
    return around, "?"


def sides_of(function: Callable[..., object], either: bool) -> Iterator[Operand]:
    """Yield the sides of what a function returns, if that is an `and`, or an `or`."""
    file, first = function.__code__.co_filename, function.__code__.co_firstlineno
    source, wanted = _parsed(file), ast.Or if either else ast.And
    last = max(end for start, end, _ in source.functions if start <= first <= end)
    for (kind, lines), conditions in source.sides.items():
        # Where others are on the same lines it cannot be told which of them is left out.
        is_one = source.joined.count((kind, lines)) == 1
        if kind is wanted and first <= lines[0] <= last and is_one:
            yield from (Operand(file, lines, either, number) for number in range(len(conditions)))


_Joined = tuple[type[ast.boolop], tuple[int, ...]]


@dataclass
class _Source:
    """Where calls of guards, functions, and sides of what is returned stand in a file."""

    calls: list[tuple[int, int, list[str]]] = field(
        default_factory=list[tuple[int, int, list[str]]]
    )
    functions: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    sides: dict[_Joined, list[str]] = field(default_factory=dict[_Joined, list[str]])
    joined: list[_Joined] = field(default_factory=list[_Joined])


@cache
def _parsed(file: str) -> _Source:
    found = _Source()
    source = Path(file).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="require" | "when"), args=arguments):
                last = node.end_lineno or node.lineno
                texts = [_shown(source, each) for each in arguments]
                found.calls.append((node.lineno, last, texts))
            case ast.FunctionDef(name=name):
                found.functions.append((_first(node), node.end_lineno or node.lineno, name))
            case ast.Return(value=ast.BoolOp(op=op, values=values)):
                texts = [_shown(source, each) for each in values]
                found.sides[type(op), _lines(values)] = texts
            case ast.BoolOp(op=op, values=values):
                found.joined.append((type(op), _lines(values)))
            case _:
                pass
    return found


def _first(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])


def _lines(values: Sequence[ast.expr]) -> tuple[int, ...]:
    return tuple(each.lineno for each in values)


def _shown(source: str, condition: ast.expr) -> str:
    """A condition as it is written; one that is only asked behind others without its `lambda`."""
    inner = condition.body if isinstance(condition, ast.Lambda) else condition
    return " ".join((ast.get_source_segment(source, inner) or "?").split())
