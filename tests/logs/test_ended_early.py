"""Runs of Flink 2.3 in which tasks end before any barrier, with checkpoints after finish off.

`flag-off.log.xz` has three jobs of one cluster. The jobs `a1` and `a5` have vertices with the same
ids and names, and another parallelism.
"""

import json
import lzma
from pathlib import Path

from finale.checker.logs.flink.run_job import pattern_of
from finale.model.topology import Pattern
from tests.cli.running import run

from .edits import at_info, found

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
    events = {each["name"]: each["events"] for each in page["results"]}
    assert events == {"a1": 239, "a3": 111, "a5": 220}


def test_what_lines_tell_of_the_flag_is_one_reading(tmp_path: Path) -> None:
    """`--accept` reads off that no task waits: then no finding says that a task should have.

    At INFO a refusal of the coordinator tells the flag. Without one no line does, and the row names
    the logger that would.
    """
    told = at_info(lzma.decompress(LOG.read_bytes()).decode().splitlines())
    untold = [each for each in told if "with finished tasks is not enabled" not in each]
    for name, lines in (("told", told), ("untold", untold)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flink.log").write_text("".join(f"{each}\n" for each in lines))
    page = json.loads(run(f"validate {LOG} told untold --format json", tmp_path).stdout)
    for job in page["results"]:
        assert found(job, "violated", "stuck") == {}
        needs = job["needs"].get("closed-after-final-checkpoint", ())
        assert ("DEBUG of StreamTask" in needs) is job["logs"].startswith("untold")


def test_what_barriers_tell_of_an_edge() -> None:
    """Without a barrier at some subtask the pattern is not sure, but for one that is wide."""
    assert pattern_of(2, [1, 1]) == (Pattern.POINTWISE, True)
    assert pattern_of(2, [None, 1]) == (Pattern.POINTWISE, False)
    assert pattern_of(2, [None, 2]) == (Pattern.ALL_TO_ALL, True)
    assert pattern_of(2, [None, None]) == (Pattern.ALL_TO_ALL, False)
    assert pattern_of(1, [None, None]) == (Pattern.ALL_TO_ALL, True)
