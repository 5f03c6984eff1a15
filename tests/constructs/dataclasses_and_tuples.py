"""Helpers that return something with values of the state in it, on several paths."""

from tests.constructs.construct import Construct

PLAN = """
@dataclass
class Plan:
    to: object
"""

FROZEN = """
@dataclass(frozen=True)
class Plan:
    to: object
    why: str = "none"
"""

NAMED = """
import typing


class Plan(typing.NamedTuple):
    to: object
    why: int = 0
"""

CONSTRUCTS: tuple[Construct, ...] = (
    Construct(
        "define-returns-dataclass",
        prelude=PLAN,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan(node.left)
            return Plan(node.right)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-frozen-dataclass",
        prelude=FROZEN,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.st == S.B:
                return Plan(node.left)
            return Plan(node.right)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-frozen-dataclass-plain-part",
        prelude=FROZEN,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan(node, "flag")
            return Plan(node, "none")
        """,
        rule='node.hit = self.plan(node).why == "flag"',
    ),
    Construct(
        "define-returns-dataclass-with-constants",
        prelude=FROZEN,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            return Plan(1) if node.flag else Plan(2)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-dataclass-without-eq",
        prelude="""
        @dataclass(eq=False)
        class Plan:
            to: object
        """,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan(node.left)
            return Plan(node.right)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-dataclass-with-slots",
        prelude="""
        @dataclass(frozen=True, slots=True)
        class Plan:
            to: object
        """,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan(node.left)
            return Plan(node.right)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-dataclass-part-not-compared",
        prelude="""
        from dataclasses import field as part_of


        @dataclass(frozen=True)
        class Plan:
            kind: str
            to: object = part_of(compare=False)
        """,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan("x", node.left)
            return Plan("x", node.right)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-dataclass-with-post-init",
        prelude="""
        @dataclass(frozen=True)
        class Plan:
            first: object
            second: object
            total: object = None

            def __post_init__(self):
                object.__setattr__(self, "total", self.first + self.second)
        """,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan(node.left, 1)
            return Plan(1, node.right)
        """,
        rule="node.out = self.plan(node).total",
    ),
    Construct(
        "define-returns-dataclass-of-two-classes",
        prelude="""
        @dataclass(frozen=True)
        class Go:
            to: object


        @dataclass(frozen=True)
        class Stay:
            to: object
        """,
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return Go(node.left)
            return Stay(node.left)
        """,
        rule="node.hit = isinstance(self.plan(node), Go)",
    ),
    Construct(
        "define-returns-nested-dataclass",
        prelude=FROZEN,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan(Plan(node.left))
            return Plan(Plan(node.right))
        """,
        rule="node.out = self.plan(node).to.to",
    ),
    Construct(
        "define-returns-subclass-of-dataclass",
        prelude=FROZEN + "\n\nclass Detour(Plan):\n    pass\n",
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Detour(node.left)
            return Plan(node.left)
        """,
        rule="node.hit = self.plan(node) == Plan(node.left)",
    ),
    Construct(
        "define-returns-named-tuple",
        prelude=NAMED,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan(node.left)
            return Plan(node.right)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-named-tuple-unpacked",
        prelude=NAMED,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan(node.left, 1)
            return Plan(node.right, 2)
        """,
        rule="to, why = self.plan(node)\nnode.out = to + why",
    ),
    Construct(
        "define-returns-named-tuple-with-property",
        prelude="""
        import typing


        class Plan(typing.NamedTuple):
            first: object
            second: object

            @property
            def total(self):
                return self.first + self.second
        """,
        methods="""
        @define
        def plan(self, node: Node) -> Plan:
            if node.flag:
                return Plan(node.left, 0)
            return Plan(1, node.right)
        """,
        rule="node.out = self.plan(node).total",
    ),
    Construct(
        "define-returns-collections-namedtuple",
        prelude='from collections import namedtuple\n\nPlan = namedtuple("Plan", "to why")\n',
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return Plan(node.left, 0)
            return Plan(node.right, 0)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-tuple",
        methods="""
        @define
        def plan(self, node: Node) -> tuple[int, bool]:
            if node.flag:
                return node.left, True
            return node.right, False
        """,
        rule="value, node.hit = self.plan(node)\nnode.out = value",
    ),
    Construct(
        "define-returns-tuples-of-two-lengths",
        methods="""
        @define
        def plan(self, node: Node) -> tuple[int, ...]:
            if node.flag:
                return (node.left,)
            return (node.left, node.right)
        """,
        rule="node.out = len(self.plan(node))",
    ),
    Construct(
        "define-returns-tuple-and-named-tuple",
        prelude=NAMED,
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return Plan(node.left, 1)
            return (node.right, 1)
        """,
        rule="node.hit = isinstance(self.plan(node), Plan)",
    ),
    Construct(
        "define-returns-list",
        methods="""
        @define
        def plan(self, node: Node) -> list[int]:
            if node.flag:
                return [node.left]
            return [node.right]
        """,
        rule="node.out = self.plan(node)[0]",
    ),
    Construct(
        "define-returns-tuple-with-list",
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return (1, [node.left])
            return (1, [node.right])
        """,
        rule="node.out = self.plan(node)[1][0]",
    ),
    Construct(
        "define-returns-lists-of-two-lengths",
        methods="""
        @define
        def plan(self, node: Node):
            found = []
            if node.flag:
                found.append(node.left)
            if node.left == 2:
                found.append(node.right)
            return found
        """,
        rule="node.out = sum(self.plan(node))",
    ),
    Construct(
        "define-returns-filtered-list",
        methods="""
        @define
        def ready(self) -> list[Node]:
            return [x for x in self.nodes if x.flag]
        """,
        rule="node.out = len(self.ready())",
    ),
    Construct(
        "define-returns-filtered-tuple",
        methods="""
        @define
        def ready(self) -> tuple[Node, ...]:
            return tuple(x for x in self.nodes if x.left == 2)
        """,
        rule="for x in self.ready():\n    x.hit = True",
    ),
    Construct(
        "unmarked-method-returns-filtered-list",
        methods="""
        def ready(self):
            return [x for x in self.nodes if x.flag]
        """,
        rule="for x in self.ready():\n    x.out = 3",
    ),
    Construct(
        "define-returns-dict",
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return {"to": node.left}
            return {"to": node.right}
        """,
        rule='node.out = self.plan(node)["to"]',
    ),
    Construct(
        "define-returns-dict-by-entity",
        methods="""
        @define
        def lefts(self):
            return {x: x.left for x in self.nodes}
        """,
        rule="node.out = self.lefts()[node.other]",
    ),
    Construct(
        "define-returns-set-of-plain",
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return {1, 2}
            return {2, 3}
        """,
        rule="node.hit = 3 in self.plan(node)",
    ),
    Construct(
        "define-returns-set-of-state",
        methods="""
        @define
        def plan(self, node: Node):
            return {node.left, node.right}
        """,
        rule="node.out = len(self.plan(node))",
    ),
    Construct(
        "define-returns-frozenset",
        methods="""
        @define
        def plan(self, node: Node):
            return frozenset({1}) if node.flag else frozenset()
        """,
        rule="node.hit = not self.plan(node)",
    ),
    Construct(
        "define-returns-generator",
        methods="""
        @define
        def lefts(self):
            return (x.left for x in self.nodes)
        """,
        rule="node.out = sum(self.lefts())",
    ),
    Construct(
        "define-yields",
        methods="""
        @define
        def lefts(self):
            for x in self.nodes:
                yield x.left
        """,
        rule="node.out = sum(self.lefts())",
    ),
    Construct(
        "define-returns-object",
        prelude="""
        class Plan:
            def __init__(self, to):
                self.to = to
        """,
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return Plan(node.left)
            return Plan(node.right)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-object-with-eq",
        prelude="""
        class Plan:
            def __init__(self, to):
                self.to = to

            def __eq__(self, other):
                return isinstance(other, Plan) and self.to == other.to

            def __hash__(self):
                return 1
        """,
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return Plan(node.left)
            return Plan(node.right)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-object-always-equal",
        prelude="""
        class Plan:
            def __init__(self, to):
                self.to = to

            def __eq__(self, other):
                return True
        """,
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return Plan(5)
            return Plan(6)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-simple-namespace",
        prelude="from types import SimpleNamespace\n",
        methods="""
        @define
        def plan(self, node: Node):
            if node.flag:
                return SimpleNamespace(to=node.left)
            return SimpleNamespace(to=node.right)
        """,
        rule="node.out = self.plan(node).to",
    ),
    Construct(
        "define-returns-function",
        methods="""
        @define
        def pick(self, node: Node):
            if node.flag:
                return lambda x: x.left
            return lambda x: x.right
        """,
        rule="node.out = self.pick(node)(node.other)",
    ),
    Construct(
        "define-returns-bound-method",
        methods="""
        @define
        def pick(self, node: Node):
            return node.seen.has if node.flag else node.other.seen.has
        """,
        rule="node.hit = self.pick(node)(1)",
    ),
    Construct(
        "define-returns-class",
        methods="""
        @define
        def kind(self, node: Node):
            return Stop if node.flag else Note
        """,
        rule="node.hit = node.mail == self.kind(node)",
    ),
    Construct(
        "define-returns-string",
        methods="""
        @define
        def word(self, node: Node) -> str:
            if node.flag:
                return "on"
            return "off"
        """,
        rule='node.hit = self.word(node) == "on"',
    ),
    Construct(
        "define-returns-none-on-one-path",
        methods="""
        @define
        def found(self, node: Node):
            if node.flag:
                return node.left
            return None
        """,
        rule="node.hit = self.found(node) == None",
    ),
    Construct(
        "define-falls-off-the-end",
        methods="""
        @define
        def found(self, node: Node):
            if node.flag:
                return node.left
        """,
        rule="node.out = self.found(node) or 7",
    ),
    Construct(
        "define-returns-nothing-on-one-path",
        methods="""
        @define
        def found(self, node: Node):
            if node.flag:
                return node.left
            return Nothing
        """,
        rule="node.hit = self.found(node) == Nothing",
    ),
    Construct(
        "define-returns-entity-or-nothing",
        methods="""
        @define
        def first(self):
            for x in self.nodes:
                if x.flag:
                    return x
            return Nothing
        """,
        rule="node.hit = self.first() == node",
    ),
    Construct(
        "define-returns-number-or-flag",
        methods="""
        @define
        def mixed(self, node: Node):
            if node.flag:
                return node.left
            return node.flag
        """,
        rule="node.hit = self.mixed(node) == 0",
    ),
    Construct(
        "define-returns-number-or-enum",
        methods="""
        @define
        def mixed(self, node: Node):
            if node.flag:
                return node.left
            return node.st
        """,
        rule="node.hit = self.mixed(node) == S.B",
    ),
    Construct(
        "define-returns-record",
        methods="""
        @define
        def answer(self, node: Node) -> Note:
            if node.flag:
                return Note(text=0)
            return Note(text=node.left)
        """,
        rule="node.rec = self.answer(node)",
    ),
    Construct(
        "define-returns-records-of-two-classes",
        methods="""
        @define
        def answer(self, node: Node):
            if node.flag:
                return Stop(reason=1)
            return Note(text=node.left)
        """,
        rule="node.mail = self.answer(node)",
    ),
    Construct(
        "define-returns-queue",
        methods="""
        @define
        def chosen(self, node: Node):
            if node.flag:
                return node.box
            return node.other.box
        """,
        rule="node.out = self.chosen(node).length",
    ),
    Construct(
        "define-returns-set-field",
        methods="""
        @define
        def chosen(self, node: Node):
            return node.seen if node.flag else node.other.seen
        """,
        rule="node.hit = self.chosen(node).has(1)",
    ),
    Construct(
        "define-returns-array",
        methods="""
        @define
        def chosen(self, node: Node):
            return node.slots
        """,
        rule="node.out = self.chosen(node)[1]",
    ),
    Construct(
        "step-returns-number",
        methods="""
        @step
        def moved(self, node: Node) -> int:
            node.hit = True
            if node.flag:
                return node.left
            return node.right
        """,
        rule="node.out = self.moved(node)",
    ),
    Construct(
        "step-returns-dataclass",
        prelude=FROZEN,
        methods="""
        @step
        def moved(self, node: Node) -> Plan:
            node.hit = True
            if node.flag:
                return Plan(node.left)
            return Plan(node.right)
        """,
        rule="node.out = self.moved(node).to",
    ),
    Construct(
        "step-returns-list",
        methods="""
        @step
        def moved(self, node: Node):
            node.hit = True
            if node.flag:
                return [node.left]
            return [node.right]
        """,
        rule="node.out = self.moved(node)[0]",
    ),
    Construct(
        "step-returns-value-read-before-write",
        methods="""
        @step
        def moved(self, node: Node) -> int:
            old = node.left
            node.left = 0
            return old
        """,
        rule="node.out = self.moved(node) + node.left",
    ),
    Construct(
        "unmarked-function-returns-dataclass",
        prelude=FROZEN
        + """

def plan(node):
    if node.flag:
        return Plan(node.left)
    return Plan(node.right)
""",
        rule="node.out = plan(node).to",
    ),
    Construct(
        "unmarked-method-returns-none-or-value",
        methods="""
        def found(self, node):
            if node.flag:
                return node.left
            return None
        """,
        rule="node.hit = self.found(node) == None",
    ),
    Construct(
        "unmarked-method-returns-none-tested-by-if",
        methods="""
        def found(self, node):
            if node.flag:
                return node.left
            return None
        """,
        rule="found = self.found(node)\nif found:\n    node.out = found",
    ),
    Construct(
        "dataclass-equals-dataclass",
        prelude=FROZEN,
        rule="node.hit = Plan(node.left) == Plan(1)",
    ),
    Construct(
        "dataclass-not-equal-dataclass",
        prelude=FROZEN,
        rule="node.hit = Plan(node.st) != Plan(S.A)",
    ),
    Construct(
        "dataclass-less-than",
        prelude="""
        @dataclass(frozen=True, order=True)
        class Weight:
            value: int
        """,
        rule="node.hit = Weight(node.left) < Weight(2)",
    ),
    Construct(
        "dataclass-in-tuple",
        prelude=FROZEN,
        rule="node.hit = Plan(node.left) in (Plan(0), Plan(2))",
    ),
    Construct(
        "dataclass-as-key",
        prelude=FROZEN,
        rule="node.out = {Plan(1): 4, Plan(2): 5}.get(Plan(node.left), 6)",
    ),
    Construct(
        "dataclass-hash",
        prelude=FROZEN,
        rule="node.hit = hash(Plan(node.left)) == hash(Plan(1))",
    ),
    Construct(
        "dataclass-replace",
        prelude="from dataclasses import replace\n" + FROZEN,
        rule='node.out = replace(Plan(node.left), why="x").to',
    ),
    Construct(
        "dataclass-replace-of-record",
        prelude="from dataclasses import replace\n",
        rule="node.rec = replace(node.rec, text=2)",
    ),
    Construct(
        "dataclass-asdict",
        prelude="from dataclasses import asdict\n" + FROZEN,
        rule='node.out = asdict(Plan(node.left))["to"]',
    ),
    Construct(
        "dataclass-astuple",
        prelude="from dataclasses import astuple\n" + FROZEN,
        rule="node.hit = astuple(Plan(node.left)) == (1, 'none')",
    ),
    Construct(
        "dataclass-matched",
        prelude=FROZEN,
        rule="""
        match Plan(node.left):
            case Plan(to=1):
                node.out = 1
            case Plan(to=x):
                node.out = x + 3
        """,
    ),
    Construct(
        "dataclass-mutated",
        prelude=PLAN,
        rule="plan = Plan(node.left)\nif node.flag:\n    plan.to = 3\nnode.out = plan.to",
    ),
    Construct(
        "dataclass-with-default-factory",
        prelude="""
        from dataclasses import field as part_of


        @dataclass
        class Plan:
            steps: list = part_of(default_factory=list)
        """,
        rule="plan = Plan()\nplan.steps.append(node.left)\nnode.out = plan.steps[0]",
    ),
    Construct(
        "dataclass-passed-to-helper",
        prelude=FROZEN,
        methods="""
        @define
        def total(self, plan: Plan) -> int:
            return plan.to + 1
        """,
        rule="node.out = self.total(Plan(node.left))",
    ),
    Construct(
        "named-tuple-equals-tuple",
        prelude=NAMED,
        rule="node.hit = Plan(node.left) == (1, 0)",
    ),
    Construct(
        "named-tuple-replace",
        prelude=NAMED,
        rule="node.out = Plan(node.left)._replace(why=2).to",
    ),
    Construct(
        "named-tuple-asdict",
        prelude=NAMED,
        rule='node.out = Plan(node.left)._asdict()["to"]',
    ),
    Construct(
        "named-tuple-index-method",
        prelude=NAMED,
        rule="node.out = Plan(node.left, 2).index(2)",
    ),
    Construct(
        "named-tuple-in-list",
        prelude=NAMED,
        rule="node.hit = Plan(node.left) in [Plan(1), Plan(3)]",
    ),
    Construct("tuple-index-of-state", rule="node.out = (0, 1, 2).index(node.left)"),
    Construct("tuple-count-of-state", rule="node.out = (1, 1, 2).count(node.left)"),
    Construct("tuple-count-in-state", rule="node.out = (node.left, node.right).count(2)"),
    Construct("tuple-plus-tuple", rule="node.out = ((node.left,) + (node.right,))[1]"),
    Construct("tuple-times-state", rule="node.out = len((1,) * node.left)"),
    Construct("tuple-hash", rule="node.hit = hash((node.left, 1)) == hash((1, 1))"),
    Construct("tuple-truth", rule="if (node.left, node.right):\n    node.out = 1"),
    Construct(
        "tuple-truth-of-empty", rule="if ():\n    node.out = 1\nelse:\n    node.out = node.left"
    ),
)
