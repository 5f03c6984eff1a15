"""Mistakes that depend on ids, records and bounds: a window of ids says nothing of them."""

from __future__ import annotations

from itertools import pairwise

from .plants import Plant

#: Ways around a guard: questions within questions, and Python that asks an entity by a text.
AROUND = [
    (
        "nested",
        "decides",
        "any(one < checkpoint and any(two < one for two in self.checkpoints) "
        "for one in self.checkpoints)",
    ),
    (
        "distinct",
        "decides",
        "any(one != checkpoint and any(two != one and two != checkpoint and "
        "two.status == COMPLETED for two in self.checkpoints) for one in self.checkpoints)",
    ),
    ("getattr-name", "decides", 'getattr(checkpoint, "name") == "cp3"'),
    ("format-field", "decides", '"3" in "{0.name}".format(checkpoint)'),
    ("object-getattribute", "decides", 'object.__getattribute__(checkpoint, "number") == 3'),
    ("getattr-dict", "decides", 'getattr(checkpoint, "__dict__")["number"] == 3'),
    ("attrgetter-name", "decides", 'operator.attrgetter("name")(checkpoint) == "cp3"'),
]
#: Sites with a checkpoint as parameter.
NUMBERS = [
    ("number-odd", "plan", "checkpoint.number % 2 == 1"),
    ("number-and", "finished", "bool(checkpoint.number & 1)"),
    ("number-one", "both", "checkpoint.number == 1"),
    ("number-in-range", "left-out", "checkpoint.number in range(1, 100, 2)"),
    ("number-below", "decides", "checkpoint.number < 2"),
    ("number-divmod", "plan", "divmod(checkpoint.number, 2)[1]"),
    ("number-format", "plan", 'f"{checkpoint.number:b}".endswith("1")'),
    ("number-json", "plan", 'json.dumps([checkpoint.number]) in ("[1]", "[3]")'),
    ("number-getattr", "plan", 'getattr(checkpoint, "number") in (1, 3, 5)'),
    ("number-vars", "plan", 'vars(checkpoint)["number"] in (1, 3, 5)'),
    ("number-dict", "plan", 'checkpoint.__dict__["number"] == 1'),
    ("number-attrgetter", "plan", 'operator.attrgetter("number")(checkpoint) % 2 != 0'),
    ("number-hash", "plan", "hash(checkpoint.number) % 2 == 1"),
    ("number-list", "plan", "[True, False][(checkpoint.number + 1) % 2]"),
    ("first", "plan", "checkpoint == self.checkpoints[0]"),
    ("last", "plan", "checkpoint == self.checkpoints[-1]"),
    ("slice", "finished", "checkpoint in self.checkpoints[::2]"),
    ("index", "both", "self.checkpoints.index(checkpoint) % 2 == 0"),
    (
        "before-number",
        "plan",
        "self.checkpoints[checkpoint.number - 2] == checkpoint or checkpoint.number == 1",
    ),
    ("length", "plan", "len(self.checkpoints) < 4"),
    ("id-limit", "plan", "int(self.id_limit) < 4"),
    ("bound-checkpoints", "plan", "int(self.bounds.checkpoints) < 4"),
    ("bound-failures", "plan", "int(self.bounds.failures) < 5"),
    ("bound-failures-plain", "decides", "self.bounds.failures < 5"),
    (
        "bound-str",
        "plan",
        "str(self.bounds) == str(type(self.bounds)(checkpoints=int(self.bounds.checkpoints), "
        "channel=self.bounds.channel))",
    ),
    ("name", "plan", 'checkpoint.name in ("cp1", "cp3")'),
    ("name-end", "plan", 'checkpoint.name.endswith("1")'),
    (
        "name-sorted",
        "plan",
        "sorted(self.checkpoints, key=lambda each: each.name)[0] == checkpoint",
    ),
    ("str", "plan", 'str(checkpoint).endswith("cp1")'),
    ("repr", "plan", '"cp1" in repr(checkpoint)'),
    ("format", "plan", '"{}".format(checkpoint).endswith("1")'),
    ("minimum", "plan", "min(self.checkpoints, key=lambda each: each.number) == checkpoint"),
    ("maximum", "plan", "max(each.number for each in self.checkpoints) < 4"),
    ("next", "plan", "next(iter(self.checkpoints)) == checkpoint"),
    ("reversed", "plan", "[*reversed(self.checkpoints)][-1] == checkpoint"),
    (
        "enumerate",
        "plan",
        "any(each == checkpoint for n, each in enumerate(self.checkpoints) if n % 2 == 0)",
    ),
    ("zip", "plan", "any(each == checkpoint for each, n in zip(self.checkpoints, range(1)))"),
    ("islice", "plan", "checkpoint in tuple(itertools.islice(self.checkpoints, 1))"),
    ("sum", "plan", "sum(1 for each in self.checkpoints if each.number > 0) < 4"),
    ("list-length", "plan", "len([each for each in self.checkpoints]) < 4"),
    ("set-length", "plan", "len({each.name for each in self.checkpoints}) < 4"),
    ("set-member", "plan", "checkpoint in {self.checkpoints[0]}"),
    ("dict-member", "plan", "dict.fromkeys(self.checkpoints[:1]).get(checkpoint, 1) is None"),
    ("forall-slice", "plan", "not forall(self.checkpoints[:1], lambda each: each != checkpoint)"),
    ("count", "decides", "count(self.checkpoints, lambda each: each.status != UNUSED) < 5"),
    ("pairwise", "plan", "not any(True for one, two in itertools.pairwise(self.checkpoints[2:]))"),
    ("older-none", "plan", "not any(each < checkpoint for each in self.checkpoints)"),
    (
        "first-of-all",
        "plan",
        "all(each == checkpoint or each.status == UNUSED for each in self.checkpoints)",
    ),
    ("records-length", "plan", "len(self.data) < 3"),
    (
        "records-of-task",
        "plan",
        "any(len(getattr(each, 'data', ())) == 1 for each in self.tasks)",
    ),
    ("records-subtask", "plan", "any(each.subtask.records == 1 for each in self.tasks)"),
    ("records-vertex", "plan", "any(each.subtask.vertex.records == (1,) for each in self.tasks)"),
    ("records-limit", "plan", 'self.limits()["data"] < 3'),
    ("record-number", "plan", "any(each.number == 1 for each in self.data)"),
    ("record-names", "plan", 'all(each.name.endswith("1") for each in self.data)'),
    ("job-records", "plan", "sum(sum(each.records) for each in self.job.vertices) < 2"),
    ("scope", "plan", 'int(self.world.scope.bounds["checkpoints"]) < 4'),
    *AROUND,
    ("getattr-setting", "plan", 'getattr(self, "setting").bounds["checkpoints"] < 4'),
]


def _plain() -> list[Plant]:
    kept = {"decides": ""}
    return [
        Plant(name, site, cond, observe=kept.get(site, "effects = true"))
        for name, site, cond in NUMBERS
    ]


INIT = """
    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        {line}
"""

MADE_BEFORE = [
    ("init-first", "self.first = self.checkpoints[0]", "checkpoint == self.first"),
    ("init-few", "self.few = len(self.checkpoints) < 4", "self.few"),
    ("init-odd", "self.odd = self.checkpoints[::2]", "checkpoint in self.odd"),
    (
        "init-table",
        "self.odd = {each: each.number % 2 == 1 for each in self.checkpoints}",
        "self.odd[checkpoint]",
    ),
    (
        "init-attribute",
        "for each in self.checkpoints: each.odd = each.number % 2 == 1",
        "checkpoint.odd",
    ),
    (
        "init-closure",
        "few = len(self.checkpoints) < 4; self.are_few = lambda: few",
        "self.are_few()",
    ),
    (
        "init-global",
        "FEW.clear(); FEW.extend(self.checkpoints[:3])",
        "len(FEW) == len(self.checkpoints)",
    ),
    ("init-records", "self.few = len(self.data) < 3", "self.few"),
]

HELPED = [
    (
        "cached",
        "@functools.lru_cache\ndef odd(each):\n    return each.number % 2 == 1\n",
        "",
        "odd(checkpoint)",
    ),
    (
        "remembered",
        "SEEN = {}\n",
        "",
        "SEEN.setdefault(checkpoint.name, len(SEEN)) < 1",
    ),
    (
        "property",
        "",
        "    @property\n    def few(self) -> bool:\n        return len(self.checkpoints) < 4\n",
        "self.few",
    ),
    (
        "cached-property",
        "",
        "    @functools.cached_property\n    def few(self):\n"
        "        return len(self.checkpoints) < 4\n",
        "self.few",
    ),
    (
        "exception",
        "def few(many):\n    try:\n        many[3]\n    except IndexError:\n        return True\n"
        "    return False\n",
        "",
        "few(self.checkpoints)",
    ),
    (
        "match",
        "def first(each):\n    match each.number:\n        case 1:\n            return True\n"
        "    return False\n",
        "",
        "first(checkpoint)",
    ),
    (
        "unpacked",
        "def first(many, each):\n    one, *rest = many\n    return one == each\n",
        "",
        "first(self.checkpoints, checkpoint)",
    ),
    (
        "numbered-loop",
        "def odd(many, each):\n    found = False\n    turn = True\n    for one in many:\n"
        "        found = found or (turn and one == each)\n        turn = not turn\n"
        "    return found\n",
        "",
        "odd(self.checkpoints, checkpoint)",
    ),
    *(
        (
            f"third-by-{name}",
            f"class Box:\n    n = 0\n\ndef third(many, each):\n    {made}\n"
            f"    return any({third} and one == each for one in many)\n",
            "",
            "third(self.checkpoints, checkpoint)",
        )
        for name, made, third in (
            ("iterator", "it = iter(range(99))", "next(it) == 2"),
            ("list", "it = []", "(it.append(1) or len(it) == 3)"),
            ("dict", "it = {}", "it.setdefault(0, one) == each"),
            ("object", "it = Box()", "(setattr(it, 'n', it.n + 1) or it.n == 3)"),
            ("walrus", "it = 0", "(it := it + 1) == 3"),
        )
    ),
    (
        "counter-object",
        "ASKED = itertools.count()\n",
        "",
        "next(ASKED) < 10**9 and len(self.checkpoints) < 4",
    ),
]

REFERENCES = [
    ("newest-number", "plan", "(task.newest != Nothing and task.newest.number == 1)"),
    ("confirmed-first", "plan", "task.confirmed == self.checkpoints[0]"),
    ("confirmed-last", "plan", "task.confirmed == self.checkpoints[-2:][0]"),
    ("set-size", "plan", "task.aborted.size < 3"),
]

LIMITS = """
    def limits(self):
        known = super().limits()
        return {**known, "few": 4 - min(4, IDS)}

    @rule
    def begin_to_count(self) -> None:
        \"\"\"Something is counted, which leaves its bounds in a window.\"\"\"
        self.begun = 1
"""


def rule_about(count: int) -> str:
    """Return a rule that takes so many completed checkpoints, and aborts the first."""
    names = ("one", "two", "three", "four", "five")[:count]
    order = ", ".join(f"{a} < {b}" for a, b in pairwise(names))
    completed = ", ".join(f"{each}.status == COMPLETED" for each in names)
    given = ", ".join(f"{each}: Checkpoint" for each in names)
    return f"""
    @rule
    def take_several(self, {given}) -> None:
        \"\"\"Several completed checkpoints are taken at once.\"\"\"
        require({order}, {completed})
        one.status = ABORTED
"""


PARAMETER = """
    @rule
    def count_up(self, number: Annotated[int, Range(0, Bound("checkpoints"))],
                 checkpoint: Checkpoint) -> None:
        \"\"\"A checkpoint is aborted by a number.\"\"\"
        require(number == 3)
        checkpoint.status = ABORTED
"""
#: Each of these helpers asks for one more id, down to the first.
OLDER = "".join(
    f"""
    @define
    def older{n}(self, checkpoint: Checkpoint) -> bool:
        return any(
            each < checkpoint and {f"self.older{n - 1}(each)" if n else "True"}
            for each in self.checkpoints
        )
"""
    for n in range(2)
)
WITH_STATE = [
    (
        "counter-in-a-range",
        "    begun = field(Range(0, Bound('checkpoints')), 0)\n",
        "self.begun < 4",
    ),
    (
        "counter-of-bound",
        "    begun = field(Range(0, Bound('checkpoints')), 0)\n",
        "self.begun + 2 < self.bounds.checkpoints",
    ),
    *(
        (
            f"limits-{name}",
            f"    begun = field(Range(0, Bound('few')), 0)\n{LIMITS.replace('IDS', ids)}",
            "self.begun > 0",
        )
        for name, ids in (("length", "len(self.checkpoints)"), ("bound", 'known["checkpoints"]'))
    ),
    (
        "field-of-number",
        "    lucky = field(PerEntity(Checkpoint, Bool), lambda self: len(self.checkpoints) < 4)\n",
        "self.lucky[checkpoint]",
    ),
]


def plants() -> list[Plant]:
    """Return all variants for proofs of runs of any length."""
    made = [
        Plant(name, "plan", cond, members=INIT.format(line=line), helpers="FEW = []\n")
        for name, line, cond in MADE_BEFORE
    ]
    helped = [
        Plant(name, "plan", cond, helpers=helpers, members=members)
        for name, helpers, members, cond in HELPED
    ]
    references = [Plant(name, site, cond) for name, site, cond in REFERENCES]
    state = [Plant(name, "plan", cond, members=members) for name, members, cond in WITH_STATE]
    rules = [Plant(f"rule-of-{n}-ids", "decides", "False", members=rule_about(n)) for n in (2, 3)]
    bounded = [
        Plant("parameter", "decides", "False", members=PARAMETER),
        Plant("bound-channel", "decides", "self.bounds.channel == 6", bounds={"checkpoints": 1}),
    ]
    nested = [Plant("nested-by-helper", "decides", "self.older1(checkpoint)", members=OLDER)]
    return [*nested, *_plain(), *made, *helped, *references, *state, *rules, *bounded]
