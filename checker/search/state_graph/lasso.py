"""Finds lassos: the shortest stem to a fair component, then a short fair loop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from model.trace import Trace

from .fairness import Fair, Keys
from .graph import Edges

Path = list[tuple[int, int]]
"""States, each with the leaf that led there (-1 for the first of a run)."""

#: Whether a run has met the cause: it may still meet it, or it has and the goal is due.
BEFORE, SINCE = 1, 2


def stem(
    graph: Edges, causes: bytearray, pending: bytearray, ends: bytearray, at_once: bool
) -> Path:
    """Return the least shortest run into `ends` that meets a cause and then stays in `pending`.

    Causes are pending states. If `at_once`, only the initial state of a run can be its cause. Runs
    are tried by length, then by initial state and rule by rule. A state is tried at most twice: on
    the first run there, and on the first run that has met a cause if that one had not, or vice
    versa.
    """
    seen = bytearray(len(graph.states))
    tried: list[tuple[int, int, int, int]] = []  # state, phases, position before, leaf

    def reach(state: int, phases: int, before: int, leaf: int) -> bool:
        if causes[state] and phases & BEFORE:
            phases |= SINCE
        if not pending[state]:
            phases &= ~SINCE
        phases &= ~seen[state]
        if phases:
            seen[state] |= phases
            tried.append((state, phases, before, leaf))
        return bool(phases & SINCE and ends[state])

    def back() -> Path:
        found: Path = []
        position = len(tried) - 1
        while position >= 0:
            state, _, position, leaf = tried[position]
            found.append((state, leaf))
        return found[::-1]

    for state in range(graph.initial):
        phases = BEFORE if not at_once else SINCE if causes[state] else 0
        if reach(state, phases, -1, -1):
            return back()
    for position, (state, phases, _, _) in enumerate(tried):  # it grows while it is read
        for edge in graph.edges(state):
            if reach(graph.targets[edge], phases, position, graph.taken[edge]):
                return back()
    raise AssertionError("no run leads into states that were reached")


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


__all__ = ["Path", "lasso", "loop", "stem"]
