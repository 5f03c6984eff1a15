"""Former names of commands and flags: they work, and one line on stderr gives the present name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from finale.cli.commands import FORMER, present
from tests.cli.running import run

PAIR = "specs/final-checkpoint/pair.toml"


@pytest.mark.parametrize(
    ("given", "now"),
    [
        ("stop state --drain", "engine stop state --drain"),
        ("savepoint state --seconds 5", "engine savepoint state --max-seconds 5"),
        ("validate logs --out=results", "validate logs --output=results"),
        ("trace spec.toml --format table", "trace spec.toml --format=text"),
        ("trace spec.toml --format=table -o table", "trace spec.toml --format=text -o table"),
        ("check a --releases V3,V4 --jobs 2", "check a --release V3,V4 --workers 2"),
        ("hunt --seconds 5 --max-seconds 2", "hunt --max-total-seconds 5 --max-seconds 2"),
        ("review x -- --html run", "review x -- --html run"),
        ("simulate run", "simulate run"),
        ("list rules --protocol x --protocols y", "list rules --of x --protocols y"),
        ("diff a --release V3", "diff a --release V3"),
    ],
)
def test_a_command_line_has_the_present_names(given: str, now: str) -> None:
    assert present(given.split(" "))[0] == now.split(" ")


def test_each_present_name_is_one_that_its_command_has() -> None:
    """And no command has the former one any more."""
    for old, new in FORMER.items():
        command, _, flag = old.partition(" ")
        if not flag:
            assert run(f"{new} --help").exit == 0
            assert run(f"help {command}").exit == 2
        elif "=" not in flag:
            where = {"--out": "validate", "--jobs": "check", "--protocol": "list"}
            has_it = where.get(flag, "engine stop" if command == "engine" else command)
            flags = re.findall(r"--[a-z-]+", run(f"{has_it} --help").stdout)
            assert new in flags
            assert flag not in flags


def test_a_former_name_works_and_is_told_once(tmp_path: Path) -> None:
    now = run(f"check {PAIR} --workers 1 --property finished")
    former = run(f"check {PAIR} --jobs 1 --property finished")
    assert (former.exit, now.exit) == (0, 0)
    assert former.stderr == "note: `--jobs` has a new name: write `--workers`\n"
    assert former.stdout.splitlines()[0] == now.stdout.splitlines()[0]


def test_a_former_command_answers_as_the_present_one(tmp_path: Path) -> None:
    former, now = (run(f"{words} nothing", tmp_path) for words in ("cancel", "engine cancel"))
    assert former.exit == now.exit == 2
    assert former.stderr == f"note: `cancel` has a new name: write `engine cancel`\n{now.stderr}"
