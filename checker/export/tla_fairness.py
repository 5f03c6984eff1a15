"""Writes fairness in TLA+: WF and SF of each fair key, in two readings.

`FairSpec` is the lenient reading, in which a rule that a bound blocks is not enabled, as WF says;
in `StrictSpec` it counts as enabled and cannot be taken. A liveness property is violated if it is
under StrictSpec; if only under FairSpec, a bound has a part in it and nobody knows (`unknown`).
A rule that would fault is enabled in both, and cannot be taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from finale.model.expressions import FALSE, Expression, disjunction
from finale.model.system import Fairness as Promise
from finale.model.system import System

from .conditions import fair_keys, is_at_bound
from .names import SystemNames
from .terms import TermWriter

Definition = Callable[[str, Expression], Iterator[str]]


class FairnessWriter:
    """Writes what is promised. `is_strict` tells whether both readings differ."""

    def __init__(
        self,
        system: System,
        names: SystemNames,
        terms: TermWriter,
        faults: Mapping[int, str],
        definition: Definition,
    ) -> None:
        self.system = system
        self.names = names
        self.terms = terms
        self.faults = faults
        self.definition = definition
        self.is_strict = False

    def lines(self) -> Iterator[str]:
        """The definitions of Fairness and FairSpec and, if they differ, of the strict ones."""
        numbers = {id(rule): number for number, rule in enumerate(self.system.rules)}
        lenient: list[str] = []
        strict: list[str] = []
        for (name, entities), rules in fair_keys(self.system).items():
            members = [numbers[id(rule)] for rule in rules]
            action = self.names.rules[members[0]]
            if len(members) > 1:
                action = self.names.unique(" ".join(["any", name, *entities]))
                taken = " \\/ ".join(self.names.rules[member] for member in members)
                yield f"{action} == {taken}"
                yield ""
            more = [self.faults[member] for member in members if member in self.faults]
            promise = rules[0].rule.fairness
            lenient.append(_promise(promise, action, more))
            blocked = disjunction(is_at_bound(rule.tree) for rule in rules)
            if blocked is not FALSE:
                bound = self.names.unique(f"{action} at bound")
                yield from self.definition(bound, blocked)
                more = [*more, bound]
                self.is_strict = True
            strict.append(_promise(promise, action, more))
        yield from _spec("FairSpec", "Fairness", lenient)
        if self.is_strict:
            yield "\\* What a bound blocks counts as enabled: violated here is violated without it."
            yield from _spec("StrictSpec", "StrictFairness", strict)


def _promise(promise: Promise, action: str, more: list[str]) -> str:
    letter = "W" if promise is Promise.WEAK else "S"
    if not more:
        return f"{letter}F_vars({action})"
    enabled = " \\/ ".join([f"ENABLED <<{action}>>_vars", *more])
    idle = f"[]<>~({enabled})" if promise is Promise.WEAK else f"<>[]~({enabled})"
    return f"({idle} \\/ []<><<{action}>>_vars)"


def _spec(name: str, fairness: str, promises: list[str]) -> Iterator[str]:
    yield f"{fairness} =="
    yield from (f"  /\\ {promise}" for promise in promises or ["TRUE"])
    yield f"{name} == Spec /\\ {fairness}"
    yield ""
