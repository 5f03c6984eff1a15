"""Sinks that go by what the system outside keeps: what they hold is lost to no property."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.search.bfs.search import check
from finale.checker.search.run import chosen
from finale.checker.search.verdict import Word
from tests.protocols.specs import spec_of

SPEC = """
title    = "A record is at one place"
cites    = ["S2"]
protocol = "{protocol}"

[job]
S = {{ records = 1 }}
K = {{ from = ["S"], sink = "{sink}" }}

[bounds]
checkpoints = 1
failures    = 1

[observe]
effects = true
"""


@pytest.mark.parametrize("sink", ["at-least-once", "two-phase", "buffered", "greatest-id"])
@pytest.mark.parametrize(
    ("protocol", "name"),
    [("final-checkpoint", "records-survive-restarts"), ("restore", "each-record-is-somewhere")],
)
def test_a_record_that_a_sink_holds_is_not_lost(
    sink: str, protocol: str, name: str, tmp_path: Path
) -> None:
    file = tmp_path / "held.toml"
    file.write_text(SPEC.format(protocol=protocol, sink=sink))
    spec = spec_of(file)
    report = check(spec.system(chosen(spec, {name})))
    verdict = next(each for each in report.verdicts if each.property == name)
    assert verdict.word is Word.HOLDS


@pytest.mark.parametrize("flag", ["true", "false"])
def test_a_batch_is_written_at_the_end_of_input(flag: str, tmp_path: Path) -> None:
    file = tmp_path / "ends.toml"
    options = f"\n[options]\ncheckpoints_after_finish = {flag}\n\n[bounds]"
    text = SPEC.format(protocol="final-checkpoint", sink="buffered")
    file.write_text(text.replace("failures    = 1\n", "").replace("\n[bounds]", options))
    spec = spec_of(file)
    report = check(spec.system(chosen(spec, {"commit-completeness"})))
    verdict = next(e for e in report.verdicts if e.property == "commit-completeness")
    assert verdict.word is Word.HOLDS
