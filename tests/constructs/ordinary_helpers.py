"""Helpers, overrides and properties as the reference describes them: each must be accepted."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct(
        "ordinary-define",
        methods="@define\ndef busy(self, node: Node) -> bool:\n    return node.st == S.B\n",
        rule="node.hit = self.busy(node)",
    ),
    Construct(
        "ordinary-define-with-paths",
        methods="""
        @define
        def size(self, node: Node) -> int:
            if node.flag:
                return 1
            if node.left == 2:
                return node.right + 1
            return 0
        """,
        rule="node.out = self.size(node)",
    ),
    Construct(
        "ordinary-define-of-enum",
        methods="""
        @define
        def following(self, node: Node) -> S:
            match node.st:
                case S.A:
                    return S.B
                case S.B:
                    return S.C
                case _:
                    return S.A
        """,
        rule="node.st = self.following(node)",
    ),
    Construct(
        "ordinary-define-of-option",
        methods="""
        @define
        def found(self, node: Node):
            if node.flag:
                return node.left
            return Nothing
        """,
        rule="node.maybe = self.found(node)",
    ),
    Construct(
        "ordinary-define-of-entity",
        methods="""
        @define
        def leader(self) -> Node:
            if self.nodes[0].flag:
                return self.nodes[0]
            return self.nodes[1]
        """,
        rule="self.turn = self.leader()",
    ),
    Construct(
        "ordinary-define-of-entity-followed",
        methods="""
        @define
        def leader(self) -> Node:
            return self.nodes[0] if self.nodes[0].flag else self.nodes[1]
        """,
        rule="node.out = self.leader().left",
    ),
    Construct(
        "ordinary-define-of-record",
        methods="""
        @define
        def answer(self, node: Node):
            if node.flag:
                return Stop(reason=1)
            return Note(text=node.rec.text)
        """,
        rule="node.mail = self.answer(node)",
    ),
    Construct(
        "ordinary-define-calls-define",
        methods="""
        @define
        def busy(self, node: Node) -> bool:
            return node.st != S.A

        @define
        def all_busy(self) -> bool:
            return all(self.busy(x) for x in self.nodes)
        """,
        rule="node.hit = self.all_busy()",
    ),
    Construct(
        "ordinary-define-with-argument",
        methods="""
        @define
        def at_least(self, node: Node, low: int) -> bool:
            return node.left >= low
        """,
        rule="node.hit = self.at_least(node, 2) and not self.at_least(node.other, 1)",
    ),
    Construct(
        "ordinary-define-with-state-argument",
        methods="""
        @define
        def smaller(self, a: int, b: int) -> int:
            return a if a < b else b
        """,
        rule="node.out = self.smaller(node.left, node.right)",
    ),
    Construct(
        "ordinary-define-in-require",
        methods="""
        @define
        def fine(self, node: Node) -> bool:
            return node.left + node.right < 4
        """,
        rule="require(self.fine(node))",
    ),
    Construct(
        "ordinary-define-in-if",
        methods="""
        @define
        def fine(self, node: Node) -> bool:
            return node.left + node.right < 4
        """,
        rule="if self.fine(node):\n    node.out = 1\nelse:\n    node.out = 2",
    ),
    Construct(
        "ordinary-define-of-plain",
        methods="""
        @define
        def is_sink(self, node: Node) -> bool:
            return node.kind == "sink"
        """,
        rule="node.hit = self.is_sink(node) and node.flag",
    ),
    Construct(
        "ordinary-define-after-write",
        methods="""
        @define
        def total(self, node: Node) -> int:
            return node.left + node.right
        """,
        rule="node.left = 1\nnode.out = self.total(node)",
    ),
    Construct(
        "ordinary-define-for-each-node",
        methods="""
        @define
        def weight(self, node: Node) -> int:
            if node.flag:
                return 2
            return 1
        """,
        rule="node.out = sum(self.weight(x) for x in self.nodes)",
    ),
    Construct(
        "ordinary-step",
        methods="@step\ndef mark(self, node: Node) -> None:\n    node.hit = True\n",
        rule="self.mark(node.other)",
    ),
    Construct(
        "ordinary-step-with-paths",
        methods="""
        @step
        def move(self, node: Node) -> None:
            if node.flag:
                node.out = 1
            elif node.left == 2:
                node.out = 2
            else:
                node.hit = True
        """,
        rule="self.move(node)",
    ),
    Construct(
        "ordinary-step-for-each-node",
        methods="""
        @step
        def move(self, node: Node) -> None:
            if node.flag:
                node.hit = True
            else:
                node.out = 2
        """,
        rule="for x in self.nodes:\n    self.move(x)",
    ),
    Construct(
        "ordinary-step-calls-step",
        methods="""
        @step
        def mark(self, node: Node) -> None:
            node.hit = True

        @step
        def mark_both(self, node: Node) -> None:
            self.mark(node)
            if node.flag:
                self.mark(node.other)
        """,
        rule="self.mark_both(node)",
    ),
    Construct(
        "ordinary-step-with-argument",
        methods="""
        @step
        def store(self, node: Node, value: int) -> None:
            node.out = value + 1
        """,
        rule="self.store(node, node.left)",
    ),
    Construct(
        "ordinary-step-on-turn",
        methods="""
        @step
        def mark(self, node: Node) -> None:
            node.hit = node.flag
        """,
        rule="self.mark(self.turn)",
    ),
    Construct(
        "ordinary-step-with-requirement",
        methods="""
        @step
        def mark(self, node: Node) -> None:
            require(node.left > 0)
            node.hit = True
        """,
        rule="self.mark(node)",
    ),
    Construct(
        "ordinary-step-with-queue",
        methods="""
        @step
        def forward(self, node: Node, other: Node) -> None:
            if node.box.head != Nothing and other.box.has_space:
                other.box.put(node.box.head)
                node.box.take()
        """,
        rule="self.forward(node, node.other)",
    ),
    Construct(
        "ordinary-unmarked-method",
        methods="def total(self, node):\n    return node.left + node.right\n",
        rule="node.out = self.total(node)",
    ),
    Construct(
        "ordinary-unmarked-method-with-if",
        methods="""
        def total(self, node):
            if node.flag:
                return node.left
            return node.right
        """,
        rule="node.out = self.total(node)",
    ),
    Construct(
        "ordinary-unmarked-function",
        prelude="def total(node):\n    return node.left + node.right\n",
        rule="node.out = total(node)",
    ),
    Construct(
        "ordinary-unmarked-function-with-if",
        prelude="def total(node):\n    if node.left == 2:\n        return 1\n    return 2\n",
        rule="node.out = total(node)",
    ),
    Construct(
        "ordinary-unmarked-function-that-writes",
        prelude="def mark(node):\n    node.hit = True\n",
        rule="mark(node)\nmark(node.other)",
    ),
    Construct(
        "ordinary-unmarked-method-of-plain",
        methods="def others(self, node):\n    return tuple(x for x in self.nodes if x != node)\n",
        rule="node.hit = any(x.flag for x in self.others(node))",
    ),
    Construct(
        "ordinary-method-of-entity",
        fields="def total(self):\n    return self.left + self.right\n",
        rule="node.out = node.total()",
    ),
    Construct(
        "ordinary-property-of-entity",
        fields="@property\ndef total(self):\n    return self.left + self.right\n",
        rule="node.out = node.total",
    ),
    Construct(
        "ordinary-constant-of-module",
        prelude="BUSY = (S.B, S.C)\n",
        rule="node.hit = node.st in BUSY",
    ),
    Construct(
        "ordinary-constant-of-class",
        methods="bonus = 2\n",
        rule="node.out = node.left + self.bonus",
    ),
    Construct(
        "ordinary-helper-of-plain-values",
        prelude="def squared(number):\n    return number * number\n",
        rule="node.out = node.left + squared(node.number)",
    ),
    Construct(
        "ordinary-rule-over-two-nodes",
        methods="""
        @rule
        def meet(self, a: Node, b: Node) -> None:
            \"\"\"Two nodes meet.\"\"\"
            require(a != b, a.flag, not b.hit)
            b.hit = True
        """,
    ),
    Construct(
        "ordinary-rule-with-choice",
        methods="""
        @rule
        def choose(self, node: Node, value: Annotated[int, Range(1, 2)]) -> None:
            \"\"\"A node chooses.\"\"\"
            require(node.out == 0, value != node.left)
            node.out = value
        """,
    ),
    Construct(
        "ordinary-rule-with-enum-choice",
        methods="""
        @rule
        def choose(self, node: Node, st: S) -> None:
            \"\"\"A node chooses.\"\"\"
            require(node.st != st, node.out == 0)
            node.out = 1 if st == S.A else 2
        """,
    ),
    Construct(
        "ordinary-override",
        methods="@define\ndef size(self, node: Node) -> int:\n    return node.left\n",
        rule="node.out = self.size(node)",
        after="""
        class Child(Toy):
            \"\"\"Another size.\"\"\"

            @define
            def size(self, node: Node) -> int:
                return node.right


        PROTOCOLS = (Child,)
        """,
    ),
    Construct(
        "ordinary-override-with-super",
        after="""
        class Child(Toy):
            \"\"\"A node that goes and tells.\"\"\"

            @rule
            def go(self, node: Node) -> None:
                \"\"\"A node goes.\"\"\"
                super().go(node)
                node.hit = node.flag


        PROTOCOLS = (Child,)
        """,
    ),
    Construct(
        "ordinary-field-of-child",
        after="""
        class Child(Toy):
            \"\"\"A node that goes and counts.\"\"\"

            total = field(Range(0, 4), 0)

            @rule
            def go(self, node: Node) -> None:
                \"\"\"A node goes.\"\"\"
                super().go(node)
                self.total += 1


        PROTOCOLS = (Child,)
        """,
    ),
    Construct("ordinary-property-comparison", prop="return state.nodes[0].left < 2"),
    Construct("ordinary-property-holds", prop="return state.nodes[0].left <= 2"),
    Construct(
        "ordinary-property-all", prop="return all(x.left < 2 or x.right == 2 for x in state.nodes)"
    ),
    Construct("ordinary-property-any", prop="return any(x.left != 0 for x in state.nodes)"),
    Construct(
        "ordinary-property-ternary",
        prop="return state.nodes[1].left < 2 if state.nodes[0].flag else True",
    ),
    Construct(
        "ordinary-property-with-when",
        prop="when(state.nodes[0].st == S.C)\nreturn state.nodes[0].flag",
    ),
    Construct(
        "ordinary-property-with-when-violated",
        prop="when(state.nodes[0].flag)\nreturn state.nodes[0].left == 2",
    ),
    Construct(
        "ordinary-property-with-helper",
        methods="""
            @define
            def busy(self) -> bool:
                return any(x.st == S.B for x in self.nodes)
            """,
        prop="return not state.busy() or state.nodes[0].left < 2",
    ),
    Construct(
        "ordinary-property-with-unmarked-helper",
        prelude="def fine(node):\n    return node.left + node.right < 4\n",
        prop="return all(fine(x) for x in state.nodes)",
    ),
    Construct(
        "ordinary-property-of-option",
        prop="return all(x.maybe == Nothing or x.maybe == 2 for x in state.nodes)",
    ),
    Construct(
        "ordinary-property-of-set",
        prop="return not state.nodes[0].seen.has(0) or state.nodes[0].seen.has(1)",
    ),
    Construct("ordinary-property-of-queue", prop="return state.nodes[0].box.length < 2"),
    Construct("ordinary-property-of-record", prop="return state.nodes[0].mail != Stop(reason=1)"),
    Construct(
        "ordinary-property-with-match",
        prop="""
        match state.nodes[0].mail:
            case Stop(reason=reason):
                return reason == 0
            case _:
                return True
        """,
    ),
    Construct("ordinary-property-of-sum", prop="return sum(x.left for x in state.nodes) != 4"),
    Construct(
        "ordinary-property-of-plain-and-state",
        prop='return all(x.kind != "sink" or x.left < 2 for x in state.nodes)',
    ),
    Construct(
        "ordinary-property-with-if",
        prop="if state.nodes[0].flag:\n    return state.nodes[0].left == 0\nreturn True",
    ),
    Construct(
        "ordinary-property-over-node",
        after="""
        @always(witness="far")
        def other(state: Toy, node: Node) -> bool:
            \"\"\"A node with the flag has two.\"\"\"
            return not node.flag or node.left == 2


        PROPERTIES = (claim, far, other)
        """,
    ),
    Construct(
        "ordinary-property-on-step",
        after="""
        @on_step
        def other(state: Toy, node: Node) -> bool:
            \"\"\"The flag stays.\"\"\"
            when(before(lambda: node.flag))
            return node.flag and node.left == before(lambda: node.left)


        PROPERTIES = (claim, far, other)
        """,
    ),
    Construct(
        "ordinary-property-reachable",
        after="""
        @reachable
        def other(state: Toy) -> bool:
            \"\"\"Both flags.\"\"\"
            return all(x.flag for x in state.nodes)


        PROPERTIES = (claim, far, other)
        """,
    ),
    Construct(
        "ordinary-property-eventually",
        after="""
        @eventually
        def other(state: Toy) -> bool:
            \"\"\"All is done.\"\"\"
            return state.terminal()


        PROPERTIES = (claim, far, other)
        """,
    ),
    Construct(
        "ordinary-property-leads-to",
        after="""
        @leads_to
        def other(state: Toy, node: Node) -> bool:
            \"\"\"A busy node comes to its flag.\"\"\"
            when(node.st == S.B)
            return node.flag


        PROPERTIES = (claim, far, other)
        """,
    ),
)
