"""Finds the settings of a grid (options, bounds, jobs) for which a property of a spec holds.

A solver is asked about all settings at once. The solver finds settings that violate the property,
with a shortest run each. A search decides the other settings, one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from finale.checker.search.answer import Answer, Holds, NotAsked, Violated
from finale.checker.search.backends import check_with
from finale.checker.search.limits import INTERRUPTED, Limits, ProgressListener
from finale.checker.search.run import chosen
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import EXPECTED, Axis, Point, points, size_of, varied, without
from finale.checker.spec.reading import spec_of
from finale.model.errors import FinaleError
from finale.model.trace import Trace

#: The maximal number of settings of one question.
SETTINGS_MAX = 256
#: Time limit of the solver if the user gives no limit: a search decides the rest.
SECONDS_OF_SOLVER = 30.0


@dataclass(frozen=True)
class PointAnswer:
    """The answer about the property at one point of the grid."""

    setting: Point
    answer: Answer


@dataclass(frozen=True)
class Which:
    """The outcomes in the order of the settings. `stopped` says why some are unknown."""

    spec: Spec
    name: str
    outcomes: tuple[PointAnswer, ...]
    stopped: str = ""

    def those(self, word: str) -> tuple[PointAnswer, ...]:
        """The outcomes with this verdict."""
        return tuple(each for each in self.outcomes if each.answer.verdict.word == word)

    @property
    def weakest(self) -> tuple[PointAnswer, ...]:
        """The settings that break it of which none is weaker and breaks it too."""
        broken = self.those(Violated.word)
        return tuple(
            each
            for each in broken
            if not any(other.setting.is_weaker_than(each.setting) for other in broken)
        )


def which(
    file: Path,
    axes: Sequence[Axis],
    name: str,
    limits: Limits,
    progress: ProgressListener | None,
    catalogue: Catalogue,
) -> Which:
    """Find the verdict of a property in all settings. Raises `too-many-settings`, `does-not-apply`.

    And whatever a spec of such a setting has wrong with it.
    """
    table, lines = toml_in(file)
    size = size_of(axes)
    if size > SETTINGS_MAX:
        raise FinaleError(
            "too-many-settings",
            f"these are {size} settings, more than the {SETTINGS_MAX} of one question",
            advice="give fewer values, or ask in parts",
        )
    settings, base = list(points(axes)), without(table, EXPECTED)
    specs = [spec_of(file, varied(base, each.values), lines, catalogue) for each in settings]
    asked = _Asked(specs, name, limits, progress)
    answers = asked.answers()
    outcomes = (PointAnswer(*pair) for pair in zip(settings, answers, strict=True))
    return Which(specs[0], name, tuple(outcomes), asked.stopped)


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
                    advice="the protocol lacks the view, or [observe] keeps no history for it",
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
            elif number in found and kind.is_reachability:
                answers.append(Answer(self.name, Holds(found[number]), self._how(found[number])))
            elif number in found:
                answers.append(Answer(self.name, Violated(found[number]), self._how(found[number])))
            elif is_complete and kind.is_reachability:
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
        from finale.checker.search.bmc.settings import ViolatingSettings

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
        report = check_with("auto", self._systems[number], limits, self.progress)
        if report.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        self.stopped = self.stopped or report.stopped
        return next(each for each in report.answers if each.property == self.name)
