"""The help of each command: its group, two examples that can be given, its exit codes."""

from __future__ import annotations

import re
import shlex

import pytest

from finale.cli.commands import COMMANDS, Command
from finale.cli.main import app
from tests.cli.running import ROOT, run

ALL = [command for group in COMMANDS for command in group.commands]
each_command = pytest.mark.parametrize("command", ALL, ids=lambda each: each.name)


@each_command
def test_help_shows_two_examples_and_the_exit_codes(command: Command) -> None:
    ran = run(f"help {command.name}", columns=500)
    assert (ran.exit, ran.stderr) == (0, "")
    assert ran.stdout == run(f"{command.name} --help", columns=500).stdout
    assert len(command.examples) == 2
    for example in command.examples:
        assert f"  # {example.does}\n  {example.line}\n" in ran.stdout
    assert f"Exit codes: {command.exits}." in ran.stdout


@each_command
def test_each_example_can_be_given(command: Command) -> None:
    for example in command.examples:
        (line,) = re.findall(r"finale [^>)]+", example.line)
        words = shlex.split(line)[1:]
        assert " ".join(words).startswith(command.name)
        app.parse_args(words)
        named = [word for word in words if re.match(r"(specs|examples|scenarios)/", word)]
        assert all((ROOT / word).exists() for word in named)


def test_the_list_has_the_groups_in_the_order_of_a_day() -> None:
    told = run("help").stdout
    assert told == run("--help").stdout
    titles = re.findall(r"^╭─ (.+?) ─", told, re.MULTILINE)
    assert titles == [*(group.title for group in COMMANDS), "Options"]


def test_flags_of_a_command_with_many_are_in_groups() -> None:
    titles = re.findall(r"^╭─ (.+?) ─", run("help check").stdout, re.MULTILINE)
    assert titles[1:] == [
        "Which specs and properties",
        "In which setting",
        "Limits",
        "How the work is done",
        "On Spark",
        "Output",
    ]


def test_help_of_an_unknown_command_is_a_mistake() -> None:
    ran = run("help nonsense")
    assert ran.exit == 2
    assert ran.stderr.startswith('error[usage]: Unknown command "nonsense"')
