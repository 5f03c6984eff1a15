"""A search that goes on with on Spark has the counts of the search in process, killed or not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import pytest

from finale.checker.search.distributed.bucket import LevelTask
from finale.model.errors import FinaleError
from finale.pipeline.search.run import SearchPlan, check
from finale.pipeline.search.work import claimed
from finale.pipeline.session import SparkCluster
from tests.cli.running import run

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "specs"
MANAGERS = """
title    = "Two-phase commit with eight resource managers"
cites    = ["Gray and Lamport 2006"]
protocol = "two-phase-commit"

[sizes]
managers = 8

[search]
states      = 1745408
transitions = 18507777
depth       = 25
counted_by  = "bench"

[[expect]]
property = "agreement"
verdict  = "holds"

[[expect]]
property = "commitment"
verdict  = "holds"
"""


def explore(spec: Path, *flags: str) -> subprocess.Popen[str]:
    """The command as a user types it, in a session of processes that can be killed at once."""
    finale = str(Path(sys.executable).with_name("finale"))
    command = [finale, "check", str(spec), "--spark", "--format", "json", *flags]
    return subprocess.Popen(
        [*command, "--master", "local[2]"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def told(process: subprocess.Popen[str]) -> dict[str, dict[str, object]]:
    """Its rows by property; all are as expected. On a busy machine it shows how far it is."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert [line for line in err.splitlines() if " states · " not in line] == []
    answer = json.loads(out)
    assert answer["ok"]
    return {cast(str, row["property"]): row for row in answer["results"]}


def levels_of(folder: Path) -> int:
    """How many levels of a search are complete."""
    try:
        return len(json.loads((folder / "manifest.json").read_bytes())["levels"])
    except FileNotFoundError:
        return 0


def kill_at(process: subprocess.Popen[str], folder: Path, level: int) -> None:
    """Kill the driver, and nothing else, when so many levels are complete."""
    while levels_of(folder) < level:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


def test_killed_and_resumed(java: int, tmp_path: Path) -> None:
    """The counts, the verdicts and the witness are those that the spec expects."""
    assert java
    spec = SPECS / "two-phase-commit" / "five-managers.toml"
    flags = ("--states-here", "100", "--resume", str(tmp_path / "kept"))
    kill_at(explore(spec, *flags), tmp_path / "kept", 8)
    rows = told(explore(spec, *flags))
    assert rows["commitment"]["steps"] == 12
    assert levels_of(tmp_path / "kept") == 17


@pytest.mark.slow
@pytest.mark.parametrize("level", [24, 41])
def test_eleven_million_states(java: int, level: int, tmp_path: Path) -> None:
    assert java
    flags = ("--slow", "--states-here", "300000", "--resume", str(tmp_path / "kept"))
    spec = SPECS / "yardstick" / "three-checkpoints.toml"
    kill_at(explore(spec, *flags), tmp_path / "kept", level)
    told(explore(spec, *flags))


@pytest.mark.slow
def test_a_million_states_all_on_spark(java: int) -> None:
    assert java
    told(explore(SPECS / "yardstick" / "five-records.toml", "--states-here", "0", "--owners", "3"))


@pytest.mark.slow
def test_eight_managers(java: int, tmp_path: Path) -> None:
    assert java
    spec = tmp_path / "eight-managers.toml"
    spec.write_text(MANAGERS)
    assert told(explore(spec, "--states-here", "1000"))["commitment"]["steps"] == 18


def test_a_task_claims_what_its_process_has(tmp_path: Path) -> None:
    order = LevelTask(4, 7, {})
    assert claimed(tmp_path, order, 0, [2]) == 2
    assert claimed(tmp_path, order, 1, [2]) == 1, "what it has was taken: its own number is free"
    assert claimed(tmp_path, order, 0, []) == 2, "a second try of a task does the same"
    assert claimed(tmp_path, order, 3, []) == 3
    assert claimed(tmp_path, order, 2, [1, 3]) == 0
    assert claimed(tmp_path, LevelTask(4, 8, {}), 0, [3]) == 3, "each level has claims of its own"


def test_a_cluster_needs_a_folder_that_it_sees() -> None:
    with pytest.raises(FinaleError) as raised:
        check(SearchPlan(SparkCluster("spark://far.example:7077")))
    assert raised.value.code == "needs-folder"


def test_the_limit_of_time_is_for_what_comes_before_the_search() -> None:
    ran = run("check specs/final-checkpoint/pair.toml --spark --max-seconds 1e-9 --format json")
    assert ran.exit == 3, ran.stderr
    rows = json.loads(ran.stdout)["results"]
    assert {row["verdict"] for row in rows} == {"unknown"}
    assert {row["backend"] for row in rows} == {"none"}
