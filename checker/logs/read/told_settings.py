"""Reads settings of a run off its lines: one reading for findings and for `--accept`.

A line that is there tells a setting: a task waits for its final checkpoint. A line that is not
there tells a setting, too, if other lines show that it would have been written.
"""

from __future__ import annotations

from dataclasses import dataclass

from .job_runs import JobRun
from .visibility import LogProfile

#: Where barriers keep their order; where they overtake from the sources on, or after a while.
PROTOCOL, UNALIGNED, TIMED = "stop-with-savepoint", "unaligned-stops", "timed-stops"
#: Whether tasks that have ended wait for a checkpoint.
WAITS = "checkpoints_after_finish"
#: The coordinator refuses a checkpoint for this reason only if that setting is off.
_OFF = "checkpointing with finished tasks is not enabled"


@dataclass(frozen=True)
class Evidence:
    """What lines tell of a setting; the place in the run of the first that does so, if one does."""

    value: object
    place: int | None


def told_waits(run: JobRun, profile: LogProfile | None) -> Evidence | None:
    """Return whether tasks that have ended wait for a checkpoint; None if no line tells.

    Without a `profile` all that happens is taken to leave its lines.
    """
    leaves = False
    for place, event in enumerate(run.events):
        if event.word == "waits":
            return Evidence(True, place)
        if event.word == "refused" and _OFF in event.log_event.fields["why"]:
            return Evidence(False, place)
        leaves |= event.word == "operators-left" and event.task is not None
    # The process of a task that ends tells so: a wait would leave a line, too.
    return Evidence(False, None) if leaves and (not profile or profile.has("waits")) else None


def told_protocol(run: JobRun) -> Evidence:
    """Return whether barriers overtake: at a source, behind it, or nowhere."""
    readers = {event.log_event.fields.get("reader") for event in run.events}
    overtook = [
        (place, event.task)
        for place, event in enumerate(run.events)
        if event.log_event.fields.get("unaligned") == "true"
    ]
    at_sources = [place for place, task in overtook if task and task.vertex not in readers]
    if at_sources:
        return Evidence(UNALIGNED, at_sources[0])
    return Evidence(TIMED, overtook[0][0]) if overtook else Evidence(PROTOCOL, None)


def told_scheduler(run: JobRun) -> Evidence | None:
    """Return that the scheduler is the adaptive one, if a line tells so."""
    words = enumerate(event.word for event in run.events)
    place = next((at for at, word in words if word.startswith("adaptive")), None)
    return None if place is None else Evidence("adaptive", place)


__all__ = ["PROTOCOL", "TIMED", "UNALIGNED", "WAITS", "Evidence"]
__all__ += ["told_protocol", "told_scheduler", "told_waits"]
