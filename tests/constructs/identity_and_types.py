"""Identity, types and hashes: operations that never reach the value."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("is-enum-member", rule="node.hit = node.st is S.B"),
    Construct("is-not-enum-member", rule="node.hit = node.st is not S.B"),
    Construct("is-true", rule="node.hit = node.flag is True"),
    Construct("is-false-in-require", rule="require(node.flag is False)"),
    Construct("is-not-true-in-if", rule="if node.flag is not True:\n    node.out = 1"),
    Construct("is-none-option", rule="node.hit = node.maybe is None"),
    Construct("is-not-none-option", rule="node.hit = node.maybe is not None"),
    Construct("is-nothing", rule="node.hit = node.maybe is Nothing"),
    Construct("is-not-nothing", rule="if node.maybe is not Nothing:\n    node.out = 1"),
    Construct("is-small-number", rule="one = 1\nnode.hit = node.left is one"),
    Construct("is-two-fields", rule="node.hit = node.left is node.right"),
    Construct("is-same-field-twice", rule="node.hit = node.left is node.left"),
    Construct("is-entity-in-field", rule="node.hit = node.friend is node"),
    Construct("is-not-entity-in-field", rule="node.hit = node.friend is not node"),
    Construct("is-entity-in-protocol-field", rule="node.hit = self.turn is node"),
    Construct("is-head-of-queue", rule="node.hit = node.box.head is Nothing"),
    Construct("is-record-and-field", rule="node.hit = node.rec is node.mail"),
    Construct("is-class-of-record", rule="node.hit = node.mail is Stop"),
    Construct("is-in-ternary", rule="node.out = 1 if node.st is S.C else 2"),
    Construct("is-in-comprehension", rule="node.hit = any(x.st is S.B for x in self.nodes)"),
    Construct("is-comparison-with-true", rule="node.hit = (node.left == node.right) is True"),
    Construct(
        "is-in-unmarked-function",
        prelude="def is_a(st):\n    return st is S.A\n",
        rule="node.hit = is_a(node.st)",
    ),
    Construct(
        "is-true-in-unmarked-function",
        prelude="def yes(value):\n    return value is True\n",
        rule="node.hit = yes(node.flag)",
    ),
    Construct(
        "is-entities-in-unmarked-function",
        prelude="def same(a, b):\n    return a is b\n",
        rule="node.hit = same(node.friend, node.other)",
    ),
    Construct(
        "is-in-lambda-of-module",
        prelude="same = lambda a, b: a is b\n",
        rule="node.hit = same(node.st, S.C)",
    ),
    Construct(
        "is-in-unmarked-method",
        methods="def idle(self, node):\n    return node.st is S.A\n",
        rule="node.hit = self.idle(node)",
    ),
    Construct(
        "is-in-define",
        methods="@define\ndef idle(self, node: Node) -> bool:\n    return node.st is S.A\n",
        rule="node.hit = self.idle(node)",
    ),
    Construct(
        "is-in-method-of-entity",
        fields="def idle(self):\n    return self.st is S.A\n",
        rule="node.hit = node.idle()",
    ),
    Construct(
        "is-in-property-of-entity",
        fields="@property\ndef idle(self):\n    return self.st is S.A\n",
        rule="node.hit = node.idle",
    ),
    Construct(
        "is-in-nested-function",
        rule="def idle():\n    return node.st is S.A\nnode.hit = idle()",
    ),
    Construct("is-in-property", prop="return all(node.st is not S.C for node in state.nodes)"),
    Construct("is-none-in-property", prop="return state.last is None"),
    Construct(
        "operator-is", prelude="import operator", rule="node.hit = operator.is_(node.st, S.B)"
    ),
    Construct(
        "operator-is-not",
        prelude="from operator import is_not",
        rule="node.hit = is_not(node.flag, True)",
    ),
    Construct("type-equals-record-class", rule="node.hit = type(node.mail) == Stop"),
    Construct("type-is-record-class", rule="node.hit = type(node.mail) is Stop"),
    Construct("type-equals-int", rule="node.hit = type(node.left) == int"),
    Construct("type-equals-bool", rule="node.hit = type(node.flag) is bool"),
    Construct("type-name", rule='node.hit = type(node.mail).__name__ == "Stop"'),
    Construct("type-of-two-values", rule="node.hit = type(node.maybe) == type(node.left)"),
    Construct("type-of-head", rule="node.hit = type(node.box.head) == type(Nothing)"),
    Construct("type-in-tuple", rule="node.hit = type(node.mail) in (Stop, Note)"),
    Construct("type-as-key", rule="node.out = {Stop: 1, Note: 2}[type(node.mail)]"),
    Construct("type-as-key-with-default", rule="node.out = {Stop: 1}.get(type(node.mail), 3)"),
    Construct("dunder-class", rule="node.hit = node.mail.__class__ == Note"),
    Construct("dunder-class-name", rule='node.hit = node.rec.__class__.__name__ == "Note"'),
    Construct(
        "match-on-type",
        rule="""
        match type(node.mail):
            case c if c is Stop:
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct(
        "type-in-unmarked-function",
        prelude="def kind_of(value):\n    return type(value)\n",
        rule="node.hit = kind_of(node.left) == int",
    ),
    Construct("isinstance-int", rule="node.hit = isinstance(node.left, int)"),
    Construct("isinstance-bool-of-flag", rule="node.hit = isinstance(node.flag, bool)"),
    Construct("isinstance-int-of-flag", rule="node.hit = isinstance(node.flag, int)"),
    Construct("isinstance-int-of-option", rule="node.hit = isinstance(node.maybe, int)"),
    Construct("isinstance-enum", rule="node.hit = isinstance(node.st, S)"),
    Construct("isinstance-object", rule="node.hit = isinstance(node.left, object)"),
    Construct("isinstance-tuple-of-classes", rule="node.hit = isinstance(node.mail, (Stop, int))"),
    Construct("isinstance-union-type", rule="node.hit = isinstance(node.mail, Stop | Note)"),
    Construct("isinstance-union-with-int", rule="node.hit = isinstance(node.maybe, int | None)"),
    Construct("isinstance-record-base", rule="node.hit = isinstance(node.mail, Record)"),
    Construct("isinstance-entity", rule="node.hit = isinstance(node.peer, Node)"),
    Construct("isinstance-entity-base", rule="node.hit = isinstance(node.friend, Entity)"),
    Construct("isinstance-set", rule="node.hit = isinstance(node.seen, frozenset)"),
    Construct("isinstance-tuple-of-queue", rule="node.hit = isinstance(node.box, tuple)"),
    Construct(
        "isinstance-abstract-number",
        prelude="import numbers",
        rule="node.hit = isinstance(node.left, numbers.Number)",
    ),
    Construct(
        "isinstance-hashable",
        prelude="from collections.abc import Hashable",
        rule="node.hit = isinstance(node.rec, Hashable)",
    ),
    Construct(
        "isinstance-iterable",
        prelude="from collections.abc import Iterable",
        rule="node.hit = isinstance(node.box, Iterable)",
    ),
    Construct(
        "isinstance-in-unmarked-function",
        prelude="def number_of(value):\n    return value if isinstance(value, int) else 9\n",
        rule="node.out = number_of(node.maybe)",
    ),
    Construct(
        "isinstance-runtime-protocol",
        prelude="""
        import typing

        @typing.runtime_checkable
        class HasText(typing.Protocol):
            text: int
        """,
        rule="node.hit = isinstance(node.mail, HasText)",
    ),
    Construct(
        "isinstance-instancecheck-of-own-metaclass",
        prelude="""
        class Meta(type):
            def __instancecheck__(cls, value):
                return value == 2


        class Two(metaclass=Meta):
            pass
        """,
        rule="node.hit = isinstance(node.left, Two)",
    ),
    Construct("issubclass-of-type", rule="node.hit = issubclass(type(node.mail), Stop)"),
    Construct("id-equal", rule="node.hit = id(node.left) == id(node.right)"),
    Construct("id-of-entities", rule="node.hit = id(node.friend) == id(node)"),
    Construct("id-as-key", rule="node.out = {id(S.A): 1, id(S.B): 2}.get(id(node.st), 3)"),
    Construct("id-parity", rule="node.hit = id(node.st) % 2 == 0"),
    Construct("hash-of-number", rule="node.out = hash(node.left)"),
    Construct("hash-of-enum", rule="node.hit = hash(node.st) == hash(S.A)"),
    Construct("hash-of-record", rule="node.hit = hash(node.rec) == hash(Note(text=1))"),
    Construct("hash-of-entity", rule="node.hit = hash(node.friend) == hash(node)"),
    Construct("dunder-hash", rule="node.out = node.left.__hash__() % 4"),
    Construct("callable-of-field", rule="node.hit = callable(node.flag)"),
    Construct("dunder-eq-called", rule="node.hit = node.left.__eq__(node.right)"),
    Construct("dunder-ne-called", rule="node.hit = node.st.__ne__(S.B)"),
    Construct("object-eq-called", rule="node.hit = object.__eq__(node.st, S.A) is True"),
    Construct("int-eq-called", rule="node.hit = int.__eq__(node.left, 2)"),
)
