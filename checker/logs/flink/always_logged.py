"""Finds which steps always leave a line: by the log's levels, and by the processes with a log."""

from __future__ import annotations

from collections import defaultdict

from finale.checker.logs.lines import OF_TASKS, Observed
from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.read.messages import is_of_process, tells_end

from .observations import Observations
from .run_job import RunJob


def always_shown(
    run: JobRun, job: RunJob, observations: Observations
) -> dict[str, frozenset[Observed]]:
    """By task, what always leaves a line: its logger was at the level, and its log is here."""
    seen = frozenset(observation.seen for observation in observations.all)
    own = seen | {kind for kind in Observed if kind.facts.is_sure}
    if any(event.word == OF_TASKS for event in run.events):
        own |= {Observed.RUNS, Observed.ENDED}
    begun, over = set[tuple[str, int]](), set[tuple[str, int]]()
    known: defaultdict[str, set[int]] = defaultdict(set)
    tells = set[str]()
    for event in run.events:
        if event.task is None:
            continue
        at = job.task(event.task), event.task.attempt or 0
        known[at[0]].add(at[1])
        if event.word == OF_TASKS and event.log_event.fields["to"] == "RUNNING":
            begun.add(at)
        if tells_end(event.log_event):
            over.add(at)
        if is_of_process(event.log_event):
            tells.add(at[0])
    alone = len({event.log_event.log for event in run.events}) == 1
    coordinator = frozenset(kind for kind in Observed if kind.of_coordinator)

    def is_here(task: str) -> bool:
        """Its own process tells of it: in the only log, or of all attempts that are known."""
        return task in tells and (alone or {(task, n) for n in known[task]} <= begun & over)

    names = [task.name for task in job.job.subtasks]
    return {name: own if is_here(name) else own & coordinator for name in names}


def dying(run: JobRun, job: RunJob, observations: Observations) -> frozenset[str]:
    """The tasks one of whose attempts fails, or is cancelled, or may do so behind the log.

    The attempts of all tasks end if the coordinator crashes.
    """
    if any(observation.seen is Observed.CRASHED for observation in observations.all):
        return frozenset(task.name for task in job.job.subtasks)
    found = {
        s.task
        for s in observations.all
        if s.attempt or s.seen.facts.fails or s.seen.facts.begins_attempt
    }
    ended = {s.task for s in observations.all if s.seen is Observed.LEARNED}
    rest = () if has_finished(run) else (t.name for t in job.job.subtasks if t.name not in ended)
    return frozenset(each for each in (*found, *rest) if each is not None)


def has_finished(run: JobRun) -> bool:
    """Whether the log tells that the job has finished."""
    ends = (e.log_event.fields["to"] for e in run.events if e.word == "job-switched")
    return "FINISHED" in ends
