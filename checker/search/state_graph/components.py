"""Finds strongly connected components of a part of the state graph: Tarjan, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence


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
