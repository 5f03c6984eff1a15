"""For which settings of a spec a property holds: options, bounds, jobs, each any of a list.

All settings at once are asked of a solver, which finds those that break it, with a shortest run
each. What it finds nothing about in runs of that length is searched, one setting after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import perf_counter

from checker.search.answer import Answer, Holds, NotAsked, Violated
from checker.search.backends import check_with
from checker.search.limits import INTERRUPTED, Limits, ProgressListener
from checker.search.run import chosen
from checker.spec.catalogue import Catalogue
from checker.spec.claim import Spec
from checker.spec.reading import spec_of
from checker.spec.toml_text import toml_in
from checker.spec.typed import is_table
from model.errors import FinaleError
from model.system import Kind
from model.trace import Trace

#: More settings than these are a mistake, or a task for more than one question.
SETTINGS_MAX = 256
#: So long the solver is asked if there is no limit: what it does not find, a search does.
SECONDS_OF_SOLVER = 30.0
#: What a spec says of its own setting alone.
_OWN = ("search", "expect")


@dataclass(frozen=True)
class Axis:
    """A key of a spec, and the values that it may have, the weakest first."""

    path: tuple[str, ...]
    values: tuple[object, ...]

    def __str__(self) -> str:
        return ".".join(self.path)


@dataclass(frozen=True)
class Setting:
    """One value for each axis; `place` has their positions on these."""

    axes: tuple[Axis, ...]
    place: tuple[int, ...]

    @property
    def values(self) -> tuple[tuple[str, object], ...]:
        """The values, by their keys."""
        return tuple(
            (str(axis), axis.values[at]) for axis, at in zip(self.axes, self.place, strict=True)
        )

    def is_weaker_than(self, other: Setting) -> bool:
        """Whether no value comes later on its axis, and some comes earlier."""
        pairs = zip(self.place, other.place, strict=True)
        return self != other and all(one <= another for one, another in pairs)


@dataclass(frozen=True)
class Outcome:
    """What the property comes to in a setting."""

    setting: Setting
    answer: Answer


@dataclass(frozen=True)
class Which:
    """The outcomes in the order of the settings. `stopped` says why some are unknown."""

    spec: Spec
    name: str
    outcomes: tuple[Outcome, ...]
    stopped: str = ""

    def those(self, word: str) -> tuple[Outcome, ...]:
        """The outcomes with this verdict."""
        return tuple(each for each in self.outcomes if each.answer.verdict.word == word)

    @property
    def weakest(self) -> tuple[Outcome, ...]:
        """The settings that break it of which none is weaker and breaks it too."""
        broken = self.those(Violated.word)
        return tuple(
            each
            for each in broken
            if not any(other.setting.is_weaker_than(each.setting) for other in broken)
        )


def axis_in(text: str) -> Axis:
    """An axis as it is written: `options.race=abort,hang` or `job.S.records=0..3`."""
    key, equals, values = text.partition("=")
    path = tuple(part.strip() for part in key.split("."))
    found = tuple(value for each in values.split(",") for value in _values(each.strip()))
    if not equals or not all(path) or not found or path[0] in _OWN:
        raise FinaleError(
            "bad-vary",
            f'"{text}" is no key of a setting with values',
            advice="write --vary options.NAME=one,other or --vary bounds.NAME=0..3",
        )
    return Axis(path, found)


def _values(text: str) -> Iterator[object]:
    first, dots, last = text.partition("..")
    if dots and first.isdecimal() and last.isdecimal():
        yield from range(int(first), int(last) + 1)
    elif text in ("true", "false"):
        yield text == "true"
    elif text:
        yield int(text) if text.isdecimal() else text


def which(
    file: Path,
    axes: Sequence[Axis],
    name: str,
    limits: Limits,
    progress: ProgressListener | None,
    catalogue: Catalogue,
) -> Which:
    """What a property comes to in all settings. Raises `too-many-settings`, `does-not-apply`.

    And whatever a spec of such a setting has wrong with it.
    """
    table, lines = toml_in(file)
    settings = _settings(axes)
    base = {key: value for key, value in table.items() if key not in _OWN}
    specs = [spec_of(file, _with(base, each.values), lines, catalogue) for each in settings]
    asked = _Asked(specs, name, limits, progress)
    answers = asked.answers()
    outcomes = (Outcome(*pair) for pair in zip(settings, answers, strict=True))
    return Which(specs[0], name, tuple(outcomes), asked.stopped)


def _settings(axes: Sequence[Axis]) -> list[Setting]:
    count = 1
    for axis in axes:
        count *= len(axis.values)
    if count > SETTINGS_MAX:
        raise FinaleError(
            "too-many-settings",
            f"these are {count} settings, more than the {SETTINGS_MAX} that are asked at once",
            advice="give fewer values, or ask in parts",
        )
    places = product(*(range(len(axis.values)) for axis in axes))
    return [Setting(tuple(axes), place) for place in places]


def _with(
    table: Mapping[str, object], values: Sequence[tuple[str, object]]
) -> Mapping[str, object]:
    """The table of a spec with other values."""
    for key, value in values:
        table = _replaced(table, key.split("."), value)
    return table


def _replaced(
    table: Mapping[str, object], path: Sequence[str], value: object
) -> Mapping[str, object]:
    head, *rest = path
    if not rest:
        return {**table, head: value}
    inner = table.get(head, {})
    return {**table, head: _replaced(inner if is_table(inner) else {}, rest, value)}


class _Asked:
    """The systems of all settings, and the answers about one property so far."""

    def __init__(
        self, specs: Sequence[Spec], name: str, limits: Limits, progress: ProgressListener | None
    ) -> None:
        self.specs, self.name = specs, name
        self.limits, self.progress = limits, progress
        self.stopped = ""
        self._began = perf_counter()
        families = [chosen(spec, {name}) for spec in specs]
        for spec, own in zip(specs, families, strict=True):
            if name not in (family.name for family in own):
                raise FinaleError(
                    "does-not-apply",
                    f'"{name}" says nothing about the protocol "{spec.protocol.key}"',
                    advice="its view is missing, or [observe] keeps no history for it",
                )
        self._systems = [spec.system(own) for spec, own in zip(specs, families, strict=True)]

    def answers(self) -> list[Answer]:
        """An answer for each setting: of the solver if it can tell, else of a search."""
        found, is_complete, depth = self._solved()
        kind = next(p.kind for p in self._systems[0].properties if p.name == self.name)
        answers: list[Answer] = []
        for number in range(len(self.specs)):
            not_asked = self._not_asked(number)
            if not_asked is not None:
                answers.append(Answer(self.name, not_asked))
            elif number in found and kind is Kind.REACHABLE:
                answers.append(Answer(self.name, Holds(found[number]), self._how(found[number])))
            elif number in found:
                answers.append(Answer(self.name, Violated(found[number]), self._how(found[number])))
            elif is_complete and kind is Kind.REACHABLE:
                answers.append(Answer(self.name, Violated(None), f"complete at depth {depth}"))
            else:
                answers.append(self._searched(number))
        return answers

    def _not_asked(self, number: int) -> NotAsked | None:
        own = next(p for p in self._systems[number].properties if p.name == self.name)
        return NotAsked(own.not_asked) if own.not_asked else None

    def _how(self, trace: Trace) -> str:
        return f"bounded to {trace.length}"

    def _solved(self) -> tuple[Mapping[int, Trace], bool, int]:
        """The runs found by the solver, and whether there are no others."""
        from checker.search.bmc.settings import ViolatingSettings

        limits = self.limits
        if limits.seconds_max is None:
            limits = Limits(seconds_max=SECONDS_OF_SOLVER, steps_max=limits.steps_max)
        asked = ViolatingSettings(self._systems, self.name, limits, self.progress)
        asked.run()
        if asked.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        return asked.found, asked.is_complete, asked.refuted

    def _searched(self, number: int) -> Answer:
        limits = Limits(self.limits.states_max, self.limits.seconds_max)
        limits = limits.after(perf_counter() - self._began)
        report = check_with("auto", self._systems[number], limits, self.progress, large=False)
        if report.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        self.stopped = self.stopped or report.stopped
        return next(each for each in report.answers if each.property == self.name)


__all__ = ["SETTINGS_MAX", "Axis", "Outcome", "Setting", "Which", "axis_in", "which"]
