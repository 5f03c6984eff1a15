"""Statements that choose, repeat, leave or match."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct(
        "match-value-patterns",
        rule="""
        match node.st:
            case S.A:
                node.out = 1
            case S.B:
                node.out = 2
            case S.C:
                node.out = 3
        """,
    ),
    Construct(
        "match-without-all-cases",
        rule="""
        match node.st:
            case S.A:
                node.out = 1
            case S.C:
                node.out = 3
        """,
    ),
    Construct(
        "match-or-pattern",
        rule="""
        match node.st:
            case S.A | S.C:
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct(
        "match-literal-number",
        rule="""
        match node.left:
            case 0:
                node.out = 5
            case 1 | 2:
                node.out = 6
        """,
    ),
    Construct(
        "match-literal-string-on-enum",
        rule="""
        match node.st:
            case "a":
                node.out = 5
            case _:
                node.out = 6
        """,
    ),
    Construct(
        "match-literal-true",
        rule="""
        match node.flag:
            case True:
                node.out = 5
            case False:
                node.out = 6
        """,
    ),
    Construct(
        "match-true-on-number",
        rule="""
        match node.left:
            case True:
                node.out = 5
            case _:
                node.out = 6
        """,
    ),
    Construct(
        "match-literal-none",
        rule="""
        match node.maybe:
            case None:
                node.out = 5
            case _:
                node.out = 6
        """,
    ),
    Construct(
        "match-nothing-captures",
        rule="""
        match node.maybe:
            case Nothing:
                node.out = 5
        """,
    ),
    Construct(
        "match-capture-number",
        rule="""
        match node.left:
            case x:
                node.out = x
        """,
    ),
    Construct(
        "match-capture-with-guard",
        rule="""
        match node.left:
            case x if x > 1:
                node.out = x
            case x:
                node.out = x + 5
        """,
    ),
    Construct(
        "match-as-pattern",
        rule="""
        match node.left:
            case (0 | 1) as x:
                node.out = x
            case _:
                node.out = 7
        """,
    ),
    Construct(
        "match-record-class",
        rule="""
        match node.mail:
            case Stop():
                node.out = 1
            case Note():
                node.out = 2
        """,
    ),
    Construct(
        "match-record-keyword",
        rule="""
        match node.mail:
            case Stop(reason=reason):
                node.out = reason
            case Note(text=text):
                node.out = text + 4
        """,
    ),
    Construct(
        "match-record-positional",
        rule="""
        match node.mail:
            case Stop(reason):
                node.out = reason
            case _:
                node.out = 4
        """,
    ),
    Construct(
        "match-record-literal-part",
        rule="""
        match node.mail:
            case Note(text=1):
                node.out = 1
            case Note(text=0):
                node.out = 2
            case _:
                node.out = 3
        """,
    ),
    Construct(
        "match-record-or-of-classes",
        rule="""
        match node.mail:
            case Stop(reason=x) | Note(text=x):
                node.out = x
        """,
    ),
    Construct(
        "match-record-as",
        rule="""
        match node.mail:
            case Note() as note:
                node.rec = note
            case _:
                pass
        """,
    ),
    Construct(
        "match-record-guard",
        rule="""
        match node.mail:
            case Note(text=text) if text == node.left:
                node.out = 1
            case Note():
                node.out = 2
            case _:
                node.out = 3
        """,
    ),
    Construct(
        "match-record-missing-part",
        rule="""
        match node.mail:
            case Note(reason=reason):
                node.out = reason
            case _:
                node.out = 3
        """,
    ),
    Construct(
        "match-record-base",
        rule="""
        match node.mail:
            case Record():
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct(
        "match-head-of-queue",
        rule="""
        match node.box.head:
            case Note(text=text):
                node.out = text
                node.box.take()
            case Stop():
                node.hit = True
            case _:
                node.out = 9
        """,
    ),
    Construct(
        "match-class-int",
        rule="""
        match node.left:
            case int():
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct(
        "match-class-int-capture",
        rule="""
        match node.maybe:
            case int(x):
                node.out = x
            case _:
                node.out = 7
        """,
    ),
    Construct(
        "match-class-bool",
        rule="""
        match node.flag:
            case bool():
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct(
        "match-class-str",
        rule="""
        match node.st:
            case str():
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct(
        "match-class-enum",
        rule="""
        match node.st:
            case S(value="a"):
                node.out = 1
            case S():
                node.out = 2
        """,
    ),
    Construct(
        "match-class-entity",
        rule="""
        match node.peer:
            case Node(number=1):
                node.out = 1
            case Node(left=left):
                node.out = left + 2
            case _:
                node.out = 5
        """,
    ),
    Construct(
        "match-class-object",
        rule="""
        match node.maybe:
            case object():
                node.out = 1
        """,
    ),
    Construct(
        "match-sequence-of-fields",
        rule="""
        match (node.left, node.flag):
            case (1, False):
                node.out = 1
            case (x, True):
                node.out = x
            case _:
                node.out = 7
        """,
    ),
    Construct(
        "match-sequence-enums",
        rule="""
        match node.st, node.other.st:
            case S.A, S.A:
                node.out = 1
            case S.A, _:
                node.out = 2
            case _, S.A:
                node.out = 3
            case _:
                node.out = 4
        """,
    ),
    Construct(
        "match-sequence-with-star",
        rule="""
        match [node.left, node.right, node.n]:
            case [first, *rest]:
                node.out = first + len(rest)
        """,
    ),
    Construct(
        "match-queue-as-sequence",
        rule="""
        match node.box:
            case []:
                node.out = 1
            case [Note(), *_]:
                node.out = 2
            case _:
                node.out = 3
        """,
    ),
    Construct(
        "match-array-as-sequence",
        rule="""
        match node.slots:
            case [0, second]:
                node.out = second
            case _:
                node.out = 7
        """,
    ),
    Construct(
        "match-mapping",
        rule="""
        match {"left": node.left}:
            case {"left": 1}:
                node.out = 1
            case {"left": x}:
                node.out = x + 3
        """,
    ),
    Construct(
        "match-on-comparison",
        rule="""
        match node.left < node.right:
            case True:
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct(
        "match-on-plain-kind",
        rule="""
        match node.kind:
            case "source":
                node.out = node.left
            case "sink":
                node.out = node.right
        """,
    ),
    Construct(
        "match-on-helper",
        rule="""
        match self.phase(node):
            case S.A:
                node.out = 1
            case _:
                node.out = 2
        """,
        methods="""
        @define
        def phase(self, node: Node) -> S:
            return node.other.st
        """,
    ),
    Construct(
        "match-dotted-constant",
        prelude="""
        class Levels:
            LOW = 1
            HIGH = 2
        """,
        rule="""
        match node.left:
            case Levels.LOW:
                node.out = 3
            case Levels.HIGH:
                node.out = 4
            case _:
                node.out = 5
        """,
    ),
    Construct(
        "match-bare-constant-captures",
        prelude="LOW = 1\n",
        rule="""
        match node.left:
            case LOW:
                node.out = 3
        """,
    ),
    Construct(
        "match-own-match-args",
        prelude="""
        class Two:
            __match_args__ = ("first", "second")

            def __init__(self, first, second):
                self.first, self.second = first, second
        """,
        rule="""
        match Two(node.left, node.right):
            case Two(1, second):
                node.out = second
            case Two(first, 0):
                node.out = first + 4
            case _:
                node.out = 9
        """,
    ),
    Construct(
        "if-elif-else",
        rule="""
        if node.left == 0:
            node.out = 1
        elif node.left == 1:
            node.out = 2
        else:
            node.out = 3
        """,
    ),
    Construct(
        "nested-ifs",
        rule="""
        if node.flag:
            if node.left > 0:
                node.out = 1
            else:
                node.out = 2
        elif node.st == S.B:
            node.out = 3
        """,
    ),
    Construct("if-pass", rule="if node.flag:\n    pass\nelse:\n    node.out = 1"),
    Construct(
        "early-return-before-count",
        rule="""
        if node.flag:
            node.out = 1
            return
        node.out = 2
        """,
    ),
    Construct("early-return-without-write", rule="if node.flag:\n    return"),
    Construct(
        "return-value-from-rule",
        rule="""
        if node.flag:
            return True
        node.out = 1
        """,
    ),
    Construct(
        "write-then-read",
        rule="""
        node.left = 1
        node.hit = node.left == 1
        node.left = 0
        """,
    ),
    Construct(
        "write-under-if-then-read",
        rule="""
        if node.flag:
            node.left = 2
        node.out = node.left + 1
        """,
    ),
    Construct(
        "read-kept-before-write",
        rule="""
        old = node.left
        node.left = 0
        node.out = old
        """,
    ),
    Construct("multiple-assignment", rule="node.out = node.left = node.right"),
    Construct(
        "star-unpacking", rule="first, *rest = node.left, node.right, 1\nnode.out = first + rest[0]"
    ),
    Construct("unpack-array", rule="a, b = node.slots\nnode.out = a + b"),
    Construct("unpack-queue", rule="a, b = node.box\nnode.hit = a == b"),
    Construct("unpack-record", rule="(text,) = node.rec\nnode.out = text"),
    Construct(
        "nested-unpacking", rule="(a, b), c = (node.left, node.right), 1\nnode.out = a + b + c"
    ),
    Construct("assignment-to-index-by-state", rule="node.slots[node.left // 2] = 1"),
    Construct(
        "assignment-to-array-at-field", rule="require(node.left < 2)\nnode.slots[node.left] = 2"
    ),
    Construct("array-index-out-of-range", rule="node.out = node.slots[node.left]"),
    Construct("array-index-negative", rule="node.out = node.slots[-1]"),
    Construct("array-index-negative-by-state", rule="node.out = node.slots[node.left - 2]"),
    Construct("array-slice", rule="node.out = sum(node.slots[1:])"),
    Construct("array-slice-assigned", rule="node.slots[:] = (1, 2)"),
    Construct("array-assigned-as-a-whole", rule="node.slots = (1, 2)"),
    Construct("array-of-other-assigned", rule="node.slots = node.other.slots"),
    Construct("set-assigned", rule="node.seen = {0, 2}"),
    Construct("set-of-other-assigned", rule="node.seen = node.other.seen"),
    Construct("queue-assigned", rule="node.box = (Stop(reason=0),)"),
    Construct("queue-cleared-by-assignment", rule="node.box = ()"),
    Construct("list-index-by-state", rule="node.out = [4, 5, 6][node.left]"),
    Construct("tuple-slice-by-state", rule="node.out = len((1, 2, 3)[: node.left])"),
    Construct("nodes-index-by-state", rule="node.out = self.nodes[node.left - 1].number"),
    Construct("dict-index-by-state", rule="node.out = {0: 4, 1: 5, 2: 6}[node.left]"),
    Construct("dict-index-by-enum-of-state", rule="node.out = {S.A: 1, S.B: 2, S.C: 3}[node.st]"),
    Construct("dict-index-by-plain", rule='node.out = node.weights["x"]'),
    Construct("per-entity-write-by-field", rule="self.marks[node.friend] = 2"),
    Construct("write-through-field", rule="node.friend.hit = True"),
    Construct(
        "write-through-optional-field", rule="if node.peer != Nothing:\n    node.peer.out = 5"
    ),
    Construct("write-through-turn", rule="self.turn.out = 6"),
    Construct(
        "write-aliased-entities",
        rule="""
        node.friend.out = 1
        node.out = 2
        node.hit = node.friend.out == 2
        """,
    ),
    Construct("del-local", rule="x = node.left\nnode.out = x\ndel x"),
    Construct("del-field", rule="del node.flag"),
    Construct(
        "del-item-of-list",
        rule="values = [node.left, node.right]\ndel values[0]\nnode.out = values[0]",
    ),
    Construct("del-slot", rule="del node.slots[0]"),
    Construct(
        "for-over-nodes",
        rule="""
        for x in self.nodes:
            if x.flag:
                node.out += 1
        """,
    ),
    Construct(
        "for-with-break",
        rule="""
        for x in self.nodes:
            if x.flag:
                node.out = x.number
                break
        """,
    ),
    Construct(
        "for-with-else",
        rule="""
        for x in self.nodes:
            if x.flag:
                break
        else:
            node.out = 7
        """,
    ),
    Construct(
        "for-with-continue",
        rule="""
        for x in self.nodes:
            if not x.flag:
                continue
            node.out += x.number
        """,
    ),
    Construct(
        "for-with-return",
        rule="""
        for x in self.nodes:
            if x.st == S.B:
                x.out = 4
                return
        """,
    ),
    Construct(
        "for-last-variable-kept",
        rule="""
        for x in self.nodes:
            if x.flag:
                break
        node.out = x.number
        """,
    ),
    Construct(
        "for-over-enum",
        rule="""
        for member in S:
            if node.st == member:
                node.hit = member != S.A
        """,
    ),
    Construct(
        "for-over-tuple-of-fields", rule="for v in (node.left, node.right):\n    node.out += v"
    ),
    Construct(
        "for-over-growing-list",
        rule="""
        values = [node.left]
        for v in values:
            if len(values) < 3:
                values.append(v)
        node.out = sum(values)
        """,
    ),
    Construct(
        "for-range-len-of-array",
        rule="""
        for i in range(len(node.slots)):
            node.out += node.slots[i]
        """,
    ),
    Construct(
        "for-range-length-of-queue",
        rule="""
        for i in range(node.box.length):
            node.out += 1
        """,
    ),
    Construct(
        "for-at-of-queue",
        rule="""
        for i in range(2):
            if node.box.length > i and node.box.at(i) == Stop:
                node.out += 1
        """,
    ),
    Construct(
        "while-plain",
        rule="""
        i = 0
        while i < 2:
            node.out += node.slots[i]
            i += 1
        """,
    ),
    Construct(
        "while-true-with-break",
        rule="""
        left = node.left
        while True:
            if left == 0:
                break
            left = left - 1
            node.out += 1
        """,
    ),
    Construct(
        "while-with-else",
        rule="""
        i = 0
        while i < 2:
            if node.slots[i] == 3:
                break
            i += 1
        else:
            node.hit = True
        """,
    ),
    Construct(
        "while-take-from-queue",
        rule="""
        while not node.box.is_empty:
            node.box.take()
            node.out += 1
        """,
    ),
    Construct("walrus-in-if", rule="if (x := node.left) > 1:\n    node.out = x"),
    Construct(
        "walrus-in-comprehension", rule="node.out = sum(y for x in self.nodes if (y := x.left) > 1)"
    ),
    Construct("walrus-in-require", rule="require((x := node.left) > 0)\nnode.out = x"),
    Construct(
        "walrus-of-head",
        rule="""
        if (head := node.box.head) == Note:
            node.out = head.text
        """,
    ),
    Construct("pass-only", rule="pass"),
    Construct("ellipsis-only", rule="..."),
    Construct("expression-statement", rule="node.left == 1"),
    Construct("bare-comparison-for-assignment", rule="node.out == 3"),
    Construct("docstring-in-middle", rule='"""A text."""\nnode.out = 2'),
    Construct("annotated-assignment", rule="x: int = node.left\nnode.out = x"),
    Construct("annotated-attribute", rule="node.out: int = node.left"),
    Construct("annotation-without-value", rule="node.out: int"),
    Construct("semicolons", rule="x = node.left; node.out = x"),
    Construct(
        "local-mutated-in-branches",
        rule="""
        total = 0
        if node.flag:
            total += 1
        if node.left == 2:
            total += 2
        node.out = total
        """,
    ),
    Construct(
        "local-unbound-in-one-branch",
        rule="""
        if node.flag:
            found = node.left
        node.out = found
        """,
    ),
    Construct(
        "local-list-grown-in-branches",
        rule="""
        found = []
        for x in self.nodes:
            if x.st == S.B:
                found.append(x)
        node.out = len(found)
        """,
    ),
    Construct(
        "local-dict-written-in-branches",
        rule="""
        found = {}
        if node.flag:
            found["x"] = node.left
        node.out = found.get("x", 8)
        """,
    ),
    Construct(
        "local-set-grown-in-branches",
        rule="""
        found = set()
        for x in self.nodes:
            if x.flag:
                found.add(x.number)
        node.out = len(found)
        """,
    ),
    Construct("require-late", rule="node.out = node.left\nrequire(node.out < 2)"),
    Construct("require-in-branch", rule="if node.flag:\n    require(node.left == 2)\nnode.out = 1"),
    Construct("require-false-in-branch", rule="if node.flag:\n    require(False)\nnode.out = 1"),
    Construct("require-in-loop", rule="for x in self.nodes:\n    require(x.st != S.C)"),
    Construct("within-in-branch", rule="if node.flag:\n    within(node.left, 1)\nnode.left += 1"),
    Construct("within-of-plain", rule="within(node.number, 2)"),
    Construct(
        "global-in-rule",
        prelude="COUNT = 0\n",
        rule="global COUNT\nCOUNT += 1\nnode.out = COUNT % 5",
    ),
    Construct(
        "nonlocal-in-nested",
        rule="""
        total = 0

        def add(value):
            nonlocal total
            total = total + value

        add(node.left)
        add(node.right)
        node.out = total
        """,
    ),
    Construct(
        "class-inside-rule",
        rule="""
        class Pair:
            first = node.left

        node.out = Pair.first
        """,
    ),
    Construct(
        "with-own-manager",
        prelude="""
        class Doubled:
            def __init__(self, value):
                self.value = value

            def __enter__(self):
                return self.value + self.value

            def __exit__(self, *args):
                return False
        """,
        rule="with Doubled(node.left) as twice:\n    node.out = twice",
    ),
    Construct(
        "with-manager-that-swallows",
        prelude="""
        class Quiet:
            def __enter__(self):
                return self

            def __exit__(self, *args):
                return True
        """,
        rule="with Quiet():\n    node.out = node.left\n    require(node.flag)",
    ),
    Construct(
        "with-generator-manager",
        prelude="""
        from contextlib import contextmanager


        @contextmanager
        def counted(node):
            before_it = node.out
            yield node.left
            node.out = before_it + 1
        """,
        rule="with counted(node) as left:\n    node.hit = left == 2",
    ),
)
