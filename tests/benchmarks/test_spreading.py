"""The benchmark of spread searches counts what is posted."""

from __future__ import annotations

from benchmarks.spreading import measured
from tests.cli.running import ROOT

SPEC = ROOT / "specs" / "two-phase-commit" / "five-managers.toml"
STATES, TRANSITIONS = 8_832, 58_145


def test_one_owner_posts_nothing_and_more_post_more() -> None:
    alone, two, five = (measured(SPEC, owners, here=100) for owners in (1, 2, 5))
    assert 0 == alone.posted < two.posted < five.posted
    assert five.posted < five.transitions, "much of it is sent once only"
    assert {(each.states, each.transitions, each.levels) for each in (alone, two, five)} == {
        (STATES, TRANSITIONS, 17)
    }
