"""Lines that contradict what the rules assume of Flink: each assumption, by one changed line."""

import json
import re
from pathlib import Path

import pytest

from finale.checker.logs.regularities.assumptions import ASSUMPTIONS
from tests.cli.running import run

from .edits import (
    Edit,
    at,
    dropped,
    edited,
    found,
    inserted,
    moved,
    number,
    until,
    validated,
    written,
)

ROOT = Path(__file__).parent.parent.parent
_MAP = r"map \(1/2\)#0"
_TO_MAP = r"[0-9a-f]{32}_23ab3a59b17e9c45f95cff4c728611fc_0_0"
_ACKNOWLEDGED = rf"Received acknowledge message for checkpoint 2 from task {_TO_MAP}"
_ARRIVED = rf"Confirm completed checkpoint 2@.* for {_TO_MAP}"
_NOTIFIED = rf"Notification of checkpoint COMPLETE 2 for task {_MAP}"
_TAKEN = rf"{_MAP} - finished synchronous part of checkpoint 2"
_BEGUN = rf"Starting checkpoint 2 .* on task {_MAP}"
_COMPLETED = r"Completed checkpoint 2 for job"
_CALLED = r"Trigger checkpoint 2@.* for [0-9a-f]{32}_da5af890cd8125fa544dd6cc156f8d16_0_0"
_TRIGGERED_STOP = r"Triggering checkpoint 3 \(type="
_BEGUN_STOP = "Starting checkpoint 3 "
_JOB = "95cf26e6833a8e236cc8a433e8ef9f68"
_RESTORING = (
    "INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator [main] - "
    f"Restoring job {_JOB} from Checkpoint 2 @ 0 for {_JOB}."
)
_SOURCE = r"Source: src0 \(1/2\)#0"
_LOOP_LEFT = rf"Finished task {_MAP}"
_WAITS = rf"\[{_MAP}\] - Waiting for all the records"
_OPERATORS_LEFT = rf"Finished operators for task {_MAP}"
_RELEASED = rf"\[{_MAP}\] - All pending checkpoints are finished"
_CLOSED = rf"\[{_MAP}\] - Cleanup StreamTask"
_EXPIRED = (
    "INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator [Checkpoint Timer] - "
    f"Checkpoint 2 of job {_JOB} expired before completing."
)
_DECLINED = (
    "INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator [jobmanager-io-thread-1] - "
    "Decline checkpoint 2 by task 19bc282d2b6c714fdaf85349ac583ccb_23ab3a59b17e9c45f95cff4c728611f"
    f"c_0_0 of job {_JOB} at 127.0.0.1:1 @ localhost."
)
_DEPLOYED = rf"Received task {_MAP} .*deploy into slot"


def _again(pattern: str, behind: str | None = None) -> Edit:
    """The first line that fits stands a second time: behind it, or behind the last other one."""

    def edit(lines: list[str]) -> list[str]:
        place = at(lines, pattern)
        line = lines[place]
        if behind is not None:
            place = max(n for n, each in enumerate(lines) if re.search(behind, each))
        return [*lines[: place + 1], line, *lines[place + 1 :]]

    return edit


def _replaced(pattern: str, text: str, by: str) -> Edit:
    """The first line that fits has another word."""

    def edit(lines: list[str]) -> list[str]:
        place = at(lines, pattern)
        return [*lines[:place], lines[place].replace(text, by), *lines[place + 1 :]]

    return edit


#: By assumption a change of a run, and the line at which it shows.
CONTRADICTED: dict[str, tuple[Edit, str]] = {
    "ids-are-new": (_again("Triggering checkpoint 2 ", "Triggering checkpoint 3 "), ""),
    "begun-after-trigger": (moved("Triggering checkpoint 2 ", _CALLED), _CALLED),
    "begun-as-triggered": (_replaced(_TRIGGERED_STOP, "Terminate", "Suspend"), _BEGUN_STOP),
    "ended-once": (_again(_COMPLETED), ""),
    "acknowledged-once": (_again(_ACKNOWLEDGED), ""),
    "confirmed-after-completion": (dropped(_COMPLETED), "Confirm completed checkpoint 2@"),
    "restored-after-completion": (
        inserted("Triggering checkpoint 2 ", _RESTORING),
        "Restoring job",
    ),
    "confirmed-once": (_again(_NOTIFIED), ""),
    "called-once": (_again(_CALLED), ""),
    "taken-once": (_again(_TAKEN), ""),
    "tasks-go-forward": (_again(_NOTIFIED, rf"COMPLETE 3 for task {_MAP}"), ""),
    "calls-keep-their-order": (_again(_CALLED, r"Trigger checkpoint 3@"), ""),
    "leaves-in-order": (
        moved(_WAITS, _OPERATORS_LEFT),
        _WAITS,
    ),
    "released-by-a-completion": (
        dropped(rf"Notification of checkpoint COMPLETE \d+ for task {_MAP}"),
        _OPERATORS_LEFT,
    ),
    "nothing-after-release": (_again(_TAKEN, rf"\[{_MAP}\] - All pending checkpoints"), ""),
    "nothing-after-close": (_again(_NOTIFIED, rf"\[{_MAP}\] - Cleanup StreamTask"), ""),
    "ends-once": (_again(rf"final execution state FINISHED .* task {_MAP}"), ""),
}


#: Further changes of the same run, each with the assumption and the line at which it shows.
LEAVES_WRONGLY: dict[str, tuple[Edit, str, str]] = {
    "its loop is left untold": (dropped(_LOOP_LEFT), "leaves-in-order", _WAITS),
    "waits before its loop is left": (
        moved(_LOOP_LEFT, _WAITS),
        "leaves-in-order",
        _WAITS,
    ),
    "released before its operators are": (
        moved(_OPERATORS_LEFT, _RELEASED),
        "leaves-in-order",
        _RELEASED,
    ),
    "closed before its operators are": (
        moved(rf"{_OPERATORS_LEFT}|{_RELEASED}", _CLOSED),
        "leaves-in-order",
        _OPERATORS_LEFT,
    ),
    "told after its operators have left": (
        moved(rf"Notification of checkpoint COMPLETE 3 for task {_MAP}", _OPERATORS_LEFT),
        "leaves-in-order",
        rf"COMPLETE 3 for task {_MAP}",
    ),
    "a source is not told of the stop's savepoint": (
        dropped(rf"Confirm completed checkpoint 3@.*_0_0\b|COMPLETE 3 for task {_SOURCE}"),
        "released-by-a-completion",
        rf"Finished operators for task {_SOURCE}",
    ),
    "nobody is told of the stop's savepoint": (
        dropped(r"Confirm completed checkpoint 3@|Notif.* (COMPLETE|checkpoint) 3 "),
        "released-by-a-completion",
        rf"Finished operators for task {_SOURCE}",
    ),
    "its operators leave before its loop is left": (
        moved(rf"{_LOOP_LEFT}|{_WAITS}", _OPERATORS_LEFT),
        "leaves-in-order",
        _OPERATORS_LEFT,
    ),
    "takes a checkpoint after its operators have left": (
        moved(rf"{_MAP} - finished synchronous part of checkpoint 3", _OPERATORS_LEFT),
        "leaves-in-order",
        rf"{_MAP} - finished synchronous part of checkpoint 3",
    ),
    "expires, and an acknowledgement counts": (
        inserted("Triggering checkpoint 2 ", _EXPIRED),
        "ended-once",
        "Received acknowledge message for checkpoint 2 ",
    ),
    "is declined, and completes": (
        inserted(r"checkpointId=2\) dump", _DECLINED),
        "ended-once",
        _COMPLETED,
    ),
    "is declined, and an acknowledgement counts": (
        inserted("Triggering checkpoint 2 ", _DECLINED),
        "ended-once",
        "Received acknowledge message for checkpoint 2 ",
    ),
    "is restored from a savepoint that never was": (
        inserted(_COMPLETED, _RESTORING.replace("Checkpoint 2", "Savepoint 7")),
        "restored-after-completion",
        "Restoring job",
    ),
    "is restored from a savepoint that has not completed": (
        inserted("Triggering checkpoint 3 ", _RESTORING.replace("Checkpoint 2", "Savepoint 3")),
        "restored-after-completion",
        "Restoring job",
    ),
    "expires, and completes": (
        inserted(r"checkpointId=2\) dump", _EXPIRED),
        "ended-once",
        _COMPLETED,
    ),
}


@pytest.mark.parametrize("what", LEAVES_WRONGLY)
def test_a_task_leaves_in_order_and_after_it_was_told(what: str, tmp_path: Path) -> None:
    """Neither has such a log a tick, nor does a run of the protocol explain it."""
    edit, assumption, shows = LEAVES_WRONGLY[what]
    lines = edited("H16-04", edit)
    written(tmp_path, lines)
    (job,) = json.loads(run("validate flink.log --format json --accept", tmp_path).stdout)[
        "results"
    ]
    assert number(lines, shows) in {
        each["line"] for each in found(job, "violated").get(assumption, [])
    }
    assert job["conforms"]["rejected"]


_NEVER_TOLD = dropped(rf"Notification of checkpoint COMPLETE \d+ for task {_MAP}")
_CANCELING = inserted(
    _WAITS,
    "INFO  org.apache.flink.runtime.taskmanager.Task [x] - map (1/2)#0 "
    "(19bc282d2b6c714fdaf85349ac583ccb_23ab3a59b17e9c45f95cff4c728611fc_0_0) switched from RUNNING "
    "to CANCELING.",
)


@pytest.mark.parametrize(
    "edits",
    {
        "heard of in the loop": (),
        "canceled while it waits": (_NEVER_TOLD, _CANCELING),
        "neither waits nor stops": (_NEVER_TOLD, dropped(rf"{_WAITS}|{_BEGUN_STOP}.*{_MAP}")),
        "nobody hears in this process": (dropped("Notification of checkpoint COMPLETE"),),
    }.values(),
)
def test_a_task_that_need_not_be_told_may_leave(edits: tuple[Edit, ...], tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited("H16-04", *edits))
    assert "released-by-a-completion" not in found(job, "violated")


def test_lines_of_two_files_do_not_tell_that_a_task_left_untold(tmp_path: Path) -> None:
    lines = edited("H16-04")
    told = [each for each in lines if re.search(r"Notification of checkpoint COMPLETE", each)]
    (tmp_path / "a.log").write_text("\n".join(told) + "\n")
    job, _ = validated(tmp_path, [each for each in lines if each not in told])
    page = json.loads(run("validate . --format json", tmp_path).stdout)
    for each in (job, *page["results"]):
        assert "released-by-a-completion" not in found(each, "violated")


@pytest.mark.parametrize("name", CONTRADICTED)
def test_a_changed_line_contradicts_an_assumption(name: str, tmp_path: Path) -> None:
    edit, shows = CONTRADICTED[name]
    before = edited("H16-04")
    lines = edited("H16-04", edit)
    # Where the change adds a line, it shows at the added one.
    added = next((n for n, (old, new) in enumerate(zip(before, lines, strict=False)) if old != new))
    expected = number(lines, shows) if shows else added + 1
    job, ran = validated(tmp_path, lines)
    findings = found(job, "violated")
    assert name in findings
    assert expected in {each["line"] for each in findings[name]}
    assert ran.exit == 1
    (assumption,) = (each for each in ASSUMPTIONS if each.name == name)
    assert assumption.sentence in ran.stdout
    assert "this rests on" in ran.stdout


def test_a_stop_that_tasks_take_for_another_kind_is_rejected(tmp_path: Path) -> None:
    """Also if it is triggered as a checkpoint, and then the coordinator tells no savepoint."""
    told = "SavepointType{name='Terminate Savepoint'"
    for kind in ("SavepointType{name='Suspend Savepoint'", "CheckpointType{name='Checkpoint'"):
        lines = edited("H16-04", _replaced(_TRIGGERED_STOP, told, kind))
        job, _ = validated(tmp_path, lines, "--accept")
        assert job["conforms"]["rejected"]
        line, first = number(lines, _BEGUN_STOP), number(lines, _TRIGGERED_STOP)
        why = (
            f"line {line}, begun-as-triggered: snapshot-begins contradicts triggered, line {first}"
        )
        assert job["conforms"]["why"].startswith(why)


def test_an_abort_is_told_once(tmp_path: Path) -> None:
    lines = edited("race-00", _again(r"Notification of checkpoint ABORT 3 for task map"))
    job, _ = validated(tmp_path, lines)
    assert "aborts-are-told-once" in found(job, "violated")


def test_all_assumptions_have_a_change() -> None:
    assert {each.name for each in ASSUMPTIONS} == {*CONTRADICTED, "aborts-are-told-once"}


def test_a_log_of_another_process_and_a_late_beginning_contradict_nothing(tmp_path: Path) -> None:
    """The coordinator's log alone has no line of a task, and a late log lacks what came before."""
    names = {each.name for each in ASSUMPTIONS}
    of_tasks = r"\.(Task|TaskExecutor|StreamTask|SubtaskCheckpoint\w+|AsyncCheckpointRunnable) "
    for lines in (
        edited("H16-04", dropped(of_tasks)),
        edited("H16-04")[at(edited("H16-04"), _ARRIVED) :],
        edited("H16-04", until(_ARRIVED)),
        edited("H16-04", dropped(_DEPLOYED), dropped(_BEGUN)),
    ):
        job, _ = validated(tmp_path, lines)
        assert not names & {*found(job, "violated")}
    job, _ = validated(tmp_path, edited("H16-04", dropped(_BEGUN)))
    assert {"taken-once", "acknowledged-once"} <= {*found(job, "violated")}


def test_a_job_that_begins_anew_may_give_ids_again(tmp_path: Path) -> None:
    again = _again("Triggering checkpoint 2 ", "Completed checkpoint 3 ")
    job, _ = validated(tmp_path, edited("H16-04", again))
    assert "ids-are-new" in found(job, "violated")
    coordinator = "INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator [main] - "
    nothing = inserted(
        "Completed checkpoint 3 ", f"{coordinator}No checkpoint found during restore."
    )
    job, _ = validated(tmp_path, edited("H16-04", again, nothing))
    assert not {"ids-are-new", "ended-once"} & {*found(job, "violated")}


def test_lines_of_two_files_have_no_order(tmp_path: Path) -> None:
    """A completion that another file tells later is enough for a confirmation."""
    of_coordinator = r"\.(CheckpointCoordinator|ExecutionGraph|JobMaster|\w+DeActivator) "
    lines = edited("H16-04", moved(_COMPLETED, "Triggering checkpoint 3 "))
    job, _ = validated(tmp_path, lines)
    assert "confirmed-after-completion" in found(job, "violated")
    theirs = [bool(re.search(of_coordinator, each)) for each in lines]
    for name, wanted in (("jm.log", True), ("tm.log", False)):
        mine = [line for line, is_theirs in zip(lines, theirs, strict=True) if is_theirs is wanted]
        (tmp_path / name).write_text("".join(f"{each}\n" for each in mine))
    page = json.loads(run("validate jm.log tm.log --format json", tmp_path).stdout)
    (job,) = page["results"]
    assert job["events"] > 200
    assert "confirmed-after-completion" not in found(job, "violated")


def test_the_reference_lists_the_assumptions() -> None:
    page = (ROOT / "docs/pipeline.md").read_text()
    for each in ASSUMPTIONS:
        assert f"| `{each.name}` | {each.sentence} | {each.rests_on} |" in page
