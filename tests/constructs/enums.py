"""Tricks with enumerations."""

from tests.constructs.construct import Construct

LEVEL = """
class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2
"""
LEVEL_FIELD = "level = field(Enum(Level), Level.LOW)\n"

CONSTRUCTS: tuple[Construct, ...] = (
    Construct("enum-value", rule='node.hit = node.st.value == "a"'),
    Construct("enum-name", rule='node.hit = node.st.name == "B"'),
    Construct("enum-name-of-constant", rule='node.hit = S.B.name == "B" and node.flag'),
    Construct("enum-value-stored", rule="node.out = node.st._value_ == 'c' and 1"),
    Construct("enum-by-value", rule='node.st = S("b")'),
    Construct("enum-by-value-of-state", rule="node.st = S(node.st.value)"),
    Construct("enum-by-name", rule='node.st = S["C"]'),
    Construct("enum-by-name-of-plain", rule="node.st = S['A' if node.number == 1 else 'B']"),
    Construct("enum-by-index-of-state", rule="node.st = list(S)[node.left]"),
    Construct("enum-call-of-enum", rule="node.hit = S(node.st) == S.A"),
    Construct("enum-index-in-list", rule="node.out = list(S).index(node.st)"),
    Construct("enum-index-in-list-of-constant", rule="node.out = list(S).index(S.C) + node.left"),
    Construct(
        "enum-next-by-table",
        prelude="FOLLOWING = {S.A: S.B, S.B: S.C, S.C: S.A}\n",
        rule="node.st = FOLLOWING[node.st]",
    ),
    Construct(
        "enum-next-by-loop",
        rule="""
        for member, following in zip(S, [*list(S)[1:], S.A]):
            if node.st == member:
                node.hit = following == S.C
        """,
    ),
    Construct("enum-members", rule="node.out = len(S.__members__) + node.left"),
    Construct("enum-length", rule="node.out = len(S) + node.left"),
    Construct("enum-contains-state", rule="node.hit = node.st in list(S)"),
    Construct(
        "enum-property",
        prelude="""
            class Mode(enum.Enum):
                ON = 1
                OFF = 2

                @property
                def is_on(self):
                    return self == Mode.ON
            """,
        fields="mode = field(Enum(Mode), Mode.OFF)\n",
        rule="node.hit = node.mode.is_on\nnode.mode = Mode.ON if node.flag else Mode.OFF",
    ),
    Construct(
        "enum-property-with-is",
        prelude="""
            class Mode(enum.Enum):
                ON = 1
                OFF = 2

                @property
                def is_on(self):
                    return self is Mode.ON
            """,
        fields="mode = field(Enum(Mode), Mode.ON)\n",
        rule="node.hit = node.mode.is_on\nnode.mode = Mode.ON if node.flag else Mode.OFF",
    ),
    Construct(
        "enum-method",
        prelude="""
            class Mode(enum.Enum):
                ON = 1
                OFF = 2

                def flipped(self):
                    return Mode.OFF if self == Mode.ON else Mode.ON
            """,
        fields="mode = field(Enum(Mode), Mode.OFF)\n",
        rule="node.mode = node.mode.flipped()",
    ),
    Construct(
        "enum-method-of-constant",
        prelude="""
            class Mode(enum.Enum):
                ON = 1
                OFF = 2

                def flipped(self):
                    return Mode.OFF if self is Mode.ON else Mode.ON
            """,
        fields="mode = field(Enum(Mode), Mode.OFF)\n",
        rule="if node.flag:\n    node.mode = Mode.OFF.flipped()",
    ),
    Construct(
        "enum-attribute-by-init",
        prelude="""
            class Mode(enum.Enum):
                ON = ("on", 3)
                OFF = ("off", 5)

                def __init__(self, word, cost):
                    self.cost = cost
            """,
        fields="mode = field(Enum(Mode), Mode.OFF)\n",
        rule="node.out = node.mode.cost\nnode.mode = Mode.ON if node.flag else Mode.OFF",
    ),
    Construct(
        "enum-bool",
        prelude="""
            class Mode(enum.Enum):
                ON = 1
                OFF = 2

                def __bool__(self):
                    return self == Mode.ON
            """,
        fields="mode = field(Enum(Mode), Mode.OFF)\n",
        rule="node.hit = not node.mode\nnode.mode = Mode.ON if node.flag else Mode.OFF",
    ),
    Construct(
        "enum-own-eq",
        prelude="""
            class Mode(enum.Enum):
                ON = "on"
                OFF = "off"

                def __eq__(self, other):
                    return self.value == getattr(other, "value", other)

                __hash__ = enum.Enum.__hash__
            """,
        fields="mode = field(Enum(Mode), Mode.OFF)\n",
        rule='node.hit = node.mode == "off"\nnode.mode = Mode.ON if node.flag else Mode.OFF',
    ),
    Construct(
        "enum-own-lt",
        prelude="""
            class Mode(enum.Enum):
                LOW = 1
                HIGH = 2

                def __lt__(self, other):
                    return self.value < other.value
            """,
        fields="mode = field(Enum(Mode), Mode.LOW)\n",
        rule="node.hit = node.mode < Mode.HIGH\nnode.mode = Mode.HIGH if node.flag else Mode.LOW",
    ),
    Construct(
        "enum-alias",
        prelude="class Mode(enum.Enum):\n    ON = 1\n    RUNNING = 1\n    OFF = 2\n",
        fields="mode = field(Enum(Mode), Mode.OFF)\n",
        rule="node.hit = node.mode == Mode.RUNNING\nnode.mode = Mode.ON if node.flag else Mode.OFF",
    ),
    Construct(
        "enum-auto",
        prelude="class Mode(enum.Enum):\n    ON = enum.auto()\n    OFF = enum.auto()\n",
        fields="mode = field(Enum(Mode), Mode.OFF)\n",
        rule="node.hit = node.mode != Mode.ON\nnode.mode = Mode.ON if node.flag else Mode.OFF",
    ),
    Construct(
        "enum-nested-in-protocol",
        methods="""
            class Mode(enum.Enum):
                ON = 1
                OFF = 2

            mode = field(Enum(Mode), Mode.OFF)
            """,
        rule="""
            node.hit = self.mode == self.Mode.ON
            self.mode = self.Mode.ON if node.flag else self.Mode.OFF
            """,
    ),
    Construct(
        "enum-functional",
        prelude='Mode = enum.Enum("Mode", "ON OFF")\n',
        fields="mode = field(Enum(Mode), Mode.OFF)\n",
        rule="node.hit = node.mode == Mode.ON\nnode.mode = Mode.ON if node.flag else Mode.OFF",
    ),
    Construct(
        "enum-of-another-class-stored",
        prelude='class Mode(enum.Enum):\n    A = "a"\n',
        rule="node.st = Mode.A",
    ),
    Construct(
        "enum-of-another-class-compared",
        prelude='class Mode(enum.Enum):\n    A = "a"\n',
        rule="node.hit = node.st == Mode.A",
    ),
    Construct("enum-value-stored-as-member", rule='node.st = "b"'),
    Construct("enum-index-stored-as-member", rule="node.st = 1"),
    Construct(
        "int-enum-equals-number",
        prelude=LEVEL,
        fields=LEVEL_FIELD,
        rule="node.hit = node.level == 2\nnode.level = Level.HIGH if node.flag else Level.LOW",
    ),
    Construct(
        "int-enum-less-than",
        prelude=LEVEL,
        fields=LEVEL_FIELD,
        rule="""
            node.hit = node.level < Level.HIGH
            node.level = Level.HIGH if node.flag else Level.LOW
            """,
    ),
    Construct(
        "int-enum-less-than-number",
        prelude=LEVEL,
        fields=LEVEL_FIELD,
        rule="node.hit = node.level >= 2\nnode.level = Level.HIGH if node.flag else Level.LOW",
    ),
    Construct(
        "int-enum-arithmetic",
        prelude=LEVEL,
        fields=LEVEL_FIELD,
        rule="node.out = node.level + 1\nnode.level = Level.HIGH if node.flag else Level.LOW",
    ),
    Construct(
        "int-enum-truth",
        prelude="class Level(enum.IntEnum):\n    NONE = 0\n    SOME = 1\n",
        fields="level = field(Enum(Level), Level.NONE)\n",
        rule="node.hit = not node.level\nnode.level = Level.SOME if node.flag else Level.NONE",
    ),
    Construct(
        "int-enum-in-ternary",
        prelude="class Level(enum.IntEnum):\n    NONE = 0\n    SOME = 1\n",
        fields="level = field(Enum(Level), Level.NONE)\n",
        rule="""
            node.out = 1 if node.level else 2
            node.level = Level.SOME if node.flag else Level.NONE
            """,
    ),
    Construct("int-enum-as-number", prelude=LEVEL, rule="node.out = Level.HIGH"),
    Construct(
        "int-enum-compared-with-range-field",
        prelude=LEVEL,
        rule="node.hit = node.left == Level.HIGH",
    ),
    Construct("int-enum-plus-range-field", prelude=LEVEL, rule="node.out = node.left + Level.HIGH"),
    Construct(
        "int-enum-as-range-bound",
        prelude=LEVEL,
        fields="height = field(Range(0, Level.HIGH), Level.LOW)\n",
        rule="node.out = node.height\nnode.height = node.left",
    ),
    Construct(
        "int-enum-as-index",
        prelude=LEVEL,
        fields=LEVEL_FIELD,
        rule="node.out = (3, 4, 5)[node.level]",
    ),
    Construct(
        "str-enum-equals-string",
        prelude='class Word(enum.StrEnum):\n    YES = "yes"\n    NO = "no"\n',
        fields="word = field(Enum(Word), Word.NO)\n",
        rule='node.hit = node.word == "no"\nnode.word = Word.YES if node.flag else Word.NO',
    ),
    Construct(
        "str-enum-match-string",
        prelude='class Word(enum.StrEnum):\n    YES = "yes"\n    NO = "no"\n',
        fields="word = field(Enum(Word), Word.NO)\n",
        rule="""
        match node.word:
            case "yes":
                node.out = 1
            case _:
                node.out = 2
        node.word = Word.YES if node.flag else Word.NO
        """,
    ),
    Construct(
        "str-enum-truth",
        prelude='class Word(enum.StrEnum):\n    NONE = ""\n    SOME = "some"\n',
        fields="word = field(Enum(Word), Word.NONE)\n",
        rule="node.hit = not node.word\nnode.word = Word.SOME if node.flag else Word.NONE",
    ),
    Construct(
        "flag-enum-member-test",
        prelude="class Can(enum.Flag):\n    READ = 1\n    WRITE = 2\n",
        fields="can = field(Enum(Can), Can.READ)\n",
        rule="node.hit = Can.READ in node.can\nnode.can = Can.WRITE if node.flag else Can.READ",
    ),
    Construct(
        "flag-enum-or",
        prelude="class Can(enum.Flag):\n    READ = 1\n    WRITE = 2\n",
        fields="can = field(Enum(Can), Can.READ)\n",
        rule="node.can = Can.READ | Can.WRITE",
    ),
    Construct(
        "flag-enum-and",
        prelude="class Can(enum.Flag):\n    READ = 1\n    WRITE = 2\n    BOTH = 3\n",
        fields="can = field(Enum(Can), Can.READ)\n",
        rule="node.hit = bool(node.can & Can.READ)",
    ),
    Construct(
        "enum-match-by-value-pattern",
        rule="""
        match node.st.value:
            case "a":
                node.out = 1
            case _:
                node.out = 2
        """,
    ),
    Construct(
        "enum-match-int-enum-literal",
        prelude=LEVEL,
        fields=LEVEL_FIELD,
        rule="""
        match node.level:
            case 1:
                node.out = 1
            case _:
                node.out = 2
        node.level = Level.HIGH if node.flag else Level.LOW
        """,
    ),
    Construct("enum-compared-through-tuple", rule="node.hit = (node.st,) == (S.C,)"),
    Construct("enum-compared-with-none", rule="node.hit = node.st != None"),
    Construct(
        "enum-of-choice",
        methods="""
        @rule
        def choose(self, node: Node, st: S) -> None:
            \"\"\"A node chooses.\"\"\"
            require(not node.hit, node.st != st)
            node.hit = True
            node.out = 1 if st.value == "a" else 2
        """,
    ),
    Construct(
        "enum-of-choice-by-is",
        methods="""
        @rule
        def choose(self, node: Node, st: S) -> None:
            \"\"\"A node chooses.\"\"\"
            require(not node.hit)
            node.hit = True
            node.out = 1 if st is S.A else 2
        """,
    ),
    Construct(
        "enum-with-own-eq-in-a-field",
        prelude="""
        class Twin(enum.Enum):
            A = 1
            B = 2

            def __eq__(self, other):
                return True

            __hash__ = enum.Enum.__hash__
        """,
        fields="twin = field(Enum(Twin), AnyOf((Twin.A, Twin.B)))\n",
        rule="node.hit = node.twin == Twin.A",
    ),
)
