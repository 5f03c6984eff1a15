"""Properties of the model as monitors: each is asked anew where what it has read has changed.

The bodies are those that searches use. What is different is the state: it is known in part. A
property that reads what is not known is undecided there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from checker.concrete.execution import PlainPredicate
from checker.conformance.acceptance_findings import Severity
from model.language.properties import Taken, goal_alone, stepping
from model.language.stops import BlockedHere, FaultHere
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


class _Readers:
    """Which predicates have read which variables when they were asked last."""

    def __init__(self) -> None:
        self._keys: dict[int, frozenset[int]] = {}
        self._of: defaultdict[int, set[int]] = defaultdict(set)

    def has(self, number: int, keys: frozenset[int]) -> None:
        known = self._keys.get(number, frozenset())
        for key in known - keys:
            self._of[key].discard(number)
        for key in keys - known:
            self._of[key].add(number)
        self._keys[number] = keys

    def of(self, keys: Iterable[int]) -> set[int]:
        return set[int]().union(*(self._of[key] for key in keys if key in self._of))


class Monitors:
    """The properties, asked along a run."""

    def __init__(self, system: StandInSystem, known: set[int]) -> None:
        self.system, self.known = system, known
        self.names: dict[str, str] = {}
        """Names of the model, and what they are called in the log."""
        self.values = list(system.start)
        by_kind: dict[Kind, list[PlainPredicate]] = {kind: [] for kind in Kind}
        for predicate in system.predicates:
            by_kind[predicate.family.kind].append(predicate)
        self._states = (*by_kind[Kind.ALWAYS], *by_kind[Kind.LEADS_TO])
        self._steps = tuple(each for each in by_kind[Kind.ON_STEP] if not each.takes_step)
        self._named = tuple(each for each in by_kind[Kind.ON_STEP] if each.takes_step)
        self._about: dict[str, list[int]] = {}
        """For steps of a name, those properties that speak of such."""
        self._readers, self._ends = _Readers(), _Readers()
        self._ends_known = False
        self._changed: set[int] = set()
        self.told: set[int] = set()
        """The variables that are known when they have changed."""
        self._open: dict[int, Where] = {}
        self._row: tuple[str, int, Where] | None = None
        self.decided: set[str] = set()
        """The properties that have had an answer somewhere, other than that they say nothing."""
        self.unseen: set[str] = set()
        """Those that have asked somewhere for what no line tells."""
        self.found: dict[tuple[str, tuple[tuple[str, str], ...]], Shown] = {}

    def start(self, where: Where) -> None:
        """The state in which the run begins."""
        self._state(range(len(self._states)), where)

    def take(
        self, where: Where, rule: str, binding: Mapping[str, str], write: Callable[[], None]
    ) -> None:
        """A step, and what it changes of what is known."""
        old = PartialStore(self.values, set(self.known))
        new = PartialStore(self.values, self.known)
        with self.system.world.on(new):
            new.known = set(range(len(self.values)))  # what is written may be read there
            write()
            new.known = self.known
        changed = {
            at
            for at, (was, now) in enumerate(zip(old.values, new.values, strict=True))
            if was is not now and was != now
        }
        self.known |= changed & self.told
        changed |= self.known ^ old.known
        new.read.clear()
        self._step(old, new, Taken(rule, defaultdict(str, binding)), changed, where)
        self.values = new.values
        self._changed = changed
        self._state(self._readers.of(changed), where)

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
        self, old: PartialStore, new: PartialStore, step: Taken, changed: set[int], where: Where
    ) -> None:
        due = (
            self._ends.of(changed | self._changed) if self._ends_known else range(len(self._steps))
        )
        with stepping(self.system.world, old), self.system.world.on(new):
            for number in due:
                old.read.clear()
                new.read.clear()
                said = self._said(self._steps[number])
                self._ends.has(number, frozenset(old.read | new.read))
                if said == "fails":
                    self._note(self._steps[number], where, Severity.VIOLATED)
            asked = self._about.get(step.rule)
            about: list[int] = []
            for number in range(len(self._named)) if asked is None else asked:
                old.read.clear()
                new.read.clear()
                binding = _Looked(step.binding)
                said = self._said(self._named[number], Taken(step.rule, binding))
                if said == "fails":
                    self._note(self._named[number], where, Severity.VIOLATED)
                if said != "silent" or old.read or new.read or binding.looked:
                    about.append(number)
            self._about.setdefault(step.rule, about)
        self._ends_known = True

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
        store = PartialStore(self.values, set(range(len(self.values))))
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


class _Looked(Mapping[str, object]):
    """The binding of a step, that notes whether it is looked at."""

    def __init__(self, binding: Mapping[str, object]) -> None:
        self.binding, self.looked = binding, False

    def __getitem__(self, name: str) -> object:
        self.looked = True
        return self.binding[name]

    def __iter__(self) -> Iterator[str]:
        self.looked = True
        return iter(self.binding)

    def __len__(self) -> int:
        self.looked = True
        return len(self.binding)


__all__ = ["ABORTS_IN_A_ROW", "Monitors", "Shown", "Where"]
