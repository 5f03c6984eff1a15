"""Shows the findings in logs of real runs, each with file and line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias

from rich.text import Text

from finale.checker.logs.findings import Coverage, Finding, Severity
from finale.checker.logs.read.messages import TERMINAL
from finale.checker.logs.read.visibility import LOG_OF
from finale.checker.logs.validate import TASKS_MAX, JudgedJob
from finale.checker.logs.verdicts import CONFORM, Conformance, JobVerdict
from finale.model.protocols.coordinator.checkpoints import ABORTED, COMPLETED, PENDING

from .layout import counted, grouped, joined, paragraph

_STYLE = {
    Severity.VIOLATED: "red",
    Severity.STUCK: "red",
    Severity.RECOVERED: "red",
    Severity.OVERDUE: "red",
    Severity.UNANSWERED: "yellow",
    Severity.OPEN: "yellow",
}
#: How a row counts properties, the worst first.
_SAID = {
    Severity.VIOLATED: "violated",
    Severity.STUCK: "stuck",
    Severity.OVERDUE: "overdue",
    Severity.RECOVERED: "stuck for a while",
    Severity.UNANSWERED: "unanswered",
}
#: So many tasks without a log are named one by one.
NAMES_TOLD = 3
#: So many remarks about files are shown of a job.
FILES_TOLD = 6
#: Who tells a setting, and what came of one that nobody tells.
_WHOSE = {"run.toml": "run.toml", "table": "the table of lines", "lines": "lines"}
_OUTCOMES = {"explains": "explained", "rejected": "rejected", "undecided": "undecided"}


@dataclass(frozen=True)
class KnownHazard:
    """A known hazard of Flink."""

    falls: frozenset[str]
    """The properties that it violates."""
    cause: str = ""
    """A text of Flink that only this hazard has; empty if there is none."""


Hazards: TypeAlias = Mapping[str, KnownHazard]
"""Known hazards of Flink by their ids."""

#: Why nothing is asked of some jobs.
NO_TASK = "no line names a task of the job"
_SEVERAL = "several attempts or jobs have"


def says_something(verdict: JobVerdict) -> bool:
    """Whether there is more to say of a job than that nothing was found."""
    return verdict.fails or verdict.is_open or bool(verdict.files or verdict.findings)


def how_bad(verdict: JobVerdict) -> tuple[bool, int, bool]:
    """A key by which jobs are sorted: what must not be comes first, the worst kind of it."""
    worst = [list(_SAID).index(e.severity) for e in verdict.findings if e.severity in _SAID]
    return not verdict.fails, min(worst, default=len(_SAID)), not verdict.is_open


def verdicts_lines(
    verdicts: Sequence[JobVerdict],
    shared: Collection[str] | None,
    width: int,
    hazards: Hazards,
) -> Iterator[Text]:
    """All of them: the worst first, and those together that leave the same undecided.

    `hazards`: the known hazards, of which those are named that a finding is most like.
    """
    alike: dict[object, list[JobVerdict]] = {}
    for number, verdict in enumerate(sorted(verdicts, key=how_bad)):
        is_only_open = verdict.is_open and not (verdict.fails or verdict.files or verdict.findings)
        same = (tuple(verdict.needs.items()), verdict.conforms is None, bool(verdict.asked))
        alike.setdefault(same if is_only_open else number, []).append(verdict)
    for group in alike.values():
        if len(group) <= NAMES_TOLD or not group[0].needs or group[0].conforms is not None:
            for verdict in group:
                yield from verdict_lines(verdict, shared, hazards)
            continue
        names = _some([each.name or f"job {each.job}" for each in group])
        told = Text("? ", "bold yellow") + Text(counted(len(group), "job"), "bold")
        yield from paragraph(told + Text(f": {names}"), width)
        yield from _undecided(group[0], shared)


def shared_lines(jobs: int, calm: int, untold: Collection[str], width: int) -> Iterator[Text]:
    """What is said once of all jobs: how many show nothing, and what no line tells."""
    if calm:
        told = f"{counted(calm, 'job')}: nothing was found (--format json has all of them)"
        yield Text("✓ ", "bold green") + Text(told)
    if untold:
        names = ", ".join(sorted(untold))
        told = f"no line of any level tells what these ask: {names}"
        if jobs > 1:
            yield from paragraph(Text(f"of all jobs: {told}", "dim"), width)
        else:
            yield from paragraph(Text(told, "dim"), width, indent=2)


def verdict_lines(
    verdict: JobVerdict, shared: Collection[str] | None, hazards: Hazards
) -> Iterator[Text]:
    """One job or run: what became of it, and what it shows.

    Of what no line tells, `shared` is said once of all jobs; None leaves it out.
    """
    mark = Text("✗ ", "bold red") if verdict.fails else Text("✓ ", "bold green")
    if verdict.is_open and not verdict.fails:
        mark = Text("? ", "bold yellow")
    name = verdict.name or f"job {verdict.job}"
    found = _found(verdict)
    ended = "ended" if verdict.coverage is Coverage.COMPLETE else "running"
    yield mark + Text(name, "bold") + Text(f": {verdict.state or ended}{found}")
    yield Text("  ") + joined(_counts(verdict)) + Text(f"  {verdict.logs}", "dim")
    if verdict.conforms is not None:
        yield _conforms(verdict.conforms)
        yield from _settings(verdict.conforms)
    for each in verdict.ambiguous:
        yield Text(f'  not judged: {_SEVERAL} "{each}"', "yellow")
    if verdict.too_many:
        told = f"its lines tell of {grouped(verdict.too_many)} subtasks"
        yield Text(f"  not judged: {told}; at most {TASKS_MAX} are looked at", "yellow")
    if verdict.other_release:
        told = f"the log is of Flink {verdict.other_release}, and no table of lines fits it"
        yield Text(f"  not judged: {told}: see docs/pipeline.md", "yellow")
    if not (verdict.asked or verdict.ambiguous or verdict.too_many or verdict.other_release):
        yield Text(f"  not judged: {NO_TASK}", "yellow")
    for stop in verdict.stops:
        yield Text(f"  {stop.file}:{stop.where.line} ", "cyan") + Text(stop.text)
    for remark in verdict.files[:FILES_TOLD]:
        yield Text(f"  {remark.file}:{remark.where.line} ", "cyan") + Text(remark.text, "yellow")
    if (more := len(verdict.files) - FILES_TOLD) > 0:
        told = f"  and {counted(more, 'more remark')} about files: see --format json"
        yield Text(told, "yellow")
    if verdict.coverage is Coverage.GAP:
        yield Text("  gap: the beginning or a middle part of the log is missing", "yellow")
    if verdict.coverage is Coverage.DAMAGED:
        yield Text("  damaged: lines are lost, stand twice or in another order", "yellow")
    yield from _findings(verdict.findings, hazards)
    yield from _undecided(verdict, shared)


def _undecided(verdict: JobVerdict, shared: Collection[str] | None) -> Iterator[Text]:
    """The properties that the lines leave open, and which level of logging would decide them."""
    open_ = [name for name, levels in verdict.needs.items() if not levels]
    others = [name for name in verdict.needs if name not in open_]
    levels = dict.fromkeys(sorted(each for told in verdict.needs.values() for each in told))
    if open_:
        yield Text(f"  not decided by these lines: {', '.join(open_)}", "yellow")
    if others:
        tasks = [each.removeprefix(LOG_OF) for each in levels if each.startswith(LOG_OF)]
        of_loggers = [each for each in levels if not each.startswith(LOG_OF)]
        why = "at this log level" if of_loggers else "since a log is missing"
        yield Text(f"  not decided {why}: {', '.join(others)}", "yellow")
        if tasks:
            yield Text(f"    this needs {LOG_OF}{_some(tasks)}", "dim")
        if of_loggers:
            yield Text(f"    this needs {', '.join(of_loggers)}: see finale logging", "dim")
    left = () if shared is None else [each for each in verdict.untold if each not in shared]
    if left:
        yield Text(f"  no line of any level tells what these ask: {', '.join(left)}", "dim")


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMES_TOLD
    return ", ".join(names[:NAMES_TOLD]) + (f" and {more} more" if more > 0 else "")


def _found(verdict: JobVerdict) -> str:
    """Show how many properties of a job are violated, stuck, overdue or recovered. A property with
    several findings counts once, by the worst."""
    names, told = set[str](), ""
    for severity, word in _SAID.items():
        more = {each.property for each in verdict.findings if each.severity is severity} - names
        if more:
            told += f", {len(more)} {'property' if len(more) == 1 else 'properties'} {word}"
        names |= more
    return told


def _conforms(conforms: Conformance) -> Text:
    lines = counted(conforms.lines, "line")
    if conforms.accepted:
        told = "accepted: a run of the protocol explains it"
        return Text(f"  {told}, {lines}; unchecked: records, user code")
    if conforms.rejected:
        return Text(f"  rejected: {lines} explained; {conforms.why}", "red")
    return Text(f"  undecided: {lines} explained; {conforms.why}", "yellow")


def _settings(conforms: Conformance) -> Iterator[Text]:
    """Show the settings of a job with their origin, and the settings that were tried."""
    by: dict[str, list[str]] = {}
    for each in conforms.told:
        line = "" if each.line is None else f" (line {each.line})"
        by.setdefault(each.by, []).append(f"{each.name} = {each.value}{line}")
    for whose, told in by.items():
        yield Text(f"    told by {_WHOSE[whose]}: {', '.join(told)}", "dim")
    for tried in conforms.tried:
        settings = ", ".join(f"{name} = {value}" for name, value in tried.settings.items())
        yield Text(f"    {_OUTCOMES[tried.outcome]} with {settings}")


def _counts(verdict: JobVerdict) -> list[str]:
    points = verdict.checkpoints
    pending = points.get(PENDING, ())
    told = [fate for fate in (COMPLETED, ABORTED) if fate in points]
    parts = [f"{counted(sum(map(len, points.values())), 'checkpoint')}"] if len(points) > 1 else []
    parts += [f"{len(points[fate])} {fate.value}" for fate in told]
    is_over = verdict.state in TERMINAL
    parts += [f"{len(pending)} {'without an end' if is_over else 'pending'}"] if pending else []
    parts += [counted(verdict.restarts, "restart")] if verdict.restarts else []
    return [*parts, counted(verdict.events, "event"), verdict.coverage.value]


def like(finding: Finding, found: Set[str], hazards: Hazards) -> list[str]:
    """Return the known hazards that a finding is like. What is only open is like none.

    If the finding has a cause that only one hazard has, it is that one. Else, of the hazards that
    violate its property and have no such cause that the finding lacks, those are taken that have
    the largest part in common with all that the job violates.
    """
    if finding.severity is Severity.OPEN:
        return []
    why = finding.why or ""
    by_cause = [name for name, each in hazards.items() if each.cause and each.cause in why]
    if by_cause:
        return by_cause
    parts = {
        name: len(each.falls & found) / len(each.falls | found)
        for name, each in hazards.items()
        if finding.property in each.falls and not (each.cause and why)
    }
    best = max(parts.values(), default=0.0)
    return [each for each, part in parts.items() if part == best]


def told_hazards(finding: Finding, found: Set[str], hazards: Hazards) -> str:
    """Return what is said of the known hazards that a finding is like; empty if there is none."""
    known = like(finding, found, hazards)
    if not known:
        return ""
    kind = "the known hazard" if len(known) == 1 else "the known hazards"
    return f"compare with {kind} {', '.join(known)}: finale explain {known[0]}"


def with_hazards(row: dict[str, Any], hazards: Hazards) -> dict[str, Any]:
    """Return the JSON of a job, with the known hazards that each of its findings is most like."""
    findings = [Finding.of_plain(each) for each in row["findings"]]
    found = {each.property for each in findings}
    told = [each.to_plain() | {"hazards": like(each, found, hazards)} for each in findings]
    return row | {"findings": told}


def _findings(findings: Sequence[Finding], hazards: Hazards) -> Iterator[Text]:
    """Each property once: where it is first shown, and for how many more."""
    first: dict[tuple[str, Severity], Finding] = {}
    more: Counter[tuple[str, Severity]] = Counter()
    for finding in findings:
        key = (finding.property, finding.severity)
        more[key] += key in first
        first.setdefault(key, finding)
    for key, finding in first.items():
        about = ", ".join(value for _, value in finding.binding)
        yield Text(f"  {finding.severity.value:<8} ", _STYLE[finding.severity]) + Text(
            f"{finding.property}({about})" if about else finding.property
        )
        yield Text(f"           should hold: {finding.sentence}", "dim")
        if finding.severity is Severity.OPEN:
            yield Text("           pending when the log ends; no line shows that it is overdue")
        until = f", until {finding.told_until}" if finding.until else ""
        yield Text(f"           {finding.place}{until}", "cyan")
        if finding.why is not None:
            yield Text(f"           {finding.why}")
        if told := told_hazards(finding, {name for name, _ in first}, hazards):
            yield Text(f"           {told}")
        if more[key]:
            yield Text(f"           and for {more[key]} more")


def unfinished_lines(judged: JudgedJob, at: int | None) -> Iterator[Text]:
    """For each task of a job that has not ended, what it waits for."""
    verdict = judged.verdict
    moment = "" if at is None else f" at line {at}"
    yield Text(verdict.name or f"job {verdict.job}", "bold") + Text(
        f": {verdict.state or 'running'}{moment}"
    )
    for each in verdict.ambiguous:
        yield Text(f'  nothing can be said: {_SEVERAL} "{each}"', "yellow")
    if verdict.too_many:
        told = f"its lines tell of {grouped(verdict.too_many)} subtasks"
        yield Text(f"  nothing can be said: {told}; at most {TASKS_MAX} are looked at", "yellow")
    if not (verdict.asked or verdict.ambiguous or verdict.too_many):
        yield Text(f"  nothing can be said: {NO_TASK}", "yellow")
    for each in judged.stops:
        yield Text(f"  {each}", "yellow")
    if not judged.unfinished_tasks and verdict.asked:
        yield Text("  no task is waited for", "dim")
    for task in judged.unfinished_tasks:
        since = "" if task.since is None else f", since line {task.since.line}"
        yield Text(f"  {task.task} ", "cyan") + Text(f"{task.status}{since}")
        for missing in task.missing:
            yield Text(f"      {missing}")


def summary_lines(
    jobs: int,
    shown: int,
    conform: Counter[str],
    lines: tuple[int, int, int, int],
    strays: Sequence[tuple[int, str]],
) -> Iterator[Text]:
    """Show the summary of all jobs and of all lines: read, parsed, ignored, unparsable.

    `conform`: how many are accepted, rejected or undecided.
    """
    parsed, ignored, unparsable = map(grouped, lines[1:])
    yield joined(
        [
            counted(jobs, "job"),
            f"{shown} with findings",
            *(f"{conform[word]} {word}" for word in CONFORM if conform[word]),
            f"{counted(lines[0], 'line')}: {parsed} parsed",
            f"{ignored} ignored",
            f"{unparsable} unparsable",
        ]
    )
    for line, text in strays:
        yield Text(f"  unparsable, line {line}: {text}", "yellow")


def no_job_line(layouts: str, entries: int, first: str) -> Text:
    """Why no job was found: in lines of these layouts, of which so many are of some entry.

    `first` is the first line that nothing can be made of.
    """
    why = f"no line has the layout of {layouts}" if first else "the logs are empty"
    if entries:
        why = "no parsed line names a job"
    told = Text(f"no job was found: {why}", "yellow")
    if first.startswith('{"event"'):
        told += Text("; for event logs: --engine finale", "yellow")
    return told


def kept_line(folder: str, judged: int, known: int) -> Text:
    """Show the folder of the results, and the part that was known before."""
    return Text(f"kept in {folder}: {grouped(judged)} judged, {grouped(known)} as before", "dim")
