"""Built-in functions and the standard library, called with values of the state."""

from tests.constructs.construct import Construct

FUNCTIONS = "import functools\nimport itertools\nimport operator\n"

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("int-of-number", rule="node.out = int(node.left)"),
    Construct("int-of-flag", rule="node.out = int(node.flag)"),
    Construct("float-of-number", rule="node.hit = float(node.left) == 1.0"),
    Construct("complex-of-number", rule="node.hit = complex(node.left).real == 2.0"),
    Construct("min-of-two", rule="node.out = min(node.left, node.right)"),
    Construct("max-of-three", rule="node.out = max(node.left, node.right, 1)"),
    Construct("min-of-list", rule="node.out = min([x.left for x in self.nodes])"),
    Construct("min-with-key", rule="node.out = min(self.nodes, key=lambda x: x.left).number"),
    Construct(
        "max-with-key-of-plain", rule="node.out = max(self.nodes, key=lambda x: x.number).left"
    ),
    Construct("max-with-default", rule="node.out = max((x.left for x in ()), default=4)"),
    Construct("min-of-entities", rule="node.out = min(node.friend, node.other).number"),
    Construct("min-of-enums", rule="node.st = min(node.st, S.B)"),
    Construct("min-of-tuples", rule="node.out = min((x.left, x.number) for x in self.nodes)[1]"),
    Construct("max-of-set", rule="node.out = max(node.seen)"),
    Construct("min-of-array", rule="node.out = min(node.slots)"),
    Construct("sum-of-list", rule="node.out = sum([node.left, node.right])"),
    Construct("sum-of-array", rule="node.out = sum(node.slots)"),
    Construct("sum-with-start", rule="node.out = sum((node.left,), node.right)"),
    Construct("sum-of-flags", rule="node.out = sum(x.flag for x in self.nodes)"),
    Construct("sum-of-set", rule="node.out = sum(node.seen)"),
    Construct("sum-of-lists", rule="node.out = sum([[node.left], [node.right]], [])[1]"),
    Construct("length-of-queue", rule="node.out = len(node.box)"),
    Construct("length-of-set", rule="node.out = len(node.seen)"),
    Construct("length-of-set-is-zero", rule="node.hit = len(node.seen) == 0"),
    Construct("length-of-array", rule="node.out = len(node.slots)"),
    Construct("length-of-filtered-list", rule="node.out = len([x for x in self.nodes if x.hit])"),
    Construct("sorted-values", rule="node.out = sorted([node.left, node.right])[0]"),
    Construct(
        "sorted-by-state", rule="node.out = sorted(self.nodes, key=lambda x: x.left)[0].number"
    ),
    Construct("sorted-set", rule="node.hit = sorted(node.seen) == [0, 1]"),
    Construct(
        "sorted-plain", rule="node.out = sorted(self.nodes, key=lambda x: -x.number)[0].left"
    ),
    Construct(
        "sort-list-in-place",
        rule="""
        values = [node.left, node.right]
        values.sort(reverse=True)
        node.out = values[0]
        """,
    ),
    Construct("reversed-array", rule="node.out = list(reversed(node.slots))[0]"),
    Construct("reversed-queue", rule="node.hit = next(reversed(node.box), None) == Note(text=2)"),
    Construct("reversed-plain", rule="node.out = next(reversed(self.nodes)).left"),
    Construct("range-of-state", rule="for _ in range(node.left):\n    node.out += 1"),
    Construct("range-with-step-of-state", rule="node.out = len(range(0, 4, node.left + 1))"),
    Construct(
        "enumerate-array",
        rule="""
        for place, value in enumerate(node.slots):
            if value == 3:
                node.out = place + 1
        """,
    ),
    Construct(
        "enumerate-from-state",
        rule="""
        for place, x in enumerate(self.nodes, node.left):
            if x.flag:
                node.out = place
        """,
    ),
    Construct(
        "zip-of-fields",
        rule="""
        for a, b in zip((node.left, node.right), (node.other.left, node.other.right)):
            if a != b:
                node.out += 1
        """,
    ),
    Construct(
        "zip-array-and-nodes",
        rule="node.out = sum(v * x.number for v, x in zip(node.slots, self.nodes))",
    ),
    Construct(
        "zip-strict-with-queue",
        rule="node.hit = all(a == b for a, b in zip(node.box, node.other.box, strict=True))",
    ),
    Construct("map-with-lambda", rule="node.out = sum(map(lambda x: x.left, self.nodes))"),
    Construct("map-with-int", rule="node.out = sum(map(int, (node.flag, node.hit)))"),
    Construct("map-never-consumed", rule="map(node.seen.add, (0, 1))"),
    Construct("map-consumed", rule="list(map(node.seen.add, (0, 1)))"),
    Construct(
        "iterate-over-set",
        rule="""
        for value in node.seen:
            node.out += value
        """,
    ),
    Construct(
        "iterate-over-queue",
        rule="""
        for record in node.box:
            if record == Stop:
                node.out += 1
        """,
    ),
    Construct(
        "iterate-over-set-of-nodes",
        rule="""
        for friend in node.friends:
            friend.hit = True
        """,
    ),
    Construct("list-of-set", rule="node.out = len(list(node.seen))"),
    Construct("tuple-of-queue", rule="node.hit = tuple(node.box) == ()"),
    Construct("set-of-array", rule="node.out = len(set(node.slots))"),
    Construct("frozenset-of-set", rule="node.hit = frozenset(node.seen) == frozenset({1})"),
    Construct("dict-of-pairs", rule="node.out = dict([(node.left, 5)]).get(1, 6)"),
    Construct("iter-and-next", rule="node.out = next(iter(node.slots))"),
    Construct("next-of-set-with-default", rule="node.out = next(iter(node.seen), 7)"),
    Construct(
        "iter-with-sentinel",
        rule="""
        values = [node.left, 2, 1]
        node.out = len(list(iter(values.pop, 2)))
        """,
    ),
    Construct("slice-object-of-state", rule="node.out = (4, 5, 6)[slice(node.left, None)][0]"),
    Construct("bin-of-number", rule='node.hit = bin(node.left) == "0b1"'),
    Construct("chr-of-number", rule='node.hit = chr(97 + node.left) == "b"'),
    Construct("hex-of-number", rule='node.hit = hex(node.left).endswith("2")'),
    Construct("bytes-of-number", rule="node.out = len(bytes(node.left))"),
    Construct("bytearray-item", rule="node.out = bytearray([node.left])[0]"),
    Construct("memoryview", rule="node.out = memoryview(bytes([node.left]))[0]"),
    Construct("round-with-digits", rule="node.hit = round(node.left, 1) == 2"),
    Construct("getattr-of-entity", rule='node.out = getattr(node, "left")'),
    Construct("getattr-of-entity-default", rule='node.out = getattr(node, "missing", 3)'),
    Construct("getattr-of-record-default", rule='node.out = getattr(node.mail, "text", 3)'),
    Construct(
        "getattr-of-record-missing-default", rule='node.out = getattr(node.rec, "missing", 3)'
    ),
    Construct("getattr-of-head-default", rule='node.out = getattr(node.box.head, "text", 4)'),
    Construct(
        "getattr-by-computed-name",
        rule="""
        name = "left" if node.number == 1 else "right"
        node.out = getattr(node, name)
        """,
    ),
    Construct(
        "getattr-by-state-name",
        rule="""
        name = "left" if node.flag else "right"
        node.out = getattr(node, name)
        """,
    ),
    Construct("hasattr-of-entity", rule='node.hit = hasattr(node, "left")'),
    Construct("hasattr-of-record", rule='node.hit = hasattr(node.mail, "text")'),
    Construct("hasattr-of-option", rule='node.hit = hasattr(node.peer, "left")'),
    Construct("hasattr-of-missing", rule='node.hit = hasattr(node, "missing")'),
    Construct("setattr-of-field", rule='setattr(node, "out", node.left)'),
    Construct("setattr-of-new-attribute", rule='setattr(node, "cache", node.left)'),
    Construct("delattr-of-field", rule='delattr(node, "flag")'),
    Construct("vars-of-entity", rule='node.hit = "left" in vars(node)'),
    Construct("vars-writes", rule='vars(node)["number"] = node.left\nnode.out = node.number'),
    Construct("dunder-dict-read", rule='node.out = node.__dict__.get("left", 8)'),
    Construct("dunder-dict-write", rule='node.__dict__["out"] = 3'),
    Construct("dir-of-record", rule='node.hit = "text" in dir(node.mail)'),
    Construct("object-getattribute", rule='node.out = object.__getattribute__(node, "left")'),
    Construct("object-setattr", rule='object.__setattr__(node, "out", 2)'),
    Construct("eval-of-expression", rule='node.hit = eval("node.left == 1")'),
    Construct("eval-with-is", rule='node.hit = eval("node.st is S.B")'),
    Construct("exec-of-statement", rule='exec("node.out = node.left")'),
    Construct("exec-with-is", rule='exec("if node.flag is True:\\n    node.out = 4")'),
    Construct(
        "compile-at-module-level",
        prelude="""
        CODE = compile("st is S.A", "<text>", "eval")
        """,
        rule='node.hit = eval(CODE, {"S": S}, {"st": node.st})',
    ),
    Construct(
        "globals-read", prelude="FACTOR = 2\n", rule='node.out = globals()["FACTOR"] + node.left'
    ),
    Construct("locals-read", rule='x = node.left\nnode.out = locals()["x"]'),
    Construct(
        "globals-write", prelude="SEEN = 0\n", rule='globals()["SEEN"] = node.left\nnode.out = SEEN'
    ),
    Construct("import-inside-rule", rule="import math\nnode.out = math.floor(2.5)"),
    Construct(
        "import-inside-rule-used-on-state", rule="import math\nnode.out = math.floor(node.left)"
    ),
    Construct("dunder-import", rule='node.out = __import__("math").gcd(4, 6)'),
    Construct("math-gcd", prelude="import math\n", rule="node.out = math.gcd(node.left, 2)"),
    Construct("math-sqrt", prelude="import math\n", rule="node.hit = math.sqrt(node.left) == 1"),
    Construct(
        "math-isclose", prelude="import math\n", rule="node.hit = math.isclose(node.left, 2)"
    ),
    Construct(
        "math-ceil-of-half", prelude="import math\n", rule="node.out = math.ceil(node.left / 2)"
    ),
    Construct("math-inf", prelude="import math\n", rule="node.hit = node.left < math.inf"),
    Construct(
        "math-prod-of-plain", prelude="import math\n", rule="node.out = math.prod((2, node.number))"
    ),
    Construct(
        "math-comb-of-state", prelude="import math\n", rule="node.out = math.comb(3, node.left)"
    ),
    Construct(
        "statistics-mean",
        prelude="import statistics\n",
        rule="node.hit = statistics.mean([node.left, node.right]) == 1.5",
    ),
    Construct(
        "statistics-median",
        prelude="import statistics\n",
        rule="node.out = statistics.median_low([node.left, node.right])",
    ),
    Construct(
        "decimal-of-state",
        prelude="from decimal import Decimal\n",
        rule="node.hit = Decimal(node.left) > Decimal('1.5')",
    ),
    Construct(
        "compare-with-decimal",
        prelude="from decimal import Decimal\n",
        rule="node.hit = node.left == Decimal(1)",
    ),
    Construct(
        "fraction-of-state",
        prelude="from fractions import Fraction\n",
        rule="node.hit = Fraction(node.left, 2) == Fraction(1, 2)",
    ),
    Construct(
        "fraction-times-state",
        prelude="from fractions import Fraction\n",
        rule="node.hit = Fraction(1, 2) * node.left == 1",
    ),
    Construct("random-number", prelude="import random\n", rule="node.out = random.randint(0, 1)"),
    Construct(
        "random-choice-of-state",
        prelude="import random\n",
        rule="node.out = random.choice([node.left, node.right])",
    ),
    Construct(
        "random-shuffle-of-plain",
        prelude="import random\n",
        rule="""
        order = list(self.nodes)
        random.shuffle(order)
        node.out = order[0].number
        """,
    ),
    Construct(
        "random-seeded-at-module-level",
        prelude="import random\nCOIN = random.Random(1).random() < 0.5\n",
        rule="node.hit = COIN and node.flag",
    ),
    Construct("clock-in-rule", prelude="import time\n", rule="node.hit = time.time() % 2 < 1"),
    Construct(
        "clock-monotonic-compared",
        prelude="import time\n",
        rule="node.hit = time.monotonic() > node.left",
    ),
    Construct(
        "date-in-rule",
        prelude="import datetime\n",
        rule="node.hit = datetime.date.today().day % 2 == 0",
    ),
    Construct(
        "environment-variable",
        prelude="import os\n",
        rule='node.hit = os.environ.get("TOY_FLAG") == "1"',
    ),
    Construct(
        "environment-at-module-level",
        prelude='import os\n\nFLAG = os.environ.get("TOY_FLAG", "")\n',
        rule="node.hit = bool(FLAG)",
    ),
    Construct("process-id", prelude="import os\n", rule="node.hit = os.getpid() % 2 == 0"),
    Construct(
        "working-folder-exists", prelude="import os\n", rule='node.hit = os.path.exists("toy.toml")'
    ),
    Construct(
        "open-a-file",
        rule='with open("/dev/null", "w") as file:\n    file.write("1")\nnode.out = 1',
    ),
    Construct("print-a-value", rule="print(node.left)"),
    Construct("print-a-text", rule='print("go")'),
    Construct("print-in-condition", rule="node.hit = print(node.flag) is None"),
    Construct(
        "logging-a-value",
        prelude="import logging\n",
        rule='logging.getLogger("toy").debug("left %s", node.left)',
    ),
    Construct(
        "warnings-warn",
        prelude="import warnings\n",
        rule='warnings.warn("left", stacklevel=1)\nnode.out = 1',
    ),
    Construct(
        "sys-getsizeof", prelude="import sys\n", rule="node.hit = sys.getsizeof(node.left) > 30"
    ),
    Construct(
        "sys-getrefcount",
        prelude="import sys\n",
        rule="node.out = min(9, sys.getrefcount(node.st))",
    ),
    Construct("sys-maxsize", prelude="import sys\n", rule="node.hit = node.left < sys.maxsize"),
    Construct(
        "sys-version-branch",
        prelude="import sys\n",
        rule="if sys.version_info >= (3, 11):\n    node.out = node.left",
    ),
    Construct(
        "sys-intern-of-value",
        prelude="import sys\n",
        rule="node.hit = sys.intern(node.st.value) == 'a'",
    ),
    Construct("sys-exit", prelude="import sys\n", rule="if node.flag:\n    sys.exit(0)"),
    Construct(
        "functools-partial",
        prelude="""
            from functools import partial


            def at_least(low, value):
                return value >= low
            """,
        rule="node.hit = partial(at_least, 2)(node.left)",
    ),
    Construct(
        "functools-partial-of-is",
        prelude="""
            from functools import partial
            from operator import is_

            is_b = partial(is_, S.B)
            """,
        rule="node.hit = is_b(node.st)",
    ),
    Construct(
        "functools-reduce",
        prelude="from functools import reduce\n",
        rule="node.out = reduce(lambda a, b: a + b, (node.left, node.right), 1)",
    ),
    Construct(
        "functools-reduce-max",
        prelude="from functools import reduce\n",
        rule="node.out = reduce(max, [x.left for x in self.nodes])",
    ),
    Construct(
        "functools-lru-cache-of-value",
        prelude="""
            from functools import lru_cache


            @lru_cache
            def twice(value):
                return value + value
            """,
        rule="node.out = twice(node.left)",
    ),
    Construct(
        "functools-cache-of-entity",
        prelude="""
            from functools import cache


            @cache
            def left_of(node):
                return node.left
            """,
        rule="node.out = left_of(node)",
    ),
    Construct(
        "functools-cache-of-number",
        prelude="""
            from functools import cache


            @cache
            def square(number):
                return number * number
            """,
        rule="node.out = square(node.number)",
    ),
    Construct(
        "functools-cache-on-method",
        prelude="from functools import cache\n",
        methods="@cache\ndef total(self):\n    return self.nodes[0].left + self.nodes[1].left\n",
        rule="node.out = self.total()",
    ),
    Construct(
        "functools-cached-property-of-entity",
        prelude="from functools import cached_property\n",
        fields="@cached_property\ndef both(self):\n    return self.left + self.right\n",
        rule="node.out = node.both",
    ),
    Construct(
        "functools-singledispatch-on-record",
        prelude="""
        from functools import singledispatch


        @singledispatch
        def size(record):
            return 0


        @size.register
        def _(record: Stop):
            return 1


        @size.register
        def _(record: Note):
            return 2
        """,
        rule="node.out = size(node.mail)",
    ),
    Construct(
        "functools-singledispatch-on-number",
        prelude="""
        from functools import singledispatch


        @singledispatch
        def size(value):
            return 5


        @size.register
        def _(value: int):
            return value
        """,
        rule="node.out = size(node.left)",
    ),
    Construct(
        "functools-cmp-to-key",
        prelude="from functools import cmp_to_key\n",
        rule="""
        order = sorted(self.nodes, key=cmp_to_key(lambda a, b: a.left - b.left))
        node.out = order[-1].number
        """,
    ),
    Construct(
        "functools-total-ordering",
        prelude="""
        from functools import total_ordering


        @total_ordering
        class Weight:
            def __init__(self, value):
                self.value = value

            def __eq__(self, other):
                return self.value == other.value

            def __lt__(self, other):
                return self.value < other.value
        """,
        rule="node.hit = Weight(node.left) >= Weight(node.right)",
    ),
    Construct(
        "itertools-chain",
        prelude="from itertools import chain\n",
        rule="node.out = sum(chain((node.left,), (node.right, 1)))",
    ),
    Construct(
        "itertools-chain-of-sets",
        prelude="from itertools import chain\n",
        rule="node.hit = 1 in chain(node.seen, node.other.seen)",
    ),
    Construct(
        "itertools-takewhile",
        prelude="from itertools import takewhile\n",
        rule="node.out = len(list(takewhile(lambda x: x.flag, self.nodes)))",
    ),
    Construct(
        "itertools-accumulate",
        prelude="from itertools import accumulate\n",
        rule="node.out = list(accumulate((node.left, node.right)))[1]",
    ),
    Construct(
        "itertools-product-of-plain",
        prelude="from itertools import product\n",
        rule="node.out = sum(1 for a, b in product(self.nodes, self.nodes) if a.left < b.right)",
    ),
    Construct(
        "itertools-pairwise",
        prelude="from itertools import pairwise\n",
        rule="node.hit = any(a.left < b.left for a, b in pairwise(self.nodes))",
    ),
    Construct(
        "itertools-groupby",
        prelude="from itertools import groupby\n",
        rule="node.out = len(list(groupby([node.left, node.right, 2])))",
    ),
    Construct(
        "itertools-islice-by-state",
        prelude="from itertools import islice\n",
        rule="node.out = len(list(islice((1, 2, 3), node.left)))",
    ),
    Construct(
        "itertools-compress",
        prelude="from itertools import compress\n",
        rule="node.out = len(list(compress((1, 2), (node.flag, node.hit))))",
    ),
    Construct(
        "itertools-count-at-module-level",
        prelude="from itertools import count as counter\n\nIDS = counter()\n",
        rule="node.out = next(IDS) % 3",
    ),
    Construct(
        "bisect-in-plain-list",
        prelude="from bisect import bisect\n",
        rule="node.out = bisect([0, 1, 2], node.left)",
    ),
    Construct(
        "heapq-nsmallest",
        prelude="import heapq\n",
        rule="node.out = heapq.nsmallest(1, [node.left, node.right])[0]",
    ),
    Construct(
        "copy-of-record", prelude="import copy\n", rule="node.hit = copy.copy(node.rec) == node.rec"
    ),
    Construct(
        "deepcopy-of-number", prelude="import copy\n", rule="node.out = copy.deepcopy(node.left)"
    ),
    Construct(
        "deepcopy-of-entity",
        prelude="import copy\n",
        rule="twin = copy.deepcopy(node)\ntwin.flag = True\nnode.hit = node.flag",
    ),
    Construct(
        "deepcopy-of-list",
        prelude="import copy\n",
        rule="values = copy.deepcopy([node.left])\nnode.out = values[0]",
    ),
    Construct(
        "copy-of-set",
        prelude="import copy\n",
        rule="""
        old = copy.copy(node.seen)
        node.seen.add(0)
        node.hit = old.has(0)
        """,
    ),
    Construct(
        "pickle-of-value",
        prelude="import pickle\n",
        rule="node.out = pickle.loads(pickle.dumps(node.left))",
    ),
    Construct(
        "pickle-compared",
        prelude="import pickle\n",
        rule="node.hit = pickle.dumps(node.st) == pickle.dumps(S.A)",
    ),
    Construct(
        "json-of-value",
        prelude="import json\n",
        rule='node.hit = json.dumps({"left": node.left}) == \'{"left": 1}\'',
    ),
    Construct(
        "json-loads-of-plain",
        prelude="import json\n",
        rule="node.out = json.loads('[4, 5]')[node.number - 1]",
    ),
    Construct(
        "re-match-of-value",
        prelude="import re\n",
        rule='node.hit = re.match("a", node.st.value) is not None',
    ),
    Construct(
        "re-match-of-plain",
        prelude="import re\n",
        rule='node.hit = bool(re.fullmatch("s.*e", node.kind)) and node.flag',
    ),
    Construct(
        "ctypes-of-value",
        prelude="import ctypes\n",
        rule="node.out = ctypes.c_int(node.left).value",
    ),
    Construct(
        "struct-of-value",
        prelude="import struct\n",
        rule='node.hit = struct.pack("b", node.left) == b"\\x01"',
    ),
    Construct(
        "inspect-signature",
        prelude="import inspect\n",
        rule="node.out = len(inspect.signature(self.go).parameters)",
    ),
    Construct(
        "inspect-stack", prelude="import inspect\n", rule="node.hit = len(inspect.stack()) > 40"
    ),
    Construct(
        "inspect-isclass", prelude="import inspect\n", rule="node.hit = inspect.isclass(node.mail)"
    ),
    Construct("gc-collect", prelude="import gc\n", rule="gc.collect()\nnode.out = 1"),
    Construct(
        "weakref-of-entity",
        prelude="import weakref\n",
        rule="node.hit = weakref.ref(node.friend)() == node",
    ),
    Construct(
        "weak-key-dictionary",
        prelude="import weakref\n\nKNOWN = weakref.WeakKeyDictionary()\n",
        rule="KNOWN[node] = node.left\nnode.out = KNOWN[node]",
    ),
    Construct(
        "threading-lock",
        prelude="import threading\n\nLOCK = threading.Lock()\n",
        rule="with LOCK:\n    node.out = node.left",
    ),
    Construct(
        "threading-thread",
        prelude="import threading\n",
        rule="""
        found = []
        worker = threading.Thread(target=lambda: found.append(node.st == S.B))
        worker.start()
        worker.join()
        node.hit = found[0]
        """,
    ),
    Construct(
        "contextvar",
        prelude="import contextvars\n\nBEFORE = contextvars.ContextVar('before', default=0)\n",
        rule="node.out = BEFORE.get()\nBEFORE.set(1)",
    ),
    Construct("uuid", prelude="import uuid\n", rule="node.hit = uuid.uuid4().int % 2 == 0"),
    Construct(
        "subprocess-call",
        prelude="import subprocess\n",
        rule='subprocess.run(["true"], check=True)\nnode.out = 1',
    ),
    Construct(
        "asyncio-run",
        prelude="import asyncio\n\n\nasync def read(node):\n    return node.left\n",
        rule="node.out = asyncio.run(read(node))",
    ),
    Construct(
        "numpy-of-value",
        prelude="import numpy as np\n",
        rule="node.out = int(np.array([node.left, node.right]).max())",
    ),
    Construct(
        "numpy-scalar-compared",
        prelude="import numpy as np\n",
        rule="node.hit = np.int64(1) == node.left",
    ),
    Construct("numpy-scalar-stored", prelude="import numpy as np\n", rule="node.out = np.int64(3)"),
    Construct(
        "array-module",
        prelude="from array import array\n",
        rule='node.out = array("i", [node.left])[0]',
    ),
    Construct(
        "string-template",
        prelude="from string import Template\n",
        rule='node.hit = Template("$x").substitute(x=node.left) == "1"',
    ),
    Construct(
        "contextlib-suppress",
        prelude="from contextlib import suppress\n",
        rule="with suppress(Exception):\n    node.out = node.peer.left + 1",
    ),
    Construct(
        "traceback-format",
        prelude="import traceback\n",
        rule="node.hit = len(traceback.format_stack()) > 30",
    ),
    Construct(
        "types-simple-namespace",
        prelude="from types import SimpleNamespace\n",
        rule="node.hit = SimpleNamespace(a=node.left) == SimpleNamespace(a=1)",
    ),
    Construct(
        "typing-cast",
        prelude="from typing import cast\n",
        rule='node.out = cast("int", node.maybe)',
    ),
    Construct(
        "typing-assert-never",
        prelude="from typing import assert_never\n",
        rule="""
        match node.st:
            case S.A | S.B:
                node.out = 1
            case S.C:
                node.out = 2
            case _:
                assert_never(node.st)
        """,
    ),
    Construct(
        "given-map-is",
        prelude=FUNCTIONS,
        rule="node.hit = any(map(operator.is_, (node.left, 1), (2, 1)))",
    ),
    Construct(
        "given-starmap-is",
        prelude=FUNCTIONS,
        rule="node.hit = all(itertools.starmap(operator.is_, ((node.left, 2),)))",
    ),
    Construct(
        "given-accumulate-is",
        prelude=FUNCTIONS,
        rule="node.hit = tuple(itertools.accumulate((node.left, 2), operator.is_))[1]",
    ),
    Construct(
        "given-reduce-is",
        prelude=FUNCTIONS,
        rule="node.hit = functools.reduce(operator.is_, (node.left, 2))",
    ),
    Construct(
        "given-map-type",
        prelude=FUNCTIONS,
        rule="node.hit = all(t == int for t in map(type, (node.left, 1)))",
    ),
    Construct(
        "given-map-repr",
        prelude=FUNCTIONS,
        rule="node.hit = all(t == '2' for t in map(repr, (node.left,)))",
    ),
    Construct(
        "given-map-str",
        prelude=FUNCTIONS,
        rule="node.hit = all(t == '2' for t in map(str, (node.left,)))",
    ),
    Construct(
        "given-filter-eq-of-number",
        prelude=FUNCTIONS,
        rule="node.out = len(tuple(filter((1).__eq__, (node.left,))))",
    ),
    Construct(
        "given-partial-isinstance",
        prelude=FUNCTIONS,
        rule="node.hit = functools.partial(isinstance, node.left)(int)",
    ),
    Construct(
        "given-partial-is",
        prelude=FUNCTIONS,
        rule="node.hit = any(map(functools.partial(operator.is_, 1), (node.left,)))",
    ),
    Construct(
        "given-attrgetter-class",
        prelude=FUNCTIONS,
        rule="node.hit = operator.attrgetter('__class__')(node.left) == int",
    ),
    Construct(
        "given-methodcaller-eq",
        prelude=FUNCTIONS,
        rule="node.hit = operator.methodcaller('__eq__', 2)(node.left) == True",
    ),
    Construct(
        "given-getattr-class",
        prelude=FUNCTIONS,
        rule="node.hit = getattr(node.left, '__class__') == int",
    ),
    Construct(
        "given-sorted-by-type",
        prelude=FUNCTIONS,
        rule="node.hit = sorted((node.left, 1), key=id)[0] == 1",
    ),
    Construct(
        "given-map-hash",
        prelude=FUNCTIONS,
        rule="node.out = sum(1 for each in map(hash, (node.left,)) if each == 2)",
    ),
    Construct(
        "given-map-len", prelude=FUNCTIONS, rule="node.out = sum(map(len, (node.tags, (1,))))"
    ),
    Construct(
        "given-map-helper",
        prelude=FUNCTIONS,
        rule="node.out = sum(map(lambda x: x.left, self.nodes))",
    ),
    Construct(
        "given-partial-add",
        prelude=FUNCTIONS,
        rule="node.out = functools.partial(operator.add, 1)(node.left)",
    ),
    Construct(
        "given-reduce-add",
        prelude=FUNCTIONS,
        rule="node.out = functools.reduce(operator.add, (node.left, node.right))",
    ),
    Construct(
        "given-attrgetter",
        prelude=FUNCTIONS,
        rule="node.out = sum(map(operator.attrgetter('left'), self.nodes))",
    ),
    Construct(
        "given-itemgetter",
        prelude=FUNCTIONS,
        rule="node.out = operator.itemgetter(1)((0, node.left))",
    ),
    Construct(
        "given-max-key",
        prelude=FUNCTIONS,
        rule="node.out = max(self.nodes, key=lambda x: x.number).left",
    ),
    Construct(
        "given-filter-none",
        prelude=FUNCTIONS,
        rule="node.out = sum(filter(None, (node.left, node.right)))",
    ),
)
