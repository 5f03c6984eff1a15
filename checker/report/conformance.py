"""Shows the result of a comparison of model and engine, and the damaged places of an event log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from finale.checker.conformance.lockstep import Agreement, Divergence
from finale.checker.logs.event_log.judge import JudgedLog, filled_in, gaps
from finale.checker.logs.event_log.section_search import Accepted, GaveUp, Rejected, Undecided
from finale.checker.logs.findings import Severity
from finale.checker.report.layout import counted, duration, grouped, joined
from finale.checker.report.places import shown_file
from finale.model.value_text import label_of, value_text


def compared_lines(file: str, outcome: Agreement | Divergence, seconds: float) -> Iterator[Text]:
    """One spec: how much agrees, or how to get to where the two part."""
    name = Text(shown_file(file), "bold")
    if isinstance(outcome, Agreement):
        yield Text("✓ ", "bold green") + name
        parts = [
            f"{grouped(outcome.states)} states",
            f"{grouped(outcome.transitions)} transitions",
            f"{grouped(outcome.observations)} observations",
            duration(seconds),
        ]
        yield Text("  ") + joined(parts)
    else:
        yield Text("✗ ", "bold red") + name
        yield from _parting(outcome)


def _parting(outcome: Divergence) -> Iterator[Text]:
    for number, step in enumerate(outcome.steps, 1):
        about = ", ".join(f"{kind} {value}" for kind, value in step.binding)
        yield Text(f"  {number:>4}  {step.name}") + Text(f"  {about}" if about else "", "cyan")
    yield Text("  then")
    for what in outcome.what:
        yield Text(f"        {what}", "red")


def unbuilt_line(file: str, why: str) -> Text:
    """A spec of a folder that has no counterpart in the engine."""
    return Text(f"–   {shown_file(file)}: {why}", "dim")  # noqa: RUF001 - a dash


def summary_line(agree: int, differ: int, unbuilt: int, states: int) -> Text:
    """Show the summary of all comparisons."""
    parts = [
        f"{counted(agree + differ, 'spec')} compared",
        f"{agree} agree",
        f"{differ} disagree" if differ else "",
        f"{unbuilt} without a counterpart" if unbuilt else "",
        f"{grouped(states)} states in all",
    ]
    return joined(part for part in parts if part)


# --- event logs -----------------------------------------------------------------------------------

#: So many of the last things are told that a rule has read before it could not be taken.
READS_TOLD = 8


def judged_lines(
    file: str, verdict: JudgedLog, seconds: float, lines: Sequence[bytes]
) -> Iterator[Text]:
    """Show the verdict on a log: whether a run explains it, and the findings in this run."""
    name = Text(shown_file(file), "bold")
    counts = [counted(verdict.run.events, "event"), counted(len(verdict.run.parts), "section")]
    match verdict.conforms:
        case Accepted() as accepted:
            yield _mark(verdict) + name + Text(f": accepted{_found(verdict)}")
            unseen = accepted.unseen
            counts += [f"{counted(unseen, 'step')} without an event"] if unseen else []
        case Rejected() as rejected:
            told = f": rejected at line {rejected.line}{_found(verdict)}"
            yield Text("✗ ", "bold red") + name + Text(told)
            yield from _refused(rejected, lines)
        case Undecided() as undecided:
            told = f": undecided{_found(verdict)}: {undecided.why}"
            yield Text("? ", "bold yellow") + name + Text(told)
            yield from _given_up(undecided)
        case None:
            raise AssertionError("a search was asked for")
    yield Text("  ") + joined([*counts, verdict.coverage.value, duration(seconds)])
    yield from damage_lines(verdict)
    for what, number in sorted(verdict.run.log.unknown.items()):
        yield Text(f"  {what}: means nothing here, {number} times", "dim")
    for finding in verdict.findings:
        about = ", ".join(value for _, value in finding.binding)
        style = "red" if finding.severity is not Severity.OPEN else "yellow"
        yield Text(f"  {finding.severity.value:<9}", style) + Text(
            f"{finding.property}({about})  from line {finding.line}"
        )
        yield Text(f"           {finding.sentence}", "dim")


def _mark(verdict: JudgedLog) -> Text:
    return Text("✗ ", "bold red") if verdict.fails else Text("✓ ", "bold green")


def _found(verdict: JudgedLog) -> str:
    """Show the number of findings."""
    return f", {counted(len(verdict.findings), 'finding')}" if verdict.findings else ""


def _given_up(undecided: Undecided) -> Iterator[Text]:
    """Show where a search stopped, and how to continue it."""
    progress = undecided.progress
    done = "explained, and judged up to" if progress.judges else "explained up to"
    states = counted(progress.states, "state")
    yield Text(f"  {done} line {progress.line} of {progress.lines}, {states} seen")
    match undecided.given_up:
        case GaveUp.STATES:
            help_ = "raise --max-states; missing and unseen events cost most"
            yield Text(f"  help: {help_}", "dim")
        case GaveUp.SECONDS:
            yield Text("  help: raise --max-seconds, or leave it out", "dim")
        case GaveUp.INTERRUPTED | GaveUp.BOUND:
            pass


def _refused(rejected: Rejected, lines: Sequence[bytes]) -> Iterator[Text]:
    if 0 < rejected.line <= len(lines):
        yield Text(f"  {lines[rejected.line - 1].decode('utf-8', 'replace').strip()}", "cyan")
    yield Text(f"  no run explains it; {counted(rejected.states, 'state')} could be before it")
    for number, refusal in enumerate(rejected.refusals):
        if number:
            yield Text("    or")
        yield Text(f"    {refusal.why}")
        if refusal.place is not None:
            yield Text(f"    {refusal.place}: {refusal.source}", "dim")
        for variable, value in refusal.reads[-READS_TOLD:]:
            yield Text(f"        {label_of(variable):<24}{value_text(variable.domain, value)}")


#: So many places are told; JSON has all.
PLACES_TOLD = 6


def damage_lines(judged: JudgedLog) -> Iterator[Text]:
    """Show unreadable lines, gaps, and the steps that were filled in."""
    log, conforms = judged.run.log, judged.conforms
    if log.unreadable:
        told = counted(len(log.unreadable), "line")
        yield Text(f"  {told} cannot be read: {_some(log.unreadable)}", "yellow")
    if missing := gaps(judged.run):
        yield Text(f"  something may be missing behind line {_some(missing)}", "yellow")
    steps = filled_in(log, conforms) if isinstance(conforms, Accepted) else []
    for behind, names in steps[:PLACES_TOLD]:
        told = ", ".join(name if n == 1 else f"{n} {name}" for name, n in sorted(names.items()))
        yield Text(f"  filled in behind line {behind}: {told}", "dim")
    if len(steps) > PLACES_TOLD:
        yield Text(f"  and behind {counted(len(steps) - PLACES_TOLD, 'line')} more", "dim")


def _some(lines: Sequence[int]) -> str:
    told = ", ".join(map(str, lines[:PLACES_TOLD]))
    return f"{told} and {len(lines) - PLACES_TOLD} more" if len(lines) > PLACES_TOLD else told
