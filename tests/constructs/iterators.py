"""Iterators: where they are made, given away, kept and used up."""

from tests.constructs.construct import Construct

#: A helper that goes through what it gets, once or twice.
FIRST = """
@define
def first(self, tests):
    for test in tests:
        if test:
            return True
    return False

@step
def reset(self, nodes):
    for each in nodes:
        each.left = 0

@property
def full(self):
    return (each for each in self.nodes if each.left > 1)

def by_twos(self):
    for each in self.nodes:
        yield each, each.other

def twice(self, numbers):
    return sum(numbers) + sum(numbers)
"""
COUNT = "import itertools\n\nIDS = itertools.count()\nKEPT = [iter((1, 2))]\nNEXT = IDS.__next__\n"


def _rule(name: str, rule: str, prelude: str = "", fields: str = "") -> Construct:
    return Construct(name, rule, prelude, FIRST, fields)


CONSTRUCTS: tuple[Construct, ...] = (
    _rule(
        "iterator-generator-to-define",
        "node.hit = self.first(node.left == k and node.right == 2 - k for k in (0, 2))",
    ),
    _rule("iterator-generator-to-step", "self.reset(each for each in self.nodes if each.left > 1)"),
    _rule("iterator-of-property-to-step", "self.reset(self.full)"),
    _rule("iterator-of-property-in-any", "node.hit = any(each.flag for each in self.full)"),
    _rule("iterator-enumerate-to-define", "node.hit = self.first(enumerate((node.flag,)))"),
    _rule("iterator-map-to-define", "node.hit = self.first(map(lambda x: x.flag, self.nodes))"),
    _rule("iterator-zip-to-define", "node.hit = self.first(zip((node.flag,), (1,)))"),
    _rule("iterator-reversed-to-step", "self.reset(reversed(self.nodes))"),
    _rule("iterator-filter-to-step", "self.reset(filter(lambda x: x.left > 1, self.nodes))"),
    _rule("iterator-to-unmarked", "node.out = self.twice(x.left for x in self.nodes)"),
    _rule("iterator-tuple-to-define", "node.hit = self.first(tuple(x.flag for x in self.nodes))"),
    _rule("iterator-list-to-step", "self.reset([x for x in self.nodes if x.left > 1])"),
    _rule("iterator-of-generator-function", "for one, other in self.by_twos():\n    one.left = 0"),
    _rule(
        "iterator-named-any-then-list",
        """
        it = iter(self.nodes)
        node.hit = any(x.left > 1 for x in it)
        node.out = len(list(it))
        """,
    ),
    _rule(
        "iterator-named-any-twice",
        """
        it = iter(self.nodes)
        node.hit = any(x.flag for x in it)
        node.flag = any(x.left == 2 for x in it)
        """,
    ),
    _rule("iterator-next-behind-and", "it = iter((1, 2))\nnode.hit = node.flag and next(it) == 1"),
    _rule(
        "iterator-next-behind-if",
        "ids = iter((1, 2))\nnode.out = next(ids) if node.flag else 0\nnode.right = next(ids)",
    ),
    _rule(
        "iterator-next-in-chain",
        "it = iter((1, 2))\nnode.hit = node.left < 1 < next(it)\nnode.out = next(it)",
    ),
    _rule(
        "iterator-next-in-sum",
        """
        ids = iter((1, 2, 3))
        node.out = sum(next(ids) for each in self.nodes if each.left > 1) + next(ids)
        """,
    ),
    _rule(
        "iterator-any-then-sum",
        """
        it = iter((1, 2, 0))
        node.hit = any(node.left == k and node.right == 2 for k in it)
        node.out = sum(it)
        """,
    ),
    _rule("iterator-unpacked", "it = iter((1, 2))\na, b = it\nnode.out = a + b"),
    _rule("iterator-in-display", "pair = (iter((1, 2)), 1)\nnode.out = next(pair[0]) + pair[1]"),
    _rule("iterator-walrus", "node.out = next(it := iter((1, 2))) + next(it)"),
    _rule("iterator-of-conditional", "it = iter((1,))\nnode.out = next(it if node.hit else it, 0)"),
    _rule("iterator-in-lambda", "it = iter((1, 2))\nf = lambda: next(it)\nnode.out = f() + f()"),
    _rule(
        "iterator-starred",
        "it = iter((1, 2))\nif node.flag:\n    node.hit = True\nnode.out = max(0, *it)",
    ),
    _rule("iterator-looked-into", "it = iter((0, 1))\nnode.hit = node.left in it\n"),
    _rule("iterator-of-module", "node.out = next(IDS)", COUNT),
    _rule("iterator-of-module-in-list", "node.out = next(KEPT[0], 0)", COUNT),
    _rule("iterator-of-module-first", "node.out = next(next(iter(KEPT)), 0)", COUNT),
    _rule("iterator-of-module-mapped", "node.out = sum(map(next, KEPT))", COUNT),
    _rule("iterator-of-module-method", "node.out = NEXT()", COUNT),
    _rule(
        "iterator-of-module-partial",
        "node.out = TAKE()",
        f"import functools\n{COUNT}TAKE = functools.partial(next, IDS)\n",
    ),
    _rule(
        "iterator-of-module-methodcaller",
        "node.out = TAKE(IDS)",
        f"import operator\n{COUNT}TAKE = operator.methodcaller('__next__')\n",
    ),
    _rule(
        "iterator-of-module-in-default",
        "node.out = take()",
        f"{COUNT}\n\ndef take(ids=IDS):\n    return next(ids)\n",
    ),
    _rule(
        "iterator-of-module-through-function",
        "node.out = next(get())",
        f"{COUNT}\n\ndef get():\n    return IDS\n",
    ),
    _rule(
        "iterator-of-entity",
        "node.out = next(node.ids)",
        fields="def __init__(self, name):\n    super().__init__(name)\n    self.ids = iter((1, 2))",
    ),
    _rule("iterator-tee", "a, b = itertools.tee((1, 2))\nnode.out = next(a) + sum(b)", COUNT),
    _rule(
        "iterator-groupby",
        "for key, group in itertools.groupby(self.nodes, lambda x: x.kind):\n"
        "    for each in group:\n        each.left = 1",
        COUNT,
    ),
    _rule(
        "iterator-chain",
        "for each in itertools.chain(self.nodes, self.nodes):\n    each.left = 0",
        COUNT,
    ),
    _rule("iterator-of-enumerate-in-for", "for i, x in enumerate(self.nodes):\n    x.left = i"),
    _rule("iterator-to-forall", "node.hit = forall(reversed(self.nodes), lambda x: x.left > 0)"),
    Construct(
        "iterator-returned-by-define",
        rule="node.out = sum(self.lefts())\nif node.flag:\n    node.right = 0",
        methods="@define\ndef lefts(self):\n    return (x.number for x in self.nodes)",
    ),
    Construct(
        "iterator-class-of-user",
        prelude="""
        class Ids:
            def __init__(self):
                self.n = 0

            def __iter__(self):
                return self

            def __next__(self):
                self.n += 1
                return self.n

        IDS = Ids()
        """,
        rule="node.out = next(IDS)",
    ),
)

#: Iterators that are used where they are made; all others are refused.
USED_WHERE_MADE = {
    "iterator-tuple-to-define", "iterator-list-to-step",
    "iterator-of-generator-function", "iterator-chain", "iterator-of-enumerate-in-for",
    "iterator-to-forall",
}  # fmt: skip
