"""All steps of a batch of states: each decision tree is followed by all of them at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from checker.search.native.layout import check_rules, layout_of
from checker.search.native.topics import Topics
from checker.search.state_graph.leaves import numbered
from checker.search.state_graph.questions import Topic
from model.expressions import TRUE, Expression, disjunction
from model.language.explore import Branch
from model.system import Blocked, Fault, System, Test, Tree, Update, leaves

from .columns import Columns, Numbers, Rows, packed


class Machine:
    """A system as this search sees it, and which branches it has taken. Raises
    `domain-too-large`, `too-many-rules`."""

    def __init__(self, system: System) -> None:
        check_rules(system)
        self.system = system
        self.layout = layout_of(system)
        self.topics = Topics(system)
        self.leaves, self.numbers = numbered(system)
        self.rule_of_leaf = np.array([leaf.rule for leaf in self.leaves], np.int64)
        self.unseen: dict[int, list[tuple[Branch, Expression]]] = {
            number: [each for each in leaf.end.branches if each[1] is not TRUE]
            for number, leaf in enumerate(self.leaves)
            if isinstance(leaf.end, Update)
        }
        self.seen: set[Branch] = set()
        #: What is asked of the steps of each rule, and not settled yet.
        self.asked = [
            {topic: disjunction(each.condition for each in of) for topic, of in topics.items()}
            for topics in self.topics.of_rule
        ]
        self._quiet: dict[int, bool] = {}

    def columns(self, rows: Rows) -> Columns:
        """What expressions are in these states."""
        return Columns(self.layout, self.system.cells, rows)

    def is_quiet(self, tree: Tree) -> bool:
        """Whether nothing is to be done in any leaf of a tree."""
        known = self._quiet.get(id(tree))
        if known is None:
            ends = leaves(tree)
            known = all(isinstance(end, Blocked) and end.bound is None for end in ends)
            self._quiet[id(tree)] = known
        return known

    def settled(self, topic: Topic) -> None:
        """A topic need not be asked of steps any more."""
        for asked in self.asked:
            asked.pop(topic, None)


@dataclass
class Batch:
    """The steps of a batch, in the order of their states and then their rules.

    `after` are the states that they lead to. A fault is a state and a leaf. `at_bound` marks the
    states where a bound blocks some rule. `settling` has for each topic the first step, by state
    and rule, that settles it.
    """

    machine: Machine
    rows: Rows
    faults: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    settling: dict[Topic, tuple[int, int]] = field(default_factory=dict[Topic, tuple[int, int]])

    def __post_init__(self) -> None:
        self.columns = self.machine.columns(self.rows)
        self.at_bound: NDArray[np.bool_] = np.zeros(len(self.rows), np.bool_)
        self._found: list[tuple[Numbers, int, Rows]] = []
        everywhere = np.arange(len(self.rows))
        for rule, ground in enumerate(self.machine.system.rules):
            self._follow(rule, ground.tree, everywhere)
        self.faults.sort()

    # --- following trees -------------------------------------------------------------------------

    def _follow(self, rule: int, tree: Tree, states: Numbers) -> None:
        if not len(states) or self.machine.is_quiet(tree):
            return
        match tree:
            case Test():
                holds = self.columns.truth(tree.condition)[states]
                self._follow(rule, tree.yes, states[holds])
                self._follow(rule, tree.no, states[~holds])
            case Blocked():
                self.at_bound[states] = True
            case Fault():
                leaf = self.machine.numbers[rule, id(tree)]
                self.faults += [(state, leaf) for state in states.tolist()]
            case Update():
                self._take(rule, tree, states)

    def _take(self, rule: int, update: Update, states: Numbers) -> None:
        writes = dict(update.writes)
        here = self.columns.at(states, writes)
        leaf = self.machine.numbers[rule, id(update)]
        self._found.append((states, leaf, packed(here, writes)))
        self._cover(leaf, here)
        for topic, condition in self.machine.asked[rule].items():
            settles = here.truth(condition)
            if settles.any():
                first = (int(states[settles.argmax()]), rule)
                self.settling[topic] = min(first, self.settling.get(topic, first))

    def _cover(self, leaf: int, here: Columns) -> None:
        """The branches that a leaf takes in some of these states only."""
        left: list[tuple[Branch, Expression]] = []
        for branch, condition in self.machine.unseen[leaf]:
            if branch in self.machine.seen or here.truth(condition).any():
                self.machine.seen.add(branch)
            else:
                left.append((branch, condition))
        self.machine.unseen[leaf] = left

    # --- in order --------------------------------------------------------------------------------

    @cached_property
    def _order(self) -> Numbers:
        rules = self.machine.rule_of_leaf[self._joined_leaves]
        order: Numbers = np.lexsort((rules, self._joined_states))
        return order

    @cached_property
    def _joined_states(self) -> Numbers:
        return np.concatenate([np.empty(0, np.int64), *(states for states, _, _ in self._found)])

    @cached_property
    def _joined_leaves(self) -> Numbers:
        found = [np.full(len(states), leaf, np.int64) for states, leaf, _ in self._found]
        return np.concatenate([np.empty(0, np.int64), *found])

    @cached_property
    def states(self) -> Numbers:
        """The state of the batch that each step starts from."""
        return self._joined_states[self._order]

    @cached_property
    def leaves(self) -> Numbers:
        """The leaf that each step takes."""
        return self._joined_leaves[self._order]

    @cached_property
    def after(self) -> Rows:
        """The state that each step leads to."""
        empty = np.empty((0, self.rows.shape[1]), np.uint64)
        return np.concatenate([empty, *(rows for _, _, rows in self._found)])[self._order]


__all__ = ["Batch", "Machine"]
