"""The readable search: breadth-first over all states, with counts, verdicts and shortest traces.

The search does not stop at a violation: its counts cover all reachable states (`Statistics`). The
trace that it shows is canonical. It is the least of the shortest traces, compared by initial state
and then rule by rule (`graph.py`). If several bindings of a property are violated at the end of the
trace, the first one is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from finale.checker.search.limits import (
    INTERRUPTED,
    LimitHit,
    Limits,
    ProgressListener,
    SearchClock,
    SearchProgress,
    check_witnesses,
)
from finale.checker.search.state_graph.fairness import Fair
from finale.checker.search.state_graph.graph import Leaf, StateGraph
from finale.checker.search.state_graph.liveness import is_judged
from finale.checker.search.state_graph.questions import FAULTS, Occurrence, Topic
from finale.checker.search.state_graph.verdicts import verdicts_of
from finale.checker.search.verdict import Report, Statistics, Timing
from finale.model.garbage import uncollected
from finale.model.system import State, System
from finale.model.trace import Trace

from .coverage import BranchCoverage
from .machine import CompiledSuccessors, DefinedSuccessors, SuccessorGenerator
from .questions import Questions

NO_LIMITS = Limits()

#: Limits of time are looked at, and progress is told, once in so many states.
STATES_BETWEEN_LOOKS = 256


def check(
    system: System,
    limits: Limits = NO_LIMITS,
    progress: ProgressListener | None = None,
    *,
    compiled: bool = True,
) -> Report:
    """Return the verdicts on every property of a system, and to the rows that all systems have.

    Without `compiled`, the search walks `semantics.py` instead of generated code: this is much
    slower and gives the same report. Raises `witness-missing`.
    """
    check_witnesses(system)
    began = perf_counter()
    machine = CompiledSuccessors(system) if compiled else DefinedSuccessors(system)
    compiling = perf_counter() - began
    search = ReadableSearch(machine, limits.after(compiling), progress)
    search.run()
    verdicts = verdicts_of(search)
    return Report(
        "readable",
        verdicts,
        search.statistics,
        dead_branches=() if search.stopped else search.coverage.dead(),
        stopped=search.stopped or search.stopped_after,
        exercised=frozenset(search.coverage.rules),
        timing=Timing(0.0, compiling, search.seconds, search.clock.seconds_of_liveness),
    )


@dataclass
class ReadableSearch:
    """A breadth-first search: what it has seen, and how far it is.

    `stopped` says why the search has not seen all states; `stopped_after` says why the work after
    the search was cut short.
    """

    machine: SuccessorGenerator
    limits: Limits
    progress: ProgressListener | None
    graph: StateGraph = field(init=False)
    questions: Questions = field(init=False)
    coverage: BranchCoverage = field(init=False)
    deadlock: int | None = None
    transitions: int = 0
    expanded: int = 0
    depth: int = 0
    stopped: str = ""
    stopped_after: str = ""
    seconds: float = 0.0
    _fair: Fair | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        properties = self.machine.system.properties
        keeps_edges = any(map(is_judged, properties))
        self.graph = StateGraph(self.machine.leaves, keeps_edges)
        self.questions = Questions(self.machine)
        self.coverage = BranchCoverage(self.machine)
        self._is_terminal = self.machine.state_test([self.machine.system.terminal])
        self._progress_rules = [each.rule.makes_progress for each in self.machine.system.rules]
        self.clock = SearchClock(self.limits, self.progress)

    def run(self) -> None:
        """Search until all states are seen, a limit is hit, or the user interrupts."""
        try:
            with uncollected():  # states are tuples of ints
                self._run()
        except LimitHit as limit:
            self.stopped = str(limit)
        except KeyboardInterrupt:
            self.stopped = INTERRUPTED
        self.seconds = self.clock.seconds

    def _run(self) -> None:
        graph, questions = self.graph, self.questions
        for position, state in enumerate(dict.fromkeys(self.machine.system.initial)):
            self._add(state, -1, -1, (0, position, -1))
        graph.initial = len(graph.states)
        level_end = len(graph.states)
        while self.expanded < level_end:
            if questions.worth_reopening(level_end):
                questions.reopen(level_end)
            for position in range(self.expanded, level_end):
                if position % STATES_BETWEEN_LOOKS == 0:
                    self.look()
                self._expand(position)
                self.expanded = position + 1
            if len(graph.states) > level_end:
                self.depth += 1
            level_end = len(graph.states)
        if graph.keeps_edges:
            graph.starts.append(len(graph.targets))

    def _add(self, state: State, parent: int, leaf: int, place: tuple[int, int, int]) -> int:
        """Keep a new state and ask of it what is still open; its number."""
        graph = self.graph
        number = len(graph.states)
        if number == self.limits.states_max:
            raise LimitHit(self.limits.states_word)
        graph.index[state] = number
        graph.parents.append(parent)
        graph.parent_leaves.append(leaf)
        graph.states.append(state)
        test = self.questions.state_test
        if test is not None and (positions := test(state)):
            self.questions.in_state(positions, place, number)
        return number

    def _expand(self, position: int) -> None:
        graph, machine, fresh = self.graph, self.machine, self.coverage.fresh
        index, step_tests, leaves = graph.index, self.questions.step_tests, machine.leaves
        length = self.depth + 1
        state = graph.states[position]
        faults: list[int] = []
        taken = machine.expand(state, faults)
        if graph.keeps_edges:
            graph.starts.append(len(graph.targets))
        progress = self._progress_rules
        is_going_on = any(progress[leaves[leaf].rule] for leaf in faults)
        for leaf, after in taken:
            self.transitions += 1
            if fresh[leaf]:
                self.coverage.visit(leaf, state)
            number = index.get(after)
            if number is None:
                number = self._add(after, position, leaf, (length, position, leaves[leaf].rule))
            rule = leaves[leaf].rule
            if number != position and progress[rule]:
                is_going_on = True
            if graph.keeps_edges:
                graph.targets.append(number)
                graph.taken.append(leaf)
            step_test = step_tests[rule]
            if step_test is not None and (positions := step_test(state, after)):
                self.questions.on_step(positions, (length, position, rule), leaf, after)
        if faults:
            graph.faulty[position] = tuple(faults)
        for leaf in faults:
            rule = leaves[leaf].rule
            self.questions.note(FAULTS, Occurrence((length, position, rule), position, leaf))
        if not is_going_on and self.deadlock is None and self._is_deadlock(state):
            self.deadlock = position

    def _is_deadlock(self, state: State) -> bool:
        """Of a state that no rule which makes progress changes, whether it is a deadlock."""
        if self._is_terminal(state):
            return False
        return not any(self._progress_rules[rule] for rule, _ in self.machine.bounds(state))

    def look(self) -> None:
        """Report the progress. Raises LimitHit when the time is over."""
        self.clock.look(self._progress)

    def _progress(self, seconds: float) -> SearchProgress:
        states = len(self.graph.states)
        frontier = states - self.expanded
        return SearchProgress(states, self.transitions, self.depth, frontier, seconds)

    # --- what was found --------------------------------------------------------------------------

    @property
    def system(self) -> System:
        """What was searched."""
        return self.machine.system

    @property
    def leaves(self) -> Sequence[Leaf]:
        """The leaves of its decision trees."""
        return self.machine.leaves

    @property
    def findings(self) -> Mapping[Topic, Occurrence]:
        """The first occurrence of each topic that has one."""
        return self.questions.findings

    @property
    def fair(self) -> Fair:
        """The fairness of the system, on its complete state graph."""
        if self._fair is None:
            self._fair = Fair(self.system, self.graph, self.machine.state_test)
        return self._fair

    def trace_to(self, position: int) -> Trace:
        """Return the least shortest run to a state."""
        return self.graph.trace_to(position)

    @property
    def statistics(self) -> Statistics:
        """The counts so far."""
        states = len(self.graph.states)
        complete = not self.stopped
        depth = self.depth if complete or not states else self.graph.trace_to(states - 1).length
        frontier = states - self.expanded
        return Statistics(states, self.transitions, depth, self.seconds, complete, frontier)
