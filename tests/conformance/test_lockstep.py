"""Model and engine take the same steps to the same states, and what differs is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.claim import Spec
from checker.conformance.engines import engine_for
from checker.conformance.lockstep import Agreement, Disagreement, LockStep
from model.errors import FinaleError
from reference.channel import Channel
from reference.coordinator import Coordinator
from reference.elements import EndOfData
from reference.engine import Engine
from reference.formats.snapshots import State
from reference.gate import Gate
from reference.operators.sinks import TransactionalSink
from reference.overtaking import LoggedChannel
from reference.protocols import ENGINES, TimedStops, UnalignedStops
from reference.protocols.final_checkpoint import FinalCheckpoint
from reference.steps import Guarded, StepId, action
from reference.task import Phase, Task
from tests.protocols.specs import ROOT, spec_of

#: With the observations, which are fewer than the states where a spec keeps history.
QUICK = {
    "aligned-with-timeout/pair": 438,
    "aligned-with-timeout/pair-restarts": 1_056,
    "final-checkpoint/pair": 128,
    "final-checkpoint/buffering": 266,
    "final-checkpoint/checkpoints-after-finish-off": 525,
    "final-checkpoint/pointwise": 1_933,
    "final-checkpoint/final-trigger": 39,
    "final-checkpoint/final-trigger-declined": 54,
    "legacy-finish/unanswered-trigger": 292,
    "legacy-finish/natural-end-loses-records": 338,
    "legacy-finish/restarts": 869,
    "legacy-finish/timers": 1_057,
    "legacy-stop/cancel-with-savepoint-duplicates": 179,
    "legacy-stop/stop": 206,
    "legacy-stop/stop-then-resume-at-least-once": 636,
    "stop-with-checkpoint/no-retention": 530,
    "stop-with-checkpoint/suspend": 187,
    "stop-with-savepoint/pair": 440,
    "stop-with-savepoint/chain": 1_229,
    "matrix/fc-unaligned/l2": 460,
    "matrix/ls/l5": 537,
    "sync-savepoint/decline-fails-job": 883,
    "sync-savepoint/suspend-ends-input": 631,
    "sync-savepoint/terminate-loses-flush": 547,
    "unaligned/pair": 254,
}
SLOW = {
    "aligned-with-timeout/called-while-open": 2_941,
    "aligned-with-timeout/fan-in": 3_317,
    "final-checkpoint/42-43-44-any": 37_440,
    "final-checkpoint/at-least-once-sink": 4_099,
    "final-checkpoint/cancelled-alignment": 3_182,
    "final-checkpoint/declines-and-expiry": 16_228,
    "final-checkpoint/diamond": 3_262,
    "final-checkpoint/fan-in-restarts": 8_183,
    "final-checkpoint/overtaking-triggers": 3_632,
    "final-checkpoint/pair-restarts": 3_924,
    "final-checkpoint/pair-two-checkpoints": 2_469,
    "final-checkpoint/without-acknowledgement": 3_924,
    "legacy-finish/buffering": 1_057,
    "legacy-stop/cancel-with-savepoint": 13_073,
    "matrix/flip-34/s18": 6_447,
    "matrix/flip-45/s21": 4_849,
    "matrix/lf/s03": 6_517,
    "matrix/ls/s06": 3_833,
    "legacy-stop/stop-no-last-watermark": 2_390,
    "legacy-stop/stop-then-resume-two-phase": 1_440,
    "stop-with-checkpoint/cancel-loses": 2_627,
    "stop-with-checkpoint/cancel-wins": 2_737,
    "stop-with-checkpoint/resume-twice": 6_731,
    "stop-with-checkpoint/source-not-blocked": 225,
    "stop-with-checkpoint/terminate-loses-flush": 387,
    "stop-with-savepoint/cancelled": 36_111,
    "stop-with-savepoint/declined": 6_323,
    "stop-with-savepoint/expired": 14_049,
    "stop-with-savepoint/fan-in": 4_304,
    "stop-with-savepoint/lost-confirmation": 5_792,
    "stop-with-savepoint/meets-natural-end": 3_457,
    "stop-with-savepoint/pair-restarts": 24_874,
    "stop-with-savepoint/resume": 9_283,
    "stop-with-savepoint/retained-on-cancellation": 8_329,
    "stop-with-savepoint/retained-on-failure": 13_897,
    "stop-with-savepoint/retained-on-finish": 1_639,
    "stop-with-savepoint/savepoint-after-stop": 7_627,
    "stop-with-savepoint/second-stop": 7_849,
    "stop-with-savepoint/second-stop-adaptive": 6_315,
    "stop-with-savepoint/unbounded": 4_562,
    "sync-savepoint/decline-hangs": 1_107,
    "sync-savepoint/decline-releases": 1_051,
    "sync-savepoint/failure-during-stop": 42_867,
    "sync-savepoint/savepoint-not-stored": 51_835,
    "sync-savepoint/newer-checkpoint-resets": 1_946,
    "sync-savepoint/scheduling-stays-off": 2_348,
    "sync-savepoint/second-stop": 2_085,
    "sync-savepoint/source-blocks": 187,
    "sync-savepoint/source-emits-on": 261,
    "unaligned/fan-in": 14_346,
    "unaligned/savepoint-stays-aligned": 793,
}
CASES = [
    *(pytest.param(name, count, id=name) for name, count in QUICK.items()),
    *(pytest.param(n, count, id=n, marks=pytest.mark.slow) for n, count in SLOW.items()),
]


def read(name: str) -> Spec:
    return spec_of(ROOT / f"{name}.toml")


@pytest.mark.parametrize(("name", "observations"), CASES)
def test_the_engine_does_what_the_model_says(name: str, observations: int) -> None:
    spec = read(name)
    outcome = LockStep(spec).run()
    assert isinstance(outcome, Agreement), outcome
    assert outcome.observations == observations
    if spec.counts is not None:
        counted = spec.counts.states, spec.counts.transitions
        assert (outcome.states, outcome.transitions) == counted


class Counted(LoggedChannel):
    """A channel on which everything needs room, as where no barrier overtakes."""

    @property
    def room(self) -> int:
        return self.capacity - len(self.queue)

    put = Channel.put


class InOrder(UnalignedStops):
    """No barrier overtakes."""

    channel_class = Counted

    def may_overtake(self, checkpoint: int, channel: Channel) -> bool:
        return False


@pytest.mark.parametrize(
    ("name", "both"),
    [
        ("unaligned/pair", UnalignedStops),
        ("aligned-with-timeout/pair", TimedStops),
        ("stop-with-savepoint/pair", InOrder),
        pytest.param("stop-with-savepoint/declined", InOrder, marks=pytest.mark.slow),
        pytest.param("stop-with-savepoint/resume", InOrder, marks=pytest.mark.slow),
        pytest.param("unaligned/fan-in", UnalignedStops, marks=pytest.mark.slow),
    ],
)
def test_what_stops_and_overtakes_does_what_each_does_alone(
    name: str, both: type[Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model does not have both in one."""
    spec = read(name)
    monkeypatch.setitem(ENGINES, spec.protocol.key, both)
    outcome = LockStep(spec).run()
    assert isinstance(outcome, Agreement), outcome
    assert outcome.observations == (QUICK | SLOW)[name]


# --- what an engine may do wrong ------------------------------------------------------------------


def closes_unsecured(engine: FinalCheckpoint, task: Task) -> Guarded:
    yield task.phase is Phase.FINISHING and task.gate.all_ended
    task.phase = Phase.DRAINING


def blocks_nothing(gate: Gate, channel: Channel, checkpoint: int, *, blocks: bool = True) -> None:
    SOUND_BARRIER(gate, channel, checkpoint, blocks=False)


def finishes_unread(engine: FinalCheckpoint, channel: Channel) -> Guarded:
    task = engine.tasks[channel.reader]
    yield isinstance(channel.head, EndOfData) and task.reads(channel)
    channel.take()
    channel.data_ended = True
    engine.finish(task)


def keeps_what_was_under_way(coordinator: Coordinator) -> None:
    coordinator.abort_all()
    coordinator.finished.clear()


def commits_on_close(sink: TransactionalSink) -> None:
    for number in sink.pending():
        sink.completed(number, lambda records: None)


def drops_listed(sink: TransactionalSink, state: State) -> None:
    sink.start()


SOUND_BARRIER = Gate.barrier
PAIR = "final-checkpoint/pair"
FAN_IN = "final-checkpoint/fan-in-restarts"
MISTAKES = {
    "closes-unsecured": (PAIR, FinalCheckpoint, "quiesce", action("task")(closes_unsecured)),
    "blocks-nothing": (FAN_IN, Gate, "barrier", blocks_nothing),
    "finishes-unread": (
        FAN_IN,
        FinalCheckpoint,
        "poll_end_of_data",
        action("channel")(finishes_unread),
    ),
    "keeps-messages": ("legacy-finish/restarts", Coordinator, "restart", keeps_what_was_under_way),
    "commits-on-close": ("legacy-finish/restarts", TransactionalSink, "close", commits_on_close),
    "drops-listed": ("legacy-finish/restarts", TransactionalSink, "restore", drops_listed),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_the_engine_is_found(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, kind, method, wrong = MISTAKES[mistake]
    monkeypatch.setattr(kind, method, wrong)
    outcome = LockStep(read(name)).run()
    assert isinstance(outcome, Disagreement)
    assert outcome.what


def test_the_way_to_a_disagreement_can_be_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FinalCheckpoint, "quiesce", action("task")(closes_unsecured))
    spec = read(PAIR)
    outcome = LockStep(spec).run()
    assert isinstance(outcome, Disagreement)
    assert outcome.what == ("only the engine can take quiesce(S)",)
    engine = engine_for(spec)
    for step in outcome.steps:
        engine.take(step)
    assert StepId("quiesce", (("task", "S"),)) in engine.enabled()


# --- what has no counterpart ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "code", "key"),
    [
        ("chandy-lamport/sfl", "no-engine", "protocol"),
        ("final-checkpoint/broken/writes-twice", "no-engine", "variant"),
        ("stop-with-savepoint/iteration-head", "no-engine", "job.I.kind"),
        ("stop-with-savepoint/two-retained", "option-not-built", "options.retained"),
        ("stop-with-savepoint/watermarks", "no-engine", "bounds.watermarks"),
        ("legacy-finish/committer", "no-engine", "job.W.kind"),
        ("legacy-finish/commits-stop-when-a-source-ends", "no-engine", "bounds.live_checkpoints"),
        ("final-checkpoint/union-state", "no-engine", "job.W.kind"),
        ("final-checkpoint/retrigger-keeps-the-cut", "option-not-built", "options.finish_race"),
    ],
)
def test_what_the_engine_does_not_have_is_said(name: str, code: str, key: str) -> None:
    with pytest.raises(FinaleError) as caught:
        engine_for(read(name))
    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.key == key


def test_each_protocol_of_the_engine_is_compared() -> None:
    counted = QUICK | SLOW
    for protocol in ENGINES:
        assert sum(name.startswith(f"{protocol}/") for name in counted) >= 2, protocol
    assert sum(counted.values()) > 100_000


def test_every_spec_is_one_that_stands() -> None:
    assert all(Path(ROOT / f"{name}.toml").exists() for name in (*QUICK, *SLOW))
