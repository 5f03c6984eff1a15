"""Specs that the tests of pages check, and runs of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from finale.checker.page.told import Told
from finale.checker.search.rows import SpecResult
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
HANGS = ROOT / "specs/final-checkpoint/broken/finish-during-trigger-hangs.toml"
ABORTS = ROOT / "specs/final-checkpoint/finish-during-trigger-aborts.toml"
#: The cause lies in the run before; in `commit-at-most-once` it lies in the trace.
RESUMED = ROOT / "specs/history/flink-23809.toml"
PING = ROOT / "tests/cli/inputs/ping.toml"
HOSTILE = HERE / "hostile/hostile.toml"


@cache
def result(spec: Path) -> SpecResult:
    """The result of a spec, with the protocols beside it."""
    folders = {PING: PING.parent / "protocols", HOSTILE: HOSTILE.parent}
    return run(read_spec(spec, catalogue(folders.get(spec))))


@cache
def told(spec: Path, name: str) -> Told:
    """The trace of one property."""
    found = result(spec)
    row = next(row for row in found.rows if row.property == name)
    assert row.trace is not None
    assert found.system is not None
    return Told.of(f"{name}-trace", found.spec, found.system, row)
