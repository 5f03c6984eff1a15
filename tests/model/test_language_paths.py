"""How many paths a rule has: a plan is one, an explosion is told."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from finale.model.errors import FinaleError
from finale.model.expressions import cell
from finale.model.language.explore import PATHS_MAX, Fork, PathEnd, decide, explore
from finale.model.language.stores import SymbolicStore
from finale.model.rules import (
    Bool,
    Entity,
    Protocol,
    Setting,
    define,
    each,
    field,
    require,
    rule,
    step,
)
from finale.model.semantics import evaluate
from finale.model.system import Update, leaves
from tests.model.language_kit import leaves_of, made, mistake, system_of


class Node(Entity):
    """A task of a plan: finished or not, to be triggered, awaited, listed as finished."""

    finished = field(Bool, False)
    trigger = field(Bool, False)
    awaited = field(Bool, False)
    listed = field(Bool, False)

    producers: tuple[Node, ...] = ()


class Job(Protocol):
    """Sixteen tasks in four layers, each reading all of the layer before."""

    key = "job"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        layers = [tuple(Node(f"{i}.{k}") for k in range(4)) for i in range(4)]
        for before, layer in pairwise(layers):
            for node_of_layer in layer:
                node_of_layer.producers = before
        self.nodes = tuple(each for layer in layers for each in layer)

    def entities(self) -> tuple[Node, ...]:
        return self.nodes

    @step
    def plan(self, task: Node) -> None:
        """PL-2: wait for who has not finished; trigger those of them whose producers all have."""
        if task.finished:
            task.listed = True
        else:
            task.awaited = True
            if all(producer.finished for producer in task.producers):
                task.trigger = True


def test_a_plan_over_sixteen_tasks_is_one_update() -> None:
    def begin(self: Job) -> None:
        """PL-2: the plan, in one step."""
        require(any(not task.finished for task in self.nodes))
        each(self.nodes, self.plan)

    def begin_in_line(self: Job) -> None:
        """The same without a helper."""
        require(any(not task.finished for task in self.nodes))
        for task in self.nodes:
            if task.finished:
                task.listed = True
            else:
                task.awaited = True
                if all(producer.finished for producer in task.producers):
                    task.trigger = True

    def begin_by_calls(self: Job) -> None:
        """The same with a loop over calls."""
        require(any(not task.finished for task in self.nodes))
        for task in self.nodes:
            self.plan(task)

    started = time.perf_counter()
    assert leaves_of(Job, begin) == ["update", "blocked"]
    assert leaves_of(Job, begin_by_calls) == ["update", "blocked"]
    assert leaves_of(Job, begin_in_line) == ["update", "blocked"]
    assert time.perf_counter() - started < 1
    (ground,) = system_of(Job, begin).rules
    (update,) = (leaf for leaf in leaves(ground.tree) if isinstance(leaf, Update))
    state = tuple(int(i % 8 == 0) for i in range(64))  # every second task has finished
    written = {index: evaluate(expression, state) for index, expression in update.writes}
    for position in range(16):
        finished = position % 2 == 0
        layer = position // 4
        assert written[4 * position + 3] == int(finished)
        assert written[4 * position + 2] == int(not finished)
        assert written[4 * position + 1] == int(not finished and layer == 0)


def test_a_quantifier_over_sixteen_tasks_is_one_test() -> None:
    def asks(self: Job) -> None:
        """Asks for all, with an `or` in it."""
        if all(task.finished or task.awaited for task in self.nodes):
            self.nodes[0].trigger = True
        else:
            self.nodes[0].trigger = False

    assert leaves_of(Job, asks) == ["update", "update"]


def test_the_end_of_a_plan_is_read_back() -> None:
    """One's own writes are read, also those of helpers."""

    def plans_and_asks(self: Job) -> None:
        """Plans, and asks what was planned."""
        each(self.nodes, self.plan)
        require(any(task.trigger and not task.finished for task in self.nodes))

    assert leaves_of(Job, plans_and_asks) == ["update", "blocked"]


def explodes(self: Job) -> None:
    """Forks once a task: the total is kept from one iteration to the next."""
    total = 0
    for task in self.nodes:
        if task.finished:
            total += 1
    self.nodes[0].awaited = total > 3


class Exploding(Job):
    """A job whose helpers explode."""

    @step
    def helped(self) -> None:
        """Forks once a task, within a helper."""
        total = 0
        for task in self.nodes:
            if task.finished:
                total += 1
        self.nodes[0].awaited = total > 3

    @step
    def nested(self, depth: int) -> None:
        """Explores the next one anew on each of two paths."""
        if depth < 16 and self.nodes[depth].finished:
            self.nested(depth + 1)
        elif depth < 16:
            self.nodes[depth].trigger = True
            self.nested(depth + 1)


def calls_a_helper(self: Exploding) -> None:
    """Calls a helper that explodes."""
    self.helped()


def calls_nested_helpers(self: Exploding) -> None:
    """Calls helpers that are explored again and again."""
    self.nested(0)


@pytest.mark.parametrize("function", [explodes, calls_a_helper, calls_nested_helpers])
def test_an_explosion_is_told_soon_and_where(function: Callable[..., Any]) -> None:
    started = time.perf_counter()
    error = mistake(Exploding, function)
    assert time.perf_counter() - started < 5
    assert error.code == "too-many-paths"
    assert error.place is not None
    assert error.place.file == __file__
    assert "test_language_paths.py:" in error.message
    assert "helper" in error.advice


@pytest.mark.parametrize("forks", [8, 9])
def test_as_many_paths_as_are_allowed(forks: int) -> None:
    store = SymbolicStore([cell(index, 0, 1, True) for index in range(forks)])

    def decides() -> int:
        return sum(decide(store.read(index)) for index in range(forks))

    if 2**forks <= PATHS_MAX:
        assert len(list(ends(explore(decides, store)))) == PATHS_MAX
    else:
        with pytest.raises(FinaleError) as caught:
            explore(decides, store)
        assert caught.value.code == "too-many-paths"


@pytest.mark.parametrize("asked", [[(0, 1), (2,)], [(0, 1), (0,)], [(0, 1), ()]])
def test_a_run_that_comes_to_other_tests_is_refused(asked: list[tuple[int, ...]]) -> None:
    store = SymbolicStore([cell(index, 0, 1, True) for index in range(3)])
    runs = iter(asked)

    def decides() -> list[bool]:
        return [decide(store.read(index)) for index in next(runs)]

    with pytest.raises(FinaleError) as caught:
        explore(decides, store)
    assert caught.value.code == "keeps-state"


def ends(tree: Fork | PathEnd) -> Iterator[PathEnd]:
    if isinstance(tree, Fork):
        yield from ends(tree.yes)
        yield from ends(tree.no)
    else:
        yield tree


def test_facts_keep_paths_from_forking_again() -> None:
    def asks_twice(self: Job) -> None:
        """Asks again what it knows."""
        a, b, *_ = self.nodes
        if a.finished and b.finished:
            a.trigger = a.finished
            if not all(node.finished for node in (a, b)):
                b.trigger = True
        elif not a.finished:
            if any(node.finished for node in (a, a)):
                b.trigger = True
            a.awaited = True
        else:
            if b.finished:
                a.listed = True
            b.awaited = True

    assert leaves_of(Job, asks_twice) == ["update"] * 3


class Deep(Protocol):
    """Recursion along a line of nodes, whose length is known."""

    key = "deep"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.nodes = tuple(Node(str(i)) for i in range(30))

    def entities(self) -> tuple[Node, ...]:
        return self.nodes

    @define
    def reaches(self, position: int) -> bool:
        """Whether all from a position on have finished."""
        if position == len(self.nodes):
            return True
        return self.nodes[position].finished and self.reaches(position + 1)

    @rule
    def end(self) -> None:
        """All have finished."""
        require(self.reaches(0))
        self.nodes[0].trigger = True


def test_recursion_along_the_topology() -> None:
    (ground,) = system_of(Deep).rules
    assert len(list(leaves(ground.tree))) == 2
    assert made(Deep).entities()
