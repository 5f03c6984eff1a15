"""What the properties of the model say of one run: of its states, its steps, and its end.

A run that ends has not left undone what it could still do. So of what must come, that it has not
come yet is an open obligation; it is *stuck* where no step that the protocol promises leads there
any more.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from checker.concrete.execution import After, Judgement, PlainPredicate
from model.language.bindings import Bound
from model.language.properties import goal_alone
from model.system import Blocked, Fairness, Kind

from .acceptance_system import Reached, SectionSystem, Watched

#: So many states are looked at before an obligation is called open and not stuck.
STATES_AHEAD = 400


class Severity(enum.Enum):
    """What a finding is."""

    VIOLATED = "violated"
    STUCK = "stuck"
    OPEN = "open"
    """What must come has not come by the end, and still can."""


@dataclass(frozen=True)
class Finding:
    """A property that does not hold of a run, for whom, and from which line on."""

    property: str
    binding: tuple[tuple[str, str], ...]
    line: int | None
    severity: Severity
    sentence: str


class Visited(Protocol):
    """A step of a run: of the event in that line, or of none."""

    @property
    def rule(self) -> Bound: ...
    @property
    def line(self) -> int | None: ...
    @property
    def after(self) -> Reached: ...


@dataclass
class _Memory:
    """What a predicate said last of a state, and what it had read of it."""

    read: tuple[tuple[int, object], ...] | None = None
    said: Judgement = "silent"


class Judge:
    """The properties of a section's protocol."""

    def __init__(self, system: SectionSystem) -> None:
        self.system = system
        kinds: dict[Kind, list[PlainPredicate]] = {kind: [] for kind in Kind}
        for predicate in system.plain.predicates:
            kinds[predicate.family.kind].append(predicate)
        self._always = [(each, _Memory()) for each in kinds[Kind.ALWAYS]]
        self._on_step = kinds[Kind.ON_STEP]
        self._live = [(each, _Memory(), _Memory()) for each in kinds[Kind.LEADS_TO]]
        self._open: dict[int, int | None] = {}
        self._found: dict[tuple[str, tuple[tuple[str, str], ...]], Finding] = {}

    def judge(self, run: Sequence[Visited], *, ends: bool) -> tuple[Finding, ...]:
        """The first failure of each property; `ends`: nothing is known to follow the run."""
        before, line = self.system.start(), self.system.section.line
        self._state(before, line)
        for step in run:
            line = step.line or line
            self._step(before, step, line)
            self._state(step.after, line)
            before = step.after
        for number, since in self._open.items() if ends else ():
            predicate = self._live[number][0]
            self._note(predicate, since, self._severity(predicate, before), before)
        return tuple(self._found.values())

    def _state(self, reached: Reached, line: int) -> None:
        for predicate, memory in self._always:
            if self._said(predicate, memory, reached) is False:
                self._note(predicate, line, Severity.VIOLATED, reached)
        for number, (predicate, cause, goal) in enumerate(self._live):
            if number in self._open:
                with goal_alone():
                    reaches = self._said(predicate, goal, reached)
                if reaches is True:
                    del self._open[number]
            if number not in self._open and self._said(predicate, cause, reached) is False:
                self._open[number] = line

    def _step(self, before: Reached, step: Visited, line: int) -> None:
        plain, after = self.system.plain, step.after
        for predicate in self._on_step:
            if plain.judge_step(predicate, before.values, step.rule, after.values) is False:
                self._note(predicate, line, Severity.VIOLATED, after)

    def _said(self, predicate: PlainPredicate, memory: _Memory, reached: Reached) -> Judgement:
        """What a predicate says of a state; nothing new where all that it read is as before."""
        values = reached.values
        if memory.read is None or any(values[at] != value for at, value in memory.read):
            store = Watched(values)
            memory.said = self.system.plain.judge_store(predicate, store)
            memory.read = tuple((at, values[at]) for at in store.read)
        return memory.said

    def _note(
        self, predicate: PlainPredicate, line: int | None, severity: Severity, reached: Reached
    ) -> None:
        family = predicate.family
        binding = tuple((kind, reached.told(value)) for kind, value in predicate.binding)
        finding = Finding(family.name, binding, line, severity, family.sentence)
        self._found.setdefault((family.name, binding), finding)

    # --- what has not come yet -------------------------------------------------------------------

    def _severity(self, predicate: PlainPredicate, end: Reached) -> Severity:
        """Stuck, if no steps that are promised lead to the goal, and no bound is in the way."""
        plain = self.system.plain
        promised = [each for each in plain.rules if each.rule.fairness is not Fairness.NONE]
        todo, seen = [end.values], {end.values}
        while todo:
            values = todo.pop()
            with goal_alone():
                if plain.judge_state(predicate, values) is True or len(seen) > STATES_AHEAD:
                    return Severity.OPEN
            for rule in promised:
                match plain.take(rule, values):
                    case After(values=after) if after not in seen:
                        seen.add(after)
                        todo.append(after)
                    case Blocked(bound=str()):
                        return Severity.OPEN
                    case _:
                        pass
        return Severity.STUCK


__all__ = ["Finding", "Judge", "Severity"]
