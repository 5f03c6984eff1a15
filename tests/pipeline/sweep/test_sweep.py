"""`finale sweep` as a user runs it: searched once, again only what changed, killed and resumed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from finale.checker.search.rows import SpecResult
from finale.checker.search.run import run as real
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.pipeline.sweep.run import JOURNAL, SweepStore
from tests.cli.running import HERE, ROOT, Ran, run
from tests.pipeline.sweep.matrices import CELLS, MATRIX, written

FINALE = str(Path(sys.executable).with_name("finale"))
INPUTS = HERE / "inputs"
SWEEP = "sweep matrix.toml --workers 1"
COLUMNS = ["cell", "setting", "property", "verdict", "how", "states", "steps", "seconds", "why"]


def table_in(folder: Path) -> list[dict[str, Any]]:
    """The rows of the table, without what takes another time each time."""
    rows = pyarrow.parquet.read_table(folder / "table.parquet").to_pylist()
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def searched(ran: Ran) -> int:
    return int(ran.stdout.split(" · ")[1].split(" searched")[0])


def test_a_sweep_and_what_it_leaves(tmp_path: Path) -> None:
    written(tmp_path)
    ran = run(SWEEP, tmp_path)
    assert (ran.exit, ran.stderr) == (0, "")
    assert ran.stdout.startswith(f"{CELLS} cells · {CELLS} searched in ")
    lines = ran.stdout.splitlines()
    assert "property     holds  violated" in lines
    assert "agreement        5         2" in lines
    assert any(line.startswith("the smallest that breaks agreement: variant = ") for line in lines)
    assert [line.split() for line in lines[-9:-3]] == [
        ["all", "properties"],
        ["sizes.managers", "1", "2", "3"],
        ["variant"],
        ["none", "✓", "✓", "✓"],
        ["commits-with-one", "✓", "✗", "✗"],
        ["withdraws", "✓"],
    ]
    folder = tmp_path / "matrix.sweep"
    schema = pyarrow.parquet.read_schema(folder / "table.parquet")
    assert schema.names == COLUMNS
    rows = table_in(folder)
    assert len(rows) == CELLS * 3
    assert rows[0]["setting"] == [("variant", "none"), ("sizes.managers", "1")]
    assert {row["verdict"] for row in rows} == {"holds", "violated"}
    assert (folder / "grid.svg").read_text().startswith("<svg ")


def test_only_what_changed_is_searched_again(tmp_path: Path) -> None:
    written(tmp_path)
    assert searched(run(SWEEP, tmp_path)) == CELLS
    first = table_in(tmp_path / "matrix.sweep")
    assert searched(run(SWEEP, tmp_path)) == 0
    assert table_in(tmp_path / "matrix.sweep") == first
    written(tmp_path, MATRIX.replace("[1, 2, 3]", "[1, 2, 3, 4]"))
    assert searched(run(SWEEP, tmp_path)) == 3
    written(tmp_path, MATRIX)
    assert searched(run(SWEEP, tmp_path)) == 0


def test_a_limit_is_told_and_lifted(tmp_path: Path) -> None:
    written(tmp_path, MATRIX + "[limits]\nstates = 30\n")
    ran = run(SWEEP, tmp_path)
    assert ran.exit == 3
    stopped = int(ran.stdout.split(" cells at a limit")[0].rpartition(" ")[2])
    assert 0 < stopped < CELLS
    assert searched(run(SWEEP, tmp_path)) == 0, "the limit is what it was"
    written(tmp_path, MATRIX)
    ran = run(SWEEP, tmp_path)
    assert (ran.exit, searched(ran)) == (0, stopped)


def test_cells_with_errors_are_told_and_searched_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(spec: Spec, *rest: Any) -> SpecResult:
        if spec.variant == "withdraws":
            raise FinaleError("too-many-paths", "too many", advice="fewer")
        return real(spec, *rest)

    written(tmp_path)
    monkeypatch.setattr("finale.pipeline.sweep.work.run", failing)
    ran = run(SWEEP, tmp_path)
    assert ran.exit == 2
    assert ran.stderr == (
        "variant = withdraws, sizes.managers = 1: error[too-many-paths]: too many\n  help: fewer\n"
    )
    assert "1 cell with errors" in ran.stdout
    monkeypatch.undo()
    ran = run(SWEEP, tmp_path)
    assert (ran.exit, searched(ran)) == (0, 1)


def test_as_json(tmp_path: Path) -> None:
    written(tmp_path)
    told = json.loads(run(f"{SWEEP} --format json --output out", tmp_path).stdout)
    assert len(told["cells"]) == CELLS
    assert told["cells"][0]["setting"] == {"variant": "none", "sizes.managers": "1"}
    assert told["cells"][0]["rows"][0]["verdict"] == "holds"
    assert (tmp_path / "out" / "table.parquet").is_file()


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ("--workers 0", "bad-value"),
        ("--conf spark.a=b", "spark-or-not"),
        ("--master local[2] --workers 2", "spark-or-not"),
        ("--master here", "bad-master"),
        ("--column variants", "unknown-axis"),
        ("--property agrement", "unknown-property"),
        ("--output base.toml", "sweep-folder"),
        ("--output .", "sweep-folder"),
    ],
)
def test_what_cannot_be_asked(flags: str, code: str, tmp_path: Path) -> None:
    written(tmp_path)
    ran = run(f"sweep matrix.toml {flags}", tmp_path)
    assert ran.exit == 2
    assert ran.stderr.startswith(f"error[{code}]")


def test_killed_and_resumed(tmp_path: Path) -> None:
    """`kill -9` in the middle: what was known is kept, and the table comes out the same."""
    written(tmp_path, MATRIX.replace("[1, 2, 3]", "[1, 2, 3, 4, 5]"))
    journal = tmp_path / "matrix.sweep" / JOURNAL
    command = [FINALE, *SWEEP.split()]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        while process.poll() is None and lines_of(journal) < 4:
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    with SweepStore(journal.parent) as store:
        kept = len(store.known)
    assert 3 <= kept < 13
    ran = run(SWEEP, tmp_path)
    assert searched(ran) == 13 - kept
    assert run(f"{SWEEP} --output whole", tmp_path).exit == 0
    assert table_in(journal.parent) == table_in(tmp_path / "whole")


def lines_of(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.is_file() else 0


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C: what is known is told, with how to go on."""
    import signal

    written(tmp_path, MATRIX.replace("[1, 2, 3]", "[1, 2, 3, 4, 5]"))
    journal = tmp_path / "matrix.sweep" / JOURNAL
    command = [FINALE, "sweep", "matrix.toml", "--workers", "2"]
    environment = os.environ | {"NO_COLOR": "1"}
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        # Who is started in the background does not hear of it.
        preexec_fn=lambda: signal.signal(  # noqa: PLW1509 - no threads yet
            signal.SIGINT, signal.default_int_handler
        ),
    )
    while process.poll() is None and lines_of(journal) < 3:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate()
    assert process.returncode == 130
    assert "interrupted: the same command goes on from here" in printed
    assert " not searched" in printed


OWN = """\
base = "ping.toml"
properties = ["never-done", "two-pings"]
[axes]
options.answer = ["always", "maybe-later"]
"""


def test_a_protocol_of_ones_own(tmp_path: Path) -> None:
    """In several processes too; and what is changed in it is searched again."""
    shutil.copytree(INPUTS, tmp_path, dirs_exist_ok=True)
    (tmp_path / "matrix.toml").write_text(OWN)
    command = [FINALE, "sweep", "matrix.toml", "--protocols", "protocols", "--workers"]

    def swept(workers: int) -> int:
        line = [*command, str(workers)]
        ran = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (ran.returncode, ran.stderr) == (0, "")
        return searched(Ran(0, ran.stdout, ""))

    assert swept(2) == 2
    rows = table_in(tmp_path / "matrix.sweep")
    assert [row["verdict"] for row in rows][2:] == ["violated", "holds"]
    assert swept(1) == 0
    with (tmp_path / "protocols" / "ping.py").open("a") as file:
        file.write("# of another day\n")
    assert swept(1) == 2


RESUMED = """\
base = "specs/history/flink-23021.toml"
properties = ["each-record-is-somewhere", "finished-set-is-closed"]
[axes]
options.check = ["off", "full"]
"""


def test_cells_that_are_resumed_from_what_another_spec_leaves(tmp_path: Path) -> None:
    for folder in ("history", "restore"):
        shutil.copytree(ROOT / "specs" / folder, tmp_path / "specs" / folder)
    (tmp_path / "matrix.toml").write_text(RESUMED)
    assert searched(run(SWEEP, tmp_path)) == 2
    assert {row["verdict"] for row in table_in(tmp_path / "matrix.sweep")} == {"violated", "holds"}
    assert searched(run(SWEEP, tmp_path)) == 0
    with (tmp_path / "specs" / "restore" / "first" / "sink-ends.toml").open("a") as file:
        file.write("# of another day\n")
    assert searched(run(SWEEP, tmp_path)) == 2


UNREACHED = """\
base = "specs/final-checkpoint/pair.toml"
properties = ["taken-with-ended-inputs"]
[axes]
bounds.checkpoints = [1]
"""


def test_the_table_words_a_situation_that_is_not_reached_as_a_check_does(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "specs" / "final-checkpoint", tmp_path / "specs" / "final-checkpoint")
    (tmp_path / "matrix.toml").write_text(UNREACHED)
    assert searched(run(SWEEP, tmp_path)) == 1
    assert {row["verdict"] for row in table_in(tmp_path / "matrix.sweep")} == {"not-reached"}
