"""Asks for the proof alone that no run of the protocol explains a run of Flink."""

from __future__ import annotations

from finale.checker.logs.event_log.acceptance import Rejected
from finale.checker.logs.flink import judge
from finale.checker.logs.flink.candidate_settings import check, settings_of
from finale.checker.logs.flink.judge import impossible
from finale.checker.logs.flink.observations import observations_of
from finale.checker.logs.flink.run_job import job_of
from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.read.run_file import RunFile


def reject_run(
    run: JobRun, *, release: str = "flink-2.3", given: RunFile = judge.NOTHING_TOLD
) -> Rejected | None:
    """The first line of a run that no run of the protocol explains, if that can be shown.

    Its logs have their beginning, and no gap. Raises what is wrong with what is `given`.
    """
    check(given, release)
    job = job_of(run)
    if job is None or not job.is_sure or job.chained is not None:
        return None
    observations = observations_of(run, job)
    settings = settings_of(run, job.job, observations, release, given, None)
    against = impossible(run, job, observations) or settings.against
    rejected = [against or judge._rejected(run, job, observations, way) for way in settings.ways]
    return rejected[0] if all(rejected) else None
