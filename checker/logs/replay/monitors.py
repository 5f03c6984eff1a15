"""Properties of the model as monitors: each is asked anew where what it has read has changed.

The bodies are those that searches use. What is different is the state: it is known in part. A
property that reads what is not known is undecided there. If lines leave variables two values, the
state has those that favour properties, and the others are alternatives: a property that fails with
some mix of them is undecided, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Literal

from checker.logs.findings import Severity
from checker.search.interpreter.asking import Looked, Readers
from checker.search.interpreter.execution import PlainPredicate
from model.language.path_ends import BlockedHere, FaultHere
from model.language.properties import Taken, goal_alone, stepping
from model.protocols.coordinator.checkpoints import Checkpoint
from model.system import Kind

from .partial_model import Choice, PartialStore, StandInSystem, UnseenHere
from .renamed import renamed_values
from .shown import RANK, Shown, Where

Said = Literal["holds", "fails", "silent", "unseen"]
#: So many checkpoints are given up for one reason, one after the other, until that is no chance.
ABORTS_IN_A_ROW = 5
#: How many mixes of first and second values are tried until a property is called undecided.
MIXES = 64
_HOLDS: tuple[Said, frozenset[int | None]] = ("holds", frozenset())


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
        self._known_then: frozenset[int] = self.known
        """What was known after the step before."""
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
        self.alternatives: dict[int, object] = {}
        """The other value of variables to which lines leave two."""
        self._answered: set[str] = set()
        """The properties that have had an answer somewhere, other than that they say nothing."""
        self.unseen: defaultdict[str, set[int | None]] = defaultdict(set)
        """For properties that have asked for what no line tells: which variables these are."""
        self._stores: tuple[PartialStore, ...] = ()
        """The states that are asked about: that before a step, and that after it."""
        self.overdue: dict[tuple[str, tuple[object, ...]], str] = {}
        """What must come and has not, though what comes later has: the lines that tell so."""
        self.ending = False
        """Whether the job is being cancelled or fails for good: what comes then is no recovery."""
        self.ambiguous: set[str] = set()
        """Those of them that hold with one of two values that lines leave, and fail with the
        other."""
        self._where = Where(0, 0, 0)
        self.found: dict[tuple[str, tuple[tuple[str, str], ...]], Shown] = {}

    def start(self, where: Where) -> None:
        """The state in which the run begins."""
        self._where = where
        self._state(range(len(self._states)), where)

    def take(
        self,
        where: Where,
        rule: str,
        binding: Mapping[str, str],
        write: Callable[[], None],
        as_of: Mapping[int, object] = MappingProxyType({}),
        alternatives: Mapping[int, object] | None = None,
    ) -> None:
        """A step, and what it changes of what is known.

        `as_of` gives values of variables at the moment when the step was decided, if they have
        changed since: the step is judged with these values. `alternatives` are those after the
        step, if they are others than before.
        """
        self._where = where
        present = self.values
        before = [as_of.get(at, value) for at, value in enumerate(present)] if as_of else present
        old = PartialStore(before, self.known)
        new = PartialStore(before, self._all)  # what is written may be read there
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
        if self.known is not self._known_then:
            changed |= self.known ^ self._known_then
            self._known_then = self.known
        new.known = self.known
        changed |= as_of.keys()
        old.others = self.alternatives
        if alternatives is not None:
            changed |= {each for each, _ in alternatives.items() ^ self.alternatives.items()}
            self.alternatives = dict(alternatives)
        new.others = self.alternatives
        self._step(old, new, Taken(rule, defaultdict(str, binding)), changed, where)
        for at in as_of:
            values[at] = present[at]
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
        self.values = renamed_values(self.system, self.values, moved)
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
                    told = f"again and again: {why}"
                    self._note(self._states[number], where, Severity.STUCK, told)

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
            predicate = self._states[number]
            why = self.overdue.get((predicate.family.name, predicate.arguments))
            self._note(predicate, opened, Severity.OVERDUE if why else Severity.OPEN, why)

    # --- asking ----------------------------------------------------------------------------------

    def _state(self, due: Iterable[int], where: Where) -> None:
        store = PartialStore(self.values, self.known, self.alternatives)
        self._stores = (store,)
        with self.system.world.on(store):
            for number in due:
                predicate = self._states[number]
                store.read.clear()
                said = self._said(predicate)
                if predicate.family.kind is Kind.LEADS_TO and number in self._open:
                    with goal_alone():
                        if self._said(predicate) == "holds":
                            del self._open[number]
                            self._recovers(predicate, where)
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
        self._stores = (old, new)
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

    @property
    def decided(self) -> set[str]:
        """The properties that have had an answer each time when they were asked, or do not hold."""
        fails = {
            each.property for each in self.found.values() if each.severity is not Severity.OPEN
        }
        return (self._answered - self.unseen.keys()) | fails

    def _said(self, predicate: PlainPredicate, step: Taken | None = None) -> Said:
        said, lacks = self._says(predicate, step)
        if said in ("holds", "silent"):
            lacks = self._fails_otherwise(predicate, step)
            self.ambiguous |= {predicate.family.name} if lacks else set()
        if lacks:
            self.unseen[predicate.family.name] |= lacks
        elif said in ("holds", "fails"):
            self._answered.add(predicate.family.name)
        return said

    def _says(
        self, predicate: PlainPredicate, step: Taken | None
    ) -> tuple[Said, frozenset[int | None]]:
        """What a property says, and what it lacks to say anything."""
        told = (step,) if predicate.takes_step else ()
        try:
            said = predicate.family.mark.function(self.system.protocol, *predicate.arguments, *told)
        except BlockedHere:
            return "silent", frozenset()
        except UnseenHere as unseen:
            return "unseen", frozenset({unseen.position})
        except FaultHere:
            return "unseen", frozenset({None})
        return "holds" if said else "fails", frozenset()

    def _fails_otherwise(
        self, predicate: PlainPredicate, step: Taken | None
    ) -> frozenset[int | None]:
        """If a property fails with some mix of first and second values, or asks for what no line
        tells, or there are too many mixes: which variables have two values, and what it lacks."""
        mixes = [frozenset[Choice]()]
        for mix in mixes:
            said, lacks = self._says_with(mix, predicate, step) if mix else _HOLDS
            read = [each for store in self._stores for each in store.open()]
            if said in ("fails", "unseen") or len(mixes) > MIXES:
                return lacks | {at for at, *_ in read}
            wider = dict.fromkeys(mix | {each} for each in read)
            mixes += [each for each in wider if each not in mixes]
        return frozenset()

    def _says_with(
        self, mix: frozenset[Choice], predicate: PlainPredicate, step: Taken | None
    ) -> tuple[Said, frozenset[int | None]]:
        """What a property says if these variables have their second values."""
        with ExitStack() as swapped:
            for store in self._stores:
                swapped.enter_context(store.on_others(mix))
            return self._says(predicate, step)

    def ask(self, name: str, binding: tuple[object, ...], where: Where, told: str) -> None:
        """One property of one binding, in the present state, whose last name is told like this."""
        store = PartialStore(self.values, self._all)
        self._stores = (store,)
        for predicate in self._states:
            if predicate.family.name == name and predicate.arguments == binding:
                with self.system.world.on(store):
                    if self._said(predicate) == "fails":
                        (*names, (kind, _)) = predicate.binding
                        self._note(
                            predicate, where, Severity.VIOLATED, None, (*names, (kind, told))
                        )

    def tell(
        self,
        name: str,
        binding: tuple[object, ...],
        where: Where,
        severity: Severity,
        why: str,
        until: Where | None = None,
    ) -> None:
        """A finding that lines show by themselves, told as that of a property."""
        for predicate in self._states:
            if predicate.family.name == name and predicate.arguments == binding:
                self._note(predicate, where, severity, why, until=until)

    def _note(
        self,
        predicate: PlainPredicate,
        where: Where,
        severity: Severity,
        why: str | None = None,
        binding: tuple[tuple[str, str], ...] | None = None,
        until: Where | None = None,
    ) -> None:
        binding = self._renamed(predicate.binding) if binding is None else binding
        family = predicate.family
        shown = Shown(family.name, binding, where, severity, family.sentence, why, until)
        known = self.found.get((family.name, binding))
        # A stop's reason, which comes last, tells more than that something is open.
        more = known is not None and known.severity is severity is Severity.OPEN
        if known is None or more or RANK[known.severity] < RANK[severity]:
            self.found[family.name, binding] = shown

    def _recovers(self, predicate: PlainPredicate, where: Where) -> None:
        """What was stuck has come, if only late."""
        key = predicate.family.name, self._renamed(predicate.binding)
        known = self.found.get(key)
        if known is None or known.severity is not Severity.STUCK or self.ending:
            return
        # Of the job as a whole nothing comes any more when all its tasks have ended.
        if predicate.binding or not self.system.protocol.is_finished:
            self.found[key] = replace(known, severity=Severity.RECOVERED, until=where)

    def _renamed(self, binding: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        return tuple((kind, self.names.get(name, name)) for kind, name in binding)


__all__ = ["ABORTS_IN_A_ROW", "MIXES", "Monitors", "Shown", "Where"]
