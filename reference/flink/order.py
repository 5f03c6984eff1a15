"""An order: steps that a real Flink is to take, and which of them come before which.

An order is a JSON file. It has all that is needed to take it again: the job, the settings, and the
steps. Names of tasks, channels and checkpoints are those of the job and of the one who wrote it;
`director.py` finds out which real task and which real id each name is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from graphlib import TopologicalSorter
from pathlib import Path
from typing import cast

from finale.model.errors import FinaleError, Place
from finale.model.topology import Job

FORMAT = "finale-order/1"
ORDER_FILE = "order.json"
#: What reading raises if a file has something else.
MALFORMED = (OSError, ArithmeticError, ValueError, KeyError, TypeError, AttributeError,
             RecursionError)  # fmt: skip
#: What can be done after an order: nothing; a checkpoint is asked for; the job fails, starts again
#: from its newest checkpoint, and takes another one; a job that was stopped is resumed from its
#: savepoint; a job that rests gets some checkpoints, as a period would trigger them.
ASK, FAIL, RESUME, PERIODIC = "checkpoint", "fail", "resume", "periodic"
PROBES = ("", ASK, FAIL, RESUME, PERIODIC)
#: The kinds of the savepoints of stops.
STOPS = ("DRAIN", "SUSPEND")


@dataclass(frozen=True)
class Trigger:
    """A checkpoint that a step triggers: its name in the order, and its kind.

    The kind is a key of the table `kinds` in the files of hooks.
    """

    checkpoint: str
    kind: str

    @property
    def stops(self) -> bool:
        """Whether it is the savepoint of a stop."""
        return self.kind in STOPS


@dataclass(frozen=True)
class OrderedStep:
    """One step: what it is about, the steps before it, and the checkpoint that it triggers.

    `tells` are further steps that happen in the same moment, for a reader.
    """

    number: int
    name: str
    about: Mapping[str, str] = field(default_factory=dict[str, str])
    after: tuple[int, ...] = ()
    trigger: Trigger | None = None
    tells: tuple[str, ...] = ()

    @property
    def request(self) -> str:
        """What a step that asks for something is called in its answer."""
        return self.about.get("request") or f"request {self.number}"

    def __str__(self) -> str:
        about = ", ".join(self.about.values())
        return f"step {self.number}, {self.name}({about})"


@dataclass(frozen=True)
class Order:
    """Steps in an order, on a job. `settings` are Flink's, in the words of the newest release.

    `probe` is what is done when all steps have happened, so that damage shows (`outcome.py`).
    `free` are steps, for a reader, that Flink takes by itself: no hook holds them.
    `assumption` is the one that the order leaves out. If it is `forced`, its method is made to give
    what it gives without the assumption; else only the results of the method are noted. `forbidden`
    is the number of the first step that Flink cannot take with the assumption, or with which the
    rules do something else, or 0: until then no call comes to a task that the order does not have.
    """

    title: str
    job: Job
    table: Mapping[str, object]
    settings: Mapping[str, str]
    steps: tuple[OrderedStep, ...]
    probe: str = ""
    free: tuple[str, ...] = ()
    assumption: str = ""
    forced: bool = False
    forbidden: int = 0

    def to_json(self) -> str:
        """The order as a file."""
        steps: list[dict[str, object]] = []
        for step in self.steps:
            said = {name: value for name, value in asdict(step).items() if value}
            steps.append(said)
        page: dict[str, object] = {"format": FORMAT, "title": self.title, "job": self.table}
        page |= {"probe": self.probe} if self.probe else {}
        page |= {"free": self.free} if self.free else {}
        if self.assumption:
            page |= {"without": self.assumption, "forced": self.forced}
            page |= {"forbidden": self.forbidden}
        return json.dumps(page | {"settings": self.settings, "steps": steps}, indent=1) + "\n"


def read_order(file: Path) -> Order:
    """Read an order. Raises `no-such-path`, `bad-order`."""
    try:
        page = json.loads(file.read_text(encoding="utf-8"))
        return _order(page)
    except FileNotFoundError:
        raise FinaleError(
            "no-such-path",
            "there is no such file",
            place=Place(str(file)),
            advice="check the name and the current folder",
        ) from None
    except FinaleError as error:  # of the job
        place = Place(str(file), key=None if error.place is None else error.place.key)
        raise FinaleError(error.code, error.message, place=place, advice=error.advice) from None
    except MALFORMED as error:
        raise FinaleError(
            "bad-order",
            f"this is no order: {type(error).__name__}: {error}",
            place=Place(str(file)),
            advice="take a file order.json that finale reproduce has written",
        ) from None


def _order(page: Mapping[str, object]) -> Order:
    if page["format"] != FORMAT:
        raise ValueError(f"its format is {page['format']}")
    table = cast("Mapping[str, object]", page["job"])
    said = cast("Sequence[Mapping[str, object]]", page["steps"])
    steps = tuple(_step(each) for each in said)
    numbers = {step.number for step in steps}
    if not steps:
        raise ValueError("it has no steps")
    if len(numbers) < len(steps):
        raise ValueError("two steps have one number")
    job = Job.from_table(table)
    known = {
        "task": {each.name for each in job.subtasks},
        "channel": {each.name for each in job.channels},
    }
    for step in steps:
        others = [("task", each) for each in step.about.get("others", "").split()]
        for key, name in (*step.about.items(), *others):
            if not name.isprintable() or name not in known.get(key, {name}):
                raise ValueError(f"{step} is about a {key} that there is not: {name!r}")
        if step.number in step.after:
            raise ValueError(f"{step} comes after itself")
        if not numbers.issuperset(step.after):
            raise ValueError(f"{step} comes after steps that there are not")
    TopologicalSorter({step.number: step.after for step in steps}).prepare()
    settings = {str(k): str(v) for k, v in cast("Mapping[str, object]", page["settings"]).items()}
    for key, value in settings.items():
        if not f"{key}{value}".isprintable():
            raise ValueError(f"the setting {key!r} is {value!r}")
    probe = str(page.get("probe", ""))
    if probe not in PROBES:
        raise ValueError(f"its probe is {probe}")
    free = tuple(str(each) for each in cast("Sequence[object]", page.get("free", ())))
    without, forced = str(page.get("without", "")), page.get("forced", False) is True
    forbidden = int(cast("int", page.get("forbidden", 0)))
    return Order(
        str(page["title"]), job, table, settings, steps, probe, free, without, forced, forbidden
    )


def _step(said: Mapping[str, object]) -> OrderedStep:
    trigger = cast("Mapping[str, str] | None", said.get("trigger"))
    about = cast("Mapping[str, object]", said.get("about", {}))
    return OrderedStep(
        int(cast("int", said["number"])),
        str(said["name"]),
        {str(key): str(each) for key, each in about.items()},
        tuple(cast("Sequence[int]", said.get("after", ()))),
        None if trigger is None else Trigger(str(trigger["checkpoint"]), str(trigger["kind"])),
        tuple(cast("Sequence[str]", said.get("tells", ()))),
    )


__all__ = [
    "ASK",
    "FAIL",
    "ORDER_FILE",
    "PERIODIC",
    "PROBES",
    "RESUME",
    "Order",
    "OrderedStep",
    "Trigger",
    "read_order",
]
