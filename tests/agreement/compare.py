"""Compares rules and properties, run as Python, with their decision trees and predicates.

In every reachable state, a rule must do on plain values what `semantics.py` does with its decision
tree: the same state after the step, the same blocking bound, or the same fault. A property must say
of a plain state or step what its expressions say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from finale.checker.search.interpreter.execution import (
    Judgement,
    PlainPredicate,
    PlainSystem,
    TakenStep,
    Values,
)
from finale.model.language.build import BoundRule, build
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.semantics import evaluate, outcome, updated
from finale.model.system import Blocked, Fault, Kind, Predicate, State, System, Update
from finale.model.trace import renamed

#: The kinds whose plain function says what their expressions say. The goal of a liveness property
#: is also judged where its cause does not hold, and only there do the two differ.
COMPARED = (Kind.ALWAYS, Kind.ON_STEP, Kind.REACHABLE)


@dataclass(frozen=True)
class RuleDisagreement:
    """The two meanings of one rule or property differ in a state; `plain` ran it as Python."""

    state: State
    of: str
    plain: object
    tree: object

    def __str__(self) -> str:
        return f"{self.of} in {self.state}: as Python {self.plain}; as a tree {self.tree}"


def compare(
    protocol: Protocol, families: Sequence[Family] = (), states_max: int | None = None
) -> RuleDisagreement | None:
    """Return the first disagreement in any reachable state, breadth-first; None if all agree."""
    system = build(protocol, families)
    pair = Pair(PlainSystem(protocol, families), system)
    return next(pair.disagreements(states_max), None)


@dataclass(frozen=True)
class RuleOutcome:
    """What a rule does in a state: the state `after`, or why there is none.

    `earlier` is the state before the step under the names of the state after it.
    """

    after: State | None
    how: Literal["taken", "blocked", "fault", "raises"]
    why: str | None = None
    earlier: State | None = None


class Pair:
    """Both meanings of one protocol: its rules as Python, and its system."""

    def __init__(self, plain: PlainSystem, system: System) -> None:
        self.plain = plain
        self.system = system
        ground = {(rule.rule.name, rule.binding): i for i, rule in enumerate(system.rules)}
        #: Each rule with the number of its tree. A rule that no state enables has none.
        self.rules = [(each, ground.get((each.rule.name, each.binding))) for each in plain.rules]
        of_family = {prop.name: prop for prop in system.properties}
        self.predicates = [
            (predicate, of_family[predicate.family.name], position)
            for predicate, position in _positions(plain.predicates)
            if predicate.family.kind in COMPARED
        ]

    def disagreements(self, states_max: int | None) -> Iterator[RuleDisagreement]:
        """Yield all disagreements, state by state, of at most `states_max` states."""
        seen = dict.fromkeys(self.system.initial)
        pending = list(seen)
        for state in pending:  # it grows while it is read
            values = self.plain.world.decode(state)
            yield from self._about_state(state, values)
            for rule, number in self.rules:
                meant = self._tree_outcome(number, state)
                done = self._plain_outcome(rule, values)
                if done != meant:
                    yield RuleDisagreement(state, _name(rule.rule.name, rule.binding), done, meant)
                after = meant.after
                if after is None:
                    continue
                assert number is not None
                yield from self._about_step(state, meant, rule, number)
                if after not in seen and (states_max is None or len(seen) < states_max):
                    seen[after] = None
                    pending.append(after)

    # --- rules -----------------------------------------------------------------------------------

    def _tree_outcome(self, number: int | None, state: State) -> RuleOutcome:
        if number is None:
            return RuleOutcome(None, "blocked")
        match outcome(self.system.rules[number].tree, state):
            case Update() as update:
                earlier = renamed(self.system.rules[number], state)
                return RuleOutcome(updated(update, state), "taken", earlier=earlier)
            case Blocked(bound=bound):
                return RuleOutcome(None, "blocked", bound)
            case Fault(code=code):
                return RuleOutcome(None, "fault", code)

    def _plain_outcome(self, rule: BoundRule, values: Values) -> RuleOutcome:
        try:
            match self.plain.take(rule, values):
                case TakenStep(values=after, earlier=earlier):
                    before = self.plain.world.encode(values if earlier is None else earlier)
                    return RuleOutcome(self.plain.world.encode(after), "taken", earlier=before)
                case Blocked(bound=bound):
                    return RuleOutcome(None, "blocked", bound)
                case Fault(code=code):
                    return RuleOutcome(None, "fault", code)
        except Exception as error:  # whatever it is, no tree does that
            return RuleOutcome(None, "raises", repr(error))

    # --- properties ------------------------------------------------------------------------------

    def _about_state(self, state: State, values: Values) -> Iterator[RuleDisagreement]:
        terminal = bool(evaluate(self.system.terminal, state))
        if self.plain.is_terminal(values) != terminal:
            yield RuleDisagreement(state, "terminal", not terminal, terminal)
        for plain, prop, position in self.predicates:
            if prop.kind is not Kind.ON_STEP:
                said = self.plain.judge_state(plain, values)
                meant = _judgement(prop.predicates[position], state)
                if said != meant:
                    yield RuleDisagreement(state, _name(prop.name, plain.binding), said, meant)

    def _about_step(
        self, state: State, step: RuleOutcome, rule: BoundRule, number: int
    ) -> Iterator[RuleDisagreement]:
        after, earlier, decode = step.after, step.earlier, self.plain.world.decode
        assert after is not None
        assert earlier is not None
        for plain, prop, position in self.predicates:
            if prop.kind is Kind.ON_STEP:
                said = self.plain.judge_step(plain, decode(earlier), rule, decode(after))
                meant = _judgement(prop.on_rules[number][position], state, after)
                if said != meant:
                    name = f"{_name(prop.name, plain.binding)} of {rule.rule.name} to {after}"
                    yield RuleDisagreement(state, name, said, meant)


def _positions(predicates: Sequence[PlainPredicate]) -> Iterator[tuple[PlainPredicate, int]]:
    """Each predicate with its position among those of its property."""
    counted: dict[str, int] = {}
    for predicate in predicates:
        name = predicate.family.name
        counted[name] = counted.get(name, -1) + 1
        yield predicate, counted[name]


def _judgement(predicate: Predicate, state: State, after: State | None = None) -> Judgement:
    if evaluate(predicate.fault, state, after):
        return "fault"
    if not evaluate(predicate.when, state, after):
        return "silent"
    return bool(evaluate(predicate.claim, state, after))


def _name(name: str, binding: tuple[tuple[str, str], ...]) -> str:
    return f"{name}({', '.join(value for _, value in binding)})"
