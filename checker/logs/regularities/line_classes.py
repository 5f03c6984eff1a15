"""Says of which class a line is, and of which slices of a run: a checkpoint, an attempt, or both.

An event's class is its word and the fields that say how it went, such as the new state. Any other
line has the class of its message after numbers, ids, paths and names of tasks are taken out.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from finale.checker.logs.read.job_runs import RunEvent
from finale.checker.logs.read.line_patterns import PatternTable
from finale.checker.logs.read.log_entries import LogEntry
from finale.checker.logs.read.log_events import SOURCES, LogEvent, TaskId, execution_of, task_of


class Scope(enum.Enum):
    """What the events of one slice have in common. The value says it in words."""

    JOB = "in each job"
    CHECKPOINT = "for each checkpoint"
    ATTEMPT = "in each attempt of a task"
    PART = "for each checkpoint in each attempt of a task"


def slice_of(event: RunEvent, scope: Scope) -> Hashable | None:
    """The slice that an event is in; None if the event does not name what a slice is about."""
    if scope is Scope.JOB:
        return ()
    checkpoint = event.log_event.checkpoint
    if scope is Scope.CHECKPOINT:
        return checkpoint
    task = event.task
    if task is None or task.attempt is None or (scope is Scope.PART and checkpoint is None):
        return None
    attempt = (event.graph, task.vertex, task.subtask, task.attempt)
    return (attempt, checkpoint) if scope is Scope.PART else attempt


def in_words(event: RunEvent, scope: Scope) -> tuple[tuple[str, str], ...]:
    """What the slice of an event is about, as the binding of a finding has it."""
    found: list[tuple[str, str]] = []
    if scope in (Scope.ATTEMPT, Scope.PART) and event.task is not None:
        found.append(("task", f"{event.task.name}#{event.task.attempt}"))
    if scope in (Scope.CHECKPOINT, Scope.PART):
        found.append(("checkpoint", f"checkpoint {event.log_event.checkpoint}"))
    return tuple(found)


def is_source(task: TaskId) -> bool:
    """Whether a task has no inputs, by the name that Flink gives its vertex."""
    return task.vertex.startswith(SOURCES)


#: The fields that say how an event went. The others say of whom it is, or measure.
_HOW = ("from", "to", "kind", "on", "what", "phase", "closed", "cancelled", "unaligned", "why")
#: So many characters of a message are looked at, and so many a class has.
_READ, _WIDTH = 400, 100
_EXECUTION = re.compile(r"[0-9a-f]{32}_[0-9a-f]{32}_\d+_\d+")
_CHECKPOINT = re.compile(r"\bcheckpoint (\d+)\b", re.IGNORECASE)
_NAMED = re.compile(r"[^()\[\]]*\(\d+/\d+\)(?:#\d+)?")
_VARIES = (
    (_EXECUTION, "<task>"),
    (re.compile(r"\[[^\[\]]*\]|\{.*|\"[^\"]*\"|'[^']*'"), "…"),
    (re.compile(r"(?<![\w>])(?:\w+:)?/[\w./@:-]+"), "<path>"),
    (re.compile(r"@[0-9a-f]+\b|\b[0-9a-f-]{8,}\b"), "<id>"),
    (re.compile(r"-?\d+(?:[.,]\d+)*"), "<n>"),
    (re.compile(r"(<\w+>)(?:[ ,;_:]*\1)+"), r"\1"),
)


@dataclass(frozen=True, order=True)
class LineClass:
    """A class of lines. It is written by one logger, or by all that tell an event."""

    text: str
    logger: str
    level: str
    is_event: bool
    """It tells an event of the table."""

    def __str__(self) -> str:
        return self.text


def class_of_event(event: LogEvent, entry: LogEntry) -> LineClass:
    """Return the class of a line that tells an event."""
    how = [_unnamed(text) for key in _HOW if (text := event.fields.get(key))]
    how += [f"{kind}: {_unnamed(why)}" if why else kind for kind, why in event.causes[-1:]]
    text = event.word if not how else f"{event.word} {' '.join(how)}"
    return LineClass(text[:_WIDTH], entry.logger, entry.level, True)


def class_of_message(entry: LogEntry, names: re.Pattern[str]) -> LineClass:
    """Return the class of a line that tells no event. `names` are those of `names_of`."""
    text = _masked(names.sub("<task>", entry.message[:_READ]))
    return LineClass(f"{entry.logger}: {text}"[:_WIDTH], entry.logger, entry.level, False)


def names_of(vertices: Iterable[str], jobs: Iterable[str]) -> re.Pattern[str]:
    """Return what finds names of vertices, their subtasks and attempts, and jobs in a message."""
    longest = sorted({*vertices, *jobs} - {""}, key=lambda each: (-len(each), each))
    names = "|".join(map(re.escape, longest)) or "(?!)"
    return re.compile(rf"(?<!\w)(?:{names})(?!\w)(?: \(\d+/\d+\)(?:#\d+)?)?")


def event_of_message(entry: LogEntry, word: str, table: PatternTable, place: int) -> LogEvent:
    """Return a line that tells no event as one, with the task and the checkpoint that it names.

    The order of its lines is that of the task's main thread, or none.
    """
    by = table.thread.fullmatch(entry.thread)
    named = _EXECUTION.search(entry.message)
    checkpoint = _CHECKPOINT.search(entry.message)
    return LogEvent(
        word,
        place,
        entry.part,
        entry.line,
        entry.time,
        "none" if by is None else "task.mailbox",
        True,
        {} if checkpoint is None else {"checkpoint": checkpoint[1]},
        None if by is None else task_of(by["task"]),
        None if named is None else execution_of(named[0]),
        (),
    )


def _unnamed(text: str) -> str:
    return _masked(_NAMED.sub("<task>", text[:_READ]))


def _masked(text: str) -> str:
    for pattern, what in _VARIES:
        text = pattern.sub(what, text)
    return " ".join(text.split())
