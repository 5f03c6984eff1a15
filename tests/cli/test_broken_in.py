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
VARIANT = """from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import define


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


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys.exit(0)\n",
        "import os\nos._exit(0)\n",
        VARIANT.format(more=EXITS),
        VARIANT.format(more=EXITS.replace("raise SystemExit(0)", "__import__('os')._exit(0)")),
    ],
)
@pytest.mark.parametrize("command", ["check p.toml --variant x", "diff p.toml --variant x"])
def test_code_that_ends_the_program_is_no_green_tick(text: str, command: str, folder: Path) -> None:
    (folder / "v" / "x.py").write_text(text)
    ran = run(f"{command} --protocols v", folder)
    assert ran.exit == 2
    assert "error[protocol-raises]" in ran.stderr


def test_a_file_that_python_cannot_import_is_told(folder: Path) -> None:
    (folder / "v" / "x.old.py").write_text(VARIANT.format(more=""))
    ran = run("check p.toml --variant x --protocols v", folder)
    assert ran.exit == 2
    assert "error[no-module-name]" in ran.stderr
    assert "x_old.py" in ran.stderr


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


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"PENDING"', '"OPEN"', "'OPEN' is none of UNUSED, PENDING, COMPLETED, ABORTED"),
        ('"S.mail"', '"S.post"', "'S.mail' is missing"),
        ('"ground-rule": ', '"ground-rule": 99', "it has no ground rule 99"),
        ('"ground-rule": ', '"ground-rule": -', "it has no ground rule -"),
        ('"tag": "Barrier"', '"tag": "Mark"', "'Mark' is none of "),
    ],
)
@pytest.mark.parametrize("command", ["trace t.json", "explore p.toml --trace t.json"])
def test_a_trace_of_another_version_is_refused(
    command: str, old: str, new: str, said: str, trace: Path
) -> None:
    text = trace.read_text()
    assert old in text
    trace.write_text(text.replace(old, new))
    ran = run(command, trace.parent)
    assert ran.exit == 2
    assert f"error[not-itf]: t.json: this is not a trace of the system: {said}" in ran.stderr
    assert "write the trace anew" in ran.stderr


def test_one_option_has_one_value(folder: Path) -> None:
    ran = run("diff p.toml --set bounds.checkpoints=2 --set bounds.checkpoints=1", folder)
    assert ran.exit == 2
    assert "error[bad-set]" in ran.stderr


def test_a_closed_output_is_no_defect(folder: Path) -> None:
    ran = subprocess.run(
        f"{FINALE} check p.toml >&-", shell=True, cwd=folder, capture_output=True, check=False
    )
    assert ran.returncode == 0


PRINTS = """    def __init__(self, setting):
        super().__init__(setting)
        print("made")
"""


@pytest.mark.parametrize(
    "command",
    [
        "check p.toml --variant x",
        "diff p.toml --variant x",
        "review x --specs p.toml --stability 0",
        "trace p.toml --variant x --property finished",
    ],
)
def test_what_a_variant_prints_is_no_json(command: str, folder: Path) -> None:
    (folder / "v" / "x.py").write_text(f"print('loaded')\n{VARIANT.format(more=PRINTS)}")
    ran = run(f"{command} --protocols v --format json", folder)
    json.loads(ran.stdout)
    assert "loaded\n" in ran.stderr
    assert "made\n" in ran.stderr


def test_a_folder_that_was_deleted(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    ran = shell(f"cd gone && rmdir ../gone && {FINALE} review withdraws", tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith("error[missing-folder]: the current folder was deleted")


def test_the_reader_of_a_report_goes_away(folder: Path) -> None:
    report = f"{FINALE} report p.toml --property finished -o /dev/stdout"
    ran = shell(f"{report} | true; echo ${{PIPESTATUS[0]}}", folder)
    assert (ran.stdout, ran.stderr) == ("141\n", "")
    ran = shell(f"{report} | head -c 15", folder)
    assert ran.stdout == "<!doctype html>"


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("what", ["options", "rules"])
def test_a_list_of_all_protocols_fits_a_few_screens(what: str) -> None:
    ran = run(f"list {what}", columns=80)
    assert len(ran.stdout.splitlines()) < 250
    assert f"finale list {what} --of NAME says what each is" in ran.stdout


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("final-checkpoint/pair", "a-checkpoint-completes"),  # a witness for one checkpoint
        ("final-checkpoint/ticking", "waiting-task-closes"),  # unknown: a bound forbids to go on
        ("history/flink-10377", "checkpoint-ends"),
    ],
)
def test_all_that_is_written_is_read_again(spec: str, name: str, tmp_path: Path) -> None:
    ran = run(f"trace specs/{spec}.toml --property {name} --format itf --output {tmp_path}/t.json")
    assert ran.exit == 0, ran.stderr
    assert run(f"trace {tmp_path / 't.json'}").exit == 0


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("final-checkpoint/broken/finish-during-trigger-hangs", "checkpoint-ends"),
        ("history/wallaroo-3033", "no-deadlock"),
    ],
)
def test_a_run_that_goes_on_shows_no_hang(spec: str, name: str, tmp_path: Path) -> None:
    """As if the protocol had got a further step since the trace was written."""
    ran = run(f"trace specs/{spec}.toml --property {name} --format itf --output {tmp_path}/t.json")
    assert ran.exit == 0, ran.stderr
    file = tmp_path / "t.json"
    assert run(f"trace {file}").exit == 0
    told = json.loads(file.read_text())
    told["states"].pop()
    told["loop"] = len(told["states"]) - 1
    file.write_text(json.dumps(told))
    ran = run(f"trace {file}")
    assert (ran.exit, "error[not-itf]" in ran.stderr) == (2, True)
    assert f"the run does not show that {name} is violated" in ran.stderr


def test_a_run_that_reaches_nothing_is_no_witness(trace: Path) -> None:
    told = json.loads(trace.read_text())
    told["states"].pop()
    trace.write_text(json.dumps(told))
    ran = run("trace t.json", trace.parent)
    assert (ran.exit, "error[not-itf]" in ran.stderr) == (2, True)
