"""Matrices: what their cells are, and what is wrong with those that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError
from finale.pipeline.sweep.cells import planned
from finale.pipeline.sweep.matrix import read_matrix
from tests.pipeline.sweep.matrices import BASE, CELLS, MATRIX, matrix_in, plan_in, written


def test_cells_are_all_combinations_without_what_is_excluded(tmp_path: Path) -> None:
    plan = plan_in(tmp_path)
    assert [cell.name for cell in plan.cells] == [
        "variant = none, sizes.managers = 1",
        "variant = none, sizes.managers = 2",
        "variant = none, sizes.managers = 3",
        "variant = commits-with-one, sizes.managers = 1",
        "variant = commits-with-one, sizes.managers = 2",
        "variant = commits-with-one, sizes.managers = 3",
        "variant = withdraws, sizes.managers = 1",
    ]
    assert len({cell.key for cell in plan.cells}) == CELLS
    assert plan.cells[1].table["sizes"] == {"managers": 2}
    assert "variant" not in plan.cells[1].table
    assert plan.cells[3].table["variant"] == "commits-with-one"
    assert plan.cells[2].weight > plan.cells[1].weight


JOBS = """\
base = "base.toml"
[axes]
job = ["pair", "chain"]
options.finish_race = ["abort", "retrigger"]
bounds.checkpoints = [1]
[jobs.pair]
shape = "pair"
[jobs.chain]
shape = "chain"
records = 1
[limits]
states = 10
seconds = 1.5
megabytes = 2
"""
JOB_BASE = """\
title = "a job"
protocol = "final-checkpoint"
[job]
shape = "pair"
[bounds]
checkpoints = 3
failures = 1
[search]
states = 1
transitions = 1
depth = 1
counted_by = "spin"
[[expect]]
property = "finished"
verdict = "violated"
"""


def test_jobs_are_named_and_what_the_base_expects_is_not_asked(tmp_path: Path) -> None:
    written(tmp_path, JOBS, JOB_BASE)
    matrix = read_matrix(tmp_path / "matrix.toml", catalogue())
    cells = planned(matrix, catalogue(), "1").cells
    assert [dict(cell.setting)["job"] for cell in cells] == ["pair", "pair", "chain", "chain"]
    assert cells[2].table["job"] == {"shape": "chain", "records": 1}
    assert cells[0].table["bounds"] == {"checkpoints": 1, "failures": 1}
    assert not {"search", "expect"} & set(cells[0].table)
    assert matrix.limits.states_max == 10
    assert matrix.limits.seconds_max == 1.5
    assert matrix.limits.memory_max == 2 * 2**20


AXES = '[axes]\nvariant = ["none", "withdraws"]\n'
BAD = {
    'bse = "a"\n': ("unknown-key", 1, "did you mean"),
    'title = "a"\nprotocol = "yardstick"\n': ("spec-for-matrix", 2, "finale check "),
    AXES: ("missing-key", None, "which spec"),
    f'base = "no.toml"\n{AXES}': ("no-such-path", 1, "no.toml"),
    f"base = 7\n{AXES}": ("bad-value", 1, "which spec"),
    f'base = "base.toml"\ntitle = 1\n{AXES}': ("bad-value", 2, "title"),
    'base = "base.toml"\n': ("missing-key", None, "no axes"),
    'base = "base.toml"\naxes = 3\n': ("bad-value", 2, "axes"),
    'base = "base.toml"\n[axes]\nvariant = "none"\n': ("bad-axis", 3, "different values"),
    'base = "base.toml"\n[axes]\nvariant = []\n': ("bad-axis", 3, "different values"),
    'base = "base.toml"\n[axes]\nsizes.managers = [1, "1"]\n': ("bad-axis", 3, "different"),
    'base = "base.toml"\n[axes]\nsizes.managers = [1.5]\n': ("bad-axis", 3, "different"),
    'base = "base.toml"\n[axes]\ntitle = ["a"]\n': ("bad-axis", 3, "not to be varied"),
    'base = "base.toml"\n[axes]\njob = ["pair"]\n': ("unknown-job", 3, "pair"),
    'base = "base.toml"\njobs = 1\n[axes]\n': ("bad-value", 2, "jobs"),
    'base = "base.toml"\n[jobs]\npair = 1\n': ("bad-value", 3, "jobs.pair"),
    f'base = "base.toml"\nexclude = 1\n{AXES}': ("bad-value", 2, "exclude"),
    f'base = "base.toml"\n{AXES}[[exclude]]\nvariants = "none"\n': ("unknown-axis", 5, "variants"),
    f'base = "base.toml"\n{AXES}[[exclude]]\nvariant = "all"\n': ("bad-value", 5, "all"),
    f'base = "base.toml"\nproperties = "a"\n{AXES}': ("bad-value", 2, "properties"),
    f'base = "base.toml"\nproperties = ["agrement"]\n{AXES}': ("unknown-property", 2, "agrement"),
    f'base = "base.toml"\n{AXES}[limits]\nsecond = 1\n': ("unknown-key", 5, "second"),
    f'base = "base.toml"\n{AXES}[limits]\nseconds = 0\n': ("bad-value", 5, "seconds"),
    f'base = "base.toml"\n{AXES}[limits]\nstates = 1.5\n': ("bad-value", 5, "states"),
    f'base = "base.toml"\n{AXES}sizes.managers = {list(range(50_001))}\n': (
        "too-many-cells",
        2,
        "100002",
    ),
    'base = "base.toml"\n[axes\n': ("malformed-toml", 2, "not TOML"),
}


@pytest.mark.parametrize("text", BAD, ids=[f"{at}-{bad[0]}" for at, bad in enumerate(BAD.values())])
def test_what_is_no_matrix(text: str, tmp_path: Path) -> None:
    code, line, told = BAD[text]
    with pytest.raises(FinaleError) as raised:
        matrix_in(tmp_path, text)
    assert raised.value.code == code
    assert raised.value.place is not None
    assert raised.value.place.file == str(tmp_path / "matrix.toml")
    assert raised.value.place.line == line
    assert told in str(raised.value)


def test_a_cell_that_is_no_spec_is_named_with_its_axis(tmp_path: Path) -> None:
    with pytest.raises(FinaleError) as raised:
        plan_in(tmp_path, MATRIX.replace('"withdraws"]', '"withdrwas", "withdraws"]'))
    assert raised.value.code == "bad-cell"
    assert raised.value.place is not None
    assert raised.value.place.line == 6
    assert "the spec is invalid with variant = withdrwas, sizes.managers = 1" in str(raised.value)
    with pytest.raises(FinaleError) as raised:
        plan_in(tmp_path, MATRIX.replace("[1, 2, 3]", "[1, 2, 3, -4]"))
    assert raised.value.code == "bad-cell"
    assert raised.value.place is not None
    assert raised.value.place.line == 7


def test_a_base_that_is_no_spec_is_told_as_it_is(tmp_path: Path) -> None:
    written(tmp_path)
    text = MATRIX.replace("base.toml", "other.toml")
    (tmp_path / "other.toml").write_text(BASE.replace("two-phase-commit", "three-phase-commit"))
    with pytest.raises(FinaleError) as raised:
        plan_in(tmp_path, text)
    assert raised.value.code == "unknown-protocol"
    assert "other.toml:2" in str(raised.value)


def test_nothing_is_left(tmp_path: Path) -> None:
    none_left = '[[exclude]]\nvariant = ["none", "commits-with-one", "withdraws"]\n'
    with pytest.raises(FinaleError) as raised:
        plan_in(tmp_path, MATRIX + none_left)
    assert raised.value.code == "no-cells"


def test_an_axis_is_asked_for_by_its_name(tmp_path: Path) -> None:
    matrix = matrix_in(tmp_path)
    assert matrix.axis("sizes.managers").words == ("1", "2", "3")
    with pytest.raises(FinaleError) as raised:
        matrix.axis("sizes.manager")
    assert raised.value.code == "unknown-axis"
