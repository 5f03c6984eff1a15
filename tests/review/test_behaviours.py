"""What an observer sees with the change alone, and without the change alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from finale.checker.compare.comparison import Relation
from finale.checker.page.review import review_page
from finale.checker.report.review import review_json, review_lines
from finale.checker.review.behaviours import Behaviours, behaviours_of
from finale.checker.review.change import Change
from finale.checker.spec.catalogue import catalogue
from tests.compare.test_declared_effects import FILE
from tests.review.reviewing import reviewed, specs_of


def test_a_gained_run_is_told() -> None:
    files = [file for file in specs_of("local-store") if file.stem == "runs-unrestored"]
    found = reviewed(Change("local-store", "runs-unrestored"), files)
    pairs = [(each.case, each.pair) for each in found.tried]
    seen = behaviours_of(pairs, 60.0)
    assert [each.value for each in seen.relations] == ["more"]
    assert seen.lost is None
    assert seen.gained is not None
    _, difference = seen.gained
    assert difference.observation == "u2.stored 0 → 1"
    assert difference.run.trace.length == 10
    assert list(seen.told) == ["the change shows further runs in 1"]
    [(case, one)] = seen.compared
    other = Behaviours(((case, replace(one, relation=Relation.BOTH)),), 1)
    assert list(other.told) == ["the change shows other runs in 1"]


def test_a_change_that_changes_nothing_is_not_compared() -> None:
    files = specs_of("local-store")
    change = Change("local-store", None, (("options.deletes_file", True),))
    found = reviewed(change, [each for each in files if "fixed" in each.parts])
    assert found.is_same
    pairs = [(each.case, each.pair) for each in found.tried]
    assert behaviours_of(pairs, 60.0).of == 0


def test_the_answer_has_it() -> None:
    files = [file for file in specs_of("local-store") if file.stem == "runs-unrestored"]
    found = reviewed(Change("local-store", "runs-unrestored"), files, behaviours=60.0)
    text = "\n".join(line.plain for line in review_lines(found, 80))
    assert "gained: u2.stored 0 → 1 · 10 steps" in text
    told = review_json(found)["behaviours"]
    assert isinstance(told, dict)
    assert told["of"] == 1
    assert told["gained"]["steps"] == 10


def test_a_start_that_differs_is_not_told_as_the_same(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FILE)
    spec = tmp_path / "spec.toml"
    spec.write_text('title = "Starts"\nprotocol = "base"\n')
    change = Change("base", "startslow")
    found = reviewed(change, [spec], known=catalogue(tmp_path), behaviours=60.0)
    text = "\n".join(line.plain for line in review_lines(found, 200))
    assert "without the change, at the start only this is seen: the run starts, number 0" in text
    assert "with the change, at the start only this is seen: the run starts, number -1" in text
    assert "the same beginning" not in text


FEWER = '''"""A variant with fewer entities."""

from dataclasses import dataclass

from finale.model.protocols.two_phase_commit import TwoPhaseCommit, TwoPhaseCommitSizes


class Fewer(TwoPhaseCommit):
    """Two managers by default."""

    @dataclass(frozen=True)
    class Sizes(TwoPhaseCommitSizes):
        """Sizes."""

        managers: int = 2


VARIANTS = {"fewer": Fewer}
'''


def test_a_setting_that_cannot_be_compared_is_told(tmp_path: Path) -> None:
    """An observer sees three managers without the change, and two with it."""
    (tmp_path / "fewer.py").write_text(FEWER)
    files = [tmp_path / "default.toml", tmp_path / "three.toml"]
    for file, sizes in zip(files, ("", "[sizes]\nmanagers = 3\n"), strict=True):
        file.write_text(f'title = "Commit"\nprotocol = "two-phase-commit"\n{sizes}')
    change = Change("two-phase-commit", "fewer")
    found = reviewed(change, files, known=catalogue(tmp_path), behaviours=60.0)
    assert found.behaviours is not None
    assert (found.behaviours.of, len(found.behaviours.compared)) == (1, 0)
    text = " ".join(" ".join(line.plain for line in review_lines(found, 300)).split())
    told = "not comparable in 1 (only one of the two specs has r3.status)"
    assert f"0 of 1 differing setting compared · {told}" in text
    assert f"Compared: 0 of 1 differing setting: {told}." in review_page([found], "Finale")
    seen = review_json(found)["behaviours"]
    assert isinstance(seen, dict)
    assert [(each["spec"], each["code"]) for each in seen["refused"]] == [
        (str(files[0]), "incomparable")
    ]
