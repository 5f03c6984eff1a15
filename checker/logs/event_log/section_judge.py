"""Judges one run of a section: what the properties say of its states, its steps and its end.

At the end of the run each obligation that is still open is either *open*, or *stuck*: it is stuck
if no steps that the protocol promises to take lead to its goal any more.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from finale.checker.logs.findings import Finding, Severity, Where
from finale.checker.logs.property_monitor import AskedPredicates, PropertyMonitor
from finale.checker.search.interpreter.execution import PlainPredicate, PlainSystem, TakenStep
from finale.model.language.plain import Values
from finale.model.language.properties import goal_alone
from finale.model.system import Blocked, Fairness

from .section_search import Move
from .section_system import Reached, SectionSystem

#: So many states are looked at before an obligation is called open and not stuck.
STATES_AHEAD = 400


def findings_of(
    system: SectionSystem, run: Sequence[Move], look: Callable[[int], None], *, ends: bool
) -> tuple[Finding, ...]:
    """The first failure of each property along a run of a section.

    `look` is called with the line of each step. If the run `ends`, nothing is known to follow it,
    and obligations that are still open are findings, too.
    """
    points = [each.name for each in system.protocol.checkpoints]

    def names(reached: Reached) -> dict[str, str]:
        return {name: reached.log_name(name) for name in points}

    before, line = system.start(), system.section.line
    predicates = system.plain.predicates
    asked = AskedPredicates(predicates)
    monitor = PropertyMonitor(system.world, system.protocol, asked, before.values)
    monitor.names = names(before)
    monitor.start(Where(0, 0, line))
    for step in run:
        line = step.line or line
        look(line)
        gone = system.given_again(step.rule, before, step.after)
        if gone is not None:
            before = system.forgotten(before, gone)
            now = renumbered(monitor.states, points, gone)
            monitor.rename(before.values, names(before), dict(enumerate(now)))
        monitor.names = names(step.after)
        monitor.move(Where(0, 0, line), system.plain.taken(step.rule), step.after.values)
        before = step.after
    ahead = Ahead(system.plain, before.values)
    if ends:
        monitor.end(lambda predicate: (ahead.severity(predicate), None))
    return tuple(monitor.found.values())


def renumbered(
    predicates: Sequence[PlainPredicate], names: Sequence[str], gone: int
) -> list[int | None]:
    """When one of the ids of these names is given again, of each predicate that which says the same
    then; None: it is about that id."""
    numbers = {(each.family.name, each.binding): n for n, each in enumerate(predicates)}
    now = dict(zip(names[gone + 1 :], names[gone:], strict=False)) | {names[gone]: ""}
    bindings = (tuple((k, now.get(v, v)) for k, v in each.binding) for each in predicates)
    families = (each.family.name for each in predicates)
    return [numbers.get(each) for each in zip(families, bindings, strict=True)]


def promised(plain: PlainSystem) -> tuple[int, ...]:
    """The numbers of the rules that the protocol promises to take."""
    rules = enumerate(plain.rules)
    return tuple(n for n, each in rules if each.rule.fairness is not Fairness.NONE)


class Ahead:
    """The states to which steps lead that the protocol promises; None where not all are known.

    They are looked for once, and only as far as somebody asks.
    """

    def __init__(self, plain: PlainSystem, end: Values) -> None:
        self.plain = plain
        self._promised = [plain.rules[number] for number in promised(plain)]
        self._known: list[Values | None] = []
        self._more = self._all(end)

    def __iter__(self) -> Iterator[Values | None]:
        for place in itertools.count():
            if place == len(self._known):
                more = next(self._more, ())
                if more == ():
                    return
                self._known.append(more)
            yield self._known[place]

    def severity(self, predicate: PlainPredicate) -> Severity:
        """Stuck, if no steps that are promised lead to the goal, and no bound is in the way."""
        for values in self:
            if values is None:
                return Severity.OPEN
            with goal_alone():
                if self.plain.judge_state(predicate, values) is True:
                    return Severity.OPEN
        return Severity.STUCK

    def _all(self, end: Values) -> Iterator[Values | None]:
        todo, seen = [end], {end}
        while todo:
            values = todo.pop()
            yield values
            if len(seen) > STATES_AHEAD:
                yield None
            for rule in self._promised:
                match self.plain.take(rule, values):
                    case TakenStep(values=after) if after not in seen:
                        seen.add(after)
                        todo.append(after)
                    case Blocked(bound=str()):
                        yield None
                    case _:
                        pass
