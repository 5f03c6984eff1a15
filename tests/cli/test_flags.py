"""A command that continues another one has its flags, but for those left out on purpose."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import catalogue
from finale.cli.check_options import DEFAULTS, CheckFlags, CheckOptions
from finale.cli.parameters import given_flags

LEFT_OUT = {
    "--slow", "--workers", "--changed-since", "--watch",
    "--max-states", "--max-seconds", "--max-memory", "--states-here",
}  # fmt: skip


def other(flag: str) -> Any:
    """Another value than a flag's default, of its type."""
    default = getattr(DEFAULTS, flag)
    if isinstance(default, bool):
        return not default
    return ("x",) if isinstance(default, tuple) else Path("7")


@pytest.mark.parametrize("flag", [option.name for option in fields(CheckFlags)])
def test_a_flag_is_handed_on_or_left_out_on_purpose(flag: str) -> None:
    flags = CheckFlags(**{flag: other(flag)})
    (name,) = given_flags(flags)
    words = CheckOptions(flags, catalogue(), Limits()).to_continue
    assert (name in words) == (name not in LEFT_OUT)
    assert words in ([], [name], [name, "x"], [name, "7"])


def test_names_are_those_of_the_command_line() -> None:
    flags = CheckFlags(properties=("p", "q"), reduce=("symmetry",), no_compare=True)
    words = CheckOptions(flags, catalogue(), Limits()).to_continue
    assert words == [
        *("--property", "p", "--property", "q"),
        "--reduce",
        "symmetry",
        "--no-compare",
    ]
