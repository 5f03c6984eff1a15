"""A crash amid a step is one before it or after it; where files are handled wrongly it is found."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finale.checker.conformance.engines import engine_for
from finale.reference.formats.metadata import FIELDS, File, Metadata, encoded
from finale.reference.formats.snapshots import METADATA, CheckpointStore, State
from finale.reference.operators.sinks import AppendingSink, TransactionalSink
from tests.engine_runs.journaled_files import MICRO_STEPS, JournaledFiles
from tests.engine_runs.microsteps import MicroSteps, Torn, Whole
from tests.protocols.specs import ROOT, spec_of

PART = {"write sync"}
SINK = {"write sync", "sync rename write sync"}
WHOLE = "write sync rename"
ALIGNED = {
    "poll_data": {"append"},
    "run_trigger": PART,
    "poll_barrier": SINK,
    "complete": {WHOLE},
    "deliver_confirmation": {"rename"},
}
LOGGED = {*PART, "write sync write sync"}
SETTLED = {"restore": {"rename", "remove"}}
OLDER = {WHOLE, f"{WHOLE} remove remove remove"}
ALL_OLDER = {*OLDER, f"{WHOLE} remove", f"{WHOLE} remove remove"}
AT_ONCE = {"poll_data": {"append"}, "run_trigger": PART, "complete": {WHOLE}}

Micro = dict[str, set[str]]
#: What each kind of step does to files, in all orders; the crashes that are like before, like
#: after, and like both; the disks that were started from; the crashes amid starts.
Case = tuple[str, Micro, tuple[int, int, int], int, int]
QUICK: list[Case] = [
    ("final-checkpoint/pair", ALIGNED, (30, 0, 85), 33, 130),
    (
        "final-checkpoint/final-trigger-restarts",
        ALIGNED | SETTLED | {"complete": ALL_OLDER},
        (18, 12, 133), 69, 350,
    ),
    ("legacy-finish/restarts", ALIGNED | SETTLED | {"close": {"remove"}}, (222, 0, 532), 36, 146),
    ("stop-with-savepoint/pair", ALIGNED | {"perform_savepoint": PART}, (66, 0, 246), 77, 598),
    (
        "sync-savepoint/suspend-ends-input",
        AT_ONCE | {"poll_barrier": PART, "restore": {"truncate"}},
        (30, 0, 78), 84, 706,
    ),
    (
        "stop-with-checkpoint/suspend",
        AT_ONCE | {"poll_barrier": {"sync"}, "restore": {"truncate"}},
        (24, 0, 41), 61, 303,
    ),
    (
        "unaligned/pair",
        ALIGNED | {"notice_barrier": {"write sync write sync", "sync rename write sync"}},
        (72, 0, 173), 48, 218,
    ),
    (
        "aligned-with-timeout/pair-restarts",
        ALIGNED
        | SETTLED
        | {
            "notice_barrier": {"write sync write sync", "sync rename write sync"},
            "poll_recovered": {"append"},
        },
        (198, 0, 1186), 51, 234,
    ),
]  # fmt: skip
SLOW: list[Case] = [
    (
        "final-checkpoint/pair-two-checkpoints",
        ALIGNED
        | {
            "complete": OLDER,
            "deliver_confirmation": {"rename", "rename rename"},
            "deliver_abort": {"rename"},
        },
        (774, 1434, 1895), 345, 1666,
    ),
    (
        "final-checkpoint/pair-restarts",
        ALIGNED | SETTLED | {"complete": ALL_OLDER, "deliver_abort": {"rename"}},
        (1074, 1788, 2541), 249, 1396,
    ),
    (
        "stop-with-savepoint/resume",
        ALIGNED
        | {
            "complete": OLDER,
            "perform_savepoint": PART,
            "restore": {"rename"},
            "deliver_abort": {"rename"},
        },
        (1617, 750, 5382), 681, 6526,
    ),
    (
        "stop-with-savepoint/savepoint-after-stop",
        {
            "run_trigger": PART,
            "perform_savepoint": PART,
            "complete": {WHOLE, f"{WHOLE} remove remove"},
        },
        (2097, 164, 1036), 168, 926,
    ),
    (
        "stop-with-savepoint/pair-restarts",
        ALIGNED
        | SETTLED
        | {
            "complete": ALL_OLDER,
            "perform_savepoint": PART,
            "deliver_abort": {"rename"},
        },
        (5049, 3546, 17524), 648, 5824,
    ),
    ("unaligned/fan-in", ALIGNED | {"notice_barrier": SINK}, (2064, 0, 23154), 551, 3564),
]  # fmt: skip
CASES = [
    *(pytest.param(*case, id=case[0]) for case in QUICK),
    *(pytest.param(*case, id=case[0], marks=pytest.mark.slow) for case in SLOW),
]


def cut(name: str) -> Whole | Torn:
    return MicroSteps(spec_of(ROOT / f"{name}.toml")).run()


@pytest.mark.parametrize(("name", "micro_steps", "like", "disks", "starts"), CASES)
def test_a_crash_amid_a_step_is_one_before_or_after_it(
    name: str, micro_steps: Micro, like: tuple[int, int, int], disks: int, starts: int
) -> None:
    outcome = cut(name)
    assert isinstance(outcome, Whole), outcome
    assert outcome.micro_steps == micro_steps
    points = outcome.points
    assert (points["before"], points["after"], points["both"]) == like
    assert points.total() == sum(like)
    assert (outcome.disks, outcome.starts) == (disks, starts)
    assert {each for orders in micro_steps.values() for each in " ".join(orders).split()} <= set(
        MICRO_STEPS
    )


def test_all_that_the_model_can_do_is_cut() -> None:
    outcome = cut("final-checkpoint/pair")
    assert isinstance(outcome, Whole)
    counts = spec_of(ROOT / "final-checkpoint/pair.toml").counts
    assert counts is not None
    assert (outcome.states, outcome.transitions) == (counts.states, counts.transitions)
    assert outcome.failures == outcome.states - 1, "in all but the last a failure is a new start"


# --- what may be done wrong -----------------------------------------------------------------------


def renames_before_it_syncs(store: CheckpointStore, number: int, *_: object, **__: object) -> None:
    folder, part = f"checkpoints/{number}", Metadata(number, "checkpoint", True, store.shape)
    store.files.write(f"{folder}/.{METADATA}", encoded(part, FIELDS))
    store.files.rename(f"{folder}/.{METADATA}", f"{folder}/{METADATA}")
    store.files.sync(f"{folder}/{METADATA}")
    store.newest = number


def syncs_no_part(store: CheckpointStore, checkpoint: int, name: str, data: bytes) -> None:
    file = File.of(f"{name}.json", data)
    store.files.write(f"checkpoints/{checkpoint}/{file.name}", data)
    store.written.setdefault(checkpoint, {})[name] = file


def discards_first(store: CheckpointStore, checkpoint: int, *args: object, **more: object) -> None:
    for number in store.numbers() - {checkpoint}:
        store.files.remove(f"checkpoints/{number}/{METADATA}")
    COMPLETE(store, checkpoint, *args, **more)  # type: ignore[arg-type]


def commits_too_early(sink: TransactionalSink, checkpoint: int, *, last: bool) -> State:
    state = SNAPSHOT(sink, checkpoint, last=last)
    sink.completed(checkpoint, lambda records: None)
    return state


def does_not_sync(sink: TransactionalSink, checkpoint: int, *, last: bool) -> State:
    if not last and sink.files.exists(sink.staged):
        sink.files.rename(sink.staged, f"pending/{sink.context.task}-{checkpoint}")
    return {"task": sink.context.task, "pending": sink.pending()}


def commits_by_copying(sink: TransactionalSink, task: str, number: int) -> None:
    data = sink.files.read(f"pending/{task}-{number}")
    sink.files.remove(f"pending/{task}-{number}")
    sink.files.write(f"output/{task}-{number}", data)
    sink.files.sync(f"output/{task}-{number}")


def writes_anew(sink: AppendingSink) -> None:
    if sink.context.files.exists(sink.written):
        data = sink.context.files.read(sink.written)
        sink.context.files.remove(sink.written)
        sink.context.files.append(sink.written, data[: data.rfind(b"\n") + 1])
        sink.context.files.sync(sink.written)


def copies(files: JournaledFiles, old: str, new: str) -> None:
    files.write(new, files.read(old))
    files.sync(new)
    files.remove(old)


def never_syncs(files: JournaledFiles, name: str) -> None:
    """A disk that says that it has."""


COMPLETE, SNAPSHOT = CheckpointStore.complete, TransactionalSink.snapshot
PAIR, TWICE = "final-checkpoint/pair", "final-checkpoint/final-trigger-restarts"
MISTAKES: dict[str, tuple[str, type, str, Callable[..., object]]] = {
    "renames-before-it-syncs": (PAIR, CheckpointStore, "complete", renames_before_it_syncs),
    "syncs-no-part": (PAIR, CheckpointStore, "put_data", syncs_no_part),
    "discards-first": (TWICE, CheckpointStore, "complete", discards_first),
    "commits-too-early": (PAIR, TransactionalSink, "snapshot", commits_too_early),
    "does-not-sync": (PAIR, TransactionalSink, "snapshot", does_not_sync),
    "commits-by-copying": (PAIR, TransactionalSink, "_commit", commits_by_copying),
    "writes-anew": ("sync-savepoint/suspend-ends-input", AppendingSink, "start", writes_anew),
    "copies": (PAIR, JournaledFiles, "rename", copies),
    "never-syncs": (PAIR, JournaledFiles, "sync", never_syncs),
}
#: Where each is seen first: the step, and the moment.
SEEN = {
    "renames-before-it-syncs": ("complete", "rename checkpoints/1/metadata.json"),
    "syncs-no-part": ("complete", "the step itself"),
    "discards-first": ("complete", "amid checkpoints/1/metadata.json"),
    "commits-too-early": ("poll_barrier", "the step itself"),
    "does-not-sync": ("complete", "the power is lost"),
    "commits-by-copying": ("deliver_confirmation", "amid pending/K-1"),
    "writes-anew": ("a start", "amid output/K"),
    "copies": ("complete", "amid checkpoints/1/metadata.json"),
    "never-syncs": ("complete", "the step itself"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_files_that_are_handled_wrongly_are_found(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, kind, method, wrong = MISTAKES[mistake]
    monkeypatch.setattr(kind, method, wrong)
    outcome = cut(name)
    assert isinstance(outcome, Torn)
    step = outcome.steps[-1].name if outcome.steps else "a start"
    assert (step, outcome.moment) == SEEN[mistake]
    assert outcome.what


def test_the_way_to_a_crash_can_be_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CheckpointStore, "complete", renames_before_it_syncs)
    outcome = cut(PAIR)
    assert isinstance(outcome, Torn)
    files = JournaledFiles()
    engine = engine_for(spec_of(ROOT / f"{PAIR}.toml"), files)
    for step in outcome.steps:
        files.begin()
        engine.take(step)
    assert files.done == ["write", "rename", "sync"]


# --- what a disk has ------------------------------------------------------------------------------


def left(files: JournaledFiles) -> set[tuple[tuple[str, bytes], ...]]:
    return {tuple(sorted(each)) for each in files.disk.left()}


def test_what_is_not_synced_may_be_lost() -> None:
    files = JournaledFiles()
    files.write("a/x", b"12")
    assert left(files) == {(), (("a/x", b"12"),)}
    files.sync("a/x")
    files.append("a/x", b"34")
    assert left(files) == {(("a/x", b"12"),), (("a/x", b"1234"),)}
    files.rename("a/x", "b/x")
    assert left(files) == {(("b/x", b"12"),), (("b/x", b"1234"),)}
    assert [what for what, _ in files.moments] == [
        "amid a/x", "write a/x", "sync a/x", "amid a/x", "append a/x", "amid b/x", "rename b/x",
    ]  # fmt: skip


def test_a_name_is_safe_before_its_bytes_are() -> None:
    files = JournaledFiles()
    files.write("a/x", b"12")
    files.rename("a/x", "a/y")
    assert left(files) == {(("a/y", b""),), (("a/y", b"12"),)}


def test_a_name_may_be_there_while_it_is_removed() -> None:
    files = JournaledFiles()
    for name in ("a/x", "a/y"):
        files.write(name, b"1")
        files.sync(name)
    files.begin()
    files.remove("a/x")
    files.remove("nothing")
    assert [what for what, _ in files.moments] == ["amid a/x", "remove a/x"]
    assert set(files.moments[0][1].left()) == {
        frozenset({("a/y", b"1")}),
        frozenset({("a/x", b"1"), ("a/y", b"1")}),
    }
    assert left(files) == {(("a/y", b"1"),)}


def test_both_names_may_be_there_while_a_file_gets_another() -> None:
    files = JournaledFiles()
    files.write("a/x", b"1")
    files.sync("a/x")
    files.begin()
    files.rename("a/x", "b/x")
    assert set(files.moments[0][1].left()) == {
        frozenset({("b/x", b"1")}),
        frozenset({("a/x", b"1"), ("b/x", b"1")}),
    }
    assert left(files) == {(("b/x", b"1"),)}


def test_each_file_may_be_lost_for_itself() -> None:
    files = JournaledFiles()
    files.write("x", b"1")
    files.write("y", b"1")
    assert len(left(files)) == 4
