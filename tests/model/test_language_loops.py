"""Loops that branch are merged where that means the same, and otherwise stay as they are."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from finale.model.rules import (
    Bool,
    Entity,
    Nothing,
    Option,
    Protocol,
    Queue,
    Range,
    Ref,
    Setting,
    field,
)
from tests.model.language_kit import Case, assert_agree_on, leaves_of, module

HEADER = '''
"""A module with a rule that loops."""

from finale.model.rules import *
from tests.model.test_language_loops import Looped, Node


'''


class Node(Entity):
    """An entity."""

    flag = field(Bool, False)


class Looped(Protocol):
    """Three nodes, a number, a queue and a choice."""

    key = "looped"

    number = field(Range(0, 3), 0)
    queue = field(Queue(Bool, 2), ())
    chosen = field(Option(Ref(Node)), Nothing)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = (Node("a"), Node("b"), Node("c"))

    def entities(self) -> tuple[Entity, ...]:
        return self.nodes


MERGED = {
    "writes": """
        for node in self.nodes:
            if node.flag:
                self.chosen = node
            node.flag = True
    """,
    "continues": """
        for node in self.nodes:
            if not node.flag:
                continue
            if node == self.chosen:
                self.number = 1
                continue
            node.flag = False
        self.chosen = Nothing
    """,
    "binds names": """
        for index, node in enumerate(self.nodes):
            flag = node.flag
            if flag:
                known = index + 1
                self.number = known
            match self.number:
                case 1 | 2 as found:
                    node.flag = found == 1
                case _:
                    node.flag = True
        for node in self.nodes:
            flag = node == self.chosen
            if flag:
                node.flag = all(node.flag or node == self.chosen for node in self.nodes)
    """,
    "is nested": """
        for one in self.nodes:
            for other in self.nodes:
                if one != other and one.flag and not other.flag:
                    self.chosen = other
                    break
            if one == self.chosen:
                one.flag = True
        self.number = 2
    """,
    "blocks": """
        for node in self.nodes:
            if node.flag:
                require(self.queue.has_space)
                self.queue.put(node == self.chosen)
        self.number = 0
    """,
    "faults": """
        for node in self.nodes:
            if node.flag:
                self.queue.put(True)
            else:
                assert self.chosen != node
        self.number = 0
    """,
    "reads a name within another loop": """
        for node in self.nodes:
            if node == self.nodes[0]:
                before = node
            for other in self.nodes:
                if other.flag:
                    self.chosen = before
        self.number = 1
    """,
    "reads what is bound before": """
        limit = self.number
        for node in self.nodes:
            if limit > 1:
                node.flag = not node.flag
            else:
                node.flag = True
        self.chosen = Nothing
    """,
}

KEPT = {
    "counts": """
        total = 0
        for node in self.nodes:
            if node.flag:
                total += 1
        self.number = total
    """,
    "is read afterwards": """
        for node in self.nodes:
            if node.flag:
                last = node
            else:
                last = self.nodes[0]
        self.chosen = last
    """,
    "leaks its variable": """
        for node in self.nodes:
            if node.flag:
                self.number = 1
            else:
                self.number = 2
        self.chosen = node
    """,
    "breaks": """
        for node in self.nodes:
            if node.flag:
                self.chosen = node
                break
        self.number = 2
    """,
    "returns": """
        self.number = 2
        for node in self.nodes:
            if node.flag:
                self.chosen = node
                return
    """,
    "has an else": """
        for node in self.nodes:
            if node.flag:
                break
        else:
            self.number = 1
        self.chosen = Nothing
    """,
    "carries a name on": """
        for node in self.nodes:
            if node == self.nodes[0]:
                before = node
            elif node.flag:
                self.chosen = before
                before = node
        self.number = 1
    """,
}


def case(body: str, folder: Path) -> Case:
    text = 'def loops(self: Looped) -> None:\n    """Loops."""\n' + dedent(body).replace(
        "\n", "\n    "
    )
    function = module(HEADER + text, folder)["loops"]
    return Case(Looped, function, ())


@pytest.mark.parametrize("name", MERGED)
def test_a_merged_loop_means_the_same(name: str, tmp_path: Path) -> None:
    loops = case(MERGED[name], tmp_path)
    assert assert_agree_on(loops)
    assert leaves_of(Looped, loops.function).count("update") == 1


@pytest.mark.parametrize("name", KEPT)
def test_a_loop_that_is_not_merged_means_the_same(name: str, tmp_path: Path) -> None:
    loops = case(KEPT[name], tmp_path)
    assert assert_agree_on(loops)
    assert leaves_of(Looped, loops.function).count("update") > 1
