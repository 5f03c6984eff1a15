"""Changes of a protocol that change nothing: each is a variant, written as a user would."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refactoring:
    """A name for the variant, and the body of its class."""

    name: str
    body: str


HEAD = '''"""A refactoring."""

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import CheckpointId
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import (
    EMPTY, STRONG, WEAK, Nothing, PerEntity, Ref, Set, define, field, require, rule, step,
)


class Changed(FinalCheckpoint):
    """FinalCheckpoint, written otherwise."""

'''


def module_of(refactoring: Refactoring) -> str:
    return f'{HEAD}{refactoring.body}\n\nVARIANTS = {{"{refactoring.name}": Changed}}\n'


def _renamed_rule(name: str, parameters: str, fair: str = "WEAK") -> Refactoring:
    names = ", ".join(each.split(":")[0] for each in parameters.split(", "))
    return Refactoring(
        f"rename-{name.replace('_', '-')}",
        f'''    @rule(fair={fair})
    def {name}(self, {parameters}) -> None:
        """Nothing any more."""
        require(False)

    @rule(fair={fair})
    def a_new_name(self, {parameters}) -> None:
        """What the rule did under its old name."""
        super().{name}({names})
''',
    )


def _moved_helper(name: str, parameters: str) -> Refactoring:
    names = ", ".join(each.split(":")[0] for each in parameters.split(", "))
    return Refactoring(
        f"move-{name.replace('_', '-')}",
        f'''    @step
    def {name}(self, {parameters}) -> None:
        """What it did, in a helper."""
        self.helper_of_mine({names})

    @step
    def helper_of_mine(self, {parameters}) -> None:
        """What the other helper did."""
        super().{name}({names})
''',
    )


REFACTORINGS = (
    _renamed_rule("quiesce", "task: Task"),
    _renamed_rule("close", "task: Task", "STRONG"),
    _renamed_rule("emit", "task: Source", "STRONG"),
    _renamed_rule("poll_data", "channel: Channel", "STRONG"),
    _renamed_rule("poll_barrier", "channel: Channel", "STRONG"),
    _renamed_rule("run_trigger", "task: Task, checkpoint: Checkpoint", "STRONG"),
    _renamed_rule("apply_acknowledgement", "task: Task, checkpoint: Checkpoint"),
    _renamed_rule("deliver_confirmation", "task: Task, checkpoint: Checkpoint"),
    _renamed_rule("complete", "checkpoint: Checkpoint"),
    _renamed_rule("learn_finished", "task: Task"),
    _moved_helper("act_on_confirmation", "task: Task, checkpoint: CheckpointId"),
    _moved_helper("snapshot_taken", "task: Task, checkpoint: CheckpointId"),
    _moved_helper("finish_operators", "task: Task"),
    _moved_helper("trigger_failed", "task: Task, checkpoint: Checkpoint"),
    Refactoring(
        "reordered-writes",
        '''    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """The same writes, the second one first."""
        require(checkpoint.acknowledgements.has(task))
        checkpoint.awaited.remove(task)
        checkpoint.acknowledgements.remove(task)
''',
    ),
    Refactoring(
        "reordered-conditions",
        '''    @rule(fair=WEAK)
    def quiesce(self, task: Task) -> None:
        """The same conditions, in another order and form."""
        require(self.may_close(task))
        if task.status != TaskStatus.WAITING_FOR_FINAL_CP:
            require(False)
        task.status = TaskStatus.QUIESCED
''',
    ),
    Refactoring(
        "equal-branches",
        '''    @step
    def act_on_confirmation(self, task: Task, checkpoint: CheckpointId) -> None:
        """Two branches that do the same."""
        if task.final_from == Nothing:
            super().act_on_confirmation(task, checkpoint)
        else:
            super().act_on_confirmation(task, checkpoint)
''',
    ),
    Refactoring(
        "negated-condition",
        '''    @define
    def releases(self, task: Task, checkpoint: CheckpointId) -> bool:
        """The same condition, the other way round."""
        return not (task.final_from == Nothing or checkpoint < task.final_from)
''',
    ),
    Refactoring(
        "rules-in-another-order",
        '''    @rule(fair=STRONG)
    def poll_data(self, channel: Channel) -> None:
        """The same rule, before the others."""
        super().poll_data(channel)

    @rule(fair=WEAK)
    def quiesce(self, task: Task) -> None:
        """The same rule, behind another one."""
        super().quiesce(task)

    @rule(fair=WEAK)
    def learn_finished(self, task: Task) -> None:
        """The same rule, behind both."""
        super().learn_finished(task)
''',
    ),
    Refactoring(
        "split-step",
        '''    heard = field(PerEntity(Checkpoint, Set(Ref(Task))), EMPTY)
    """Acknowledgements that have arrived, and do not count yet."""

    @rule(fair=WEAK)
    def apply_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """The acknowledgement arrives."""
        require(checkpoint.acknowledgements.has(task))
        checkpoint.acknowledgements.remove(task)
        self.heard[checkpoint].add(task)

    @rule(fair=WEAK)
    def count_acknowledgement(self, task: Task, checkpoint: Checkpoint) -> None:
        """An acknowledgement that has arrived counts: a step of its own."""
        require(self.heard[checkpoint].has(task))
        self.heard[checkpoint].remove(task)
        checkpoint.awaited.remove(task)
''',
    ),
)
