"""What a log would always tell, by its levels and by whose processes' logs are there."""

from __future__ import annotations

from collections import defaultdict

from checker.logs.runs import Run

from .flink_job import RunJob
from .flink_sights import JOB, LOCK, Seen, Sights


def always_shown(run: Run, job: RunJob, sights: Sights) -> dict[str, frozenset[Seen]]:
    """By task, what always leaves a line: its logger was at the level, and its log is here."""
    seen = frozenset(sight.seen for sight in sights.all)
    own = seen | {Seen.LEARNED, Seen.RESTORED, Seen.TRIGGERED, Seen.COMPLETED}
    if any(event.word == "task-switched" for event in run.events):
        own |= {Seen.RUNS, Seen.ENDED}
    begun, over = set[tuple[str, int]](), set[tuple[str, int]]()
    known: defaultdict[str, set[int]] = defaultdict(set)
    for event in run.events:
        if event.task is None:
            continue
        at = job.task(event.task), event.task.attempt or 0
        known[at[0]].add(at[1])
        if event.word == "task-switched":
            (begun if event.told.fields["to"] == "RUNNING" else over).add(at)
    alone = len({event.told.log for event in run.events}) == 1
    coordinator = frozenset((*LOCK, *JOB))
    return {
        task.name: own
        if alone or {(task.name, n) for n in known[task.name]} <= begun & over
        else own & coordinator
        for task in job.job.subtasks
    }


def dying(run: Run, job: RunJob, sights: Sights) -> frozenset[str]:
    """The tasks one of whose attempts fails, or is cancelled, or may do so behind the log."""
    found = {s.task for s in sights.all if s.seen in (Seen.STOPS, Seen.LOST, Seen.RUNS)}
    ended = {s.task for s in sights.all if s.seen is Seen.LEARNED}
    rest = () if has_finished(run) else (t.name for t in job.job.subtasks if t.name not in ended)
    return frozenset(each for each in (*found, *rest) if each is not None)


def has_finished(run: Run) -> bool:
    """Whether the log tells that the job has finished."""
    ends = (e.told.fields["to"] for e in run.events if e.word == "job-switched")
    return "FINISHED" in ends


__all__ = ["always_shown", "dying", "has_finished"]
