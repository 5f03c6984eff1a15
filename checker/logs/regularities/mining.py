"""Mines regularities: what holds in nearly all of many runs, and the runs that break it.

The shapes are those of the literature on mining invariants of logs (Synoptic, Texada): a class of
lines is always followed by another, never comes without the other before it, comes with it, stands
apart from it, or occurs once in a slice. A run holds a regularity if each of its slices does.

The work is about linear in the lines. A slice is read twice, once from each end; what holds of a
class is a set of classes, as the bits of one number. Counters add such sets for all runs at once.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .line_classes import LineClass, Scope
from .spans import MinedRun, MinedSlice, Span

#: What a slice is that has the whole job.
IN_JOB = Scope.JOB.value


class Shape(enum.Enum):
    """What is said of lines of one class, and of another. The value puts it into words."""

    FOLLOWED = "{0} is followed by {1}"
    AFTER = "{0} comes after {1}"
    TOGETHER = "{0} comes with {1}"
    APART = "{0} stands apart from {1}"
    ONCE = "{0} comes once"
    NEVER = "{0} never comes"


@dataclass(frozen=True)
class MiningLimits:
    """Which regularities are told."""

    least: int = 10
    """In so many runs it holds."""
    share: float = 0.05
    """At most this part of the runs to which it applies breaks it."""


@dataclass(frozen=True)
class Break:
    """A slice that breaks a regularity."""

    run: int
    """Which of the runs."""
    about: str
    """The slice, in words."""
    event: int
    """The number of the event in its run."""


@dataclass(frozen=True)
class Regularity:
    """What holds in most runs."""

    scope: str
    shape: Shape
    lines: LineClass
    other: LineClass
    """The same class if the shape is about one."""
    holds: int
    """In so many runs."""
    breaks: tuple[Break, ...]

    @property
    def sentence(self) -> str:
        """The regularity in words."""
        return f"{self.scope}: {self.shape.value.format(self.lines, self.other)}"


@dataclass(frozen=True)
class BrokenGroup:
    """Regularities that the same runs break."""

    runs: tuple[int, ...]
    regularities: tuple[Regularity, ...]
    """One for each set of slices that break it: about events of the table if there is one, else
    the best supported one."""
    others: int
    """So many more the same slices break."""


@dataclass(frozen=True)
class Mined:
    """What was mined."""

    runs: tuple[MinedRun, ...]
    """The runs that were mined: their logs have the beginning and the end."""
    left_out: int
    """So many runs were not."""
    unbroken: int
    """So many regularities hold in each run to which they apply."""
    groups: tuple[BrokenGroup, ...]


def mine(runs: Iterable[MinedRun], limits: MiningLimits) -> Mined:
    """Mine regularities of runs. Groups that fewer runs break come first."""
    every = tuple(runs)
    whole = tuple(run for run in every if run.whole)
    found, unbroken = broken_regularities(whole, limits)
    return Mined(whole, len(every) - len(whole), unbroken, _grouped(found))


def broken_regularities(
    runs: Sequence[MinedRun], limits: MiningLimits
) -> tuple[list[Regularity], int]:
    """Return the regularities that a few runs break, and how many no run breaks."""
    found, unbroken = list(_absences(runs, limits)), 0
    for scope in sorted({scope for run in runs for scope in run.slices}):
        miner = _Miner(scope, runs, limits)
        found += miner.regularities()
        unbroken += miner.unbroken
    return found, unbroken


def _absences(runs: Sequence[MinedRun], limits: MiningLimits) -> Iterator[Regularity]:
    """What only a few runs tell: warnings, errors, and events of the table."""
    having: dict[LineClass, list[int]] = defaultdict(list)
    for number, run in enumerate(runs):
        for lines in run.lines:
            if lines.is_event or lines.level in ("WARN", "ERROR", "FATAL"):
                having[lines].append(number)
    for lines, numbers in having.items():
        able = [run for run in runs if run.shows(lines)]
        holds = len(able) - len(numbers)
        if holds >= limits.least and len(numbers) <= limits.share * len(able):
            breaks = tuple(Break(n, "", runs[n].lines[lines].first) for n in numbers)
            yield Regularity(IN_JOB, Shape.NEVER, lines, lines, holds, breaks)


def _grouped(found: Iterable[Regularity]) -> tuple[BrokenGroup, ...]:
    groups: dict[frozenset[int], list[Regularity]] = defaultdict(list)
    for each in found:
        groups[frozenset(b.run for b in each.breaks)].append(each)
    told: list[BrokenGroup] = []
    for runs, inside in groups.items():
        first: dict[frozenset[Break], Regularity] = {}
        for each in sorted(inside, key=_rank):
            first.setdefault(frozenset(Break(b.run, b.about, 0) for b in each.breaks), each)
        others = len(inside) - len(first)
        told.append(BrokenGroup(tuple(sorted(runs)), tuple(first.values()), others))
    told.sort(key=lambda g: (len(g.runs), _rank(g.regularities[0]), g.runs))
    return tuple(told)


def _rank(each: Regularity) -> tuple[int, int, int, str]:
    """What a reader looks at first has the lowest rank."""
    messages = (not each.lines.is_event) + (not each.other.is_event)
    return messages, -each.holds, list(Shape).index(each.shape), each.sentence


@dataclass
class _Counter:
    """Counts for each bit in how many of the added sets it is: one number for each binary digit."""

    digits: list[int] = field(default_factory=list[int])

    def add(self, bits: int) -> None:
        for place, digit in enumerate(self.digits):
            self.digits[place], bits = digit ^ bits, digit & bits
            if not bits:
                return
        if bits:
            self.digits.append(bits)

    def __getitem__(self, bit: int) -> int:
        return sum((digit >> bit & 1) << place for place, digit in enumerate(self.digits))


@dataclass(frozen=True)
class _RunSets:
    """What each class of a run has in all its slices, as sets of classes."""

    holds: dict[tuple[Shape, int], int]
    shown: int
    """The classes whose lines would be in the logs."""
    present: int


class _Miner:
    """Mines the slices of one scope."""

    def __init__(self, scope: str, runs: Sequence[MinedRun], limits: MiningLimits) -> None:
        self.scope, self.runs, self.limits = scope, runs, limits
        self.unbroken = 0
        self.classes = self._frequent()
        self._bit = {lines: bit for bit, lines in enumerate(self.classes)}
        self._same_clock = self._clocks()
        self._sets = [self._sets_of(run) for run in runs]

    def regularities(self) -> Iterator[Regularity]:
        """The regularities that a few runs break."""
        applies: dict[tuple[Shape, int], _Counter] = defaultdict(_Counter)
        holds: dict[tuple[Shape, int], _Counter] = defaultdict(_Counter)
        for sets in self._sets:
            for key, bits in sets.holds.items():
                able = self._able(key, sets)
                applies[key].add(able)
                holds[key].add(bits & able)
        for key, counter in holds.items():
            shape, bit = key
            for other in _bits(_union(counter.digits)):
                held, of = counter[other], applies[key][other]
                if held < self.limits.least or of - held > self.limits.share * of:
                    continue
                if (shape is Shape.APART and other < bit) or (
                    shape is not Shape.ONCE and other == bit
                ):
                    continue
                if of == held:
                    self.unbroken += 1
                    continue
                breaks = tuple(self._breaks(shape, bit, other))
                yield Regularity(
                    self.scope, shape, self.classes[bit], self.classes[other], held, breaks
                )

    def _frequent(self) -> list[LineClass]:
        """The classes that enough runs have."""
        counts: dict[LineClass, int] = defaultdict(int)
        for run in self.runs:
            for lines in {each for part in run.slices.get(self.scope, ()) for each in part.spans}:
                counts[lines] += 1
        return sorted(lines for lines, number in counts.items() if number >= self.limits.least)

    def _clocks(self) -> list[int]:
        """By class the set of classes whose lines have an order with it."""
        by: dict[str, int] = defaultdict(int)
        names: dict[LineClass, str] = {}
        for run in self.runs:
            for lines, clock in run.clocks.items():
                names[lines] = clock if names.get(lines, clock) == clock else "none"
        for bit, lines in enumerate(self.classes):
            if names[lines] != "none":
                by[names[lines]] |= 1 << bit
        return [by[names[lines]] for lines in self.classes]

    def _able(self, key: tuple[Shape, int], sets: _RunSets) -> int:
        """The classes of which a run could break what a class has."""
        shape, bit = key
        if shape in (Shape.FOLLOWED, Shape.AFTER):
            return sets.shown & self._same_clock[bit]
        if shape is Shape.APART:
            return sets.present
        return sets.shown if shape is Shape.TOGETHER else 1 << bit

    def _sets_of(self, run: MinedRun) -> _RunSets:
        shown = sum(1 << bit for bit, lines in enumerate(self.classes) if run.shows(lines))
        holds: dict[tuple[Shape, int], int] = {}
        every = 0
        for part in run.slices.get(self.scope, ()):
            spans = {
                self._bit[each]: span for each, span in part.spans.items() if each in self._bit
            }
            present = sum(1 << bit for bit in spans)
            every |= present
            for shape, bits in self._of_slice(spans, present):
                for bit, having in bits:
                    holds[shape, bit] = holds.get((shape, bit), -1) & having
        return _RunSets(holds, shown, every)

    def _of_slice(
        self, spans: dict[int, Span], present: int
    ) -> Iterator[tuple[Shape, Iterable[tuple[int, int]]]]:
        """By shape what each class of a slice has."""
        before, after = dict[int, int](), dict[int, int]()
        sofar = 0
        for bit in sorted(spans, key=lambda each: spans[each].first):
            before[bit] = sofar
            sofar |= 1 << bit
        sofar = 0
        for bit in sorted(spans, key=lambda each: -spans[each].last):
            after[bit] = sofar
            sofar |= 1 << bit
        yield Shape.AFTER, before.items()
        yield Shape.FOLLOWED, after.items()
        yield Shape.TOGETHER, ((bit, present) for bit in spans)
        yield Shape.APART, ((bit, ~present) for bit in spans)
        yield Shape.ONCE, ((bit, (span.count == 1) << bit) for bit, span in spans.items())

    def _breaks(self, shape: Shape, bit: int, other: int) -> Iterator[Break]:
        """The slices of runs that break a regularity."""
        lines, second = self.classes[bit], self.classes[other]
        for number, (run, sets) in enumerate(zip(self.runs, self._sets, strict=True)):
            having = sets.holds.get((shape, bit))
            able = self._able((shape, bit), sets) >> other & 1
            if having is None or having >> other & 1 or not able:
                continue
            for part in run.slices[self.scope]:
                if (event := _broken(shape, part, lines, second)) is not None:
                    yield Break(number, part.about, event)


def _broken(shape: Shape, part: MinedSlice, lines: LineClass, other: LineClass) -> int | None:
    """The event at which a slice breaks a regularity; None if the slice holds it."""
    span, second = part.spans.get(lines), part.spans.get(other)
    if span is None:
        return None
    match shape:
        case Shape.FOLLOWED:
            return span.last if second is None or second.last < span.last else None
        case Shape.AFTER:
            return span.first if second is None or second.first > span.first else None
        case Shape.TOGETHER:
            return span.first if second is None else None
        case Shape.APART:
            return None if second is None else max(span.first, second.first)
        case Shape.ONCE:
            return span.last if span.count > 1 else None
        case Shape.NEVER:
            return span.first


def _union(sets: Iterable[int]) -> int:
    found = 0
    for each in sets:
        found |= each
    return found


def _bits(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
