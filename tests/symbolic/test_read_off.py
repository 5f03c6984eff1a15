"""What is read off a method for any job is what the method does to each small one."""

from __future__ import annotations

from typing import Any

import pytest

from finale.checker.proofs.all_jobs.alignment import Gates
from finale.checker.proofs.all_jobs.compared import (
    compare_calls,
    compare_gates,
    compare_outputs,
    compare_plans,
)
from finale.checker.proofs.all_jobs.plans import Plans
from finale.checker.proofs.all_jobs.sending import Outputs
from finale.model.errors import FinaleError
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.broken.final_checkpoint.finish import (
    PlansByEndOfData,
    TriggersAll,
    WaitsForLostAck,
    WaitsForTheFinished,
)
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.finish_options import FinishRace
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Barrier, CheckpointId
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.task.tasks import Task
from finale.model.rules import define, step

PLANS = (
    FinalCheckpoint,
    StopWithSavepoint,
    TriggersAll,
    PlansByEndOfData,
    WaitsForTheFinished,
    WaitsForLostAck,
)


@pytest.mark.parametrize("kind", PLANS)
def test_plans(kind: Any) -> None:
    assert compare_plans(Plans(kind, {})) == 130


@pytest.mark.parametrize("race", FinishRace)
@pytest.mark.parametrize("kind", PLANS)
def test_calls(kind: Any, race: FinishRace) -> None:
    assert compare_calls(Plans(kind, {"finish_race": race})) > 50


@pytest.mark.parametrize("kind", [FinalCheckpoint, LegacyFinish])
def test_gates(kind: Any) -> None:
    assert compare_gates(Gates(kind, {})) == 192


@pytest.mark.slow
@pytest.mark.parametrize("race", FinishRace)
def test_larger_jobs(race: FinishRace) -> None:
    plans = Plans(FinalCheckpoint, {"finish_race": race})
    assert compare_plans(plans, 5, 10) == 3460
    assert compare_calls(plans, 4, 20) > 1000
    assert compare_gates(Gates(FinalCheckpoint, {}), 5, 60) == 1200


@pytest.mark.parametrize("kind", [FinalCheckpoint, LegacyFinish])
def test_outputs(kind: Any) -> None:
    assert compare_outputs(Outputs(kind, {})) == 32


class SendsToOne(FinalCheckpoint):
    """Only the first consumer hears of a checkpoint."""

    @step
    def perform(self, task: Task, checkpoint: CheckpointId) -> None:
        task.outputs[0].put(Barrier(checkpoint))
        self.snapshot_taken(task, checkpoint)


class MeasuresProducers(FinalCheckpoint):
    """A task with one producer is called, whatever that one does."""

    @define
    def is_head(self, task: Task) -> bool:
        return len(self.producers(task)) == 1 or super().is_head(task)


class HastyGate(AlignedGate):
    """A gate that counts an input in the midst of a loop, by those before it."""

    @step
    def on_barrier(self, channel: Channel, checkpoint: CheckpointId, how: Arrival) -> None:
        for each in self.task.inputs:
            each.blocked = any(other.blocked for other in self.task.inputs) or each.ended
        super().on_barrier(channel, checkpoint, how)


class Hasty(FinalCheckpoint):
    """Whose gates are hasty."""

    @property
    def gate_class(self) -> type[AlignedGate]:
        return HastyGate


def test_what_a_window_does_not_see_shows_on_small_jobs() -> None:
    with pytest.raises(FinaleError, match="of blocked") as error:
        compare_gates(Gates(Hasty, {}))
    assert error.value.code == "not-for-any-job"


def test_what_depends_on_number_or_place_is_not_read_off() -> None:
    with pytest.raises(FinaleError, match='"inputs" of T') as error:
        compare_plans(Plans(MeasuresProducers, {}))
    assert error.value.code == "reads-layout"
    with pytest.raises(FinaleError, match='"outputs" of T') as error:
        compare_outputs(Outputs(SendsToOne, {}))
    assert error.value.code == "reads-layout"
