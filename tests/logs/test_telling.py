"""What lines tell: entries, events of tasks, and that no line is lost on the way."""

from pathlib import Path

import pytest

from finale.checker.logs.read.line_patterns import read_table, table, tables
from finale.checker.logs.read.log_entries import LogEntry, Stray, entries
from finale.checker.logs.read.log_events import (
    LineTally,
    LogEvent,
    TaskId,
    event_of,
    events_of_lines,
    execution_of,
    task_of,
)
from finale.checker.logs.read.log_files import LogLine, LogShelf
from finale.model.errors import FinaleError

from .archive import samples

FLINK = table("flink-2.3")
EX = f"{'a' * 32}_{'b' * 32}_0_1"
JOB = "c" * 32
TIME = "2026-11-20 15:13:18,336"


def entries_of(text: bytes) -> list[LogEntry | Stray]:
    lines = [
        LogLine(0, number, raw.rstrip(b"\n"), raw.endswith(b"\n"))
        for number, raw in enumerate(text.splitlines(keepends=True), 1)
    ]
    return list(entries(lines, FLINK))


def event(level: str, logger: str, message: str, *, thread: str = "t", more: str = "") -> LogEvent:
    (entry,) = entries_of(f"{TIME} {level:5} x.y.{logger} [{thread}] - {message}\n{more}".encode())
    assert isinstance(entry, LogEntry)
    found = event_of(entry, FLINK)
    assert found is not None, message
    return found


def test_a_stack_trace_belongs_to_the_line_before_it() -> None:
    text = (
        f"{TIME} WARN  a.B [t] - it failed\na.b.C: why\n\tat a.b(C.java)\n{TIME} INFO  a.B [] - x\n"
    )
    first, second = entries_of(text.encode())
    assert isinstance(first, LogEntry)
    assert isinstance(second, LogEntry)
    assert (first.line, first.lines, first.more) == (1, 3, ("a.b.C: why", "\tat a.b(C.java)"))
    assert (second.line, second.thread, second.logger) == (4, "", "B")


def test_bytes_that_are_no_text_come_back_as_they_were() -> None:
    (entry,) = entries_of(f"{TIME} INFO  a.B [t] - ".encode() + b"\xff\xfe odd\n")
    assert isinstance(entry, LogEntry)
    assert entry.message.encode("utf-8", "surrogateescape") == b"\xff\xfe odd"


def test_what_nothing_can_be_made_of_is_kept() -> None:
    text = (
        b"no head\n" + f"{TIME} torn\n".encode() + f"{TIME} INFO  a.B [t] - Completed ch".encode()
    )
    assert [each.line for each in entries_of(text) if isinstance(each, Stray)] == [1, 2, 3]


def test_names_of_tasks_and_executions() -> None:
    assert task_of("Source: a -> b: x (2/3)#4") == TaskId("Source: a -> b: x", 1, 3, 4)
    assert task_of("map (1/2)") == TaskId("map", 0, 2, None)
    assert task_of("map") is None
    assert execution_of("nothing") is None
    found = execution_of(EX)
    assert found is not None
    assert (found.subtask, found.attempt) == (0, 1)


def test_a_line_tells_of_its_task_by_its_message_or_by_its_thread() -> None:
    said = event("DEBUG", "StreamTask", "Finished task map (1/2)#0")
    assert (said.word, said.task) == ("loop-left", TaskId("map", 0, 2, 0))
    waits = "Waiting for all the records processed by the downstream tasks."
    assert event("DEBUG", "StreamTask", waits, thread="map (1/2)#0").task == said.task
    assert event("DEBUG", "StreamTask", waits, thread="").task is None


def test_the_reason_of_an_abort_is_the_innermost_exception() -> None:
    more = "a.b.CheckpointException: Declined.\n\tat x\nCaused by: a.b.Deep: the very reason\n"
    line = f"Failed to trigger or complete checkpoint 3 for job {JOB}. (0 consecutive)"
    said = event("WARN", "CheckpointFailureManager", line, more=more)
    assert (said.checkpoint, said.job) == (3, JOB)
    assert said.causes == (("CheckpointException", "Declined."), ("Deep", "the very reason"))


def test_a_line_at_another_level_or_of_another_logger_tells_nothing() -> None:
    line = f"{TIME} {{}} x.{{}} [t] - Finished task map (1/2)#0\n"
    for level, logger in (("ERROR", "StreamTask"), ("DEBUG", "Other")):
        (entry,) = entries_of(line.format(level, logger).encode())
        assert isinstance(entry, LogEntry)
        assert event_of(entry, FLINK) is None


def test_no_line_of_the_samples_is_lost() -> None:
    for name, (_, homeless, tally) in samples().items():
        assert tally.parsed > 0, name
        assert tally.unparsable == 0, name
        assert not homeless, name
    counted = [(tally.read, tally.parsed) for _, _, tally in samples().values()]
    assert (sum(read for read, _ in counted), sum(parsed for _, parsed in counted)) == (
        36923,
        18302,
    )


def test_all_lines_are_counted_however_they_are(tmp_path: Path) -> None:
    body = f"junk\n{TIME} INFO  x.JobMaster [t] - Triggering savepoint for job {JOB}\n trace\n"
    (tmp_path / "a.log").write_bytes(
        body.encode() + f"{TIME} INFO  x.Y [t] - no\n\xff".encode("latin1")
    )
    tally = LineTally()
    with LogShelf() as shelf:
        (log,) = shelf.logs([str(tmp_path)])
        (only,) = events_of_lines(shelf.lines(log), FLINK, tally)
    assert only.word == "request_savepoint"
    assert (tally.parsed, tally.ignored, tally.unparsable, tally.read) == (2, 2, 1, 5)


# --- tables ---------------------------------------------------------------------------------------


#: Lines of kinds that no sample has: level, logger, message.
RARE = (
    ("DEBUG", "SingleCheckpointBarrierHandler", f"a (1/1)#0 ({EX}): Received cancellation 3."),
    ("DEBUG", "SubtaskCheckpointCoordinatorImpl",
     "Aborting checkpoint via cancel-barrier 3 for task a (1/1)#0"),
    ("WARN", "SingleCheckpointBarrierHandler",
     f"a (1/1)#0 ({EX}): Received checkpoint barrier for checkpoint 4 before completing current "
     "checkpoint 3. Skipping current checkpoint."),
    ("WARN", "JobMaster",
     "Inconsistent execution state after stopping with savepoint. At least one execution is not"),
    ("INFO", "JobMaster", f"Triggering savepoint for job {JOB}."),
    ("INFO", "ExecutionGraph", f"a (1/1) ({JOB}) switched from CREATED to SCHEDULED."),
    ("DEBUG", "AdaptiveScheduler", "Transition from state Executing to StopWithSavepoint."),
    ("DEBUG", "AdaptiveScheduler", "Running 'notifyEndOfData' in state StopWithSavepoint."),
    ("INFO", "AsyncCheckpointRunnable",
     "a (1/1)#0 - asynchronous part of checkpoint 3 could not be completed."),
    ("INFO", "CheckpointCoordinator", f"Checkpoint 3 of job {JOB} expired before completing."),
    ("DEBUG", "SubtaskCheckpointCoordinatorImpl",
     "a (1/1)#0 - did NOT finish synchronous part of checkpoint 3. Alignment duration: 0 ms"),
    ("INFO", "SubtaskCheckpointCoordinatorImpl",
     "Out of order checkpoint barrier (aborted previously?): 10 >= 9"),
    ("DEBUG", "TwoPhaseCommitSinkFunction",
     "TwoPhase 0/1 - checkpoint 3 triggered, flushing transaction 'null'"),
    ("INFO", "TwoPhaseCommitSinkFunction",
     "TwoPhase 0/1 - checkpoint 3 complete, committing transaction TransactionHolder{}"),
)  # fmt: skip


def test_each_kind_of_line_is_seen() -> None:
    seen = {word for _, _, tally in samples().values() for word in tally.words}
    rare = {event(*line).word for line in RARE}
    assert {pattern.event for pattern in FLINK.patterns} == seen | rare


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no [[line]]"),
        ("[[line]]\nevent = 'completd'", 'has no "logger"'),
        ("[[line]]\nevent = 'completd'\nlogger = 'a'\nmessage = 'b'", 'did you mean "completed"'),
        ("[[line]]\nevent = 'completed'\nlogger = 'a'\nmessage = '('", "no regular expression"),
        (
            "[[line]]\nevent = 'completed'\nlogger = 'a'\nmessage = 'b'\nlevel = ['LOUD']",
            "level is",
        ),
        ("[[line]]\nevnt = 'completed'", 'did you mean "event"'),
        ("line = [3]", "a [[line]] is a table"),
        ("part = 3", "[part] is no table"),
        ("a = ", "Invalid"),
    ],
)
def test_a_bad_table_is_said(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(FinaleError) as caught:
        read_table(tmp_path / "own.toml")
    assert caught.value.code == "bad-table"
    assert why in caught.value.message


def test_a_table_of_ones_own_adds_lines(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        "[[line]]\nevent = 'written'\nlogger = 'Mine'\n"
        "message = 'wrote (?P<record>\\d+) by {task}'\n"
    )
    both = FLINK.with_lines_of(read_table(tmp_path / "own.toml"))
    (entry,) = entries_of(f"{TIME} INFO  z.Mine [t] - wrote 7 by map (1/1)#0\n".encode())
    assert isinstance(entry, LogEntry)
    found = event_of(entry, both)
    assert found is not None
    assert (found.word, found.fields["record"], found.task) == (
        "written",
        "7",
        TaskId("map", 0, 1, 0),
    )


def test_tables_that_are_not_there(tmp_path: Path) -> None:
    assert tables() == ("flink-2.3",)
    with pytest.raises(FinaleError) as caught:
        table("flink-1.4")
    assert caught.value.code == "unknown-table"
    with pytest.raises(FinaleError) as caught:
        read_table(tmp_path / "none.toml")
    assert caught.value.code == "no-such-path"
