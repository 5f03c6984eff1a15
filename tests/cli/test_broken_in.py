"""What a stranger found by trying to break the commands: each is a coded error, or the truth."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import run

FINALE = Path(sys.executable).with_name("finale")
SPEC = """title = "T"
protocol = "final-checkpoint"

[job]
S = { records = 0 }
K = { from = ["S"] }

[bounds]
checkpoints = 1
"""
VARIANT = """from model.protocols.final_checkpoint import FinalCheckpoint
from model.rules import define


class X(FinalCheckpoint):
    @define
    def close_finished(self, task):
        return super().close_finished(task)

{more}

VARIANTS = {{"x": X}}
"""
EXITS = "    def __init__(self, setting):\n        raise SystemExit(0)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.toml").write_text(SPEC)
    (tmp_path / "v").mkdir()
    return tmp_path


@pytest.mark.parametrize("text", ["import sys\nsys.exit(0)\n", VARIANT.format(more=EXITS)])
@pytest.mark.parametrize("command", ["check p.toml --variant x", "diff p.toml --variant x"])
def test_code_that_ends_the_program_is_no_green_tick(text: str, command: str, folder: Path) -> None:
    (folder / "v" / "x.py").write_text(text)
    ran = run(f"{command} --protocols v", folder)
    assert ran.exit == 2
    assert "error[protocol-raises]" in ran.stderr


@pytest.mark.parametrize(
    "command", ["report -o p.toml p.toml", "trace p.toml --property finished --output p.toml"]
)
def test_no_output_replaces_a_spec(command: str, folder: Path) -> None:
    ran = run(command, folder)
    assert ran.exit == 2
    assert "error[output-clash]" in ran.stderr
    assert (folder / "p.toml").read_text() == SPEC


@pytest.fixture
def trace(folder: Path) -> Path:
    assert run("trace p.toml --property finished --format itf --output t.json", folder).exit == 0
    return folder / "t.json"


def test_a_trace_is_read_again(trace: Path) -> None:
    assert run("trace t.json", trace.parent).exit == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"states": []},
        {"loop": -1},
        {"loop": 99999},
        {"#meta": {"property": "commit-at-most-once", "verdict": "violated"}},
        {"#meta": {"property": "checkpoint-ends", "verdict": "violated"}},
    ],
    ids=str,
)
def test_what_a_trace_says_is_checked(changes: dict[str, object], trace: Path) -> None:
    told = json.loads(trace.read_text())
    for key, value in changes.items():
        told[key] = told[key] | value if isinstance(value, dict) else value
    trace.write_text(json.dumps(told))
    ran = run("trace t.json", trace.parent)
    assert ran.exit == 2
    assert "error[not-itf]" in ran.stderr


def test_one_option_has_one_value(folder: Path) -> None:
    ran = run("diff p.toml --set bounds.checkpoints=2 --set bounds.checkpoints=1", folder)
    assert ran.exit == 2
    assert "error[bad-set]" in ran.stderr


def test_a_closed_output_is_no_defect(folder: Path) -> None:
    ran = subprocess.run(
        f"{FINALE} check p.toml >&-", shell=True, cwd=folder, capture_output=True, check=False
    )
    assert ran.returncode == 0
