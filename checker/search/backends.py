"""Chooses the search that checks a system: readable, native, bounded, or automatic.

The native search is over a hundred times as fast as the readable one, but it must compile first.
`auto` searches natively if it expects many states. If it expects few, or does not know, it begins
with the readable search, and changes over at the number of states at which the native search has
caught up. An expectation may cost time and never changes an answer. If a limit stops the native
search before it has seen as much as the readable one, `auto` keeps the report of the readable
search: more time never gives a worse answer. The bounded search asks a solver and lists no states;
it runs only on request.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Literal

from finale.checker.search.reductions.kinds import Reduction
from finale.model.errors import FinaleError
from finale.model.system import System

from .limits import INTERRUPTED, Limits, ProgressListener, TimeOver
from .options import DEFAULT, SearchOptions
from .verdict import Report, Word

Backend = Literal["auto", "readable", "native", "bmc"]


@dataclass(frozen=True)
class Few:
    """How much the readable search may see before the native one is worth its start."""

    states: int
    seconds: float


#: Measured on the specs: from here on, a native search takes less time, its start included.
FEW = Few(2_000, 2.0)
#: The same where the loops of the native search must be compiled first, once on a machine.
FEW_UNCOMPILED = Few(20_000, 10.0)


def check_with(  # noqa: PLR0913 - what is asked, of whom, and how far
    backend: Backend,
    system: System,
    limits: Limits,
    progress: ProgressListener | None,
    expected: int | None = None,
    reductions: Collection[Reduction] = (),
    options: SearchOptions = DEFAULT,
    *,
    only: Collection[str] = (),
) -> Report:
    """Return the answers to all properties of a system.

    `expected` is the number of states that the caller expects, if it knows one. With `only`, the
    bounded search looks at these rows alone.

    Raises `needs-native`, `needs-bmc`, `hashed-partial-order`, `resume-under-reduction`,
    `domain-too-large`, `too-many-rules`, `witness-missing`, and what resuming raises.
    """
    check_options(backend, reductions, options, limits)
    if reductions:
        from .reduced import check_reduced

        _check_machine_code("reduce")
        return check_reduced(system, reductions, limits, progress, options)
    if backend == "bmc":
        from .bmc import search

        return search.check(system, limits, progress, only)
    if backend == "readable":
        return _readable(system, limits, progress)
    if backend == "native" or options.needs_native:
        return _native(system, limits, progress, options)
    return _auto(system, limits, progress, expected)


def check_options(
    backend: Backend, reductions: Collection[Reduction], options: SearchOptions, limits: Limits
) -> None:
    """Raises a coded error if the options ask a search for something that it cannot do."""
    flag = "reduce" if reductions else options.needs_native
    if limits.memory_max is not None and not flag:
        flag = "max-memory"
    if limits.steps_max is not None and backend != "bmc":
        raise FinaleError(
            "needs-bmc",
            "--max-steps is for the bounded search only: the others go as far as there is to go",
            advice="leave out --max-steps, or take --backend bmc",
        )
    if flag and backend in {"readable", "bmc"}:
        raise FinaleError(
            "needs-native",
            f"--{flag} is for the native search only",
            advice=f"leave out --{flag}, or take --backend native",
        )
    if Reduction.PARTIAL_ORDER in reductions and options.storage == "hashed":
        raise FinaleError(
            "hashed-partial-order",
            "hashes have no order: what partial-order leaves out would differ from run to run",
            advice="leave out one of the two, or take --storage compressed",
        )
    if reductions and options.resume is not None:
        raise FinaleError(
            "resume-under-reduction",
            "a search under reductions cannot be saved: it may be several searches",
            advice="leave out --reduce or --resume",
        )


# All are imported where they are needed: what they need takes long to load.


def _readable(system: System, limits: Limits, progress: ProgressListener | None) -> Report:
    from .bfs import search

    return search.check(system, limits, progress)


def _native(
    system: System,
    limits: Limits,
    progress: ProgressListener | None,
    options: SearchOptions = DEFAULT,
) -> Report:
    """The report of the native search, or of the readable one if there is no machine code."""
    from .native import support

    if reason := support.why_not():
        _check_machine_code(options.needs_native or ("max-memory" if limits.memory_max else ""))
        report = _readable(system, limits, progress)
        note = f"the readable search ran: {reason}"
        return replace(report, remarks=(*report.remarks, note))
    from .native import search

    return search.check(system, limits, progress, options=options)


def _check_machine_code(flag: str) -> None:
    """Raises `needs-native` if a flag needs machine code that cannot be compiled here."""
    from .native import support

    reason = support.why_not()
    if reason and flag:
        raise FinaleError(
            "needs-native",
            f"the readable search does not know --{flag}, and {reason}",
            advice=f"leave out --{flag}, or install what compiles machine code: see docs/limits.md",
        )


def _auto(
    system: System, limits: Limits, progress: ProgressListener | None, expected: int | None
) -> Report:
    began = perf_counter()
    before: Report | None = None
    bound = _few(expected)
    few = _within(limits, bound)
    if few.states_max == limits.states_max or expected is None or expected <= bound.states:
        before = _readable(system, few, progress)
        if not _changes_over(before, few, limits):
            return before
    limits = limits.after(perf_counter() - began)
    try:
        report = _native(system, limits, progress)
    except FinaleError as error:
        if error.code not in {"domain-too-large", "too-many-rules"}:
            raise
        return _readable(system, limits, progress)
    except (TimeOver, KeyboardInterrupt) as stop:
        if before is None:
            raise
        word = limits.seconds_word if isinstance(stop, TimeOver) else INTERRUPTED
        return _stopped_by(before, word)
    if before is None:
        return report
    if report.stopped and _seen(report) < _seen(before):
        return _stopped_by(before, report.stopped)
    first = before.timing.compiling + before.timing.searching + before.timing.liveness
    return replace(report, timing=replace(report.timing, readable_first=first))


def _few(expected: int | None) -> Few:
    if expected is not None and expected <= FEW.states:
        return FEW  # without loading what compiles
    from .native import support

    if support.why_not():
        return FEW_UNCOMPILED
    from .native.loops import must_be_compiled

    return FEW_UNCOMPILED if must_be_compiled() else FEW


def _seen(report: Report) -> tuple[bool, int, int, int]:
    """How far a search came. Both searches take states in the same order."""
    found = report.statistics
    settled = sum(each.word is not Word.UNKNOWN for each in report.verdicts)
    return found.complete, found.transitions, found.states, settled


def _stopped_by(report: Report, word: str) -> Report:
    """The report of a search that went on elsewhere and was stopped there, by this limit."""

    verdicts = (
        replace(verdict, why=verdict.why.replace(report.stopped, word, 1))
        if verdict.word is Word.UNKNOWN
        else verdict
        for verdict in report.verdicts
    )
    return replace(report, verdicts=tuple(verdicts), stopped=word)


def _within(limits: Limits, few: Few) -> Limits:
    """The limits of a readable search that a native one may follow."""
    states, seconds = limits.states_max, limits.seconds_max
    if states is None or states > few.states:
        limits = replace(limits, states_max=few.states)
    if seconds is None or seconds > few.seconds:
        limits = replace(limits, seconds_max=few.seconds, seconds_given=None)
    return limits


def _changes_over(report: Report, few: Limits, limits: Limits) -> bool:
    """Whether a search came to a limit that is not the user's."""
    if report.stopped == few.states_word:
        return few.states_max != limits.states_max
    return report.stopped == few.seconds_word and few.seconds_max != limits.seconds_max
