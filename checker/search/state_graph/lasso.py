"""Makes lassos: finds a short fair loop in a component, and puts the stem in front."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from finale.model.trace import Trace

from .fairness import Fair, Keys
from .graph import Edges, Path


def loop(fair: Fair, component: Sequence[int], start: int, strict: bool) -> Path:
    """Return a short loop through a state of a fair component, without that state in front.

    The loop always goes to the nearest place that serves a fairness key not yet served: a step that
    takes the key or, for a weak key, a state where it is not enabled. An empty loop stays where it
    is.
    """
    inside = set(component)
    enabled = {state: fair.enabled(state, strict) for state in component}
    sometimes = 0
    for keys in enabled.values():
        sometimes |= keys
    wanted = (fair.weak | (fair.strong & sometimes)) & ~(fair.weak & ~enabled[start])

    def served(leaf: int, after: int) -> Keys:
        return fair.key_of_leaf(leaf) | (fair.weak & ~enabled[after])

    def serves(leaf: int, after: int) -> bool:
        return bool(served(leaf, after) & wanted)

    here, path = start, Path()
    while wanted:
        for after, leaf in _nearest(fair, inside, here, serves):
            wanted &= ~served(leaf, after)
            path.append((after, leaf))
            here = after
    if here != start:
        path += _nearest(fair, inside, here, lambda _, after: after == start)
    return path


def _nearest(
    fair: Fair, inside: set[int], start: int, is_wanted: Callable[[int, int], bool]
) -> Path:
    """The least shortest way inside a component whose last step, by leaf and state, is wanted."""
    before: dict[int, tuple[int, int]] = {}
    pending = deque([start])
    while pending:
        state = pending.popleft()
        for leaf, after in fair.steps(state):
            if after not in inside:
                continue
            if is_wanted(leaf, after):
                way = [(after, leaf)]
                while state != start:
                    earlier, its_leaf = before[state]
                    way.append((state, its_leaf))
                    state = earlier
                return way[::-1]
            if after not in before and after != start:
                before[after] = (state, leaf)
                pending.append(after)
    raise AssertionError("a fair component has what fairness wants")


def lasso(graph: Edges, stem_path: Path, loop_path: Path) -> Trace:
    """Return the trace of a stem and a loop; an empty loop stays in the last state of the stem."""
    path = stem_path + loop_path
    states = tuple(graph.states[state] for state, _ in path)
    rules = tuple(graph.leaves[leaf].rule for _, leaf in path[1:])
    return Trace(states, rules, loop=len(stem_path) - 1)
