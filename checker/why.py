"""What a proof needs: which guards of rules, which antecedent, which values of options.

The invariant that was found is a core in itself: a guard without which it is still one is not
needed, nor are all those together that are left out one after the other. The system is built anew
without them, from its rules as they are written, so what is said is said of the protocol that one
would get by deleting the condition. What the invariant does need is asked by itself: without it the
property may fall, by a run that is told, or hold for another reason.
"""

from __future__ import annotations

import ast
import enum
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from time import perf_counter

from checker.answer import Violated
from checker.claim import Spec
from checker.explicit.search import LimitHit
from checker.question import INTERRUPTED, Limits, News, Progress
from checker.run import chosen
from checker.symbolic.prove import Proven, Proving, Refuted
from checker.symbolic.search import check
from checker.typed import option_word
from model.errors import FinaleError
from model.language.guards import Guard, watching
from model.system import System

#: So long it is asked what becomes of the property without a guard, or with another option.
SECONDS_OF_ONE = 10.0


@dataclass(frozen=True)
class Without:
    """What becomes of the property where something is left out or is another.

    `word` is what the outcome says, or `no system` where there is none; `steps` is the length of a
    shortest run that breaks it, if it is known.
    """

    word: str
    steps: int | None = None


@dataclass(frozen=True)
class Needed:
    """A guard that the invariant needs, and what becomes of the property without it."""

    guard: Guard
    without: Without


@dataclass(frozen=True)
class Chosen:
    """Another value of an option, and what becomes of the property with it."""

    name: str
    value: str
    other: str
    without: Without


@dataclass(frozen=True)
class Why:
    """What a proof needs, and what not: `free` may all be left out together.

    `stopped` says why not everything was asked.
    """

    name: str
    free: tuple[Guard, ...]
    needed: tuple[Needed, ...]
    options: tuple[Chosen, ...]
    seconds: float
    stopped: str = ""


class Explaining:
    """Explains proofs of one spec."""

    def __init__(self, spec: Spec, limits: Limits) -> None:
        self.spec, self._limits = spec, limits
        self._progress: Progress | None = None
        self._began = perf_counter()

    def explain(self, proven: Proven, progress: Progress | None = None) -> Why:
        """What the proof of a property needs. Raises KeyboardInterrupt."""
        began, stopped, self._progress = perf_counter(), "", progress
        with watching() as watch:
            self._system(self.spec, proven.name)
        guards, free = sorted(watch.met), list[Guard]()
        needed, options = list[Needed](), list[Chosen]()
        try:
            for number, guard in enumerate(guards):
                self._tell(f"guard {number + 1} of {len(guards)}")
                if self._is_kept(proven, frozenset([*free, guard])):
                    free.append(guard)
            for guard in guards:
                if guard not in free:
                    self._tell(f"without {guard_text(guard)[1]}")
                    needed.append(Needed(guard, self._without(proven, guard)))
            options.extend(self._options(proven))
        except LimitHit as limit:
            stopped = str(limit)
        seconds = perf_counter() - began
        return Why(proven.name, tuple(free), tuple(needed), tuple(options), seconds, stopped)

    def _tell(self, doing: str) -> None:
        seconds = perf_counter() - self._began
        if self._limits.seconds_max is not None and seconds > self._limits.seconds_max:
            raise LimitHit(self._limits.seconds_word)
        if self._progress is not None:
            self._progress(News(0, 0, 0, 0, seconds, before=f"why: {doing}"))

    def _is_kept(self, proven: Proven, left_out: frozenset[Guard]) -> bool:
        """Whether the invariant is one without some guards."""
        try:
            with watching(left_out):
                system = self._system(self.spec, proven.name)
        except FinaleError:
            return False
        proving = Proving(system, self._limits)
        _, topic = proving.asked([proven.name])[0]
        return proving.is_proven_by(topic, proven.cubes)

    def _without(self, proven: Proven, guard: Guard) -> Without:
        try:
            with watching(frozenset([guard])):
                return self._asked(self._system(self.spec, proven.name), proven)
        except FinaleError:
            return Without("no system")

    def _options(self, proven: Proven) -> Iterator[Chosen]:
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
                yield Chosen(name, *words, self._with(spec, proven))

    def _with(self, spec: Spec, proven: Proven) -> Without:
        try:
            return self._asked(self._system(spec, proven.name), proven)
        except FinaleError:
            return Without("no system")

    def _asked(self, system: System, proven: Proven) -> Without:
        """What becomes of it in another system: first whether the same invariant is one there."""
        limits = Limits(seconds_max=SECONDS_OF_ONE)
        proving = Proving(system, limits)
        asked = proving.asked([proven.name])[0]
        same = _names(system) == _names(self._system(self.spec, proven.name))
        if same and proving.is_proven_by(asked[1], proven.cubes):
            return Without("vacuous" if proving.says_nothing(asked[1]) else "proven")
        report = check(system, limits, self._progress, {proven.name})
        if report.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        answer = next(each for each in report.answers if each.property == proven.name)
        if isinstance(answer.verdict, Violated):
            return Without(Refuted.word, answer.steps)
        outcome = Proving(system, limits).prove(asked, self._progress)
        vacuous = isinstance(outcome, Proven) and outcome.vacuous
        return Without("vacuous" if vacuous else outcome.word)

    def _system(self, spec: Spec, name: str) -> System:
        return spec.system(chosen(spec, {name}))


def _names(system: System) -> list[tuple[str, range]]:
    return [(each.name, each.indices) for each in system.variables]


def alternatives(kind: type) -> Iterator[tuple[str, Sequence[object]]]:
    """The options of a protocol that have few values, and these."""
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


def guard_text(guard: Guard) -> tuple[str, str]:
    """The rule or helper that a guard stands in, and its condition, as they are written."""
    calls, functions = _parsed(guard.file)
    inside = [each for each in functions if each[0] <= guard.line <= each[1]]
    around = max(inside, default=(0, 0, ""))[2]
    for first, last, conditions in calls:
        if first <= guard.line <= last and guard.number < len(conditions):
            return around, conditions[guard.number]
    return around, "?"


_Calls = list[tuple[int, int, list[str]]]
_Functions = list[tuple[int, int, str]]


@cache
def _parsed(file: str) -> tuple[_Calls, _Functions]:
    calls: _Calls = []
    functions: _Functions = []
    source = Path(file).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="require" | "when"), args=arguments):
                last = node.end_lineno or node.lineno
                calls.append((node.lineno, last, [_shown(source, each) for each in arguments]))
            case ast.FunctionDef(name=name):
                functions.append((node.lineno, node.end_lineno or node.lineno, name))
            case _:
                pass
    return calls, functions


def _shown(source: str, condition: ast.expr) -> str:
    """A condition as it is written; one that is only asked behind others without its `lambda`."""
    inner = condition.body if isinstance(condition, ast.Lambda) else condition
    return " ".join((ast.get_source_segment(source, inner) or "?").split())


__all__ = ["Chosen", "Explaining", "Needed", "Why", "Without", "alternatives", "guard_text"]
