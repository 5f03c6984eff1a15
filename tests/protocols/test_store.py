"""What the store of completed checkpoints holds, against Flink's way of evicting from it."""

from __future__ import annotations

import random

import pytest

from finale.model.language.build import world_of
from finale.model.language.plain import PlainStore
from finale.model.protocols.coordinator.checkpoints import COMPLETED, CheckpointKind
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.stopping import Stopping
from finale.model.protocols.sync_savepoint import SyncSavepoint
from finale.model.rules import Setting
from finale.model.topology import Job

ORDINARY, SAVEPOINT = CheckpointKind.CHECKPOINT, CheckpointKind.SAVEPOINT
IDS = 6


class Store:
    """Flink's `CheckpointSubsumeHelper` written again: a list that is walked at each entry."""

    def __init__(self, places: int) -> None:
        self.places = places
        self.entries: list[tuple[int, CheckpointKind]] = []

    def add(self, number: int, kind: CheckpointKind) -> None:
        self.entries.append((number, kind))
        for entry in list(self.entries[:-1]):
            if len(self.entries) > self.places and self.may_go(entry):
                self.entries.remove(entry)

    def may_go(self, entry: tuple[int, CheckpointKind]) -> bool:
        if self.entries[-1][1] not in (ORDINARY, SAVEPOINT):  # the savepoint of a stop
            return True
        ordinary = [each for each in self.entries if each[1] == ORDINARY]
        return not ordinary or entry != ordinary[-1]


@pytest.mark.parametrize("stopping", [SyncSavepoint, StopWithSavepoint])
@pytest.mark.parametrize("places", [1, 2, 3])
def test_the_store_holds_what_flink_keeps(places: int, stopping: type[Stopping]) -> None:
    job = Job.from_table({"shape": "pair", "records": 0})
    bounds = {"checkpoints": IDS, "savepoints": IDS, "stops": IDS}
    protocol = stopping(Setting(job=job, bounds=bounds, options={"savepoint_stored": True}))
    protocol.retained = places
    world = world_of(protocol, protocol.keeps())
    draw = random.Random(places)
    for _ in range(200):
        store = PlainStore([world.initial_values(each)[0] for each in world.variables])
        flink = Store(places)
        with world.on(store):
            for checkpoint in protocol.checkpoints:
                kind = draw.choice(list(CheckpointKind))
                checkpoint.status, checkpoint.kind = COMPLETED, kind
                flink.add(checkpoint.number, kind)
                held = [e.number for e in protocol.checkpoints if protocol.is_in_store(e)]
                assert held == [number for number, _ in flink.entries]
