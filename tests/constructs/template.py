"""The protocol into which a construct is put: two nodes with a field of each kind.

The rule `go` holds the construct and counts `n`. The rule `tick` takes a node through four stages,
and each field has several values. The fields `hit` and `out` are for what a construct finds out.
"""

from textwrap import dedent, indent

from tests.constructs.construct import Construct

#: A spec that asks for nothing in particular.
SPEC = 'title    = "A construct"\nprotocol = "toy"\n'

FUTURE = "from __future__ import"

IMPORTS = '''\
"""Two nodes with a field of each kind."""
{future}
import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    EMPTY, STRONG, WEAK, AnyOf, Array, Bool, Bound, Entity, Enum, Nothing, Option, PerEntity,
    Protocol, Queue, Range, Record, RecordOf, Ref, Set, Setting, Taken, Union, always, before,
    count, define, each, eventually, exists, field, forall, leads_to, on_step, part, reachable,
    require, rule, step, when, within,
)


class S(enum.Enum):
    A = "a"
    B = "b"
    C = "c"


class Stop(Record):
    """A request to stop."""

    reason: int = part(Range(0, 1))


class Note(Record):
    """A text."""

    text: int = part(Range(0, 2))

'''

NODE = '''
class Peer(Entity):
    """The class that a field of a node can name."""


class Node(Peer):
    """A node with a field of each kind."""

    #: counted by `go` and by `tick`
    n = field(Range(0, 3), lambda node: 0 if node.number == 1 else 2)
    stage = field(Range(0, 3), lambda node: 0 if node.number == 1 else 1)
    #: what a construct finds out
    hit = field(Bool, False)
    out = field(Range(0, 9), 0)

    st = field(Enum(S), S.A)
    flag = field(Bool, False)
    left = field(Range(0, 3), lambda node: node.number)
    right = field(Range(0, 3), 2)
    maybe = field(Option(Range(0, 3)), Nothing)
    peer = field(Option(Ref(Peer)), Nothing)
    friend = field(Ref(Peer), lambda node: node)
    seen = field(Set(Range(0, 2)), EMPTY)
    friends = field(Set(Ref(Peer)), EMPTY)
    mail = field(Union(Stop, Note), Stop(reason=0))
    rec = field(RecordOf(Note), Note(text=1))
    box = field(Queue(Union(Stop, Note), 2), ())
    slots = field(Array(Range(0, 3), 2), 0)

    # fixed before the search
    number: int
    kind: str
    other: "Node"
    sink: str | None
    weights: dict[str, int]
    tags: tuple[str, ...]
'''

TOY = '''
@dataclass(frozen=True)
class Options:
    eager: bool = True


@dataclass(frozen=True)
class Bounds:
    notes: int = 2


class Toy(Protocol):
    """Two nodes that each go and tick."""

    key = "toy"
    Options = Options
    options: Options
    Bounds = Bounds
    bounds: Bounds

    turn = field(Ref(Node), lambda self: self.nodes[0])
    last = field(Option(Ref(Node)), Nothing)
    marks = field(PerEntity(Node, Range(0, 3)), 0)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.limit = 2
        self.name_of = {1: "one", 2: "two"}
        self.nodes = (Node("a"), Node("b"))
        for number, node in enumerate(self.nodes, 1):
            node.number = number
            node.kind = ("source", "sink")[number - 1]
            node.other = self.nodes[2 - number]
            node.sink = None if number == 1 else "file"
            node.weights = {"x": number, "y": 2}
            node.tags = ("t", self.name_of[number])

    def entities(self) -> Sequence[Entity]:
        return self.nodes

    @define
    def terminal(self) -> bool:
        return all(node.n == 3 and node.stage == 3 for node in self.nodes)

    @rule
    def tick(self, node: Node) -> None:
        """A node comes to its next stage."""
        require(node.stage < 3)
        if node.stage == 0:
            node.st = S.B
            node.left = 2
            node.maybe = 2
            node.peer = node.other
            node.seen.add(1)
            node.friends.add(node)
            node.mail = Note(text=1)
            if node.box.has_space:
                node.box.put(Note(text=2))
            node.slots[1] = 3
            self.marks[node] = 1
        elif node.stage == 1:
            node.st = S.C
            node.flag = True
            node.right = 0
            node.maybe = 0
            node.friend = node.other
            node.friends.add(node.other)
            node.mail = Stop(reason=1)
            node.rec = Note(text=0)
            if node.box.has_space:
                node.box.put(Stop(reason=1))
            self.turn = node
        else:
            node.st = S.A
            node.left = 0
            node.maybe = Nothing
            node.peer = node
            node.seen.add(0)
            node.mail = Note(text=0)
            if not node.box.is_empty:
                node.box.take()
            node.slots[0] = 1
            self.last = node
        node.stage += 1

    @rule
    def go(self, node: Node) -> None:
        """The construct."""
        require(node.n < 3)
'''

PROPERTY = '''

@always(witness="far")
def claim(state: Toy) -> bool:
    """What the construct claims."""
'''

END = '''

@reachable
def far(state: Toy) -> bool:
    """Both nodes come to their last stage."""
    return all(node.stage == 3 for node in state.nodes)


PROTOCOLS = (Toy,)
PROPERTIES = (claim, far)
'''


def source_of(construct: Construct) -> str:
    """Return the whole protocol file of a construct."""
    prelude = dedent(construct.prelude).strip("\n").splitlines()
    future = "\n".join(line for line in prelude if line.startswith(FUTURE))
    rest = "\n".join(line for line in prelude if not line.startswith(FUTURE))
    parts = (
        IMPORTS.replace("{future}", future),
        block(rest),
        NODE,
        block(construct.fields, 4),
        TOY,
        block(construct.rule, 8),
        block("node.n += 1", 8),
        block(construct.methods, 4),
        PROPERTY,
        block(construct.prop, 4),
        END,
        block(construct.after),
    )
    return "".join(parts)


def block(code: str, columns: int = 0) -> str:
    """Return code with its lines moved to a column."""
    text = dedent(code).strip("\n")
    return "\n" * (columns != 8) + indent(text, " " * columns) + "\n" if text else ""
