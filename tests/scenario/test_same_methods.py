"""A scenario runs what a search explores: the very same functions, so a broken variant shows."""

from __future__ import annotations

import sys
from pathlib import Path
from types import CodeType, FrameType

import pytest

from finale.checker.scenario.benches import BENCHES
from finale.checker.scenario.running import run_file
from finale.checker.spec.catalogue import catalogue
from finale.model.language.decorators import mark_of
from finale.model.protocols.coordinator.graph_check import GraphCheck
from finale.model.protocols.coordinator.metadata import Encoding
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.persister import Persister
from finale.model.protocols.persisting import Receiving
from finale.model.protocols.restore_unaligned import RestoreUnaligned
from finale.model.protocols.unaligned import AlignedWithTimeout
from tests.docs.pages import ROOT

KNOWN = catalogue(None)


def codes_run_by(file: Path) -> set[CodeType]:
    """The code of every function that is called while a scenario runs."""
    called: set[CodeType] = set()

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.add(frame.f_code)

    sys.setprofile(profile)
    try:
        run_file(file, KNOWN)
    finally:
        sys.setprofile(None)
    return called


@pytest.mark.parametrize(
    ("scenario", "methods"),
    [
        ("plan/PLAN-05", ["admit", "compute_plan", "counts_as_finished", "is_head"]),
        ("plan/PLAN-08", ["complete", "may_not_complete", "abort"]),
        ("align/ALIGN-08", ["give_up_alignment", "snapshot_taken"]),
        ("coordinator/COORD-03", ["deliver_trigger", "trigger_failed", "abort"]),
        ("coordinator/COORD-06", ["complete", "subsume", "apply_acknowledgement"]),
        ("coordinator/DECIDER-01", ["serve_request", "serve_periodic", "enqueue", "is_in_front"]),
        (
            "task/TASK-01",
            ["finish_operators", "may_close", "releases", "act_on_confirmation", "close"],
        ),
        ("task/TASK-14", ["restore_from", "accepts", "deliver_abort"]),
        ("sink/SINK-02", ["opens_transaction", "emit", "poll_data", "process"]),
    ],
)
def test_the_functions_that_are_explored_are_run(scenario: str, methods: list[str]) -> None:
    called = codes_run_by(ROOT / "scenarios" / f"{scenario}.scenario")
    for name in methods:
        mark = mark_of(getattr(FinalCheckpoint, name))
        assert mark is not None, f"{name} is no rule and no helper of the language"
        assert mark.function.__code__ in called, name


@pytest.mark.parametrize(
    ("scenario", "owner", "methods"),
    [
        ("persister/PERSIST-04", Persister, ["take_part"]),
        ("persister/PERSIST-04", Receiving, ["on_record", "on_barrier", "start", "stop"]),
        ("timed/ALTERN-05", AlignedWithTimeout, ["notice_barrier", "time_out", "log_overtaken"]),
        ("restore/STATE-05", RestoreUnaligned, ["restore_from", "restore"]),
    ],
)
def test_so_are_those_of_other_protocols(scenario: str, owner: type, methods: list[str]) -> None:
    called = codes_run_by(ROOT / "scenarios" / f"{scenario}.scenario")
    for name in methods:
        mark = mark_of(getattr(owner, name))
        assert mark is not None, f"{name} is no rule and no helper of the language"
        assert mark.function.__code__ in called, name


@pytest.mark.parametrize("part", BENCHES)
def test_a_recording_overrides_what_is_there_and_calls_it(part: str) -> None:
    recording = getattr(BENCHES[part], "recording", FinalCheckpoint)
    own = {name: value for name, value in vars(recording).items() if callable(value)}
    if not recording.__module__.startswith("finale.checker"):
        return
    assert own
    (recorded,) = recording.__bases__
    for name, function in own.items():
        assert mark_of(getattr(recorded, name)) is not None, name
        assert "super" in function.__code__.co_names, name


@pytest.mark.parametrize(
    ("scenario", "variant"),
    [
        ("align/ALIGN-03", "stays-blocked"),
        ("plan/PLAN-02", "triggers-all"),
        ("coordinator/COORD-03", "waits-for-lost-ack"),
        ("coordinator/COORD-06", "keeps-subsumed"),
        ("coordinator/DECIDER-01", "queues-all"),
        ("coordinator/DECIDER-01", "serves-periodic-first"),
        ("task/TASK-01", "closes-before-finish"),
        ("unaligned/UNALIGN-01", "logs-on"),
        ("timed/ALTERN-13", "loses-alignment-start"),
        ("track/TRACK-03", "takes-at-first-barrier"),
        ("source/SOURCE-13", "puts-barriers-on-channels"),
    ],
)
def test_a_broken_variant_is_seen(scenario: str, variant: str, tmp_path: Path) -> None:
    assert_seen((ROOT / "scenarios" / f"{scenario}.scenario").read_text(), variant, tmp_path)


def test_the_start_from_a_snapshot_is_checked_by_the_protocols_own_check() -> None:
    assert GraphCheck.refusal.__code__ in codes_run_by(ROOT / "scenarios/restore/CHECK-02.scenario")
    called = codes_run_by(ROOT / "scenarios/restore/STATE-07.scenario")
    assert {Encoding.encode.__code__, Encoding.decode.__code__} <= called


def test_a_check_that_is_off_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "a.scenario"
    text = 'title: a\npart: graph-check\njob: V1; V2; V1 -> V2\noptions: check = "off"\n\n'
    file.write_text(f"{text}found fully V2; check => rejected\n", encoding="utf-8")
    assert any(run.differences for run in run_file(file, KNOWN))


@pytest.mark.parametrize("scenario", ["PERSIST-03", "PERSIST-04"])
def test_an_obsolete_barrier_that_counts_is_seen(scenario: str, tmp_path: Path) -> None:
    text = (ROOT / "scenarios" / "persister" / f"{scenario}.scenario").read_text(encoding="utf-8")
    file = tmp_path / "a.scenario"
    for option, differs in (("ignored", False), ("counted", True)):
        file.write_text(text.replace("part:", f'options: obsolete = "{option}"\npart:', 1))
        assert any(run.differences for run in run_file(file, KNOWN)) is differs


def test_a_broken_gateway_is_seen(tmp_path: Path) -> None:
    text = "title: a\npart: gateway\n\ntrig 1; state 1; send e 0; abort 1 => aborted 1; sent e\n"
    assert_seen(text, "aborts-keep-gates-closed", tmp_path)


def test_a_broken_start_is_seen(tmp_path: Path) -> None:
    jobs = "was: S r2; W keyed; S -> W\njob: S r2; W p2 keyed; S -> W\n"
    text = f"title: a\npart: start\n{jobs}\nreport W a b; start => started; kept W[1] b\n"
    assert_seen(text, "redistributes-by-index", tmp_path)


def test_the_state_that_is_dealt_out_is_seen(tmp_path: Path) -> None:
    text = (ROOT / "scenarios" / "restore" / "STATE-02.scenario").read_text(encoding="utf-8")
    changed = text.replace("report B[0]", "report B[1]").replace(
        "started; kept B[0] a b", "started"
    )
    file = tmp_path / "a.scenario"
    for option, differs in (("reporters", False), ("first", True)):
        options = f'options: broadcast_from = "{option}"\npart:'
        file.write_text(changed.replace("part:", options), encoding="utf-8")
        assert any(run.differences for run in run_file(file, KNOWN)) is differs


def test_a_broken_sink_is_seen(tmp_path: Path) -> None:
    text = (
        "title: a\npart: sink\n\nrecord a; snap 1; close => precommitted 1; transactions 1 open\n"
    )
    assert_seen(text, "close-aborts-pending", tmp_path)


def assert_seen(text: str, variant: str, folder: Path) -> None:
    file = folder / "a.scenario"
    file.write_text(text, encoding="utf-8")
    assert not any(run.differences for run in run_file(file, KNOWN))
    file.write_text(text.replace("part:", f"variant: {variant}\npart:", 1), encoding="utf-8")
    assert any(run.differences for run in run_file(file, KNOWN))
