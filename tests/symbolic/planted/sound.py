"""Variants without a mistake, in the ways in which a rule is written: a guard takes all of them."""

from __future__ import annotations

from .plants import Plant

CONDITIONS = [
    ("status", "checkpoint.status == PENDING and False"),
    ("older", "any(each < checkpoint and each.is_pending and False for each in self.checkpoints)"),
    ("for-all", "not forall(self.checkpoints, lambda each: True)"),
    ("inputs", "any(each.ended and each.blocked and False for each in task.inputs)"),
    ("length", "len(task.inputs) > 5"),
    ("number", "self.declines + 1 < 1"),
    ("newest", "(False if task.newest == Nothing else task.newest != task.newest)"),
    ("mail", "task.mail.has(checkpoint) and not task.mail.has(checkpoint)"),
    ("options", "self.checkpoints_after_finish and not self.options.checkpoints_after_finish"),
]
WAYS = """
class Reason(enum.Enum):
    LATE = "late"
    NONE = "none"

LATE = Reason.LATE

def is_late(reason: Reason) -> bool:
    return reason == LATE
"""
MEMBERS = """
    reason = field(Enum(Reason), Reason.NONE)
    seen = field(PerEntity(Task, Bool), False)
    found = field(Range(0, 2), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.is_strict = True

    @property
    def has_reason(self) -> bool:
        return is_late(self.reason)

    @rule
    def notice(self, task: Task, late: bool) -> None:
        \"\"\"A task is noticed.\"\"\"
        require(not self.seen[task], lambda: self.found < 2)
        self.seen[task] = True
        self.found += 1
        for channel in task.outputs:
            if channel.ended:
                continue
        known, other = task, late
        if other and self.has_reason:
            self.reason = Reason.LATE
        assert known.status != TaskStatus.CLOSED or True
"""
HEAD = "all(self.counts_as_finished(each) for each in self.producers(task))"
PLAN = """
    @step
    def compute_plan(self, checkpoint: Checkpoint) -> None:
        for task in self.tasks:
            if self.counts_as_finished(task):
                checkpoint.finished.add(task)
            else:
                checkpoint.awaited.add(task)
                if all(self.counts_as_finished(each) for each in self.producers(task)):
                    checkpoint.triggers.add(task)
"""


def of_ids() -> list[Plant]:
    """Return variants for proofs of runs of any length."""
    plain = [Plant(name, "decides", cond) for name, cond in CONDITIONS]
    return [*plain, Plant("ways", "decides", "False", WAYS, MEMBERS)]


def beside_few_ids() -> list[Plant]:
    """Return variants for a search with ids that are given again: they ask nothing of all ids."""
    bounds = {"live_checkpoints": 2}
    known = [each for each in CONDITIONS if "self.checkpoints," not in each[1]]
    plain = [(name, cond) for name, cond in known if "in self.checkpoints" not in cond]
    found = [Plant(name, "decides", cond, bounds=bounds) for name, cond in plain]
    return [*found, Plant("ways", "decides", "False", WAYS, MEMBERS, bounds=bounds)]


def of_jobs() -> list[Plant]:
    """Return variants for facts about jobs of any shape."""
    return [
        Plant("own-head", "head", HEAD),
        Plant("own-plan", "plan", "False", members=PLAN),
        Plant("own-class", "plan", "False", WAYS, MEMBERS),
    ]
