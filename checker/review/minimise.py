"""Shrinks the setting in which a property falls, and says what the counterexample needs.

The search is greedy: a step to a smaller setting is taken if the property still falls there, and
the setting has no more states than before. At the end no single step is left, and the verdicts of
the refused steps say what is needed: if the property holds without a fault or an option, the
counterexample needs it.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass, replace

from finale.checker.search.limits import INTERRUPTED, LimitHit, Limits, SearchClock
from finale.checker.search.run import run
from finale.checker.search.verdict import Report, Word
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import without
from finale.checker.spec.reading import spec_of
from finale.model.errors import FinaleError, Place
from finale.model.trace import Trace

from .again import rebuilt, values_to
from .change import without_own_keys
from .smaller import Step, Table, plain_table, steps

#: A smaller setting may have so many times the states of the first one, and no fewer than that
#: number: an option by default can be the larger system.
STATES_FACTOR = 4
STATES_LEAST = 50_000
#: The verdict if the smaller spec is not valid, or the property does not apply to it.
NO_SETTING = "no setting"
#: The setting if the property falls, the verdict, and its reason.
_Found = tuple["Setting | None", str, str]


@dataclass(frozen=True)
class Need:
    """A step that was refused: what the setting has, and the verdict without it."""

    step: Step
    verdict: str
    why: str = ""


@dataclass(frozen=True)
class Setting:
    """A setting in which the property falls: its spec, the trace, and the number of states.

    The values of the spec make the setting from the spec's file.
    """

    spec: Spec
    trace: Trace
    states: int


@dataclass(frozen=True)
class Minimised:
    """The setting before and after, what was taken away, and what is needed.

    `is_least` is false if a limit or the user ended the work: a smaller setting may then exist.
    """

    property: str
    before: Setting
    after: Setting
    taken: tuple[Step, ...]
    needs: tuple[Need, ...]
    searched: int
    stopped: str = ""

    @builtins.property  # the field of that name hides the word
    def is_least(self) -> bool:
        """Whether no single smaller setting is left to try."""
        return not self.stopped


def minimised(
    spec: Spec,
    name: str,
    seconds: float | None = None,
    look: Callable[[int, int], None] = lambda _searched, _states: None,
    plain: Catalogue | None = None,
) -> Minimised:
    """Shrink a spec in which a property falls. Raises `nothing-to-minimise`.

    `plain` is the catalogue without the spec's variant, if that is not the catalogue of the spec.
    """
    return _Shrinking(spec, name, seconds, look).done(plain or spec.catalogue)


class _Shrinking:
    """The work on one counterexample."""

    def __init__(
        self, spec: Spec, name: str, seconds: float | None, look: Callable[[int, int], None]
    ) -> None:
        self.name, self.look = name, look
        self.limits = Limits(seconds_max=seconds)
        self.clock = SearchClock(self.limits, None)
        self.searched = 0
        self.known: dict[str, _Found] = {}
        report = run(spec, only=(name,)).report
        if report.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        found = _fallen(spec, report, name)
        if found is None:
            raise FinaleError(
                "nothing-to-minimise",
                f'"{name}" is not violated here, so no counterexample can be made smaller',
                place=Place(str(spec.file)),
                advice="name a violated property: finale check prints the verdicts",
            )
        states_max = max(STATES_LEAST, STATES_FACTOR * found.states)
        self.limits = replace(self.limits, states_max=states_max)
        self.before = found

    def done(self, plain: Catalogue) -> Minimised:
        """Take smaller settings as long as there are any."""
        current, taken = self.before, list[Step]()
        table = plain_table(current.spec)
        stopped = ""
        needs: list[Need] = []
        variant = self.before.spec.variant
        try:
            went_on = True
            while went_on:
                went_on, needs = False, []
                for step in steps(table, current.spec.protocol):
                    smaller, need = self._tried(step)
                    if smaller is not None and smaller.states > current.states:
                        if step.part != "bounds":  # a default can mean as much as is needed
                            needs.append(need)
                        continue
                    if smaller is not None:
                        current, table, went_on = smaller, step.table, True
                        taken.append(step)
                        break
                    needs.append(need)
            if variant is not None:
                needs.insert(0, self._without_variant(table, variant, plain))
        except LimitHit as limit:
            stopped = str(limit)
        except KeyboardInterrupt:
            stopped = INTERRUPTED
        values = values_to(self.before.spec, current.spec)
        after = replace(current, spec=replace(current.spec, values=values))
        return Minimised(
            self.name, self.before, after, tuple(taken), tuple(needs), self.searched, stopped
        )

    def _without_variant(self, table: Table, variant: str, plain: Catalogue) -> Need:
        """What the protocol itself does in the smallest setting."""
        spec = self.before.spec
        bare = without(table, ("variant",))
        bare = without_own_keys(bare, plain.protocol(spec.protocol.key), spec.protocol)
        step = Step("variant", variant, f"the variant {variant}", bare)
        _, verdict, why = self._answered(lambda: spec_of(spec.file, bare, spec.lines, plain))
        return Need(step, verdict, why)

    def _tried(self, step: Step) -> tuple[Setting | None, Need]:
        """The smaller setting if the property falls there, and what else is the verdict."""
        key = repr(step.table)
        if key not in self.known:
            self.known[key] = self._answered(lambda: rebuilt(self.before.spec, step.table))
        smaller, verdict, why = self.known[key]
        return smaller, Need(step, verdict, why)

    def _answered(self, made: Callable[[], Spec]) -> _Found:
        """Search a setting. Raises LimitHit if the time is over, before the search or in it."""
        self.clock.check()
        try:
            spec = made()
            limits = self.limits.after(self.clock.seconds)
            report = run(spec, limits, only=(self.name,)).report
        except FinaleError as error:
            return None, NO_SETTING, error.message
        if report.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        if report.stopped:
            self.clock.check()
        self.searched += 1
        self.look(self.searched, report.statistics.states)
        verdict = report.verdict_on(self.name)
        if verdict is None:
            return None, NO_SETTING, "the property does not apply"
        why = verdict.why if verdict.word is Word.UNKNOWN else ""
        return _fallen(spec, report, self.name), verdict.word, why


def _fallen(spec: Spec, report: Report, name: str) -> Setting | None:
    verdict = report.verdict_on(name)
    if verdict is None or verdict.counterexample is None:
        return None
    return Setting(spec, verdict.counterexample, report.statistics.states)


__all__ = ["NO_SETTING", "Minimised", "Need", "Setting", "minimised"]
