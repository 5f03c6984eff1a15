"""Random runs of larger settings show the mistakes that only few ids could hide.

No guard is asked here: this is the second means, which finds what a guard would let pass.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.proofs.unbounded.tried import refuse_refuted
from finale.model.errors import FinaleError
from finale.model.properties.registry import PROPERTIES
from tests.symbolic.planted import asking, sound, unbounded
from tests.symbolic.planted.plants import SITES, Plant
from tests.symbolic.test_planted import REFUSED

KNOWN = {family.name: family for family in PROPERTIES}
PLANTS = unbounded.plants()


def tried(plant: Plant, folder: Path) -> str:
    """Return the code of the refusal, or nothing if no run violates the property."""
    claim = asking.claim_of(plant, folder)
    try:
        refuse_refuted(claim.protocol, claim.setting, [KNOWN[SITES[plant.site].falls]])
    except FinaleError as error:
        return error.code
    return ""


def assert_seen(plants: list[Plant], folder: Path) -> None:
    answers = {}
    for plant in plants:
        (folder / plant.name).mkdir()
        answers[plant.name] = tried(plant, folder / plant.name)
    seen = {"proof-refuted", "unknown-field", *REFUSED}
    assert {name: code for name, code in answers.items() if code not in seen} == {}
    assert "proof-refuted" in answers.values()


def test_a_run_shows_what_few_ids_hide(tmp_path: Path) -> None:
    assert_seen(PLANTS[::6], tmp_path)


@pytest.mark.slow
def test_a_run_shows_each_mistake(tmp_path: Path) -> None:
    assert_seen(PLANTS, tmp_path)


def test_no_run_refutes_a_sound_rule(tmp_path: Path) -> None:
    for plant in sound.of_ids()[::6]:
        (tmp_path / plant.name).mkdir()
        assert tried(plant, tmp_path / plant.name) == ""
