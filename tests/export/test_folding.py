"""Exported texts are folded where a line is long, and mean what they meant."""

from __future__ import annotations

import re

import pytest

from finale.checker.export.files import ExportSource, Target, files_of
from finale.checker.export.folding import WIDTH, folded
from finale.checker.export.promela import PromelaModel
from finale.checker.export.tla import Module
from tests.protocols.specs import ROOT, spec_of

SPEC = spec_of(ROOT / "final-checkpoint" / "pair.toml")


def test_a_line_is_broken_behind_an_operator() -> None:
    claims = r" /\ ".join(["a_rather_long_claim"] * 5)
    first, second = folded(rf"    /\ x' = ({claims})").splitlines()
    assert first == rf"    /\ x' = ({claims[:66]}" + "/\\"
    assert second == rf"           {claims[69:]})"


def test_a_comment_goes_on_as_one() -> None:
    words = "word " * 30
    assert all(line.startswith("\\* word") for line in folded(f"\\* {words}").splitlines())
    assert folded(f"  /* {words}*/").splitlines()[1].startswith("     word")


@pytest.mark.parametrize("line", ["#define x " + "y " * 80, "x == " + "y" * 200, "y" * 200])
def test_what_cannot_be_broken_stays(line: str) -> None:
    assert "".join(folded(line).split()) == "".join(line.split())
    assert not line.startswith("#") or folded(line) == line


@pytest.mark.parametrize("target", ["tla", "promela"])
def test_a_spec_is_folded(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    families = [each for each in SPEC.families if each.kind.value not in ("leads-to", "eventually")]
    system = SPEC.system(families)
    source = ExportSource(SPEC.title, SPEC.protocol.key, "pair.toml")
    told = dict(files_of(system, target, "pair", source))
    for where in (Module, PromelaModel):
        monkeypatch.setattr(f"{where.__module__}.folded", lambda text: text)
    flat = files_of(system, target, "pair", source)
    for name, text in told.items():
        assert max(map(len, text.splitlines())) <= WIDTH
        assert _bare(text) == _bare(flat[name])
        # A line that begins with such an operator is an item of a list: there are no more of them.
        assert _items(text) == _items(flat[name])


def _bare(text: str) -> str:
    return "".join(text.replace("\\*", "").split())


def _items(text: str) -> int:
    return len(re.findall(r"^\s*(?:/\\|\\/)", text, re.M))
