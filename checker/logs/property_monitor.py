"""Monitors the properties of the model along one run.

The monitor runs the same Python bodies as the searches, and asks a property again if a variable
that the property read has changed. A state can be known in part, as lines of Flink tell it: a
property that reads an unknown variable is *undecided* there. If lines leave a variable two values,
the state has the value that favours the properties, and the other value is an alternative: a
property that fails with some mix of alternatives is undecided, too. A state of a complete event
log is fully known and has no alternatives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import ExitStack, contextmanager
from itertools import combinations
from types import MappingProxyType
from typing import Any, Generic, Literal, TypeVar

from finale.checker.logs.findings import RANK, Finding, Severity, Where
from finale.checker.search.interpreter.execution import PlainPredicate
from finale.model.language.entities import Variable, World
from finale.model.language.observing import observing
from finale.model.language.path_ends import BlockedHere, FaultHere
from finale.model.language.plain import PlainStore
from finale.model.language.properties import Taken, goal_alone, stepping
from finale.model.language.protocol import Protocol
from finale.model.system import Kind

K = TypeVar("K", bound=Hashable)


def is_monitored(kind: Kind) -> bool:
    """Return whether a monitor of one run asks the properties of a kind."""
    return not (kind.is_reachability or kind.is_due_at_start)


def of_states_and_steps(
    predicates: Iterable[PlainPredicate],
) -> tuple[tuple[PlainPredicate, ...], tuple[PlainPredicate, ...]]:
    """Return the monitored predicates on states, with obligations last, and those on steps."""
    monitored = [each for each in predicates if is_monitored(each.family.kind)]
    states = [each for each in monitored if not each.on_steps]
    states.sort(key=lambda each: each.family.kind.is_liveness)
    return tuple(states), tuple(each for each in monitored if each.on_steps)


class Readers(Generic[K]):
    """What each predicate has read when it was last asked. Until that changes, its answer holds.

    Keys are positions of variables: of a state, or of either end of a step.
    """

    def __init__(self) -> None:
        self._keys: dict[int, frozenset[K]] = {}
        self._of: defaultdict[K, set[int]] = defaultdict(set)

    def has(self, number: int, keys: frozenset[K]) -> None:
        """Keep what a predicate has read."""
        known = self._keys.get(number, frozenset())
        for key in known - keys:
            self._of[key].discard(number)
        for key in keys - known:
            self._of[key].add(number)
        self._keys[number] = keys

    def of(self, keys: Iterable[K]) -> set[int]:
        """Return the predicates whose answer may change, since these keys have changed."""
        return set[int]().union(*(self._of[key] for key in keys if key in self._of))


class Looked(Mapping[str, object]):
    """The binding of a step, which records what a property reads of it."""

    def __init__(self, binding: Mapping[str, object]) -> None:
        self.binding = binding
        self.looked: dict[str, object] = {}

    def __getitem__(self, name: str) -> object:
        self.looked[name] = self.binding[name]
        return self.binding[name]

    def __iter__(self) -> Iterator[str]:
        self.looked.update(self.binding)
        return iter(self.binding)

    def __len__(self) -> int:
        self.looked.update(self.binding)
        return len(self.binding)


Said = Literal["holds", "fails", "silent", "undecided"]
#: A variable to which lines leave two values: its position, the value that it has, and the other.
Choice = tuple[int, object, object]
#: How many mixes of first and second values are tried before a property is called undecided.
MIXES = 64
_HOLDS: tuple[Said, frozenset[int | None]] = ("holds", frozenset())


class UnknownHere(Exception):
    """A property reads what the log does not tell: a variable, or how tasks are connected."""

    def __init__(self, position: int | None = None) -> None:
        super().__init__()
        self.position = position


class PartialStore(PlainStore):
    """A state of which some variables are known. It notes which are read.

    `others` are the second values of variables to which lines leave two.
    """

    def __init__(
        self,
        values: Sequence[object],
        known: frozenset[int],
        others: Mapping[int, object] = MappingProxyType({}),
    ) -> None:
        super().__init__(values)
        self.known, self.others = known, others
        self.read: set[int] = set()

    def get(self, variable: Variable) -> Any:
        self.read.add(variable.position)
        if variable.position not in self.known:
            raise UnknownHere(variable.position)
        return super().get(variable)

    @contextmanager
    def on_others(self, choices: Collection[Choice]) -> Generator[None]:
        """The state with the second values of those variables that are chosen."""
        values = self.values
        self.values = list(values)
        for at, value in self.others.items():
            if (at, values[at], value) in choices:
                self.values[at] = value
        try:
            yield
        finally:
            self.values = values

    def open(self) -> list[Choice]:
        """The variables that were read and have two values."""
        read = sorted(self.read & self.others.keys())
        return [(at, self.values[at], self.others[at]) for at in read]

    def set(self, variable: Variable, value: Any) -> None:
        self.read.add(variable.position)
        super().set(variable, value)


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


class PropertyMonitor:
    """Asks the properties of a protocol along one run, and keeps their findings."""

    def __init__(
        self,
        world: World,
        protocol: Protocol,
        predicates: Iterable[PlainPredicate],
        start: Sequence[object],
        known: Iterable[int] | None = None,
    ) -> None:
        self.world, self.protocol = world, protocol
        self._all = frozenset(range(len(start)))
        self.known = self._all if known is None else frozenset(known)
        """The positions of the variables that are known."""
        self._known_then: frozenset[int] = self.known
        """What was known after the step before."""
        self.observed = frozenset[int]()
        """The variables that are known as soon as they have changed."""
        self.names: dict[str, str] = {}
        """Names of the model, and how the log calls them."""
        self.values = list(start)
        self.alternatives: dict[int, object] = {}
        """The other value of variables to which lines leave two."""
        self.states, steps = of_states_and_steps(predicates)
        """The predicates on states; obligations come last."""
        self._steps = tuple(each for each in steps if not each.takes_step)
        self._named = tuple(each for each in steps if each.takes_step)
        self._about: dict[str, _About] = {}
        """For steps of a name, those properties that speak of such."""
        self._readers, self._ends = Readers[int](), Readers[int]()
        self._ends_known = False
        self._changed = frozenset[int]()
        """The variables that changed in the step before."""
        self._moved = frozenset[int]()
        """The variables that changed since then, because checkpoints were renamed."""
        self._failing: set[int] = set()
        """The predicates that fail in the present state,"""
        self._wrong: set[int] = set()
        """and those on steps that fail of the last step."""
        self._open: dict[int, Where] = {}
        """The obligations that are open, and since which line."""
        self._stores: tuple[PartialStore, ...] = ()
        """The states that are asked about: that before a step, and that after it."""
        self._answered: set[str] = set()
        """The properties that have had an answer somewhere, other than that they say nothing."""
        self.unseen: defaultdict[str, set[int | None]] = defaultdict(set)
        """For properties that asked for what no line tells: which variables these are."""
        self.ambiguous: set[str] = set()
        """Those of them that hold with one of two values that lines leave, and fail with the
        other."""
        self.found: dict[tuple[str, tuple[tuple[str, str], ...]], Finding] = {}

    def start(self, where: Where) -> None:
        """Ask about the state in which the run begins."""
        self._state(range(len(self.states)), where)

    def move(self, where: Where, step: Taken, values: Sequence[object]) -> None:
        """Take a step of a run whose states are known."""
        old, new = PartialStore(self.values, self.known), PartialStore(values, self.known)
        changed = changed_between(self.values, values)
        self.values = new.values
        self._step(old, new, step, changed, where)
        self._end_step(changed, where)

    def take(
        self,
        where: Where,
        rule: str,
        binding: Mapping[str, str],
        write: Callable[[], None],
        as_of: Mapping[int, object] = MappingProxyType({}),
        alternatives: Mapping[int, object] | None = None,
    ) -> None:
        """Take a step that writes what is known of the state after it.

        `as_of` gives values of variables at the moment when the step was decided, if they have
        changed since: the step is judged with these values. `alternatives` are those after the
        step, if they are others than before.
        """
        present = self.values
        before = [as_of.get(at, value) for at, value in enumerate(present)] if as_of else present
        old = PartialStore(before, self.known)
        new = PartialStore(before, self._all)  # what is written may be read there
        with self.world.on(new):
            write()
        values = new.values
        changed = frozenset(
            at
            for at in new.read
            if values[at] is not old.values[at] and values[at] != old.values[at]
        )
        if not changed <= self.known:
            self.known |= changed & self.observed
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
        self._end_step(changed, where)

    def rename(
        self,
        values: Sequence[object],
        names: Mapping[str, str],
        now: Mapping[int, int | None] | None = None,
    ) -> None:
        """Let checkpoints of the model stand for others from now on; that is no step.

        `now` gives for each predicate on states the one that says the same from now on; without it,
        predicates that the log calls by the same names say the same. What was open stays open.
        """
        whose = {self._whose(number): number for number in self._open}
        self._moved |= changed_between(self.values, values)
        self.values, self.names = list(values), dict(names)
        if now is None:
            numbers = range(len(self.states))
            now = {whose[key]: n for n in numbers if (key := self._whose(n)) in whose}
        opened = {now.get(number): since for number, since in self._open.items()}
        self._open = {number: since for number, since in opened.items() if number is not None}

    def forget(self) -> None:
        """Lines are missing here: nothing is known, and what was open may be met already."""
        self.known = frozenset[int]()
        self._open.clear()

    def drop(self, names: Collection[str]) -> None:
        """Drop what is open about entities of the model: no line would tell that it is met."""
        self._open = {
            number: since
            for number, since in self._open.items()
            if not {name for _, name in self.states[number].binding} & {*names}
        }

    def end(self, severity: Callable[[PlainPredicate], tuple[Severity, str | None]]) -> None:
        """End the run: each obligation that is open is a finding of this severity."""
        for number, since in self._open.items():
            predicate = self.states[number]
            self.note(predicate, since, *severity(predicate))

    @property
    def decided(self) -> set[str]:
        """The properties that have had an answer each time when they were asked, or do not hold."""
        fails = {
            each.property for each in self.found.values() if each.severity is not Severity.OPEN
        }
        return (self._answered - self.unseen.keys()) | fails

    def note(
        self,
        predicate: PlainPredicate,
        where: Where,
        severity: Severity,
        why: str | None = None,
        binding: tuple[tuple[str, str], ...] | None = None,
        until: Where | None = None,
    ) -> None:
        """Keep a finding, unless a graver one about the same is known."""
        binding = self._renamed(predicate.binding) if binding is None else binding
        family = predicate.family
        key = family.name, binding
        known = self.found.get(key)
        # A stop's reason, which comes last, tells more than that something is open.
        more = known is not None and known.severity is severity is Severity.OPEN and why is not None
        if known is None or more or RANK[known.severity] < RANK[severity]:
            self.found[key] = Finding(*key, where, severity, family.sentence, why, until)

    def reached(self, predicate: PlainPredicate, where: Where) -> None:
        """An obligation is met: here nothing is to be done."""

    # --- asking ----------------------------------------------------------------------------------

    def _end_step(self, changed: frozenset[int], where: Where) -> None:
        due = self._readers.of(changed | self._moved)
        if self._moved:
            due |= self._open.keys()
        self._changed, self._moved = changed, frozenset[int]()
        self._state(due, where)

    def _state(self, due: Iterable[int], where: Where) -> None:
        store = PartialStore(self.values, self.known, self.alternatives)
        self._stores = (store,)
        with self.world.on(store):
            for number in sorted(due):
                predicate = self.states[number]
                store.read.clear()
                said = self.says(predicate)
                if predicate.family.kind.is_liveness:
                    self._obligation(number, said, where)
                else:
                    (self._failing.add if said == "fails" else self._failing.discard)(number)
                self._readers.has(number, frozenset(store.read))
        for number in sorted(self._failing):
            self.note(self.states[number], where, Severity.VIOLATED)

    def _obligation(self, number: int, said: Said, where: Where) -> None:
        """Open an obligation, or look whether its goal is reached, whatever it must follow."""
        predicate = self.states[number]
        if number in self._open:
            with goal_alone():
                if self.says(predicate) == "holds":
                    del self._open[number]
                    self.reached(predicate, where)
        elif said == "fails":
            self._open[number] = where
            with goal_alone():
                self.says(predicate)

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
            due = sorted(self._ends.of(changed | self._changed | self._moved))
        for about in self._about.values():
            about.changed |= changed | self._moved
        with stepping(self.world, old), self.world.on(new):
            for number in due:
                old.read.clear()
                new.read.clear()
                said = self.says(self._steps[number])
                self._ends.has(number, frozenset(old.read | new.read))
                (self._wrong.add if said == "fails" else self._wrong.discard)(number)
            for number in sorted(self._wrong):
                self.note(self._steps[number], where, Severity.VIOLATED)
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
            due = sorted(about.due(step.binding))
        for number in due:
            old.read.clear()
            new.read.clear()
            binding = Looked(step.binding)
            said = self.says(self._named[number], Taken(step.rule, binding))
            about.readers.has(number, frozenset(old.read | new.read))
            if binding.looked:
                about.lookers.add(number)
                if said == "silent" and not old.read and not new.read:
                    about.silent[frozenset(binding.looked.items())].add(number)
            if said == "fails":
                self.note(self._named[number], where, Severity.VIOLATED)
        about.changed = set(changed)

    def says(self, predicate: PlainPredicate, step: Taken | None = None) -> Said:
        """What a property says of the present state or step."""
        said, lacks = self._says(predicate, step)
        if said in ("holds", "silent") and any(store.others for store in self._stores):
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
        family, told = predicate.family, (step,) if predicate.takes_step else ()
        try:
            with observing(self.protocol, family.view):
                said = family.mark.function(self.protocol, *predicate.arguments, *told)
        except BlockedHere:
            return "silent", frozenset()
        except UnknownHere as unknown:
            return "undecided", frozenset({unknown.position})
        except FaultHere:
            return "undecided", frozenset({None})
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
            if said in ("fails", "undecided") or len(mixes) > MIXES:
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

    def _whose(self, number: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        predicate = self.states[number]
        return predicate.family.name, self._renamed(predicate.binding)

    def _renamed(self, binding: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        return tuple((kind, self.names.get(name, name)) for kind, name in binding)


def changed_between(before: Sequence[object], after: Sequence[object]) -> frozenset[int]:
    """The positions of the variables that have another value in the second state."""
    both = enumerate(zip(before, after, strict=True))
    return frozenset(at for at, (old, new) in both if new is not old and new != old)
