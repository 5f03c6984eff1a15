"""A printed command works from any folder, through a real shell, whatever the paths are called."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.report.places import command
from finale.checker.report.results import trace_command
from finale.checker.search.run import run as check
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from tests.cli.running import HERE, Ran, run

FOLDERS = ["plain", 'it\'s "quoted"; $HOME `x` & #!*? Grüße→ü']
MAIN = "import sys; from finale.cli.main import main; sys.exit(main())"


def through_bash(line: str, folder: Path) -> Ran:
    """Run a printed command line in a shell that stands in some other folder."""
    script = f'finale() {{ {shlex.quote(sys.executable)} -c {shlex.quote(MAIN)} "$@"; }}\n{line}'
    told = subprocess.run(
        ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    return Ran(told.returncode, told.stdout, told.stderr)


@pytest.fixture(params=FOLDERS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of some name, with a spec whose expectation fails."""
    made = tmp_path / str(request.param)
    shutil.copytree(HERE / "inputs", made)
    spec = made / "it's.toml"
    text = (made / "ping.toml").read_text(encoding="utf-8")
    spec.write_text(text.replace('"violated"', '"holds"'), encoding="utf-8")
    return made


def test_a_failed_check_prints_a_command_that_a_shell_runs_elsewhere(
    folder: Path, tmp_path: Path
) -> None:
    spec = shlex.quote("it's.toml")
    failed = run(f"check {spec} --protocols protocols", folder)
    line = printed(failed, "show it step by step: ")
    told = through_bash(line, tmp_path)
    assert told.exit == 0, told.stderr
    assert "never-done is violated: 3 steps" in told.stdout
    again = printed(told, "reproduce: ")
    assert again == line
    assert through_bash(again, tmp_path).stdout == told.stdout


def printed(ran: Ran, before: str) -> str:
    """The rest of the line that begins with some words."""
    found = re.search(rf"^ *{re.escape(before)}(.+)$", ran.stdout, re.MULTILINE)
    assert found, ran
    return found[1]


def test_it_names_a_variant_that_is_not_in_the_file_and_how_a_trace_was_found() -> None:
    spec = read_spec(HERE / "inputs" / "ping.toml", catalogue(HERE / "inputs" / "protocols"))
    words = shlex.split(command("trace", replace(spec, variant="some variant"), "--reduce", "x"))
    assert words[:2] == ["finale", "trace"]
    assert words[3:] == [
        "--reduce", "x", "--variant", "some variant",
        "--protocols", str((HERE / "inputs" / "protocols").resolve()),
    ]  # fmt: skip
    in_file = replace(spec, variant="v", table={**(spec.table or {}), "variant": "v"})
    assert "--variant" not in command("trace", in_file)


def test_the_command_finds_the_trace_in_the_same_way() -> None:
    spec = read_spec(HERE / "inputs" / "ping.toml", catalogue(HERE / "inputs" / "protocols"))
    found = check(spec, only=["never-done"], backend="bmc")
    assert "--property never-done --backend bmc --protocols" in trace_command(found, "never-done")
    reduced = replace(found, report=replace(found.report, backend="native", reduced=("symmetry",)))
    assert "--property never-done --reduce symmetry --p" in trace_command(reduced, "never-done")
