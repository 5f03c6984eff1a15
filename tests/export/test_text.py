"""What is written, as golden files. With RECORD_EXPORTS=1 they are written anew: read them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from finale.checker.export.files import ExportSource, Target, files_of
from finale.model.language.build import build
from finale.model.properties.liveness import FAMILIES
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import Setting
from tests.protocols.specs import ROOT, spec_of
from tests.zoo import ZOO

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("BoundedDarkRoom", "tla"),  # both readings of fairness
        ("Mistaken", "tla"),  # a union, faults
        ("Mistaken", "promela"),
        ("Waits", "tla"),  # a rule that makes no progress
        ("Coins", "promela"),  # several initial states
        ("Coins", "tla"),
    ],
)
def test_exports_are_as_recorded(name: str, target: Target) -> None:
    [animal] = [each for each in ZOO if str(each) == name]
    families = () if target == "promela" else animal.families
    system = build(animal.make(), families)
    source = ExportSource("A tiny system", name, f"{name}.toml")
    for file, text in files_of(system, target, name, source).items():
        golden = GOLDEN / file
        if os.environ.get("RECORD_EXPORTS"):
            golden.write_text(text, encoding="utf-8")
        assert golden.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(("live", "told"), [(0, False), (1, True)])
def test_a_goal_that_a_passed_on_name_reaches_is_told(live: int, told: bool) -> None:
    """TLC answers for the claim or that the name has passed on, where ids are given again."""
    bounds = {"live_checkpoints": live} if live else {"checkpoints": 1}
    job = spec_of(ROOT / "final-checkpoint/pair-restarts.toml").setting.job
    families = tuple(f for f in FAMILIES if f.name == "checkpoint-ends")
    assert families
    system = build(FinalCheckpoint(Setting(job=job, bounds=bounds)), families)
    text = files_of(system, "tla", "ids", ExportSource("Ids", "ids", "ids.toml"))["ids.tla"]
    assert ("or that the name has passed on" in text) == told
