"""State outside the state: modules, classes and objects that remember something."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct(
        "module-dict-keeps-value",
        prelude="KEPT = {}\n",
        rule='KEPT["left"] = node.left\nnode.out = KEPT["left"]',
    ),
    Construct(
        "module-dict-setdefault",
        prelude="KEPT = {}\n",
        rule='node.out = KEPT.setdefault("left", node.left)',
    ),
    Construct(
        "module-dict-kept-by-helper",
        prelude="""
        KEPT = {}


        def first_left(node):
            if "left" not in KEPT:
                KEPT["left"] = node.left
            return KEPT["left"]
        """,
        rule="node.out = first_left(node)",
    ),
    Construct(
        "module-dict-by-entity",
        prelude="KEPT = {}\n",
        rule="node.out = KEPT.setdefault(node.name, node.left)",
    ),
    Construct(
        "module-dict-of-condition",
        prelude="KEPT = {}\n",
        rule="node.hit = KEPT.setdefault(0, node.left == 1)",
    ),
    Construct(
        "module-dict-read-in-other-rule",
        prelude="KEPT = {}\n",
        rule='KEPT["flag"] = node.flag',
        methods="""
        @rule
        def look(self, node: Node) -> None:
            \"\"\"A node looks.\"\"\"
            require(not node.hit, KEPT.get("flag", False))
            node.hit = True
        """,
    ),
    Construct(
        "module-dict-written-in-define",
        prelude="KEPT = {}\n",
        methods="""
        @define
        def left_of(self, node: Node) -> int:
            KEPT["left"] = node.left
            return node.left
        """,
        rule='node.out = self.left_of(node) + KEPT["left"]',
    ),
    Construct(
        "module-dict-written-in-property",
        prelude="KEPT = {}\n",
        rule='node.hit = KEPT.get("ok", False)',
        prop='KEPT["ok"] = True\nreturn state.nodes[0].left < 2',
    ),
    Construct(
        "module-list-grows",
        prelude="KEPT = []\n",
        rule="KEPT.append(node.left)\nnode.out = KEPT[0]",
    ),
    Construct(
        "module-list-length", prelude="KEPT = []\n", rule="KEPT.append(1)\nnode.out = len(KEPT) % 5"
    ),
    Construct(
        "module-list-length-of-branch",
        prelude="KEPT = []\n",
        rule="if node.flag:\n    KEPT.append(1)\nnode.out = len(KEPT) % 5",
    ),
    Construct(
        "module-set-grows",
        prelude="KEPT = set()\n",
        rule="first = node.name not in KEPT\nKEPT.add(node.name)\nnode.hit = first",
    ),
    Construct(
        "module-deque",
        prelude="from collections import deque\n\nLAST = deque(maxlen=1)\n",
        rule="node.out = LAST[0] if LAST else 9\nLAST.append(node.left)",
    ),
    Construct(
        "module-global-counter",
        prelude="""
            COUNT = 0


            def counted():
                global COUNT
                COUNT += 1
                return COUNT % 5
            """,
        rule="node.out = counted()",
    ),
    Construct(
        "module-global-value",
        prelude="""
            LAST = None


            def remember(value):
                global LAST
                if LAST is None:
                    LAST = value
                return LAST
            """,
        rule="node.out = remember(node.left)",
    ),
    Construct("module-constant", prelude="STEP = 2\n", rule="node.out = node.left + STEP"),
    Construct(
        "module-constant-frozenset",
        prelude="BUSY = frozenset({S.B, S.C})\n",
        rule="node.hit = node.st in BUSY",
    ),
    Construct(
        "module-constant-dict",
        prelude='STEPS = {"source": 1, "sink": 2}\n',
        rule="node.out = node.left + STEPS[node.kind]",
    ),
    Construct(
        "module-constant-record",
        prelude="EMPTY_NOTE = Note(text=0)\n",
        rule="node.hit = node.rec == EMPTY_NOTE",
    ),
    Construct(
        "module-constant-record-put",
        prelude="EMPTY_NOTE = Note(text=0)\n",
        rule="require(node.box.has_space)\nnode.box.put(EMPTY_NOTE)",
    ),
    Construct(
        "module-constant-computed",
        prelude="STEPS = tuple(n * n % 3 for n in range(3))\n",
        rule="node.out = STEPS[node.number]",
    ),
    Construct(
        "module-constant-changed-after-class",
        prelude="STEP = 1\n",
        rule="node.out = node.left + STEP",
        after="STEP = 2\n",
    ),
    Construct(
        "module-class-attribute-counter",
        prelude="class Count:\n    calls = 0\n",
        rule="Count.calls += 1\nnode.out = Count.calls % 5",
    ),
    Construct(
        "module-class-attribute-value",
        prelude="class Kept:\n    value = None\n",
        rule="if Kept.value is None:\n    Kept.value = node.left\nnode.out = Kept.value",
    ),
    Construct(
        "module-object-attribute",
        prelude="from types import SimpleNamespace\n\nKEPT = SimpleNamespace(left=0)\n",
        rule="node.out = KEPT.left\nKEPT.left = node.left",
    ),
    Construct(
        "module-object-with-setitem",
        prelude="""
        class Store:
            def __init__(self):
                self.values = {}

            def __setitem__(self, key, value):
                self.values[key] = value

            def __getitem__(self, key):
                return self.values[key]


        STORE = Store()
        """,
        rule='STORE["x"] = node.left\nnode.left = 0\nnode.out = STORE["x"]',
    ),
    Construct(
        "module-memo-by-plain-key",
        prelude="""
        MEMO = {}


        def idle(node):
            key = node.name
            if key not in MEMO:
                MEMO[key] = node.st == S.A
            return MEMO[key]
        """,
        rule="node.hit = idle(node)",
    ),
    Construct(
        "module-memo-of-plain-value",
        prelude="""
        MEMO = {}


        def doubled(number):
            if number not in MEMO:
                MEMO[number] = number * 2
            return MEMO[number]
        """,
        rule="node.out = doubled(node.number)",
    ),
    Construct(
        "module-function-replaced",
        prelude="""
        def size(node):
            return node.left


        def other_size(node):
            return node.right
        """,
        rule="node.out = size(node)",
        after="size = other_size\n",
    ),
    Construct(
        "module-getattr",
        prelude="def __getattr__(name):\n    return 2\n",
        rule="node.out = node.left",
    ),
    Construct(
        "module-of-its-own-by-sys",
        prelude="import sys\n",
        rule="module = sys.modules[__name__]\nmodule.KEPT = node.left\nnode.out = module.KEPT",
    ),
    Construct(
        "builtins-patched",
        prelude="import builtins\n\nbuiltins.toy_step = 2\n",
        rule="node.out = node.left + toy_step",
    ),
    Construct(
        "builtin-shadowed-max",
        prelude="def max(a, b):\n    return a if a < b else b\n",
        rule="node.out = max(node.left, node.right)",
    ),
    Construct(
        "builtin-shadowed-all",
        prelude="def all(values):\n    return len(list(values)) == 2\n",
        rule="node.hit = all(x.flag for x in self.nodes)",
    ),
    Construct(
        "builtin-shadowed-isinstance",
        prelude="def isinstance(value, kind):\n    return True\n",
        rule="node.hit = isinstance(node.mail, Stop)",
    ),
    Construct(
        "builtin-shadowed-len",
        prelude="def len(value):\n    return 4\n",
        rule="node.out = len(self.nodes)",
    ),
    Construct(
        "builtin-shadowed-bool-of-local", rule="bool = int\nnode.hit = bool(1) == 1 and node.flag"
    ),
    Construct(
        "language-name-shadowed",
        prelude="def require(*tests):\n    pass\n",
        rule="require(node.flag)\nnode.out = 1",
    ),
    Construct(
        "language-name-aliased", prelude="need = require\n", rule="need(node.flag)\nnode.out = 1"
    ),
    Construct(
        "language-name-nothing-aliased",
        prelude="NIL = Nothing\n",
        rule="node.hit = node.maybe == NIL",
    ),
    Construct(
        "language-name-nothing-shadowed",
        prelude="Nothing = 0\n",
        rule="node.hit = node.left == Nothing",
    ),
    Construct(
        "class-attribute-of-protocol",
        methods="step_size = 2\n",
        rule="node.out = node.left + self.step_size",
    ),
    Construct(
        "class-attribute-of-protocol-list",
        methods="seen_lefts = []\n",
        rule="self.seen_lefts.append(node.left)\nnode.out = self.seen_lefts[0]",
    ),
    Construct(
        "class-attribute-of-protocol-counter",
        methods="calls = 0\n",
        rule="type(self).calls += 1\nnode.out = self.calls % 5",
    ),
    Construct(
        "class-attribute-of-entity",
        fields="step_size = 2\n",
        rule="node.out = node.left + node.step_size",
    ),
    Construct(
        "class-attribute-of-entity-dict",
        fields="cache = {}\n",
        rule="node.out = node.cache.setdefault(node.number, node.left)",
    ),
    Construct("new-attribute-of-entity", rule="node.kept = node.left\nnode.out = node.kept"),
    Construct(
        "new-attribute-of-entity-read-later",
        rule='node.out = getattr(node, "kept", 9)\nnode.kept = node.left',
    ),
    Construct("new-attribute-of-protocol", rule="self.kept = node.left\nnode.out = self.kept"),
    Construct("plain-attribute-written", rule="node.number = 5\nnode.out = node.number"),
    Construct(
        "plain-attribute-written-with-state", rule="self.limit = node.left\nnode.out = self.limit"
    ),
    Construct(
        "plain-dict-written", rule='node.weights["x"] = node.left\nnode.out = node.weights["x"]'
    ),
    Construct(
        "plain-dict-counted", rule='node.weights["x"] += 1\nnode.out = node.weights["x"] % 5'
    ),
    Construct(
        "plain-attribute-written-in-branch",
        rule="if node.flag:\n    self.limit = 7\nnode.out = self.limit",
    ),
    Construct("plain-attribute-swapped", rule="node.other, node.peer = node, node.other"),
    Construct("record-class-attribute", rule="Note.weight = 3\nnode.out = node.rec.weight"),
    Construct(
        "enum-member-attribute",
        prelude="S.A.cost = 1\nS.B.cost = 2\nS.C.cost = 3\n",
        rule="node.out = node.st.cost",
    ),
    Construct(
        "enum-member-attribute-of-constant",
        prelude="S.B.cost = 2\n",
        rule="node.out = S.B.cost + node.left",
    ),
    Construct(
        "options-changed",
        rule='object.__setattr__(self.options, "eager", False)\nnode.hit = self.options.eager',
    ),
    Construct("rule-reads-itself", rule="node.hit = self.go.__name__ == 'go' and node.flag"),
    Construct("rule-attribute", rule="node.out = getattr(self.go, 'times', 4)"),
    Construct(
        "list-of-entity-changed-by-class",
        fields="def __init__(self, name):\n    super().__init__(name)\n    self.kept = []",
        rule="list.append(node.kept, 1)\nnode.out = 1 if len(node.kept) > 1 else 0",
    ),
    Construct(
        "function-made-by-eval",
        prelude='is_int = eval("lambda v: isinstance(v, int)")',
        rule="node.hit = is_int(node.left)",
    ),
    Construct(
        "function-made-by-exec",
        prelude='exec(compile("def is_int(v):\\n    return type(v) == int", __file__, "exec"))',
        rule="node.hit = is_int(node.left)",
    ),
    Construct(
        "function-made-by-eval-of-plain-values",
        prelude='KEPT = []\nfill = eval("lambda: list.append(KEPT, 1) or len(KEPT)")',
        rule="node.out = fill()",
    ),
    *(
        Construct(f"bound-{name}-kept-by-module", prelude=prelude, rule=f"node.out = {call}")
        for name, prelude, call in (
            ("pop", "TAKE = [2, 1, 0, 1, 2, 1, 0, 1, 2].pop", "TAKE()"),
            ("setdefault", "LIMIT = {}.setdefault", "LIMIT('limit', 2)"),
            (
                "popleft",
                "import collections\nTAKE = collections.deque((1, 2) * 40).popleft",
                "TAKE()",
            ),
            (
                "send",
                "def numbers():\n    while True:\n        yield 1\n        yield 2\n"
                "NEXT = numbers().send",
                "NEXT(None)",
            ),
            ("next", "import itertools\nNEXT = itertools.cycle((1, 2)).__next__", "NEXT()"),
            (
                "method-of-object",
                "class Box:\n    n = 0\n    def next(self):\n"
                "        self.n = 1 - self.n\n        return self.n\nNEXT = Box().next",
                "NEXT()",
            ),
        )
    ),
    Construct(
        "doc-of-function-changes",
        prelude="""
        def number():
            number.__doc__ = (number.__doc__ or "") + "x"
            return len(number.__doc__) % 3
        """,
        rule="node.out = number()",
    ),
    Construct(
        "arguments-of-exception-change",
        prelude="""
        ERROR = ValueError()

        def number():
            ERROR.args += (1,)
            return len(ERROR.args) % 3
        """,
        rule="node.out = number()",
    ),
)
