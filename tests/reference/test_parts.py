"""What of the engine's parts no small run comes to."""

from __future__ import annotations

from finale.reference.coordinator import CheckpointKind, Coordinator, Network
from finale.reference.formats.files import MemoryFiles
from finale.reference.formats.snapshots import CheckpointStore
from finale.reference.operators.base import Context
from finale.reference.operators.sinks import AppendingSink


class Recorded(MemoryFiles):
    """Files that tell what was synced."""

    def __init__(self) -> None:
        super().__init__()
        self.synced: list[str] = []

    def sync(self, name: str) -> None:
        self.synced.append(name)


def test_at_least_once_is_safe_before_the_checkpoint() -> None:
    files = Recorded()
    sink = AppendingSink(Context("K", files))
    sink.snapshot(1, last=False)
    assert files.synced == []
    sink.process(0, ["a"], lambda records: None)
    sink.snapshot(2, last=False)
    assert files.synced == ["output/K"]


def test_a_checkpoint_is_known_while_a_task_has_a_call_of_it() -> None:
    """A task closes when its mailbox is empty, and takes out only what is known."""
    network = Network()
    coordinator = Coordinator(
        {"S": ()}, network, CheckpointStore(MemoryFiles()), concurrent=1, after_finish=True
    )
    coordinator.listens = lambda task: True
    coordinator.decided = lambda checkpoint: None
    number = coordinator.trigger(CheckpointKind.CHECKPOINT).number
    coordinator.abort(number)
    network.clear()
    coordinator.forget({number})
    assert number in coordinator.checkpoints
    coordinator.forget(set())
    assert number not in coordinator.checkpoints
