"""Shows how much of a protocol a suite looks at: as text and as JSON; gaps come first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from finale.checker.coverage.closing import Closing
from finale.checker.coverage.suite import BranchGoal, Coverage, Goal, Looked, PairGoal
from finale.checker.spec.grid import settings_of
from finale.checker.spec.typed import option_word

from .layout import Cell, columns, counted, grouped, paragraph
from .places import portable_place, shown_file, shown_place

Closings = Mapping[Goal, Closing]
#: So many specs are named that reach a goal.
SPECS_MAX = 3


def setting_words(looked: Looked) -> str:
    """A setting as a command line names it: the file, and the values that differ from it."""
    values = (f" --set {each}" for each in settings_of(looked.spec.values))
    return f"{shown_file(looked.spec.file)}{''.join(values)}"


def branch_words(branch: BranchGoal) -> tuple[str, str, str]:
    """A branch for a reader: the function, the line of the source, and the outcome."""
    return branch.function, branch.source, "true" if branch.outcome else "false"


def closing_words(closing: Closing | None) -> str:
    """The setting that closes a gap, or what is known instead."""
    if closing is None:
        return ""
    if closing.setting is None:
        return f"none of {counted(closing.tries, 'setting')} closes it"
    states = grouped(closing.setting.seen.states)
    return f"{setting_words(closing.setting)} ({states} states)"


def phase_words(phases: Sequence[str]) -> str:
    """Phases for a reader, those of one status together: `Task.status: RUNNING, CLOSED`."""
    found: dict[str, list[str]] = {}
    for phase in phases:
        status, _, value = phase.partition(" = ")
        found.setdefault(status, []).append(value)
    return "; ".join(f"{status}: {', '.join(values)}" for status, values in found.items())


def counts_of(coverage: Coverage, goals: Sequence[Goal]) -> tuple[int, int, int]:
    """The number of goals, how many are reached, and how many have a reason."""
    reached = sum(bool(coverage.goals[goal]) for goal in goals)
    return len(goals), reached, sum(goal in coverage.reasons for goal in goals)


def share_words(coverage: Coverage, goals: Sequence[Goal]) -> str:
    """How many goals are reached, for a cell of a table."""
    count, reached, reasons = counts_of(coverage, goals)
    more = f", {reasons} with a reason" if reasons else ""
    return f"{grouped(reached)} of {grouped(count)}{more}"


def cut_sentence(coverage: Coverage) -> str:
    """What the walks that were cut mean for the answer; empty if none was cut."""
    if not coverage.cut:
        return ""
    most = max(each.seen.states for each in coverage.cut)
    return (
        f"The walks of {counted(len(coverage.cut), 'setting')} ended at {grouped(most)} states and "
        "have not seen all states: a goal that only their later states reach is listed as a gap."
    )


def single_values(coverage: Coverage, protocol: str) -> list[str]:
    """The options of a protocol that have one value in all settings, with the value."""
    found: dict[str, list[str]] = {}
    for each in coverage.option_values(protocol):
        found.setdefault(each.option, []).append(option_word(each.value))
    return [f"{name} = {words[0]}" for name, words in found.items() if len(words) == 1]


# --- as text -------------------------------------------------------------------------------------


def coverage_lines(coverage: Coverage, closings: Closings, width: int) -> Iterator[Text]:
    """The whole answer."""
    yield from _gaps(coverage, closings, width)
    for reason in coverage.stale:
        said = f"{shown_place(reason.place)}: this reason is out of date: {reason.reason}"
        yield from paragraph(Text(said, "red"), width)
    for protocol in coverage.over_reasoned:
        said = f"{protocol}: more than one pair in ten has a reason instead of a spec"
        yield from paragraph(Text(said, "red"), width)
    head: list[Cell] = [Text(each, "bold") for each in ("protocol", "specs", "pairs reached")]
    rows: list[list[Cell]] = [head]
    for protocol in coverage.protocols:
        specs = sum(each.spec.protocol.key == protocol for each in coverage.looked)
        rows.append([protocol, grouped(specs), share_words(coverage, coverage.pairs_of(protocol))])
    yield from columns(rows, width)
    for protocol in coverage.protocols:
        if single := single_values(coverage, protocol):
            said = f"{protocol}: options with one value in all specs: {', '.join(single)}"
            yield from paragraph(Text(said, "dim"), width)
    if said := cut_sentence(coverage):
        yield from paragraph(Text(said, "dim"), width)
    yield Text(summary_line(coverage), "bold")


def summary_line(coverage: Coverage) -> str:
    """The whole result in one line."""
    pairs = [goal for goal in coverage.goals if isinstance(goal, PairGoal)]
    return (
        f"{counted(len(coverage.looked), 'setting')}: "
        f"branches {share_words(coverage, coverage.branches)}; "
        f"pairs of rule and phase {share_words(coverage, pairs)}; "
        f"{counted(len(coverage.gaps), 'gap')}"
    )


def _gaps(coverage: Coverage, closings: Closings, width: int) -> Iterator[Text]:
    branches = [gap for gap in coverage.gaps if isinstance(gap, BranchGoal)]
    if branches:
        yield Text("branches that no step takes", "bold cyan")
    for branch in branches:
        function, source, outcome = branch_words(branch)
        place = f"{shown_file(branch.file)}:{branch.line}"
        yield from paragraph(Text(f"{place}  {function}", "yellow"), width, indent=2)
        yield from paragraph(f"never {outcome}: {source}", width, indent=4)
        yield from _closing_line(closing_words(closings.get(branch)))
    if branches:
        yield Text()
    for (protocol, rule), gaps in pair_gaps(coverage).items():
        yield Text(f"{protocol}: no spec takes {rule} while", "bold cyan")
        by_closing: dict[str, list[str]] = {}
        for gap in gaps:
            by_closing.setdefault(closing_words(closings.get(gap)), []).append(gap.phase)
        for closing, phases in by_closing.items():
            yield from paragraph(Text(phase_words(phases), "yellow"), width, indent=2)
            yield from _closing_line(closing)
    if coverage.gaps:
        yield Text()


def _closing_line(said: str) -> Iterator[Text]:
    """What closes a gap, in one line however long: a user copies it."""
    if said:
        yield Text(f"    {said}", "green")


def pair_gaps(coverage: Coverage) -> dict[tuple[str, str], list[PairGoal]]:
    """The pairs that are gaps, by protocol and rule."""
    found: dict[tuple[str, str], list[PairGoal]] = {}
    for gap in coverage.gaps:
        if isinstance(gap, PairGoal):
            found.setdefault((gap.protocol, gap.rule), []).append(gap)
    return found


# --- as JSON -------------------------------------------------------------------------------------


def coverage_json(coverage: Coverage, closings: Closings) -> dict[str, object]:
    """Everything: each goal with the specs that reach it, the gaps first."""
    order = sorted(coverage.goals, key=lambda goal: goal not in coverage.gaps)
    return {
        "settings": [
            {
                "setting": setting_words(each),
                "protocol": each.spec.protocol.key,
                "states": each.seen.states,
                "complete": each.seen.complete,
            }
            for each in coverage.looked
        ],
        "branches": [
            {
                "place": f"{shown_file(goal.file)}:{goal.line}",
                "function": goal.function,
                "source": goal.source,
                "outcome": goal.outcome,
                **_reached_json(goal, coverage, closings),
            }
            for goal in order
            if isinstance(goal, BranchGoal)
        ],
        "pairs": [
            {
                "protocol": goal.protocol,
                "rule": goal.rule,
                "phase": goal.phase,
                **_reached_json(goal, coverage, closings),
            }
            for goal in order
            if isinstance(goal, PairGoal)
        ],
        "options": [
            {
                "protocol": each.protocol,
                "option": each.option,
                "value": option_word(each.value),
                "settings": each.settings,
                "rules": each.rules,
                "rules_of_all": each.of,
                "branches_of_it_alone": each.only,
            }
            for protocol in coverage.protocols
            for each in coverage.option_values(protocol)
        ],
        "reasons_out_of_date": [portable_place(each.place) for each in coverage.stale],
        "too_many_reasons": list(coverage.over_reasoned),
        "gaps": len(coverage.gaps),
    }


def _reached_json(goal: Goal, coverage: Coverage, closings: Closings) -> dict[str, object]:
    closing = closings.get(goal)
    setting = None if closing is None else closing.setting
    return {
        "reached_by": [setting_words(each) for each in coverage.goals[goal]],
        "reason": coverage.reasons.get(goal),
        "closed_by": None if setting is None else setting_words(setting),
        "tried": 0 if closing is None else closing.tries,
    }


__all__ = [
    "SPECS_MAX",
    "Closings",
    "branch_words",
    "closing_words",
    "counts_of",
    "coverage_json",
    "coverage_lines",
    "cut_sentence",
    "pair_gaps",
    "setting_words",
    "share_words",
    "summary_line",
]
