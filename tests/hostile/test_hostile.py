"""Bad inputs: each is refused with its code or judged, and nothing else happens."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from .case import Box, Case, complaints, outcome, ran
from .corpus import PAGE, cases, expected, page

CASES = cases()
#: So many are tried at each change; all of them are slow.
QUICK = 90
_chance = random.Random(9)
SOME = _chance.sample(CASES, QUICK)


def assert_held(case: Case, tmp_path: Path) -> None:
    box = Box(tmp_path / "box")
    box.fill(case)
    done = ran(case, box)
    assert not complaints(case, done, box)
    assert outcome(done) == expected()[case.kind][case.name], done.stderr


@pytest.mark.parametrize("case", SOME, ids=str)
def test_some_inputs(case: Case, tmp_path: Path) -> None:
    assert_held(case, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted({case.kind for case in CASES}))
def test_all_inputs(kind: str, tmp_path: Path) -> None:
    for number, case in enumerate(case for case in CASES if case.kind == kind):
        assert_held(case, tmp_path / str(number))


@pytest.mark.slow
@pytest.mark.parametrize("case", SOME[:12], ids=str)
def test_some_in_a_process_of_their_own(case: Case, tmp_path: Path) -> None:
    box = Box(tmp_path / "box")
    box.fill(case)
    program = (
        f"import sys; from finale.cli.main import main; sys.exit(main({case.command.split()!r}))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(
        command, check=False, cwd=box.here, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode == 2) == (expected()[case.kind][case.name] != "judged"), done.stderr
    assert "Traceback" not in done.stderr


def test_the_table_has_every_case_once() -> None:
    table = expected()
    told = [(kind, name) for kind, outcomes in table.items() for name in outcomes]
    assert sorted(told) == sorted((case.kind, case.name) for case in CASES)
    assert len(told) > 300


def test_the_page_counts_them() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(expected())
