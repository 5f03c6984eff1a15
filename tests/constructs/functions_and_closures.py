"""Functions, arguments, closures, generators and recursion."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("lambda-called", rule="node.out = (lambda x: x + 1)(node.left)"),
    Construct(
        "lambda-with-default", rule="f = lambda x=node.left: x\nnode.left = 0\nnode.out = f()"
    ),
    Construct(
        "lambda-late-binding",
        rule="""
        readers = [lambda: x.left for x in self.nodes]
        node.out = readers[0]()
        """,
    ),
    Construct(
        "lambda-early-binding",
        rule="""
        readers = [lambda x=x: x.left for x in self.nodes]
        node.out = readers[0]()
        """,
    ),
    Construct(
        "nested-function-reads-later",
        rule="""
        def left():
            return node.left

        node.left = 1
        node.out = left()
        """,
    ),
    Construct(
        "nested-function-writes",
        rule="""
        def mark(x):
            x.hit = True

        mark(node)
        mark(node.other)
        """,
    ),
    Construct(
        "nested-function-forks",
        rule="""
        def size():
            if node.flag:
                return 1
            return 2

        node.out = size() + size()
        """,
    ),
    Construct(
        "function-of-module",
        prelude="""
        def next_left(node):
            return 0 if node.left == 2 else node.left + 1
        """,
        rule="node.out = next_left(node)",
    ),
    Construct(
        "function-after-classes",
        rule="node.out = later(node)",
        after="""
        def later(node):
            return node.left + 1
        """,
    ),
    Construct(
        "function-with-keyword-only",
        prelude="""
        def pick(node, *, right=False):
            return node.right if right else node.left
        """,
        rule="node.out = pick(node, right=node.flag)",
    ),
    Construct(
        "function-with-positional-only",
        prelude="""
        def pick(node, /, extra=0):
            return node.left + extra
        """,
        rule="node.out = pick(node, extra=node.number)",
    ),
    Construct(
        "function-with-star-args",
        prelude="""
        def total(*values, **named):
            return sum(values) + named.get("extra", 0)
        """,
        rule="node.out = total(node.left, node.right, extra=1)",
    ),
    Construct(
        "function-with-star-of-nodes",
        prelude="""
        def total(*nodes):
            return sum(x.left for x in nodes)
        """,
        rule="node.out = total(*self.nodes)",
    ),
    Construct(
        "function-with-mutable-default",
        prelude="""
        def remember(value, seen=[]):
            seen.append(value)
            return seen[0]
        """,
        rule="node.out = remember(node.left)",
    ),
    Construct(
        "function-with-mutable-default-length",
        prelude="""
        def times(seen=[]):
            seen.append(1)
            return len(seen) % 5
        """,
        rule="node.out = times()",
    ),
    Construct(
        "function-with-default-dict-cache",
        prelude="""
        def left_of(node, cache={}):
            if node.number not in cache:
                cache[node.number] = node.left
            return cache[node.number]
        """,
        rule="node.out = left_of(node)",
    ),
    Construct(
        "function-with-default-of-module",
        prelude="""
        LIMIT = 1


        def is_large(value, limit=LIMIT):
            return value > limit


        LIMIT = 0
        """,
        rule="node.hit = is_large(node.left)",
    ),
    Construct(
        "function-attribute-counter",
        prelude="""
        def counted(value):
            counted.calls += 1
            return counted.calls % 5


        counted.calls = 0
        """,
        rule="node.out = counted(node.left)",
    ),
    Construct(
        "closure-counter",
        prelude="""
        def counter():
            total = 0

            def add():
                nonlocal total
                total += 1
                return total % 5

            return add


        NEXT = counter()
        """,
        rule="node.out = NEXT()",
    ),
    Construct(
        "closure-keeps-value",
        prelude="""
        def keeper():
            kept = []

            def keep(value):
                kept.append(value)
                return kept[0]

            return keep


        KEEP = keeper()
        """,
        rule="node.hit = KEEP(node.st) == S.A",
    ),
    Construct(
        "closure-factory",
        prelude="""
        def at_least(low):
            return lambda value: value >= low


        large = at_least(2)
        """,
        rule="node.hit = large(node.left)",
    ),
    Construct(
        "decorator-of-own-on-helper",
        prelude="""
        def negated(function):
            def inner(*args):
                return not function(*args)

            return inner
        """,
        methods="""
        @negated
        def idle(self, node):
            return node.st == S.A
        """,
        rule="node.hit = self.idle(node)",
    ),
    Construct(
        "decorator-under-define",
        prelude="""
        import functools


        def negated(function):
            @functools.wraps(function)
            def inner(*args):
                return not function(*args)

            return inner
        """,
        methods="""
        @define
        @negated
        def idle(self, node: Node) -> bool:
            return node.st == S.A
        """,
        rule="node.hit = self.idle(node)",
    ),
    Construct(
        "decorator-over-define",
        prelude="""
        import functools


        def negated(function):
            @functools.wraps(function)
            def inner(*args):
                return not function(*args)

            return inner
        """,
        methods="""
        @negated
        @define
        def idle(self, node: Node) -> bool:
            return node.st == S.A
        """,
        rule="node.hit = self.idle(node)",
    ),
    Construct(
        "recursion-over-plain-depth",
        prelude="""
        def steps(node, depth):
            if depth == 0:
                return node.left
            return steps(node.other, depth - 1) + 1
        """,
        rule="node.out = steps(node, 3)",
    ),
    Construct(
        "recursion-over-state-depth",
        prelude="""
        def down(value):
            if value == 0:
                return 0
            return 1 + down(value - 1)
        """,
        rule="node.out = down(node.left)",
    ),
    Construct(
        "recursion-in-define",
        methods="""
        @define
        def leader(self, node: Node) -> bool:
            if node.flag:
                return True
            return self.leader(node.other)
        """,
        rule="node.hit = self.leader(node)",
    ),
    Construct(
        "mutual-recursion-in-defines",
        methods="""
        @define
        def even(self, value: int) -> bool:
            return value == 0 or self.odd(value - 1)

        @define
        def odd(self, value: int) -> bool:
            return value != 0 and self.even(value - 1)
        """,
        rule="node.hit = self.even(node.left)",
    ),
    Construct(
        "generator-function-of-module",
        prelude="""
        def lefts(nodes):
            for x in nodes:
                if x.flag:
                    yield x.left
        """,
        rule="node.out = sum(lefts(self.nodes))",
    ),
    Construct(
        "generator-function-in-any",
        prelude="""
        def flags(nodes):
            for x in nodes:
                yield x.flag
        """,
        rule="node.hit = any(flags(self.nodes))",
    ),
    Construct(
        "generator-yield-from",
        prelude="""
        def both(a, b):
            yield from (a.left, a.right)
            yield from (b.left, b.right)
        """,
        rule="node.out = sum(both(node, node.other))",
    ),
    Construct(
        "generator-send",
        prelude="""
        def adder():
            total = 0
            while True:
                value = yield total
                total = total + value
        """,
        rule="""
        add = adder()
        next(add)
        add.send(node.left)
        node.out = add.send(node.right)
        """,
    ),
    Construct(
        "generator-consumed-twice",
        rule="""
        lefts = (x.left for x in self.nodes)
        node.out = sum(lefts) + sum(lefts)
        """,
    ),
    Construct(
        "generator-read-after-write",
        rule="""
        lefts = (x.left for x in self.nodes)
        node.left = 0
        node.out = sum(lefts)
        """,
    ),
    Construct(
        "generator-partly-consumed-by-any",
        rule="""
        flags = iter([x.flag for x in self.nodes])
        node.hit = any(flags)
        node.out = len(list(flags))
        """,
    ),
    Construct(
        "generator-at-module-level",
        prelude="TURNS = (n for n in range(9))\n",
        rule="node.out = next(TURNS, 9)",
    ),
    Construct(
        "generator-close-with-finally",
        prelude="""
        def lefts(node):
            try:
                yield node.left
                yield node.right
            finally:
                node.hit = True
        """,
        rule="for value in lefts(node):\n    node.out = value\n    break",
    ),
    Construct(
        "rule-is-a-generator", rule="node.out = node.left\nif node.number > 5:\n    yield node"
    ),
    Construct(
        "rule-is-async",
        methods="""
        @rule
        async def wait(self, node: Node) -> None:
            \"\"\"A node waits.\"\"\"
            require(not node.hit)
            node.hit = True
        """,
    ),
    Construct(
        "coroutine-never-awaited",
        prelude="async def read(node):\n    return node.left\n",
        rule="node.hit = read(node) == node.left",
    ),
    Construct(
        "staticmethod-of-protocol",
        methods="""
        @staticmethod
        def larger(a, b):
            return a if a > b else b
        """,
        rule="node.out = self.larger(node.left, node.right)",
    ),
    Construct(
        "classmethod-of-protocol",
        methods="""
        factor = 2

        @classmethod
        def scaled(cls, value):
            return value + cls.factor
        """,
        rule="node.out = self.scaled(node.left)",
    ),
    Construct(
        "property-of-protocol",
        methods="""
        @property
        def busy(self):
            return any(x.st == S.B for x in self.nodes)
        """,
        rule="node.hit = self.busy",
    ),
    Construct(
        "property-of-protocol-with-if",
        methods="""
        @property
        def first_flag(self):
            if self.nodes[0].flag:
                return 1
            return 2
        """,
        rule="node.out = self.first_flag",
    ),
    Construct(
        "property-with-setter",
        fields="""
        @property
        def both(self):
            return self.left

        @both.setter
        def both(self, value):
            self.left = value
            self.right = value
        """,
        rule="node.both = 1\nnode.out = node.right",
    ),
    Construct(
        "property-of-entity-used-as-method",
        fields="""
        @property
        def busy(self):
            return self.st == S.B
        """,
        rule="node.hit = node.busy()",
    ),
    Construct(
        "method-of-entity",
        fields="""
        def total(self, extra=0):
            return self.left + self.right + extra
        """,
        rule="node.out = node.total(extra=1)",
    ),
    Construct(
        "method-of-entity-uncalled",
        fields="""
        def busy(self):
            return self.st == S.B
        """,
        rule="node.hit = True if node.busy else False",
    ),
    Construct(
        "method-of-entity-writes",
        fields="""
        def mark(self):
            self.hit = True
        """,
        rule="node.mark()\nnode.other.mark()",
    ),
    Construct(
        "method-of-entity-through-field",
        fields="""
        def total(self):
            return self.left + self.number
        """,
        rule="node.out = node.friend.total()",
    ),
    Construct(
        "method-of-record-class",
        prelude="""
        def weight(self):
            return self.text + 1


        Note.weight = weight
        """,
        rule="node.out = node.rec.weight()",
    ),
    Construct(
        "method-in-own-record-class",
        prelude="""
        class Parcel(Record):
            \"\"\"A parcel.\"\"\"

            size: int = part(Range(0, 2))

            def doubled(self):
                return self.size + self.size
        """,
        fields="parcel = field(RecordOf(Parcel), Parcel(size=1))\n",
        rule="node.out = node.parcel.doubled()",
    ),
    Construct(
        "property-in-own-record-class",
        prelude="""
        class Parcel(Record):
            \"\"\"A parcel.\"\"\"

            size: int = part(Range(0, 2))

            @property
            def large(self):
                return self.size > 1
        """,
        fields="parcel = field(RecordOf(Parcel), Parcel(size=2))\n",
        rule="node.hit = node.parcel.large",
    ),
    Construct(
        "define-with-branches-called-twice",
        methods="""
        @define
        def size(self, node: Node) -> int:
            if node.flag:
                return 1
            if node.st == S.B:
                return 2
            return 3
        """,
        rule="node.out = self.size(node) + self.size(node.other)",
    ),
    Construct(
        "define-with-keyword-argument",
        methods="""
        @define
        def size(self, node: Node, extra: int) -> int:
            return node.left + extra
        """,
        rule="node.out = self.size(node, extra=2)",
    ),
    Construct(
        "define-with-arguments-swapped",
        methods="""
        @define
        def before_it(self, a: Node, b: Node) -> bool:
            return a.left < b.left
        """,
        rule="node.hit = self.before_it(b=node, a=node.other)",
    ),
    Construct(
        "define-with-default-argument",
        methods="""
        @define
        def size(self, node: Node, extra: int = 3) -> int:
            return node.left + extra
        """,
        rule="node.out = self.size(node)",
    ),
    Construct(
        "define-with-star-args",
        methods="""
        @define
        def total(self, *nodes: Node) -> int:
            return sum(x.left for x in nodes)
        """,
        rule="node.out = self.total(*self.nodes)",
    ),
    Construct(
        "define-with-state-argument",
        methods="""
        @define
        def plus_one(self, value: int) -> int:
            return value + 1
        """,
        rule="node.out = self.plus_one(node.left)",
    ),
    Construct(
        "define-with-function-argument",
        methods="""
        @define
        def applied(self, function, node: Node) -> int:
            return function(node)
        """,
        rule="node.out = self.applied(lambda x: x.left, node)",
    ),
    Construct(
        "define-with-list-argument",
        methods="""
        @define
        def total(self, values: list[int]) -> int:
            return sum(values)
        """,
        rule="node.out = self.total([node.left, node.right])",
    ),
    Construct(
        "define-with-dict-argument",
        methods="""
        @define
        def total(self, values: dict[str, int]) -> int:
            return values["a"] + values["b"]
        """,
        rule='node.out = self.total({"a": node.left, "b": 1})',
    ),
    Construct(
        "define-with-string-argument",
        methods="""
        @define
        def read(self, node: Node, name: str) -> int:
            return getattr(node, name)
        """,
        rule='node.out = self.read(node, "left" if node.number == 1 else "right")',
    ),
    Construct(
        "define-with-none-argument",
        methods="""
        @define
        def read(self, node: Node, default: int | None) -> int:
            return node.left if default == None else default
        """,
        rule="node.out = self.read(node, None)",
    ),
    Construct(
        "define-writes",
        methods="""
        @define
        def sly(self, node: Node) -> bool:
            node.hit = True
            return node.flag
        """,
        rule="node.out = 1 if self.sly(node) else 2",
    ),
    Construct(
        "define-requires",
        methods="""
        @define
        def left_of(self, node: Node) -> int:
            require(node.flag)
            return node.left
        """,
        rule="node.out = self.left_of(node)",
    ),
    Construct(
        "define-without-return-annotation",
        methods="""
        @define
        def size(self, node):
            return node.left + 1
        """,
        rule="node.out = self.size(node)",
    ),
    Construct(
        "define-changes-a-list-argument",
        methods="""
        @define
        def fill(self, found: list[int], node: Node) -> bool:
            found.append(node.left)
            return node.flag
        """,
        rule="found = []\nnode.hit = self.fill(found, node)\nnode.out = len(found)",
    ),
    Construct(
        "define-mutates-protocol-attribute",
        methods="""
        @define
        def counted(self, node: Node) -> bool:
            self.limit += 1
            return node.flag
        """,
        rule="node.hit = self.counted(node)\nnode.out = self.limit % 5",
    ),
    Construct(
        "step-that-only-reads",
        methods="""
        @step
        def look(self, node: Node) -> bool:
            return node.flag
        """,
        rule="node.hit = self.look(node)",
    ),
    Construct(
        "step-that-requires",
        methods="""
        @step
        def mark(self, node: Node) -> None:
            require(node.flag)
            node.hit = True
        """,
        rule="self.mark(node)",
    ),
    Construct(
        "step-called-in-expression",
        methods="""
        @step
        def mark(self, node: Node) -> bool:
            node.hit = True
            return node.flag
        """,
        rule="node.out = 1 if node.left == 2 and self.mark(node) else 2",
    ),
    Construct(
        "step-called-in-comprehension",
        methods="""
        @step
        def mark(self, node: Node) -> bool:
            node.hit = True
            return node.flag
        """,
        rule="node.out = len([x for x in self.nodes if self.mark(x)])",
    ),
    Construct(
        "step-called-in-any",
        methods="""
        @step
        def mark(self, node: Node) -> bool:
            node.hit = True
            return node.flag
        """,
        rule="node.out = 1 if any(self.mark(x) for x in self.nodes) else 2",
    ),
    Construct(
        "step-called-update",
        methods="""
        @step
        def update(self, node: Node) -> None:
            node.hit = True
        """,
        rule="self.update(node)",
    ),
    Construct(
        "step-called-append",
        methods="""
        @step
        def append(self, node: Node) -> None:
            node.box.clear()
        """,
        rule="self.append(node)",
    ),
    Construct(
        "step-called-clear-of-entity",
        fields="""
        def clear(self):
            self.hit = True
        """,
        rule="node.clear()",
    ),
    Construct(
        "step-in-loop",
        methods="""
        @step
        def mark(self, node: Node) -> None:
            if node.flag:
                node.hit = True
            else:
                node.out = 4
        """,
        rule="for x in self.nodes:\n    self.mark(x)",
    ),
    Construct(
        "rule-calls-rule",
        methods="""
        @rule
        def reset(self, node: Node) -> None:
            \"\"\"A node starts again.\"\"\"
            require(node.flag, node.left == 2)
            node.left = 1
        """,
        rule="self.reset(node)",
    ),
    Construct(
        "helper-called-with-too-few-arguments",
        methods="""
        @define
        def size(self, node: Node) -> int:
            return node.left
        """,
        rule="node.out = self.size()",
    ),
    Construct(
        "helper-through-getattr",
        methods="""
        @define
        def size(self, node: Node) -> int:
            return node.left
        """,
        rule='node.out = getattr(self, "size")(node)',
    ),
    Construct(
        "helper-through-class",
        methods="""
        @define
        def size(self, node: Node) -> int:
            return node.left
        """,
        rule="node.out = Toy.size(self, node)",
    ),
    Construct(
        "helper-stored-in-table",
        methods="""
        def left_of(self, node):
            return node.left

        def right_of(self, node):
            return node.right

        table = {"source": left_of, "sink": right_of}
        """,
        rule="node.out = self.table[node.kind](self, node)",
    ),
    Construct(
        "annotations-of-the-future",
        prelude="from __future__ import annotations\n",
        methods="""
        @define
        def size(self, node: Node) -> int:
            return node.left
        """,
        rule="node.out = self.size(node)",
    ),
)
