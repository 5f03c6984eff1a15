"""A protocol that is built on the changed one has the change, and its own overrides come first."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.review.change import Change, change_named, composed, read_under, shadowed, under
from finale.checker.review.same import is_same
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from finale.model.protocols.chained_sources import ChainedSources
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from tests.review.reviewing import PLAIN

ROOT = Path(__file__).parent.parent.parent


def test_the_changed_protocol_is_the_variant() -> None:
    found = under(Change("final-checkpoint", "emits-after-finish"), PLAIN)
    variant = PLAIN.variant("final-checkpoint", "emits-after-finish")
    assert found.catalogue.protocol("final-checkpoint") is variant
    assert found.keys == (
        "final-checkpoint",
        "stop-with-savepoint",
        "regional-checkpoint",
        "chained-sources",
        "unaligned",
        "aligned-with-timeout",
        "at-least-once",
        "restore",
        "restore-unaligned",
        "restore-timed",
    )
    assert not found.left_out


@pytest.mark.parametrize("kind", [StopWithSavepoint, ChainedSources])
def test_own_overrides_come_before_those_of_the_variant(kind: type[FinalCheckpoint]) -> None:
    variant = PLAIN.variant("final-checkpoint", "emits-after-finish")
    made = composed(kind, FinalCheckpoint, variant)
    order = [each for each in made.__mro__ if each in (kind, variant, FinalCheckpoint)]
    assert order == [kind, variant, FinalCheckpoint]


def test_every_variant_goes_into_all_that_is_built_on_its_protocol() -> None:
    for key, name in PLAIN.variants:
        found = under(Change(key, name), PLAIN)
        assert not found.left_out, (key, name, found.left_out)


def test_what_comes_first_is_told() -> None:
    found = under(Change("final-checkpoint", "emits-after-finish"), PLAIN)
    kind = found.catalogue.protocol("stop-with-savepoint")
    assert [(name, owner) for name, owner in shadowed(kind, found)] == [
        ("finish_operators", StopWithSavepoint)
    ]
    assert not list(shadowed(found.catalogue.protocol("final-checkpoint"), found))


OPTION = '''"""A variant with an option of its own."""

from dataclasses import dataclass

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import WEAK, rule


@dataclass(frozen=True)
class Options(FinalCheckpoint.Options):
    eager: bool = True


class Eager(FinalCheckpoint):
    """A confirmation follows each acknowledgement."""

    Options = Options

    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """An acknowledgement arrives."""
        super().apply_acknowledgement(task, checkpoint)
        if self.options.eager:
            checkpoint.confirmations.add(task)


VARIANTS = {"eager": Eager}
'''


def test_an_option_of_the_variant_is_an_option_of_what_is_built_on_it(tmp_path: Path) -> None:
    (tmp_path / "eager.py").write_text(OPTION)
    known = catalogue(tmp_path)
    spec = read_under(ROOT / "specs/stop-with-savepoint/chain.toml", known, "eager")
    options = spec.instance().options
    assert options.eager
    assert options.scheduler is not None  # of stop-with-savepoint


def test_a_spec_under_a_variant_is_the_spec_of_the_variant() -> None:
    file = ROOT / "specs/history/flink-23741.toml"
    fix = ROOT / "specs/history/fixed/flink-23741.toml"
    bug = read_spec(file, PLAIN).system()
    assert is_same(read_under(fix, PLAIN, "waits-for-lost-ack").system(), bug, None)
    assert not is_same(read_spec(fix, PLAIN).system(), bug, None)


def test_names() -> None:
    assert change_named("withdraws", PLAIN) == Change("two-phase-commit", "withdraws")
    with pytest.raises(FinaleError, match='did you mean "withdraws"'):
        change_named("withdrawn", PLAIN)
    with pytest.raises(FinaleError) as caught:
        read_under(
            ROOT / "specs/two-phase-commit/broken/withdraws.toml", PLAIN, "emits-after-finish"
        )
    assert caught.value.code == "unknown-variant"
