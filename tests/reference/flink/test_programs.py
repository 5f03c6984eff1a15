"""Programs that drive a Flink by hand: what each case shows on the Flink of this machine."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.reference.flink.machines import flink, needs_flink

PROGRAMS = Path(__file__).parents[3] / "reference" / "flink" / "programs"
#: The cases of each program that show its defect in Flink 2.3. All other cases are controls.
SHOWN = {
    "CrashAfterStop": {
        "no-drain user crash",
        "drain end-of-data crash",
        "drain user crash",
    },
    "FailedTrigger": {"savepoint failing", "checkpoint failing"},
}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(PROGRAMS / "run.sh"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def cases(program: str) -> list[str]:
    return (PROGRAMS / f"{program}.cases").read_text(encoding="utf-8").splitlines()


@needs_flink
@pytest.mark.slow
@pytest.mark.parametrize("program", SHOWN)
def test_the_defect_shows_in_its_cases_alone(program: str) -> None:
    ran = run(program, str(flink().jars[0].parent))
    assert ran.returncode == 1, ran.stderr
    shows = dict(
        line.split(": the defect shows in ")
        for line in ran.stdout.splitlines()
        if ": the defect shows in " in line
    )
    assert shows == {each: f"{int(each in SHOWN[program])} of 1" for each in cases(program)}


def test_each_program_is_tried() -> None:
    assert {path.stem for path in PROGRAMS.glob("*.cases")} == set(SHOWN)
    for program, shown in SHOWN.items():
        assert (PROGRAMS / f"{program}.java").is_file()
        assert set(cases(program)) > shown


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "run.sh PROGRAM FOLDER"),
        (("NoSuchProgram", "."), "no NoSuchProgram.cases"),
        (("CrashAfterStop", "no-such-folder"), "no flink-dist-*.jar is in no-such-folder"),
    ],
)
def test_what_cannot_run_is_no_result(arguments: tuple[str, ...], complaint: str) -> None:
    ran = run(*arguments)
    assert ran.returncode == 2
    assert complaint in ran.stderr
