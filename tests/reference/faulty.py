"""Runs by a seed in which things go wrong, one step after the other, as a list says."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finale.model.errors import FinaleError
from finale.reference.engine import Engine
from finale.reference.faults import Strikes
from finale.reference.formats.faultlist import OF_THE_ENVIRONMENT, PlannedFault
from finale.reference.formats.faulty import ProcessEnds
from finale.reference.steps import StepId
from tests.engine_runs.schedulers import Seeded, run


class Faulty:
    """A scheduler that lets things go wrong: by a seed, and as a list says."""

    def __init__(self, faults: Sequence[PlannedFault], seed: int) -> None:
        self.strikes = Strikes(faults, seed)
        self._usual = Seeded(seed)

    def __call__(self, engine: Engine) -> StepId | None:
        step = self.strikes.next(engine)
        if step is None:
            ready = [each for each in engine.candidates() if engine.is_ready(each)]
            enabled = sorted(ready or engine.enabled())
            usual = [each for each in enabled if each.name not in OF_THE_ENVIRONMENT]
            free = [each for each in usual if not self.strikes.holds(each)]
            if not free:
                self.strikes.release()
            step = self._usual.among(free or usual) or self.strikes.overdue(engine)
        if step is not None:
            self.strikes.saw(step)
        return step


Begin = Callable[[Engine], Callable[[StepId], object]]
"""Told of each engine that is started; what it gives is told of each step."""


def run_through(
    start: Callable[[], Engine], faulty: Faulty, begin: Begin, steps_max: int | None = None
) -> Engine:
    """Run a job, and start it again each time its process has ended. The last engine."""
    while True:
        try:
            engine = start()
            run(engine, faulty, begin(engine), steps_max)
        except (ProcessEnds, FinaleError) as reason:
            if not faulty.strikes.have_ended(reason):
                raise
        else:
            return engine
