"""Monitors the properties of the model along one run.

The monitor runs the same Python bodies as the searches, and asks a property again only if a cell
that the property read has changed (`partial_state.py`), of as few arguments as it needs
(`questions.py`). A state can be known in part, as lines of Flink tell it: a property that reads an
unknown variable is *undecided* there. If lines leave a variable two values, the state has the value
that favours the properties, and the other value is an alternative: a property that fails with some
mix of alternatives is undecided, too. A state of a complete event log is fully known and has no
alternatives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from types import MappingProxyType

from finale.checker.logs.findings import RANK, Finding, Severity, Where
from finale.checker.search.interpreter.execution import PlainPredicate
from finale.model.language.assumptions import with_all_assumptions
from finale.model.language.entities import World
from finale.model.language.observing import observed_kinds, observing
from finale.model.language.path_ends import BlockedHere, FaultHere
from finale.model.language.properties import Taken, goal_alone, stepping
from finale.model.language.protocol import Protocol

from .partial_state import (
    Cell,
    Choice,
    PartialStore,
    UnknownHere,
    WrittenStore,
    cells_of,
    changed_between,
    changed_cells,
)
from .questions import (
    Question,
    ReadBinding,
    Readers,
    Said,
    Touched,
    changed_names,
    of_states_and_steps,
    questions_of,
)

FindingKey = tuple[str, tuple[tuple[str, str], ...]]
"""A property, and for whom it does not hold."""

#: How many mixes of first and second values are tried before a property is called undecided.
MIXES = 64
_HOLDS: tuple[Said, frozenset[int | None]] = ("holds", frozenset())


class AskedPredicates:
    """The monitored predicates of a system, and how they are asked."""

    def __init__(self, predicates: Iterable[PlainPredicate], *, by_need: bool = False) -> None:
        self.states, steps = of_states_and_steps(predicates)
        """The predicates on states; obligations come last."""
        self.steps = tuple(each for each in steps if not each.takes_step)
        self.named = tuple(each for each in steps if each.takes_step)
        """Those that ask which step it is."""
        self.of_states = questions_of(self.states, by_need=by_need)
        self.of_steps = questions_of(self.steps, by_need=by_need)
        self.of_named = questions_of(self.named, by_need=by_need)


class _About:
    """What is known of steps of one name: the questions, and what has changed since the last."""

    def __init__(self, asked: AskedPredicates) -> None:
        self.readers = Readers()
        self.first = [each for some in asked.of_named for each in some.first()]
        self.changed = set[Cell]()
        self.binding: Mapping[str, object] = {}


class PropertyMonitor:
    """Asks the properties of a protocol along one run, and keeps their findings."""

    def __init__(
        self,
        world: World,
        protocol: Protocol,
        asked: AskedPredicates,
        start: Sequence[object],
        known: Iterable[int] | None = None,
    ) -> None:
        self.world, self.protocol, self.asked = world, protocol, asked
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
        self.states = asked.states
        """The predicates on states; obligations come last."""
        self._about: dict[str, _About] = {}
        """For steps of a name, those properties that speak of such."""
        self._readers, self._ends = Readers(), Readers()
        self._obligations: dict[int, Question] = {}
        self._ends_known = False
        self._changed = set[Cell]()
        """The cells that changed in the step before."""
        self._moved = set[Cell]()
        """The cells that changed since then, because checkpoints were renamed."""
        self._failing: set[Question] = set()
        """The questions that fail in the present state,"""
        self._wrong: set[Question] = set()
        """and those on steps that fail of the last step."""
        self._open: dict[int, Where] = {}
        """The obligations that are open, and since which line."""
        self._read = set[Cell]()
        """The cells that are read while a question is asked."""
        self._stores: tuple[PartialStore, ...] = ()
        """The states that are asked about: that before a step, and that after it."""
        self._answered: set[str] = set()
        """The properties that have had an answer somewhere, other than that they say nothing."""
        self.unseen: defaultdict[str, set[int | None]] = defaultdict(set)
        """For properties that asked for what no line tells: which variables these are."""
        self.ambiguous: set[str] = set()
        """Those of them that hold with one of two values that lines leave, and fail with the
        other."""
        self.found: dict[FindingKey, Finding] = {}
        self._swaps = bool(observed_kinds(protocol))
        """Whether properties hear other classes than those of the protocol."""

    def start(self, where: Where) -> None:
        """Ask about the state in which the run begins."""
        self._state([each for some in self.asked.of_states for each in some.first()], where)

    def move(self, where: Where, step: Taken, values: Sequence[object]) -> None:
        """Take a step of a run whose states are known."""
        old, new = self._store(self.values), self._store([*values])
        changed = changed_cells(range(len(values)), self.values, values)
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
        written = WrittenStore(before)
        with self.world.on(written):  # what is written may be read there
            write()
        values = written.values
        changed = changed_cells(written.touched, before, values)
        old = self._store(before)  # what is known from now on was not known before
        if self.observed:
            self.known |= self.observed & changed
        if self.known is not self._known_then:
            changed |= cells_of(self.known ^ self._known_then)
            self._known_then = self.known
        if as_of:
            changed |= cells_of(as_of)
        if alternatives is not None:
            others = {each for each, _ in alternatives.items() ^ self.alternatives.items()}
            changed |= cells_of(others)
            self.alternatives = dict(alternatives)
        new = self._store(values)
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
        self._moved |= cells_of(changed_between(self.values, values))
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
        fails = {each.property for each in self.found.values() if each.severity.is_sure}
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

    def _store(self, values: list[object]) -> PartialStore:
        return PartialStore(values, self.known, self._read, self.alternatives)

    def _end_step(self, changed: set[Cell], where: Where) -> None:
        due = self._readers.of(changed)
        if self._moved:
            due |= self._readers.of(self._moved)
            due |= {self._obligations[number] for number in self._open}
        self._changed, self._moved = changed, set[Cell]()
        self._state(due, where)

    def _state(self, due: Iterable[Question], where: Where) -> None:
        if due:
            store = self._store(self.values)
            self._stores = (store,)
            with with_all_assumptions(), self.world.on(store):
                for question, said in self._answers(due, self._readers):
                    if question.family.kind.is_liveness:
                        self._obligation(question, said, where)
                        self._readers.has(question, self._read)
                    else:
                        _note_failure(self._failing, question, said)
        self._note_all(self._failing, self.states, where)

    def _obligation(self, question: Question, said: Said | None, where: Where) -> None:
        """Open an obligation, or look whether its goal is reached, whatever it must follow."""
        number = question.rank
        self._obligations[number] = question
        if number in self._open:
            with goal_alone():
                if self.says(question) == "holds":
                    del self._open[number]
                    self.reached(self.states[number], where)
        elif said == "fails":
            self._open[number] = where
            with goal_alone():
                self.says(question)

    def _step(
        self,
        old: PartialStore,
        new: PartialStore,
        step: Taken,
        changed: set[Cell],
        where: Where,
    ) -> None:
        if self._ends_known:
            due = self._ends.of(changed | self._changed | self._moved)
        else:
            due = {each for some in self.asked.of_steps for each in some.first()}
        self._ends_known = True
        about = self._about.get(step.rule)
        lately = changed | self._moved if self._moved else changed
        for each in self._about.values():
            each.changed |= lately
        if about is None:
            about = self._about[step.rule] = _About(self.asked)
            of_name: Iterable[Question] = about.first
        else:
            of_name = about.readers.of(about.changed | changed_names(about.binding, step.binding))
        about.changed, about.binding = set(changed), step.binding
        if due or of_name:
            self._stores = (old, new)
            with with_all_assumptions(), stepping(self.world, old), self.world.on(new):
                if due:
                    for question, said in self._answers(due, self._ends):
                        _note_failure(self._wrong, question, said)
                self._note_all(self._wrong, self.asked.steps, where)
                if of_name:
                    failing = set[Question]()
                    told = Taken(step.rule, ReadBinding(step.binding, self._read))
                    for question, said in self._answers(of_name, about.readers, told):
                        _note_failure(failing, question, said)
                    self._note_all(failing, self.asked.named, where)
        else:
            self._note_all(self._wrong, self.asked.steps, where)

    def _answers(
        self, due: Iterable[Question], readers: Readers, step: Taken | None = None
    ) -> Iterator[tuple[Question, Said | None]]:
        """Ask questions, and further ones where these touch an argument that they leave out."""
        todo = [*due]
        if len(todo) > 1:
            todo.sort(key=_rank, reverse=True)
        while todo:
            question = todo.pop()
            if question.dropped:
                continue
            self._read.clear()
            try:
                said = self.says(question, step)
            except Touched as touched:
                readers.has(question, self._read)
                if question.slot != touched.slot:
                    yield from self._dropped(question, readers)
                    question.slot = touched.slot
                    question.children = question.with_argument(touched.slot)
                    todo += reversed(question.children)
                yield question, None
                continue
            readers.has(question, self._read)
            if question.children:
                yield from self._dropped(question, readers)
            yield question, said

    def _dropped(self, question: Question, readers: Readers) -> Iterator[tuple[Question, None]]:
        """The questions that need not be asked, since this one is answered for all of them."""
        for child in question.children:
            child.dropped = True
            readers.has(child, ())
            yield child, None
            yield from self._dropped(child, readers)
        question.children, question.slot = [], -1

    def _note_all(
        self, failing: Collection[Question], among: Sequence[PlainPredicate], where: Where
    ) -> None:
        numbers = sorted(number for each in failing for number in each.numbers()) if failing else ()
        for number in numbers:
            self.note(among[number], where, Severity.VIOLATED)

    def says(self, predicate: PlainPredicate | Question, step: Taken | None = None) -> Said:
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
        self, predicate: PlainPredicate | Question, step: Taken | None
    ) -> tuple[Said, frozenset[int | None]]:
        """What a property says, and what it lacks to say anything."""
        family, told = predicate.family, (step,) if predicate.takes_step else ()
        try:
            if self._swaps:
                with observing(self.protocol, family.view):
                    said = family.mark.function(self.protocol, *predicate.arguments, *told)
            else:
                said = family.mark.function(self.protocol, *predicate.arguments, *told)
        except BlockedHere:
            return "silent", frozenset()
        except UnknownHere as unknown:
            return "undecided", frozenset({unknown.position})
        except FaultHere:
            return "undecided", frozenset({None})
        return "holds" if said else "fails", frozenset()

    def _fails_otherwise(
        self, predicate: PlainPredicate | Question, step: Taken | None
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
        self, mix: frozenset[Choice], predicate: PlainPredicate | Question, step: Taken | None
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


def _rank(question: Question) -> int:
    return question.rank


def _note_failure(failing: set[Question], question: Question, said: Said | None) -> None:
    (failing.add if said == "fails" else failing.discard)(question)
