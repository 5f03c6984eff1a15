"""Classes of a user with special methods, applied to values of the state."""

from textwrap import dedent, indent

from tests.constructs.construct import Construct

BOX = """
class Box:
    def __init__(self, value):
        self.value = value

"""


def box(*methods: str) -> str:
    """Return a class that keeps a value, with further methods."""
    return BOX + "\n\n".join(indent(dedent(m).strip("\n"), "    ") for m in methods) + "\n"


#: A record class with a subclass, and fields that can hold both.
LETTER = """
class Letter(Note):
    \"\"\"A note in an envelope.\"\"\"
"""
POST = """
post = field(Union(Letter, Note), Letter(text=2))
rec2 = field(Union(Note, Letter), Note(text=2))
post2 = field(Queue(Union(Letter, Note), 1), ())
"""

CONSTRUCTS: tuple[Construct, ...] = (
    Construct(
        "own-eq-by-value",
        prelude=box("def __eq__(self, other):\n    return self.value == other.value"),
        rule="node.hit = Box(node.left) == Box(1)",
    ),
    Construct(
        "own-eq-always",
        prelude=box("def __eq__(self, other):\n    return True"),
        rule="node.hit = Box(node.left) == Box(1)",
    ),
    Construct(
        "own-eq-with-is",
        prelude=box("def __eq__(self, other):\n    return self.value is other.value"),
        rule="node.hit = Box(node.st) == Box(S.A)",
    ),
    Construct(
        "own-eq-against-state",
        prelude=box("def __eq__(self, other):\n    return self.value == other"),
        rule="node.hit = Box(1) == node.left",
    ),
    Construct(
        "own-eq-reflected",
        prelude=box("def __eq__(self, other):\n    return True"),
        rule="node.hit = node.left == Box(7)",
    ),
    Construct(
        "own-ne",
        prelude=box("def __ne__(self, other):\n    return self.value == other.value"),
        rule="node.hit = Box(node.left) != Box(1)",
    ),
    Construct(
        "own-eq-not-implemented",
        prelude=box("def __eq__(self, other):\n    return NotImplemented"),
        rule="node.hit = Box(node.left) == Box(1)",
    ),
    Construct("without-eq", prelude=box(), rule="node.hit = Box(node.left) == Box(node.left)"),
    Construct(
        "own-bool",
        prelude=box("def __bool__(self):\n    return self.value == 1"),
        rule="if Box(node.left):\n    node.hit = True",
    ),
    Construct(
        "own-bool-in-not",
        prelude=box("def __bool__(self):\n    return self.value == 1"),
        rule="node.hit = not Box(node.left)",
    ),
    Construct(
        "own-bool-returns-number",
        prelude=box("def __bool__(self):\n    return self.value"),
        rule="if Box(node.left):\n    node.hit = True",
    ),
    Construct(
        "own-bool-of-plain",
        prelude=box("def __bool__(self):\n    return self.value > 1"),
        rule="if Box(node.number):\n    node.out = node.left",
    ),
    Construct(
        "own-len",
        prelude=box("def __len__(self):\n    return self.value"),
        rule="node.out = len(Box(node.left))",
    ),
    Construct(
        "own-len-truth",
        prelude=box("def __len__(self):\n    return self.value"),
        rule="node.hit = bool(Box(node.left))",
    ),
    Construct(
        "own-contains",
        prelude=box("def __contains__(self, item):\n    return item == self.value"),
        rule="node.hit = node.left in Box(2)",
    ),
    Construct(
        "own-contains-of-state",
        prelude=box("def __contains__(self, item):\n    return item == self.value"),
        rule="node.hit = 2 in Box(node.left)",
    ),
    Construct(
        "own-contains-in-not-in",
        prelude=box("def __contains__(self, item):\n    return item < self.value"),
        rule="node.hit = node.left not in Box(node.right)",
    ),
    Construct(
        "own-iter",
        prelude=box("def __iter__(self):\n    return iter((self.value, self.value + 1))"),
        rule="node.out = sum(Box(node.left))",
    ),
    Construct(
        "own-iter-in-for",
        prelude=box("def __iter__(self):\n    return iter((self.value, 1))"),
        rule="for v in Box(node.left):\n    node.out += v",
    ),
    Construct(
        "own-iter-with-in",
        prelude=box("def __iter__(self):\n    return iter((self.value, 1))"),
        rule="node.hit = node.right in Box(node.left)",
    ),
    Construct(
        "own-iter-until-state",
        prelude=box(
            """
                def __iter__(self):
                    n = 0
                    while n < self.value:
                        yield n
                        n += 1
                """
        ),
        rule="node.out = len(list(Box(node.left)))",
    ),
    Construct(
        "own-next",
        prelude=box(
            "def __iter__(self):\n    return self",
            """
                def __next__(self):
                    if self.value == 0:
                        raise StopIteration
                    self.value -= 1
                    return 1
                """,
        ),
        rule="node.out = sum(Box(node.left))",
    ),
    Construct(
        "own-getitem",
        prelude=box("def __getitem__(self, key):\n    return self.value + key"),
        rule="node.out = Box(1)[node.left]",
    ),
    Construct(
        "own-getitem-iteration",
        prelude=box(
            """
                def __getitem__(self, key):
                    if key >= self.value:
                        raise IndexError
                    return key
                """
        ),
        rule="node.out = len(list(Box(node.left)))",
    ),
    Construct(
        "own-setitem",
        prelude=box(
            "def __setitem__(self, key, value):\n    self.value = self.value + key + value"
        ),
        rule="b = Box(0)\nb[node.left] = 1\nnode.out = b.value",
    ),
    Construct(
        "own-hash",
        prelude=box(
            "def __hash__(self):\n    return 1",
            "def __eq__(self, other):\n    return self.value == other.value",
        ),
        rule="node.out = len({Box(node.left), Box(1)})",
    ),
    Construct(
        "own-hash-as-key",
        prelude=box(
            "def __hash__(self):\n    return 1",
            "def __eq__(self, other):\n    return self.value == other.value",
        ),
        rule="node.out = {Box(1): 4, Box(2): 5}.get(Box(node.left), 6)",
    ),
    Construct(
        "own-hash-of-state",
        prelude=box(
            "def __hash__(self):\n    return hash(self.value)",
            "def __eq__(self, other):\n    return self.value == other.value",
        ),
        rule="node.hit = Box(node.left) in {Box(1)}",
    ),
    Construct(
        "own-lt",
        prelude=box("def __lt__(self, other):\n    return self.value < other.value"),
        rule="node.hit = Box(node.left) < Box(node.right)",
    ),
    Construct(
        "own-lt-in-sorted",
        prelude=box("def __lt__(self, other):\n    return self.value < other.value"),
        rule="node.out = sorted([Box(node.left), Box(node.right)])[0].value",
    ),
    Construct(
        "own-lt-in-max",
        prelude=box("def __gt__(self, other):\n    return self.value > other.value"),
        rule="node.out = max(Box(node.left), Box(node.right)).value",
    ),
    Construct(
        "own-lt-reversed",
        prelude=box("def __gt__(self, other):\n    return True"),
        rule="node.hit = node.left < Box(0)",
    ),
    Construct(
        "own-call",
        prelude=box("def __call__(self, other):\n    return self.value + other"),
        rule="node.out = Box(node.left)(1)",
    ),
    Construct(
        "own-add",
        prelude=box("def __add__(self, other):\n    return Box(self.value + other.value)"),
        rule="node.out = (Box(node.left) + Box(node.right)).value",
    ),
    Construct(
        "own-radd",
        prelude=box("def __radd__(self, other):\n    return other + self.value"),
        rule="node.out = node.left + Box(2)",
    ),
    Construct(
        "own-rsub",
        prelude=box("def __rsub__(self, other):\n    return 4"),
        rule="node.out = node.left - Box(2)",
    ),
    Construct(
        "own-iadd",
        prelude=box(
            "def __iadd__(self, other):\n    self.value = self.value + other\n    return self"
        ),
        rule="b = Box(0)\nb += node.left\nnode.out = b.value",
    ),
    Construct(
        "own-matmul-with-state",
        prelude=box("def __rmatmul__(self, other):\n    return other + 1"),
        rule="node.out = node.left @ Box(0)",
    ),
    Construct(
        "own-neg",
        prelude=box("def __neg__(self):\n    return 3 - self.value"),
        rule="node.out = -Box(node.left)",
    ),
    Construct(
        "own-index",
        prelude=box("def __index__(self):\n    return self.value"),
        rule="node.out = (4, 5, 6)[Box(node.left)]",
    ),
    Construct(
        "own-index-into-array",
        prelude=box("def __index__(self):\n    return 1"),
        rule="node.out = node.slots[Box(0)]",
    ),
    Construct(
        "own-int",
        prelude=box("def __int__(self):\n    return self.value"),
        rule="node.out = int(Box(node.left))",
    ),
    Construct(
        "own-str",
        prelude=box('def __str__(self):\n    return f"<{self.value}>"'),
        rule='node.hit = str(Box(node.left)) == "<1>"',
    ),
    Construct(
        "own-format",
        prelude=box('def __format__(self, how):\n    return "x" if self.value == 1 else "y"'),
        rule='node.hit = f"{Box(node.left)}" == "x"',
    ),
    Construct(
        "own-getattr",
        prelude=box('def __getattr__(self, name):\n    return self.__dict__["value"]'),
        rule="node.out = Box(node.left).anything",
    ),
    Construct(
        "own-getattribute",
        prelude=box(
            """
                def __getattribute__(self, name):
                    value = object.__getattribute__(self, "value")
                    return value + 1 if name == "value" else value
                """
        ),
        rule="node.out = Box(node.left).value",
    ),
    Construct(
        "own-setattr",
        prelude="""
            class Twice:
                def __setattr__(self, name, value):
                    object.__setattr__(self, name, value + value)
            """,
        rule="t = Twice()\nt.x = node.left\nnode.out = t.x",
    ),
    Construct(
        "own-descriptor",
        prelude="""
            class Doubled:
                def __get__(self, entity, owner):
                    return entity.left + entity.left
            """,
        fields="doubled = Doubled()\n",
        rule="node.out = node.doubled",
    ),
    Construct(
        "own-descriptor-that-sets",
        prelude="""
            class Both:
                def __get__(self, entity, owner):
                    return entity.left

                def __set__(self, entity, value):
                    entity.left = value
                    entity.right = value
            """,
        fields="both = Both()\n",
        rule="node.both = 2\nnode.out = node.right",
    ),
    Construct(
        "own-class-getitem",
        prelude="class Table:\n    def __class_getitem__(cls, key):\n        return key + 1\n",
        rule="node.out = Table[node.left]",
    ),
    Construct(
        "own-metaclass-eq",
        prelude="""
            class Meta(type):
                def __eq__(cls, other):
                    return True

                __hash__ = type.__hash__


            class Odd(metaclass=Meta):
                pass
            """,
        rule="node.hit = node.mail == Odd",
    ),
    Construct(
        "own-metaclass-contains",
        prelude="""
            class Meta(type):
                def __contains__(cls, value):
                    return value == 2


            class Twos(metaclass=Meta):
                pass
            """,
        rule="node.hit = node.left in Twos",
    ),
    Construct(
        "own-enter-exit",
        prelude=box(
            "def __enter__(self):\n    return self.value",
            "def __exit__(self, *args):\n    return None",
        ),
        rule="with Box(node.left) as value:\n    node.out = value",
    ),
    Construct(
        "own-del",
        prelude=box("def __del__(self):\n    pass"),
        rule="b = Box(node.left)\nnode.out = b.value\ndel b",
    ),
    Construct(
        "own-new-singleton",
        prelude="""
            class One:
                kept = None

                def __new__(cls, value):
                    if cls.kept is None:
                        cls.kept = super().__new__(cls)
                        cls.kept.value = value
                    return cls.kept
            """,
        rule="node.out = One(node.left).value",
    ),
    Construct(
        "own-slots",
        prelude="""
            class Slim:
                __slots__ = ("value",)

                def __init__(self, value):
                    self.value = value
            """,
        rule="node.out = Slim(node.left).value",
    ),
    Construct(
        "own-reversed",
        prelude=box("def __reversed__(self):\n    return iter((1, self.value))"),
        rule="node.out = list(reversed(Box(node.left)))[1]",
    ),
    Construct(
        "own-missing-in-dict",
        prelude="class Default(dict):\n    def __missing__(self, key):\n        return key\n",
        rule="node.out = Default({1: 7})[node.left]",
    ),
    Construct(
        "own-missing-in-dict-by-plain",
        prelude="class Default(dict):\n    def __missing__(self, key):\n        return key\n",
        rule="node.out = Default({1: 7})[node.number] + node.left",
    ),
    Construct(
        "subclass-of-int",
        prelude="""
            class Weight(int):
                def __eq__(self, other):
                    return True

                __hash__ = int.__hash__
            """,
        rule="node.hit = node.left == Weight(7)",
    ),
    Construct(
        "subclass-of-int-stored",
        prelude="class Weight(int):\n    pass\n",
        rule="node.out = Weight(3)",
    ),
    Construct(
        "subclass-of-int-on-plain",
        prelude="class Weight(int):\n    def __add__(self, other):\n        return 9\n",
        rule="node.out = Weight(3) + node.left",
    ),
    Construct(
        "subclass-of-list",
        prelude="class Row(list):\n    def total(self):\n        return sum(self)\n",
        rule="node.out = Row([node.left, 1]).total()",
    ),
    Construct(
        "subclass-of-tuple-with-eq",
        prelude="""
            class Row(tuple):
                def __eq__(self, other):
                    return True

                __hash__ = tuple.__hash__
            """,
        rule="node.hit = Row((node.left,)) == (7,)",
    ),
    Construct(
        "subclass-of-tuple-with-contains",
        prelude="class Row(tuple):\n    def __contains__(self, item):\n        return False\n",
        rule="node.hit = node.left in Row((0, 1, 2))",
    ),
    Construct(
        "subclass-of-frozenset-with-contains",
        prelude="class Bag(frozenset):\n    def __contains__(self, item):\n        return True\n",
        rule="node.hit = node.left in Bag({3})",
    ),
    Construct(
        "subclass-of-str",
        prelude="""
            class Word(str):
                def __eq__(self, other):
                    return True

                __hash__ = str.__hash__
            """,
        rule='node.hit = Word("x") == node.kind and node.flag',
    ),
    Construct(
        "subclass-of-record",
        prelude="""
        class Letter(Note):
            \"\"\"A note in an envelope.\"\"\"

            stamp: int = part(Range(0, 1))
        """,
        fields="letter = field(RecordOf(Letter), Letter(text=0, stamp=1))\n",
        rule="node.hit = node.letter == Note",
    ),
    Construct(
        "subclass-of-record-in-union",
        prelude="""
        class Letter(Note):
            \"\"\"A note in an envelope.\"\"\"
        """,
        fields="post = field(Union(Letter, Note), Letter(text=0))\n",
        rule="node.hit = isinstance(node.post, Note)\nnode.out = 1 if node.post == Letter else 2",
    ),
    Construct(
        "record-with-own-eq",
        prelude="""
        class Same(Record):
            \"\"\"Equal to each other.\"\"\"

            text: int = part(Range(0, 2))

            def __eq__(self, other):
                return True

            __hash__ = None
        """,
        fields="same = field(RecordOf(Same), Same(text=0))\n",
        rule="node.hit = node.same == Same(text=1)",
    ),
    Construct(
        "record-with-own-bool",
        prelude="""
        class Maybe(Record):
            \"\"\"False if empty.\"\"\"

            text: int = part(Range(0, 2))

            def __bool__(self):
                return self.text != 0
        """,
        fields="opt = field(RecordOf(Maybe), Maybe(text=0))\n",
        rule="node.opt = Maybe(text=node.left)\nnode.hit = True if node.opt else False",
    ),
    Construct(
        "record-with-lt",
        prelude="""
        class Ranked(Record):
            \"\"\"Compared by rank.\"\"\"

            rank: int = part(Range(0, 2))

            def __lt__(self, other):
                return self.rank < other.rank
        """,
        fields="ranked = field(RecordOf(Ranked), Ranked(rank=1))\n",
        rule="node.hit = node.ranked < Ranked(rank=2)\nnode.ranked = Ranked(rank=node.left)",
    ),
    Construct(
        "entity-with-own-eq",
        fields="""
        def __eq__(self, other):
            return True

        __hash__ = Peer.__hash__
        """,
        rule="node.hit = node.friend == node",
    ),
    Construct(
        "entity-with-own-lt",
        fields="""
        def __lt__(self, other):
            return self.left < other.left
        """,
        rule="node.hit = node < node.other",
    ),
    Construct(
        "entity-with-own-bool",
        fields="""
        def __bool__(self):
            return self.flag
        """,
        rule="node.out = 1 if node else 2",
    ),
    Construct(
        "entity-with-own-len",
        fields="""
        def __len__(self):
            return self.number
        """,
        rule="node.out = len(node) + node.left",
    ),
    Construct(
        "entity-with-own-getattr",
        fields="""
        def __getattr__(self, name):
            if name == "anything":
                return self.left
            raise AttributeError(name)
        """,
        rule="node.out = node.anything",
    ),
    Construct(
        "entity-with-own-setattr",
        fields="""
        def __setattr__(self, name, value):
            super().__setattr__(name, 5 if name == "out" else value)
        """,
        rule="node.out = node.left",
    ),
    Construct(
        "entity-with-own-hash",
        fields="""
        def __hash__(self):
            return 1
        """,
        rule="node.out = {node: 1, node.other: 2}[node.other] + node.left",
    ),
    Construct(
        "entity-with-own-str",
        fields="""
        def __str__(self):
            return "node"
        """,
        rule='node.hit = str(node.other) == "node" and node.flag',
    ),
    Construct("entity-with-slots", fields='__slots__ = ("extra",)\n', rule="node.out = node.left"),
    Construct(
        "entity-with-own-init",
        fields="""
        def __init__(self, name):
            super().__init__(name)
            self.extra = len(name)
        """,
        rule="node.out = node.left + node.extra",
    ),
    Construct(
        "protocol-with-own-contains",
        methods="""
        def __contains__(self, node):
            return node.flag
        """,
        rule="node.hit = node in self",
    ),
    Construct(
        "protocol-with-own-iter",
        methods="""
        def __iter__(self):
            return iter(self.nodes)
        """,
        rule="node.out = sum(x.left for x in self)",
    ),
    Construct(
        "protocol-with-own-getitem",
        methods="""
        def __getitem__(self, place):
            return self.nodes[place]
        """,
        rule="node.out = self[0].left",
    ),
    Construct(
        "protocol-with-own-getattr",
        methods="""
        def __getattr__(self, name):
            if name == "first":
                return self.nodes[0]
            raise AttributeError(name)
        """,
        rule="node.out = self.first.left",
    ),
    Construct(
        "protocol-with-own-bool",
        methods="""
        def __bool__(self):
            return self.nodes[0].flag
        """,
        rule="node.hit = bool(self)",
    ),
    Construct(
        "abstract-base-class-registered",
        prelude="import abc\n\n\nclass Sized(abc.ABC):\n    pass\n\n\nSized.register(Note)\n",
        rule="node.hit = isinstance(node.mail, Sized)",
    ),
    Construct(
        "abstract-subclass-hook",
        prelude="""
            import abc


            class HasText(abc.ABC):
                @classmethod
                def __subclasshook__(cls, other):
                    return hasattr(other, 'text')
            """,
        rule="node.hit = isinstance(node.mail, HasText)",
    ),
    Construct(
        "generic-class",
        prelude="""
            import typing

            T = typing.TypeVar("T")


            class Held(typing.Generic[T]):
                def __init__(self, value: T) -> None:
                    self.value = value
            """,
        rule="node.out = Held[int](node.left).value",
    ),
    Construct(
        "strategy-object-of-protocol",
        prelude="""
            class Larger:
                def pick(self, node):
                    return node.left if node.left > node.right else node.right
            """,
        methods="strategy = Larger()\n",
        rule="node.out = self.strategy.pick(node)",
    ),
    Construct(
        "strategy-object-with-is",
        prelude="class Idle:\n    def test(self, node):\n        return node.st is S.A\n",
        methods="strategy = Idle()\n",
        rule="node.hit = self.strategy.test(node)",
    ),
    Construct(
        "record-of-base-equals-subclass",
        prelude=LETTER,
        fields=POST,
        rule="node.hit = node.post == Note(text=2)",
    ),
    Construct(
        "record-of-base-in-tuple-of-subclass",
        prelude=LETTER,
        fields=POST,
        rule="node.hit = node.post in (Note(text=2),)",
    ),
    Construct(
        "record-of-base-held-by-queue",
        prelude=LETTER,
        fields=POST,
        rule="""
        node.post2.put(node.post)
        node.hit = node.post2.holds(Note(text=2))
        node.post2.clear()
        """,
    ),
    Construct(
        "union-equals-union-of-subclass",
        prelude=LETTER,
        fields=POST,
        rule="node.hit = node.post == node.rec2",
    ),
)
