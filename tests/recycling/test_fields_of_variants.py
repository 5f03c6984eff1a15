"""An id is not given again while a field names it that only a variant of the user has."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ran, run

_VARIANT = """
from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.tasks import Task
from finale.model.rules import EMPTY, WEAK, Bool, Nothing, Option, PerEntity, Queue, Ref, Set
from finale.model.rules import define, field, rule


class Remembers(FinalCheckpoint):
    \"\"\"A task remembers what was aborted, and ignores a completion of it.\"\"\"

    heard = field({domain}, {start})

    @rule(fair=WEAK)
    def deliver_abort(self, task: Task, checkpoint: Checkpoint) -> None:
        \"\"\"The abort arrives, and is remembered.\"\"\"
        super().deliver_abort(task, checkpoint)
        {remembers}

    @define
    def accepts(self, task: Task, checkpoint: CheckpointId) -> bool:
        \"\"\"What was aborted is not confirmed.\"\"\"
        return super().accepts(task, checkpoint) and {accepts}


VARIANTS = {{"remembers": Remembers}}
"""
#: How a field can name checkpoints.
_SHAPES = {
    "one for each task": (
        "PerEntity(Task, Option(Ref(CheckpointId)))",
        "Nothing",
        "self.heard[task] = checkpoint",
        "self.heard[task] != checkpoint",
    ),
    "a set for each task": (
        "PerEntity(Task, Set(Ref(CheckpointId)))",
        "EMPTY",
        "self.heard[task].add(checkpoint)",
        "not self.heard[task].has(checkpoint)",
    ),
    "one": (
        "Option(Ref(CheckpointId))",
        "Nothing",
        "self.heard = checkpoint",
        "self.heard != checkpoint",
    ),
    "a set": (
        "Set(Ref(CheckpointId))",
        "EMPTY",
        "self.heard.add(checkpoint)",
        "not self.heard.has(checkpoint)",
    ),
}
_SPEC = """
title = "aborted, and again"
protocol = "final-checkpoint"
[job]
S = { records = 0 }
K = { from = ["S"], sink = "two-phase" }
[bounds]
live_checkpoints = 2
expiries = 1
channel = 3
"""


def _checked(folder: Path, *shape: str) -> Ran:
    domain, start, remembers, accepts = shape
    (folder / "mine").mkdir()
    variant = _VARIANT.format(domain=domain, start=start, remembers=remembers, accepts=accepts)
    (folder / "mine" / "remembers.py").write_text(variant)
    (folder / "spec.toml").write_text(_SPEC)
    return run("check spec.toml --variant remembers --protocols mine --format json", folder)


@pytest.mark.parametrize("shape", _SHAPES)
def test_a_checkpoint_that_is_remembered_keeps_its_id(shape: str, tmp_path: Path) -> None:
    """Else the field would name the next checkpoint, whose completion would be ignored: a
    counterexample that no run with an id for each checkpoint has."""
    page: dict[str, Any] = json.loads(_checked(tmp_path, *_SHAPES[shape]).stdout)
    verdicts = {row["property"]: row["verdict"] for row in page["results"]}
    assert "violated" not in verdicts.values()
    assert verdicts["no-release-is-dropped"] == "holds"


def test_a_value_for_each_checkpoint_names_none(tmp_path: Path) -> None:
    """It goes with the checkpoint, as a field of the checkpoint itself does."""
    shape = (
        "PerEntity(CheckpointId, Bool)",
        "False",
        "self.heard[checkpoint] = True",
        "not self.heard[checkpoint]",
    )
    page: dict[str, Any] = json.loads(_checked(tmp_path, *shape).stdout)
    assert "violated" not in {row["verdict"] for row in page["results"]}


def test_a_field_that_cannot_be_asked_is_refused(tmp_path: Path) -> None:
    queue = ("Queue(Ref(CheckpointId), 1)", "()", "self.heard.clear()", "True")
    ran = _checked(tmp_path, *queue)
    assert ran.exit == 2
    assert "error[cannot-look-into]: mine/remembers.py:" in ran.stderr
    assert "heard" in ran.stderr


_SOURCES = """
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.sources import FetchingSource, Source


class Eager(FetchingSource):
    \"\"\"A source of one's own, for jobs whose sources fetch apart from emitting.\"\"\"


class OwnSources(FinalCheckpoint):
    \"\"\"Asks what Finale makes of an option.\"\"\"

    @property
    def source_class(self) -> type[Source]:
        return Eager if self.options.fetches_apart else super().source_class


VARIANTS = {"own-sources": OwnSources}
"""


def test_what_an_option_decides_is_the_same_with_few_ids(tmp_path: Path) -> None:
    """An option has the value of the spec in every run, also where Finale's own code reads it."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "sources.py").write_text(_SOURCES)
    (tmp_path / "spec.toml").write_text(_SPEC)
    ran = run("check spec.toml --variant own-sources --protocols mine", tmp_path)
    assert ran.exit == 0, ran.stderr
    assert "the change changes nothing" in ran.stderr
