"""Numbers the leaves of all decision trees: a step takes a leaf, not only a rule."""

from __future__ import annotations

from dataclasses import dataclass

from finale.model.system import Blocked, Fault, System, Update, leaves


@dataclass(frozen=True)
class Leaf:
    """A leaf of the decision tree of a ground rule that is not blocked: an update or a fault."""

    rule: int
    end: Update | Fault


LeafNumbers = dict[tuple[int, int], int]
"""The number of each leaf, by its rule and its identity."""


def numbered(system: System) -> tuple[tuple[Leaf, ...], LeafNumbers]:
    """Return the leaves in rule order, `yes` before `no`, and their numbers."""
    found = tuple(
        Leaf(index, end)
        for index, rule in enumerate(system.rules)
        for end in leaves(rule.tree)
        if not isinstance(end, Blocked)
    )
    return found, {(leaf.rule, id(leaf.end)): number for number, leaf in enumerate(found)}
