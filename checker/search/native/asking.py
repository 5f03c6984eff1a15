"""Writes what is asked of states: which topics a state settles, part by part.

    ask(in, n, first)                        asks n states all topics
    ask_part(in, n, first, picks, part, _)   asks one part of the topics, of the n states whose
                                             places `picks` lists

A step that writes no cell of a topic leaves the answer as it was. So the search asks a new state
only the parts that the leaf of its step can change. Topics that the same leaves can change share a
part. There are few parts, since listing states for a part has a cost for each state, too. There is
none if parts would save less than they cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations

from finale.checker.search.state_graph.folding import cells_read, nodes
from finale.checker.search.state_graph.graph import Leaf
from finale.checker.search.state_graph.questions import Asked, Question, Topic, of_states, of_steps
from finale.model.expressions import TRUE, Cell, Expression, disjunction
from finale.model.system import System, Update

from .kernel.places import OPEN
from .layout import StateLayout
from .values import LlvmText, Values
from .writing import function, loop

#: Topics that are settled early, if at all for good reasons: asked only while they are open.
EARLY = (Asked.WHEN, Asked.REACHED)
#: Topics are split into at most so many parts, beside those that are settled early.
PARTS_MAX = 5
#: Parts are worth their cost if so many nodes need not be evaluated, in the mean over leaves.
NODES_WORTH_PARTS = 32


class Topics:
    """The topics of a system. Each one has a position in the tables that the search fills."""

    def __init__(self, system: System) -> None:
        self.in_states: dict[Topic, list[Question]] = {}
        for question in of_states(system):
            self.in_states.setdefault(question.topic, []).append(question)
        self.on_steps: dict[Topic, int] = {}
        self.of_rule: list[dict[Topic, list[Question]]] = []
        #: The cells after a step of each rule that the questions about it read.
        self.cells_after: list[list[Cell]] = []
        cells: dict[tuple[Expression, ...], list[Cell]] = {}
        for rule in range(len(system.rules)):
            asked: dict[Topic, list[Question]] = {}
            for question in (questions := of_steps(system, rule)):
                asked.setdefault(question.topic, []).append(question)
                self.on_steps.setdefault(question.topic, len(self.on_steps))
            self.of_rule.append(asked)
            conditions = tuple(question.condition for question in questions)
            if conditions not in cells:  # most rules are asked the same
                cells[conditions] = [cell for cell in cells_read(conditions) if cell.after]
            self.cells_after.append(cells[conditions])


@dataclass(frozen=True)
class Part:
    """Topics that are asked together, and the leaves that can change their answers, as a set of
    bits. `cost` is how many nodes their conditions have."""

    topics: tuple[Topic, ...]
    leaves: int
    cost: int

    def joined(self, other: Part) -> Part:
        """Return both parts as one."""
        return Part(self.topics + other.topics, self.leaves | other.leaves, self.cost + other.cost)

    def waste(self, other: Part) -> int:
        """Return how many nodes, summed over leaves, are evaluated in vain if both are one part."""
        in_vain = self.cost * (other.leaves & ~self.leaves).bit_count()
        return in_vain + other.cost * (self.leaves & ~other.leaves).bit_count()


class Asking:
    """What is asked of the states of a system, split into parts."""

    def __init__(self, system: System, topics: Topics, leaves: Sequence[Leaf]) -> None:
        self.conditions = {
            topic: disjunction(question.condition for question in questions)
            for topic, questions in topics.in_states.items()
        }
        self.places = {topic: place for place, topic in enumerate(self.conditions)}
        changing = _leaves_by_cell(system, leaves)
        early = [self._part(topic, changing) for topic in self.conditions if self._is_early(topic)]
        late = [
            self._part(topic, changing) for topic in self.conditions if not self._is_early(topic)
        ]
        #: The parts; none if a state is asked all topics at once.
        self.parts: list[Part] = []
        saved = sum(part.cost * (len(leaves) - part.leaves.bit_count()) for part in late)
        if saved >= NODES_WORTH_PARTS * len(leaves):
            self.parts = [reduce(Part.joined, early)] if early else []
            self.parts += _few(late)
        #: For each leaf, the set of parts whose answers it can change.
        self.of_leaf = [
            sum(1 << number for number, part in enumerate(self.parts) if part.leaves >> leaf & 1)
            for leaf in range(len(leaves))
        ]

    def _is_early(self, topic: Topic) -> bool:
        return topic[0] in EARLY or self.conditions[topic] is TRUE

    def _part(self, topic: Topic, changing: dict[int, int]) -> Part:
        condition = self.conditions[topic]
        leaves = 0
        for cell in cells_read([condition]):
            leaves |= changing.get(cell.index, 0)
        return Part((topic,), leaves, sum(1 for _ in nodes([condition])))

    def source(self, layout: StateLayout) -> str:
        """Return the functions as LLVM text."""
        texts = [self._part_source(number, part, layout) for number, part in enumerate(self.parts)]
        text = LlvmText()

        def body(values: Values) -> None:
            late = [topic for topic in self.conditions if not self._is_early(topic)]
            self._ask_late(text, late, values)
            self._ask_early(text, [*filter(self._is_early, self.conditions)], values)

        loop(text, layout, body)
        texts.append(function("define i64", "ask(ptr %in, i64 %n, ptr %first)", text))
        text = LlvmText()
        cases = " ".join(f"i64 {number}, label %is{number}" for number in range(len(self.parts)))
        text.line(f"switch i64 %part, label %none [ {cases} ]")
        for number in range(len(self.parts)):
            text.open(f"is{number}")
            text.value(f"call i64 @part{number}(ptr %in, i64 %n, ptr %first, ptr %picks)")
            text.jump("none")
        text.open("none")
        text.line("ret i64 0")
        parameters = "ptr %in, i64 %n, ptr %first, ptr %picks, i64 %part, i64 %unused"
        texts.append(function("define i64", f"ask_part({parameters})", text))
        return "\n".join(texts)

    def _part_source(self, number: int, part: Part, layout: StateLayout) -> str:
        text = LlvmText()
        is_early = self._is_early(part.topics[0])
        if is_early:
            self._return_if_settled(text, part.topics)

        def body(values: Values) -> None:
            if is_early:
                self._ask_early(text, part.topics, values)
            else:
                self._ask_late(text, part.topics, values)

        loop(text, layout, body, picks=True)
        header = f"part{number}(ptr %in, i64 %n, ptr %first, ptr %picks)"
        return function("define internal i64", header, text)

    def _return_if_settled(self, text: LlvmText, topics: Sequence[Topic]) -> None:
        opens = [self._is_open(text, topic)[1] for topic in topics]
        some = reduce(lambda one, other: text.value(f"or i1 {one}, {other}"), opens)
        text.branch(some, "some", "settled")
        text.open("settled")
        text.line("ret i64 0")
        text.open("some")

    def _ask_early(self, text: LlvmText, topics: Sequence[Topic], values: Values) -> None:
        """Most are settled soon, or never for good reasons: asked one by one while open."""
        for topic in topics:
            asked, settled, done = (text.fresh(name) for name in ("asked", "settled", "done"))
            address, is_open = self._is_open(text, topic)
            text.branch(is_open, asked, done)
            text.open(asked)
            text.branch(values.below().truth(self.conditions[topic]), settled, done)
            text.open(settled)
            text.line(f"store i64 %i, ptr {address}")
            text.jump(done)
            text.open(done)

    def _ask_late(self, text: LlvmText, topics: Sequence[Topic], values: Values) -> None:
        """Nearly no state settles one: asked all at once."""
        if not topics:
            return
        hit, rest = text.fresh("hit"), text.fresh("rest")
        text.branch(values.any(self.conditions[topic] for topic in topics), hit, rest)
        text.open(hit)
        for topic in topics:
            address, is_open = self._is_open(text, topic)
            truth = values.truth(self.conditions[topic])
            settles = text.value(f"and i1 {is_open}, {truth}")
            old = text.value(f"load i64, ptr {address}")
            new = text.value(f"select i1 {settles}, i64 %i, i64 {old}")
            text.line(f"store i64 {new}, ptr {address}")
        text.jump(rest)
        text.open(rest)

    def _is_open(self, text: LlvmText, topic: Topic) -> tuple[str, str]:
        """The address of a topic in `first`, and whether it is open."""
        place = self.places[topic]
        address = text.value(f"getelementptr i64, ptr %first, i64 {place}")
        least = text.value(f"load i64, ptr {address}")
        return address, text.value(f"icmp eq i64 {least}, {OPEN}")


def _leaves_by_cell(system: System, leaves: Sequence[Leaf]) -> dict[int, int]:
    """For each cell, the set of leaves that can write another value to it."""
    found: dict[int, int] = {}
    for number, leaf in enumerate(leaves):
        if isinstance(leaf.end, Update):
            for index, value in leaf.end.writes:
                if value is not system.cells[index]:
                    found[index] = found.get(index, 0) | 1 << number
    return found


def _few(parts: Sequence[Part]) -> list[Part]:
    """Not too many parts: those are joined that waste least."""
    left: list[Part] = list(parts)
    while len(left) > 1:
        one, other = min(combinations(left, 2), key=lambda pair: pair[0].waste(pair[1]))
        if len(left) <= PARTS_MAX and one.waste(other):
            break
        left = [each for each in left if each is not one and each is not other]
        left.append(one.joined(other))
    return left
