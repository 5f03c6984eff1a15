"""Reads a list of faults to inject into a run. docs/faults.md has every kind and key.

[[fault]]
kind  = "crash-worker"          # subtask 1 of each operator fails
worker = 1
after = "complete"              # behind events of this name,
nth   = 2                       # so many

[[fault]]
kind    = "late"                # a message is held back
message = "acknowledgement"
task    = "counts.0"
until   = "trigger_checkpoint"  # until events of this name have come,
steps   = 1                     # so many

[[fault]]
kind    = "lost"
message = "confirmation"
chance  = 0.1                   # at each event
times   = 2
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from finale.model.errors import FinaleError, Place, nearest
from finale.model.events import STEPS as EVENTS
from finale.model.given import text_of, toml_of
from finale.model.topology import Job
from finale.reference.engine import Engine
from finale.reference.formats.faulty import DiskFault as AtFile
from finale.reference.operators.checks import Checks, is_count, is_tables, is_text, is_whole
from finale.reference.settings import Faults
from finale.reference.steps import StepId

#: What the steps of arriving and of being lost are, for each kind of message.
ARRIVALS = {
    "trigger": "deliver_trigger",
    "acknowledgement": "apply_acknowledgement",
    "decline": "apply_decline",
    "confirmation": "deliver_confirmation",
    "abort": "deliver_abort",
    "end-of-data": "apply_end_report",
    "finished": "learn_finished",
}
LOSSES = {
    "trigger": "find_no_slot",
    "acknowledgement": "lose_acknowledgement",
    "confirmation": "lose_confirmation",
}
#: The step that each other kind is. One task that fails takes all with it, and so does a worker.
STEPS = {
    "crash-task": "fail",
    "crash-worker": "fail",
    "failed-snapshot": "fail_snapshot",
    "expired": "expire",
}
#: Steps that no job takes by itself.
OF_THE_ENVIRONMENT = frozenset({*STEPS.values(), *LOSSES.values()})
OF_FILES = {"disk-full": AtFile.FULL, "killed": AtFile.CUT}
HOLDING = ("late", "reordered", "slow-snapshot")

ADVICE = "write a table [[fault]] for each, as docs/faults.md has them"
#: One that strikes may strike again at once, and each time within the one before it.
TIMES_MAX = 100
WHEN = ("after", "nth", "chance", "times")
#: What can be said of each kind.
KEYS = {
    "crash-task": ("task", *WHEN),
    "crash-worker": ("worker", *WHEN),
    "crash-coordinator": WHEN,
    "lost": ("message", "task", "checkpoint", *WHEN),
    "late": ("message", "task", "checkpoint", "until", "steps", *WHEN),
    "reordered": ("message", "task", "checkpoint", *WHEN),
    "failed-snapshot": ("task", "checkpoint", *WHEN),
    "slow-snapshot": ("task", "checkpoint", "until", "steps", *WHEN),
    "expired": ("checkpoint", *WHEN),
    "disk-full": ("nth", "bytes", "times"),
    "killed": ("nth", "bytes", "times"),
}
NAMES = tuple(event.name for event in EVENTS)
ABOUT = {event.name: event.about for event in EVENTS}


def _is_often(value: object) -> bool:
    return isinstance(value, int) and is_count(value) and value <= TIMES_MAX


#: What each key takes, in words and as a test.
CHECKS: Checks = {
    "after": ("the name of an event, as the event log has them", lambda value: value in NAMES),
    "until": ("the name of an event, as the event log has them", lambda value: value in NAMES),
    "nth": ("a whole number above zero", is_count),
    "times": (f"a whole number from 1 to {TIMES_MAX}", _is_often),
    "steps": ("a whole number above zero", is_count),
    "bytes": ("a whole number above zero", is_count),
    "checkpoint": ("a checkpoint's number", is_count),
    "worker": ("a worker's number, from 0", is_whole),
    "task": ("the name of a task", is_text),
    "message": (f"one of {', '.join(ARRIVALS)}", lambda value: value in ARRIVALS),
    "chance": (
        "a number above 0, and at most 1",
        lambda it: isinstance(it, int | float) and not isinstance(it, bool) and 0 < it <= 1,
    ),
}


@dataclass(frozen=True)
class PlannedFault:
    """One thing that goes wrong, `times` often: after the n-th event of a name, or by chance."""

    kind: str
    after: str = ""
    nth: int = 1
    chance: float = 0.0
    times: int = 1
    message: str = "confirmation"
    task: str = ""
    worker: int = 0
    checkpoint: int = 0
    until: str = ""
    """What is late waits for events of this name, or for any,"""
    steps: int = 1
    """and for so many."""
    bytes: int = 0
    """The disk is full, or the process ends, behind so many; else at the n-th moment of writing."""

    @property
    def step(self) -> str:
        """The step that it is, or that it holds back."""
        if self.kind in HOLDING:
            return ARRIVALS["acknowledgement" if self.kind == "slow-snapshot" else self.message]
        return LOSSES[self.message] if self.kind == "lost" else STEPS.get(self.kind, "")

    @property
    def needs_time(self) -> bool:
        """Whether only time ends the checkpoint that it meets."""
        return self.kind == "lost" and self.message != "confirmation"

    def is_about(self, step: StepId) -> bool:
        """Whether a step is the fault's, of the task and the checkpoint that it names, if any."""
        about = dict(step.binding)
        named = not self.checkpoint or about.get("checkpoint") == f"cp{self.checkpoint}"
        return step.name == self.step and named and self.task in ("", about.get("task", self.task))


def bounds_of(faults: Iterable[PlannedFault], checkpoints: int | None = None) -> Faults:
    """As many of everything as an engine must allow for."""
    often = Counter[str]()
    for fault in faults:
        often[fault.step] += fault.times
        often["expire"] += fault.times if fault.needs_time else 0
    return Faults(
        checkpoints=checkpoints,
        failures=often["fail"],
        lost_confirmations=often["lose_confirmation"],
        declines=often["fail_snapshot"] + often["lose_acknowledgement"],
        expiries=often["expire"],
    )


def options_for(faults: Iterable[PlannedFault]) -> dict[str, Any]:
    """The options of a protocol without which they do not happen."""
    lost = {fault.message for fault in faults if fault.kind == "lost"}
    options: dict[str, Any] = {"acknowledgement": "lossy"} if "acknowledgement" in lost else {}
    return options | ({"unassigned_counts_as_triggered": True} if "trigger" in lost else {})


# --- reading --------------------------------------------------------------------------------------


def read_faults(file: Path, engine: type[Engine], job: Job) -> tuple[PlannedFault, ...]:
    """The faults that a TOML file lists, which can happen in a job. Raises `bad-fault`."""
    try:
        faults = faults_of(text_of(file))
        _refuse_unfit(faults, engine, job)
    except (OSError, UnicodeDecodeError) as reason:
        why = reason.strerror if isinstance(reason, OSError) else reason
        told = f"the list cannot be read: {why}"
        raise _bad("", told, "check its name").located(Place(str(file))) from None
    except FinaleError as error:
        error.place = Place(str(file), key=(error.place or Place()).key)
        raise
    return faults


def faults_of(text: str) -> tuple[PlannedFault, ...]:
    """The faults that a TOML text lists. Raises `bad-fault`."""
    try:
        table: Mapping[str, Any] = toml_of(text)
    except tomllib.TOMLDecodeError as reason:
        raise _bad("", f"it is no TOML: {reason}", ADVICE) from None
    for key in table.keys() - {"fault"}:
        raise _bad(key, f'"{key}" means nothing here', nearest(key, ("fault",)))
    listed: object = table.get("fault")
    if not isinstance(listed, list) or not is_tables(dict(enumerate(cast("list[object]", listed)))):
        raise _bad("fault", "it lists no faults", ADVICE)
    entries: list[Mapping[str, Any]] = table["fault"]
    return tuple(_fault(entry, f"fault.{place + 1}") for place, entry in enumerate(entries))


def _fault(entry: Mapping[str, Any], at: str) -> PlannedFault:
    if "kind" not in entry:
        advice = f"say what goes wrong: kind is one of {', '.join(KEYS)}"
        raise _bad(f"{at}.kind", "it does not say what goes wrong", advice)
    kind = entry["kind"]
    if kind == "duplicated":
        advice = "take lost, late or reordered"
        raise _bad(f"{at}.kind", "no protocol of the engine gets a message twice", advice)
    if not isinstance(kind, str) or kind not in KEYS:
        raise _bad(f"{at}.kind", f"nothing goes wrong as {kind!r}", nearest(str(kind), KEYS))
    for key, value in entry.items():
        if key == "kind":
            continue
        if key not in KEYS[kind]:
            message = f'"{key}" means nothing where the kind is "{kind}"'
            raise _bad(f"{at}.{key}", message, nearest(key, KEYS[kind]))
        wanted, fits = CHECKS[key]
        if not fits(value):
            near = nearest(str(value), NAMES) if key in ("after", "until") else ""
            raise _bad(f"{at}.{key}", f"{value!r} is no such thing", near or f"write {wanted}")
    fault = PlannedFault(**entry)
    _refuse_nonsense(fault, entry, at)
    return fault


def _refuse_nonsense(fault: PlannedFault, entry: Mapping[str, Any], at: str) -> None:
    """Keys that do not go together."""
    if fault.kind == "lost" and fault.message not in LOSSES:
        what = f"take one of {', '.join(LOSSES)}, or let it be late"
        raise _bad(f"{at}.message", f'in no protocol a message "{fault.message}" gets lost', what)
    if fault.kind in OF_FILES and fault.bytes and "nth" in entry:
        raise _bad(
            f"{at}.bytes", '"nth" says when, and "bytes" says it again', "leave one of them out"
        )
    for key in ("task", "checkpoint"):
        if fault.step and fault.step != "fail" and key in entry and key not in ABOUT[fault.step]:
            raise _bad(f"{at}.{key}", f'"{fault.step}" is about no {key}', "leave it out")


def _refuse_unfit(faults: Iterable[PlannedFault], engine: type[Engine], job: Job) -> None:
    """Raises `bad-fault` for one that cannot happen."""
    tasks = [subtask.name for subtask in job.subtasks]
    workers = max(vertex.parallelism for vertex in job.vertices)
    for number, fault in enumerate(faults, 1):
        at = f"fault.{number}"
        if fault.task and fault.task not in tasks:
            told = f'the job has no task "{fault.task}"'
            raise _bad(f"{at}.task", told, nearest(fault.task, tasks))
        if fault.kind == "crash-worker" and fault.worker >= workers:
            told = f"the job has no worker {fault.worker}"
            raise _bad(f"{at}.worker", told, f"they have the numbers 0 to {workers - 1}")
        for key, step in (("message", fault.step), ("after", fault.after), ("until", fault.until)):
            if step and step not in engine.actions:
                told = f'"{engine.key}" has no step "{step}"'
                raise _bad(f"{at}.{key}", told, nearest(step, engine.actions))


def _bad(key: str, message: str, advice: str) -> FinaleError:
    advice = advice or "see docs/faults.md"
    return FinaleError("bad-fault", message, place=Place(key=key or None), advice=advice)
