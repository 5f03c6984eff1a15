"""Finds all settings that violate a property, with one solver, length after length.

The shortest counterexample of any setting comes first; its setting is then excluded. The settings
that remain have no counterexample up to the length reached, or none at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from finale.checker.search.limits import (
    INTERRUPTED,
    LimitHit,
    Limits,
    ProgressListener,
    SearchClock,
    SearchProgress,
)
from finale.checker.search.solving.encoding import TransitionRelation
from finale.checker.search.state_graph.questions import Asked, Topic
from finale.checker.search.verdict import Verdict, Word
from finale.model.expressions import conjunction
from finale.model.system import System
from finale.model.trace import Trace

from .asked import Sought, sought
from .bmc import STEPS_MAX, found_by
from .joined import ProductSystem, joined
from .runs import BoundedRuns


@dataclass
class ViolatingSettings:
    """The settings that violate a property, or reach it, with a shortest run each.

    Up to the length `refuted` no other setting does; if `is_complete`, no other setting ever does.
    """

    systems: Sequence[System]
    name: str
    limits: Limits
    progress: ProgressListener | None = None
    found: dict[int, Trace] = field(default_factory=dict[int, Trace])
    refuted: int = -1
    is_complete: bool = False
    stopped: str = ""

    def run(self) -> None:
        """Ask until all are found, a limit is hit, or the user interrupts."""
        self._clock = SearchClock(self.limits, self.progress)
        self._steps_max = self.limits.steps_max or STEPS_MAX
        try:
            self._run(joined(self.systems, self.name))
        except LimitHit as limit:
            self.stopped = str(limit)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED

    def verdict(self, number: int) -> Verdict | None:
        """Return the verdict in a setting; None if it is open, or may be vacuous."""
        (kind,) = {each.kind for each in self.systems[number].properties if each.name == self.name}
        trace = self.found.get(number)
        if trace is not None:
            word = Word.HOLDS if kind.is_reachability else Word.VIOLATED
            return Verdict(self.name, word, trace, how=f"bounded to {trace.length}")
        if self.is_complete and kind.is_reachability:
            return Verdict(self.name, Word.VIOLATED, how=f"complete at depth {self.refuted}")
        return None

    def _run(self, together: ProductSystem) -> None:
        encoding = TransitionRelation(together.system)
        is_reached = together.system.properties[0].kind.is_reachability
        topic: Topic = (Asked.REACHED if is_reached else Asked.FAILS, 0)
        asked = [each for each in sought(together.system, encoding.ways) if each.subject == topic]
        runs = BoundedRuns(encoding, self._look)
        while len(self.found) < len(self.systems):
            for each in asked:
                self._ask(together, runs, each)
            self.refuted = runs.length
            if runs.length >= self._steps_max:
                return
            runs.extend()
            if not runs.are_there():
                self.is_complete = True
                return

    def _ask(self, together: ProductSystem, runs: BoundedRuns, wanted: Sought) -> None:
        """Find all settings that break at this length."""
        if runs.length + wanted.further > self._steps_max:
            return
        while (state := runs.last_state(wanted.condition)) is not None:
            here = together.is_setting(state[0])
            run = runs.least(conjunction([here, wanted.condition]))
            assert run is not None, "there is a run, for some state was found"
            self.found[state[0]] = together.own(found_by(together.system, wanted, run).trace)
            runs.leave_out(here)

    def _look(self) -> None:
        self._clock.look(self._progress)

    def _progress(self, seconds: float) -> SearchProgress:
        doing = f"{len(self.found)} settings found, and no more up to depth {self.refuted}"
        return SearchProgress(0, 0, max(self.refuted, 0), 0, seconds, before=doing)
