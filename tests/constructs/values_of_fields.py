"""Domains and initial values of fields, and values that are written into fields."""

from tests.constructs.construct import Construct

CONSTRUCTS: tuple[Construct, ...] = (
    Construct(
        "initial-lambda-of-plain",
        fields="x = field(Range(0, 3), lambda node: node.number)\n",
        rule="node.out = node.x",
    ),
    Construct(
        "initial-lambda-with-is",
        fields="x = field(Bool, lambda node: node.sink is None)\n",
        rule="node.hit = node.x",
    ),
    Construct(
        "initial-lambda-of-other-field",
        fields="x = field(Range(0, 3), lambda node: node.left)\n",
        rule="node.out = node.x",
    ),
    Construct(
        "initial-lambda-of-world",
        fields="x = field(Range(0, 9), lambda node: node.world.limit)\n",
        rule="node.out = node.x",
    ),
    Construct(
        "initial-lambda-random",
        prelude="import random\n",
        fields="x = field(Range(0, 1), lambda node: random.randint(0, 1))\n",
        rule="node.out = node.x",
    ),
    Construct(
        "initial-lambda-counter",
        prelude="import itertools\n\nIDS = itertools.count()\n",
        fields="x = field(Range(0, 9), lambda node: next(IDS) % 3)\n",
        rule="node.out = node.x",
    ),
    Construct(
        "initial-any-of", fields="x = field(Range(0, 3), AnyOf((0, 2)))\n", rule="node.out = node.x"
    ),
    Construct(
        "initial-any-of-lambda",
        fields="x = field(Range(0, 3), lambda node: AnyOf(tuple(range(node.number))))\n",
        rule="node.out = node.x",
    ),
    Construct(
        "initial-any-of-list",
        fields="x = field(Bool, AnyOf([True, False]))\n",
        rule="node.hit = node.x",
    ),
    Construct(
        "initial-any-of-set",
        fields="x = field(Range(0, 3), AnyOf({0, 2}))\n",
        rule="node.out = node.x",
    ),
    Construct(
        "initial-any-of-generator",
        fields="x = field(Range(0, 3), AnyOf(n for n in (0, 2)))\n",
        rule="node.out = node.x",
    ),
    Construct(
        "initial-any-of-duplicates",
        fields="x = field(Range(0, 3), AnyOf((1, 1, True)))\n",
        rule="node.out = node.x",
    ),
    Construct(
        "initial-bool-for-number",
        fields="x = field(Range(0, 3), True)\n",
        rule="node.out = node.x + 1",
    ),
    Construct("initial-number-for-bool", fields="x = field(Bool, 1)\n", rule="node.hit = node.x"),
    Construct(
        "initial-number-two-for-bool", fields="x = field(Bool, 2)\n", rule="node.hit = node.x"
    ),
    Construct(
        "initial-float-for-number", fields="x = field(Range(0, 3), 1.0)\n", rule="node.out = node.x"
    ),
    Construct(
        "initial-none-for-option",
        fields="x = field(Option(Range(0, 3)), None)\n",
        rule="node.hit = node.x == Nothing",
    ),
    Construct("initial-none-for-bool", fields="x = field(Bool, None)\n", rule="node.hit = node.x"),
    Construct(
        "initial-value-of-enum", fields='x = field(Enum(S), "a")\n', rule="node.hit = node.x == S.A"
    ),
    Construct(
        "initial-outside-domain", fields="x = field(Range(0, 3), 4)\n", rule="node.out = node.x"
    ),
    Construct(
        "initial-list-for-queue",
        fields="x = field(Queue(Range(0, 3), 2), [1])\n",
        rule="node.out = node.x.head",
    ),
    Construct(
        "initial-set-for-set",
        fields="x = field(Set(Range(0, 3)), {1, 2})\n",
        rule="node.out = node.x.size",
    ),
    Construct(
        "initial-list-for-set",
        fields="x = field(Set(Range(0, 3)), [1, 1])\n",
        rule="node.out = node.x.size",
    ),
    Construct(
        "initial-list-for-array",
        fields="x = field(Array(Range(0, 3), 2), [1, 2])\n",
        rule="node.out = node.x[1]",
    ),
    Construct(
        "initial-tuple-for-array",
        fields="x = field(Array(Range(0, 3), 2), (1, 2))\n",
        rule="node.out = node.x[1]",
    ),
    Construct(
        "initial-dict-for-per-entity",
        methods="total = field(PerEntity(Node, Range(0, 3)), {})\n",
        rule="node.out = self.total[node]",
    ),
    Construct(
        "initial-record-class",
        fields="x = field(Union(Stop, Note), Stop)\n",
        rule="node.hit = node.x == Stop",
    ),
    Construct(
        "initial-mutable-shared",
        prelude="SHARED = [1]\n",
        fields="x = field(Queue(Range(0, 3), 2), SHARED)\n",
        rule="node.out = node.x.length",
    ),
    Construct(
        "range-negative",
        fields="x = field(Range(-2, 2), -1)\n",
        rule="node.hit = node.x < 0\nnode.x = node.left - 2",
    ),
    Construct(
        "range-negative-floor",
        fields="x = field(Range(-2, 2), -1)\n",
        rule="node.out = node.x + 2\nnode.x = node.left - node.right",
    ),
    Construct(
        "range-not-from-zero",
        fields="x = field(Range(3, 5), 4)\n",
        rule="node.out = node.x\nnode.x = node.left + 3",
    ),
    Construct(
        "range-of-one-value",
        fields="x = field(Range(2, 2), 2)\n",
        rule="node.hit = node.x == node.left",
    ),
    Construct("range-upside-down", fields="x = field(Range(3, 1), 2)\n", rule="node.out = node.x"),
    Construct(
        "range-of-floats", fields="x = field(Range(0.0, 2.0), 1)\n", rule="node.out = node.x"
    ),
    Construct(
        "range-of-bools", fields="x = field(Range(False, True), 1)\n", rule="node.hit = node.x == 1"
    ),
    Construct(
        "range-of-bound",
        fields='x = field(Range(0, Bound("notes")), 1)\n',
        rule="node.out = node.x\nnode.x = node.left",
    ),
    Construct(
        "range-of-bound-plus-one",
        fields='x = field(Range(0, Bound("notes") + 1), 3)\n',
        rule="node.out = node.x",
    ),
    Construct(
        "range-of-unknown-bound",
        fields='x = field(Range(0, Bound("texts")), 1)\n',
        rule="node.out = node.x",
    ),
    Construct(
        "option-of-option",
        fields="x = field(Option(Option(Range(0, 1))), Nothing)\n",
        rule="node.hit = node.x == Nothing\nnode.x = node.left // 2",
    ),
    Construct(
        "option-of-bool",
        fields="x = field(Option(Bool), Nothing)\n",
        rule="node.hit = node.x == False\nnode.x = node.flag",
    ),
    Construct(
        "option-of-bool-truth",
        fields="x = field(Option(Bool), Nothing)\n",
        rule="node.out = 1 if node.x else 2\nnode.x = node.flag",
    ),
    Construct(
        "option-of-enum",
        fields="x = field(Option(Enum(S)), Nothing)\n",
        rule="node.hit = node.x == S.B\nnode.x = node.st",
    ),
    Construct(
        "option-of-record",
        fields="x = field(Option(RecordOf(Note)), Nothing)\n",
        rule="node.hit = node.x == Note\nnode.x = node.rec",
    ),
    Construct(
        "option-of-record-part",
        fields="x = field(Option(RecordOf(Note)), Nothing)\n",
        rule="node.out = node.x.text if node.x != Nothing else 7\nnode.x = node.rec",
    ),
    Construct(
        "option-of-union-matched",
        fields="x = field(Option(Union(Stop, Note)), Nothing)\n",
        rule="""
        match node.x:
            case Stop():
                node.out = 1
            case Note():
                node.out = 2
            case _:
                node.out = 3
        node.x = node.mail
        """,
    ),
    Construct(
        "set-of-enums",
        fields="x = field(Set(Enum(S)), EMPTY)\n",
        rule="node.hit = node.x.has(S.B)\nnode.x.add(node.st)",
    ),
    Construct(
        "set-of-bools",
        fields="x = field(Set(Bool), EMPTY)\n",
        rule="node.hit = node.x.has(True)\nnode.x.add(node.flag)",
    ),
    Construct(
        "set-of-bools-has-one",
        fields="x = field(Set(Bool), EMPTY)\n",
        rule="node.hit = node.x.has(1)\nnode.x.add(node.flag)",
    ),
    Construct(
        "set-of-records",
        fields="x = field(Set(RecordOf(Note)), EMPTY)\n",
        rule="node.hit = node.x.has(Note(text=0))\nnode.x.add(node.rec)",
    ),
    Construct(
        "set-of-options",
        fields="x = field(Set(Option(Range(0, 3))), EMPTY)\n",
        rule="node.hit = node.x.has(Nothing)\nnode.x.add(node.maybe)",
    ),
    Construct(
        "queue-of-numbers",
        fields="x = field(Queue(Range(0, 3), 3), ())\n",
        rule="node.x.put(node.left)\nnode.out = node.x.head",
    ),
    Construct(
        "queue-of-bools",
        fields="x = field(Queue(Bool, 3), ())\n",
        rule="node.x.put(node.flag)\nnode.hit = node.x.at(1) == True",
    ),
    Construct(
        "queue-of-options",
        fields="x = field(Queue(Option(Range(0, 3)), 3), ())\n",
        rule="node.x.put(node.maybe)\nnode.hit = node.x.head == Nothing",
    ),
    Construct(
        "queue-of-entities",
        fields="x = field(Queue(Ref(Peer), 3), ())\n",
        rule="node.x.put(node.friend)\nnode.hit = node.x.head == node",
    ),
    Construct(
        "queue-put-first",
        fields="x = field(Queue(Range(0, 3), 3), ())\n",
        rule="node.x.put_first(node.left)\nnode.out = node.x.head",
    ),
    Construct(
        "queue-of-bound-zero",
        fields="x = field(Queue(Bool, 0), ())\n",
        rule="node.hit = node.x.is_empty",
    ),
    Construct(
        "array-of-arrays",
        fields="x = field(Array(Array(Range(0, 3), 2), 2), 0)\n",
        rule="node.x[1][0] = node.left\nnode.out = node.x[1][0]",
    ),
    Construct(
        "array-row-kept",
        fields="x = field(Array(Array(Range(0, 3), 2), 2), 0)\n",
        rule="row = node.x[1]\nnode.x[1][0] = 2\nnode.out = row[0]",
    ),
    Construct(
        "array-of-sets",
        fields="x = field(Array(Set(Range(0, 2)), 2), EMPTY)\n",
        rule="node.x[0].add(node.left)\nnode.hit = node.x[0].has(2)",
    ),
    Construct(
        "array-of-records",
        fields="x = field(Array(RecordOf(Note), 2), Note(text=0))\n",
        rule="node.x[1] = node.rec\nnode.hit = node.x[1] == Note(text=1)",
    ),
    Construct(
        "per-entity-of-sets",
        methods="known = field(PerEntity(Node, Set(Ref(Node))), EMPTY)\n",
        rule="self.known[node].add(node.friend)\nnode.hit = self.known[node].has(node.other)",
    ),
    Construct(
        "per-entity-of-per-entity",
        methods="known = field(PerEntity(Node, PerEntity(Node, Bool)), False)\n",
        rule="self.known[node][node.friend] = True\nnode.hit = self.known[node][node.other]",
    ),
    Construct(
        "record-of-records",
        prelude="""
        class Letter(Record):
            \"\"\"A note in an envelope.\"\"\"

            note: Note = part(RecordOf(Note))
            urgent: bool = part(Bool)
        """,
        fields="x = field(RecordOf(Letter), Letter(note=Note(text=0), urgent=False))\n",
        rule="node.out = node.x.note.text\nnode.x = Letter(note=node.rec, urgent=node.flag)",
    ),
    Construct(
        "record-with-option",
        prelude="""
        class Letter(Record):
            \"\"\"A letter.\"\"\"

            stamp: int = part(Option(Range(0, 2)))
        """,
        fields="x = field(RecordOf(Letter), Letter(stamp=Nothing))\n",
        rule="node.hit = node.x.stamp == Nothing\nnode.x = Letter(stamp=node.left)",
    ),
    Construct(
        "record-with-bool-given-number",
        prelude="""
        class Letter(Record):
            \"\"\"A letter.\"\"\"

            urgent: bool = part(Bool)
        """,
        fields="x = field(RecordOf(Letter), Letter(urgent=False))\n",
        rule="node.x = Letter(urgent=1)\nnode.hit = node.x.urgent",
    ),
    Construct(
        "record-without-parts",
        prelude="""
        class Ping(Record):
            \"\"\"A ping.\"\"\"
        """,
        fields="x = field(Option(RecordOf(Ping)), Nothing)\n",
        rule="node.hit = node.x == Ping()\nnode.x = Ping()",
    ),
    Construct(
        "record-without-parts-as-class",
        prelude="""
        class Ping(Record):
            \"\"\"A ping.\"\"\"
        """,
        fields="x = field(Option(RecordOf(Ping)), Nothing)\n",
        rule="node.x = Ping\nnode.hit = node.x == Ping",
    ),
    Construct(
        "field-in-two-classes",
        prelude="SHARED = field(Range(0, 3), 1)\n",
        fields="x = SHARED\ny = SHARED\n",
        rule="node.x = 2\nnode.out = node.y",
    ),
    Construct(
        "field-made-in-loop",
        fields="for _name in ('x', 'y'):\n    locals()[_name] = field(Range(0, 3), 1)\n",
        rule="node.x = node.left\nnode.out = node.x + node.y",
    ),
    Construct(
        "field-of-plain-name-shadowing-method",
        fields="name_of = field(Range(0, 3), 1)\n",
        rule="node.out = node.name_of",
    ),
    Construct(
        "field-called-name", fields="name = field(Range(0, 3), 1)\n", rule="node.out = node.name"
    ),
    Construct(
        "field-called-world", fields="world = field(Range(0, 3), 1)\n", rule="node.out = node.world"
    ),
    Construct(
        "field-with-unicode-name",
        fields="größe = field(Range(0, 3), 1)\n",
        rule="node.größe = node.left\nnode.out = node.größe",
    ),
    Construct(
        "field-with-private-name",
        fields="__left = field(Range(0, 3), 1)\n\ndef left_of(self):\n    return self.__left\n",
        rule="node.out = node.left_of()",
    ),
    Construct("field-read-from-class", rule="node.hit = Node.left == Node.left"),
    Construct("write-bool-to-range", rule="node.out = node.flag"),
    Construct("write-comparison-to-range", rule="node.out = node.left > 1"),
    Construct("write-number-to-bool", rule="node.hit = node.left"),
    Construct("write-one-to-bool", rule="node.hit = 1"),
    Construct("write-true-to-range", rule="node.out = True"),
    Construct("write-none-to-option", rule="node.maybe = None"),
    Construct("write-none-to-bool", rule="node.hit = None"),
    Construct("write-nothing-to-range", rule="node.out = Nothing"),
    Construct("write-option-to-range", rule="node.out = node.maybe"),
    Construct("write-string-to-bool", rule='node.hit = "yes"'),
    Construct("write-outside-range", rule="node.out = 10"),
    Construct("write-state-outside-range", rule="node.left = node.left + 2"),
    Construct("write-entity-to-number", rule="node.out = node"),
    Construct("write-other-class-of-entity", rule="node.friend = self"),
    Construct("write-optional-entity-to-ref", rule="node.friend = node.peer"),
    Construct("write-entity-by-name", rule='node.friend = "b"'),
    Construct("write-record-class-to-union", rule="node.mail = Stop"),
    Construct("write-wrong-record", rule="node.rec = Stop(reason=0)"),
    Construct("write-dict-to-record", rule='node.rec = {"text": 1}'),
    Construct("write-function-to-bool", rule="node.hit = lambda: node.flag"),
    Construct("write-uncalled-method-to-bool", rule="node.hit = node.seen.has"),
    Construct("write-generator-to-bool", rule="node.hit = (x.flag for x in self.nodes)"),
    Construct("write-list-to-bool", rule="node.hit = [x.flag for x in self.nodes]"),
    Construct("write-numpy-bool", prelude="import numpy as np\n", rule="node.hit = np.bool_(True)"),
    Construct("write-misspelt-field", rule="node.lefft = 2"),
    Construct("write-to-class", rule="Node.out = 3"),
)
