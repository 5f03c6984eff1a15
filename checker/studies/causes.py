"""Says what a counterexample needs: of what happens to the job, and of the order of steps.

- A step of the *environment* (a failure, a request, a time-out: no run can rely on its rule), or
  of a rule that a change has added, is needed if the property holds without it, and without its
  rule from there on. The rest is searched from the state before the step, with the rule taken
  away.
- A *move* is a step that could have come before an earlier one. Then the property can still hold
  after the run, without the steps that are possible no more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from finale.checker.search.backends import check_with
from finale.checker.search.limits import LimitHit, Limits
from finale.checker.search.verdict import Verdict, Word
from finale.model.expressions import TRUE
from finale.model.language.build import rule_names
from finale.model.language.observing import sound_kind
from finale.model.language.protocol import Protocol
from finale.model.semantics import evaluate, outcome
from finale.model.system import Blocked, Kind, Predicate, Property, State, System, Update
from finale.model.trace import Trace

from .decisive import future_of

#: So many states are looked at for one step. Beyond this nothing is claimed of it.
STATES_MAX = 20_000
#: So many moves are named, those over the fewest steps.
MOVES_MAX = 2


@dataclass(frozen=True)
class Causes:
    """Steps of a counterexample by their numbers; the first step is 1.

    Without one of the steps `needed`, and without its rule later, the property holds. Of the pairs
    in `moves` the first step is a later one: had it come before the second, the property could
    still hold.
    """

    needed: tuple[int, ...] = ()
    moves: tuple[tuple[int, int], ...] = ()


def causes_of(
    system: System,
    verdict: Verdict,
    added: Collection[str] = (),
    states_max: int = STATES_MAX,
) -> Causes:
    """Return what a counterexample needs, as far as few states tell it.

    `added` are rules that the protocol without a change does not have: their steps are tried, too.
    """
    trace = verdict.counterexample
    if trace is None or trace.fault is not None:
        return Causes()
    needed = [
        number
        for number, rule in enumerate(trace.rules, 1)
        if not (rule_of := system.rules[rule].rule).makes_progress
        or (rule_of.name in added and _holds_without(system, verdict, trace, number, states_max))
    ]
    moves: list[tuple[int, int]] = []
    try:
        for move in _moves(system, verdict, trace, states_max):
            moves.append(move)
            if len(moves) == MOVES_MAX:
                break
    except LimitHit:
        pass
    return Causes(tuple(needed), tuple(moves))


def added_rules(protocol: type[Protocol]) -> frozenset[str]:
    """Return the rules that a variant has, and its protocol has not."""
    return frozenset(rule_names(protocol)) - set(rule_names(sound_kind(protocol)))


# --- without a step ------------------------------------------------------------------------------


def _holds_without(
    system: System, verdict: Verdict, trace: Trace, number: int, states_max: int
) -> bool:
    """Whether a property holds in all runs that go on before a step, and never take its rule."""
    name = system.rules[trace.rules[number - 1]].rule.name
    rules = tuple(
        replace(each, tree=Blocked()) if each.rule.name == name else each for each in system.rules
    )
    before = trace.states[:number]
    own = [_from(each, verdict, before) for each in system.properties if _is_of(each, verdict)]
    rest = replace(system, initial=(before[-1],), rules=rules, properties=tuple(own))
    report = check_with("readable", rest, Limits(states_max), None)
    found = next(each for each in report.verdicts if each.property == verdict.property)
    return found.word in (Word.HOLDS, Word.VACUOUS)


def _is_of(prop: Property, verdict: Verdict) -> bool:
    return prop.name == verdict.property


def _from(prop: Property, verdict: Verdict, before: Sequence[State]) -> Property:
    """The property as it is asked of runs that go on from the last of some states."""
    bare = replace(prop, witness=None)
    if not prop.kind.is_liveness:
        return bare
    (own,) = (each for each in prop.predicates if each.binding == verdict.binding)
    if _is_owed(prop, own, before):
        owed = replace(own, when=TRUE)
        return replace(bare, kind=Kind.EVENTUALLY, predicates=(owed,))
    return replace(bare, predicates=(own,))


def _is_owed(prop: Property, predicate: Predicate, states: Sequence[State]) -> bool:
    owed = False
    for position, state in enumerate(states):
        if position == 0 or not prop.kind.is_due_at_start:
            owed = owed or bool(evaluate(predicate.when, state))
        owed = owed and not evaluate(predicate.claim, state)
    return owed


# --- another order -------------------------------------------------------------------------------


def _moves(
    system: System, verdict: Verdict, trace: Trace, states_max: int
) -> Iterator[tuple[int, int]]:
    """The moves after which the property can still hold: of each step the shortest one, those over
    the fewest steps first."""
    future = future_of(system, verdict, trace, states_max)
    if future is None:
        return

    def is_enabled(rule: int, state: State) -> bool:
        return isinstance(outcome(system.rules[rule].tree, state), Update)

    length = len(trace.rules)
    moved = set[int]()
    for distance in range(1, length):
        for early in range(1, length - distance + 1):
            late = early + distance
            if late in moved:
                continue
            order = (
                *range(1, early),
                late,
                *range(early, late),
                *range(late + 1, length + 1),
            )
            is_possible = is_enabled(trace.rules[late - 1], trace.states[early - 1])
            if is_possible and future.dooms(trace, order) is None:
                moved.add(late)
                yield late, early


__all__ = ["Causes", "causes_of"]
