"""Operators that keep a value for each key, for the whole job or for a window of time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from finale.model.errors import FinaleError, Place
from finale.reference.channel import Record
from finale.reference.formats.snapshots import State
from finale.reference.operators.base import Context, Emit, Operator
from finale.reference.operators.keys import MARK, KeyField, index_of, merged, value_of
from finale.reference.operators.sinks import SideFile

Number = int | float | Fraction


def _exact(value: Number) -> int | Fraction:
    return value if isinstance(value, int) else Fraction(value)


def _float(value: Fraction) -> float | int:
    try:
        return float(value)
    except OverflowError:
        return round(value)


def _order(value: Number) -> tuple[Number, bool]:
    return value, isinstance(value, float)


#: How two values become one, so that their order does not matter.
FOLDS: dict[str, Callable[[Number, Number], Number]] = {
    "count": lambda one, other: one + other,
    "sum": lambda one, other: _exact(one) + _exact(other),
    "min": lambda one, other: min(one, other, key=_order),
    "max": lambda one, other: max(one, other, key=_order),
}


class CountByKey(Operator):
    """Count each record, and emit `word<tab>count` when the data end."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.record = KeyField(context.vertex, "kind", None)
        self.counts: Counter[str] = Counter()

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        self.counts.update(self.record.texts(records))

    def finish(self, emit: Emit) -> None:
        counts = sorted(self.counts.items())
        emit([f"{text.removeprefix(MARK)}\t{count}" for text, count in counts])
        self.counts.clear()

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return dict(self.counts)

    def restore(self, state: State) -> None:
        self.counts = Counter(state)

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        return merged((state or {} for state in states), index, count)


class Folding(Operator):
    """The base of operators that fold the values of a key into one value."""

    def __init__(
        self, context: Context, *, aggregate: str, key: str | None, field: str | None
    ) -> None:
        super().__init__(context)
        self.aggregate = aggregate
        self.fold = FOLDS[aggregate]
        self.key = KeyField(context.vertex, "key", key)
        self.field = KeyField(context.vertex, "field", field)

    def folded(
        self, into: dict[str, Number], pairs: Iterable[tuple[str, Number]]
    ) -> list[tuple[str, Number]]:
        """Takes values in, and says what they have become, one by one."""
        become: list[tuple[str, Number]] = []
        for text, value in pairs:
            if text in into:
                into[text] = self.fold(into[text], value)
            else:
                into[text] = _exact(value) if self.aggregate == "sum" else value
            become.append((text, into[text]))
        return become

    def values(self, records: Sequence[Record]) -> Sequence[Number]:
        return [1] * len(records) if self.aggregate == "count" else self.field.numbers(records)

    def told(self, text: str, value: Number, **more: Record) -> Record:
        """Return the records to emit for a key."""
        number = _float(value) if isinstance(value, Fraction) else value
        return {"key": value_of(text), **more, self.aggregate: number}


class Aggregate(Folding):
    """A value for each key, told when the data end or each time that it changes."""

    def __init__(
        self,
        context: Context,
        *,
        aggregate: str,
        key: str | None = None,
        field: str | None = None,
        emit: str = "end",
    ) -> None:
        super().__init__(context, aggregate=aggregate, key=key, field=field)
        self.at_once = emit == "each"
        self.kept: dict[str, Number] = {}

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        pairs = zip(self.key.texts(records), self.values(records), strict=True)
        become = self.folded(self.kept, pairs)
        if self.at_once:
            emit([self.told(text, value) for text, value in become])

    def finish(self, emit: Emit) -> None:
        if not self.at_once:
            emit([self.told(text, value) for text, value in sorted(self.kept.items())])
        self.kept.clear()

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        return _written(self.kept)

    def restore(self, state: State) -> None:
        self.kept = _read(state)

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        return merged((state or {} for state in states), index, count)


class WindowAggregate(Folding):
    """A value for each key and each stretch of time, told when the watermark has passed its end.

    The ends of windows are its timers. What comes for a window that has been told is late: it is
    refused, or kept in a file beside the output.
    """

    def __init__(
        self,
        context: Context,
        *,
        key: str,
        time: str,
        size: int,
        aggregate: str = "count",
        field: str | None = None,
        on_late: str = "refuse",
    ) -> None:
        super().__init__(context, aggregate=aggregate, key=key, field=field)
        self.time = KeyField(context.vertex, "time", time)
        self.size = size
        self.windows: dict[int, dict[str, Number]] = {}
        """By their ends."""
        self.passed: int | None = None
        """Windows up to this end have been told."""
        self.late = SideFile(context, "late", used=on_late == "keep")

    def process(self, port: int, records: Sequence[Record], emit: Emit) -> None:
        by_end: defaultdict[int, list[Record]] = defaultdict(list)
        for record, time in zip(records, self.time.numbers(records), strict=True):
            by_end[int(time // self.size + 1) * self.size].append(record)
        for end, these in by_end.items():
            if self.passed is not None and end <= self.passed:
                self._keep(these)
            else:
                pairs = zip(self.key.texts(these), self.values(these), strict=True)
                self.folded(self.windows.setdefault(end, {}), pairs)

    def _keep(self, late: Sequence[Record]) -> None:
        if not self.late.used:
            raise FinaleError(
                "late-record",
                f'"{self.context.vertex}" has told the window of {late[0]!r:.200}',
                place=Place(key=f"operators.{self.context.vertex}.time"),
                advice='raise the source\'s out-of-order, or write on-late = "keep"',
            )
        self.late.add(late)

    def watermark(self, time: int, emit: Emit) -> None:
        self._fire([end for end in self.windows if end <= time], emit)
        self.passed = time if self.passed is None else max(time, self.passed)

    def last_watermark(self, emit: Emit) -> None:
        self._fire(list(self.windows), emit)

    def _fire(self, ends: list[int], emit: Emit) -> None:
        told: list[Record] = []
        for end in sorted(ends):
            span = {"from": end - self.size, "to": end}
            told += [self.told(text, v, **span) for text, v in sorted(self.windows[end].items())]
            del self.windows[end]
        emit(told)

    def snapshot(self, checkpoint: int, *, last: bool) -> State:
        windows = [[end, _written(kept)] for end, kept in sorted(self.windows.items())]
        late = self.late.snapshot(checkpoint, last=last)
        return {"passed": self.passed, "windows": windows, "late": late}

    def restore(self, state: State) -> None:
        self.passed = state["passed"]
        self.windows = {end: _read(kept) for end, kept in state["windows"]}
        self.late.go_on(state["late"])

    @classmethod
    def share(cls, states: Sequence[State], index: int, count: int) -> State:
        """Who has told least decides what is late: a window may be told in parts, not lost."""
        known = [state for state in states if state is not None]
        if not known:
            return None
        windows = [
            [end, {text: v for text, v in kept.items() if index_of(text, count) == index}]
            for state in known
            for end, kept in state["windows"]
        ]
        passed = [state["passed"] for state in known]
        late = [None if state is None else state["late"] for state in states]
        return {
            "passed": None if None in passed else min(passed),
            "windows": _united(windows),
            "late": SideFile.share(late, index, count),
        }

    def uncommitted(self) -> int:
        return self.late.uncommitted()

    def ahead_of(self, checkpoint: int | None) -> list[str]:
        return self.late.ahead_of(checkpoint)

    def start(self) -> None:
        self.late.go_on(None)

    def restore_finished(self) -> Operator:
        self.late.go_on(None)
        return super().restore_finished()

    def completed(self, checkpoint: int, emit: Emit) -> None:
        self.late.completed(checkpoint)

    def close(self) -> None:
        self.late.close()


def _united(windows: list[list[Any]]) -> list[list[Any]]:
    """Windows with the same end, of several subtasks, are one: their keys are different."""
    by_end: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    for end, kept in windows:
        by_end[end].update(kept)
    return [[end, kept] for end, kept in sorted(by_end.items()) if kept]


def _written(kept: dict[str, Number]) -> dict[str, Any]:
    """Sums are kept exactly, as fractions."""
    return {text: str(v) if isinstance(v, Fraction) else v for text, v in kept.items()}


def _read(state: dict[str, Any]) -> dict[str, Number]:
    return {text: Fraction(v) if isinstance(v, str) else v for text, v in state.items()}
