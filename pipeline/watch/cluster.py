"""Judges the growing logs of one folder, and keeps the findings about its jobs.

What came before is not judged again where nothing of it has changed: a job is judged again when it
has new events, when lines tell more of what its log shows at all, or when time passes in a stop
that is open. That takes the time of all its
events each time, so one that takes long is judged less often while its log does not pause.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from finale.checker.logs.findings import Coverage
from finale.checker.logs.read.job_runs import JobRun, clusters_of, extents_of, runs_of
from finale.checker.logs.read.line_patterns import WORDS, PatternTable
from finale.checker.logs.read.log_events import LinePlace, LineTally, LogEvent, tally_of_logs
from finale.checker.logs.read.log_files import LogLine, RawLog
from finale.checker.logs.read.messages import TERMINAL
from finale.checker.logs.read.visibility import LogProfile
from finale.checker.logs.validate import judge_job
from finale.checker.logs.verdicts import JobVerdict, named_in
from finale.pipeline.validating.eventlogs import judged_run, sections_of_runs

from .files import GROWS, SILENT
from .growing import GrowingEventLog, GrowingFlinkLog, GrowingLog, News

#: Between two judgements there is so many times what the last one took.
PAUSE = 3.0
EVENT_LOG = ".ndjson"


@dataclass(frozen=True)
class WatchSetting:
    """The table of log lines and the options of a watch."""

    root: str
    table: PatternTable
    levels: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class JobState:
    """The present verdict on a job."""

    verdict: JobVerdict
    silent: bool
    """Its logs have not grown for so long that they will not."""

    @property
    def word(self) -> str:
        """Whether it has ended, or its log has, or neither."""
        if self.verdict.state in TERMINAL or self.verdict.coverage is Coverage.COMPLETE:
            return "ended"
        return "truncated" if self.silent else "grows"


@dataclass
class _Judged:
    """The verdict on a job with its input. Equal input has an equal verdict."""

    of: object
    verdict: JobVerdict | None
    error: str = ""
    """Why there is none."""

    @property
    def has_open_stop(self) -> bool:
        """Whether a stop waits that may become overdue."""
        found = () if self.verdict is None else self.verdict.findings
        return any(e.property == "stop-is-answered" and not e.severity.is_sure for e in found)


class GrowingCluster:
    """The present logs of a folder."""

    def __init__(self, folder: str, setting: WatchSetting) -> None:
        self.folder, self.setting = folder, setting
        self.logs: dict[str, GrowingLog] = {}
        self._judged: dict[tuple[str, str], _Judged] = {}
        self.errors: dict[str, str] = {}
        """What is wrong with event logs that cannot be judged."""
        self._next = 0.0
        """Before that, there is no judging while logs grow."""

    def grown(self, news: Mapping[str, News]) -> dict[str, Any]:
        """Return the additions to each log, as plain data."""
        return {name: self._log(name).grown(each) for name, each in news.items()}

    def add(self, more: Mapping[str, Any]) -> None:
        """Add what `grown` has given."""
        for name, each in more.items():
            self.logs.setdefault(name, self._log(name)).add(each)

    @property
    def quiet(self) -> int:
        """The quiet time of the log that grew last."""
        return min((log.quiet for log in self.logs.values()), default=GROWS)

    @property
    def troubles(self) -> dict[str, str]:
        """The logs that cannot be read or judged, and why not."""
        return {name: log.trouble for name, log in self.logs.items() if log.trouble} | self.errors

    @property
    def lines(self) -> tuple[int, int]:
        """The number of lines, and of unparsable lines."""
        logs = self.logs.values()
        read = sum(part.lines for log in logs for part in log.parts)
        strays = (log.tally.unparsable for log in logs if isinstance(log, GrowingFlinkLog))
        return read, sum(strays)

    def judged(self) -> list[JobState]:
        """Return the present verdicts on the jobs; none if it is too early to judge."""
        began = time.monotonic()
        if self.quiet == GROWS and began < self._next:
            return []
        found = list(chain(self._of_lines(), self._of_event_logs()))
        ended = time.monotonic()
        self._next = ended + PAUSE * (ended - began)
        return found

    # --- lines -----------------------------------------------------------------------------------

    def _of_lines(self) -> Iterator[JobState]:
        logs = [each for _, each in sorted(self.logs.items()) if isinstance(each, GrowingFlinkLog)]
        if not logs:
            return
        told = [log.told(place) for place, log in enumerate(logs)]
        clusters = clusters_of([event for events, _ in told for event in events])
        for cluster in clusters:
            places = {each.log for each in cluster}
            if len(clusters) == 1:
                places = set(range(len(logs)))
            tally = tally_of_logs([told[place][1] for place in sorted(places)])
            yield from self._of_cluster(cluster, tally, logs, places)

    def _of_cluster(
        self,
        events: Sequence[LogEvent],
        tally: LineTally,
        logs: Sequence[GrowingFlinkLog],
        places: Collection[int],
    ) -> Iterator[JobState]:
        runs, _ = runs_of(events)
        has_gap = any(logs[place].gap for place in places)
        profile = LogProfile(self.setting.table, tally, dict(self.setting.levels))
        shown = (profile.threads, *((word, profile.of(word)) for word in WORDS))
        raw = [log.raw(self.setting.root) for log in logs]
        silent = all(log.quiet == SILENT for log in logs)
        for run, extent in zip(runs, extents_of(runs), strict=True):
            gaps = tally.gaps(extent)
            whole = not has_gap and not gaps
            known_gaps = () if has_gap else gaps
            key = ("", run.job)
            known = self._judged.get(key)
            # How long a stop waits depends on all lines, also those that tell no event.
            newest = {**profile.newest} if known is not None and known.has_open_stop else {}
            of = (_size(run), whole, known_gaps, shown, newest, len(logs) == 1)
            if known is None or known.of != of:
                known = _Judged(of, self._verdict(run, profile, raw, whole, known_gaps))
                self._judged[key] = known
            assert known.verdict is not None
            yield JobState(known.verdict, silent)

    def _verdict(
        self,
        run: JobRun,
        profile: LogProfile,
        raw: Sequence[RawLog],
        whole: bool,
        gaps: Sequence[LinePlace],
    ) -> JobVerdict:
        where = str(raw[0]) if len(raw) == 1 else str(PurePosixPath(raw[0].folder))
        return named_in(judge_job(run, profile, whole=whole, gaps=gaps).verdict, where, raw)

    def _log(self, name: str) -> GrowingLog:
        known = self.logs.get(name)
        if known is not None:
            return known
        if name.endswith(EVENT_LOG):
            return GrowingEventLog(name)
        return GrowingFlinkLog(name, table=self.setting.table)

    # --- event logs ------------------------------------------------------------------------------

    def _of_event_logs(self) -> Iterator[JobState]:
        for name, log in sorted(self.logs.items()):
            if not isinstance(log, GrowingEventLog) or not log.lines:
                continue
            self.errors.pop(name, None)
            for lines in sections_of_runs(log.lines):
                key = (name, f"{lines[0].part}:{lines[0].number}")
                of = (len(lines), lines[-1], log.gap)
                known = self._judged.get(key)
                if known is None or known.of != of:
                    known = self._judged[key] = self._run(of, log, lines)
                if known.verdict is not None:
                    yield JobState(known.verdict, log.quiet == SILENT)
                else:
                    self.errors[name] = known.error

    def _run(self, of: object, log: GrowingEventLog, lines: Sequence[LogLine]) -> _Judged:
        raw = log.raw(self.setting.root)
        found = judged_run(lines, str(raw), raw.parts, None, keeps=False)
        verdict = found.verdict
        if verdict is not None and log.gap:
            verdict = replace(verdict, coverage=Coverage.GAP)
        return _Judged(of, verdict, found.error)


def _size(run: JobRun) -> tuple[int, tuple[tuple[str, int], ...]]:
    """Return a value that changes when a run grows."""
    return len(run.events), tuple(run.tasks.items())
