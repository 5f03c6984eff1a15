"""Mistakes that only an option of the search shows or hides: `live_checkpoints` and `[observe]`."""

from __future__ import annotations

from .plants import Plant
from .unbounded import AROUND, INIT, PARAMETER, rule_about

#: The rule reads the layout; more ids than are live show the mistake.
LAYOUTS = [
    ("number", "plan", "checkpoint.number > 2"),
    ("number-three", "both", "checkpoint.number == 3"),
    ("name", "plan", 'checkpoint.name == "cp3"'),
    ("index", "finished", "self.checkpoints.index(checkpoint) == 2"),
    ("slice", "plan", "checkpoint in self.checkpoints[2:]"),
    ("length", "plan", "len(self.checkpoints) > 2"),
    ("id-limit", "plan", "int(self.id_limit) > 2"),
    ("live", "plan", "int(self.bounds.live_checkpoints) != 2"),
    ("recycles", "plan", "not self.recycles"),
    ("gives-ids-again", "plan", "not self.gives_ids_again"),
    ("str", "plan", 'str(checkpoint).endswith("3")'),
    (
        "enumerate",
        "plan",
        "any(each == checkpoint for n, each in enumerate(self.checkpoints) if n > 1)",
    ),
    (
        "zip",
        "decides",
        "any(each == checkpoint for each, n in zip(self.checkpoints[2:], range(9)))",
    ),
    ("third", "plan", "any(each == checkpoint for each in self.checkpoints[2:3])"),
    (
        "confirmed-number",
        "acknowledged",
        "(task.confirmed != Nothing and task.confirmed.number > 2)",
    ),
    ("limits", "decides", 'self.limits().get("checkpoints", 0) == 4'),
    ("room", "decides", "self.channel_room > 7"),
    ("capacity", "decides", "all(each.queue.capacity == 10 for each in self.channels)"),
    ("count", "decides", "count(self.checkpoints, lambda each: each.status == COMPLETED) == 4"),
    ("sum", "decides", "sum(1 for each in self.checkpoints if each.status == COMPLETED) == 4"),
    *AROUND,
    ("older-none", "decides", "not any(each < checkpoint for each in self.checkpoints)"),
    ("getattr-setting", "plan", 'getattr(self, "setting").bounds["live_checkpoints"] > 2'),
]

#: Values that `__init__` works out: the rule reads them, or a rule of Finale does.
MADE_BEFORE = [
    (
        "of-tasks",
        "for task in self.tasks: task.few = len(self.checkpoints)",
        "task.few == 4",
    ),
    (
        "of-ids",
        "for n, each in enumerate(self.checkpoints): each.odd = n == 3",
        'getattr(checkpoint, "odd", False)',
    ),
    ("of-a-module", 'FEW["n"] = len(self.checkpoints)', 'FEW["n"] == 4'),
    ("of-a-class", "type(self).few = len(self.checkpoints)", "self.few == 4"),
    ("of-an-option", "self.concurrent = len(self.checkpoints) - 2", "False"),
    ("of-finale", "self.concurrent = self.channel_room - 5", "False"),
    ("of-limits", 'self.concurrent = self.limits()["checkpoints"]', "False"),
]
INIT_HELP = "FEW = {}\n"
STARTED = """
    few = field(Bool, lambda self: len(self.checkpoints) > 3)

    @rule
    def stop_few(self) -> None:
        \"\"\"There are no longer few ids.\"\"\"
        require(self.few)
        self.few = False
"""

#: The rule reads history: the state that a run has, or that only an option records.
#: They tell whether effects are recorded, also where they are not.
SINKS = [
    ("sink", "plan", "bool(task.sink)"),
    ("sink-is", "plan", "task.sink is not None"),
    ("sinks", "plan", "len(self.sinks) > 0"),
]
HISTORY = [
    ("taken", "plan", "not task.taken.is_empty"),
    ("observes-taken", "plan", 'not self.observes("taken")'),
    ("observes-cut", "plan", 'not self.observes("cut")'),
    ("taken-after", "plan", "not task.taken_after_finish.is_empty"),
    ("progress", "plan", "not self.progress"),
    ("sent", "plan", "any(each.sent > 0 for each in task.outputs)"),
    ("received", "released", "any(each.received > 0 for each in task.inputs)"),
    ("cut-flag", "plan", "not any(each.cut for each in self.channels)"),
    ("setting", "plan", "not self.setting.observe"),
    ("ghost-call", "plan", 'self.observes("taken") != self.observes("cancellations")'),
    ("keeps", "plan", '"taken" not in self.keeps()'),
    ("hasattr", "plan", 'any(hasattr(each, "visible") for each in self.sinks)'),
    ("variables", "plan", '"taken" not in getattr(task, "variables")'),
    ("attrgetter", "plan", 'not operator.attrgetter("setting.observe")(self)'),
    ("visible", "plan", "any(each.visible[self.data[0]] == 0 for each in self.sinks)"),
    *SINKS,
]


def few_ids() -> list[Plant]:
    """Return the variants that look as if they were right if ids are given again."""
    bounds = {"live_checkpoints": 2, "channel": 3}
    plain = [Plant(name, site, cond, bounds=bounds) for name, site, cond in LAYOUTS]
    few = {"live_checkpoints": 3}
    made = [
        Plant(f"init-{name}", "decides", cond, INIT_HELP, INIT.format(line=line), bounds=bounds)
        for name, line, cond in MADE_BEFORE
    ]
    several = [
        Plant("rule-of-2-ids", "decides", "False", members=rule_about(2), bounds=bounds),
        Plant("started", "decides", "self.few", members=STARTED, bounds=bounds),
    ]
    return [
        *plain,
        *made,
        *several,
        Plant("parameter", "decides", "False", members=PARAMETER, bounds=bounds),
        Plant("bound-channel", "decides", "self.bounds.channel == 8", bounds=few),
    ]


def history() -> list[Plant]:
    """Return the variants that do something else if history is recorded."""
    kept = "taken = true\ncut = true\nprogress = true\neffects = true"
    bare = [Plant(f"{name}-unobserved", site, cond, observe="") for name, site, cond in SINKS]
    return [*bare, *(Plant(name, site, cond, observe=kept) for name, site, cond in HISTORY)]
