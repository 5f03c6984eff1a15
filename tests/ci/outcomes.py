"""Outcomes of checks of the ping-pong protocol, for every format."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from finale.checker.search.limits import Limits
from finale.checker.search.rows import CheckResult, LeftOut, Mistake, SpecResult, strictly
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from tests.cli.running import HERE

SPEC = """title = "A ping is answered"
protocol = "ping-pong"

[bounds]
pings = 1

[[expect]]
property = "never-done"
verdict  = "{never_done}"

[[expect]]
property = "two-pings"
verdict  = "{two_pings}"
"""
#: Invisible characters, ends of lines, and what XML, Markdown and a runner take for markup.
HOSTILE = 'x\x1b[31m\u202e ]]> & <b> "q" | `c`\t::error::%0A ##[error] @you\\u0000'


def inputs(folder: Path) -> Path:
    """The folder with the protocol in it."""
    shutil.copytree(HERE / "inputs", folder, dirs_exist_ok=True)
    return folder


def checked(
    folder: Path,
    name: str = "spec.toml",
    limits: Limits | None = None,
    *,
    never_done: str = "violated",
    two_pings: str = "violated",
    strict: bool = False,
    more: str = "",
) -> SpecResult:
    """The result of a spec with one ping, in which a second one is never reached."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    text = SPEC.format(never_done=never_done, two_pings=two_pings)
    file.write_text(more + text)
    result = run(read_spec(file, catalogue(inputs(folder) / "protocols")), limits)
    return strictly(result) if strict else result


def titled(result: SpecResult, title: str) -> SpecResult:
    """The result of a spec with another title."""
    return replace(result, spec=replace(result.spec, title=title))


def unexpected(folder: Path) -> SpecResult:
    """A result with a violation of which nothing is expected."""
    file = folder / "unexpected.toml"
    file.write_text('title = "A ping"\nprotocol = "ping-pong"\n')
    return run(read_spec(file, catalogue(inputs(folder) / "protocols")))


def mistake_in(file: Path) -> Mistake:
    """What reading a spec raises."""
    try:
        read_spec(file, catalogue())
    except FinaleError as error:
        return Mistake(file, error)
    raise AssertionError("the spec has no mistake")


def mixed(folder: Path) -> CheckResult:
    """As expected, failed, without an expectation, undecided; a mistake; one left out."""
    bad = folder / "bad.toml"
    bad.write_text('title = "A lamp"\n\nprotocol = "lamp"\n')
    results = (
        checked(folder, "good.toml"),
        checked(folder, "deep/er/failed.toml", never_done="holds"),
        unexpected(folder),
        checked(folder, "stopped.toml", Limits(3)),
    )
    left = LeftOut(folder / "slow.toml", HOSTILE, "slow")
    return CheckResult(results, (mistake_in(bad),), (left,))


__all__ = ["HOSTILE", "checked", "inputs", "mistake_in", "mixed", "titled", "unexpected"]
