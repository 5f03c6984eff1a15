"""The language's own quantifiers, guards and marks, used well and badly."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("all-over-generator", rule="node.hit = all(x.left > 1 for x in self.nodes)"),
    Construct("any-over-generator", rule="node.hit = any(x.st == S.C for x in self.nodes)"),
    Construct(
        "all-with-filter-of-state", rule="node.hit = all(x.left == 2 for x in self.nodes if x.flag)"
    ),
    Construct(
        "any-with-two-filters",
        rule="node.hit = any(x.flag for x in self.nodes if x.left > 0 if x.number > 0)",
    ),
    Construct(
        "all-of-nested-any",
        rule="node.hit = all(any(a.left != b.left for b in self.nodes) for a in self.nodes)",
    ),
    Construct("all-over-slots", rule="node.hit = all(v == 0 for v in node.slots)"),
    Construct("any-over-queue", rule="node.hit = any(r == Stop for r in node.box)"),
    Construct("any-over-set", rule="node.hit = any(v > 0 for v in node.seen)"),
    Construct("sum-of-ternary", rule="node.out = sum(2 if x.flag else 1 for x in self.nodes)"),
    Construct(
        "sum-with-negative", rule="node.out = 4 + sum(-1 if x.flag else 1 for x in self.nodes)"
    ),
    Construct(
        "max-over-filtered-generator",
        rule="node.out = max((x.left for x in self.nodes if x.flag), default=8)",
    ),
    Construct("max-over-empty-filter", rule="node.out = max(x.left for x in self.nodes if x.flag)"),
    Construct("forall-with-lambda", rule="node.hit = forall(self.nodes, lambda x: x.left > 1)"),
    Construct("exists-with-lambda", rule="node.hit = exists(self.nodes, lambda x: x.flag)"),
    Construct("count-with-lambda", rule="node.out = count(self.nodes, lambda x: x.flag)"),
    Construct("forall-over-generator", rule="node.hit = forall(x.left > 1 for x in self.nodes)"),
    Construct("exists-over-generator", rule="node.hit = exists(x.flag for x in self.nodes)"),
    Construct("count-over-generator", rule="node.out = count(x.flag for x in self.nodes)"),
    Construct(
        "each-over-nodes", rule="for x in each(self.nodes):\n    if x.flag:\n        x.hit = True"
    ),
    Construct("each-with-lambda", rule="each(self.nodes, lambda x: x.seen.add(0))"),
    Construct("exists-with-is", rule="node.hit = exists(self.nodes, lambda x: x.st is S.B)"),
    Construct(
        "exists-with-function-of-module",
        prelude="def busy(x):\n    return x.st == S.B\n",
        rule="node.hit = exists(self.nodes, busy)",
    ),
    Construct(
        "exists-with-define",
        methods="@define\ndef busy(self, node: Node) -> bool:\n    return node.st == S.B\n",
        rule="node.hit = exists(self.nodes, self.busy)",
    ),
    Construct("exists-with-number", rule="node.hit = exists(self.nodes, lambda x: x.left)"),
    Construct(
        "exists-with-tuple", rule="node.hit = exists(self.nodes, lambda x: (x.flag, x.left))"
    ),
    Construct(
        "exists-with-branch",
        prelude="def fine(x):\n    if x.flag:\n        return x.left == 2\n    return False\n",
        rule="node.hit = exists(self.nodes, fine)",
    ),
    Construct("exists-over-set-field", rule="node.hit = exists(node.friends, lambda x: x.flag)"),
    Construct("count-over-set-field", rule="node.out = count(node.friends, lambda x: x.flag)"),
    Construct("count-over-queue", rule="node.out = count(node.box, lambda r: r == Note)"),
    Construct("count-over-range", rule="node.out = count(range(3), lambda n: n < node.left)"),
    Construct(
        "all-over-range-with-at", rule="node.hit = all(node.box.at(i) == Note for i in range(2))"
    ),
    Construct(
        "all-over-range-of-length",
        rule="node.hit = all(node.box.at(i) == Note for i in range(node.box.length))",
    ),
    Construct("generator-with-write", rule="node.hit = any(x.seen.add(0) for x in self.nodes)"),
    Construct(
        "any-stops-early-with-fault",
        rule="node.hit = any(x.maybe == Nothing or x.maybe > 1 for x in self.nodes)",
    ),
    Construct(
        "all-with-fault-behind",
        rule="node.hit = all(x.maybe > 0 for x in self.nodes if x.maybe != Nothing)",
    ),
    Construct(
        "any-with-fault-in-second", rule="node.hit = any(x.flag or x.peer.flag for x in self.nodes)"
    ),
    Construct("require-with-quantifier", rule="require(any(x.flag for x in self.nodes))"),
    Construct(
        "require-many", rule="require(node.left > 0, node.right > 0, not node.hit)\nnode.hit = True"
    ),
    Construct(
        "require-stops-before-fault", rule="require(node.maybe != Nothing, lambda: node.maybe > 0)"
    ),
    Construct(
        "require-without-lambda-fault", rule="require(node.maybe != Nothing, node.maybe > 0)"
    ),
    Construct("require-returns-value", rule="node.hit = require(node.left > 0) == None"),
    Construct("require-with-star", rule="require(*(x.left > 0 for x in self.nodes))"),
    Construct("require-with-keyword", rule='require(node.left > 0, message="left")'),
    Construct("within-counted", rule="within(node.out, self.bounds.notes)\nnode.out += 1"),
    Construct("within-of-state-bound", rule="within(node.left, node.right)"),
    Construct("within-as-condition", rule="if within(node.left, 2):\n    node.out = 1"),
    Construct("before-in-rule", rule="node.hit = before(lambda: node.flag)"),
    Construct("when-in-rule", rule="when(node.flag)\nnode.out = 1"),
    Construct("observes-unknown-history", rule='if self.observes("effects"):\n    node.out = 1'),
    Construct(
        "reads-ghost-field",
        fields='trail = field(Range(0, 3), 0, ghost="trail")\n',
        methods='ghosts = ("trail",)\n',
        rule="node.out = node.trail",
    ),
    Construct(
        "writes-ghost-field",
        fields='trail = field(Range(0, 3), 0, ghost="trail")\n',
        methods='ghosts = ("trail",)\n',
        rule='if self.observes("trail"):\n    node.trail = node.left',
    ),
    Construct("define-called-on-another-protocol", rule="node.hit = Toy.terminal(self)"),
    Construct(
        "rule-with-choice-of-bool",
        methods="""
        @rule
        def choose(self, node: Node, yes: bool) -> None:
            \"\"\"A node chooses.\"\"\"
            require(not node.hit)
            node.hit = True
            node.out = 2 if yes else 1
        """,
    ),
    Construct(
        "rule-with-choice-of-bool-by-is",
        methods="""
        @rule
        def choose(self, node: Node, yes: bool) -> None:
            \"\"\"A node chooses.\"\"\"
            require(not node.hit)
            node.hit = True
            node.out = 2 if yes is True else 1
        """,
    ),
    Construct(
        "rule-with-choice-of-number",
        methods="""
        @rule
        def choose(self, node: Node, value: Annotated[int, Range(0, 2)]) -> None:
            \"\"\"A node chooses.\"\"\"
            require(not node.hit, value != node.left)
            node.hit = True
            node.out = value * 2
        """,
    ),
    Construct(
        "rule-with-choice-as-index",
        methods="""
        @rule
        def choose(self, node: Node, value: Annotated[int, Range(0, 1)]) -> None:
            \"\"\"A node chooses.\"\"\"
            require(not node.hit)
            node.hit = True
            node.out = node.slots[value] + self.nodes[value].number
        """,
    ),
    Construct(
        "rule-with-choice-as-key",
        methods="""
        @rule
        def choose(self, node: Node, value: Annotated[int, Range(0, 1)]) -> None:
            \"\"\"A node chooses.\"\"\"
            require(not node.hit)
            node.hit = True
            node.out = {0: 4, 1: 5}[value]
        """,
    ),
    Construct(
        "rule-with-default-parameter",
        methods="""
        @rule
        def choose(self, node: Node, yes: bool = True) -> None:
            \"\"\"A node chooses.\"\"\"
            require(not node.hit)
            node.hit = yes
            node.out = 1
        """,
    ),
    Construct(
        "rule-with-two-nodes-equal",
        methods="""
        @rule
        def meet(self, a: Node, b: Node) -> None:
            \"\"\"Two nodes meet.\"\"\"
            require(a != b, not a.hit)
            a.hit = b.flag or a.left == b.left
            a.out = 1
        """,
    ),
    Construct(
        "rule-with-two-nodes-by-is",
        methods="""
        @rule
        def meet(self, a: Node, b: Node) -> None:
            \"\"\"Two nodes meet.\"\"\"
            require(a is not b, not a.hit)
            a.hit = True
        """,
    ),
    Construct(
        "rule-with-name-test",
        methods="""
        @rule
        def meet(self, a: Node, b: Node) -> None:
            \"\"\"Two nodes meet.\"\"\"
            require(a.name < b.name, not a.hit)
            a.hit = True
        """,
    ),
    Construct(
        "rule-without-parameters",
        methods="""
        @rule
        def settle(self) -> None:
            \"\"\"Both nodes settle.\"\"\"
            require(any(not x.hit for x in self.nodes))
            for x in self.nodes:
                x.hit = True
        """,
    ),
    Construct(
        "rule-weakly-fair",
        methods="""
        @rule(fair=WEAK)
        def settle(self, node: Node) -> None:
            \"\"\"A node settles.\"\"\"
            require(node.flag, not node.hit)
            node.hit = True
        """,
    ),
    Construct(
        "rule-strongly-fair",
        methods="""
        @rule(fair=STRONG)
        def settle(self, node: Node) -> None:
            \"\"\"A node settles.\"\"\"
            require(node.flag, not node.hit)
            node.hit = True
        """,
    ),
    Construct(
        "rule-fair-by-plain-value",
        methods="""
        @rule(fair=True)
        def settle(self, node: Node) -> None:
            \"\"\"A node settles.\"\"\"
            require(node.flag, not node.hit)
            node.hit = True
        """,
    ),
    Construct(
        "rule-made-by-function",
        prelude="""
        def made(value):
            @rule
            def settle(self, node: "Node") -> None:
                \"\"\"A node settles.\"\"\"
                require(node.left == value, not node.hit)
                node.hit = True

            return settle
        """,
        methods="settle = made(2)\n",
    ),
    Construct(
        "rule-with-string-annotation",
        methods="""
        @rule
        def settle(self, node: "Node") -> None:
            \"\"\"A node settles.\"\"\"
            require(node.flag, not node.hit)
            node.hit = True
        """,
    ),
    Construct(
        "rule-with-aliased-annotation",
        methods="""
        Choice = Annotated[int, Range(0, 1)]

        @rule
        def settle(self, node: Node, choice: Choice) -> None:
            \"\"\"A node settles.\"\"\"
            require(node.out == 0)
            node.out = choice + 1
        """,
    ),
)
