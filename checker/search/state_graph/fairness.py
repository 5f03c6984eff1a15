"""Fair runs: finds the components of the state graph in which a fair run can stay forever.

Only steps that change the state count. A run can also stay in one state forever, as it does after
its end: every state is a component with an implicit loop. To stay is fair if no fair rule could
change the state. A rule without fairness need not be taken, enabled or not.

Take the rules of one fairness key together. A run that stays in a component is fair if
- WEAK rules are taken inside infinitely often, or are infinitely often not enabled;
- STRONG rules are taken inside infinitely often, or are from some time on never enabled.

In the *strict* reading, a fair key that only a bound blocks counts as enabled, but cannot be taken.
A component that is fair in the strict reading is fair without the bound, too. A rule that ends in a
fault is enabled, and taking it leaves every component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Protocol

from model.expressions import Expression
from model.system import Fairness, State, System

from .components import components
from .graph import Edges

Keys = int
"""A set of fairness keys, one bit each."""


class StateQueries(Protocol):
    """Questions about single states."""

    def bounds(self, state: State) -> Sequence[tuple[int, str]]:
        """Return the ground rules that only a bound blocks, each with the bound."""
        ...

    def state_test(self, questions: Sequence[Expression]) -> Callable[[State], Sequence[int]]:
        """Return a function that tells which of the questions are true in a state."""
        ...


class Fair:
    """The fairness of a system, on its complete state graph.

    Back ends may override the methods about the whole graph with faster ones; the methods here
    define the result.
    """

    def __init__(self, system: System, graph: Edges, ask: StateQueries) -> None:
        self.system = system
        self.graph = graph
        self._ask = ask
        self.weak: Keys = 0
        self.strong: Keys = 0
        #: The key of each ground rule: no bit for one that is never fair.
        self.key: list[Keys] = []
        bits: dict[tuple[str, tuple[str, ...]], Keys] = {}
        for rule in system.rules:
            fairness, bit = rule.rule.fairness, 0
            if fairness is not Fairness.NONE:
                bit = bits.setdefault(rule.fairness_key, 1 << len(bits))
            self.key.append(bit)
            self.weak |= bit if fairness is Fairness.WEAK else 0
            self.strong |= bit if fairness is Fairness.STRONG else 0
        self._enabled: dict[int, Keys] = {}
        self._bounds: dict[int, tuple[tuple[Keys, str], ...]] = {}

    # --- one state -------------------------------------------------------------------------------

    def steps(self, state: int) -> Iterator[tuple[int, int]]:
        """The steps that change a state, in rule order: the leaf taken, and the state after."""
        graph = self.graph
        for edge in graph.edges(state):
            after = graph.targets[edge]
            if after != state:
                yield graph.taken[edge], after

    def key_of_leaf(self, leaf: int) -> Keys:
        """Return the key of the rule that a leaf is of."""
        return self.key[self.graph.leaves[leaf].rule]

    def enabled(self, state: int, strict: bool) -> Keys:
        """Return the fair keys enabled in a state; if `strict`, also those blocked by bounds."""
        keys = self._enabled.get(state)
        if keys is None:
            keys = 0
            for leaf, _ in self.steps(state):
                keys |= self.key_of_leaf(leaf)
            for leaf in self.graph.faulty.get(state, ()):
                keys |= self.key_of_leaf(leaf)
            self._enabled[state] = keys
        if strict:
            for blocked, _ in self.bounds(state):
                keys |= blocked
        return keys

    def bounds(self, state: int) -> tuple[tuple[Keys, str], ...]:
        """Return the fair keys that only a bound blocks in a state, with the bound."""
        known = self._bounds.get(state)
        if known is None:
            found = self._ask.bounds(self.graph.states[state])
            known = tuple((self.key[rule], bound) for rule, bound in found if self.key[rule])
            self._bounds[state] = known
        return known

    # --- the whole graph -------------------------------------------------------------------------

    def holds_among(self, question: Expression, states: Iterable[int]) -> bool:
        """Return whether the question is true in one of these states."""
        test = self._ask.state_test([question])
        return any(test(self.graph.states[state]) for state in states)

    def where(self, question: Expression) -> bytearray:
        """Mark the states in which the question is true."""
        test = self._ask.state_test([question])
        return bytearray(bool(test(state)) for state in self.graph.states)

    def reached(self, causes: bytearray, pending: bytearray) -> bytearray:
        """Mark the states that are reachable from causes through pending states only."""
        marked = bytearray(causes)
        found = [state for state, is_cause in enumerate(causes) if is_cause]
        for state in found:  # it grows while it is read
            for after in self.graph.successors(state):
                if pending[after] and not marked[after]:
                    marked[after] = 1
                    found.append(after)
        return marked

    # --- components ------------------------------------------------------------------------------

    @cached_property
    def loops(self) -> list[list[int]]:
        """The components of the whole graph that have more than one state."""
        states = range(len(self.graph.states))
        return [found for found in components(states, self.graph.successors) if len(found) > 1]

    @cached_property
    def resting(self) -> list[int]:
        """The states outside of loops in which no fair key is enabled."""
        looping = {state for loop in self.loops for state in loop}
        states = range(len(self.graph.states))
        return [s for s in states if s not in looping and not self.enabled(s, strict=False)]

    @cached_property
    def staying(self) -> list[int]:
        """The states in which a run may stay, or to which it may return, forever."""
        return sorted([*self.resting, *(state for loop in self.loops for state in loop)])

    def components(self, region: bytearray, strict: bool) -> Iterator[list[int]]:
        """Yield the largest components of a region in which a fair run can stay.

        `region` marks states. Its components are parts of those of the whole graph.
        """
        for state in self.resting:
            if region[state] and not self.enabled(state, strict):
                yield [state]
        for loop in self.loops:
            yield from self._fair_parts([state for state in loop if region[state]], strict)

    def _fair_parts(self, region: list[int], strict: bool) -> Iterator[list[int]]:
        pending = [region]
        while pending:
            for component in components(pending.pop(), self.graph.successors):
                taken = self.taken_inside(component)
                enabled = [self.enabled(state, strict) for state in component]
                always, sometimes = -1, 0
                for keys in enabled:
                    always &= keys
                    sometimes |= keys
                if always & self.weak & ~taken:
                    continue  # nor is any part of it fair: the key is enabled in every state
                starved = sometimes & self.strong & ~taken
                if not starved:
                    yield component
                elif any(not keys & starved for keys in enabled):
                    pairs = zip(component, enabled, strict=True)
                    pending.append([state for state, keys in pairs if not keys & starved])

    def taken_inside(self, component: Sequence[int]) -> Keys:
        """Return the fair keys that some step between states of a component takes."""
        inside = set(component)
        keys = 0
        for state in component:
            for leaf, after in self.steps(state):
                if after in inside:
                    keys |= self.key_of_leaf(leaf)
        return keys


__all__ = ["Fair", "Keys", "StateQueries"]
