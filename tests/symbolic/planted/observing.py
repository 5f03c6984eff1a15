"""Mistakes that only an option of the search shows or hides: `live_checkpoints` and `[observe]`."""

from __future__ import annotations

from .plants import Plant
from .unbounded import PARAMETER

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
    ("getattr-name", "decides", 'getattr(checkpoint, "name") == "cp3"'),
    ("format-field", "decides", '"3" in "{0.name}".format(checkpoint)'),
    ("object-getattribute", "decides", 'object.__getattribute__(checkpoint, "number") == 3'),
    ("getattr-dict", "decides", 'getattr(checkpoint, "__dict__")["number"] == 3'),
    ("attrgetter-name", "decides", 'operator.attrgetter("name")(checkpoint) == "cp3"'),
    ("getattr-setting", "plan", 'getattr(self, "setting").bounds["live_checkpoints"] > 2'),
]

#: The rule reads history: the state that a run has, or that only an option records.
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
]


def few_ids() -> list[Plant]:
    """Return the variants that look as if they were right if ids are given again."""
    bounds = {"live_checkpoints": 2, "channel": 3}
    plain = [Plant(name, site, cond, bounds=bounds) for name, site, cond in LAYOUTS]
    few = {"live_checkpoints": 3}
    return [
        *plain,
        Plant("parameter", "decides", "False", members=PARAMETER, bounds=bounds),
        Plant("bound-channel", "decides", "self.bounds.channel == 8", bounds=few),
    ]


def history() -> list[Plant]:
    """Return the variants that do something else if history is recorded."""
    kept = "taken = true\ncut = true\nprogress = true\neffects = true"
    return [Plant(name, site, cond, observe=kept) for name, site, cond in HISTORY]
