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
from time import perf_counter

from checker.search.answer import Answer, Report, Unknown, Violated
from checker.search.limits import INTERRUPTED, Limits
from checker.search.run import run
from checker.spec.catalogue import Catalogue
from checker.spec.claim import Spec
from checker.spec.grid import without
from checker.spec.reading import spec_of
from model.errors import FinaleError, Place
from model.trace import Trace

from .again import rebuilt, values_to
from .smaller import Step, Table, plain_table, steps

#: A smaller setting may have so many times the states of the first one, and no fewer than that
#: number: an option by default can be the larger system.
STATES_FACTOR = 4
STATES_LEAST = 50_000
#: The verdict where the smaller setting is none: the spec would not be valid.
NO_SETTING = "no setting"


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
        self.end = None if seconds is None else perf_counter() + seconds
        self.seconds = seconds
        self.searched = 0
        self.known: dict[str, tuple[Setting | None, Answer | None, str]] = {}
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
        self.states_max = max(STATES_LEAST, STATES_FACTOR * found.states)
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
                    self._check_time()
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
        except TimeoutError:
            stopped = Limits(seconds_max=self.seconds).seconds_word
        except KeyboardInterrupt:
            stopped = INTERRUPTED
        values = values_to(self.before.spec, current.spec)
        after = replace(current, spec=replace(current.spec, values=values))
        return Minimised(
            self.name, self.before, after, tuple(taken), tuple(needs), self.searched, stopped
        )

    def _without_variant(self, table: Table, variant: str, plain: Catalogue) -> Need:
        """What the protocol itself does in the smallest setting."""
        bare = without(table, ("variant",))
        step = Step("variant", variant, f"the variant {variant}", bare)
        spec = self.before.spec
        try:
            own = spec_of(spec.file, bare, spec.lines, plain)
        except FinaleError as error:
            return Need(step, NO_SETTING, error.message)
        _, answer, why = self._answered(own)
        return Need(step, NO_SETTING if answer is None else answer.verdict.word, why)

    def _check_time(self) -> None:
        if self.end is not None and perf_counter() > self.end:
            raise TimeoutError

    def _tried(self, step: Step) -> tuple[Setting | None, Need]:
        """The smaller setting if the property falls there, and what else is the verdict."""
        key = repr(step.table)
        if key not in self.known:
            self.known[key] = self._searched(step.table)
        smaller, answer, why = self.known[key]
        return smaller, Need(step, NO_SETTING if answer is None else answer.verdict.word, why)

    def _searched(self, table: Table) -> tuple[Setting | None, Answer | None, str]:
        try:
            return self._answered(rebuilt(self.before.spec, table))
        except FinaleError as error:
            return None, None, error.message

    def _answered(self, spec: Spec) -> tuple[Setting | None, Answer | None, str]:
        left = None if self.end is None else max(self.end - perf_counter(), 0.001)
        report = run(spec, Limits(self.states_max, left), only=(self.name,)).report
        if report.stopped == INTERRUPTED:
            raise KeyboardInterrupt
        self.searched += 1
        self.look(self.searched, report.statistics.states)
        answer = next((each for each in report.answers if each.property == self.name), None)
        why = answer.verdict.why if answer and isinstance(answer.verdict, Unknown) else ""
        return _fallen(spec, report, self.name), answer, why


def _fallen(spec: Spec, report: Report, name: str) -> Setting | None:
    for answer in report.answers:
        verdict = answer.verdict
        if answer.property == name and isinstance(verdict, Violated) and verdict.trace is not None:
            return Setting(spec, verdict.trace, report.statistics.states)
    return None


__all__ = ["NO_SETTING", "Minimised", "Need", "Setting", "minimised"]
