"""What a newcomer tries with values of the state: each mistake has a code and names its line."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.model.language_kit import assert_refused

HEADER = '''
"""A module with a rule to be refused."""

import enum

from finale.model.rules import *


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Fruit(enum.Enum):
    APPLE = 1


class Token(Record):
    number: int = part(Range(0, 3))


class Stop(Record):
    pass


class Link(Entity):
    pass


class Node(Entity):
    number = field(Range(0, 3), 0)
    flag = field(Bool, False)
    colour = field(Enum(Colour), Colour.RED)
    target = field(Option(Ref(Link)), Nothing)
    token = field(Union(Token, Stop), Stop())
    maybe = field(Option(Range(0, 3)), Nothing)
    queue = field(Queue(Union(Token, Stop), 2), ())
    other = field(Queue(Union(Token, Stop), 1), ())
    numbers = field(Set(Range(0, 2)), frozenset())
    array = field(Array(Range(0, 2), 2), 0)
    per_link = field(PerEntity(Link, Bool), False)
    history = field(Bool, False, ghost="history")


class Base(Protocol):
    ghosts = ("history",)

    def __init__(self, setting):
        super().__init__(setting)
        self.nodes = (Node("a"), Node("b"))
        self.links = (Link("x"), Link("y"))
        self.stranger = Node("stranger")

    def entities(self):
        return (*self.nodes, *self.links)

    @define
    def looks(self, node):
        node.number = 1
        return True

    @define
    def absent(self, node):
        if node.flag:
            return 3

    @define
    def mixed(self, node):
        return node.colour if node.flag else node.number

    @define
    def seen(self, node):
        return node.queue

    @step
    def endless(self, node):
        if node.flag:
            self.endless(node)

    def unmarked(self, node):
        return self.unmarked(node)


'''

# Code and body; the line that the error must name is marked.
MISUSED = [
    # Structures as a whole.
    ("length-of-structure", "if len(node.queue) > 0:  # here\n    node.number = 1"),
    ("length-of-structure", "node.number = len(node.numbers)  # here"),
    ("length-of-structure", "node.number = len(node.per_link)  # here"),
    ("state-dependent-loop", "for element in node.queue:  # here\n    node.number = 1"),
    ("state-dependent-loop", "node.number = sum(number for number in node.numbers)  # here"),
    ("state-dependent-loop", "node.number = len(list(node.per_link))  # here"),
    ("structures-compared", "if node.queue == ():  # here\n    node.number = 1"),
    ("structures-compared", "if node.numbers != frozenset():  # here\n    node.number = 1"),
    ("structure-tested", "if node.numbers:  # here\n    node.number = 1"),
    ("structure-tested", "require(not node.queue)  # here\nnode.number = 1"),
    ("write-outside-domain", "node.flag = node.flag and node.queue  # here"),
    ("structure-tested", "require(all(n.queue for n in self.nodes))  # here\nnode.number = 1"),
    ("structure-tested", "match node.queue:  # here\n    case Token():\n        node.number = 1"),
    ("structures-differ", "node.queue = node.other  # here"),
    ("hash-of-state", "node.number = hash(node.queue)  # here"),
    # Values as Python objects.
    ("hash-of-state", "node.number = len(set([node.number]))  # here"),
    ("hash-of-state", "node.number = len(dict.fromkeys([node.colour]))  # here"),
    ("text-of-state", "print(f'{node.number}')  # here\nnode.number = 1"),
    ("text-of-state", "node.number = len(str(node.colour))  # here"),
    ("text-of-state", "node.number = len(f'{node.queue}')  # here"),
    ("state-dependent-loop", "for i in range(node.number):  # here\n    node.flag = True"),
    ("state-dependent-loop", "node.number = [0, 1, 2, 3][node.number]  # here"),
    ("state-dependent-loop", "node.number = int(node.maybe)  # here"),
    ("state-dependent-loop", "node.number = len(node.colour)  # here"),
    ("state-dependent-loop", "first, second = node.token  # here\nnode.number = first"),
    ("unsupported-operation", "node.number = node.number * 2  # here"),
    ("unsupported-operation", "node.number = 2 * node.number  # here"),
    ("unsupported-operation", "node.number = node.number // 2  # here"),
    ("unsupported-operation", "node.number = 7 % node.number  # here"),
    ("unsupported-operation", "node.number = node.number ** 2  # here"),
    ("unsupported-operation", "node.number = node.number << 1  # here"),
    ("unsupported-operation", "node.number = -node.colour  # here"),
    ("unsupported-operation", "node.number = node.token + 1  # here"),
    ("unsupported-operation", "node.number = node.token[0]  # here"),
    ("rule-raises", "node.number = node.number.real  # here"),
    ("rule-raises", "node.number = node.queue.size  # here"),
    ("rule-raises", "node.queue.length = 0  # here"),
    # Comparisons that can never be true.
    ("compares-unrelated", "if node.colour == Fruit.APPLE:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.colour == 1:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.colour == 'RED':  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.number == None:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.maybe != None:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.number == Colour.RED:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.number == '1':  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.target == node:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.token == 3:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.token == Colour.RED:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.number < node.colour:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.colour < Colour.GREEN:  # here\n    node.number = 1"),
    ("compares-unrelated", "if node.number in ('a', 1):  # here\n    node.number = 1"),
    ("compares-unrelated", "require(node.number <= node.token)  # here\nnode.number = 1"),
    # Writes.
    ("write-outside-domain", "node.colour = Fruit.APPLE  # here"),
    ("write-outside-domain", "node.number = node.flag  # here"),
    ("write-outside-domain", "node.flag = node.number  # here"),
    ("write-outside-domain", "node.number = 7  # here"),
    ("write-outside-domain", "node.number = 'one'  # here"),
    ("write-outside-domain", "node.target = node  # here"),
    ("write-outside-domain", "node.token = 3  # here"),
    ("write-outside-domain", "node.queue.put(3)  # here"),
    ("write-outside-domain", "node.token = Token(number='three')  # here"),
    ("record-parts", "node.token = Token()  # here"),
    ("record-parts", "node.token = Token(1, number=1)  # here"),
    ("record-is-frozen", "node.token.number = 1  # here"),
    ("record-is-frozen", "made = Token(1)\nmade.number = 2  # here"),
    ("write-to-a-copy", "self.seen(node).put(Stop())  # here"),
    ("unknown-field", "node.number = node.token.nmber  # here"),
    ("not-an-index", "node.number = node.array[node.colour]  # here"),
    ("not-an-index", "node.flag = node.per_link[node.number]  # here"),
    ("not-an-index", "node.flag = node.queue.at(node.colour) == Stop  # here"),
    ("not-observed", "node.history = True  # here"),
    ("entity-not-listed", "node.number = self.stranger.number  # here"),
    # Guards and helpers.
    ("not-a-bound", "within(node.number, 3)  # here\nnode.number = 1"),
    ("before-outside-step", "node.number = before(lambda: node.number)  # here"),
    ("cannot-merge", "node.number = self.absent(node)  # here"),
    ("rule-raises", "raise RuntimeError('so')  # here"),
    ("assertion-failed", "assert False, 'never'  # here\nnode.number = 1"),
    ("rule-raises", "node.number = (1, 2)[3]  # here"),
]


@pytest.mark.parametrize(
    ("code", "body"), MISUSED, ids=[f"{code}-{i}" for i, (code, _) in enumerate(MISUSED)]
)
def test_misuse_is_a_coded_error_at_its_line(code: str, body: str, tmp_path: Path) -> None:
    assert_refused(HEADER, code, body, tmp_path)


def test_a_kind_that_a_helper_mixes_forks_where_it_is_used(tmp_path: Path) -> None:
    """A conditional expression of two kinds is no value: the rule forks, and one path is wrong."""
    error = assert_refused(
        HEADER.replace("return node.colour if node.flag else node.number", "return 0  # here"),
        "write-outside-domain",
        "node.number = node.colour if node.flag else node.number  # here",
        tmp_path,
    )
    assert "Colour" in error.message


def test_none_is_not_nothing(tmp_path: Path) -> None:
    error = assert_refused(
        HEADER,
        "compares-unrelated",
        "require(node.maybe == None)  # here\nnode.number = 1",
        tmp_path,
    )
    assert "Nothing" in error.advice


def test_a_helper_that_forgets_to_return_is_told_so(tmp_path: Path) -> None:
    error = assert_refused(
        HEADER, "cannot-merge", "node.number = self.absent(node)  # here", tmp_path
    )
    assert "None" in error.message
    assert "every path" in error.advice


@pytest.mark.parametrize("body", ["self.endless(node)", "node.number = self.unmarked(node)"])
def test_helpers_that_call_each_other_for_ever(body: str, tmp_path: Path) -> None:
    header = HEADER.replace(
        "            self.endless(node)", "            self.endless(node)  # here"
    )
    header = header.replace("return self.unmarked(node)", "return self.unmarked(node)  # here")
    assert_refused(header, "endless-recursion", body, tmp_path)


def test_a_helper_that_reads_must_not_write(tmp_path: Path) -> None:
    header = HEADER.replace("    @define\n    def looks", "    @define  # here\n    def looks")
    assert_refused(header, "define-writes", "require(self.looks(node))", tmp_path)


def test_texts_are_known_in_messages_by_what_they_are(tmp_path: Path) -> None:
    body = dedent("node.number = node.number.real  # here")
    assert "number of the state" in assert_refused(HEADER, "rule-raises", body, tmp_path).message


def test_private_names_are_no_advice(tmp_path: Path) -> None:
    """What the tool keeps in an entity is there or not: an error is the same with and without."""
    error = assert_refused(HEADER, "unknown-field", "node.number = node.wurld  # here", tmp_path)
    assert "known: " in error.advice
    assert "_world" not in error.advice
