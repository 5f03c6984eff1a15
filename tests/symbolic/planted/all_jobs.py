"""Mistakes that depend on the shape and the parts of a job, which no window of tasks has."""

from __future__ import annotations

from .plants import USES_GATE, Plant, gate_site

WIDE = """S = { records = 0, parallelism = 2 }
K = { from = ["S"], parallelism = 2, sink = "two-phase" }"""
LONG = """S = { records = 0 }
A = { from = ["S"] }
B = { from = ["A"] }
K = { from = ["B"], sink = "two-phase" }"""
FAN = """S = { records = 0, parallelism = 4 }
K = { from = ["S"], sink = "two-phase" }"""

IN_BETWEEN = """S = { records = 0 }
B = { from = ["S"], KIND }
K = { from = ["B"], sink = "two-phase" }"""
PAIR = """S = { records = 0 }
K = { from = [{ vertex = "S", EDGE }], sink = "two-phase" }"""

PLANS = [
    ("index", "plan", "task.subtask.index > 0", WIDE),
    ("getattr-name", "plan", 'getattr(task, "name") == "K"', LONG),
    ("format-field", "plan", '"{0.name}".format(task) == "K"', LONG),
    ("attrgetter-name", "plan", 'operator.attrgetter("name")(task) == "K"', LONG),
    ("vertices", "plan", "len(self.job.vertices) > 3", LONG),
    ("edges", "plan", "len(self.job.edges) > 2", LONG),
    ("tasks", "plan", "len(self.tasks) > 3", LONG),
    ("producers", "plan", "len(self.producers(task)) > 3", FAN),
    ("inputs", "plan", "len(task.inputs) > 3", FAN),
    ("sink", "plan", "bool(task.sink)", LONG),
    ("sink-is", "plan", "task.sink is not None", LONG),
    ("sinks", "plan", "len(self.sinks) > 0", LONG),
    ("parallelism", "plan", "task.subtask.vertex.parallelism > 1", WIDE),
    ("name", "plan", 'task.name == "K"', LONG),
    ("name-dot", "plan", '"." in task.name', WIDE),
    ("vertex-name", "plan", 'task.subtask.vertex.name in ("K", "B")', LONG),
    (
        "kind",
        "finished",
        "task.subtask.vertex.kind == OperatorKind.KEYED",
        IN_BETWEEN.replace("KIND", 'kind = "keyed"'),
    ),
    (
        "kind-class",
        "finished",
        "isinstance(task, TimerTask)",
        IN_BETWEEN.replace("KIND", 'kind = "timer"'),
    ),
    ("source-class", "both", "isinstance(task, Source)", LONG),
    ("last-task", "left-out", "task == self.tasks[-1]", LONG),
    ("fourth-task", "left-out", "task in self.tasks[3:]", LONG),
    ("task-position", "left-out", "self.tasks.index(task) == 3", LONG),
    ("layers", "head", "len(self.job.layers()) > 3", LONG),
    ("topological", "head", "self.job.topological[-1].name == task.subtask.vertex.name", LONG),
    (
        "job-sources",
        "no-head",
        "len(self.job.sources) > 1",
        'S = { records = 0 }\nT = { records = 0 }\nK = { from = ["S", "T"], sink = "two-phase" }',
    ),
    (
        "bounded",
        "no-head",
        "not task.subtask.bounded",
        'S = { records = 0, bounded = false }\nK = { from = ["S"], sink = "two-phase" }',
    ),
    ("subtask-records", "counts", "task.subtask.records > 0", 'shape = "pair"\nrecords = 1'),
    (
        "records-left",
        "counts",
        "(isinstance(task, Source) and task.remaining > 0)",
        'shape = "pair"\nrecords = 1',
    ),
    ("data", "counts", "len(self.data) > 0", 'shape = "pair"\nrecords = 1'),
    ("channels", "plan", "len(self.channels) > 3", FAN),
    (
        "pattern",
        "plan",
        "any(each.edge.edge.pattern == Pattern.POINTWISE for each in task.inputs)",
        PAIR.replace("EDGE", 'pattern = "pointwise"'),
    ),
    (
        "broadcast",
        "plan",
        "any(each.edge.edge.broadcast for each in task.inputs)",
        PAIR.replace("EDGE", "broadcast = true"),
    ),
    ("sender-index", "plan", "any(each.edge.sender.index > 0 for each in task.inputs)", WIDE),
    ("connected", "head", "len(self.connected()) == 1 and len(self.connected()[0]) > 3", LONG),
    ("enumerate", "plan", "any(n > 2 for n, each in enumerate(self.tasks))", LONG),
    ("zip-inputs", "plan", "len([*zip(task.inputs, task.inputs[1:])]) > 2", FAN),
    ("set-of-producers", "plan", "len(set(self.producers(task))) > 3", FAN),
    ("sorted-names", "plan", "sorted(each.name for each in self.tasks)[-1] == 'S'", LONG),
    ("checkpoint-number", "plan", "checkpoint.number > 1", LONG),
    ("checkpoint-first", "plan", "checkpoint != self.checkpoints[0]", LONG),
    ("checkpoints", "plan", "len(self.checkpoints) > 1", LONG),
    ("checkpoint-name", "plan", 'checkpoint.name != "cp1"', LONG),
    ("bound", "plan", "int(self.bounds.checkpoints) > 1", LONG),
    (
        "outputs",
        "counts",
        "len(task.outputs) > 2",
        'S = { records = 0 }\nK = { from = ["S"], parallelism = 3, sink = "two-phase" }',
    ),
    ("two-ends", "plan", "len(self.sinks) > 1", WIDE),
    (
        "union",
        "plan",
        "bool(self.unions)",
        IN_BETWEEN.replace("KIND", 'kind = "union-state", parallelism = 2'),
    ),
]

INIT = """
    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        {line}
"""
MADE_BEFORE = [
    ("init-late", "self.late = self.tasks[3:]", "task in self.late", LONG),
    ("init-many", "self.many = len(self.tasks) > 3", "self.many", LONG),
    ("init-mark", "for each in self.tasks: each.far = each.subtask.index > 0", "task.far", WIDE),
]

#: Each of these helpers goes one task further up.
ABOVE = "".join(
    f"""
    @define
    def above{n}(self, task: Task) -> bool:
        return any({f"self.above{n - 1}(each)" if n else "True"} for each in self.producers(task))
"""
    for n in range(3)
)
KINDS = """
    @property
    def task_classes(self):
        return {**super().task_classes, OperatorKind.BUFFERING: Skipping}
"""
SKIPPING = """
from finale.model.protocols.task.operators import Buffering

class Skipping(Buffering):
    \"\"\"A task that is skipped.\"\"\"
"""
KINDS_BY_CALL = """
    @property
    def source_class(self):
        return SkippedSource
"""
SKIPPED = """
class SkippedSource(Source):
    \"\"\"A source that is skipped.\"\"\"
"""
OF_JOBS = [
    ("three-above", "", ABOVE, "self.above2(task)", LONG),
    (
        "class-of-a-kind",
        SKIPPING,
        KINDS,
        "isinstance(task, Skipping)",
        IN_BETWEEN.replace("KIND", 'kind = "buffering"'),
    ),
    ("class-of-sources", SKIPPED, KINDS_BY_CALL, "isinstance(task, SkippedSource)", LONG),
]

GATES = [
    (
        "gate-four-inputs",
        "    @define\n    def is_aligned(self) -> bool:\n"
        "        if len(self.task.inputs) > 3:\n"
        "            return any(each.aligned for each in self.task.inputs)\n"
        "        return super().is_aligned()\n",
        FAN,
    ),
    (
        "gate-sink",
        "    @step\n    def end_alignment(self) -> None:\n        super().end_alignment()\n"
        "        if self.task.sink:\n            self.aligning = True\n",
        LONG,
    ),
    (
        "gate-index",
        "    @step\n    def block(self, channel: Channel) -> None:\n"
        "        if self.task.subtask.index == 0:\n            super().block(channel)\n",
        WIDE,
    ),
    (
        "gate-name",
        "    @step\n    def block(self, channel: Channel) -> None:\n"
        "        if not self.name.startswith('K'):\n            super().block(channel)\n"
        "        else:\n            self.task.inputs[0].blocked = True\n",
        FAN,
    ),
    (
        "gate-number",
        "    @step\n    def _begin(self, checkpoint: CheckpointId) -> None:\n"
        "        super()._begin(checkpoint)\n"
        "        for number, channel in enumerate(self.task.inputs):\n"
        "            if number > 2:\n                channel.aligned = True\n",
        FAN,
    ),
]


def plants() -> list[Plant]:
    """Return all variants for facts about jobs of any shape."""
    two = {"checkpoints": 2, "channel": 3}
    plain = [
        Plant(
            name,
            site,
            cond,
            job=job,
            observe="effects = true",
            bounds=two
            if "heckpoint" in name or name == "bound"
            else {"checkpoints": 1, "channel": 2},
        )
        for name, site, cond, job in PLANS
    ]
    made = [
        Plant(name, "plan", cond, members=INIT.format(line=line), job=job)
        for name, line, cond, job in MADE_BEFORE
    ]
    gates = [
        Plant(name, "", "", helpers=gate_site(name, body), members=USES_GATE, job=job)
        for name, body, job in GATES
    ]
    shapes = [
        Plant(name, "finished" if helpers else "plan", cond, helpers, members=members, job=job)
        for name, helpers, members, cond, job in OF_JOBS
    ]
    return [*plain, *made, *shapes, *gates]
