"""Twenty changes that change nothing: the observer sees that they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.compare.comparison import Relation, compare
from finale.checker.compare.observer import Observer
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import varied
from finale.checker.spec.reading import spec_of
from tests.compare.refactorings import REFACTORINGS, Refactoring, module_of

SPEC = """title = "Two tasks finish, with two checkpoints"
protocol = "final-checkpoint"

[job]
shape = "pair"

[bounds]
checkpoints = 2
"""


def answer_of(refactoring: Refactoring, folder: Path, observer: Observer) -> Relation:
    (folder / "mine.py").write_text(module_of(refactoring))
    file = folder / "spec.toml"
    file.write_text(SPEC)
    known, (table, lines) = catalogue(folder), toml_in(file)
    base = spec_of(file, table, lines, known)
    changed = spec_of(file, varied(table, [("variant", refactoring.name)]), lines, known)
    return compare(base, changed, observer).relation


def test_there_are_twenty() -> None:
    assert len({each.name for each in REFACTORINGS}) == 20


@pytest.mark.parametrize("refactoring", REFACTORINGS, ids=lambda each: each.name)
def test_the_observer_sees_no_difference(refactoring: Refactoring, tmp_path: Path) -> None:
    assert answer_of(refactoring, tmp_path, Observer()) is Relation.SAME


def test_an_observer_of_rules_sees_a_renamed_one(tmp_path: Path) -> None:
    changed = REFACTORINGS[0]
    assert answer_of(changed, tmp_path, Observer(("quiesce",))) is Relation.BOTH
    assert answer_of(changed, tmp_path, Observer(("close",))) is Relation.SAME
    assert answer_of(changed, tmp_path, Observer(("messages",))) is Relation.SAME


def test_an_observer_of_a_field_sees_the_split_step(tmp_path: Path) -> None:
    changed = REFACTORINGS[-1]
    assert answer_of(changed, tmp_path, Observer(("messages",))) is Relation.SAME
    seen = Observer(("Checkpoint.acknowledgements", "Checkpoint.awaited"))
    assert answer_of(changed, tmp_path, seen) is Relation.BOTH
