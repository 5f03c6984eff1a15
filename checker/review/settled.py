"""Settles verdicts that a limit left open on one side: by the run that shows them on the other.

A search that a limit ended has not looked at all states. If the search of the other system has a
counterexample, the run may be one of both: its steps are taken again by their names.
"""

from __future__ import annotations

from dataclasses import replace

from finale.checker.search.verdict import Report, Verdict, Word
from finale.checker.simulation.judging import Judge
from finale.checker.spec.claim import Spec
from finale.model.semantics import outcome, updated
from finale.model.system import Fault, State, System, Update
from finale.model.trace import Trace

#: How an answer was reached that a run of the other system gives.
REPLAYED = "replayed"


def settled(report: Report, spec: Spec, other: Report, of_other: Spec) -> Report:
    """Return a report in which runs of another system answer what is unknown.

    `spec` and `of_other` are the specs of the two reports.
    """
    shown = {
        each.property: each.trace
        for each in other.verdicts
        if each.trace is not None and each.word in (Word.HOLDS, Word.VIOLATED)
    }
    open_ = {each.property for each in report.verdicts if each.word is Word.UNKNOWN}
    if not shown.keys() & open_:
        return report
    replaying = _Replaying(spec.system(), of_other.system())
    verdicts = tuple(
        replaying.verdict(each, shown[each.property])
        if each.property in open_ & set(shown)
        else each
        for each in report.verdicts
    )
    return replace(report, verdicts=verdicts)


class _Replaying:
    """Takes the steps of runs of one system in another system."""

    def __init__(self, system: System, other: System) -> None:
        self.system, self.judge = system, Judge(system)
        self.numbers = {str(rule): number for number, rule in enumerate(system.rules)}
        self.names = [str(rule) for rule in other.rules]
        self.witnesses = {each.name for each in system.properties if each.kind.is_reachability}

    def verdict(self, unknown: Verdict, run: Trace) -> Verdict:
        """The verdict that a run gives here, or the unknown one."""
        name = unknown.property
        for start in self.system.initial:
            trace = self._taken(run, start)
            if name not in self.witnesses:
                verdict = self.judge.fallen(trace).get(name)
            elif (steps := self.judge.of(trace, None).reached.get(name)) is not None:
                reaching = Trace(trace.states[: steps + 1], trace.rules[:steps])
                verdict = Verdict(name, Word.HOLDS, reaching)
            else:
                verdict = None
            if verdict is not None:
                return replace(verdict, how=REPLAYED, is_shortest=False)
        return unknown

    def _taken(self, run: Trace, start: State) -> Trace:
        """The run that takes the same steps from a state, as far as these are enabled."""
        states, rules = [start], list[int]()
        for index in run.rules:
            number = self.numbers.get(self.names[index])
            end = None if number is None else outcome(self.system.rules[number].tree, states[-1])
            if number is None or not isinstance(end, Update | Fault):
                return Trace(tuple(states), tuple(rules))
            rules.append(number)
            if isinstance(end, Fault):
                return Trace(tuple(states), tuple(rules), fault=end)
            states.append(updated(end, states[-1]))
        closes = run.loop is not None and states[run.loop] == states[-1]
        return Trace(tuple(states), tuple(rules), run.loop if closes else None)


__all__ = ["REPLAYED", "settled"]
