"""Properties with arguments left out, as long as nobody asks for them.

Most properties begin with a condition on one of their arguments, and say nothing if the condition
is false: "a checkpoint that is pending and counts a task as finished …". With 6 tasks and 64
checkpoints that is 384 predicates, and nearly all of them are silent because their checkpoint is
not pending. So a property is first asked with *placeholders*. If it answers without touching them,
the answer holds for all arguments. If it touches one, it is asked again with each value of that
argument, and with placeholders for the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn

from finale.checker.search.interpreter.execution import PlainPredicate
from finale.model.language.entities import Entity
from finale.model.language.properties import Family
from finale.model.system import Kind

from .partial_state import Cell

Said = Literal["holds", "fails", "silent", "undecided"]


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


class Touched(BaseException):
    """A property asks something of an argument that was left out."""

    def __init__(self, slot: int) -> None:
        super().__init__()
        self.slot = slot


class Placeholder:
    """An argument that is left out. Whatever is asked of it raises `Touched`.

    Only `is` finds it unlike any entity without a touch: the properties and helpers of `model`
    compare entities with `==`.
    """

    __slots__ = ("_slot",)

    def __init__(self, slot: int) -> None:
        object.__setattr__(self, "_slot", slot)

    def __getattribute__(self, name: str) -> NoReturn:
        raise Touched(object.__getattribute__(self, "_slot"))

    def _touch(self, *_: object) -> NoReturn:
        raise Touched(object.__getattribute__(self, "_slot"))

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _touch
    __hash__ = __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = _touch
    __setattr__ = __delattr__ = __call__ = __str__ = __repr__ = __format__ = _touch


class BoundName(str):
    """What a step is about. A comparison with a name is a cell of its own."""

    __slots__ = ("parameter", "read")

    parameter: str
    read: set[Cell]

    def __eq__(self, other: object) -> bool:
        self.read.add((self.parameter, other) if type(other) is str else self.parameter)
        return str.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        self.read.add(self.parameter)
        return str.__hash__(self)


class ReadBinding(Mapping[str, object]):
    """The binding of a step, which notes what a property reads of it."""

    def __init__(self, binding: Mapping[str, object], read: set[Cell]) -> None:
        self.binding, self.read = binding, read

    def __getitem__(self, name: str) -> object:
        value = self.binding[name]
        if type(value) is not str:
            self.read.add(name)
            return value
        bound = BoundName(value)
        bound.parameter, bound.read = name, self.read
        return bound

    def __iter__(self) -> Iterator[str]:
        self.read.update(self.binding)
        return iter(self.binding)

    def __len__(self) -> int:
        self.read.update(self.binding)
        return len(self.binding)


def changed_names(before: Mapping[str, object], after: Mapping[str, object]) -> set[Cell]:
    """The cells of the binding of a step that are others than those of the step before."""
    changed = set[Cell]()
    for name in before.keys() | after.keys():
        old, new = before.get(name), after.get(name)
        if old != new:
            changed |= {name, (name, old), (name, new)}
    return changed


class Question:
    """A property with its arguments, some of which may be placeholders."""

    __slots__ = ("arguments", "asks", "children", "dropped", "family", "rank", "slot",
                 "takes_step", "told")  # fmt: skip

    def __init__(self, asks: Questions, arguments: tuple[object, ...], left_out: int) -> None:
        self.asks, self.arguments = asks, arguments
        self.family, self.takes_step = asks.family, asks.takes_step
        self.rank = -left_out if left_out else asks.numbers[arguments]
        """The number of its predicate; if arguments are left out, what comes before all others."""
        self.slot = -1
        """The argument that its children have, and it has not."""
        self.children: list[Question] = []
        self.dropped = False
        self.told = frozenset[Cell]()
        """The cells that it has read when it was last asked."""

    def with_argument(self, slot: int) -> list[Question]:
        """The same question with each value of an argument."""
        before, after = self.arguments[:slot], self.arguments[slot + 1 :]
        choices = self.asks.choices[slot]
        left = -self.rank - 1
        return [Question(self.asks, (*before, each, *after), left) for each in choices]

    def numbers(self) -> Iterator[int]:
        """The numbers of the predicates that it stands for."""
        if self.rank >= 0:
            yield self.rank
        else:
            bound = [(n, a) for n, a in enumerate(self.arguments) if type(a) is not Placeholder]
            for arguments, number in self.asks.numbers.items():
                if all(arguments[n] is each for n, each in bound):
                    yield number


@dataclass(frozen=True)
class Questions:
    """The predicates of one property: their arguments, and their numbers among all of a kind."""

    family: Family
    takes_step: bool
    numbers: Mapping[tuple[object, ...], int]
    choices: tuple[tuple[object, ...], ...]
    """What each argument can be."""
    by_need: bool
    """Whether arguments may be left out."""

    def first(self) -> list[Question]:
        """The questions to begin with."""
        if self.by_need:
            slots = range(len(self.choices))
            return [Question(self, tuple(map(Placeholder, slots)), len(slots))]
        return [Question(self, arguments, 0) for arguments in self.numbers]


def questions_of(predicates: Sequence[PlainPredicate], *, by_need: bool) -> tuple[Questions, ...]:
    """The properties among predicates that are numbered in this order.

    `by_need`: arguments that are entities may be left out, unless the property is an obligation,
    which is open or not for each of its arguments.
    """
    found: dict[str, dict[tuple[object, ...], int]] = defaultdict(dict)
    first: dict[str, PlainPredicate] = {}
    for number, each in enumerate(predicates):
        first.setdefault(each.family.name, each)
        found[each.family.name][each.arguments] = number
    return tuple(
        Questions(
            first[name].family,
            first[name].takes_step,
            numbers,
            tuple(tuple(dict.fromkeys(column)) for column in zip(*numbers, strict=True)),
            by_need
            and not first[name].family.kind.is_liveness
            and all(isinstance(each, Entity) for each in first[name].arguments),
        )
        for name, numbers in found.items()
    )


class Readers:
    """Which questions have read a cell when they were last asked. Until that changes, each answer
    holds."""

    def __init__(self) -> None:
        self._of: defaultdict[Cell, set[Question]] = defaultdict(set)

    def has(self, question: Question, cells: Iterable[Cell]) -> None:
        """Keep what a question has read."""
        cells = frozenset(cells)
        if cells != question.told:
            for cell in question.told - cells:
                self._of[cell].discard(question)
            for cell in cells - question.told:
                self._of[cell].add(question)
            question.told = cells

    def of(self, cells: Iterable[Cell]) -> set[Question]:
        """Return the questions whose answer may change, since these cells have changed."""
        known = self._of
        return set[Question]().union(*[known[cell] for cell in cells if cell in known])
