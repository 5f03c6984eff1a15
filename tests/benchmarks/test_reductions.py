"""The figures of reductions: what is asked, and what is printed."""

from __future__ import annotations

import pytest

from benchmarks.reductions import MEASURED, SPECS, asked, main, measured
from tests.protocols.specs import spec_of, specs

PAIR = "final-checkpoint/pair"
PROTOCOLS = ("final-checkpoint", "stop-with-savepoint", "unaligned", "restore")


def test_all_that_is_large_is_measured() -> None:
    """No spec of the four protocols is left out because it gains little."""
    large = {
        spec.file.relative_to(SPECS).with_suffix("").as_posix()
        for spec in specs()
        if spec.counts is not None
        and spec.counts.states >= 50_000
        and spec.table is not None
        and spec.table["protocol"] in PROTOCOLS
    }
    assert large == set(MEASURED)


def test_only_what_a_spec_expects_is_asked() -> None:
    spec = spec_of(SPECS / f"{PAIR}.toml")
    some, every = asked(spec, every=False), asked(spec, every=True)
    assert {prop.name for prop in some.properties} < {prop.name for prop in every.properties}
    found = measured(every)
    assert (found.full, found.reduced) == (128, 8)


def test_a_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([PAIR]) == 0
    printed = capsys.readouterr().out
    assert "128" in printed
    assert "geometric mean" in printed
