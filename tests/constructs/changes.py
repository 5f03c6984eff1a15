"""Lists and other objects that a helper or an operand changes, by all spellings."""

from tests.constructs.construct import Construct

PRELUDE = """
import collections
import functools
import operator


class Box:
    def __init__(self):
        self.n = 1

    def fill(self):
        self.n += 1


def add_one(some):
    some += [1]
"""


def _helper(name: str, change: str, made: str = "[]", out: str = "len(acc)") -> Construct:
    """A helper with two paths changes what it gets."""
    methods = f"@define\ndef h(self, node, acc):\n    {change}\n    return 1 if node.flag else 2"
    methods = methods.replace("return 1 if node.flag else 2", "if node.flag:\n        return 1")
    rule = f"acc = {made}\nnode.left = self.h(node, acc)\nnode.out = {out}"
    return Construct(
        f"changes-{name}", rule=rule, prelude=PRELUDE, methods=f"{methods}\n    return 2"
    )


def _rule(name: str, rule: str) -> Construct:
    return Construct(f"changes-{name}", rule=rule, prelude=PRELUDE)


#: All of these are refused.
CHANGING = (
    _helper("list-in-place", "acc += [1]"),
    _helper("list-times", "acc *= 2", "[1]"),
    _helper("list-append-of-class", "list.append(acc, 1)"),
    _helper("list-append-by-getattr", 'getattr(acc, "append")(1)'),
    _helper("list-iadd", "acc.__iadd__([1])"),
    _helper("list-iconcat", "operator.iconcat(acc, [1])"),
    _helper("list-setitem", "operator.setitem(acc, 0, 2)", "[1]", "acc[0]"),
    _helper("list-delitem", "operator.delitem(acc, 0)", "[1, 2, 3]"),
    _helper("list-methodcaller", 'operator.methodcaller("append", 1)(acc)'),
    _helper("list-partial", "functools.partial(list.append, acc)(1)"),
    _helper("list-by-map", "tuple(map(acc.append, (1,)))"),
    _helper("list-by-filter", "tuple(filter(acc.append, (1,)))"),
    _helper("list-by-sorted", "sorted((1, 2), key=lambda x: acc.append(x) or 0)"),
    _helper("list-by-max", "max((1, 2), key=lambda x: list.append(acc, x) or 0)"),
    _helper("list-by-reduce", "functools.reduce(operator.iconcat, ([1], [2]), acc)"),
    _helper("list-by-function", "add_one(acc)"),
    _helper("list-clear-of-class", "list.clear(acc)", "[1, 2]"),
    _helper("list-extend-of-class", "list.extend(acc, (1, 2))"),
    _helper("list-reversed", "list.reverse(acc)", "[1, 2]", "acc[0]"),
    _helper("deque-in-place", "acc += [1]", "collections.deque()"),
    _helper("bytearray-in-place", 'acc += b"x"', "bytearray()"),
    _helper("set-in-place", "acc |= frozenset((1,))", "set()"),
    _helper("dict-in-place", "acc |= dict(a=1)", "dict()"),
    _helper("dict-setdefault-of-class", "dict.setdefault(acc, 'a', 1)", "dict()"),
    _helper("list-in-tuple", "add_one(acc[0])", "([],)", "len(acc[0])"),
    _helper("list-in-list", "add_one(acc[0])", "[[]]", "len(acc[0])"),
    _helper("object-by-method", "acc.fill()", "Box()", "acc.n"),
    _helper("object-by-setattr", "setattr(acc, 'n', acc.n + 1)", "Box()", "acc.n"),
    _rule("list-behind-and", "acc = []\nnode.hit = node.flag and add_one(acc) == 1\nlen(acc)"),
    _rule("list-behind-if", "acc = []\nnode.out = add_one(acc) or 1 if node.flag else 0"),
    _rule("list-in-any", "acc = []\nnode.hit = any(add_one(acc) or x.flag for x in self.nodes)"),
    _rule("list-in-chain", "acc = []\nnode.hit = 0 < node.left < (add_one(acc) or 2)"),
)
#: These change what the same run has made.
OWN = (
    _rule(
        "own-list",
        "acc = [1]\nadd_one(acc)\nif node.flag:\n    node.hit = True\nnode.out = len(acc)",
    ),
    _rule(
        "own-object",
        "box = Box()\nbox.fill()\nif node.flag:\n    node.hit = True\nnode.out = box.n",
    ),
)
CONSTRUCTS: tuple[Construct, ...] = CHANGING + OWN
