"""The hooks of other releases, which a file states as what is different from another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference.flink.facts import facts_in
from reference.flink.hooks import facts_table, hooks_in
from reference.flink.releases import HOOKS
from reference.flink.toolchain import JOB, SOURCES

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


def test_a_release_that_does_not_know_the_end_of_data() -> None:
    steps = hooks_in(HOOKS / "flink-1.13.toml").steps
    assert not {"stop_source", "poll_end_of_data"} & steps
    assert "poll_end_of_partition" in steps
