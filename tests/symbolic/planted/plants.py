"""Makes a user's file of a site and a condition: the rule goes wrong where the condition is true.

The conditions read numbers, names, positions, lengths, kinds and bounds of a layout. A window of a
proof, or a few ids that are given again, say nothing of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

HEAD = """
import enum, functools, itertools, json, operator
from typing import Annotated
from finale.jobs import *
from finale.protocols import *
from finale.rules import *

{helpers}

class Planted({base}):
    \"\"\"A protocol with a planted mistake.\"\"\"

{members}
{site}

VARIANTS = {{"planted": Planted}}
"""


@dataclass(frozen=True)
class Site:
    """A method that goes wrong where a condition is true, and the property that is then violated.

    `{cond}` stands in the body for the condition."""

    body: str
    falls: str


@dataclass(frozen=True)
class Plant:
    """A planted mistake, and where a search finds it."""

    name: str
    site: str
    cond: str
    helpers: str = ""
    """Code before the class."""
    members: str = ""
    """Code in the class before the site."""
    base: str = "FinalCheckpoint"
    job: str = 'shape = "pair"\nrecords = 1'
    bounds: dict[str, int] = field(default_factory=lambda: {"checkpoints": 1, "channel": 2})
    options: str = ""
    observe: str = "taken = true"


SITES = {
    "plan": Site(
        """
    @step
    def _plan(self, checkpoint: Checkpoint, task: Task) -> None:
        super()._plan(checkpoint, task)
        if {cond}:
            checkpoint.triggers.add(task)
""",
        "triggered-tasks-are-heads",
    ),
    "finished": Site(
        """
    @step
    def _plan(self, checkpoint: Checkpoint, task: Task) -> None:
        if {cond}:
            checkpoint.finished.add(task)
        else:
            super()._plan(checkpoint, task)
""",
        "counted-finished-are-finished",
    ),
    "both": Site(
        """
    @step
    def _plan(self, checkpoint: Checkpoint, task: Task) -> None:
        super()._plan(checkpoint, task)
        if {cond}:
            checkpoint.awaited.add(task)
            checkpoint.finished.add(task)
""",
        "plan-is-a-partition",
    ),
    "left-out": Site(
        """
    @step
    def _plan(self, checkpoint: Checkpoint, task: Task) -> None:
        if not ({cond}):
            super()._plan(checkpoint, task)
""",
        "plan-is-a-partition",
    ),
    "head": Site(
        """
    @define
    def is_head(self, task: Task) -> bool:
        return super().is_head(task) or {cond}
""",
        "triggered-tasks-are-heads",
    ),
    "no-head": Site(
        """
    @define
    def is_head(self, task: Task) -> bool:
        return super().is_head(task) and not ({cond})
""",
        "waiting-tasks-are-reached",
    ),
    "counts": Site(
        """
    @define
    def counts_as_finished(self, task: Task) -> bool:
        return super().counts_as_finished(task) or {cond}
""",
        "counted-finished-are-finished",
    ),
    "released": Site(
        """
    @define
    def is_released(self, task: Task) -> bool:
        return super().is_released(task) or {cond}
""",
        "closed-after-final-checkpoint",
    ),
    "releases": Site(
        """
    @define
    def releases(self, task: Task, checkpoint: CheckpointId) -> bool:
        return super().releases(task, checkpoint) or {cond}
""",
        "closed-after-final-checkpoint",
    ),
    "acknowledged": Site(
        """
    @define
    def is_acknowledged(self, task: Task) -> bool:
        return super().is_acknowledged(task) or {cond}
""",
        "close-after-acknowledgement",
    ),
    "decides": Site(
        """
    @rule(fair=WEAK)
    def deliver_confirmation(self, task: Task, checkpoint: Checkpoint) -> None:
        \"\"\"A confirmation arrives.\"\"\"
        super().deliver_confirmation(task, checkpoint)
        if {cond}:
            checkpoint.status = ABORTED
""",
        "decided-once",
    ),
    "blocks": Site(
        """
    @step
    def act_on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        super().act_on_confirmation(task, checkpoint)
        if {cond}:
            for channel in task.inputs:
                channel.blocked = True
""",
        "unblocked-without-alignment",
    ),
    "blocks-ended": Site(
        """
    @step
    def close_task(self, task: Task) -> None:
        super().close_task(task)
        if {cond}:
            for channel in task.inputs:
                channel.blocked = True
""",
        "unblocked-without-alignment",
    ),
    "no-end": Site(
        """
    @step
    def close_task(self, task: Task) -> None:
        if {cond}:
            task.status = TaskStatus.CLOSED
        else:
            super().close_task(task)
""",
        "no-deadlock",
    ),
    "no-barrier": Site(
        """
    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        if {cond}:
            self.snapshot_taken(task, checkpoint)
        else:
            super().perform(task, checkpoint)
""",
        "no-deadlock",
    ),
    "lost-call": Site(
        """
    @step
    def trigger_failed(self, task: Task, checkpoint: Checkpoint) -> None:
        if not ({cond}):
            super().trigger_failed(task, checkpoint)
""",
        "checkpoint-ends",
    ),
    "acts-late": Site(
        """
    @rule
    def expire(self, checkpoint: Checkpoint) -> None:
        \"\"\"A checkpoint times out.\"\"\"
        if {cond}:
            checkpoint.status = ABORTED
        else:
            super().expire(checkpoint)
""",
        "decided-once",
    ),
}


def gate_site(method: str, body: str) -> str:
    """Return a class of gates with one wrong method, for `helpers`."""
    return f"""
class PlantedGate(AlignedGate):
    \"\"\"A gate with a planted mistake.\"\"\"

{body}
"""


USES_GATE = """
    @property
    def gate_class(self):
        return PlantedGate
"""


def text_of(plant: Plant) -> str:
    """Return the user's file of a plant."""
    site = SITES[plant.site].body.replace("{cond}", plant.cond) if plant.site in SITES else ""
    return HEAD.format(helpers=plant.helpers, base=plant.base, members=plant.members, site=site)


def spec_of(plant: Plant, *, bounds: dict[str, int] | None = None, job: str = "") -> str:
    """Return the spec of a plant, a TOML text."""
    key = {"FinalCheckpoint": "final-checkpoint", "StopWithSavepoint": "stop-with-savepoint"}
    table = "\n".join(f"{name} = {value}" for name, value in (bounds or plant.bounds).items())
    return f"""title = "A planted mistake"
protocol = "{key[plant.base]}"
variant = "planted"

[options]
{plant.options}

[job]
{job or plant.job}

[bounds]
{table}

[observe]
{plant.observe}
"""


def write(plant: Plant, folder: Path, **spec: object) -> tuple[Path, Path]:
    """Write a plant's file and spec; return the path of the spec, and the protocols' folder."""
    code = folder / "mine"
    code.mkdir(exist_ok=True)
    (code / "planted.py").write_text(text_of(plant), encoding="utf-8")
    path = folder / "planted.toml"
    path.write_text(spec_of(plant, **spec), encoding="utf-8")  # type: ignore[arg-type]
    return path, code
