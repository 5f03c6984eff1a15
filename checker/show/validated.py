"""What logs of real runs show, for a reader who wants to open them at a line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from checker.conformance.acceptance_findings import Severity
from checker.logs.histories import Fate, History
from checker.logs.monitors import Shown
from checker.logs.sources import RawLog
from checker.logs.telling import Tally
from checker.logs.validate import Conforms, Coverage, Judged

from .layout import counted, grouped, joined

#: So many of the lines that nothing can be made of are named.
STRAYS_TOLD = 3
_STYLE = {Severity.VIOLATED: "red", Severity.STUCK: "red", Severity.OPEN: "yellow"}


def place_of(finding: Shown, logs: Sequence[RawLog]) -> str:
    """The file and line of a finding, as an editor opens it."""
    where = finding.where
    return f"{logs[where.log].parts[where.part]}:{where.line}"


def job_lines(where: str, judged: Judged, logs: Sequence[RawLog]) -> Iterator[Text]:
    """One job: what became of it, and what it shows."""
    history = judged.history
    mark = Text("✗ ", "bold red") if judged.shows else Text("✓ ", "bold green")
    if judged.ambiguous:
        mark = Text("? ", "bold yellow")
    name = history.name or f"job {history.job}"
    number = len({each.property for each in judged.shows})
    found = f", {counted(number, 'property')} violated or stuck" if number else ""
    found = found.replace("propertys", "properties")
    yield mark + Text(name, "bold") + Text(f": {history.state or 'running'}{found}")
    yield Text("  ") + joined(_counts(history, judged)) + Text(f"  {where}", "dim")
    if judged.conforms is not None:
        yield _conforms(judged.conforms)
    for each in judged.ambiguous:
        yield Text(f'  not judged: several vertices are called "{each}"', "yellow")
    if judged.coverage is Coverage.GAP:
        yield Text("  gap: its beginning or something in its midst is missing", "yellow")
    yield from _findings(judged.findings, logs)


def _conforms(conforms: Conforms) -> Text:
    lines = counted(conforms.lines, "line")
    if conforms.accepted:
        return Text(f"  accepted: a run of the protocol explains it, {lines}")
    return Text(f"  undecided: {lines} explained; {conforms.why}", "yellow")


def _counts(history: History, judged: Judged) -> list[str]:
    completed, aborted = history.with_fate(Fate.COMPLETED), history.with_fate(Fate.ABORTED)
    pending = history.with_fate(Fate.PENDING)
    parts = [f"{counted(len(history.checkpoints), 'checkpoint')}"]
    parts += [f"{len(completed)} completed", f"{len(aborted)} aborted"]
    parts += [f"{len(pending)} pending"] if pending else []
    parts += [f"{counted(len(history.restored), 'restart')}"] if history.restored else []
    return [*parts, counted(judged.events, "event"), judged.coverage.value]


def _findings(findings: Sequence[Shown], logs: Sequence[RawLog]) -> Iterator[Text]:
    """Each property once: where it is first shown, and for how many more."""
    first: dict[tuple[str, Severity], Shown] = {}
    more: Counter[tuple[str, Severity]] = Counter()
    for finding in findings:
        key = (finding.property, finding.severity)
        more[key] += key in first
        first.setdefault(key, finding)
    for key, finding in first.items():
        about = ", ".join(value for _, value in finding.binding)
        yield Text(f"  {finding.severity.value:<9}", _STYLE[finding.severity]) + Text(
            f"{finding.property}({about})" if about else finding.property
        )
        yield Text(f"           {finding.sentence}", "dim")
        yield Text(f"           {place_of(finding, logs)}", "cyan")
        if finding.why is not None:
            yield Text(f"           again and again: {finding.why}")
        if more[key]:
            yield Text(f"           and for {more[key]} more")


def unfinished_lines(judged: Judged, at: int | None) -> Iterator[Text]:
    """For each task of a job that has not ended, what it waits for."""
    history = judged.history
    moment = "" if at is None else f" at line {at}"
    yield Text(history.name or f"job {history.job}", "bold") + Text(
        f": {history.state or 'running'}{moment}"
    )
    for each in judged.ambiguous:
        yield Text(f'  nothing can be said: several vertices are called "{each}"', "yellow")
    if not judged.unfinished and not judged.ambiguous:
        yield Text("  no task is waited for", "dim")
    for task in judged.unfinished:
        since = "" if task.since is None else f", since line {task.since.line}"
        yield Text(f"  {task.task} ", "cyan") + Text(f"{task.status}{since}")
        for missing in task.missing:
            yield Text(f"      {missing}")


def tally_lines(tally: Tally, jobs: int, shown: int) -> Iterator[Text]:
    """What became of all lines, and of all jobs."""
    yield joined(
        [
            counted(jobs, "job"),
            f"{shown} with findings",
            f"{grouped(tally.read)} lines: {grouped(tally.parsed)} parsed",
            f"{grouped(tally.ignored)} ignored",
            f"{grouped(tally.unparsable)} unparsable",
        ]
    )
    for stray in tally.strays[:STRAYS_TOLD]:
        text = stray.raw[:80].decode("utf-8", "replace")
        yield Text(f"  unparsable, line {stray.line}: {text}", "yellow")


__all__ = ["job_lines", "place_of", "tally_lines", "unfinished_lines"]
