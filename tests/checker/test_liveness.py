"""Liveness by its definition: over all sets of states that a run may stay in, on small graphs."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from finale.checker.search.bfs.search import check
from finale.checker.search.verdict import Verdict, Word
from finale.model.errors import Place
from finale.model.expressions import FALSE, Expression, cell, disjunction, equal, integer
from finale.model.semantics import blocking_bounds, steps
from finale.model.system import (
    Blocked,
    Fairness,
    GroundRule,
    Kind,
    Predicate,
    Property,
    Rule,
    System,
    Tree,
    Update,
)
from finale.model.system import (
    Test as Branching,
)
from finale.model.trace import Trace, replay

STATES = 6
PLACE = cell(0, 0, STATES - 1, False)

Key = tuple[str, tuple[str, ...]]


@dataclass(frozen=True)
class Move:
    """A ground rule: in each state the state after, None where it is blocked, -1 if by a bound."""

    name: str
    fairness: Fairness
    entity: str
    targets: tuple[int | None, ...]

    def tree(self) -> Tree:
        tree: Tree = Blocked()
        for state, target in reversed(list(enumerate(self.targets))):
            leaf: Tree = Blocked()
            if target is not None:
                leaf = Blocked("tries") if target < 0 else Update(((0, integer(target)),))
            tree = Branching(equal(PLACE, integer(state)), leaf, tree)
        return tree

    def ground(self) -> GroundRule:
        rule = Rule(self.name, "It moves.", self.fairness, True, Place(), ())
        return GroundRule(rule, (("to", self.entity),), (self.entity,), self.tree())


def within_states(states: Iterable[int]) -> Expression:
    return disjunction(equal(PLACE, integer(state)) for state in states)


def system_of(moves: list[Move], kind: Kind, causes: set[int], goals: set[int]) -> System:
    predicate = Predicate((), within_states(causes), within_states(goals), FALSE)
    prop = Property("it", kind, "It comes.", Place(), (predicate,))
    ground = tuple(move.ground() for move in moves)
    return System("graph", (), (PLACE,), ((0,),), ground, (prop,), FALSE)


# --- the definition ------------------------------------------------------------------------------


class Graph:
    """The reachable states, what fairness knows of each, and the runs that wait."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.steps: dict[int, list[tuple[Key | None, int]]] = {}
        self.bounded: dict[int, set[Key]] = {}
        self.fairness: dict[Key, Fairness] = {}
        for rule in system.rules:
            if rule.rule.fairness is not Fairness.NONE:
                self.fairness[rule.fairness_key] = rule.rule.fairness
        pending = [0]
        for state in pending:
            self.steps[state] = list(self._steps(state))
            self.bounded[state] = {
                rule.fairness_key
                for rule, _ in blocking_bounds(system, (state,))
                if rule.fairness_key in self.fairness
            }
            known = {*self.steps, *pending}
            pending += sorted({after for _, after in self.steps[state]} - known)

    def _steps(self, state: int) -> Iterator[tuple[Key | None, int]]:
        for step in steps(self.system, (state,)):
            assert isinstance(step.result, tuple)
            key = step.rule.fairness_key if step.rule.fairness_key in self.fairness else None
            if step.result[0] != state:
                yield key, step.result[0]

    def is_fair(self, states: set[int], strict: bool) -> bool:
        """Whether a run that visits just these states again and again, by all steps, is fair."""
        if any(self._within(state, states) != states for state in states):
            return False
        taken = {key for state in states for key, after in self.steps[state] if after in states}
        for key, fairness in self.fairness.items():
            enabled = [
                key in {k for k, _ in self.steps[state]} or (strict and key in self.bounded[state])
                for state in states
            ]
            kept = all(enabled) if fairness is Fairness.WEAK else any(enabled)
            if kept and key not in taken:
                return False
        return True

    def _within(self, start: int, states: set[int]) -> set[int]:
        """The states that are reached from one without leaving a set of states."""
        found = {start}
        pending = [start]
        while pending:
            for _, after in self.steps[pending.pop()]:
                if after in states and after not in found:
                    found.add(after)
                    pending.append(after)
        return found

    def waits(self, kind: Kind, causes: set[int], goals: set[int], strict: bool) -> int | None:
        """The length of the shortest stem into states where a fair run waits for ever."""
        waiting = sorted(set(self.steps) - goals)
        sets = chain.from_iterable(combinations(waiting, n) for n in range(1, len(waiting) + 1))
        ends = set(chain.from_iterable(s for s in map(set, sets) if self.is_fair(s, strict)))
        begun = {(0, False)} if kind is Kind.LEADS_TO else set[tuple[int, bool]]()
        if 0 in causes:
            begun |= {(0, True)}
        level, seen, length = begun, set[tuple[int, bool]](), 0
        while level:
            level = {(state, since) for state, since in level if not (since and state in goals)}
            if any(since and state in ends for state, since in level):
                return length
            seen |= level
            after = {(after, since) for state, since in level for _, after in self.steps[state]}
            if kind is Kind.LEADS_TO:
                after |= {(state, True) for state, _ in after if state in causes}
            level, length = after - seen, length + 1
        return None


TARGETS = st.one_of(st.none(), st.integers(-1, STATES - 1))
MOVES = st.builds(
    Move,
    st.sampled_from(["up", "down"]),
    st.just(Fairness.NONE),
    st.sampled_from(["a", "b"]),
    st.tuples(*[TARGETS] * STATES),
)
SETS = st.sets(st.integers(0, STATES - 1), max_size=STATES)


@settings(derandomize=True)
@given(
    st.lists(MOVES, min_size=1, max_size=4),
    st.tuples(st.sampled_from(Fairness), st.sampled_from(Fairness)),
    st.sampled_from([Kind.LEADS_TO, Kind.EVENTUALLY]),
    SETS,
    SETS,
)
def test_verdicts_are_those_of_the_definition(
    drawn: list[Move],
    fairness: tuple[Fairness, Fairness],
    kind: Kind,
    causes: set[int],
    goals: set[int],
) -> None:
    promised: dict[str, Fairness] = dict(zip(("up", "down"), fairness, strict=True))
    moves = [Move(m.name, promised[m.name], m.entity, m.targets) for m in drawn]
    system = system_of(moves, kind, causes, goals)
    graph = Graph(system)
    [verdict] = [each for each in check(system).verdicts if each.property == "it"]
    due = causes & ({0} if kind is Kind.EVENTUALLY else set(graph.steps))
    strict = graph.waits(kind, causes, goals, strict=True)
    lenient = graph.waits(kind, causes, goals, strict=False)
    match verdict:
        case Verdict(word=Word.VIOLATED, trace=trace):
            assert trace is not None
            assert trace.length == strict
            assert_is_fair_lasso(system, graph, trace, goals, strict=True)
        case Verdict(word=Word.UNKNOWN, trace=trace, why=why):
            assert strict is None
            assert trace is not None
            assert trace.length == lenient
            assert "tries" in why
            assert_is_fair_lasso(system, graph, trace, goals, strict=False)
        case _:
            assert strict is None
            assert lenient is None
            assert verdict.word == ("holds" if due else "vacuous")


def assert_is_fair_lasso(
    system: System, graph: Graph, trace: Trace, goals: set[int], strict: bool
) -> None:
    """The loop, by the very steps that it takes, keeps every promise and meets no goal."""
    replay(system, trace)
    assert trace.loop is not None
    states = [state for (state,) in trace.states[trace.loop :]]
    assert not goals & set(states)
    taken = {system.rules[rule].fairness_key for rule in trace.rules[trace.loop :]}
    for key, fairness in graph.fairness.items():
        enabled = [
            key in {k for k, _ in graph.steps[state]} or (strict and key in graph.bounded[state])
            for state in states
        ]
        kept = all(enabled) if fairness is Fairness.WEAK else any(enabled)
        assert key in taken or not kept
