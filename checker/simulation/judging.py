"""What is true on one run: which properties it violates, tests and reaches.

Liveness is judged only where a run ends for good: whatever the run still owes there, it owes
forever. A run that a limit of steps cuts off, or that a bound stops, owes nothing yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial

from finale.checker.search.state_graph.liveness import is_judged
from finale.checker.search.state_graph.questions import Asked, Question, of_states, of_steps
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Verdict, Word
from finale.model.semantics import Known, evaluate, is_deadlock, steps
from finale.model.system import Fairness, Predicate, Property, System
from finale.model.trace import Trace

from .runs import End, waits_for_a_bound

Binding = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Findings:
    """What is true on a run: the first violation of each property, and the witnesses reached.

    `reached` has the number of steps after which each witness was first reached; `tested` are the
    properties whose antecedent was true.
    """

    violated: Mapping[str, Verdict]
    reached: Mapping[str, int]
    tested: frozenset[str]


class Judge:
    """Judges runs of one system."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._of_states = of_states(system)
        self._of_steps = cache(partial(of_steps, system))
        self._liveness = [prop for prop in system.properties if is_judged(prop)]

    def of(self, trace: Trace, end: End | None) -> Findings:
        """Return what is true on a run that ends in some way, or goes on."""
        violated: dict[str, Verdict] = {}
        reached: dict[str, int] = {}
        tested: set[str] = set()
        for position, question in self._true_on(trace):
            name = self._name(question)
            match question.asked:
                case Asked.WHEN:
                    tested.add(name)
                case Asked.REACHED:
                    reached.setdefault(name, position)
                case Asked.FAILS | Asked.FAULT:
                    part = Trace(trace.states[: position + 1], trace.rules[:position])
                    binding = question.predicate.binding
                    violated.setdefault(name, _violated(name, part, binding))
        if trace.fault is not None:
            violated.setdefault(WELL_FORMED, _violated(WELL_FORMED, trace))
        deadlock = self._deadlock_on(trace)
        if deadlock is not None:
            violated[NO_DEADLOCK] = _violated(NO_DEADLOCK, _forever(deadlock))
        for prop in self._liveness:
            owed = [each for each in prop.predicates if self._is_due(prop, each, trace)]
            tested |= {prop.name} if owed else set()
            if not self._ends_for_good(trace, end):
                continue
            for each in (each for each in owed if _owes(prop, each, trace)):
                found = _violated(prop.name, _forever(trace), each.binding)
                violated.setdefault(prop.name, found)
        return Findings(violated, reached, frozenset(tested))

    def shows(self, verdict: Verdict) -> bool:
        """Whether the trace of a verdict shows it: in its last step, or by its loop."""
        name, trace, is_violated = verdict.property, verdict.trace, verdict.word is Word.VIOLATED
        assert trace is not None
        if name == NO_DEADLOCK:
            return is_violated and is_deadlock(self.system, trace.states[-1])
        if name == WELL_FORMED:
            return is_violated and name in self.of(trace, None).violated
        prop = next((each for each in self.system.properties if each.name == name), None)
        if prop is None:
            return False
        if prop.kind.is_reachability:
            reached = self._at_its_end(Asked.REACHED, prop, trace)
            return verdict.word is Word.HOLDS and any(reached)
        # A run that only a bound forbids to go on leaves a property unknown.
        binding = verdict.binding if is_violated else None
        is_claim = verdict.word in (Word.VIOLATED, Word.UNKNOWN)
        return is_claim and self.violates(prop, trace, binding)

    def violates(self, prop: Property, trace: Trace, binding: Binding | None) -> bool:
        """Whether a run violates a property: in its last step, or by its loop. If a binding is
        given, for that one."""
        own = [each for each in prop.predicates if binding in (None, each.binding)]
        if is_judged(prop) and trace.loop is not None:
            again = trace.states[trace.loop :]
            return self._is_fair(trace) and any(
                _owes(prop, each, trace) and not any(evaluate(each.claim, state) for state in again)
                for each in own
            )
        failed = self._at_its_end(Asked.FAILS, prop, trace)
        return any(binding in (None, each.predicate.binding) for each in failed)

    def fallen(self, trace: Trace) -> Mapping[str, Verdict]:
        """Return the violations that a run shows: in any of its steps, or by its loop.

        A loop that a bound alone keeps a run in shows nothing: then nothing is owed forever.
        """
        found = dict(self.of(trace, None).violated)
        loops = trace.loop is not None and not any(
            waits_for_a_bound(self.system, each) for each in trace.states[trace.loop :]
        )
        for prop in self._liveness if loops else ():
            for each in prop.predicates:
                if self.violates(prop, trace, each.binding):
                    found.setdefault(prop.name, _violated(prop.name, trace, each.binding))
        return found

    def _deadlock_on(self, trace: Trace) -> Trace | None:
        """The part of a run up to its first deadlock, if the run comes to one."""
        for position, state in enumerate(trace.states):
            next_rules = trace.rules[position : position + 1]
            is_changed = trace.states[position + 1 : position + 2] != (state,)
            progress = (self.system.rules[rule].rule.makes_progress for rule in next_rules)
            if not (is_changed and any(progress)) and is_deadlock(self.system, state):
                return Trace(trace.states[: position + 1], trace.rules[:position])
        return None

    def _at_its_end(self, asked: Asked, prop: Property, trace: Trace) -> Iterator[Question]:
        for position, question in self._true_on(trace):
            is_last = position == len(trace.rules) and question.asked is asked
            if is_last and self._name(question) == prop.name:
                yield question

    def _is_fair(self, trace: Trace) -> bool:
        """Whether a run may stay in its loop: `state_graph/fairness.py` says when."""
        assert trace.loop is not None
        rules, inside = self.system.rules, trace.states[trace.loop :]
        taken = {rules[index].fairness_key for index in trace.rules[trace.loop :]}
        enabled = [
            {each.rule.fairness_key for each in steps(self.system, state) if each.result != state}
            for state in inside
        ]
        for rule in rules:
            key, fairness = rule.fairness_key, rule.rule.fairness
            quantifier = {Fairness.WEAK: all, Fairness.STRONG: any}.get(fairness)
            is_due = quantifier is not None and quantifier(key in each for each in enabled)
            if is_due and key not in taken:
                return False
        return True

    def _true_on(self, trace: Trace) -> Iterator[tuple[int, Question]]:
        """The questions that are true, each with the number of steps after which it is."""
        for position, state in enumerate(trace.states):
            known: Known = {}
            for question in self._of_states:
                if evaluate(question.condition, state, known=known):
                    yield position, question
            if position + 1 < len(trace.states):
                after, over = trace.states[position + 1], Known()
                for question in self._of_steps(trace.rules[position]):
                    if evaluate(question.condition, state, after, known=over):
                        yield position + 1, question

    def _name(self, question: Question) -> str:
        if question.asked is Asked.FAULT:
            return WELL_FORMED
        return self.system.properties[question.subject].name

    def _is_due(self, prop: Property, predicate: Predicate, trace: Trace) -> bool:
        states = trace.states[:1] if prop.kind.is_due_at_start else trace.states
        return any(evaluate(predicate.when, state) for state in states)

    def _ends_for_good(self, trace: Trace, end: End | None) -> bool:
        ended = end in (End.ENDED, End.DEADLOCK, End.BOUND)
        return ended and not waits_for_a_bound(self.system, trace.states[-1])


def _violated(name: str, trace: Trace, binding: Binding = ()) -> Verdict:
    """The verdict that the part of a run gives which shows a violation."""
    return Verdict(name, Word.VIOLATED, trace, binding, how="one run", is_shortest=False)


def _owes(prop: Property, predicate: Predicate, trace: Trace) -> bool:
    """Whether a goal is still owed in the last state, to the entity that it was promised to."""
    owed = False
    for position, state in enumerate(trace.states):
        if position == 0 or not prop.kind.is_due_at_start:
            owed = owed or bool(evaluate(predicate.when, state))
        owed = owed and not evaluate(predicate.claim, state)
        if owed and evaluate(predicate.moved, state):
            return False  # the name may pass to another entity
    return owed


def _forever(trace: Trace) -> Trace:
    """The run as one whose last state repeats forever."""
    return Trace(trace.states, trace.rules, loop=len(trace.rules))
