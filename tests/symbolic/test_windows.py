"""What a window is chosen by: never a helper that a variant overrides."""

from __future__ import annotations

from dataclasses import replace

from finale.checker.proofs.unbounded.proof import Proof
from finale.checker.proofs.unbounded.prove import catalogue_of
from finale.checker.proofs.unbounded.window import IdWindow
from finale.model.properties.checkpoints import restores_newest
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import CheckpointId
from finale.model.rules import define

from .test_unbounded import RESTARTS, spec, steps_of


class TakesUncompleted(FinalCheckpoint):
    """What its rules take for the newest completed checkpoint is in no window."""

    @define
    def newest_completed(self) -> CheckpointId:
        """The newest id that the first task knows, whatever has become of it."""
        return self.tasks[0].newest


def test_a_helper_of_a_variant_does_not_choose_the_window() -> None:
    known = catalogue_of(FinalCheckpoint)
    assert known is not None
    setting = replace(spec(RESTARTS).setting, observe=frozenset({"taken"}))
    proof = Proof(IdWindow(TakesUncompleted, setting, 4), known.clauses, known.witnesses)
    (step,) = steps_of(proof, "restore")
    assert not proof.implied_by_step([restores_newest], step).proven
