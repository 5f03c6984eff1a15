"""Event logs: what is written can be read, the words are the steps, and what is missing shows."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from finale.checker.logs.event_log.reading import read_log
from finale.model.errors import FinaleError
from finale.model.events import DATA_STEPS, STEPS
from finale.model.language.bindings import rule_names
from finale.model.protocols.final_checkpoint import FinalCheckpoint as Rules
from finale.model.topology import Job
from finale.reference.engine import Engine
from finale.reference.formats.eventlog import EventLog, table_of
from finale.reference.formats.files import MemoryFiles
from finale.reference.operators.program import Followed
from finale.reference.protocols import ENGINES
from finale.reference.settings import EngineSettings, Faults
from finale.reference.steps import StepId

TABLE: dict[str, Any] = {
    "S": {"records": 1, "parallelism": 2},
    "D": {"from": [{"vertex": "S", "pattern": "pointwise"}], "parallelism": 2},
    "B": {"records": 2, "bounded": False},
    "K": {
        "from": ["D", {"vertex": "B", "broadcast": True, "overtakes": False}],
        "sink": "two-phase",
    },
}


def engine_of(job: Job, protocol: str = "final-checkpoint") -> Engine:
    kind = ENGINES[protocol]
    settings = EngineSettings(faults=Faults(checkpoints=1, failures=1))
    return kind(job, Followed(job), MemoryFiles(), settings, kind.usual)


def logged(steps: int) -> list[str]:
    """The lines of a run that takes the first step that it can, again and again."""
    job = Job.from_table(TABLE)
    engine, out = engine_of(job), io.StringIO()
    log = EventLog(out.write, engine, job, run="r", process=1)
    for _ in range(steps):
        step = min(engine.enabled())
        engine.take(step)
        log.took(step)
    log.close()
    return out.getvalue().splitlines()


def test_what_is_written_is_read() -> None:
    lines = logged(40)
    (section,) = read_log(lines).sections
    assert section.ended
    assert not section.lost
    assert len(section.events) == len(lines) - 2
    (triggered,) = (each for each in section.events if each.name == "trigger_checkpoint")
    assert triggered.checkpoint == 1
    restored = [each for each in section.events if each.name == "restore"]
    assert {dict(each.about)["task"] for each in restored} >= {"S.0", "S.1"}
    assert not any(each.name in DATA_STEPS for each in section.events)


def test_the_job_is_read_without_its_records() -> None:
    job = Job.from_table(TABLE)
    again = Job.from_table(table_of(job))
    assert [each.name for each in again.channels] == [each.name for each in job.channels]
    assert again.edges == job.edges
    assert [each.bounded for each in again.subtasks] == [each.bounded for each in job.subtasks]
    assert {each.records for each in again.subtasks} == {0}


# --- the words ------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", ENGINES)
def test_each_step_of_an_engine_has_a_word(protocol: str) -> None:
    words = {word.name: word.about for word in STEPS}
    for name, about in ENGINES[protocol].actions.items():
        assert name in DATA_STEPS or words[name][: len(about)] == about, name


def test_each_word_is_a_rule_of_the_model() -> None:
    from finale.checker.spec.catalogue import catalogue

    known = catalogue()
    kinds = [known.protocol(key) for key in known.protocols]
    rules = {name for kind in kinds if kind.needs_job for name in rule_names(kind)}
    assert {word.name for word in STEPS} | set(DATA_STEPS) <= rules
    assert set(rule_names(Rules)) <= {word.name for word in STEPS} | set(DATA_STEPS)


def test_words_are_there_once() -> None:
    names = [word.name for word in STEPS]
    assert len(names) == len(set(names))
    assert not set(names) & set(DATA_STEPS)


# --- what is missing ------------------------------------------------------------------------------


def test_a_lost_last_line_shows() -> None:
    lines = logged(40)
    assert not read_log(lines[:-1]).sections[0].ended
    without = [*lines[:-2], lines[-1]]
    (section,) = read_log(without).sections
    assert not section.ended
    assert len(section.events) in section.lost


def test_a_lost_line_shows_by_its_clock() -> None:
    lines = logged(40)
    at = next(i for i, line in enumerate(lines) if '"clock":"task.mailbox S.0"' in line)
    (section,) = read_log(lines[:at] + lines[at + 1 :]).sections
    assert not section.ended
    assert at - 1 in section.lost
    assert len(section.events) not in section.lost


def test_a_half_written_line_is_counted_and_the_next_process_begins_anew(tmp_path: Path) -> None:
    job, file = Job.from_table(TABLE), tmp_path / "events.ndjson"
    log = EventLog.append(file, engine_of(job), job, run="r")
    log.took(StepId("trigger_checkpoint"))
    assert log.file is not None
    log.file.close()
    file.write_bytes(file.read_bytes()[:-9])
    second = EventLog.append(file, engine_of(job), job, run="r")
    second.close()
    read = read_log(file.read_text(encoding="utf-8").splitlines())
    killed, whole = read.sections
    assert (killed.start["process"], killed.ended, killed.lost) == (1, False, frozenset({0}))
    assert (whole.start["process"], whole.ended) == (2, True)
    assert read.unreadable == (2,)


@pytest.mark.parametrize("count", ["60", None, [1], 40.0, True])
def test_a_last_line_without_a_count_ends_nothing(count: object) -> None:
    *lines, end = logged(40)
    end = json.dumps(json.loads(end) | {"count": count})
    read = read_log([*lines, end])
    assert read.unreadable == (len(lines) + 1,)
    assert not read.sections[0].ended
    assert len(read.sections[0].events) in read.sections[0].lost


@pytest.mark.parametrize(
    "change",
    [
        {"run": "another"},
        {"process": 2},
        {"checkpoint": "1"},
        {"checkpoint": [1]},
        {"checkpoint": True},
        {"vertex": ["S"]},
        {"subtask": [0]},
        {"channel": [1]},
        {"fields": [1]},
        {"seq": True},
        {"event": ["x"]},
        {"clock": {}},
        {"attempt": "x"},
    ],
)
def test_a_line_with_what_cannot_be_there_is_damaged(change: dict[str, Any]) -> None:
    lines = logged(40)
    lines[3] = json.dumps(json.loads(lines[3]) | change)
    read = read_log(lines)
    assert read.unreadable == (4,)
    assert 2 in read.sections[0].lost


@pytest.mark.parametrize("torn", [['{"event":"log-st'], ["x", '{"event": "close"}']])
def test_a_torn_first_line_costs_the_first_section_alone(torn: list[str]) -> None:
    read = read_log([*torn, *logged(40)])
    assert [each.ended for each in read.sections] == [True]
    assert read.sections[0].lost == frozenset()
    assert read.unreadable == tuple(range(1, len(torn) + 1))
    assert read.strays
    assert not read_log(logged(40)).strays


@pytest.mark.parametrize(
    "change",
    [
        {"options": "x"},
        {"from": [7]},
        {"finished": 5},
        {"finished": "S"},
        {"run": [1]},
        {"process": "a"},
        {"starts": "foo"},
        {"order": 5},
        {"variant": [2]},
        {"refused": [[1]]},
        {"copied": {"of": True, "why": "given"}},
        {"copied": {"of": 1, "why": "given", "chain": [[1]]}},
        {"last": "x"},
        {"new": 1},
    ],
)
def test_a_first_line_with_what_cannot_be_there_is_refused(change: dict[str, Any]) -> None:
    lines = logged(10)
    lines[0] = json.dumps(json.loads(lines[0]) | change)
    with pytest.raises(FinaleError, match=next(iter(change))) as caught:
        read_log(lines, "x.ndjson")
    assert caught.value.code == "not-an-event-log"


def test_what_has_no_known_name_is_kept_and_counted() -> None:
    lines = logged(5)
    told: dict[str, Any] = json.loads(lines[1])
    other = {"event": "garbage-collected", "clock": "jvm", "seq": 0, "pause": 3}
    lines = [lines[0], json.dumps(told | {"weather": "fine"}), json.dumps(other), *lines[2:]]
    lines[-1] = json.dumps({"event": "log-end", "count": len(lines) - 2})
    read = read_log(lines)
    assert read.unknown == {"field weather": 1, "field pause": 1, "event garbage-collected": 1}
    assert read.sections[0].ended


# --- what is no log -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "code", "line"),
    [
        ([], "not-an-event-log", 1),
        (["title = 'x'"], "not-an-event-log", 1),
        (['{"event": "close"}'], "not-an-event-log", 1),
        (['{"event": "log-start", "v": 1}'], "not-an-event-log", 1),
        (['{"event": "log-start", "v": 2}'], "event-log-version", 1),
        (
            ['{"event": "log-start", "v": 1, "protocol": "p", "job": {"S": {"colour": 1}}}'],
            "unknown-key",
            1,
        ),
    ],
)
def test_what_is_no_log_is_refused(lines: list[str], code: str, line: int) -> None:
    with pytest.raises(FinaleError) as caught:
        read_log(lines, "x.ndjson")
    assert caught.value.code == code
    assert caught.value.place is not None
    assert (caught.value.place.file, caught.value.place.line) == ("x.ndjson", line)
