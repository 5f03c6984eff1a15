"""Properties of the model as monitors: each is asked anew where what it has read has changed.

The bodies are those that searches use. What is different is the state: it is known in part. A
property that reads what is not known is undecided there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, cast

from checker.concrete.asking import Looked, Readers
from checker.concrete.execution import PlainPredicate
from checker.conformance.acceptance_findings import Severity
from model.language.properties import Taken, goal_alone, stepping
from model.language.stops import BlockedHere, FaultHere
from model.protocols.parts.checkpoints import Checkpoint
from model.rules import Nothing
from model.system import Kind

from .standing import PartialStore, StandInSystem, UnseenHere

Said = Literal["holds", "fails", "silent", "unseen"]
#: So many checkpoints are given up for one reason, one after the other, until that is no chance.
ABORTS_IN_A_ROW = 5


@dataclass(frozen=True)
class Where:
    """A line of a log: which file of those that were read, and its number."""

    log: int
    part: int
    line: int


@dataclass(frozen=True)
class Shown:
    """What a run shows: a property that does not hold of it, for whom, and from which line on."""

    property: str
    binding: tuple[tuple[str, str], ...]
    where: Where
    severity: Severity
    sentence: str
    why: str | None = None
    """Of what is stuck, the reason that was given again and again."""


class _About:
    """Of steps of one name: what properties have read there, and what has changed since."""

    def __init__(self) -> None:
        self.readers = Readers[int]()
        self.lookers: set[int] = set()
        """Those that look at what a step is about: each may be about something else."""
        self.silent: defaultdict[frozenset[tuple[str, object]], set[int]] = defaultdict(set)
        """Those of them that say nothing of a step that is about this, whatever the state is."""
        self.changed: set[int] = set()

    def due(self, binding: Mapping[str, object]) -> set[int]:
        """The properties that may say something else of a step than of those before it."""
        items = tuple(binding.items())
        parts = (part for size in range(1, len(items) + 1) for part in combinations(items, size))
        silent = set[int]().union(*(self.silent.get(frozenset(part), ()) for part in parts))
        return self.readers.of(self.changed) | (self.lookers - silent)


class Monitors:
    """The properties, asked along a run."""

    def __init__(self, system: StandInSystem, known: Iterable[int]) -> None:
        self.system, self.known = system, frozenset(known)
        self._all = frozenset(range(len(system.start)))
        self.names: dict[str, str] = {}
        """Names of the model, and what they are called in the log."""
        self.values = list(system.start)
        by_kind: dict[Kind, list[PlainPredicate]] = {kind: [] for kind in Kind}
        for predicate in system.predicates:
            by_kind[predicate.family.kind].append(predicate)
        self._states = (*by_kind[Kind.ALWAYS], *by_kind[Kind.LEADS_TO])
        self._steps = tuple(each for each in by_kind[Kind.ON_STEP] if not each.takes_step)
        self._named = tuple(each for each in by_kind[Kind.ON_STEP] if each.takes_step)
        self._about: dict[str, _About] = {}
        """For steps of a name, those properties that speak of such."""
        self._readers, self._ends = Readers[int](), Readers[int]()
        self._ends_known = False
        self._changed = frozenset[int]()
        self.told = frozenset[int]()
        """The variables that are known when they have changed."""
        self._open: dict[int, Where] = {}
        self._row: tuple[str, int, Where] | None = None
        self.decided: set[str] = set()
        """The properties that have had an answer somewhere, other than that they say nothing."""
        self.unseen: set[str] = set()
        """Those that have asked somewhere for what no line tells."""
        self._where = Where(0, 0, 0)
        self.found: dict[tuple[str, tuple[tuple[str, str], ...]], Shown] = {}

    def start(self, where: Where) -> None:
        """The state in which the run begins."""
        self._where = where
        self._state(range(len(self._states)), where)

    def take(
        self, where: Where, rule: str, binding: Mapping[str, str], write: Callable[[], None]
    ) -> None:
        """A step, and what it changes of what is known."""
        self._where = where
        old = PartialStore(self.values, self.known)
        new = PartialStore(self.values, self._all)  # what is written may be read there
        with self.system.world.on(new):
            write()
        values = new.values
        changed = frozenset(
            at
            for at in new.read
            if values[at] is not old.values[at] and values[at] != old.values[at]
        )
        if not changed <= self.known:
            self.known |= changed & self.told
        if self.known is not old.known:
            changed |= self.known ^ old.known
        new.known = self.known
        self._step(old, new, Taken(rule, defaultdict(str, binding)), changed, where)
        self.values = values
        self._changed = changed
        self._state(self._readers.of(changed), where)

    def rename(
        self, moved: Mapping[Checkpoint, Checkpoint | None], names: Mapping[str, str]
    ) -> None:
        """Checkpoints of the model stand for others from now on; None: for none of those before.

        That is no step. What was open stays open, for whom it is now.
        """
        opened = {self._whose(number): where for number, where in self._open.items()}
        self.values = _renamed_values(self.system, self.values, moved)
        self.names = dict(names)
        self._open.clear()
        self._about.clear()
        self._ends_known, self._changed = False, frozenset[int]()
        for number, predicate in enumerate(self._states):
            if predicate.family.kind is Kind.LEADS_TO and self._whose(number) in opened:
                self._open[number] = opened[self._whose(number)]
        self._state(range(len(self._states)), self._where)

    def _whose(self, number: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        predicate = self._states[number]
        return predicate.family.name, self._renamed(predicate.binding)

    def given_up(self, why: str, where: Where) -> None:
        """A checkpoint was given up, or could not be begun, for this reason."""
        count, since = 1, where
        if self._row is not None and self._row[0] == why:
            count, since = self._row[1] + 1, self._row[2]
        self._row = (why, count, since)
        if count == ABORTS_IN_A_ROW:
            for number, opened in self._open.items():
                if (opened.log, opened.line) <= (since.log, since.line):
                    self._note(self._states[number], where, Severity.STUCK, why)

    @property
    def row(self) -> tuple[str, int] | None:
        """Why the last checkpoints were given up, and how many of them for this one reason."""
        return None if self._row is None else self._row[:2]

    def completes(self) -> None:
        """A checkpoint has completed."""
        self._row = None

    def end(self, *, over: bool) -> None:
        """The log ends; `over`: the job has ended, so that nothing is still to come."""
        for number, opened in self._open.items() if not over else ():
            self._note(self._states[number], opened, Severity.OPEN)

    # --- asking ----------------------------------------------------------------------------------

    def _state(self, due: Iterable[int], where: Where) -> None:
        store = PartialStore(self.values, self.known)
        with self.system.world.on(store):
            for number in due:
                predicate = self._states[number]
                store.read.clear()
                said = self._said(predicate)
                if predicate.family.kind is Kind.LEADS_TO and number in self._open:
                    with goal_alone():
                        if self._said(predicate) == "holds":
                            del self._open[number]
                elif said == "fails" and predicate.family.kind is Kind.LEADS_TO:
                    self._open[number] = where
                    with goal_alone():
                        self._said(predicate)
                elif said == "fails":
                    self._note(predicate, where, Severity.VIOLATED)
                self._readers.has(number, frozenset(store.read))

    def _step(
        self,
        old: PartialStore,
        new: PartialStore,
        step: Taken,
        changed: frozenset[int],
        where: Where,
    ) -> None:
        due: Iterable[int] = range(len(self._steps))
        if self._ends_known:
            due = self._ends.of(changed | self._changed)
        for about in self._about.values():
            about.changed |= changed
        with stepping(self.system.world, old), self.system.world.on(new):
            for number in due:
                old.read.clear()
                new.read.clear()
                said = self._said(self._steps[number])
                self._ends.has(number, frozenset(old.read | new.read))
                if said == "fails":
                    self._note(self._steps[number], where, Severity.VIOLATED)
            self._step_of_a_name(old, new, step, changed, where)
        self._ends_known = True

    def _step_of_a_name(
        self,
        old: PartialStore,
        new: PartialStore,
        step: Taken,
        changed: frozenset[int],
        where: Where,
    ) -> None:
        """The properties that ask which step it is. What such a one has read decides for a name."""
        about = self._about.get(step.rule)
        due: Iterable[int] = range(len(self._named))
        if about is None:
            about = self._about[step.rule] = _About()
        else:
            due = about.due(step.binding)
        for number in due:
            old.read.clear()
            new.read.clear()
            binding = Looked(step.binding)
            said = self._said(self._named[number], Taken(step.rule, binding))
            about.readers.has(number, frozenset(old.read | new.read))
            if binding.looked:
                about.lookers.add(number)
                if said == "silent" and not old.read and not new.read:
                    about.silent[frozenset(binding.looked.items())].add(number)
            if said == "fails":
                self._note(self._named[number], where, Severity.VIOLATED)
        about.changed = set(changed)

    def _said(self, predicate: PlainPredicate, step: Taken | None = None) -> Said:
        told = (step,) if predicate.takes_step else ()
        try:
            said = predicate.family.mark.function(self.system.protocol, *predicate.arguments, *told)
        except BlockedHere:
            return "silent"
        except (UnseenHere, FaultHere):
            self.unseen.add(predicate.family.name)
            return "unseen"
        self.decided.add(predicate.family.name)
        return "holds" if said else "fails"

    def ask(self, name: str, binding: tuple[object, ...], where: Where, told: str) -> None:
        """One property of one binding, in the present state, whose last name is told like this."""
        store = PartialStore(self.values, self._all)
        for predicate in self._states:
            if predicate.family.name == name and predicate.arguments == binding:
                with self.system.world.on(store):
                    if self._said(predicate) == "fails":
                        (*names, (kind, _)) = predicate.binding
                        self._note(
                            predicate, where, Severity.VIOLATED, None, (*names, (kind, told))
                        )

    def _note(
        self,
        predicate: PlainPredicate,
        where: Where,
        severity: Severity,
        why: str | None = None,
        binding: tuple[tuple[str, str], ...] | None = None,
    ) -> None:
        binding = self._renamed(predicate.binding) if binding is None else binding
        family = predicate.family
        shown = Shown(family.name, binding, where, severity, family.sentence, why)
        known = self.found.get((family.name, binding))
        if known is None or known.severity is Severity.OPEN:
            self.found[family.name, binding] = shown

    def _renamed(self, binding: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        return tuple((kind, self.names.get(name, name)) for kind, name in binding)


def _renamed_values(
    system: StandInSystem,
    values: Sequence[object],
    moved: Mapping[Checkpoint, Checkpoint | None],
) -> list[object]:
    """The values of a state whose checkpoints stand for others from now on."""
    new = list(values)
    for variable in system.world.variables:
        new[variable.position] = _renamed_value(values[variable.position], moved)
    for point in system.protocol.checkpoints:
        for variable in point.variables.values():
            new[variable.position] = system.start[variable.position]
    for old, stands in moved.items():
        if stands is not None:
            for name, variable in old.variables.items():
                value = _renamed_value(values[variable.position], moved)
                new[stands.variables[name].position] = value
    return new


def _renamed_value(value: object, moved: Mapping[Checkpoint, Checkpoint | None]) -> object:
    if isinstance(value, Checkpoint):
        stands = moved.get(value)
        return Nothing if stands is None else stands
    if isinstance(value, frozenset):
        members = cast("frozenset[object]", value)
        return frozenset(
            each for each in (_renamed_value(one, moved) for one in members) if each is not Nothing
        )
    return value


__all__ = ["ABORTS_IN_A_ROW", "Monitors", "Shown", "Where"]
