"""Mistakes in scenarios: each has a code, a place, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.scenario.running import CaseRun, run_file, text_of_events
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError

KNOWN = catalogue(None)
HANDLER = "title: a\npart: aligned-handler\nchannels: 2\n"
PLAN = "title: a\npart: plan\njob: V0 p2; V1; V0 -> V1\n"
COORDINATOR = "title: a\npart: coordinator\njob: V1; V2\n"
TIMED = "title: a\npart: timed-handler\nchannels: 2\n"
SINK = "title: a\npart: sink\n"
TASK = "title: a\npart: task\n"
START = "title: a\npart: start\njob: S r1; W keyed; S -> W\n"


def run(folder: Path, text: str) -> list[CaseRun]:
    file = folder / "a.scenario"
    file.write_text(text, encoding="utf-8")
    return run_file(file, KNOWN)


@pytest.mark.parametrize(
    ("code", "text", "line"),
    [
        ("missing-key", "part: plan\nplan => planned\n", None),
        ("unknown-record", START + "\nreport W b; start => started\n", 5),
        ("bad-job", START + "was: S r1 q\n\nstart => started\n", 4),
        ("missing-key", "title: a\nplan => planned\n", None),
        ("missing-key", "title: a\npart: plan\nplan => planned\n", None),
        ("unknown-part", "title: a\npart: plann\nplan => planned\n", 2),
        ("unknown-key", HANDLER + "job: V0\n\nB1@0 => -\n", 4),
        ("unknown-variant", HANDLER + "variant: stays-bloked\n\nB1@0 => -\n", 4),
        ("unknown-option", HANDLER + "options: concurent = 2\n\nB1@0 => -\n", 4),
        ("bad-options", HANDLER + "options: concurrent 2\n\nB1@0 => -\n", 4),
        ("bad-option", HANDLER + 'options: release = "last"\n\nB1@0 => -\n', 4),
        ("bad-number", "title: a\npart: aligned-handler\nchannels: two\n\nB1@0 => -\n", 3),
        ("bad-number", "title: a\npart: aligned-handler\nchannels: 0\n\nB1@0 => -\n", 3),
        ("bad-number", "title: a\npart: aligned-handler\nchannels: 65\n\nB1@0 => -\n", 3),
        ("bad-number", TIMED + "timeout: soon\n\nB1@0 => blocked 0\n", 4),
        ("empty-scenario", HANDLER, None),
        ("empty-scenario", HANDLER + "\nB1@0 B1@1\n", None),
        ("empty-scenario", HANDLER + "---\ncase: b\nB1@0 => -\n---\ncase: c\n", None),
        ("malformed-scenario", HANDLER + "\n=> taken 1\n", 5),
        ("malformed-scenario", HANDLER + "\nB1@0 =>\n", 5),
        ("malformed-scenario", HANDLER + "\nB1@0 => blocked 0 => taken 1\n", 5),
        ("malformed-scenario", HANDLER + "part: plan\n\nB1@0 => -\n", 4),
        ("unknown-stimulus", HANDLER + "\nr0 1B@0 => -\n", 5),
        ("unknown-stimulus", HANDLER + "\nr0 UB1@0 => -\n", 5),
        ("unknown-stimulus", PLAN + "\nplann => planned\n", 5),
        ("unknown-channel", HANDLER + "\nr0 B1@2 => -\n", 5),
        ("unknown-channel", HANDLER + "\nr0 B1 => -\n", 5),
        ("unknown-channel", HANDLER + "\nr => -\n", 5),
        ("unknown-channel", TIMED + "\nqueue 2 a0 => -\n", 5),
        ("unknown-channel", START + "\nlog W S a => -\n", 5),
        ("unknown-channel", TASK + "kind: source\n\nD@0 => -\n", 5),
        ("unknown-channel", TASK + "kind: source\n\nB1@* => -\n", 5),
        ("bad-parallelism", "title: a\npart: plan\njob: A p0\n\nplan => planned\n", 3),
        ("bad-parallelism", "title: a\npart: plan\njob: A p32769\n\nplan => planned\n", 3),
        ("bad-parallelism", "title: a\npart: plan\njob: A; B p0; A -> B\n\nplan => planned\n", 3),
        ("state-too-wide", "title: a\npart: plan\njob: A p999\n\nplan => planned\n", 3),
        ("state-too-wide", "title: a\npart: coordinator\njob: A p256; B\n\ntrig 1 => -\n", 3),
        ("bad-stimulus", TIMED + "\nqueue 0 a0 1B => -\n", 5),
        ("bad-stimulus", TIMED + "\nqueue 0 a0 B2 => -\n", 5),
        ("bad-number", TASK + "inputs: 2 in-turn\n\ntrigger 1 => -\n", 3),
        ("bad-number", "title: a\npart: chained-task\nchained: 1 x\n\ntrigger 1 => -\n", 3),
        ("unknown-task", "title: a\npart: chained-task\nchained: 1 1\n\nemit 2 => -\n", 5),
        ("bad-stimulus", PLAN + "\nplan V0 => planned\n", 5),
        ("bad-stimulus", COORDINATOR + "\ntrig one => -\n", 5),
        ("bad-stimulus", COORDINATOR + "\ntrig 1; ack 1 => -\n", 5),
        ("bad-stimulus", "title: a\npart: gateway\n\nsend e 0; lose zz => -\n", 4),
        ("nothing-written", "title: a\npart: metadata\njob: A\n\nread => -\n", 5),
        ("bad-question", COORDINATOR + "\ntrig 1 => triggered 1 all; status\n", 5),
        ("bad-stimulus", TASK + "\nabort 5 newest 3 => -\n", 4),
        ("unknown-word", HANDLER + "\nB1@0 => took 1\n", 5),
        ("not-observable", HANDLER + "\nB1@0 => triggered 1 T\n", 5),
        ("bad-job", "title: a\npart: plan\njob: V0 - V1\n\nplan => planned\n", 3),
        ("bad-job", "title: a\npart: plan\njob: V0 -> V1 diagonal\n\nplan => planned\n", 3),
        ("bad-job", "title: a\npart: plan\njob: 0\n\nplan => planned\n", 3),
        ("unknown-vertex", "title: a\npart: plan\njob: V0; V0 -> V1\n\nplan => planned\n", 3),
        ("unknown-task", PLAN + "\nfinish V2; plan => planned\n", 5),
        ("unknown-task", PLAN + "\nfinish V0[2]; plan => planned\n", 5),
        ("unknown-task", PLAN + "\nfinish V0[1..]; plan => planned; trigger V0[a]\n", 5),
        ("unknown-task", PLAN + "\nplan => planned; trigger V2\n", 5),
        ("unknown-task", COORDINATOR + "\ntrig 1; decline 1 Z => aborted 1\n", 5),
        ("unknown-task", COORDINATOR + "\ntrig 1; decline 1 V1[5] => aborted 1\n", 5),
        ("unknown-task", COORDINATOR + "\ntrig 1; decline 1 V1[0..9] => aborted 1\n", 5),
        ("unknown-task", COORDINATOR + "\ntrig 1; decline 1 V1[x] => aborted 1\n", 5),
        ("bad-state", PLAN + "\nstate tired V0; plan => refused\n", 5),
        ("unknown-id", COORDINATOR + "\ntrig 1 => triggered 1 V1 V2; awaited 2 V1\n", 5),
        ("used-id", COORDINATOR + "\ntrig 1; trig 1 => -\n", 5),
        ("bad-kind", TASK + "kind: iteration-head\n\ntrigger 1 => -\n", 3),
        ("end-of-a-source", TASK + "\nend => -\n", 4),
        ("no-source", "title: a\npart: run\njob: S; K; S -> K\n\nend K => -\n", 5),
        ("cannot-be-stopped", TASK + "\nsync 1 drain => -\n", 4),
        ("cannot-be-stopped", COORDINATOR + "\nstop 1 drain => -\n", 5),
        ("part-of-another-protocol", TASK + "protocol: legacy-finish\n\ntrigger 1 => -\n", 3),
        ("unknown-protocol", TASK + "protocol: final\n\ntrigger 1 => -\n", 3),
        ("bad-sink", SINK + "sink: none\n\nclose => -\n", 3),
        ("record-order", SINK + "\nrecord a; record b; record a => -\n", 4),
    ],
)
def test_a_mistake_is_told(code: str, text: str, line: int | None, tmp_path: Path) -> None:
    with pytest.raises(FinaleError) as raised:
        run(tmp_path, text)
    assert raised.value.code == code
    assert raised.value.place is not None
    assert raised.value.place.file == str(tmp_path / "a.scenario")
    assert raised.value.place.line == line
    assert raised.value.advice[:1].islower() or not raised.value.advice[:1].isalpha()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (TASK + "\nD@5 => -\n", "; `inputs:` says how many there are"),
        (HANDLER + "\nB1@5 => -\n", "; `channels:` says how many there are"),
        ("title: a\npart: persister\n\nB1@5 => -\n", ""),
    ],
)
def test_the_key_that_says_how_many_channels_there_are_is_told(
    text: str, key: str, tmp_path: Path
) -> None:
    with pytest.raises(FinaleError) as raised:
        run(tmp_path, text)
    assert raised.value.advice == f"channels are counted from 0{key}"


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(FinaleError, match="cannot be read"):
        run_file(tmp_path, KNOWN)
    (tmp_path / "a.scenario").write_bytes("title: é".encode("latin-1"))
    with pytest.raises(FinaleError, match="UTF-8"):
        run_file(tmp_path / "a.scenario", KNOWN)


# --- what is read --------------------------------------------------------------------------------


def differences(runs: list[CaseRun]) -> list[str]:
    return [text_of_events(outcome.found) for run in runs for outcome in run.differences]


def test_what_happens_is_compared_in_full_and_in_order(tmp_path: Path) -> None:
    for right, agrees in (
        ("aborted 1; aborted 2", True),
        ("aborted 2; aborted 1", False),
        ("aborted 1", False),
        ("aborted 1; aborted 2; taken 3", False),
        ("-", False),
        ("aborted 1; aborted 2; blocked 0", True),
        ("aborted 1; aborted 2; blocked -", False),
        ("blocked 0; aborted 1; aborted 2", True),
    ):
        found = differences(run(tmp_path, HANDLER + f"\nB1@0 B2@0 B3@0 => {right}\n"))
        assert (not found) == agrees, right


def test_a_line_without_an_arrow_only_does_something(tmp_path: Path) -> None:
    assert not differences(run(tmp_path, HANDLER + "\nB1@0\nB1@1\nr0 => taken 1\n"))


def test_cases_have_keys_of_their_own_and_share_the_others(tmp_path: Path) -> None:
    text = HANDLER + "---\ncase: two\nB1@0 => -\n---\ncase: one\nchannels: 1\nB1 => taken 1\n"
    runs = run(tmp_path, text)
    assert [run.case.name for run in runs] == ["two", "one"]
    assert not differences(runs)


def test_on_all_channels(tmp_path: Path) -> None:
    assert not differences(run(tmp_path, HANDLER + "\nB1@* | r0 r1 => taken 1  # and on\n"))


def test_what_is_not_possible_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    text = HANDLER + "\nB1@0 r0 => refused; blocked 0\nB1@1 r0 => taken 1; blocked -\n"
    assert not differences(run(tmp_path, text))


def test_the_cause_of_a_difference_is_underlined(tmp_path: Path) -> None:
    (ran,) = run(tmp_path, HANDLER + "\nB1@0 B2@1 r1 => blocked 0\n")
    (outcome,) = ran.differences
    assert outcome.wrong is not None
    assert outcome.line.text[outcome.wrong.start : outcome.wrong.end] == "B2@1"
