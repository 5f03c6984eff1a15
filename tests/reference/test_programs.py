"""The programs that show defects of a real Flink: they need a JDK, and the extra `flink`."""

from __future__ import annotations

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).parents[2] / "reference" / "flink" / "programs"
SCRIPT = PROGRAMS / "failed_trigger.sh"


def test_script_says_how_to_use_it() -> None:
    ran = subprocess.run([SCRIPT], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "failed_trigger.sh FOLDER [TIMES]" in ran.stderr


def test_folder_without_flink_is_refused(tmp_path: Path) -> None:
    ran = subprocess.run([SCRIPT, tmp_path], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "no flink-dist-*.jar is in" in ran.stderr


@pytest.mark.slow
def test_failed_trigger_doubles_an_event() -> None:
    spec = find_spec("pyflink")
    if shutil.which("javac") is None or spec is None or not spec.submodule_search_locations:
        pytest.skip("there is no JDK, or no Flink in this Python")
    lib = Path(next(iter(spec.submodule_search_locations))) / "lib"
    ran = subprocess.run([SCRIPT, lib, "1"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stderr
    said = [line for line in ran.stdout.splitlines() if line.startswith("pending ")]
    assert said == [
        f"pending {pending}, {case}: the operator has the event twice in {twice} of 1"
        for pending in ("savepoint", "checkpoint")
        for case, twice in (("failing", 1), ("control", 0))
    ]
