"""Finds which completed checkpoint released a task, if the lines leave only one possibility.

A task writes one line when it leaves ("All pending checkpoints are finished"). The line names no
checkpoint. Between the completion that releases the task and this line, the task may hear of other
completions. A task that is canceled may write the line, too, and may leave without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from finale.checker.logs.lines import ENDED_OTHERWISE, STOPS
from finale.checker.logs.read.job_runs import JobRun, RunEvent

#: How a snapshot names the kinds of savepoints that end the job.
_ENDS = tuple(f"'{name}'" for name in STOPS)


@dataclass
class _Attempt:
    """What one attempt of a task has heard so far."""

    heard: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """The lines that tell of completions, and their checkpoints."""
    sync: int | None = None
    """The savepoint of a stop that the attempt knows of."""
    known_from: int = 0
    """How many completions the attempt had heard of when it came to know of the savepoint."""
    ended_from: int | None = None
    """How many completions the attempt had heard of when it left or began to end otherwise."""


def releases_of(run: JobRun) -> dict[int, bool]:
    """For lines that tell a task of a completion: whether this completion has released the task.

    A line that is missing here may have released its task or not.
    """
    found: dict[int, bool] = {}
    attempts: dict[object, _Attempt] = {}
    for event in run.events:
        if event.task is None:
            continue
        attempt = attempts.setdefault((event.task, event.graph), _Attempt())
        if event.word == "released" and attempt.ended_from is None:
            found.update(_released(attempt))
            attempt.ended_from = len(attempt.heard)
        else:
            _take(attempt, event)
    for attempt in attempts.values():
        # A task that is canceled right after its release may not write that it leaves. If no line
        # says that the task left, the last completion may have released it.
        heard = len(attempt.heard) if attempt.ended_from is None else attempt.ended_from
        before = max(heard - 1, 0) if attempt.sync is None else attempt.known_from
        for line, _ in attempt.heard[:before]:
            found.setdefault(line, False)
    return found


def _take(attempt: _Attempt, event: RunEvent) -> None:
    told = event.log_event
    match event.word:
        case "notified-complete" if told.checkpoint is not None:
            attempt.heard.append((id(told), told.checkpoint))
        case "snapshot-begins" if is_stop(told.fields["kind"]) and attempt.sync is None:
            attempt.sync, attempt.known_from = told.checkpoint, len(attempt.heard)
        case "task-switched" if told.fields["to"] in ENDED_OTHERWISE:
            if attempt.ended_from is None:
                attempt.ended_from = len(attempt.heard)
        case _:
            pass


def _released(attempt: _Attempt) -> dict[int, bool]:
    """The completion that has released an attempt that has just left, if it must be this one."""
    if attempt.sync is None:
        return {line: True for line, _ in attempt.heard[-1:]}
    since = attempt.heard[attempt.known_from :]
    its_own = any(number == attempt.sync for _, number in since)
    if len(since) == 1 and (its_own or attempt.known_from == 0):
        return {since[0][0]: True}
    if attempt.known_from == 0 and not its_own:
        return {line: True for line, _ in since[-1:]}
    return {}


def is_stop(kind: str) -> bool:
    """Whether a snapshot of this kind is that of a stop's savepoint."""
    return any(each in kind for each in _ENDS)
