"""Model and engine take the same steps to the same states, and what differs is found."""

from __future__ import annotations

import enum
from dataclasses import fields
from pathlib import Path

import pytest

from finale.checker.conformance.engines import engine_for
from finale.checker.conformance.lockstep import Agreement, Divergence, LockStep, ModelSteps
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.language.protocol import Protocol
from finale.model.protocols.barriers.overtaking_gate import OvertakingGate
from finale.model.protocols.legacy_finish import LegacyFinish
from finale.model.protocols.task.tasks import Task as ModelTask
from finale.model.protocols.task.tasks import TaskStatus
from finale.model.protocols.unaligned import Unaligned as UnalignedModel
from finale.model.rules import WEAK, rule
from finale.model.rules import step as model_step
from finale.reference.channel import Channel, EndOfData
from finale.reference.coordinator import Coordinator
from finale.reference.engine import Engine
from finale.reference.formats.snapshots import State
from finale.reference.gate import Gate
from finale.reference.operators.sinks import TransactionalSink
from finale.reference.overtaking import LoggedChannel
from finale.reference.protocols import ENGINES, TimedStops, UnalignedStops
from finale.reference.protocols.final_checkpoint import FinalCheckpoint
from finale.reference.steps import Guarded, StepId, action
from finale.reference.task import Phase, Task
from tests.protocols.specs import ROOT, spec_of

QUICK = (
    "aligned-with-timeout/pair",
    "aligned-with-timeout/pair-restarts",
    "final-checkpoint/pair",
    "final-checkpoint/buffering",
    "final-checkpoint/checkpoints-after-finish-off",
    "final-checkpoint/pointwise",
    "final-checkpoint/final-trigger",
    "final-checkpoint/final-trigger-declined",
    "history/flink-39738",
    "history/fixed/flink-39738",
    "legacy-finish/unanswered-trigger",
    "legacy-finish/natural-end-loses-records",
    "legacy-finish/restarts",
    "legacy-finish/timers",
    "legacy-stop/cancel-with-savepoint-duplicates",
    "legacy-stop/stop",
    "legacy-stop/stop-then-resume-at-least-once",
    "stop-with-checkpoint/no-retention",
    "stop-with-checkpoint/suspend",
    "stop-with-savepoint/pair",
    "stop-with-savepoint/chain",
    "matrix/fc-unaligned/l2",
    "matrix/ls/l5",
    "sync-savepoint/decline-fails-job",
    "sync-savepoint/suspend-ends-input",
    "sync-savepoint/terminate-loses-flush",
    "unaligned/pair",
)
SLOW = (
    "aligned-with-timeout/called-while-open",
    "aligned-with-timeout/fan-in",
    "failures/trigger-without-slot",
    "final-checkpoint/42-43-44-any",
    "final-checkpoint/at-least-once-sink",
    "final-checkpoint/cancelled-alignment",
    "final-checkpoint/declines-and-expiry",
    "final-checkpoint/diamond",
    "final-checkpoint/fan-in-restarts",
    "final-checkpoint/overtaking-triggers",
    "final-checkpoint/pair-restarts",
    "final-checkpoint/pair-two-checkpoints",
    "final-checkpoint/retrigger-keeps-the-cut",
    "final-checkpoint/savepoint-confirmed-later",
    "final-checkpoint/without-acknowledgement",
    "legacy-finish/buffering",
    "legacy-stop/cancel-with-savepoint",
    "matrix/flip-34/s18",
    "matrix/flip-45/s21",
    "matrix/lf/s03",
    "matrix/ls/s06",
    "legacy-stop/stop-no-last-watermark",
    "legacy-stop/stop-then-resume-two-phase",
    "stop-with-checkpoint/cancel-loses",
    "stop-with-checkpoint/cancel-wins",
    "stop-with-checkpoint/resume-twice",
    "stop-with-checkpoint/source-not-blocked",
    "stop-with-checkpoint/terminate-loses-flush",
    "stop-with-savepoint/abort-clears",
    "stop-with-savepoint/cancelled",
    "stop-with-savepoint/declined",
    "stop-with-savepoint/expired",
    "stop-with-savepoint/fan-in",
    "stop-with-savepoint/lost-confirmation",
    "stop-with-savepoint/meets-natural-end",
    "stop-with-savepoint/pair-restarts",
    "stop-with-savepoint/releases-on-any",
    "stop-with-savepoint/resume",
    "stop-with-savepoint/retained-on-cancellation",
    "stop-with-savepoint/retained-on-failure",
    "stop-with-savepoint/retained-on-finish",
    "stop-with-savepoint/savepoint-after-stop",
    "stop-with-savepoint/second-stop",
    "stop-with-savepoint/second-stop-adaptive",
    "stop-with-savepoint/two-retained",
    "stop-with-savepoint/unbounded",
    "sync-savepoint/decline-hangs",
    "sync-savepoint/decline-releases",
    "sync-savepoint/failure-during-stop",
    "sync-savepoint/savepoint-not-stored",
    "sync-savepoint/newer-checkpoint-resets",
    "sync-savepoint/scheduling-stays-off",
    "sync-savepoint/second-stop",
    "sync-savepoint/source-blocks",
    "sync-savepoint/source-emits-on",
    "unaligned/fan-in",
    "unaligned/savepoint-stays-aligned",
)
CASES = [
    *(pytest.param(name, id=name) for name in QUICK),
    *(pytest.param(name, id=name, marks=pytest.mark.slow) for name in SLOW),
]


def _is_large(file: Path) -> bool:
    counts = spec_of(file).counts
    return counts is None or counts.states > 700


#: What says nothing of a protocol, but has each option and each fault.
SETTINGS = [
    pytest.param(file, id=file.stem, marks=[pytest.mark.slow] if _is_large(file) else [])
    for file in sorted(Path(__file__).with_name("settings").glob("*.toml"))
]


def read(name: str) -> Spec:
    return spec_of(ROOT / f"{name}.toml")


def looks(model: ModelSteps) -> int:
    """How many states of the model, walked alone, differ in more than what properties remember."""
    seen, todo = {model.initial}, [model.initial]
    while todo:
        new = set(model.steps(todo.pop()).values()) - seen
        seen |= new
        todo += new
    return len({model.said(state) for state in seen})


@pytest.mark.parametrize("name", CASES)
def test_the_engine_does_what_the_model_says(name: str) -> None:
    assert_agree(read(name))


@pytest.mark.parametrize("file", SETTINGS)
def test_options_meet_faults_as_in_the_model(file: Path) -> None:
    assert_agree(spec_of(file))


def assert_agree(spec: Spec) -> None:
    """What is seen of the engine tells all states apart, but for history."""
    both = LockStep(spec)
    outcome = both.run()
    assert isinstance(outcome, Agreement), outcome
    assert outcome.observations == looks(ModelSteps(both.model.system))
    if all(variable.ghost is None for variable in both.model.system.variables):
        assert outcome.observations == outcome.states
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
    assert_agree(spec)


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
    assert isinstance(outcome, Divergence)
    assert outcome.what


def test_the_way_to_a_disagreement_can_be_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FinalCheckpoint, "quiesce", action("task")(closes_unsecured))
    spec = read(PAIR)
    outcome = LockStep(spec).run()
    assert isinstance(outcome, Divergence)
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
        ("stop-with-savepoint/blocking", "option-not-built", "options.no_drain"),
        ("stop-with-savepoint/watermarks", "no-engine", "bounds.watermarks"),
        ("legacy-finish/committer", "no-engine", "job.W.kind"),
        ("legacy-finish/commits-stop-when-a-source-ends", "no-engine", "bounds.live_checkpoints"),
        ("final-checkpoint/union-state", "no-engine", "job.W.kind"),
        (
            "final-checkpoint/confirmations-in-order",
            "option-not-built",
            "options.filters_confirmations",
        ),
    ],
)
def test_what_the_engine_does_not_have_is_said(name: str, code: str, key: str) -> None:
    with pytest.raises(FinaleError) as caught:
        engine_for(read(name))
    assert caught.value.code == code
    assert caught.value.place is not None
    assert caught.value.place.key == key


def test_each_protocol_of_the_engine_is_compared() -> None:
    compared = [read(name) for name in (*QUICK, *SLOW)]
    for protocol in ENGINES:
        assert sum(spec.protocol.key == protocol for spec in compared) >= 2, protocol
    assert sum(spec.counts.states for spec in compared if spec.counts is not None) > 100_000


@pytest.mark.parametrize("protocol", ENGINES)
def test_what_is_left_open_is_the_same_on_both_sides(protocol: str) -> None:
    """A spec says all options to the engine, so that lock-step does not see what it would take."""
    model, engine = catalogue().protocol(protocol).Options(), ENGINES[protocol].usual
    shared = {each.name for each in fields(model)} & {each.name for each in fields(engine)}
    of_model = {name: getattr(model, name) for name in shared}
    plain = {n: v.value if isinstance(v, enum.Enum) else v for n, v in of_model.items()}
    assert plain == {name: getattr(engine, name) for name in shared}


def test_every_spec_is_one_that_stands() -> None:
    assert all(Path(ROOT / f"{name}.toml").exists() for name in (*QUICK, *SLOW))


# --- mistakes of the model that its counts do not show --------------------------------------------


class FailsUnlessRestoring(LegacyFinish):
    """A restore of a task that runs is a fault, where it should not be enabled."""

    @rule(fair=WEAK)
    def restore(self, task: ModelTask) -> None:
        """A task starts again."""
        assert task.status == TaskStatus.RESTORING
        super().restore(task)


class StartsWhenStarted(OvertakingGate):
    """Takes its part at the first barrier if it has taken it, so never."""

    @model_step
    def start(self) -> None:
        if self.started:
            self.started = True
            self.ports.perform(self.task, self.task.newest)


class LogsNothing(UnalignedModel):
    """The unaligned protocol with such a gate."""

    @property
    def gate_class(self) -> type[OvertakingGate]:
        return StartsWhenStarted


@pytest.mark.parametrize(
    ("name", "kind", "what"),
    [
        ("legacy-finish/restarts", FailsUnlessRestoring, "is a fault in the model"),
        ("unaligned/pair", LogsNothing, "S→K.logged is"),
    ],
)
def test_a_mistake_shows_that_changes_no_count(name: str, kind: type[Protocol], what: str) -> None:
    spec = read(name)
    outcome = LockStep(spec, ModelSteps(build(kind(spec.setting)))).run()
    assert isinstance(outcome, Divergence), outcome
    assert any(what in each for each in outcome.what), outcome.what
