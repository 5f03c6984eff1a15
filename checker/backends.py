"""Which search checks a spec: the readable one, the native one, or as large as it turns out to be.

The native search starts slower, for it compiles, and is over a hundred times as fast. `auto` begins
with the readable one and changes over where there are more states than it does in that time; a
spec that is marked slow goes to the native one at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Literal

from model.errors import FinaleError
from model.system import System

from .answer import Report
from .question import Limits, Progress
from .reductions.kinds import Reduction

Backend = Literal["auto", "readable", "native"]

#: A readable search of more states than this takes longer than a native one takes to start.
READABLE_STATES_MAX = 20_000

Check = Callable[[System, Limits, Progress | None], Report]


def check_with(
    backend: Backend,
    system: System,
    limits: Limits,
    progress: Progress | None,
    large: bool,
    reductions: Collection[Reduction] = (),
) -> Report:
    """The answers to all properties of a system; `large` is known beforehand.

    Raises `reduction-needs-native`, `domain-too-large`, `too-many-rules`, `witness-missing`.
    """
    check_reductions(backend, reductions)
    if reductions:
        from .reduced import check_reduced

        _check_machine_code()
        return check_reduced(system, reductions, limits, progress)
    if backend == "auto":
        return _auto(system, limits, progress, large)
    return _check(backend)(system, limits, progress)


def check_reductions(backend: Backend, reductions: Collection[Reduction]) -> None:
    """Raises `reduction-needs-native` where a search is to reduce that cannot."""
    if reductions and backend == "readable":
        raise FinaleError(
            "reduction-needs-native",
            "the readable search has no reductions: what it counts is the yardstick",
            advice="leave out --reduce, or take --backend native",
        )


def _check_machine_code() -> None:
    from .native import support

    reason = support.why_not()
    if reason:
        raise FinaleError(
            "reduction-needs-native",
            f"the portable search has no reductions, and {reason}",
            advice="leave out --reduce, or install what compiles machine code: see docs/warts.md",
        )


def _check(backend: Literal["readable", "native"]) -> Check:
    # All are imported where they are needed: what they need takes long to load.
    if backend == "readable":
        from .readable import search as readable

        return readable.check
    from .native import support

    if support.why_not():
        return _portably
    from .native import search as native

    return native.check


def _portably(system: System, limits: Limits, progress: Progress | None) -> Report:
    """The native search's slower twin, with a note that it ran and why."""
    from .native import support
    from .native.portable import search as portable

    report = portable.check(system, limits, progress)
    note = f"the portable search ran: {support.why_not()}"
    return replace(report, remarks=(*report.remarks, note))


def _auto(system: System, limits: Limits, progress: Progress | None, large: bool) -> Report:
    states_max = limits.states_max
    if not large or (states_max is not None and states_max <= READABLE_STATES_MAX):
        few = limits
        if states_max is None or states_max > READABLE_STATES_MAX:
            few = replace(limits, states_max=READABLE_STATES_MAX)
        report = _check("readable")(system, few, progress)
        if few is limits or report.stopped != f"the limit of {READABLE_STATES_MAX} states":
            return report
    try:
        return _check("native")(system, limits, progress)
    except FinaleError as error:
        if error.code not in {"domain-too-large", "too-many-rules"}:
            raise
        return _check("readable")(system, limits, progress)


__all__ = ["READABLE_STATES_MAX", "Backend", "check_reductions", "check_with"]
