"""The truth of a value, where Python asks for it: conditions, filters, asserts, `bool`."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("truth-of-number-in-if", rule="if node.left:\n    node.hit = True"),
    Construct("truth-of-number-in-not", rule="node.hit = not node.left"),
    Construct("truth-of-number-in-and", rule="node.out = node.left and node.right"),
    Construct("truth-of-number-in-or", rule="node.out = node.left or 7"),
    Construct("truth-of-number-in-ternary", rule="node.out = 1 if node.right else 2"),
    Construct("truth-of-number-in-require", rule="require(node.left)"),
    Construct("truth-of-number-in-assert", rule="assert node.left"),
    Construct("truth-of-option-in-if", rule="if node.maybe:\n    node.hit = True"),
    Construct("truth-of-option-zero", rule="node.hit = not node.maybe"),
    Construct("truth-of-option-or-default", rule="node.out = node.maybe or 5"),
    Construct("truth-of-optional-entity", rule="node.hit = not node.peer"),
    Construct("truth-of-optional-entity-and", rule="node.hit = node.peer and node.peer.flag"),
    Construct("truth-of-entity", rule="if node.friend:\n    node.hit = True"),
    Construct("truth-of-enum-in-if", rule="if node.st:\n    node.out = 1"),
    Construct("truth-of-enum-in-not", rule="node.hit = not node.st"),
    Construct("truth-of-record", rule="if node.rec:\n    node.out = 1"),
    Construct("truth-of-queue", rule="if node.box:\n    node.hit = True"),
    Construct("truth-of-queue-in-not", rule="node.hit = not node.box"),
    Construct("truth-of-set", rule="if node.seen:\n    node.hit = True"),
    Construct("truth-of-set-in-not", rule="node.hit = not node.seen"),
    Construct("truth-of-array", rule="if node.slots:\n    node.out = 1"),
    Construct("truth-of-head", rule="if node.box.head:\n    node.out = 1"),
    Construct("truth-of-two-enums-in-or", rule="node.st = node.st or S.C"),
    Construct("truth-of-part", rule="if node.rec.text:\n    node.hit = True"),
    Construct("bool-of-flag", rule="node.hit = bool(node.flag)"),
    Construct("bool-of-number", rule="node.hit = bool(node.left)"),
    Construct("bool-of-option", rule="node.hit = bool(node.maybe)"),
    Construct("bool-of-set", rule="node.hit = bool(node.seen)"),
    Construct("bool-of-queue", rule="node.hit = bool(node.box)"),
    Construct("bool-of-entity", rule="node.hit = bool(node.peer)"),
    Construct("bool-of-comparison", rule="node.hit = bool(node.left < node.right)"),
    Construct("dunder-bool-called", rule="node.hit = node.flag.__bool__()"),
    Construct(
        "truth-from-operator",
        prelude="from operator import truth",
        rule="node.hit = truth(node.left)",
    ),
    Construct(
        "not-from-operator",
        prelude="from operator import not_",
        rule="node.hit = not_(node.flag)",
    ),
    Construct("flag-equals-one", rule="node.hit = node.flag == 1"),
    Construct("number-equals-true", rule="node.hit = node.left == True"),
    Construct("flag-plus-flag", rule="node.out = node.flag + node.hit + 1"),
    Construct("flag-times-number", rule="node.out = node.flag * node.left"),
    Construct("flag-as-index", rule="node.out = (4, 5)[node.flag]"),
    Construct("flag-less-than-flag", rule="node.hit = node.flag < node.other.flag"),
    Construct("flag-and-flag-bitwise", rule="node.hit = node.flag & (node.left == 2)"),
    Construct("flag-xor-flag", rule="node.hit = node.flag ^ node.other.flag"),
    Construct("flag-or-bitwise-precedence", rule="node.hit = node.left == 1 | node.right == 2"),
    Construct("invert-flag", rule="node.out = 2 + ~node.flag + 1"),
    Construct(
        "while-flag",
        rule="""
        count = 0
        while not node.flag and count < 3:
            count += 1
        node.out = count
        """,
    ),
    Construct(
        "while-number",
        rule="""
        left = node.left
        while left:
            left -= 1
            node.out += 1
        """,
    ),
    Construct(
        "if-in-unmarked-function",
        prelude="""
        def size(value):
            if value:
                return 1
            return 2
        """,
        rule="node.out = size(node.left)",
    ),
    Construct("any-of-numbers", rule="node.hit = any([node.left, node.right])"),
    Construct("all-of-numbers", rule="node.hit = all((node.left, node.right))"),
    Construct("all-of-list-of-tests", rule="node.hit = all([node.flag, node.left == 1])"),
    Construct("any-of-options", rule="node.hit = any(x.maybe for x in self.nodes)"),
    Construct("any-of-empty-set-of-state", rule="node.hit = any(x for x in node.seen)"),
    Construct("filter-none", rule="node.out = len(list(filter(None, [node.left, node.right])))"),
    Construct(
        "filter-with-lambda",
        rule="node.out = len(list(filter(lambda x: x.flag, self.nodes)))",
    ),
    Construct(
        "comprehension-filter-by-flag",
        rule="node.out = len([x for x in self.nodes if x.flag])",
    ),
    Construct(
        "comprehension-filter-by-number",
        rule="node.out = sum(1 for x in self.nodes if x.left)",
    ),
    Construct(
        "comprehension-filter-picks-first",
        rule="node.out = [x.number for x in self.nodes if x.st == S.A or x.number == 2][0]",
    ),
    Construct(
        "next-of-filter",
        rule="node.out = next((x.number for x in self.nodes if x.flag), 9)",
    ),
    Construct(
        "match-guard-on-state",
        rule="""
        match node.number:
            case 1 if node.flag:
                node.out = 1
            case 2 if node.left:
                node.out = 2
            case _:
                node.out = 3
        """,
    ),
    Construct("assert-comparison", rule="assert node.left <= 2"),
    Construct("assert-with-message", rule='assert node.st != S.C or node.flag, f"bad {node}"'),
    Construct("assert-enum", rule="assert node.st\nnode.out = 1"),
    Construct("assert-tuple-by-mistake", rule='pair = (node.left == 1, "one")\nassert pair'),
    Construct("or-default-for-flag", rule="node.hit = node.flag or node.other.flag or False"),
    Construct("and-gives-last-value", rule="node.out = (node.flag and node.left) or 6"),
    Construct("and-of-plain-then-state", rule="node.hit = node.sink is not None and node.flag"),
    Construct("state-then-plain-attribute", rule="node.hit = node.flag and node.sink"),
    Construct("or-with-plain-string", rule='node.hit = (node.sink or "none") == "none"'),
    Construct("require-tuple-by-mistake", rule="require((node.flag, node.left == 2))"),
    Construct("require-list-by-mistake", rule="require([node.flag])"),
    Construct("require-lambda", rule="require(lambda: node.left == 1)"),
    Construct("require-uncalled-method", rule="require(node.seen.has)"),
    Construct("require-uncalled-helper", rule="require(self.terminal)"),
    Construct("require-generator-by-mistake", rule="require(x.flag for x in self.nodes)"),
    Construct("require-none", rule="require(node.seen.add(0))"),
    Construct("require-string", rule='require("left is one")'),
    Construct("require-nothing-at-all", rule="require()"),
    Construct("if-uncalled-method", rule="if node.seen.has:\n    node.out = 1"),
    Construct("if-uncalled-is-empty", rule="if node.box.is_empty:\n    node.out = 1"),
    Construct("called-is-empty", rule="if node.box.is_empty():\n    node.out = 1"),
    Construct(
        "if-uncalled-helper",
        rule="""
        if self.is_idle:
            node.out = 1
        """,
        methods="@define\ndef is_idle(self) -> bool:\n    return self.nodes[0].flag\n",
    ),
    Construct(
        "not-uncalled-helper",
        rule="node.hit = not self.is_idle",
        methods="""
        @define
        def is_idle(self) -> bool:
            return self.nodes[0].flag
        """,
    ),
    Construct(
        "short-circuit-order",
        rule="""
        node.hit = node.maybe != Nothing and node.maybe > 1
        """,
    ),
    Construct(
        "short-circuit-wrong-order",
        rule="""
        node.hit = node.maybe > 1 and node.maybe != Nothing
        """,
    ),
    Construct(
        "short-circuit-with-walrus",
        rule="""
        node.hit = bool((x := node.left) > 1 and x < 3)
        """,
    ),
    Construct("side-effect-behind-and", rule="node.flag and node.seen.add(0)"),
    Construct("side-effect-behind-or", rule="node.flag or node.box.clear()"),
    Construct(
        "side-effect-in-ternary", rule="node.seen.add(0) if node.flag else node.seen.clear()"
    ),
    Construct(
        "ternary-of-plain-values",
        rule="""
        step = 1 if node.flag else 2
        node.out = step + 3
        """,
    ),
    Construct(
        "ternary-of-strings",
        rule="""
        word = "yes" if node.flag else "no"
        node.hit = word == "yes"
        """,
    ),
    Construct(
        "ternary-of-entities",
        rule="""
        chosen = node if node.flag else node.other
        node.out = chosen.left
        """,
    ),
    Construct(
        "ternary-of-lists",
        rule="""
        chosen = [node.left] if node.flag else [node.right]
        node.out = chosen[0]
        """,
    ),
    Construct(
        "ternary-of-plain-attributes",
        rule="""
        chosen = node if node.flag else node.other
        node.hit = chosen.kind == "sink"
        """,
    ),
    Construct("ternary-of-types", rule="node.hit = node.mail == (Stop if node.flag else Note)"),
    Construct(
        "ternary-of-functions",
        rule="""
        pick = min if node.flag else max
        node.out = pick(node.left, node.right)
        """,
    ),
    Construct(
        "ternary-with-object",
        prelude="""
        class Point:
            def __init__(self, x):
                self.x = x

            def __eq__(self, other):
                return isinstance(other, Point)

            __hash__ = None
        """,
        rule="node.out = (Point(1) if node.flag else Point(2)).x",
    ),
    Construct(
        "ternary-with-equal-dataclasses",
        prelude="""
        @dataclass(frozen=True)
        class Plan:
            to: object
        """,
        rule="node.out = (Plan(node.left) if node.flag else Plan(node.right)).to",
    ),
    Construct(
        "ternary-with-tuples",
        rule="""
        pair = (node.left, 1) if node.flag else (node.right, 2)
        node.out = pair[0] + pair[1]
        """,
    ),
    Construct(
        "ternary-none-or-value",
        rule="""
        value = node.left if node.flag else None
        node.out = 8 if value is None else value
        """,
    ),
    Construct("ternary-nothing-or-value", rule="node.maybe = node.left if node.flag else Nothing"),
    *(
        Construct(
            f"helper-not-called-{where}",
            methods="""
            @define
            def is_low(self, node: Node) -> bool:
                return node.left == 0

            def plainly(self, node):
                PLAINLY
            """.replace("PLAINLY", plainly),
            rule=rule,
        )
        for where, rule, plainly in (
            ("in-if", "if self.is_low:\n    node.hit = True", "return True"),
            ("in-not", "node.hit = not self.is_low", "return True"),
            ("in-and", "node.hit = self.is_low and node.left == 1", "return True"),
            ("in-ternary", "node.out = 1 if self.is_low else 2", "return True"),
            ("in-unmarked", "node.hit = self.plainly(node)", "return 1 if self.is_low else 0"),
            (
                "in-comprehension",
                "node.hit = self.plainly(node)",
                "return all(n.hit for n in self.nodes if self.is_low)",
            ),
        )
    ),
    Construct("require-of-tuple", rule="require((node.left == 1, False))\nnode.hit = True"),
    Construct("require-of-list", rule="require([node.left == 1])\nnode.hit = True"),
)
