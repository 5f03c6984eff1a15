"""In a long run checkpoints of the model stand for others from some line on, and all that is known
of them moves along."""

from finale.checker.logs.replay.partial_model import ModelSize, partial_system
from finale.checker.logs.replay.replay_state import renamed_cells
from finale.model.protocols.task.tasks import Task


def test_second_values_move_with_their_checkpoints() -> None:
    system = partial_system({"S": 1}, ModelSize(8))
    (task,), (one, two, three, *_) = system.protocol.tasks, system.protocol.checkpoints
    taken, finished = task.variables["taken"].position, "finished"
    others = {
        taken: frozenset({one, two}),
        two.variables[finished].position: frozenset({task}),
        three.variables[finished].position: frozenset[Task](),
    }
    assert renamed_cells(others, {one: None, two: one, three: None}) == {
        taken: frozenset({one}),
        one.variables[finished].position: frozenset({task}),
    }
