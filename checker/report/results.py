"""Shows the result of a check in a terminal: a table for each spec."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.text import Text

from finale.checker.report.layout import (
    columns,
    counted,
    duration,
    flow,
    grouped,
    joined,
    paragraph,
    shortened,
)
from finale.checker.report.places import absolute, command, shown_file
from finale.checker.search.rows import SEARCH, Exit, ResultRow, SpecResult
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Report, Timing, Word
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import text_of
from finale.model.language.explore import Branch
from finale.model.topology import Sink

_MARKS = {
    Exit.AS_EXPECTED: Text("✓ ", "bold green"),
    Exit.FAILED: Text("✗ ", "bold red"),
    Exit.LIMIT: Text("! ", "bold yellow"),
}
#: The colours of verdicts; others are dim.
STYLES = {"holds": "green", "violated": "red", "vacuous": "yellow", "unknown": "yellow"}
#: Of more branches, or more names, than this only the number is told.
BRANCHES_MAX = 6
NAMES_MAX = 6
#: The summary names so many specs with violations that nobody expected.
SPECS_MAX = 12
#: The back end that finds counterexamples which a full search may never reach.
BOUNDED = "bmc"
_HOLDS = "also holding"
_RECORDED = "The spec has the counts for its bounds, options and job as they were when recorded."
_AFTER_A_FAULT = (
    "A run ends at a fault: the other verdicts do not cover later steps. Correct the fault first."
)


def result_lines(result: SpecResult, width: int) -> list[Text]:
    """One spec: its name and title, what was asked for or went wrong, the rest in short, counts."""
    lines = [_MARKS[result.exit] + Text(shown_file(result.spec.file), "bold")]
    lines += paragraph(Text(result.spec.title), width, indent=2)
    for remark in _changes(result.spec):
        lines += paragraph(Text(remark, "cyan"), width, indent=2)
    claims = [row for row in result.rows if row.is_claim and not _was_cut_short(row, result)]
    aside = [row for row in claims if _is_aside(row, result)]
    told = [row for row in claims if row not in aside]
    lines += columns([_property_cells(row) for row in told], width, indent=4)
    for line in _asides(aside, result.spec):
        lines += paragraph(Text(line, "dim"), width, indent=4)
    # A spec that says what it expects has the bounds that it needs.
    open_ = told if result.spec.claimed else claims
    for bound in dict.fromkeys(bound for row in open_ for bound in row.bounds):
        lines += paragraph(Text(f"to decide: {cure(result.spec, bound)}", "dim"), width, indent=4)
    lines += _search_lines(result, width)
    cut_short = [row.property for row in result.rows if _was_cut_short(row, result)]
    if result.report.stopped:
        what = f"unknown: {', '.join(cut_short)}" if cut_short else ""
        if len(cut_short) > NAMES_MAX:
            what = f"{len(cut_short)} verdicts unknown"
        why = joined([f"stopped: {result.report.stopped}", what])
        lines += columns([[Text("!", "bold yellow"), why]], width, indent=4)
    return lines


def _changes(spec: Spec) -> Iterator[str]:
    """How the spec is not that of its file, and what it therefore does not expect."""
    if spec.values:
        under = f" under the variant {spec.variant}" if spec.is_under_variant else ""
        yield f"with {text_of(spec.values)}{under}: the spec expects nothing of this setting"
    elif spec.is_under_variant:
        yield f"under the variant {spec.variant}: counts and numbers of steps are not compared"


def _is_aside(row: ResultRow, result: SpecResult) -> bool:
    """Nobody asked for it in particular, and no trace shows that it is wrong."""
    asked = row.property in result.spec.claimed or row.property in result.only
    return row.ok and not asked and row.counterexample is None


def _asides(rows: Sequence[ResultRow], spec: Spec) -> Iterator[str]:
    """One line for all that hold, one for each reason why others do not."""
    names: dict[str, list[str]] = {}
    for row in rows:
        names.setdefault(_aside(row, spec), []).append(row.property)
    for head in sorted(names, key=lambda head: head != _HOLDS):
        own = names[head]
        if head.startswith(_HOLDS) and len(own) > NAMES_MAX:
            built_in = [name for name in own if name in (WELL_FORMED, NO_DEADLOCK)]
            rest = f"{len(own) - len(built_in)} more"
            yield f"{head}: {', '.join([*built_in, rest])}"
        else:
            yield f"{head}: {', '.join(own)}"


def _aside(row: ResultRow, spec: Spec) -> str:
    exception, told = _in_full(row), _bare_aside(row, spec)
    return f"{told} ({exception})" if exception else told


def _bare_aside(row: ResultRow, spec: Spec) -> str:
    if row.word is Word.UNKNOWN and row.bounds:
        values = spec.setting.bounds
        return f"not decided with {', '.join(f'{b} = {values.get(b)}' for b in row.bounds)}"
    match row.word:
        case Word.HOLDS:
            return _HOLDS
        case Word.VIOLATED:
            return "never reached here"
        case Word.VACUOUS:
            return "vacuous here"
        case Word.NOT_ASKED:
            return f"not asked, since {row.why}"
        case _:
            return f"{row.word}, {row.why}" if row.why else row.word


def _was_cut_short(row: ResultRow, result: SpecResult) -> bool:
    """Only the limit on the search is why nothing is known."""
    return bool(result.report.stopped) and row.word is Word.UNKNOWN


def _property_cells(row: ResultRow) -> list[Text]:
    verdict = Text(row.shown, STYLES.get(row.word, "dim"))
    return [_mark(row), Text(row.property), verdict, _remarks(row)]


def _mark(row: ResultRow) -> Text:
    if row.ok and row.expected is None and row.word is not Word.HOLDS:
        return Text("·", "dim")
    return Text("✓", "green") if row.ok else Text("✗", "bold red")


def _remarks(row: ResultRow) -> Text:
    steps = counted(row.steps, "step") if row.steps is not None else ""
    if row.word is Word.HOLDS and steps:
        steps = f"reached in {steps}"
    expected = ""
    if row.expected is None and row.word is Word.VIOLATED:
        expected = "no expectation"
    elif not row.ok and row.expected != row.word:
        expected = f"expected: {row.expected}"
    elif row.ok and row.expected is not None and row.word is not Word.HOLDS:
        expected = "as expected"
    return joined([steps, row.why, _in_full(row), Text(expected, "" if row.ok else "bold")])


def _in_full(row: ResultRow) -> str:
    """Which reductions that were asked for the answer is not under, and why."""
    _, comma, exception = row.how.partition(", ")
    return exception if comma else ""


def _search_lines(result: SpecResult, width: int) -> list[Text]:
    row = next((row for row in result.rows if row.property == SEARCH), None)
    lines: list[Text] = []
    for remark in result.report.remarks:
        lines += paragraph(Text(remark, "dim"), width, indent=4)
    if result.source is not None:
        for report in (result.report, *result.report.further):
            lines += _count_lines(result, report, row, width)
        if not result.report.cached:
            lines += _timing_line(result.report.timing, width)
    if row is not None and row.word is Word.VIOLATED:
        lines += columns([[_mark(row), Text(SEARCH), Text(row.why)]], width, indent=4)
        lines += paragraph(Text(_RECORDED, "dim"), width, indent=4)
        anew = command("check", result.spec, "--record", *(["--slow"] if result.spec.slow else []))
        lines.append(Text("    record the counts again: ") + Text(anew, "bold"))
    if any(row.property == WELL_FORMED and row.word is Word.VIOLATED for row in result.rows):
        lines += paragraph(Text(_AFTER_A_FAULT, "dim"), width, indent=4)
    if result.dead_branches:
        lines += paragraph(Text(_branches(result.dead_branches), "dim"), width, indent=4)
    failed = [row for row in result.rows if not row.ok and row.trace is not None]
    if result.spec.values:  # which expects nothing
        failed += [row for row in result.rows if row.is_unexpected]
    for row in failed[:1]:
        again = trace_command(result, row.property)
        lines.append(Text("    show it step by step: ") + Text(again, "bold"))
    return lines


def trace_command(result: SpecResult, name: str, path_of: Callable[[Path], str] = absolute) -> str:
    """Return the command line that prints the trace of a property, found in the same way."""
    flags = ["--property", name]
    if result.report.backend == BOUNDED:
        flags += ["--backend", BOUNDED]
    for each in result.report.reduced:
        flags += ["--reduce", each]
    return command("trace", result.spec, *flags, path_of=path_of)


def _costs(report: Report) -> list[str]:
    """How long a search took, and how fast it was; one of before took nothing now."""
    found = report.statistics
    if report.cached:
        return ["cached"]
    counts = report.lists_states and found.seconds
    rate = f"{grouped(round(found.states / found.seconds))} states/s" if counts else ""
    return [duration(found.seconds) + _before(report), rate]


def _count_lines(
    result: SpecResult, report: Report, row: ResultRow | None, width: int
) -> list[Text]:
    """The counts of one search, and under which reductions they are."""
    found, counts = report.statistics, result.spec.counts
    under = f"under {' and '.join(report.reduced)}: " if report.reduced else ""
    if not under and report is not result.report:
        under = "in full: "
    if not report.lists_states:
        depth = f"nothing else up to depth {found.depth}"
        if found.complete:
            depth = f"nothing else: what is new ends at depth {found.depth}"
        return flow([Text(each, "dim") for each in (depth, *_costs(report))], width, indent=4)
    numbers = [
        under + counted(found.states, "state"),
        counted(found.transitions, "transition"),
        f"depth {found.depth}",
        *_costs(report),
    ]
    is_judged = report is result.report and not report.reduced
    if is_judged and counts is not None and row is not None and row.word is Word.HOLDS:
        numbers.append(f"counted independently by {counts.counted_by}")
    return flow([Text(each, "dim") for each in numbers], width, indent=4)


def _timing_line(timing: Timing, width: int) -> list[Text]:
    """Show how long the user waited, and for what."""
    parts = [
        f"{duration(timing.total)} in all",
        f"building {duration(timing.building)}",
        *(
            [f"readable search first {duration(timing.readable_first)}"]
            if timing.readable_first
            else []
        ),
        *([f"finding reductions {duration(timing.reducing)}"] if timing.reducing else []),
        f"compiling {duration(timing.compiling)}",
        f"searching {duration(timing.searching)}",
        f"liveness {duration(timing.liveness)}",
    ]
    return flow([Text(each, "dim") for each in parts], width, indent=4)


def _before(report: Report) -> str:
    """Show the time of earlier runs of a resumed search."""
    before = report.seconds_before
    return f", {duration(before)} of it before it was resumed" if before else ""


def _branches(branches: Sequence[Branch]) -> str:
    count = f"{counted(len(branches), 'branch')} of the rules not taken here"
    if len(branches) > BRANCHES_MAX:
        return count
    spots = [
        f"{Path(each.file).name}:{each.line}{'' if each.outcome else ' else'}" for each in branches
    ]
    return f"{count}: {', '.join(spots)}"


def summary_lines(
    results: Sequence[SpecResult],
    errors: int,
    skipped: int,
    seconds: float,
    interrupted: bool,
    width: int,
) -> list[Text]:
    """Show the summary over all specs."""
    failed = sum(result.exit is Exit.FAILED for result in results)
    undecided = sum(result.exit is Exit.LIMIT for result in results)
    specs = f"{counted(len(results), 'spec')} checked"
    good = len(results) - failed - undecided
    every = good == len(results) and not errors
    expects = any(not result.spec.values for result in results)
    style = "bold red" if failed or errors else "bold yellow" if undecided else "bold green"
    parts = [
        Text(specs, style),
        Text(
            ("all as expected" if expects else "no expectations")
            if every
            else f"{good} as expected"
        ),
        Text(f"{failed} not as expected" if failed else "", "bold red"),
        Text(f"{undecided} undecided" if undecided else "", "bold yellow"),
        Text(f"{counted(errors, 'mistake')} in the input" if errors else "", "bold red"),
        Text(f"{skipped} slow, skipped: add --slow" if skipped else ""),
        Text("interrupted" if interrupted else "", "bold yellow"),
        Text(duration(seconds), "dim"),
    ]
    lines = flow((part for part in parts if results or part is not parts[1]), width)
    head, *named = [*_unexpected(results)] or [""]
    lines += paragraph(Text(head, "yellow"), width) if head else []
    for line in named:
        lines += paragraph(Text(line, "yellow"), width, indent=2)
    return lines


def _unexpected(results: Sequence[SpecResult]) -> Iterator[str]:
    """Show unexpected counterexamples that do not change the exit code: how many, and where."""
    found = [
        (result, [row.property for row in result.rows if row.ok and row.is_unexpected])
        for result in results
    ]
    found = [(result, names) for result, names in found if names]
    number = sum(len(names) for _, names in found)
    what = "property is" if number == 1 else "properties are"
    if number:
        told = f"{grouped(number)} {what} violated without an expectation"
        yield f"{told}: --strict makes this a failure"
    for result, names in found[:SPECS_MAX]:
        yield f"{shown_file(result.spec.file)}: {', '.join(names)}"
    if len(found) > SPECS_MAX:
        yield f"and in {grouped(len(found) - SPECS_MAX)} more specs"


def compared_line(specs: int, seconds: float) -> Text:
    """Show the summary of a comparison of releases."""
    told = f"{counted(specs, 'spec')} compared under releases"
    return joined([Text(told, "bold green"), Text(duration(seconds), "dim")])


def slow_line(file: Path, title: str, width: int) -> Text:
    """A spec that was not checked because it is slow."""
    head = f"- {shown_file(file)} "
    return Text(shortened(f"{head}skipped, slow: {title}", width), "dim")


CHECKPOINTS = "checkpoints"
LIVE = "live_checkpoints"
#: Enough for most jobs: one that is restored, one that is pending, and the next.
LIVE_ENOUGH = 3


def cure(spec: Spec, bound: str) -> str:
    """Advise in one sentence how to change a bound that a run waits at."""
    value = spec.setting.bounds.get(bound)
    if bound == CHECKPOINTS and LIVE in spec.protocol.bound_names():
        if _commits_by_id(spec):
            return (
                f"a committer calls what it commits by ids that are given once, so {LIVE} cannot "
                f"take the place of {CHECKPOINTS} here: such a wait stays unknown"
            )
        return f"replace {CHECKPOINTS} by {LIVE} = {LIVE_ENOUGH}, so that ids are given again"
    if bound == LIVE:
        return (
            f"raise {LIVE} = {value}; if the verdict stays unknown, the run has ids that are never "
            "free, because a message, a transaction, a restart or a field of a variant can still "
            "name them: no number of ids decides it"
        )
    return f"raise {bound}" + ("" if value is None else f" = {value}")


def _commits_by_id(spec: Spec) -> bool:
    job = spec.setting.job
    return job is not None and any(each.sink is Sink.COMMITTER for each in job.vertices)
