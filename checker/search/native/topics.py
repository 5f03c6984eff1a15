"""Lists what the native search asks, by topic: the questions about states and steps."""

from __future__ import annotations

from checker.search.state_graph.questions import Asked, Question, Topic, of_states, of_steps
from model.system import System

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
        for rule in range(len(system.rules)):
            asked: dict[Topic, list[Question]] = {}
            for question in of_steps(system, rule):
                asked.setdefault(question.topic, []).append(question)
                self.on_steps.setdefault(question.topic, len(self.on_steps))
            self.of_rule.append(asked)


__all__ = ["EARLY", "Topics"]
