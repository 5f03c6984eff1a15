"""`finale conform`: compares model and engine in lock-step, or judges event logs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.conformance.engines import NO_COUNTERPART
from finale.checker.conformance.lockstep import Agreement, Divergence, LockStep
from finale.checker.logs.event_log.acceptance import ALL_STEPS, LIMITS
from finale.checker.logs.event_log.judge import EventLogJudge, JudgedLog, RunSearch, filled_in, gaps
from finale.checker.logs.event_log.section_search import Accepted, GaveUp, Rejected, Undecided
from finale.checker.logs.read.visibility import Visibility
from finale.checker.report.conformance import (
    compared_lines,
    judged_lines,
    summary_line,
    unbuilt_line,
)
from finale.checker.report.layout import console, write
from finale.checker.review.change import read_under
from finale.checker.search.limits import Limits
from finale.checker.search.rows import PRECEDENCE, Exit
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.grid import Values, values_in
from finale.model.errors import FinaleError, Place, nearest
from finale.model.given import lines_in, not_read, opened
from finale.reference.formats.logfile import LOG

from .errors import print_error
from .meter import Meter
from .output import document, say, say_json
from .parameters import LIMITS as LIMIT_FLAGS
from .parameters import PLAIN, SetValues, TextOrJson, VariantName, refuse_limits, specs_in


def conform(
    *paths: Annotated[
        Path, Parameter(help="Specs, folders of specs, event logs (*.ndjson), or folders of runs.")
    ],
    unseen: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(help="Logs only: name of a step that may have left no event; repeatable."),
    ] = (),
    max_states: Annotated[
        int | None,
        PLAIN,
        Parameter(
            group=LIMIT_FLAGS,
            help="Logs only: maximal number of states of a section, in addition to one state for "
            f"each event (default: {LIMITS.states_max}).",
        ),
    ] = None,
    max_seconds: Annotated[
        float | None,
        PLAIN,
        Parameter(group=LIMIT_FLAGS, help="Logs only: time limit for each log, in seconds."),
    ] = None,
    format: TextOrJson = "text",
    variant: VariantName = None,
    set: SetValues = (),
) -> int:
    """Compare model and engine in lock-step, or judge event logs."""
    if not paths:
        raise FinaleError(
            "no-paths",
            "no spec and no event log is given",
            advice="name specs, folders or logs: finale conform specs/final-checkpoint",
        )
    limits = {"--max-states": max_states, "--max-seconds": max_seconds}
    refuse_limits(limits)
    if not any(_log_of_a_run(path).suffix == LOG_SUFFIX for path in paths):
        _refuse_without_logs(
            {"--unseen": bool(unseen)} | {k: v is not None for k, v in limits.items()}
        )
    elif (variant or set) and all(_log_of_a_run(path).suffix == LOG_SUFFIX for path in paths):
        raise FinaleError(
            "usage",
            "--variant and --set change a spec, and only event logs are given",
            advice="leave them out, or name a spec",
        )
    profile = dict.fromkeys(map(_step_name, unseen), Visibility.MAYBE)
    results = Compared(
        format == "text",
        profile,
        Limits(max_states or LIMITS.states_max, max_seconds),
        variant,
        values_in(set),
    )
    try:
        results.take(paths)
    except KeyboardInterrupt:
        results.codes.add(Exit.INTERRUPTED)
        say("interrupted", stderr=True)
    return results.close()


LOG_SUFFIX = ".ndjson"
#: So many bytes tell an event log: its first line begins so.
LOOKED_AT = 1000


def _log_of_a_run(path: Path) -> Path:
    """The log in the folder of a run; else the path itself."""
    log = path / LOG
    return log if log.is_file() else path


def _refuse_neither(path: Path) -> None:
    """Raises `not-a-spec` for a file whose name is not that of a spec."""
    if not path.is_file() or path.suffix == ".toml":
        return
    with suppress(OSError), opened(path) as file:
        if b'"log-start"' in file.read(LOOKED_AT):
            raise FinaleError(
                "not-a-spec",
                "this looks like an event log, but its name has another ending",
                place=Place(str(path)),
                advice=f"give it a name that ends in {LOG_SUFFIX}",
            )
    raise FinaleError(
        "not-a-spec",
        "the file name ends neither as a spec nor as an event log",
        place=Place(str(path)),
        advice=f"specs end in .toml, event logs in {LOG_SUFFIX}; finale validate reads other logs",
    )


def _step_name(name: str) -> str:
    """The name of a step. Raises `unknown-step`."""
    if name not in ALL_STEPS:
        raise FinaleError(
            "unknown-step",
            f'no event of a log is called "{name}"',
            advice=nearest(name, sorted(ALL_STEPS)),
        )
    return name


def _refuse_without_logs(given: Mapping[str, bool]) -> None:
    """Raises `not-of-a-log`."""
    for flag in (flag for flag, is_given in given.items() if is_given):
        raise FinaleError(
            "not-of-a-log",
            f"{flag} is an option for event logs, and no event log is given",
            advice=f"leave it out, or name a log: its name ends in {LOG_SUFFIX}",
        )


@dataclass
class Compared:
    """The results so far. Each result is printed as soon as it is known."""

    as_text: bool
    profile: Mapping[str, Visibility]
    limits: Limits
    variant: str | None
    values: Values
    rows: list[dict[str, object]] = field(default_factory=list[dict[str, object]])
    agree: int = 0
    differ: int = 0
    unbuilt: int = 0
    states: int = 0
    logs: int = 0
    codes: set[Exit] = field(default_factory=set[Exit])
    rules: EventLogJudge = field(default_factory=EventLogJudge)

    def take(self, paths: Iterable[Path]) -> None:
        """Specs, folders of them, and logs, one after the other."""
        for path in map(_log_of_a_run, paths):
            if path.suffix == LOG_SUFFIX:
                self.judge(path)
                continue
            try:
                _refuse_neither(path)
                files = list(specs_in(path))
            except FinaleError as error:
                self.note(error)
                continue
            for file in files:
                self.compare(file, alone=not path.is_dir())

    def note(self, error: FinaleError) -> None:
        """Report a file that cannot be compared, and continue with the other files."""
        self.codes.add(Exit.BAD_INPUT)
        print_error(error)

    def compare(self, file: Path, *, alone: bool) -> None:
        """One spec. In a folder those without a counterpart are passed over, and named."""
        began = time.monotonic()
        try:
            spec = read_under(file, catalogue(), self.variant, self.values)
            with Meter(file.name) as meter:
                outcome = LockStep(spec).run(meter)
        except FinaleError as error:
            if alone or error.code not in NO_COUNTERPART:
                self.note(error)
            else:
                self._pass_over(file, error)
            return
        seconds = time.monotonic() - began
        self._count(outcome)
        self.rows.append(
            {"spec": str(file), "agrees": isinstance(outcome, Agreement)} | _row(outcome)
        )
        if self.as_text:
            write(console(), compared_lines(str(file), outcome, seconds))

    def judge(self, file: Path) -> None:
        """Judge an event log. Raises `KeyboardInterrupt` after the progress was printed."""
        began = time.monotonic()
        try:
            lines = _lines_of(file)
            with Meter(file.name) as meter:
                search = RunSearch(self.limits, self.profile, meter)
                verdict = self.rules.judge_run([(1, b"".join(lines))], str(file), search)
        except FinaleError as error:
            self.note(error)
            self.logs += 1
            row: dict[str, object] = {"log": str(file), "conforms": "unreadable"}
            self.rows.append(row | {"code": error.code, "why": error.message})
            return
        self.logs += 1
        self.rows.append(_judged(file, verdict))
        if self.as_text:
            seconds = time.monotonic() - began
            write(console(), judged_lines(str(file), verdict, seconds, lines))
        if verdict.fails:
            self.codes.add(Exit.FAILED)
        if isinstance(verdict.conforms, Undecided):
            self.codes.add(Exit.LIMIT)
            if verdict.conforms.given_up is GaveUp.INTERRUPTED:
                raise KeyboardInterrupt

    def _pass_over(self, file: Path, error: FinaleError) -> None:
        self.unbuilt += 1
        self.rows.append({"spec": str(file), "agrees": None, "why": error.message})
        if self.as_text:
            write(console(), [unbuilt_line(str(file), error.message)])

    def _count(self, outcome: Agreement | Divergence) -> None:
        if isinstance(outcome, Agreement):
            self.agree += 1
            self.states += outcome.states
        else:
            self.differ += 1
            self.codes.add(Exit.FAILED)

    def close(self) -> Exit:
        """Print the summary, and return the exit code."""
        if not self.as_text:
            say_json(document("conform") | {"results": self.rows, "ok": not self.codes})
        elif len(self.rows) > self.logs:
            line = summary_line(self.agree, self.differ, self.unbuilt, self.states)
            write(console(), [line])
        return next((code for code in PRECEDENCE if code in self.codes), Exit.AS_EXPECTED)


def _row(outcome: Agreement | Divergence) -> dict[str, object]:
    if isinstance(outcome, Agreement):
        return asdict(outcome)
    return {"steps": [str(step) for step in outcome.steps], "differences": outcome.what}


def _lines_of(file: Path) -> list[bytes]:
    """The lines of an event log, with their ends. Raises `no-such-path`, `unreadable`."""
    try:
        with opened(file) as stream:
            return list(lines_in(stream))
    except OSError as error:
        raise not_read(file, error, "the event log") from None


def _judged(file: Path, verdict: JudgedLog) -> dict[str, object]:
    log = verdict.run.log
    row: dict[str, object] = {"log": str(file), "events": verdict.run.events}
    match verdict.conforms:
        case Accepted() as accepted:
            row |= {"conforms": "accepted", "unseen": accepted.unseen}
            filled = filled_in(log, accepted)
            row["filled_in"] = [{"behind": line, "steps": dict(names)} for line, names in filled]
        case Rejected() as rejected:
            whys = [refusal.why for refusal in rejected.refusals]
            row |= {"conforms": "rejected", "line": rejected.line, "event": rejected.event}
            row |= {"why": whys, "states": rejected.states}
        case Undecided() as undecided:
            row |= {"conforms": "undecided", "line": undecided.line, "why": undecided.why}
            row |= {"states": undecided.progress.states, "limit": undecided.given_up.value}
        case None:
            raise AssertionError("a search was asked for")
    findings = [
        {"property": f.property, "binding": dict(f.binding), "line": f.line}
        | {"severity": f.severity.value}
        for f in verdict.findings
    ]
    unread: dict[str, object] = {
        "unreadable": list(log.unreadable),
        "missing_behind": gaps(verdict.run),
    }
    unread |= {"unknown": dict(log.unknown)}
    return row | {"findings": findings, "coverage": verdict.coverage.value} | unread
