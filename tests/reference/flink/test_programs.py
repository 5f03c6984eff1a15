"""The programs that show defects of a real Flink: they need a JDK, and the extra `flink`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.reference.flink.machines import flink, needs_flink

PROGRAMS = Path(__file__).parents[3] / "reference" / "flink" / "programs"
SCRIPT = PROGRAMS / "failed_trigger.sh"


def test_script_says_how_to_use_it() -> None:
    ran = subprocess.run([SCRIPT], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "failed_trigger.sh FOLDER [TIMES]" in ran.stderr


def test_folder_without_flink_is_refused(tmp_path: Path) -> None:
    ran = subprocess.run([SCRIPT, tmp_path], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "no flink-dist-*.jar is in" in ran.stderr


@needs_flink
@pytest.mark.slow
def test_failed_trigger_doubles_an_event() -> None:
    lib = flink().jars[0].parent
    ran = subprocess.run([SCRIPT, lib, "1"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stderr
    said = [line for line in ran.stdout.splitlines() if line.startswith("pending ")]
    assert said == [
        f"pending {pending}, {case}: the operator has the event twice in {twice} of 1"
        for pending in ("savepoint", "checkpoint")
        for case, twice in (("failing", 1), ("control", 0))
    ]
