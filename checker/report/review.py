"""Shows a review: what differs under a change, as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import perf_counter

from rich.text import Text

from finale.checker.compare.comparison import Difference
from finale.checker.review.behaviours import Behaviours
from finale.checker.review.cases import Case
from finale.checker.review.lines import MemberCoverage
from finale.checker.review.review import ChangedProperty, Review, Tried
from finale.checker.review.stability import Flip, raised
from finale.checker.review.verdicts import Difference as Changed
from finale.checker.review.verdicts import Direction
from finale.checker.search.rows import Exit, ResultRow, result_of
from finale.checker.search.verdict import Verdict, Word
from finale.checker.spec.claim import Spec, runs_before
from finale.checker.spec.meanings import summary
from finale.checker.spec.typed import option_word
from finale.checker.studies.foreign_step import foreign_step
from finale.model.errors import FinaleError
from finale.model.system import System
from finale.model.trace import Trace

from .about import defined_lines
from .layout import Cell, columns, counted, duration, flow, joined, paragraph
from .places import absolute, command, other_options, shown_file, told_of_options
from .remarks import remark_lines
from .story import Story, story_json, story_of
from .task_order import with_few_changes

#: A direction of a verdict, how it is marked.
_MARKS = {
    Direction.VIOLATED: Text("✗", "bold red"),
    Direction.UNREACHED: Text("−", "yellow"),  # noqa: RUF001 - a minus sign
    Direction.VACUOUS: Text("!", "yellow"),
    Direction.UNSETTLED: Text("!", "yellow"),
    Direction.UNREACHED_OR_NOT: Text("!", "yellow"),
    Direction.VACUOUS_OR_NOT: Text("!", "yellow"),
    Direction.UNKNOWN: Text("!", "yellow"),
    Direction.UNASKED: Text("!", "yellow"),
    Direction.REACHED: Text("+", "cyan"),
    Direction.MENDED: Text("✓", "green"),
    Direction.TESTED: Text("✓", "green"),
    Direction.DECIDED: Text("✓", "green"),
    Direction.SEEN: Text("✓", "green"),
    Direction.ASKED: Text("✓", "green"),
}
_SIGNS = {"gained": Text("+", "bold"), "lost": Text("−", "bold")}  # noqa: RUF001 - a minus sign
#: So many new violations are shown with the steps of a shortest run; of others the length.
SHOWN_MAX = 3
#: Said of larger bounds that were not searched to the end.
UNSEARCHED = (
    "the others reached a limit of time or states, or were refused; "
    "--stability SECONDS gives more time"
)
#: So many names of a list are printed.
NAMES_MAX = 12


# --- in a terminal -------------------------------------------------------------------------------


def review_lines(review: Review, width: int) -> list[Text]:
    """The whole answer: the change, what is strange about it, verdicts, bounds, a summary."""
    began = perf_counter()
    lines = [Text(str(review.change), "bold")]
    if review.changed.variant is not None:
        lines += paragraph(Text(summary(review.changed.variant)), width, indent=2)
    if review.interrupted:
        is_whole = len(review.tried) + len(review.errors) >= len(review.cases.found)
        left = "without all larger bounds and runs" if is_whole else "and not about the others"
        said = f"interrupted: what follows is about {tried_settings(review)}, {left}"
        lines += paragraph(Text(said, "bold yellow"), width, indent=2)
    lines += remark_lines(review.remarks, width)
    if review.code.members:
        lines += [Text(), Text("what the change defines", "bold cyan")]
        lines += defined_lines(review.code, width, coverage=review.coverage)
    lines += _heading("rules that step otherwise", list(_rules(review)), width)
    lines += _verdicts(review, width)
    lines += _behaviours(review, width)
    lines += _stability(review, width)
    lines += [Text(), *_summary(review, review.seconds + perf_counter() - began, width)]
    return lines


def _heading(name: str, rows: Sequence[Sequence[Cell]], width: int) -> list[Text]:
    if not rows:
        return []
    return [Text(), Text(name, "bold cyan"), *columns(rows, width, indent=2)]


def _rules(review: Review) -> Iterator[list[Cell]]:
    rules = sorted(review.rules.items(), key=lambda each: -each[1][0])
    for name, (count, taken) in rules[:NAMES_MAX]:
        where = f"in {counted(count, 'setting')}"
        yield [Text(name, "bold"), f"{where}, and taken in {taken}" if taken < count else where]
    if len(rules) > NAMES_MAX:
        yield [Text(f"and {len(rules) - NAMES_MAX} more"), ""]


def _verdicts(review: Review, width: int) -> list[Text]:
    lines = [Text(), Text("verdicts that differ", "bold cyan")]
    if not review.findings:
        return [*lines, Text("  none")]
    shown = 0
    for same in _grouped(review):
        lines += columns([_finding_cells(review, same)], width, indent=2)
        if same[0].direction.falls:
            shown += 1
            lines += _shown_run(same[0], width) if shown <= SHOWN_MAX else []
    if shown > SHOWN_MAX:
        others = "--format json also has the runs of the other violations, and -o FILE those "
        others += "of the worst"
        lines += paragraph(Text(others, "dim"), width, indent=2)
    return lines


def _grouped(review: Review) -> Iterator[Sequence[ChangedProperty]]:
    """The findings in their order; those together that one run breaks."""
    together = {each.property: run for run in review.runs for each in run}
    told = set[str]()
    for finding in review.findings:
        if finding.direction.falls and finding.property in told:
            continue
        same = together[finding.property] if finding.direction.falls else (finding,)
        if finding.direction.falls:
            told |= {each.property for each in same}
        yield same


def difference_rows(review: Review) -> Iterator[list[Cell]]:
    """What differs, also with larger bounds alone: a mark, the properties, and how."""
    yield from (_finding_cells(review, same) for same in _grouped(review))
    flips = (*review.new_flips, *review.unsettled_flips, *other_ends_of_mends(review))
    yield from map(_flip_cells, flips)


def _finding_cells(review: Review, same: Sequence[ChangedProperty]) -> list[Cell]:
    """What one run shows of one or more properties, or what differs without a run."""
    finding = same[0]
    tried, difference = finding.first
    settings = {one.case.file for each in same for one, _ in each.shown}
    where = f"{finding.direction.value} in {len(settings)} of {len(review.tried)} settings"
    trace = difference.trace
    steps = "" if trace is None else steps_of(trace)
    end = end_of_mend(review, finding)
    mark = _MARKS[finding.direction] if end is None else Text("!", "yellow")
    up_to = "" if end is None else only_up_to(end)
    told = [
        where,
        up_to,
        steps,
        told_on_request(tried.case, finding.property),
    ]
    return [mark, Text(", ".join(each.property for each in same), "bold"), joined(told)]


def steps_of(trace: Trace) -> str:
    """How long a run is: its steps, and those of the loop behind them that repeats for ever."""
    steps = counted(trace.length, "step")
    rest = len(trace.rules) - trace.length
    return f"{steps}, then a loop of {rest}" if rest else steps


def told_on_request(case: Case, name: str) -> str:
    """How finale check asks a property that it leaves out if nobody names it."""
    return f"asked on request (--property {name})" if case.is_on_request(name) else ""


def end_of_mend(review: Review, finding: ChangedProperty) -> Flip | None:
    """How a property that the change mends falls again with a larger bound, if it does."""
    if finding.direction is not Direction.MENDED:
        return None
    return next(
        (same[0] for same in review.ends_of_mends if same[0].property == finding.property), None
    )


def only_up_to(end: Flip) -> str:
    """Up to which bound a mend was seen to hold."""
    return f"only up to {end.larger.bound} = {end.larger.value - 1}"


def _shown_run(finding: ChangedProperty, width: int) -> list[Text]:
    """A shortest run in short, and the command that prints it in full."""
    tried, difference = finding.first
    story = story_of_finding(tried, difference)
    lines = [] if story is None else _story_lines(story, width)
    if story is not None and (told := told_of_change(tried, difference)):
        lines += paragraph(Text(told, "yellow"), width, indent=6)
    said = told_of_options(tried.case.changed)
    lines += paragraph(Text(said), width, indent=6) if said else []
    again = command_of_finding(finding)
    return [*lines, _pasted(again)]


def told_of_change(tried: Tried, difference: Changed) -> str:
    """Where the change acts: the first step of the run that is none without it; empty if all are,
    or if the change has other variables."""
    base, (changed, verdict) = tried.case.base.system(), shown_run(tried, difference)
    names = [[f"{v.name}: {v.domain}" for v in system.variables] for system in (base, changed)]
    if verdict.trace is None or names[0] != names[1]:
        return ""
    step = foreign_step(changed, base, verdict.trace)
    return "" if step is None else f"{step} without the change"


def _pasted(line: str) -> Text:
    """A command on one line, however long: a broken one cannot be pasted."""
    return Text(" " * 6) + Text(line, "bold")


def _story_lines(story: Story, width: int) -> list[Text]:
    """The sentence of a property, and the steps of a run by their rules."""
    sentence = paragraph(Text(story.sentence), width, indent=6)
    steps = [Text(step, "dim") for step in steps_in_words(story)]
    return [*sentence, *flow(steps, width, indent=6)]


def steps_in_words(story: Story) -> Iterator[str]:
    """The steps of a run by their rules, and where the run goes on."""
    for each in story.steps:
        yield f"{each.number} {each.rule.rule.name}({', '.join(v for _, v in each.rule.binding)})"
    if story.loop is not None:
        rest = story.loop == len(story.steps)
        yield "no further step" if rest else f"again from step {story.loop + 1} on"


def command_of_finding(finding: ChangedProperty, path_of: Callable[[Path], str] = absolute) -> str:
    """The command that prints the run of a finding."""
    spec = finding.first[0].case.changed
    return command("trace", spec, "--property", finding.property, path_of=path_of)


def command_of_flip(flip: Flip, path_of: Callable[[Path], str] = absolute) -> str:
    """The command that prints the run that a larger bound allows."""
    return command("trace", spec_of_flip(flip), "--property", flip.property, path_of=path_of)


def _behaviours(review: Review, width: int) -> list[Text]:
    """What can happen with the change alone, and without the change alone."""
    found = review.behaviours
    if found is None or not (found.compared or found.refused):
        return []
    lines = [Text(), Text("what an observer sees", "bold cyan")]
    for word, shown in (("gained", found.gained), ("lost", found.lost)):
        if shown is not None:
            lines += _behaviour(word, *shown, width)
    compared = f"{len(found.compared)} of {counted(found.of, 'differing setting')} compared"
    return [*lines, *flow([compared, *found.told], width, indent=2)]


def _behaviour(word: str, case: Case, difference: Difference, width: int) -> Iterator[Text]:
    """A shortest run that one of the two systems has alone, by what an observer sees of it."""
    steps = counted(difference.run.trace.length, "step")
    head = joined([f"{word}: {difference.observation}", steps, shown_file(case.file)])
    yield from columns([[_SIGNS[word], head]], width, indent=2)
    seen = [f"{step} {text}".lstrip() for step, text in difference.run.by_step]
    yield from flow([Text(each, "dim") for each in seen], width, indent=6)
    other = "without the change" if word == "gained" else "with the change"
    after = "after the same beginning" if difference.has_same_start else "at the start"
    instead = "; or ".join(difference.instead) or "nothing else is seen"
    said = f"{other}, {after} only this is seen: {instead}"
    yield from paragraph(Text(said, "dim"), width, indent=6)


def _stability(review: Review, width: int) -> list[Text]:
    stability = review.stability
    if stability is None:
        return []
    done = f"each bound one larger: {stability.searched} of {stability.of} searched"
    notes = [
        Text(done),
        Text(told_of_larger_bounds(review), "green"),
        Text(UNSEARCHED if stability.searched < stability.of else "", "yellow"),
    ]
    lines = [Text(), Text("with larger bounds", "bold cyan")]
    shown = (*review.new_flips, *review.unsettled_flips, *other_ends_of_mends(review))
    for number, same in enumerate(shown):
        lines += columns([_flip_cells(same)], width, indent=2)
        if number < SHOWN_MAX:
            lines += _story_lines(story_of_flip(same[0]), width)
            lines.append(_pasted(command_of_flip(same[0])))
    lines += flow(notes, width, indent=2)
    if review.old_flips:
        lines += paragraph(Text(told_of_old_flips(review), "dim"), width, indent=2)
    return lines


def other_ends_of_mends(review: Review) -> list[tuple[Flip, ...]]:
    """The mends that end with a bound, without those that are new violations there."""
    shown = {same[0].property for same in review.new_flips}
    return [same for same in review.ends_of_mends if same[0].property not in shown]


def told_of_old_flips(review: Review) -> str:
    """Which properties fall with a larger bound without the change, too."""
    flips = [same[0] for same in review.old_flips]
    named = [
        f"{each.property} ({each.larger.bound} = {each.larger.value})" for each in flips[:NAMES_MAX]
    ]
    if len(flips) > NAMES_MAX:
        named.append(f"and {len(flips) - NAMES_MAX} more")
    flip = "flips" if len(flips) == 1 else "flip"
    return f"{counted(len(flips), 'verdict')} {flip} without the change, too: {', '.join(named)}"


def told_of_larger_bounds(review: Review) -> str:
    """What the searches with larger bounds come to, if they have no finding of their own."""
    found = review.stability
    if found is None or review.new_flips or not found.searched:
        return ""
    told = "nothing that holds falls"
    if found.flips and not all(each.is_old for each in found.flips):
        told = "nothing else that holds falls"
    if any(each.is_new for each in found.flips):
        told = "no other property falls"
    return f"{told} so far" if found.searched < found.of else told


def _flip_cells(same: Sequence[Flip]) -> list[Cell]:
    """The shortest of the flips of one property, and how many others there are."""
    first, larger = same[0], same[0].larger
    steps = counted(first.verdict.steps or 0, "step")
    until = "holds at" if first.is_new or first.is_unsettled else "mended up to"
    told = f"{until} {larger.bound} = {larger.value - 1}, falls at {larger.value}"
    others = f"and with {counted(len(same) - 1, 'other bound')}" if len(same) > 1 else ""
    return [
        Text("✗", "bold red") if first.is_new else Text("!", "yellow"),
        Text(first.property, "bold"),
        joined(
            [
                told,
                unknown_before(first),
                steps,
                shown_file(larger.case.file),
                others,
                told_on_request(larger.case, first.property),
            ]
        ),
    ]


def unknown_before(flip: Flip) -> str:
    """That nobody knows whether the protocol falls there without the change, if so."""
    return "unknown without the change" if flip.falls_before is None else ""


def new_violations(review: Review) -> int:
    """How many runs show that something falls by the change, also with a larger bound alone."""
    worse = sum(run[0].direction is Direction.VIOLATED for run in review.runs)
    return worse + len(review.new_flips)


def told_of_verdicts(review: Review) -> Iterator[str]:
    """How many verdicts are worse with the change, or can be: one part for each way."""
    worse = new_violations(review)
    fallen = {e.property for r in review.runs for e in r if e.direction is Direction.VIOLATED}
    fallen |= {same[0].property for same in review.new_flips}
    of = f" of {len(fallen)} properties" if len(fallen) > worse else ""
    yield counted(worse, "new violation") + of if worse else "no new violation"
    counts = Counter(each.direction for each in review.findings)
    counts[Direction.UNSETTLED] += len(review.unsettled_flips)
    for direction in Direction:
        is_told = direction.exit is not Exit.AS_EXPECTED and direction is not Direction.VIOLATED
        if is_told and counts[direction]:
            yield f"{counts[direction]} {direction.value}"


def _summary(review: Review, seconds: float, width: int) -> list[Text]:
    style = {Exit.FAILED: "bold red", Exit.AS_EXPECTED: "bold green"}.get(
        review.exit, "bold yellow"
    )
    protocols = {tried.case.base.protocol.key for tried in review.tried}
    said = f"{tried_settings(review)} of {counted(len(protocols), 'protocol')}"
    so_far = " so far" if review.interrupted else ""
    told, *others = told_of_verdicts(review)
    parts = [
        Text(said, style),
        Text(f"{told}{so_far}"),
        *(Text(each, "yellow") for each in (*others, *what_is_missing(review))),
        Text(duration(seconds), "dim"),
    ]
    return flow(parts, width)


def what_is_missing(review: Review) -> Iterator[str]:
    """Why the answer is not about all settings, or not about all of their states."""
    if review.stopped:
        yield f"{len(review.stopped)} not searched to the end"
    if review.errors:
        yield f"{len(review.errors)} refused with an error"
    if review.cases.slow:
        yield f"{len(review.cases.slow)} slow, left out: add --slow"
    done = {*review.errors, *(each.case.file for each in review.tried)}
    left = sum(case.file not in done for case in review.cases.found)
    if review.interrupted:
        yield "interrupted"
    elif left:
        yield f"{left} not tried (--first)"


def tried_settings(review: Review) -> str:
    """How many settings were tried; of an interrupted review, of how many."""
    if not review.interrupted:
        return counted(len(review.tried), "setting")
    return f"{len(review.tried)} of {counted(len(review.cases.found), 'setting')}"


# --- what a run shows ----------------------------------------------------------------------------


def story_of_finding(tried: Tried, difference: Changed) -> Story | None:
    """The run that shows a new verdict, step by step; None if no single run shows it."""
    if difference.trace is None:
        return None
    system, shown = shown_run(tried, difference)
    runs = tuple(runs_before(tried.case.changed, difference.trace))
    return story_of(system, shown, runs)


def shown_run(tried: Tried, difference: Changed) -> tuple[System, Verdict]:
    """The system under the change, and the verdict with the run as `finale trace` prints it."""
    system, row = row_of(tried, difference.property)
    return system, with_few_changes(system, row) if row.word is Word.VIOLATED else row


def spec_of_flip(flip: Flip) -> Spec:
    """The setting with the larger bound, under the change."""
    return raised(flip.larger.case.changed, flip.larger)


def story_of_flip(flip: Flip) -> Story:
    """The run that shows a violation with a larger bound."""
    spec = spec_of_flip(flip)
    assert flip.verdict.trace is not None
    runs = tuple(runs_before(spec, flip.verdict.trace))
    return story_of(spec.system(), flip.verdict, runs)


def row_of(tried: Tried, name: str) -> tuple[System, ResultRow]:
    """The system under the change, and the row of one property in it."""
    spec = tried.case.changed
    system = spec.system()
    rows = result_of(spec, system, tried.pair.changed, (name,)).rows
    return system, rows[0]


# --- as JSON -------------------------------------------------------------------------------------


def review_json(review: Review) -> dict[str, object]:
    """The whole answer as plain data; each finding has the story of a shortest run."""
    stability = review.stability
    return {
        "protocol": review.change.protocol,
        "variant": review.change.variant,
        "values": dict(review.change.values),
        "exit": int(review.exit),
        "same": review.is_same,
        "settings": len(review.tried),
        "slow": [shown_file(file) for file in review.cases.slow],
        "stopped": [shown_file(each.case.file) for each in review.stopped],
        "errors": [_error_json(file, error) for file, error in review.errors.items()],
        "remarks": [
            {
                "kind": each.kind,
                "message": each.message,
                "file": None if each.place is None else shown_file(each.place.file or ""),
                "line": None if each.place is None else each.place.line,
            }
            for each in review.remarks
        ],
        "members": [_member_json(each) for each in review.coverage.methods],
        "rules": [
            {"rule": name, "settings": count, "taken": taken}
            for name, (count, taken) in review.rules.items()
        ],
        "findings": [_finding_json(each) for each in review.findings],
        "runs": [[each.property for each in run] for run in review.runs],
        "behaviours": None if review.behaviours is None else _behaviours_json(review.behaviours),
        "stability": None
        if stability is None
        else {
            "searched": stability.searched,
            "of": stability.of,
            "flips": [_flip_json(each) for each in stability.flips],
        },
    }


def _error_json(file: Path, error: FinaleError) -> dict[str, object]:
    return {"spec": shown_file(file), "code": error.code, "message": error.message}


def _behaviours_json(found: Behaviours) -> dict[str, object]:
    return {
        "of": found.of,
        "compared": [
            {"spec": shown_file(case.file), "answer": each.relation.value}
            for case, each in found.compared
        ],
        "refused": [_error_json(case.file, error) for case, error in found.refused],
        "gained": None if found.gained is None else _run_json(*found.gained),
        "lost": None if found.lost is None else _run_json(*found.lost),
    }


def _run_json(case: Case, difference: Difference) -> dict[str, object]:
    return {
        "spec": shown_file(case.file),
        "steps": difference.run.trace.length,
        "observations": [
            {"step": step, "observation": text} for step, text in difference.run.observations
        ],
        "instead": list(difference.instead),
    }


def _member_json(coverage: MemberCoverage) -> dict[str, object]:
    method = coverage.of
    return {
        "role": method.role,
        "name": str(method.member),
        "overrides": None if method.overrides is None else method.overrides.__qualname__,
        "file": shown_file(method.file),
        "line": method.member.place.line,
        "lines": list(coverage.lines),
        "unreached": list(coverage.unreached),
        "unknown": list(coverage.unknown),
    }


def _finding_json(finding: ChangedProperty) -> dict[str, object]:
    tried, difference = finding.first
    story = story_of_finding(tried, difference)
    return {
        "property": finding.property,
        "on_request": tried.case.is_on_request(finding.property),
        "direction": finding.direction.name.lower(),
        "before": None if difference.before is None else difference.before.word,
        "after": None if difference.after is None else difference.after.word,
        "settings": [_setting_json(*each) for each in finding.shown],
        "options": {name: option_word(value) for name, value in other_options(tried.case.changed)},
        "command": command_of_finding(finding),
        "trace": None if story is None else story_json(story),
    }


def _setting_json(tried: Tried, difference: Changed) -> dict[str, object]:
    trace = difference.trace
    return {
        "spec": shown_file(tried.case.file),
        "steps": None if trace is None else trace.length,
    }


def _flip_json(flip: Flip) -> dict[str, object]:
    return {
        "property": flip.property,
        "on_request": flip.larger.case.is_on_request(flip.property),
        "spec": shown_file(flip.larger.case.file),
        "bound": flip.larger.bound,
        "holds_at": flip.larger.value - 1,
        "falls_at": flip.larger.value,
        "command": command_of_flip(flip),
        "trace": story_json(story_of_flip(flip)),
        "also_without_the_change": None if flip.falls_before is None else flip.is_old,
        "ends_a_mend": flip.is_end_of_mend,
    }
