"""Control elements only: a job without records simulates the same job with records.

Every state with records, its records taken out, is a state without; every step either leads to the
same state or is a step there. So what holds on control elements alone holds with records too.
Where barriers overtake it is not so: one that was noticed early stays in its place (decision 12),
and reaches the head of a channel only behind records.
"""

from __future__ import annotations

import pytest

from finale.model.language.build import build
from finale.model.language.protocol import Protocol
from finale.model.protocols.at_least_once import AtLeastOnce
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.job.elements import Data
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.protocols.legacy_stop import LegacyStop
from finale.model.protocols.stop_with_checkpoint import StopWithCheckpoint
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint
from finale.model.protocols.sync_savepoint import SyncSavepoint
from finale.model.rules import Setting
from finale.model.semantics import steps
from finale.model.system import State, System
from finale.model.topology import Job

Values = tuple[tuple[str, object], ...]


def built(kind: type[Protocol], shape: str, records: int, bounds: dict[str, int]) -> System:
    job = Job.from_table({"shape": shape, "records": records})
    return build(kind(Setting(job=job, bounds={"checkpoints": 1, "channel": 3, **bounds})))


def control(system: System, state: State) -> Values:
    """The values of a state without its records, by the names of entities: two systems compare."""
    found = []
    for name, value in system.values(state).items():
        if name.endswith((".remaining", ".offset")):
            continue
        shown = value
        if name.endswith(".queue"):
            assert isinstance(value, tuple)
            shown = tuple(element for element in value if not isinstance(element, Data))
        if isinstance(shown, frozenset):
            shown = tuple(sorted(map(str, shown)))
        found.append((name, str(shown)))
    return tuple(found)


def reach(system: System) -> dict[Values, set[Values]]:
    """The control states and the control steps between different ones."""
    seen, frontier = set(system.initial), list(system.initial)
    found: dict[Values, set[Values]] = {}
    while frontier:
        state = frontier.pop()
        after = found.setdefault(control(system, state), set())
        for step in steps(system, state):
            assert isinstance(step.result, tuple)
            after.add(control(system, step.result))
            if step.result not in seen:
                seen.add(step.result)
                frontier.append(step.result)
    return found


STOPS = {"stops": 1}
CASES = [
    pytest.param(FinalCheckpoint, "pair", {}),
    pytest.param(FinalCheckpoint, "chain", {}),
    pytest.param(LegacyFinish, "pair", {}),
    pytest.param(LegacyFinish, "chain", {}),
    pytest.param(AtLeastOnce, "chain", {}),
    pytest.param(StopWithSavepoint, "pair", STOPS),
    pytest.param(SyncSavepoint, "pair", STOPS),
    pytest.param(LegacyStop, "pair", STOPS, marks=pytest.mark.slow),
    pytest.param(StopWithCheckpoint, "pair", STOPS, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("kind", "shape", "bounds"), CASES)
def test_control_level_simulates_records(
    kind: type[Protocol], shape: str, bounds: dict[str, int]
) -> None:
    with_records = reach(built(kind, shape, 2, bounds))
    without = reach(built(kind, shape, 0, bounds))
    assert len(with_records) > 50
    assert with_records.keys() <= without.keys()
    for state, after in with_records.items():
        assert after - {state} <= without[state]
