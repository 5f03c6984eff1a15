"""Lists what the native search asks, by topic: the questions about states and steps."""

from __future__ import annotations

from finale.checker.search.state_graph.folding import cells_read
from finale.checker.search.state_graph.questions import Asked, Question, Topic, of_states, of_steps
from finale.model.expressions import Cell, Expression
from finale.model.system import System

#: Topics that are settled early, if at all for good reasons: asked only while they are open.
EARLY = (Asked.WHEN, Asked.REACHED)


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
