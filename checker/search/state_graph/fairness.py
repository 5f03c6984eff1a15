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

from finale.checker.search.state_graph.graph import Edges, Path, stem
from finale.model.expressions import Expression, choose, disjunction, truth
from finale.model.system import Blocked, Fairness, State, System, Test, Tree, leaves


def components(
    region: Sequence[int], successors: Callable[[int], Iterable[int]]
) -> Iterator[list[int]]:
    """Return the strongly connected components of a region, each sorted.

    `successors` may lead out of the region; such steps are ignored.
    """
    inside = set(region)
    low: dict[int, int] = {}
    order: dict[int, int] = {}
    stack: list[int] = []
    for root in region:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack.append(root)
        work = [(root, iter(successors(root)))]
        while work:
            state, rest = work[-1]
            for after in rest:
                if after not in inside:
                    continue
                if after not in order:
                    order[after] = low[after] = len(order)
                    stack.append(after)
                    work.append((after, iter(successors(after))))
                    break
                low[state] = min(low[state], low[after])
            else:
                work.pop()
                if work:
                    caller = work[-1][0]
                    low[caller] = min(low[caller], low[state])
                if low[state] == order[state]:
                    component = [stack.pop()]
                    while component[-1] != state:
                        component.append(stack.pop())
                    inside.difference_update(component)
                    yield sorted(component)


Keys = int
"""A set of fairness keys, one bit each."""


StateTests = Callable[[Sequence[Expression]], Callable[[State], Sequence[int]]]
"""Makes a function that tells which of the questions are true in a state."""


class Fair:
    """The fairness of a system, on its complete state graph.

    Back ends may override the methods about the whole graph with faster ones; the methods here
    define the result.
    """

    def __init__(self, system: System, graph: Edges, state_tests: StateTests) -> None:
        self.system = system
        self.graph = graph
        self._tests = state_tests
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
            found = self._bounds_test(self.graph.states[state])
            known = tuple(self.blocked[place][:2] for place in found)
            self._bounds[state] = known
        return known

    @cached_property
    def blocked(self) -> list[tuple[Keys, str, Expression]]:
        """The fair keys that a bound can block, with the bound, and whether it alone does so."""
        rules: dict[tuple[Keys, str], list[Tree]] = {}
        for key, rule in zip(self.key, self.system.rules, strict=True):
            for end in dict.fromkeys(leaves(rule.tree)) if key else ():
                if isinstance(end, Blocked) and end.bound is not None:
                    rules.setdefault((key, end.bound), []).append(rule.tree)
        return [
            (key, bound, disjunction(_is_blocked(tree, bound) for tree in trees))
            for (key, bound), trees in rules.items()
        ]

    @cached_property
    def _bounds_test(self) -> Callable[[State], Sequence[int]]:
        return self._tests([question for _, _, question in self.blocked])

    # --- the whole graph -------------------------------------------------------------------------

    def holds_among(self, question: Expression, states: Sequence[int]) -> bool:
        """Return whether the question is true in one of these states."""
        test = self._tests([question])
        return any(test(self.graph.states[state]) for state in states)

    def where(self, question: Expression) -> bytearray:
        """Mark the states in which the question is true."""
        test = self._tests([question])
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

    def stem(self, causes: bytearray, pending: bytearray, ends: bytearray, at_once: bool) -> Path:
        """Return the least shortest run into `ends`, as `graph.py` defines it."""
        return stem(self.graph, causes, pending, ends, at_once)

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

    @property
    def staying(self) -> Sequence[int]:
        """The states in which a run may stay, or to which it may return, forever."""
        return sorted([*self.resting, *(state for loop in self.loops for state in loop)])

    def ends(
        self, region: bytearray, strict: bool
    ) -> tuple[bytearray, Callable[[int], Sequence[int]]]:
        """Mark the states of a region in which a fair run can stay; and tell in which component.

        `region` marks states. The components are the largest ones, and sorted.
        """
        marks, component_of = bytearray(len(region)), dict[int, list[int]]()
        for component in self.components(region, strict):
            for state in component:
                marks[state] = 1
                component_of[state] = component
        return marks, component_of.__getitem__

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


def _is_blocked(tree: Tree, bound: str) -> Expression:
    """Whether a tree leads to a leaf that this bound blocks."""
    if isinstance(tree, Test):
        return choose(tree.condition, _is_blocked(tree.yes, bound), _is_blocked(tree.no, bound))
    return truth(isinstance(tree, Blocked) and tree.bound == bound)
