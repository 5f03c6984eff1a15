"""The hooks of other releases, which a file states as what is different from another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.model.protocols.coordinator.checkpoints import CheckpointKind
from finale.reference.flink.facts import facts_in
from finale.reference.flink.hooks import facts_table, hooks_in
from finale.reference.flink.releases import HOOKS, Release, hooks_file
from finale.reference.flink.toolchain import JOB, SOURCES

FILES = sorted(HOOKS.glob("flink-*.toml"))

BASE = """
release = "9.1"
[execution]
upper = "a"
subtask = "b"
[[hook]]
steps  = ["emit"]
class  = "A"
method = "one"
[[hook]]
steps  = { X = "close", Y = "fail" }
class  = "B"
method = "two"
event  = "0"
[[hook]]
steps  = ["quiesce"]
class  = "C"
method = "three"
[kinds]
[renamed]
[java]
"""
OTHER = """
extends = "base.toml"
release = "9.0"
without = ["fail", "quiesce"]
[execution]
subtask = ""
[[hook]]
steps  = ["emit"]
method = "first"
[renamed]
new = "old"
"""


def test_a_file_states_what_is_different(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(BASE, encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text(OTHER, encoding="utf-8")
    hooks = hooks_in(other)
    assert [each.place for each in hooks.all] == ["A.first", "B.two"]
    assert hooks.all[1].events == {"X": "close"}
    assert hooks.renamed == {"new": "old"}
    assert facts_table(other)["release"] == "9.0"


@pytest.mark.parametrize("file", FILES, ids=[each.stem for each in FILES])
def test_each_file_is_of_its_release(file: Path) -> None:
    assert f"flink-{facts_table(file)['release']}" == file.stem
    facts = facts_in(file)
    assert {"trigger", "apply_acknowledgement", "deliver_trigger"} <= facts.steps
    own = hooks_in(file).java
    assert set(own) <= set(JOB)
    assert all((SOURCES / f"{name}.java").is_file() for name in own.values())


@pytest.mark.parametrize("file", FILES, ids=[each.stem for each in FILES])
def test_each_path_of_a_hook_is_read(file: Path) -> None:
    """Without its record a hook of a sink would tell no channel."""
    others = {"steps", "class", "method", "parameters", "call", "of", "task", "begins"}
    for said, hook in zip(facts_table(file)["hook"], hooks_in(file).all, strict=True):
        assert said.keys() - others <= hook.paths.keys()


def test_a_release_that_does_not_know_the_end_of_data() -> None:
    steps = hooks_in(HOOKS / "flink-1.13.toml").steps
    assert not {"stop_source", "poll_end_of_data"} & steps
    assert "poll_end_of_partition" in steps


def test_the_file_of_a_version_comes_before_that_of_its_line() -> None:
    first, later = (Release(version, Path(), ()) for version in ("1.12.0", "1.12.5"))
    assert hooks_file(first).name == "flink-1.12.0.toml"
    assert hooks_file(later).name == "flink-1.12.toml"


def test_a_hook_of_one_line_is_not_one_of_older_lines() -> None:
    """The file of a line takes over what that of the next line states."""
    newer, older = (hooks_in(HOOKS / f"flink-{line}.toml") for line in ("1.20", "1.19"))
    assert newer.has("hand_over")
    assert not older.has("hand_over")


def test_an_abort_is_held_where_it_is_sent() -> None:
    """A trigger can then overtake it: its receiver takes calls in their order."""
    hooks = hooks_in(HOOKS / "flink-1.12.4.toml")
    (abort,) = (each for each in hooks.all if "deliver_abort" in each.steps)
    assert abort.place == "Execution.notifyCheckpointAborted"
    assert not abort.is_call
    (learns,) = (each for each in hooks.all if "learn_of_failed_event" in each.steps)
    assert learns.paths == {"where": "0.fn.@type^SubtaskGatewayImpl$$Lambda"}


def test_an_order_has_the_words_of_the_newest_release() -> None:
    newest, older = (hooks_in(HOOKS / f"flink-{line}.toml") for line in ("2.3", "1.12.0"))
    scheduler = "jobmanager.scheduler"
    assert newest.setting(scheduler, "Default") == (scheduler, "Default")
    assert older.setting(scheduler, "Default") == (scheduler, "ng")
    finish = "execution.checkpointing.checkpoints-after-tasks-finish"
    assert older.setting(finish, "false") == (f"{finish}.enabled", "false")
    assert newest.kinds["SUSPEND"] == "Suspend Savepoint"
    assert older.kinds["SUSPEND"] == "Synchronous Savepoint"
    assert newest.kinds.keys() == {each.name for each in CheckpointKind}
