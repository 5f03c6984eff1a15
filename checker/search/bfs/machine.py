"""Computes the successors of a state, and which questions are true in it.

There are two implementations. `CompiledSuccessors` runs generated Python and is fast.
`DefinedSuccessors` walks `semantics.py`, which is the definition. Tests compare them on everything.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, cast

from finale.checker.search.state_graph.folding import cells_read
from finale.checker.search.state_graph.graph import numbered
from finale.model.expressions import FALSE, Expression
from finale.model.semantics import blocking_bounds, evaluate, outcome, updated
from finale.model.system import Blocked, Fault, State, System, Update

from .lowering import PythonText
from .trees import bounds_source, expand_source

Taken = list[tuple[int, State]]
"""For each rule that is enabled, in rule order: the number of its leaf, and the state after it."""

StateTest = Callable[[State], Sequence[int]]
"""Which of the questions that it was made for are true in a state: their positions."""

StepTest = Callable[[State, State], Sequence[int]]
"""Which of the questions that it was made for are true of a step: their positions."""


class SuccessorGenerator(ABC):
    """Computes successors. `leaves` are numbered in rule order, `yes` before `no`."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.leaves, self.numbers = numbered(system)

    @abstractmethod
    def expand(self, state: State, faults: list[int]) -> Taken:
        """Return the steps of a state; append the leaves that are faults, in rule order, to
        `faults`.
        """

    @abstractmethod
    def bounds(self, state: State) -> list[tuple[int, str]]:
        """Return the ground rules that only a bound blocks, each with the bound."""

    @abstractmethod
    def state_test(self, questions: Sequence[Expression]) -> StateTest:
        """Return a function that tells which of the questions are true in a state."""

    @abstractmethod
    def step_test(self, questions: Sequence[Expression]) -> StepTest:
        """Return a function that tells which of the questions are true of a step."""


class DefinedSuccessors(SuccessorGenerator):
    """Computes successors by the definition: walks `semantics.py` node by node."""

    def expand(self, state: State, faults: list[int]) -> Taken:
        taken: Taken = []
        for index, rule in enumerate(self.system.rules):
            match outcome(rule.tree, state):
                case Update() as update:
                    taken.append((self.numbers[index, id(update)], updated(update, state)))
                case Fault() as fault:
                    faults.append(self.numbers[index, id(fault)])
                case Blocked():
                    pass
        return taken

    def bounds(self, state: State) -> list[tuple[int, str]]:
        index = {id(rule): i for i, rule in enumerate(self.system.rules)}
        return [(index[id(rule)], bound) for rule, bound in blocking_bounds(self.system, state)]

    def state_test(self, questions: Sequence[Expression]) -> StateTest:
        def test(state: State) -> Sequence[int]:
            return [i for i, question in enumerate(questions) if evaluate(question, state)]

        return test

    def step_test(self, questions: Sequence[Expression]) -> StepTest:
        def test(state: State, after: State) -> Sequence[int]:
            return [i for i, question in enumerate(questions) if evaluate(question, state, after)]

        return test


class CompiledSuccessors(SuccessorGenerator):
    """Computes successors by generated Python; `source` is the text of the steps."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.source = expand_source(system, self.numbers)
        self._steps = _function(self.source, "steps")

    @cached_property
    def _bounds(self) -> Callable[..., Any]:
        """Few searches ask what bounds block."""
        return _function(bounds_source(self.system), "bounds")

    def expand(self, state: State, faults: list[int]) -> Taken:
        taken: Taken = []
        self._steps(state, faults, taken)
        return taken

    def bounds(self, state: State) -> list[tuple[int, str]]:
        found: list[tuple[int, str]] = []
        self._bounds(state, found)
        return found

    def state_test(self, questions: Sequence[Expression]) -> StateTest:
        return cast(StateTest, _function(_test_source(questions, "s"), "state test"))

    def step_test(self, questions: Sequence[Expression]) -> StepTest:
        return cast(StepTest, _function(_test_source(questions, "s, t"), "step test"))


def _function(source: str, name: str) -> Callable[..., Any]:
    namespace: dict[str, Any] = {}
    exec(compile(source, f"<generated: {name}>", "exec"), namespace)
    function: Callable[..., Any] = namespace["run"]
    return function


def _test_source(questions: Sequence[Expression], arguments: str) -> str:
    """`run(s)` or `run(s, t)`: the positions of the questions that are true."""
    text = PythonText()
    for cell in sorted(cells_read(questions), key=lambda each: (each.after, each.index)):
        source, name = ("t", "d") if cell.after else ("s", "c")
        text.line(1, f"{name}{cell.index} = {source}[{cell.index}]")
    asked = [i for i, question in enumerate(questions) if question is not FALSE]
    tests = text.texts([questions[i] for i in asked], 1, {})
    text.line(1, "found = ()")
    for position, test in zip(asked, tests, strict=True):
        text.line(1, f"if {test}: found += ({position},)")
    text.line(1, "return found")
    return "\n".join([f"def run({arguments}):", *text.lines, ""])
