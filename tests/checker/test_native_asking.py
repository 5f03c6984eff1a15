"""Topics that the native search asks part by part have the first answers of asking all at once."""

from __future__ import annotations

import sys

import pytest

from finale.checker.search.limits import Limits
from finale.checker.search.native import asking
from finale.checker.search.native.breadth_first import NativeSearch
from finale.checker.search.native.machine import NativeMachine
from finale.model.language.build import build
from finale.model.system import System
from tests.protocols.specs import ROOT, spec_of
from tests.zoo import ZOO

SPECS = (
    "two-phase-commit/three-managers.toml",
    "final-checkpoint/pair.toml",
    "final-checkpoint/broken/confirms-aborted.toml",
)


def first_answers(
    system: System, nodes: int, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, list[int], list[int]]:
    """How many parts there are, and the first state and the first step that settle each topic."""
    monkeypatch.setattr(asking, "NODES_WORTH_PARTS", nodes)
    machine = NativeMachine(system)
    search = NativeSearch(machine, Limits(), None)
    search.run()
    parts = len(machine.lowering.asking.parts)
    return parts, search.state_found.tolist(), search.step_found.tolist()


def assert_same(system: System, monkeypatch: pytest.MonkeyPatch) -> int:
    none, *at_once = first_answers(system, sys.maxsize, monkeypatch)
    parts, *in_parts = first_answers(system, 0, monkeypatch)
    assert none == 0
    assert in_parts == at_once
    return parts


@pytest.mark.parametrize("name", SPECS)
def test_of_specs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_of(ROOT / name)
    assert assert_same(spec.system(spec.asked), monkeypatch) > 1


def test_of_the_zoo(monkeypatch: pytest.MonkeyPatch) -> None:
    systems = (build(animal.make(), animal.families) for animal in ZOO)
    assert max(assert_same(system, monkeypatch) for system in systems) > 1
