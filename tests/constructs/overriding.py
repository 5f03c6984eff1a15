"""Subclasses of the protocol that override rules and helpers, in each way that Python has."""

from textwrap import dedent, indent

from tests.constructs.construct import Construct

SIZE = """
@define
def size(self, node: Node, extra: int) -> int:
    return node.left + extra

@step
def pair_up(self, node: Node, other: Node) -> None:
    node.hit = other.flag
"""
WIDE = """
@define
def wide(self, node: Node, extra: int) -> int:
    return node.right + extra
"""
CALLS = "node.out = self.size(node, 1)"
PAIRS = "self.pair_up(node, node.other)"


def child(body: str, bases: str = "Toy", first: str = "") -> str:
    """Return a module's end with a subclass `Child` that stands for the protocol."""
    head = f'class Child({bases}):\n    """A change of the toy."""\n\n'
    lines = indent(dedent(body).strip("\n"), "    ")
    return f"{dedent(first)}\n\n{head}{lines}\n\n\nPROTOCOLS = (Child,)\n"


CONSTRUCTS: tuple[Construct, ...] = (
    Construct(
        "override-define",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, node: Node, extra: int) -> int:
            return node.right + extra
        """),
    ),
    Construct(
        "override-define-with-super",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, node: Node, extra: int) -> int:
            return super().size(node, extra) + 1
        """),
    ),
    Construct(
        "override-define-with-super-of-arguments",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, node: Node, extra: int) -> int:
            return super(Child, self).size(node, extra + 1)
        """),
    ),
    Construct(
        "override-define-with-class-call",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, node: Node, extra: int) -> int:
            return Toy.size(self, node, extra) + 2
        """),
    ),
    Construct(
        "override-define-other-order",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, extra: int, node: Node) -> int:
            return node.right + extra
        """),
    ),
    Construct(
        "override-define-other-order-of-numbers",
        methods="""
        @define
        def less(self, a: int, b: int) -> int:
            return a - b + 3
        """,
        rule="node.out = self.less(node.left, node.right)",
        after=child("""
        @define
        def less(self, b: int, a: int) -> int:
            return a - b + 3
        """),
    ),
    Construct(
        "override-define-other-names",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, task: Node, more: int) -> int:
            return task.right + more
        """),
    ),
    Construct(
        "override-define-other-names-called-by-keyword",
        methods=SIZE,
        rule="node.out = self.size(node=node, extra=1)",
        after=child("""
        @define
        def size(self, task: Node, more: int) -> int:
            return task.right + more
        """),
    ),
    Construct(
        "override-define-with-more-parameters",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, node: Node, extra: int, more: int = 2) -> int:
            return node.right + extra + more
        """),
    ),
    Construct(
        "override-define-with-fewer-parameters",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, node: Node) -> int:
            return node.right
        """),
    ),
    Construct(
        "override-define-with-star-args",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, *args) -> int:
            return args[0].right + args[1]
        """),
    ),
    Construct(
        "override-define-returns-bool-for-int",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def size(self, node: Node, extra: int) -> bool:
            return node.flag
        """),
    ),
    Construct(
        "override-define-without-mark",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        def size(self, node, extra):
            return node.right + extra
        """),
    ),
    Construct(
        "override-define-as-step",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @step
        def size(self, node: Node, extra: int) -> int:
            node.hit = True
            return node.right + extra
        """),
    ),
    Construct("override-define-as-attribute", methods=SIZE, rule=CALLS, after=child("size = 3")),
    Construct(
        "override-define-as-lambda",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        size = define(lambda self, node, extra: node.right + extra)
        """),
    ),
    Construct(
        "override-define-as-alias",
        methods=SIZE + WIDE,
        rule=CALLS,
        after=child("size = Toy.wide"),
    ),
    Construct(
        "override-define-as-property",
        methods="""
        @property
        def busy(self):
            return self.nodes[0].flag
        """,
        rule="node.hit = self.busy",
        after=child("""
        @property
        def busy(self):
            return not super().busy
        """),
    ),
    Construct(
        "override-define-by-assignment",
        methods=SIZE,
        rule=CALLS,
        after="""
        def wide(self, node, extra):
            return node.right + extra


        Toy.size = define(wide)
        """,
    ),
    Construct(
        "override-define-by-assignment-unmarked",
        methods=SIZE,
        rule=CALLS,
        after="""
        Toy.size = lambda self, node, extra: node.right + extra
        """,
    ),
    Construct(
        "override-define-on-the-object",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        def __init__(self, setting: Setting) -> None:
            super().__init__(setting)
            self.size = lambda node, extra: node.right + extra
        """),
    ),
    Construct(
        "override-define-misspelt",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        @define
        def sise(self, node: Node, extra: int) -> int:
            return node.right + extra
        """),
    ),
    Construct(
        "override-step",
        methods=SIZE,
        rule=PAIRS,
        after=child("""
        @step
        def pair_up(self, node: Node, other: Node) -> None:
            super().pair_up(node, other)
            node.out = 3
        """),
    ),
    Construct(
        "override-step-other-order",
        methods=SIZE,
        rule=PAIRS,
        after=child("""
        @step
        def pair_up(self, other: Node, node: Node) -> None:
            node.hit = other.flag
        """),
    ),
    Construct(
        "override-step-swaps-for-super",
        methods=SIZE,
        rule=PAIRS,
        after=child("""
        @step
        def pair_up(self, node: Node, other: Node) -> None:
            super().pair_up(other, node)
        """),
    ),
    Construct(
        "override-step-does-nothing",
        methods=SIZE,
        rule=PAIRS,
        after=child("""
        @step
        def pair_up(self, node: Node, other: Node) -> None:
            pass
        """),
    ),
    Construct(
        "override-rule",
        after=child("""
        @rule
        def go(self, node: Node) -> None:
            \"\"\"A node goes.\"\"\"
            super().go(node)
            node.hit = node.flag
        """),
    ),
    Construct(
        "override-rule-with-less",
        after=child("""
        @rule
        def go(self, node: Node) -> None:
            \"\"\"A node goes.\"\"\"
            require(node.n < 3, node.left == 2)
            node.n += 1
        """),
    ),
    Construct(
        "override-rule-with-other-name-of-parameter",
        after=child("""
        @rule
        def go(self, task: Node) -> None:
            \"\"\"A node goes.\"\"\"
            super().go(task)
            task.hit = True
        """),
    ),
    Construct(
        "override-rule-with-more-parameters",
        after=child("""
        @rule
        def go(self, node: Node, yes: bool) -> None:
            \"\"\"A node goes.\"\"\"
            super().go(node)
            node.hit = yes
        """),
    ),
    Construct(
        "override-rule-with-other-class",
        after=child("""
        @rule
        def go(self, node: Peer) -> None:
            \"\"\"A node goes.\"\"\"
            super().go(node)
        """),
    ),
    Construct(
        "override-rule-without-mark",
        after=child("""
        def go(self, node):
            super().go(node)
            node.hit = True
        """),
    ),
    Construct("override-rule-as-none", after=child("go = None")),
    Construct(
        "override-rule-as-define",
        after=child("""
        @define
        def go(self, node: Node) -> bool:
            return node.flag
        """),
    ),
    Construct(
        "override-rule-calls-other-node",
        after=child("""
        @rule
        def go(self, node: Node) -> None:
            \"\"\"The other node goes.\"\"\"
            super().go(node.other)
        """),
    ),
    Construct(
        "override-rule-calls-super-twice",
        after=child("""
        @rule
        def go(self, node: Node) -> None:
            \"\"\"A node goes twice.\"\"\"
            super().go(node)
            super().go(node)
        """),
    ),
    Construct(
        "override-rule-in-try",
        after=child("""
        @rule
        def go(self, node: Node) -> None:
            \"\"\"A node goes, or ticks.\"\"\"
            try:
                super().go(node)
            except Exception:
                node.hit = True
        """),
    ),
    Construct(
        "override-terminal",
        after=child("""
        @define
        def terminal(self) -> bool:
            return super().terminal() or self.nodes[0].flag
        """),
    ),
    Construct(
        "override-terminal-with-list",
        after=child("""
        @define
        def terminal(self) -> bool:
            return [x.n == 3 for x in self.nodes]
        """),
    ),
    Construct(
        "override-terminal-with-generator",
        after=child("""
        @define
        def terminal(self) -> bool:
            return (x.n == 3 for x in self.nodes)
        """),
    ),
    Construct(
        "override-entities",
        after=child("""
        def entities(self) -> Sequence[Entity]:
            return self.nodes[::-1]
        """),
    ),
    Construct(
        "override-entities-with-one-less",
        after=child("""
        def entities(self) -> Sequence[Entity]:
            return self.nodes[:1]
        """),
    ),
    Construct(
        "override-entities-with-generator",
        after=child("""
        def entities(self) -> Sequence[Entity]:
            return (x for x in self.nodes)
        """),
    ),
    Construct(
        "override-class-attribute",
        methods="factor = 1\n",
        rule="node.out = node.left + self.factor",
        after=child("factor = 2"),
    ),
    Construct(
        "override-field-initial",
        methods="total = field(Range(0, 3), 0)\n",
        rule="node.out = self.total",
        after=child("total = field(Range(0, 3), 2)"),
    ),
    Construct(
        "override-field-by-constant",
        methods="total = field(Range(0, 3), 0)\n",
        rule="node.out = self.total",
        after=child("total = 2"),
    ),
    Construct(
        "override-with-mixin-before",
        methods=SIZE,
        rule=CALLS,
        after=child(
            "pass",
            "Wide, Toy",
            """
        class Wide:
            @define
            def size(self, node: Node, extra: int) -> int:
                return super().size(node, extra) + 3


        """,
        ),
    ),
    Construct(
        "override-with-mixin-after",
        methods=SIZE,
        rule=CALLS,
        after=child(
            "pass",
            "Toy, Wide",
            """
        class Wide:
            @define
            def size(self, node: Node, extra: int) -> int:
                return 9


        """,
        ),
    ),
    Construct(
        "override-with-unmarked-mixin",
        methods=SIZE,
        rule=CALLS,
        after=child(
            "pass",
            "Wide, Toy",
            """
        class Wide:
            def size(self, node, extra):
                return node.right + extra


        """,
        ),
    ),
    Construct(
        "override-with-two-mixins",
        methods=SIZE,
        rule=CALLS,
        after=child(
            "pass",
            "Wide, Long",
            """
        class Wide(Toy):
            \"\"\"Wider.\"\"\"

            @define
            def size(self, node: Node, extra: int) -> int:
                return super().size(node, extra) + 1


        class Long(Toy):
            \"\"\"Longer.\"\"\"

            @define
            def size(self, node: Node, extra: int) -> int:
                return super().size(node, extra + extra)


        """,
        ),
    ),
    Construct(
        "override-by-class-decorator",
        methods=SIZE,
        rule=CALLS,
        prelude="""
        def widened(cls):
            cls.size = define(lambda self, node, extra: node.right + extra)
            return cls
        """,
        after="@widened\n" + child("pass"),
    ),
    Construct(
        "override-by-init-subclass",
        methods=SIZE
        + """
def __init_subclass__(cls, extra=0, **kwargs):
    super().__init_subclass__(**kwargs)
    cls.extra = extra
""",
        rule="node.out = self.size(node, getattr(self, 'extra', 0))",
        after=child("pass", "Toy, extra=4"),
    ),
    Construct(
        "override-checks-own-class",
        methods=SIZE,
        rule="node.out = 1 if isinstance(self, Child) else 2",
        after=child("pass"),
    ),
    Construct(
        "override-checks-type-of-self",
        methods=SIZE,
        rule="node.hit = type(self) is Toy",
        after=child("pass"),
    ),
    Construct(
        "override-checks-key",
        rule='node.hit = self.key == "toy" and node.flag',
        after=child("pass"),
    ),
    Construct(
        "override-keeps-local-state",
        methods=SIZE,
        rule=CALLS,
        after=child("""
        calls = []

        @define
        def size(self, node: Node, extra: int) -> int:
            self.calls.append(node)
            return len(self.calls) % 5
        """),
    ),
    Construct(
        "override-entity-class",
        fields="""
        def weight(self):
            return self.left
        """,
        rule="node.out = node.weight()",
        after=child(
            """
        def __init__(self, setting: Setting) -> None:
            super().__init__(setting)
            self.nodes = (Node("a"), Heavy("b"))
            for number, node in enumerate(self.nodes, 1):
                node.number = number
                node.other = self.nodes[2 - number]
        """,
            "Toy",
            """
        class Heavy(Node):
            \"\"\"A heavy node.\"\"\"

            def weight(self):
                return self.left + 4


        """,
        ),
    ),
)
