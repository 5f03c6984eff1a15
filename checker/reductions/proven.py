"""Partial order with what z3 proves: a step of its own, before any search."""

from __future__ import annotations

from dataclasses import replace

from model.system import System

from .partial_order import PartialOrder, ordered
from .proofs import Prover


def partial_order_of(system: System) -> PartialOrder:
    """The partial order of a system, with the help of z3."""
    prover = Prover()
    found = ordered(system, prover.may_hold)
    if not prover.undecided:
        return found
    remark = (
        f"partial-order: {prover.undecided} questions about pairs of steps were given up, "
        "and these steps are taken to depend on each other"
    )
    return replace(found, remarks=(*found.remarks, remark))


__all__ = ["partial_order_of"]
