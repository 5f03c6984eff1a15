"""Chooses orders that put a spec that holds to the test on a real engine.

Random runs of the spec become orders. Two orders are alike if the same steps wait for each other in
them. Those orders are chosen one after the other that let most steps wait for steps that they did
not wait for before: so a few orders show many of the ways in which steps of several threads meet.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from finale.checker.simulation.sampling import sampled
from finale.checker.spec.claim import Spec
from finale.model.system import System
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.order import Order, OrderedStep

from .ordering import Means, NotTakeable, order_of

#: So many random runs are made for each order, and of so many steps.
RUNS_FOR_EACH, STEPS = 20, 200

Turn = tuple[str, str]


#: These orders need no means: enough of them can be taken without any.
NO_MEANS: tuple[frozenset[Means], ...] = (frozenset(),)


@dataclass
class Sampled:
    """Random runs as orders: the different ones, and why others are none."""

    runs: int = 0
    orders: dict[str, Order] = field(default_factory=dict[str, Order])
    refused: dict[str, int] = field(default_factory=dict[str, int])


def sampled_orders(
    spec: Spec,
    system: System,
    facts: EngineFacts,
    count: int,
    seed: int,
    look: Callable[[int, int], None] = lambda done, of: None,
) -> Sampled:
    """Make orders of random runs that violate nothing, enough of them to choose from.

    No clock ends this work: a seed always gives the same orders. Driving an order takes much longer
    than its random runs. `look` gets the number of runs that are done, and of all.
    """
    found, runs = Sampled(), RUNS_FOR_EACH * count
    for run in sampled(system, seed, runs, STEPS):
        look(found.runs, runs)
        found.runs += 1
        if run.findings.violated:
            continue
        try:
            order = order_of(spec, system, run.trace, facts, NO_MEANS)
        except NotTakeable as why:
            found.refused[str(why)] = found.refused.get(str(why), 0) + 1
            continue
        found.orders.setdefault(order.to_json(), order)
    return found


def dangerous(orders: Collection[Order], count: int) -> Iterator[Order]:
    """Choose some of many orders: next always the one with most turns that are new."""
    left = [(order, turns(order)) for order in orders]
    seen: set[Turn] = set()
    for _ in range(min(count, len(left))):
        best = max(left, key=lambda each: len(each[1] - seen))
        left.remove(best)
        seen |= best[1]
        yield best[0]


def turns(order: Order) -> frozenset[Turn]:
    """Which step waits for which, by their names and what they are about."""
    steps: Mapping[int, OrderedStep] = {step.number: step for step in order.steps}
    return frozenset(
        (_told(steps[before]), _told(step)) for step in order.steps for before in step.after
    )


def _told(step: OrderedStep) -> str:
    return f"{step.name}({', '.join(step.about.values())})"


__all__ = ["Sampled", "dangerous", "sampled_orders", "turns"]
