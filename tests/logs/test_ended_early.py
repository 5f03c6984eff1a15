"""Runs of Flink 2.3 in which tasks end before any barrier, with checkpoints after finish off.

`flag-off.log.xz` has three jobs of one cluster. The jobs `a1` and `a5` have vertices with the same
ids and names, and another parallelism.
"""

import json
from pathlib import Path

from finale.checker.logs.flink.run_job import pattern_of
from finale.model.topology import Pattern
from tests.cli.running import run

LOG = Path(__file__).parent / "flag-off.log.xz"


def test_a_subtask_that_ended_before_any_barrier_does_not_widen_its_edge(tmp_path: Path) -> None:
    """The sources of `a1` and `a3` write to one subtask each; one of them ends at once."""
    page = json.loads(run(f"validate {LOG} --accept --format json", tmp_path).stdout)
    judged = {each["name"]: each["conforms"] for each in page["results"]}
    assert {name: each["lines"] for name, each in judged.items()} == {"a1": 50, "a3": 20, "a5": 30}
    assert all(each["accepted"] for each in judged.values())
    told = {(each["name"], each["value"]) for each in judged["a3"]["told"]}
    assert ("checkpoints_after_finish", "false") in told


def test_jobs_of_one_cluster_may_have_the_same_names(tmp_path: Path) -> None:
    page = json.loads(run(f"validate {LOG} --format json", tmp_path).stdout)
    completed = {each["name"]: each["checkpoints"]["completed"] for each in page["results"]}
    assert completed == {"a1": [], "a3": [], "a5": [1]}
    bound = {
        each["name"]: {value for found in each["findings"] for _, value in found["binding"].items()}
        for each in page["results"]
    }
    assert "Source: A (1/1)" in bound["a5"]
    assert "Source: A (1/2)" in bound["a1"]


def test_what_barriers_tell_of_an_edge() -> None:
    """Without a barrier at some subtask the pattern is not sure, but for one that is wide."""
    assert pattern_of(2, [1, 1]) == (Pattern.POINTWISE, True)
    assert pattern_of(2, [None, 1]) == (Pattern.POINTWISE, False)
    assert pattern_of(2, [None, 2]) == (Pattern.ALL_TO_ALL, True)
    assert pattern_of(2, [None, None]) == (Pattern.ALL_TO_ALL, False)
    assert pattern_of(1, [None, None]) == (Pattern.ALL_TO_ALL, True)
