"""Lists the facts about all jobs, by subject."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial

from finale.model.errors import FinaleError
from finale.model.language.protocol import Protocol
from finale.model.protocols.barriers.marker_gate import MarkerGate
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.barriers.tracking_gate import TrackingGate
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.coordinator.graph_check import Check
from finale.model.protocols.finish_options import FinishRace

from .alignment import Gates, facts_of_gates
from .calls import facts_of_calls
from .compared import compare_calls, compare_gates, compare_outputs, compare_plans, compare_starts
from .fact import Fact
from .plans import Plans, facts_of_plans
from .sending import Outputs, facts_of_outputs
from .starts import Starts, facts_of_starts

#: Gates that do something else than to block each input at its barrier.
OTHER_GATES = (OvertakingGate, TrackingGate, MarkerGate)
_WITH_THE_LAST = "part-is-taken-with-the-last"


@dataclass(frozen=True)
class FactGroup:
    """Facts about the same methods, under the same options."""

    title: str
    facts: Sequence[Fact]
    compare: Callable[[], int]
    """Compare what they are read off with small jobs; how often. Raises `not-for-any-job`."""


def groups_of(kind: type[Protocol]) -> list[FactGroup]:
    """Return the facts about a protocol, and about the check of graphs. Raises `no-facts`."""
    if not issubclass(kind, JobProtocol):
        raise FinaleError(
            "no-facts",
            f'nothing is claimed of "{kind.key}" on all jobs',
            advice="name a protocol whose coordinator plans checkpoints, final-checkpoint for one",
        )
    plans, outputs, starts = Plans(kind, {}), Outputs(kind, {}), Starts(Check.FULL)
    return [
        FactGroup("The plan of a checkpoint", facts_of_plans(plans), partial(compare_plans, plans)),
        *_calls(kind),
        *_alignments(kind),
        FactGroup(
            "What a task sends", facts_of_outputs(outputs), partial(compare_outputs, outputs)
        ),
        FactGroup(
            "The check of a job against a snapshot",
            facts_of_starts(starts),
            partial(compare_starts, starts),
        ),
    ]


def _calls(kind: type[JobProtocol]) -> list[FactGroup]:
    if not _has_option(kind, "finish_race"):
        return [_called("The calls of a checkpoint", Plans(kind, {}))]
    outcomes = {FinishRace.ABORT: "aborted", FinishRace.RETRIGGER: "triggered anew"}
    return [
        _called(
            f"The calls of a checkpoint, {outcome} where one finds its task ended",
            Plans(kind, {"finish_race": race}),
        )
        for race, outcome in outcomes.items()
    ]


def _called(title: str, plans: Plans) -> FactGroup:
    return FactGroup(title, facts_of_calls(plans), partial(compare_calls, plans))


def _alignments(kind: type[JobProtocol]) -> list[FactGroup]:
    gates = Gates(kind, {})
    if not gates.blocks(OTHER_GATES):
        return []
    title = "The alignment of barriers"
    facts = [_as_expected(gates, each) for each in facts_of_gates(gates)]
    found = [FactGroup(title, facts, partial(compare_gates, gates))]
    if _has_option(kind, "checkpoints_after_finish"):
        off = Gates(kind, {"checkpoints_after_finish": False})
        facts = [_as_expected(off, each) for each in facts_of_gates(off)]
        last = [each for each in facts if each.name == _WITH_THE_LAST]
        without = f"{title}, without checkpoints after tasks have finished"
        found.append(FactGroup(without, last, partial(compare_gates, off)))
    return found


def _as_expected(gates: Gates, fact: Fact) -> Fact:
    """AL-2: without Flink's flag an input that ends aborts the alignment."""
    return replace(fact, holds=fact.name != _WITH_THE_LAST or not gates.aborts_on_end)


def _has_option(kind: type[Protocol], name: str) -> bool:
    return any(each.name == name for each in fields(kind.Options))
