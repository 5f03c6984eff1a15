"""What to change where only a bound of the spec stands before a verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.report.results import cure
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec

PAIR = """title = "One claim"
protocol = "final-checkpoint"
[job]
shape = "pair"
[bounds]
{bounds}
"""
COMMITTER = """title = "One claim"
protocol = "final-checkpoint"
[job]
S = {}
W = { from = ["S"], kind = "writer" }
K = { from = ["W"], sink = "committer" }
"""


def unknown(folder: Path, text: str) -> dict[str, tuple[str, ...]]:
    """The properties that only bounds leave open, with the bounds."""
    file = folder / "spec.toml"
    file.write_text(text)
    rows = run(read_spec(file, catalogue())).rows
    return {row.property: row.bounds for row in rows if row.bounds}


def test_live_checkpoints_decide_what_checkpoints_leave_open(tmp_path: Path) -> None:
    text = PAIR.format(bounds="checkpoints = 1")
    assert unknown(tmp_path, text)["job-finishes"] == ("checkpoints",)
    spec = read_spec(tmp_path / "spec.toml", catalogue())
    assert "live_checkpoints = 3" in cure(spec, "checkpoints")
    assert unknown(tmp_path, PAIR.format(bounds="live_checkpoints = 3")) == {}


@pytest.mark.parametrize(
    ("text", "bound", "told"),
    [
        (COMMITTER, "checkpoints", "stays unknown"),
        (PAIR.format(bounds="live_checkpoints = 2"), "live_checkpoints", "never free"),
        (PAIR.format(bounds="expiries = 2"), "expiries", "raise expiries = 2"),
    ],
)
def test_what_cannot_be_decided_so_is_told(
    tmp_path: Path, text: str, bound: str, told: str
) -> None:
    file = tmp_path / "spec.toml"
    file.write_text(text)
    assert told in cure(read_spec(file, catalogue()), bound)
