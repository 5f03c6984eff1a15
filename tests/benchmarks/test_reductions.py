"""The figures of reductions: what is asked, and what is printed."""

from __future__ import annotations

import pytest

from benchmarks.reductions import MEASURED, SPECS, asked, main, measured
from tests.protocols.specs import spec_of

PAIR = "final-checkpoint/pair"


def test_what_is_measured_is_large() -> None:
    for name in MEASURED:
        counts = spec_of(SPECS / f"{name}.toml").counts
        assert counts is not None
        assert counts.states >= 50_000


def test_only_what_a_spec_expects_is_asked() -> None:
    spec = spec_of(SPECS / f"{PAIR}.toml")
    some, every = asked(spec, every=False), asked(spec, every=True)
    assert {prop.name for prop in some.properties} < {prop.name for prop in every.properties}
    found = measured(every)
    assert (found.full, found.reduced) == (128, 43)


def test_a_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([PAIR]) == 0
    printed = capsys.readouterr().out
    assert "128" in printed
    assert "geometric mean" in printed
