"""Finds the settings of a grid (options, bounds, jobs) for which a property of a spec holds.

A solver is asked about all settings at once. The solver finds settings that violate the property,
with a shortest run each. A search decides the other settings, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

from finale.checker.search.backends import check_with
from finale.checker.search.limits import INTERRUPTED, Limits, ProgressListener
from finale.checker.search.run import chosen
from finale.checker.search.verdict import Verdict, Word
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import Axis, Point, Values, points, size_of
from finale.model.errors import FinaleError

if TYPE_CHECKING:
    from finale.checker.search.bmc.settings import ViolatingSettings

#: The maximal number of settings of one question.
SETTINGS_MAX = 256
#: Time limit of the solver if the user gives no limit: a search decides the rest.
SECONDS_OF_SOLVER = 30.0


@dataclass(frozen=True)
class PointVerdict:
    """The verdict on the property at one point of the grid."""

    setting: Point
    verdict: Verdict


@dataclass(frozen=True)
class Which:
    """The outcomes in the order of the settings. `stopped` says why some are unknown."""

    spec: Spec
    name: str
    outcomes: tuple[PointVerdict, ...]
    stopped: str = ""

    def those(self, word: str) -> tuple[PointVerdict, ...]:
        """The outcomes with this verdict."""
        return tuple(each for each in self.outcomes if each.verdict.word == word)

    @property
    def weakest(self) -> tuple[PointVerdict, ...]:
        """The settings that break it of which none is weaker and breaks it too."""
        broken = self.those(Word.VIOLATED)
        return tuple(
            each
            for each in broken
            if not any(other.setting.is_weaker_than(each.setting) for other in broken)
        )


def which(
    read: Callable[[Values], Spec],
    axes: Sequence[Axis],
    name: str,
    limits: Limits,
    progress: ProgressListener | None,
) -> Which:
    """Find the verdict of a property in all settings. Raises `too-many-settings`, `does-not-apply`.

    `read` returns the spec with other values of some keys, or raises what is wrong with them.
    """
    size = size_of(axes)
    if size > SETTINGS_MAX:
        raise FinaleError(
            "too-many-settings",
            f"these are {size} settings, more than the {SETTINGS_MAX} of one question",
            advice="give fewer values, or ask in parts",
        )
    settings = list(points(axes))
    specs = [read(each.values) for each in settings]
    asked = _Asked(specs, name, limits, progress)
    verdicts = asked.verdicts()
    outcomes = (PointVerdict(*pair) for pair in zip(settings, verdicts, strict=True))
    return Which(specs[0], name, tuple(outcomes), asked.stopped)


class _Asked:
    """The systems of all settings, and the question about one property."""

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

    def verdicts(self) -> list[Verdict]:
        """A verdict for each setting: of the solver if it can tell, else of a search."""
        solved = self._solved()
        verdicts: list[Verdict] = []
        for number, system in enumerate(self._systems):
            prop = next(each for each in system.properties if each.name == self.name)
            if prop.not_asked:
                verdicts.append(Verdict(self.name, Word.NOT_ASKED, why=prop.not_asked))
            else:
                verdicts.append(solved.verdict(number) or self._searched(number))
        return verdicts

    def _solved(self) -> ViolatingSettings:
        """What the solver found of all settings."""
        from finale.checker.search.bmc.settings import ViolatingSettings

        limits = self.limits
        if limits.seconds_max is None:
            limits = Limits(seconds_max=SECONDS_OF_SOLVER, steps_max=limits.steps_max)
        asked = ViolatingSettings(self._systems, self.name, limits, self.progress)
        asked.run()
        if asked.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        return asked

    def _searched(self, number: int) -> Verdict:
        limits = Limits(self.limits.states_max, self.limits.seconds_max)
        limits = limits.after(perf_counter() - self._began)
        report = check_with("auto", self._systems[number], limits, self.progress)
        if report.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        self.stopped = self.stopped or report.stopped
        verdict = report.verdict_on(self.name)
        assert verdict is not None
        return verdict
