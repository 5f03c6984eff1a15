"""What is written, as golden files. With RECORD_EXPORTS=1 they are written anew: read them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from checker.export.files import Source, Target, files_of
from model.language.build import build
from tests.zoo import ZOO

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("BoundedDarkRoom", "tla"),  # both readings of fairness
        ("Mistaken", "tla"),  # a union, faults
        ("Mistaken", "promela"),
        ("Coins", "promela"),  # several initial states
        ("Coins", "tla"),
    ],
)
def test_exports_are_as_recorded(name: str, target: Target) -> None:
    [animal] = [each for each in ZOO if str(each) == name]
    families = () if target == "promela" else animal.families
    system = build(animal.make(), families)
    source = Source("A tiny system", name, f"{name}.toml")
    for file, text in files_of(system, target, name, source).items():
        golden = GOLDEN / file
        if os.environ.get("RECORD_EXPORTS"):
            golden.write_text(text, encoding="utf-8")
        assert golden.read_text(encoding="utf-8") == text
