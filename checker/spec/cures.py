"""Suggests a change of a spec if only a bound keeps a verdict unknown."""

from __future__ import annotations

from finale.model.topology import Sink

from .claim import Spec

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
