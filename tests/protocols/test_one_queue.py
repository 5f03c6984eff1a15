"""A channel of one queue has the cuts of a channel with both of its ends (decision 12).

A cut is: how many records the sender had sent at its snapshot, how many the receiver had processed
at its own, and which records are logged, in order.
"""

from __future__ import annotations

from typing import Any

import pytest

from finale.model.language.build import build
from finale.model.protocols.persister import Persister
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import Setting
from finale.model.semantics import steps
from finale.model.system import State, System
from finale.model.topology import Job


class Logging(Unaligned):
    """Logs are kept, though nothing fails and nobody asks for them."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        for channel in self.channels:
            self.logged(channel).keeps_log = True

    def keeps(self) -> frozenset[str]:
        return super().keeps() | {"logs"}


Cut = tuple[int, int, tuple[int, ...]]


def states_of(system: System) -> set[State]:
    seen, frontier = set(system.initial), list(system.initial)
    while frontier:
        for step in steps(system, frontier.pop()):
            assert isinstance(step.result, tuple)
            if step.result not in seen:
                seen.add(step.result)
                frontier.append(step.result)
    return seen


def cuts_with_two_ends(records: int) -> set[Cut]:
    system = build(Persister(Setting(bounds={"records": records})))
    found = set[Cut]()
    for state in states_of(system):
        value: dict[str, Any] = dict(system.values(state))
        if value["cp1.sent"] and value["cp1.taken"] and value["cp1.arrived"]:
            logged = (*value["cp1.log"], *value["cp1.overtaken"])
            sent, processed = value["cp1.sent_before"], value["cp1.processed_before"]
            found.add((sent, processed, logged))
    return found


def cuts_in_one_queue(records: int) -> set[Cut]:
    table = {
        "S1": {"records": records, "bounded": False},
        "S2": {"records": 0, "bounded": False},
        "K": {"from": ["S1", "S2"]},
    }
    bounds = {"checkpoints": 1, "channel": records}
    job = Job.from_table(table)
    system = build(Logging(Setting(job=job, bounds=bounds, observe=frozenset({"cut"}))))
    found = set[Cut]()
    for state in states_of(system):
        value: dict[str, Any] = dict(system.values(state))
        if value["cp1.status"].name == "COMPLETED":
            (sent,), (processed,) = value["S1→K.sent_before"], value["S1→K.received_before"]
            (log,) = value["S1→K.log"]
            found.add((sent, processed, tuple(int(str(record)[-1]) for record in log)))
    return found


@pytest.mark.parametrize("records", [1, 2])
def test_both_have_the_same_cuts(records: int) -> None:
    apart, together = cuts_with_two_ends(records), cuts_in_one_queue(records)
    assert len(apart) == (records + 1) * (records + 2) // 2
    assert apart == together
