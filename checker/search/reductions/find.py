"""Finds reductions in a system: maps each to its function, in the order that they need."""

from __future__ import annotations

import signal
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from threading import current_thread, main_thread
from types import FrameType, TracebackType
from typing import assert_never

from finale.checker.search.reductions.canonical import Canonical
from finale.checker.search.reductions.dead import dead_variables_of
from finale.checker.search.reductions.kinds import (
    AppliedReduction,
    DeadVariables,
    Reduction,
    Symmetry,
)
from finale.checker.search.reductions.partial_order import PartialOrder, ordered
from finale.checker.search.reductions.symmetry import symmetry_of
from finale.checker.search.reductions.under import canonical_of
from finale.checker.search.solving.prover import Prover
from finale.checker.search.verdict import NO_DEADLOCK
from finale.model.system import System


class Interrupts:
    """While entered, raises an interrupt at once, or else at the next `look`.

    Python raises an interrupt in whatever code runs, and drops the interrupt inside of a `__del__`.
    z3 frees its terms in `__del__` all the time.
    """

    def __init__(self) -> None:
        self._is_kept = self._is_entered = False

    def __enter__(self) -> Interrupts:
        is_usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if is_usual and current_thread() is main_thread():
            signal.signal(signal.SIGINT, self._interrupted)
            self._is_entered = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_entered:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if kind is None:
            self.look()

    def look(self) -> None:
        """Raises KeyboardInterrupt if one was kept."""
        if self._is_kept:
            raise KeyboardInterrupt

    def _interrupted(self, _number: int, frame: FrameType | None) -> None:
        self._is_kept = True
        while frame is not None:
            if frame.f_code.co_name == "__del__":
                return
            frame = frame.f_back
        raise KeyboardInterrupt


def partial_order_of(
    system: System,
    look: Callable[[], None] = lambda: None,
    canonical: Canonical | None = None,
    dead: DeadVariables | None = None,
) -> PartialOrder:
    """Return the partial order of a system, found with z3; `look` is called at each question.

    `canonical` is what the search replaces states by; `dead` is known if it was found before.
    """
    dead = dead or dead_variables_of(system, look)
    # Where a step may change only dead cells, states that differ in these are not all ends.
    resets = () if dead.refusal(NO_DEADLOCK) else dead.resets
    prover = Prover(look=look)
    found = ordered(system, prover.may_hold, canonical, resets, look)
    if not prover.undecided:
        return found
    remark = (
        f"partial-order: {prover.undecided} questions about pairs of steps were given up, "
        "and these steps are taken to depend on each other"
    )
    return replace(found, remarks=(*found.remarks, remark))


#: Partial order comes last: it depends on how the others replace states.
IN_ORDER = (Reduction.SYMMETRY, Reduction.DEAD_VARIABLES, Reduction.PARTIAL_ORDER)


def find_all(
    reductions: Collection[Reduction], system: System, look: Callable[[], None] = lambda: None
) -> list[AppliedReduction]:
    """Return what reductions find in a system, to be used together or some of them.

    `look` is called again and again, and may raise.
    """
    found: dict[Reduction, AppliedReduction] = {}
    with Interrupts() as interrupts:

        def look_twice() -> None:
            interrupts.look()
            look()

        for each in IN_ORDER:
            if each in reductions:
                look_twice()
                found[each] = _find(each, system, list(found.values()), look_twice)
    return [found[each] for each in Reduction if each in found]


def _find(
    reduction: Reduction,
    system: System,
    others: Sequence[AppliedReduction],
    look: Callable[[], None],
) -> AppliedReduction:
    match reduction:
        case Reduction.SYMMETRY:
            return symmetry_of(system, look)
        case Reduction.DEAD_VARIABLES:
            symmetry = next((each for each in others if isinstance(each, Symmetry)), None)
            exchanges = () if symmetry is None else symmetry.exchanges
            return dead_variables_of(system, look, exchanges)
        case Reduction.PARTIAL_ORDER:
            dead = next((each for each in others if isinstance(each, DeadVariables)), None)
            return partial_order_of(system, look, canonical_of(system, others), dead)
        case _:
            assert_never(reduction)


__all__ = ["Interrupts", "find_all", "partial_order_of"]
