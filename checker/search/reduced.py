"""Checks a system under reductions, each property only under reductions that keep its verdict.

One search answers all properties that the same reductions keep. If fewer reductions, or none, keep
a property, another search answers it under these alone. So an unsound reduction is never applied to
a property, and the answer names the reductions that were left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from time import perf_counter

from finale.checker.search.reductions.kinds import AppliedReduction, Reduction
from finale.model.system import Property, System

from .limits import INTERRUPTED, Limits, ProgressListener, TimeOver, check_witnesses, looking
from .options import DEFAULT, SearchOptions
from .reductions.find import find_all
from .verdict import NO_DEADLOCK, WELL_FORMED, Report, Timing, Verdict, Word

LOOKING = "looking for what need not be searched"


def check_reduced(
    system: System,
    reductions: Collection[Reduction],
    limits: Limits,
    progress: ProgressListener | None,
    options: SearchOptions = DEFAULT,
) -> Report:
    """Return the answers to every property, under the reductions that keep the answer.

    Each search has the limits, except for time: all searches share one limit of time. If the time
    is over before a search begins, `TimeOver` is raised. Raises `witness-missing`,
    `domain-too-large`.
    """
    check_witnesses(system)
    began = perf_counter()
    look = looking(limits, progress, LOOKING)
    found = find_all(reductions, system, look)
    reducing = perf_counter() - began
    reports: list[Report] = []
    for under, names in _passes(system, [each for each in found if each.reduces]):
        if any(report.stopped == INTERRUPTED for report in reports):
            reports.append(_not_begun(reports[0], names, INTERRUPTED))
            continue
        left = limits.after(perf_counter() - began)
        try:
            reports.append(_pass(system, under, names, found, left, progress, options))
        except TimeOver:
            if not reports:
                raise
            reports.append(_not_begun(reports[0], names, limits.seconds_word))
    told = [remark for each in found for remark in each.remarks]
    told += [remark for report in reports for remark in report.remarks]
    timing = sum((report.timing for report in reports), Timing(reducing=reducing))
    return replace(_joined(system, reports), remarks=tuple(told), timing=timing)


def _passes(
    system: System, found: Sequence[AppliedReduction]
) -> Iterator[tuple[list[AppliedReduction], list[str]]]:
    """Which properties and rows are answered under which reductions: most reductions first."""
    names_under: dict[tuple[Reduction, ...], list[str]] = {}
    for name in [*(prop.name for prop in system.properties), NO_DEADLOCK]:
        kept = tuple(each.kind for each in found if not _refusal(system, each, name))
        names_under.setdefault(kept, []).append(name)
    for kinds in sorted(names_under, key=len, reverse=True):
        yield [each for each in found if each.kind in kinds], names_under[kinds]


def _refusal(system: System, found: AppliedReduction, name: str) -> str:
    """Why a verdict is not kept; one that depends on a witness depends on the witness's."""
    refusal = found.refusal(name)
    witness = next((prop.witness for prop in system.properties if prop.name == name), None)
    if not refusal and witness is not None and found.refusal(witness):
        refusal = f'its witness "{witness}": {found.refusal(witness)}'
    return refusal


def _pass(
    system: System,
    under: Sequence[AppliedReduction],
    names: Collection[str],
    found: Sequence[AppliedReduction],
    limits: Limits,
    progress: ProgressListener | None,
    options: SearchOptions,
) -> Report:
    from .native import search as native

    part = replace(system, properties=tuple(_asked(system.properties, names)))
    report = native.check(part, limits, progress, under, options)
    own = [each for each in report.verdicts if each.property in (*names, WELL_FORMED)]
    verdicts = tuple(_told(system, each, under, found) for each in own)
    reduced = tuple(each.kind.value for each in under)
    dead_branches = () if under else report.dead_branches
    return replace(report, verdicts=verdicts, reduced=reduced, dead_branches=dead_branches)


def _asked(properties: Sequence[Property], names: Collection[str]) -> Iterator[Property]:
    """The properties of these names, and the witnesses that they need."""
    witnesses = {prop.witness for prop in properties if prop.name in names}
    for prop in properties:
        if prop.name in names or prop.name in witnesses:
            yield prop


def _told(
    system: System,
    verdict: Verdict,
    under: Sequence[AppliedReduction],
    found: Sequence[AppliedReduction],
) -> Verdict:
    """The verdict with how it was reached, and without what the reductions do not keep."""
    kinds = [each.kind for each in under]
    how = verdict.how
    if kinds:
        how += f" under {' and '.join(kind.value for kind in kinds)}"
    for each in found:
        if each.reduces and each.kind not in kinds:
            how += f", not under {each.kind.value}"
            why = _refusal(system, each, verdict.property)
            how += f": {why}" if why else ""
    is_shortest = Reduction.PARTIAL_ORDER not in kinds
    if verdict.word is Word.VACUOUS and not is_shortest:
        why = f"{verdict.why}, which proves nothing under partial-order"
        verdict = replace(verdict, word=Word.UNKNOWN, why=why)
    return replace(verdict, how=how, is_shortest=is_shortest)


def _not_begun(before: Report, names: Sequence[str], stopped: str) -> Report:
    """The verdicts of a search that was not begun, because the one before it was stopped."""
    why = f"{stopped}: the search for it was not begun"
    verdicts = tuple(
        Verdict(name, Word.UNKNOWN, why=why, how="partial") for name in (*names, WELL_FORMED)
    )
    statistics = replace(before.statistics, states=0, transitions=0, depth=0, complete=False)
    return Report(before.backend, verdicts, statistics, stopped=stopped)


def _joined(system: System, reports: Sequence[Report]) -> Report:
    """One report of several searches: each property as its own search answers it."""
    given: dict[str, list[Verdict]] = {}
    for report in reports:
        for verdict in report.verdicts:
            given.setdefault(verdict.property, []).append(verdict)
    names = [*(prop.name for prop in system.properties), WELL_FORMED, NO_DEADLOCK]
    first, *further = reports
    return replace(
        first,
        verdicts=tuple(_worst(given[name]) for name in names),
        stopped=next((report.stopped for report in reports if report.stopped), ""),
        exercised=frozenset[str]().union(*(report.exercised for report in reports)),
        further=tuple(further),
    )


def _worst(verdicts: Sequence[Verdict]) -> Verdict:
    """What counts of several verdicts: each search tells faults, of rules and its properties."""
    violated = [each for each in verdicts if each.word is Word.VIOLATED]
    unknown = [each for each in verdicts if each.word is Word.UNKNOWN]
    if violated:
        return min(violated, key=lambda each: each.steps or 0)
    return unknown[0] if unknown else verdicts[0]
