"""Checks one spec: builds its system, searches it, and compares answers with expectations."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from finale.checker.search.reductions.kinds import Reduction
from finale.checker.spec.claim import Spec
from finale.model.language.properties import Family
from finale.model.system import State, System

from .backends import Backend, check_with
from .cached import cached_reports
from .limits import INTERRUPTED, Limits, ProgressListener, TimeOver, looking
from .options import DEFAULT, SearchOptions
from .rows import SpecResult, result_of
from .verdict import NO_DEADLOCK, WELL_FORMED, Report, Statistics, Timing, Verdict, Word

#: That a system is being built is told when it has taken so long.
SECONDS_UNTOLD = 1.0
BUILDING = "building the system"
#: A spec that is marked slow has many states: more than the readable search would visit.
SLOW_STATES = 1_000_000


def run(
    spec: Spec,
    limits: Limits | None = None,
    progress: ProgressListener | None = None,
    only: Collection[str] = (),
    backend: Backend = "auto",
    reductions: Collection[Reduction] = (),
    options: SearchOptions = DEFAULT,
) -> SpecResult:
    """Return the result of a spec: of all its properties, or of some by name.

    The limit of time covers all of the work. If the time is over before the search begins, every
    answer is `unknown`.
    """
    limits, families = limits or Limits(), chosen(spec, only)
    began = perf_counter()
    cache = None
    if options.resume is None:
        names = sorted(family.name for family in families)
        kind = (backend, sorted(each.value for each in reductions), options.storage)
        cache = cached_reports(spec, [*names, sorted(only), *kind])
    if cache is not None and (known := cache.of_files()) is not None:
        return result_of(spec, lambda: spec.system(families), known, only)
    system, doing = None, BUILDING
    try:
        look = looking(limits, progress, BUILDING, SECONDS_UNTOLD)
        system, key = spec.system_and_key(families, look, is_searched=True)
        if cache is not None and (known := cache.of_system(key, system)) is not None:
            return result_of(spec, system, known, only)
        building = perf_counter() - began
        doing = "preparing the search"
        before = _seconds_before(options)
        left = limits.after(perf_counter() - began)
        report = check_with(
            backend, system, left, progress, _expected(spec), reductions, options, only=only
        )
        _compare_traces(spec, system, report)
        _compare_branches(spec, system, report, backend, left)
        timing = replace(report.timing, building=building, total=perf_counter() - began)
        report = replace(report, seconds_before=before, timing=timing)
        if cache is not None:
            cache.keep(key, system, report)
    except TimeOver:
        report = nothing_searched(limits.seconds_word, doing, families, began)
    except KeyboardInterrupt:
        report = nothing_searched(INTERRUPTED, doing, families, began)
    return result_of(spec, system, report, only)


def _compare_traces(spec: Spec, system: System, report: Report) -> None:
    """Compare the traces that the search has found with plain Python."""
    if spec.catalogue.folder is not None:
        from .interpreter.comparing import compare_traces

        with spec.catalogue.blaming_user_code():
            compare_traces(system, report.verdicts)


def _compare_branches(
    spec: Spec, system: System, report: Report, backend: Backend, limits: Limits
) -> None:
    """Compare each branch of the user's code that the search took with plain Python."""
    if spec.catalogue.folder is None or report.reduced or not report.statistics.complete:
        return
    from .interpreter.comparing import compare_branches

    def witnesses(asking: System) -> Iterator[State]:
        searched = check_with("readable" if backend == "bmc" else backend, asking, limits, None)
        for verdict in searched.verdicts:
            if verdict.witness is not None:
                yield verdict.witness.states[-1]

    with spec.catalogue.blaming_user_code():
        compare_branches(system, report.dead_branches, witnesses)


def _expected(spec: Spec) -> int | None:
    """The number of states that the spec records; of a slow spec without counts, a large number."""
    if spec.counts is not None:
        return spec.counts.states
    return SLOW_STATES if spec.slow else None


def _seconds_before(options: SearchOptions) -> float:
    if options.resume is None:
        return 0.0
    from .native.resume import seconds_saved

    return seconds_saved(options.resume)


def nothing_searched(stopped: str, doing: str, families: Sequence[Family], began: float) -> Report:
    """Return the report if nothing was searched."""
    why = f"{stopped} while {doing}: nothing was searched"
    names = [*(family.name for family in families), WELL_FORMED, NO_DEADLOCK]
    return Report(
        "none",
        tuple(Verdict(name, Word.UNKNOWN, why=why, how="partial") for name in names),
        Statistics(0, 0, 0, perf_counter() - began, complete=False),
        stopped=stopped,
        remarks=(f"nothing was searched: it ended while {doing}",),
        timing=Timing(total=perf_counter() - began),
    )


def chosen(spec: Spec, only: Collection[str]) -> tuple[Family, ...]:
    """Return the properties named, with their witnesses; without names, the properties asked for.

    A property on request is asked for if the spec expects something of it.
    """
    if not only:
        return spec.asked
    wanted = {family.name for family in spec.families if family.name in only}
    wanted |= {f.witness for f in spec.families if f.name in wanted and f.witness}
    return tuple(family for family in spec.families if family.name in wanted)
