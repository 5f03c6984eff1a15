"""A change meets those settings first that are likely to tell it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from finale.checker.review.cases import Case, cases
from finale.checker.review.change import Change, under
from finale.checker.review.code import changed_code
from finale.checker.review.order import in_order
from finale.checker.spec.files import toml_in
from tests.review.reviewing import PLAIN, specs_of

FINAL_CHECKPOINT = specs_of("final-checkpoint")


def orders(change: Change, files: Sequence[Path]) -> tuple[Sequence[Case], Sequence[Case]]:
    """The cases of a change as they are found, and in the order of a review."""
    base, changed = under(Change(change.protocol), PLAIN), under(change, PLAIN)
    found = cases(files, base, changed, change).found
    return found, in_order(found, change, changed_code(changed.variant, base.base), PLAIN)


def test_settings_of_mistakes_of_the_same_method_come_by_turns_with_small_ones() -> None:
    change = Change("final-checkpoint", "confirms-aborted")  # it overrides `deliver_abort`
    files = [each for each in FINAL_CHECKPOINT if each.stem != change.variant]
    found, order = orders(change, files)
    assert {each.file for each in found} == {each.file for each in order}
    assert len(found) == len(order)
    near = [each.file.stem for each in order[:6:2]]
    assert set(near) == {"finishes-again", "finishes-again-with-little-room", "released-by-abort"}
    small = [each.size for each in order[1:7:2]]
    assert max(small) <= 50


def test_settings_with_the_changed_option_come_early() -> None:
    change = Change("final-checkpoint", None, (("options.retained", 2),))
    _, order = orders(change, FINAL_CHECKPOINT)
    given = [toml_in(each.file)[0].get("options") for each in order[:6:2]]
    assert all(isinstance(each, dict) and "retained" in each for each in given)
    assert len(given[0]) <= len(given[1]) <= len(given[2])  # near the defaults first


def test_specs_of_the_user_come_before_all_others(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        'title = "Mine"\nprotocol = "final-checkpoint"\n[job]\nA = { records = 3 }\n'
        'B = { from = ["A"], sink = "two-phase" }\n[bounds]\ncheckpoints = 4\n'
    )
    _, order = orders(Change("final-checkpoint", "prepares-twice"), [*FINAL_CHECKPOINT, own])
    assert order[0].file == own
