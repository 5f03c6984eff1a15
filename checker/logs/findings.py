"""What the properties of the model say of one run: of its states, its steps, and its end.

A run that ends has not left undone what it could still do. So of what must come, that it has not
come yet is an open obligation; it is *stuck* where no step that the protocol promises leads there
any more.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from checker.search.interpreter.asking import Looked, Readers
from checker.search.interpreter.execution import Judgement, PlainPredicate, PlainSystem, TakenStep
from model.language.bindings import BoundRule
from model.language.properties import Taken, goal_alone
from model.language.starting import Values
from model.system import Blocked, Fairness, Kind

from .event_log.system import Reached, SectionSystem, Watched

#: So many states are looked at before an obligation is called open and not stuck.
STATES_AHEAD = 400


#: The position of a variable, or that and which end of a step.
Key = int | tuple[int, int]


class Severity(enum.Enum):
    """What a finding is."""

    VIOLATED = "violated"
    STUCK = "stuck"
    RECOVERED = "recovered"
    """It was stuck, and what must come came later."""
    OVERDUE = "overdue"
    """What must come has not come, though what comes later has."""
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
    def rule(self) -> BoundRule: ...
    @property
    def line(self) -> int | None: ...
    @property
    def after(self) -> Reached: ...


class Judge:
    """The properties of a section's protocol. Each is asked anew where what it read has changed.

    `look` is called with each line that is come to.
    """

    def __init__(self, system: SectionSystem, look: Callable[[int], None]) -> None:
        self.system, self.plain, self._look = system, system.plain, look
        kinds: dict[Kind, list[PlainPredicate]] = {kind: [] for kind in Kind}
        for predicate in self.plain.predicates:
            kinds[predicate.family.kind].append(predicate)
        self._states = (*kinds[Kind.ALWAYS], *kinds[Kind.LEADS_TO])
        self._steps = kinds[Kind.ON_STEP]
        self._plain_steps = [n for n, each in enumerate(self._steps) if not each.takes_step]
        self._named: dict[str, list[int]] = {}
        """For steps of a name, the predicates that ask which step it is and speak of such."""
        self._readers, self._goals = Readers[Key](), Readers[Key]()
        self._ends = Readers[Key]()
        self._failing: set[int] = set()
        """The predicates that do not hold of the state that was looked at last,"""
        self._wrong: set[int] = set()
        """and of the step."""
        self._open: dict[int, int | None] = {}
        self._found: dict[tuple[str, tuple[tuple[str, str], ...]], Finding] = {}

    def judge(self, run: Sequence[Visited], *, ends: bool) -> tuple[Finding, ...]:
        """The first failure of each property; `ends`: nothing is known to follow the run."""
        before, line = self.system.start(), self.system.section.line
        self._state(before, line, range(len(self._states)))
        earlier: list[int] | None = None
        for step in run:
            line = step.line or line
            self._look(line)
            changed = _changed(before, step.after)
            gone = self.system.given_again(step.rule, before, step.after)
            if gone is not None:
                # Who is meant before a step must be who is meant after it.
                was, before = before, self.system.forgotten(before, gone)
                self._renumber(gone, before)
                earlier = None if earlier is None else [*earlier, *_changed(was, before)]
                changed = sorted({*changed, *_changed(before, step.after)})
            due: Iterable[int] = self._plain_steps
            if earlier is not None:
                keys = (*((0, at) for at in earlier), *((1, at) for at in changed))
                due = sorted(self._ends.of(keys))
            self._step(before, step, line, due)
            self._state(step.after, line, sorted(self._readers.of(changed)), changed)
            before, earlier = step.after, changed
        ahead = Ahead(self.plain, before.values)
        for number, since in self._open.items() if ends else ():
            predicate = self._states[number]
            self._note(predicate, since, ahead.severity(predicate), before)
        return tuple(self._found.values())

    def _renumber(self, gone: int, reached: Reached) -> None:
        """An id is given again: what is open is so for the same ones as before."""
        names = [each.name for each in self.system.protocol.checkpoints]
        now = renumbered(self._states, names, gone)
        moved = {now[number]: since for number, since in self._open.items()}
        self._open = {number: since for number, since in moved.items() if number is not None}
        store = Watched(reached.values)
        with self.plain.world.on(store):
            for number in self._open:
                self._is_reached(number, store)

    def _state(
        self, reached: Reached, line: int, due: Iterable[int], changed: Iterable[int] = ()
    ) -> None:
        store = Watched(reached.values)
        with self.plain.world.on(store):
            for number in sorted(self._goals.of(changed)):
                if number in self._open and self._is_reached(number, store):
                    del self._open[number]
            for number in due:
                store.read.clear()
                said = self.plain.said(self._states[number])
                self._readers.has(number, frozenset(store.read))
                (self._failing.add if said is False else self._failing.discard)(number)
            for number in sorted(self._failing):
                predicate = self._states[number]
                if predicate.family.kind is Kind.ALWAYS:
                    self._note(predicate, line, Severity.VIOLATED, reached)
                elif number not in self._open:
                    self._open[number] = line
                    self._is_reached(number, store)

    def _is_reached(self, number: int, store: Watched) -> bool:
        """Whether what must come is there, whatever it was that it must follow."""
        store.read.clear()
        with goal_alone():
            said = self.plain.said(self._states[number])
        self._goals.has(number, frozenset(store.read))
        return said is True

    def _step(self, before: Reached, step: Visited, line: int, due: Iterable[int]) -> None:
        old, new = Watched(before.values), Watched(step.after.values)
        taken = self.plain.taken(step.rule)
        with self.plain.on_step(old, new):
            for number in due:
                said, keys = self._asked(number, taken, old, new)
                self._ends.has(number, keys)
                (self._wrong.add if said is False else self._wrong.discard)(number)
            wrong = {*self._wrong, *self._wrong_for(taken, old, new)}
        for number in sorted(wrong):
            self._note(self._steps[number], line, Severity.VIOLATED, step.after)

    def _asked(
        self, number: int, taken: Taken, old: Watched, new: Watched
    ) -> tuple[Judgement, frozenset[Key]]:
        """What a predicate says of a step, and what it has read at either end."""
        old.read.clear()
        new.read.clear()
        said = self.plain.said(self._steps[number], taken)
        return said, frozenset((*((0, at) for at in old.read), *((1, at) for at in new.read)))

    def _wrong_for(self, taken: Taken, old: Watched, new: Watched) -> Iterator[int]:
        """Of the predicates that ask which step it is, those that do not hold.

        One that has read nothing else speaks of no step of that name.
        """
        known = self._named.get(taken.rule)
        about: list[int] = []
        asked = known
        if asked is None:
            asked = [n for n, each in enumerate(self._steps) if each.takes_step]
        for number in asked:
            binding = Looked(taken.binding)
            said, keys = self._asked(number, Taken(taken.rule, binding), old, new)
            if said is False:
                yield number
            if keys or binding.looked or said is False:
                about.append(number)
        if known is None:
            self._named[taken.rule] = about

    def _note(
        self, predicate: PlainPredicate, line: int | None, severity: Severity, reached: Reached
    ) -> None:
        family = predicate.family
        binding = tuple((kind, reached.told(value)) for kind, value in predicate.binding)
        finding = Finding(family.name, binding, line, severity, family.sentence)
        self._found.setdefault((family.name, binding), finding)


def _changed(before: Reached, after: Reached) -> list[int]:
    """The positions of the variables that have another value after a step."""
    both = enumerate(zip(before.values, after.values, strict=True))
    return [at for at, (old, new) in both if new is not old and new != old]


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


# --- what has not come yet ------------------------------------------------------------------------


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


__all__ = ["Ahead", "Finding", "Judge", "Severity", "promised", "renumbered"]
