"""Random runs of random jobs are runs of their protocols."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from finale.checker.logs.event_log.acceptance import Accepted, Rejected, Undecided
from finale.checker.logs.event_log.reading import read_log
from finale.checker.logs.event_log.section_setting import protocol_of
from finale.checker.spec.catalogue import catalogue
from finale.reference.channel import Channel
from finale.reference.coordinator import Checkpoint, CheckpointKind, Coordinator
from finale.reference.protocols.final_checkpoint import FinalCheckpoint
from finale.reference.protocols.unaligned import Unaligned
from finale.reference.steps import Guarded, action
from finale.reference.task import Phase as TaskPhase
from finale.reference.task import Task
from tests.engine_runs.random_runs import KINDS, RandomRun, judged, lines_of

KNOWN = catalogue()
#: What may happen in the model of each: users ask a job of the old finish for nothing.
BOUNDS = {each: protocol_of(each, KNOWN).bound_names() for each in KINDS}
ALL = 5_000
TOLERATED = (HealthCheck.too_slow, HealthCheck.data_too_large)
#: What users may ask for, what bounds it, and how often they do at most.
USERS = (
    ("request_stop", "stops", 2),
    ("request_savepoint", "savepoints", 2),
    ("request_cancel", "cancels", 1),
    ("resume", "resumes", 2),
)
SMALL: dict[str, Any] = {
    "S": {"records": 4, "parallelism": 2, "bounded": [True, False]},
    "K": {"from": ["S"], "sink": "two-phase"},
}


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Sources, operators that read some of what is above them, and sinks."""
    table: dict[str, dict[str, Any]] = {}
    for number in range(draw(st.integers(1, 3))):
        table[f"S{number + 1}"] = {
            "records": draw(st.integers(0, 4)),
            "parallelism": draw(st.integers(1, 2)),
            "bounded": draw(st.integers(0, 5)) > 0,
        }
    for number in range(draw(st.integers(0, 3))):
        table[f"D{number + 1}"] = {
            "from": draw(inputs(list(table))),
            "kind": draw(st.sampled_from(["pass-through", "buffering", "timer"])),
            "parallelism": draw(st.integers(1, 3)),
        }
    above = list(table)
    for number in range(draw(st.integers(1, 2))):
        table[f"K{number + 1}"] = {
            "from": draw(inputs(above)),
            "parallelism": draw(st.integers(1, 2)),
            "sink": draw(st.sampled_from(["two-phase", "at-least-once"])),
        }
    return table


@st.composite
def inputs(draw: st.DrawFn, above: list[str]) -> list[dict[str, Any]]:
    names = draw(st.lists(st.sampled_from(above), min_size=1, max_size=3, unique=True))
    return [
        {
            "vertex": name,
            "pattern": draw(st.sampled_from(["all-to-all", "all-to-all", "pointwise"])),
            "broadcast": draw(st.integers(0, 4)) == 0,
        }
        for name in names
    ]


@st.composite
def runs(draw: st.DrawFn, lengths: tuple[int, ...]) -> RandomRun:
    protocol = draw(st.sampled_from(sorted(KINDS)))
    actions, few = KINDS[protocol].actions, st.integers(0, 2)
    faults = {
        "checkpoints": draw(st.integers(1, 8)),
        "failures": draw(few),
        "lost_confirmations": draw(few),
        "declines": draw(few),
        "expiries": draw(few),
    }
    for step, bound, most in USERS:
        if step in actions and bound in BOUNDS[protocol]:
            faults[bound] = draw(st.integers(0, most))
    # A process that has taken an older savepoint than there is does not tell the next one.
    crashes = () if faults.get("resumes") else draw(st.lists(st.integers(5, 80), max_size=2))
    options: dict[str, Any] = {}
    if protocol == "final-checkpoint":
        options["concurrent"] = draw(st.integers(1, 2))
    if "request_stop" in actions and protocol != "legacy-stop":
        options["scheduler"] = draw(st.sampled_from(["default", "adaptive"]))
    # What a step emits must fit: as one buffer, or as many as there are records.
    buffer_size, channel = draw(st.sampled_from([(None, 5), (None, 8), (1, 99), (2, 99)]))
    return RandomRun(
        protocol,
        draw(jobs()),
        options=options,
        faults=faults,
        crashes=tuple(crashes),
        channel=channel,
        buffer_size=buffer_size,
        seed=draw(st.integers(0, 2**32)),
        steps_max=draw(st.sampled_from(lengths)),
        weights={"poll_data": draw(st.sampled_from([0.2, 1.0, 4.0]))},
    )


def assert_accepted(chosen: RandomRun) -> None:
    verdict = judged(chosen, KNOWN)
    assert isinstance(verdict.conforms, Accepted), verdict.conforms
    assert chosen.crashes or verdict.conforms.unseen == 0


@settings(derandomize=True, suppress_health_check=TOLERATED)
@given(runs((60, 120)))
def test_random_runs_are_accepted(chosen: RandomRun) -> None:
    assert_accepted(chosen)


def test_what_was_restored_as_finished_is_so_in_the_next_checkpoint() -> None:
    """Its part of a checkpoint has no state, though the plan did not count it as finished."""
    job: dict[str, Any] = {
        "S1": {"records": 0, "bounded": False},
        "S2": {"records": 0},
        "K": {"from": ["S1"], "sink": "two-phase"},
    }
    faults = {"checkpoints": 4}

    def is_so_twice(chosen: RandomRun) -> bool:
        starts = [each.start for each in read_log(lines_of(chosen)).sections[1:]]
        origins = {each["from"] for each in starts if each["finished"] == ["S2"]}
        return len(origins) == len(chosen.crashes)

    several = (
        RandomRun("stop-with-savepoint", job, faults=faults, crashes=(40, 24), seed=seed)
        for seed in range(100)
    )
    assert_accepted(next(filter(is_so_twice, several)))


# --- what an engine may do wrong ------------------------------------------------------------------


def closes_unsecured(engine: FinalCheckpoint, task: Task) -> Guarded:
    yield task.phase is TaskPhase.FINISHING and task.gate.all_ended
    task.phase = TaskPhase.DRAINING


def plans_all(
    coordinator: Coordinator, kind: CheckpointKind = CheckpointKind.CHECKPOINT
) -> Checkpoint:
    plan = SOUND_TRIGGER(coordinator, kind)
    coordinator.network.triggers |= {(task, plan.number) for task in plan.awaited}
    return plan


def keeps_messages(coordinator: Coordinator) -> None:
    coordinator.abort_all()
    coordinator.finished.clear()


def forgets_what_is_under_way(engine: Unaligned) -> Iterator[int]:
    return iter(())


def overtakes_always(engine: Unaligned, checkpoint: int, channel: Channel) -> bool:
    return channel.name in engine.overtaken


SOUND_TRIGGER = Coordinator.trigger
MISTAKES: dict[str, tuple[type, str, object, str]] = {
    "closes-unsecured": (
        FinalCheckpoint,
        "quiesce",
        action("task")(closes_unsecured),
        "final-checkpoint",
    ),
    "plans-all": (Coordinator, "trigger", plans_all, "final-checkpoint"),
    "keeps-messages": (Coordinator, "restart", keeps_messages, "legacy-finish"),
    "savepoints-overtake": (Unaligned, "may_overtake", overtakes_always, "unaligned-stops"),
    "forgets": (Unaligned, "in_use", forgets_what_is_under_way, "unaligned"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_engine_is_rejected(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, method, wrong, protocol = MISTAKES[mistake]
    monkeypatch.setattr(kind, method, wrong)
    faults = {"checkpoints": 6, "failures": 1, "expiries": 4}
    if "request_stop" in KINDS[protocol].actions:
        faults["savepoints"] = 2
    slow = {"poll_data": 0.05, "poll_barrier": 0.1, "expire": 1.0}
    for seed in range(20):
        chosen = RandomRun(protocol, SMALL, faults=faults, seed=seed, steps_max=150, weights=slow)
        outcome = judged(chosen, KNOWN).conforms
        assert not isinstance(outcome, Undecided)
        if isinstance(outcome, Rejected):
            assert outcome.refusals
            return
    pytest.fail("no run shows it")


@pytest.mark.parametrize("protocol", ["stop-with-savepoint", "stop-with-checkpoint"])
def test_what_a_drain_has_ended_ends_again_though_it_has_no_end(protocol: str) -> None:
    """RC-7: its sources are restored as finished, by a process that is told of no stop."""
    endless: dict[str, Any] = {
        "S1": {"records": 2, "parallelism": 2, "bounded": False},
        "S2": {"records": 0, "parallelism": 2, "bounded": False},
        "K": {"from": [{"vertex": "S1", "broadcast": True}], "sink": "two-phase"},
    }
    faults, slow = {"checkpoints": 1, "stops": 1, "cancels": 1}, {"poll_data": 0.2}
    drained = 0
    for seed in range(8):
        chosen = RandomRun(
            protocol, endless, faults=faults, crashes=(35,), seed=seed, steps_max=100, weights=slow
        )
        starts = [each for each in map(json.loads, lines_of(chosen)) if "finished" in each]
        drained += any({"S1.0", "S1.1", "S2.0", "S2.1"} <= set(each["finished"]) for each in starts)
        assert_accepted(chosen)
    assert drained > 0


def test_what_was_over_when_a_checkpoint_was_taken_is_so_behind_it() -> None:
    """A source that was restored as finished takes part in a checkpoint, and is restored."""
    job: dict[str, Any] = {
        "S1": {"records": 1, "bounded": False},
        "S2": {"records": 3, "parallelism": 2, "bounded": False},
        "K": {
            "from": [{"vertex": name, "broadcast": True} for name in ("S1", "S2")],
            "sink": "two-phase",
        },
    }
    faults = {
        "checkpoints": 4, "failures": 1, "expiries": 1, "stops": 1, "savepoints": 2, "cancels": 1
    }  # fmt: skip
    chosen = RandomRun(
        "stop-with-savepoint", job, faults=faults, crashes=(51, 51), channel=5, steps_max=100,
        weights={"poll_data": 0.2},
    )  # fmt: skip
    events = [json.loads(line) for line in lines_of(chosen)]
    starts = [n for n, each in enumerate(events) if each["event"] == "log-start"]
    assert {"S1", "S2.0", "S2.1"} <= set(events[starts[-1]]["finished"])
    after = [each["event"] for each in events[starts[-1] :]]
    assert after.index("complete") < after.index("fail")
    assert "end_source" in after[after.index("fail") :]
    assert_accepted(chosen)


@pytest.mark.slow
@settings(max_examples=ALL, suppress_health_check=TOLERATED)
@given(runs((100, 300, 600)))
def test_thousands_of_random_runs_are_accepted(chosen: RandomRun) -> None:
    assert_accepted(chosen)
