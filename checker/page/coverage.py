"""Builds the page of `finale coverage`: gaps first, then pairs, branches and options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import htpy as h

from finale.checker.coverage.suite import BranchGoal, Coverage, Goal, PairGoal
from finale.checker.report.coverage import (
    SPECS_MAX,
    Closings,
    branch_words,
    closing_words,
    counts_of,
    cut_sentence,
    pair_gaps,
    setting_words,
    share_words,
    summary_line,
)
from finale.checker.report.layout import counted
from finale.checker.report.places import portable_file, portable_place
from finale.checker.spec.typed import option_word

from .document import document
from .parts import badge, folded, heading, section, table


def coverage_page(coverage: Coverage, closings: Closings, made_by: str) -> str:
    """The page about a suite."""
    facts = [summary_line(coverage), f"made by {made_by}"]
    return document(
        "Coverage of a suite",
        [
            heading("Coverage of a suite", *facts),
            h.p[cut_sentence(coverage)] if coverage.cut else None,
            section("Gaps", *_gaps(coverage, closings)),
            section(
                "Rules of the environment, by phase",
                *(_pairs(coverage, key) for key in coverage.protocols),
            ),
            section("Branches", *_branches(coverage)),
            section("Options", *(_options(coverage, key) for key in coverage.protocols)),
            section("Reasons", *_reasons(coverage)),
        ],
        styles=("coverage.css",),
    )


# --- gaps ----------------------------------------------------------------------------------------


def _gaps(coverage: Coverage, closings: Closings) -> Iterator[h.Renderable]:
    if not coverage.gaps:
        yield h.p["none"]
        return
    branches = [gap for gap in coverage.gaps if isinstance(gap, BranchGoal)]
    if branches:
        head = ("Branch that no step takes", "Never", "Setting that closes the gap")
        rows = [(*_branch_cells(each), closing_words(closings.get(each))) for each in branches]
        yield table(head, rows, caption=counted(len(branches), "branch"))
    pairs = [
        (f"{protocol}: {rule}", gap.phase, closing_words(closings.get(gap)))
        for (protocol, rule), gaps in pair_gaps(coverage).items()
        for gap in gaps
    ]
    if pairs:
        head = ("No spec takes", "While", "Setting that closes the gap")
        yield table(head, pairs, caption=counted(len(pairs), "pair"))


def _branch_cells(branch: BranchGoal) -> tuple[h.Node, h.Node]:
    function, source, outcome = branch_words(branch)
    place = f"{portable_file(branch.file)}:{branch.line}"
    return [h.code[source], h.div(".soft")[f"{function}, {place}"]], outcome


# --- pairs ---------------------------------------------------------------------------------------


def _pairs(coverage: Coverage, protocol: str) -> h.Node:
    """A table of rules and phases: in each cell the number of specs."""
    pairs = coverage.pairs_of(protocol)
    if not pairs:
        return h.p[f"{protocol}: no rule of the environment, or no entity with a phase."]
    rules = dict.fromkeys(each.rule for each in pairs)
    phases = dict.fromkeys(each.phase for each in pairs)
    summary = f"{protocol}: {share_words(coverage, pairs)}"
    return folded(
        summary,
        h.div(".scroll.pairs", tabindex="0", role="region", aria_label=f"pairs of {protocol}")[
            h.table[
                h.thead[h.tr[h.th(scope="col")["phase"], (h.th(scope="col")[e] for e in rules)]],
                h.tbody[
                    (
                        h.tr[
                            h.th(scope="row")[phase],
                            (_cell(coverage, PairGoal(protocol, each, phase)) for each in rules),
                        ]
                        for phase in phases
                    )
                ],
            ]
        ],
        is_open=any(gap in coverage.gaps for gap in pairs),
    )


def _cell(coverage: Coverage, pair: PairGoal) -> h.Renderable:
    """The number of specs that reach a pair; the title names some of them, or the reason."""
    by = coverage.goals.get(pair)
    if by is None:
        return h.td(data_label=pair.rule, title="the guards of the rule exclude it")["·"]
    if by:
        return h.td(data_label=pair.rule, title=_named(coverage, pair))[str(len(by))]
    reason = coverage.reasons.get(pair)
    word = badge("gap", "bad") if reason is None else badge("reason", "known")
    return h.td(data_label=pair.rule, title=reason)[word]


def _named(coverage: Coverage, goal: Goal) -> str:
    by = coverage.goals[goal]
    more = [f"and {len(by) - SPECS_MAX} more"] if len(by) > SPECS_MAX else []
    return ", ".join([*map(setting_words, by[:SPECS_MAX]), *more])


# --- branches, options, reasons ------------------------------------------------------------------


def _branches(coverage: Coverage) -> Iterator[h.Renderable]:
    """The branches by the function that has them; functions with a gap are open."""
    functions: dict[tuple[str, str], list[BranchGoal]] = {}
    for each in coverage.branches:
        functions.setdefault((each.file, each.function), []).append(each)
    for (_, name), branches in functions.items():
        rows = [
            (*_branch_cells(each), _named(coverage, each) or coverage.reasons.get(each) or "gap")
            for each in branches
        ]
        count, reached, reasons = counts_of(coverage, branches)
        yield folded(
            f"{name}: {share_words(coverage, branches)}",
            table(("Branch", "Outcome", "Reached by"), rows),
            is_open=reached + reasons < count,
        )


def _options(coverage: Coverage, protocol: str) -> h.Node:
    rows: Sequence[Sequence[h.Node]] = [
        (
            h.code[f"{each.option} = {option_word(each.value)}"],
            str(each.settings),
            f"{each.rules} of {each.of}",
            str(each.only),
        )
        for each in coverage.option_values(protocol)
    ]
    if not rows:
        return None
    head = ("Value", "Specs", "Rules taken", "Branches that no other value takes")
    return folded(f"{protocol}: values of options", table(head, rows))


def _reasons(coverage: Coverage) -> Iterator[h.Renderable]:
    for each in coverage.stale:
        place = portable_place(each.place)
        yield h.p[badge("out of date", "bad"), f" {place}: {each.reason}"]
    for protocol in coverage.over_reasoned:
        yield h.p[badge("too many", "bad"), f" {protocol}: more than one pair in ten has a reason"]
    by_reason: dict[str, list[Goal]] = {}
    for goal, reason in coverage.reasons.items():
        by_reason.setdefault(reason, []).append(goal)
    if not by_reason:
        yield h.p["none"]
    for reason, goals in by_reason.items():
        words = (
            f"{each.function}: {each.source}"
            if isinstance(each, BranchGoal)
            else f"{each.protocol}: {each.rule} while {each.phase}"
            for each in goals
        )
        yield folded(f"{reason} ({len(goals)})", h.ul[(h.li[each] for each in words)])


__all__ = ["coverage_page"]
