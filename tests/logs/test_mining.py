"""Regularities that are planted in runs, and broken in one of them, are found with their lines."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_events import LineTally
from finale.checker.logs.read.log_files import LogLine
from finale.checker.logs.regularities.mining import (
    MiningLimits,
    Regularity,
    Shape,
    broken_regularities,
    mine,
)
from finale.checker.logs.regularities.spans import MinedRun, mined_runs
from tests.cli.running import run

_GRAPH, _VERTEX = "a" * 32, "b" * 32
_RUNTIME = "org.apache.flink.runtime"
Change = Callable[[list[str]], Iterable[str]]
_TASKS = "org.apache.flink.streaming.runtime.tasks"


def _job(number: int) -> str:
    return f"{number:032x}"


def _lines(number: int) -> list[str]:
    """A run: two checkpoints, which one task takes, and messages that no table knows."""
    job, task = _job(number), "map (1/1)#0"
    execution = f"{_GRAPH}_{_VERTEX}_0_0"
    entries = [
        ("INFO", f"{_RUNTIME}.executiongraph.ExecutionGraph", "main",
         f"Job run-{number} ({job}) switched from state CREATED to RUNNING."),
        ("INFO", f"{_RUNTIME}.taskexecutor.TaskExecutor", "main",
         f"Received task {task} ({execution}), deploy into slot"),
    ]  # fmt: skip
    for checkpoint in (1, 2):
        entries += [
            ("INFO", f"{_RUNTIME}.checkpoint.CheckpointCoordinator", "timer",
             f"Triggering checkpoint {checkpoint} (type=CheckpointType{{name='Checkpoint', x=Y}}) "
             f"@ {number} for job {job}."),
            ("DEBUG", f"{_TASKS}.StreamTask", task,
             f"Starting checkpoint {checkpoint} CheckpointType on task {task}"),
            ("DEBUG", f"{_TASKS}.SubtaskCheckpointCoordinatorImpl", task,
             f"{task} - finished synchronous part of checkpoint {checkpoint}. Alignment duration: "
             f"{number} ms, unaligned checkpoint : false"),
            ("INFO", "com.example.Store", task,
             f"stored {number} bytes of checkpoint {checkpoint}"),
            ("INFO", f"{_RUNTIME}.checkpoint.CheckpointCoordinator", "io",
             f"Completed checkpoint {checkpoint} for job {job} (7 bytes, checkpointDuration=1 ms)"),
        ]  # fmt: skip
    entries.append(
        ("INFO", f"{_RUNTIME}.executiongraph.ExecutionGraph", "main",
         f"Job run-{number} ({job}) switched from state RUNNING to FINISHED.")
    )  # fmt: skip
    return [
        f"2026-01-01 00:00:{at:02},000 {level:5} {logger} [{thread}] - {message}"
        for at, (level, logger, thread, message) in enumerate(entries)
    ]


def _runs(change: Change) -> list[MinedRun]:
    """Twenty runs, of which the last but one is changed."""
    return _read([[*change(_lines(n))] if n == 18 else _lines(n) for n in range(20)])


def _read(logs: Iterable[Iterable[str]]) -> list[MinedRun]:
    found: list[MinedRun] = []
    for number, lines in enumerate(logs):
        log = [LogLine(0, n + 1, line.encode()) for n, line in enumerate(lines)]
        found += mined_runs([log], table("flink-2.3"), ((f"{number}.log",),), LineTally())
    return found


def _without(pattern: str) -> Change:
    """Without the last line that has this."""

    def change(lines: list[str]) -> Iterable[str]:
        last = max(n for n, line in enumerate(lines) if pattern in line)
        return (line for n, line in enumerate(lines) if n != last)

    return change


def _swapped(first: str, second: str) -> Change:
    def change(lines: list[str]) -> Iterable[str]:
        one, other = (_at(lines, each) for each in (first, second))
        lines[one], lines[other] = lines[other], lines[one]
        return lines

    return change


def _twice(pattern: str) -> Change:
    def change(lines: list[str]) -> Iterable[str]:
        place = _at(lines, pattern)
        return [*lines[:place], *lines[place : place + 1] * 2, *lines[place + 1 :]]

    return change


def _added(message: str, number: int = 18) -> Change:
    """With a line of the coordinator as the third one; a message of an abort is a warning."""

    def change(lines: list[str]) -> Iterable[str]:
        aborts = message.startswith("Failed")
        logger = "CheckpointFailureManager" if aborts else "CheckpointCoordinator"
        head = f"{lines[2][:23]} {'WARN' if aborts else 'INFO'}  {_RUNTIME}.checkpoint.{logger}"
        line = f"{head} [io] - {message.format(job=_job(number))}"
        return [*lines[:2], line, *lines[2:]]

    return change


def _at(lines: list[str], pattern: str) -> int:
    return next(n for n, line in enumerate(lines) if pattern in line)


@dataclass(frozen=True)
class Planted:
    """A change of one run, and what it breaks: in words, and at which line."""

    change: Change
    scope: str
    sentence: str
    line: int


_PART = "for each checkpoint in each attempt of a task"
BROKEN = {
    "followed": Planted(
        _without("finished synchronous part"), _PART,
        "snapshot-begins CheckpointType is followed by taken false", 9),
    "after": Planted(
        _without("Starting checkpoint"), _PART,
        "taken false comes after snapshot-begins CheckpointType", 9),
    "swapped": Planted(
        _swapped("Starting checkpoint 1", "synchronous part of checkpoint 1"), _PART,
        "taken false comes after snapshot-begins CheckpointType", 4),
    "together": Planted(
        _without("Completed checkpoint"), "for each checkpoint",
        "triggered Checkpoint comes with completed", 8),
    "outcome": Planted(
        _without("Completed checkpoint"), _PART, "taken false comes with completed", 10),
    "message": Planted(
        _without("stored"), "for each checkpoint",
        "triggered Checkpoint comes with Store: stored <n> bytes of checkpoint <n>", 8),
    "once": Planted(
        _twice("Starting checkpoint 1"), _PART, "snapshot-begins CheckpointType comes once", 5),
    "job": Planted(
        _twice("RUNNING to FINISHED"), "in each job",
        "job-switched RUNNING FINISHED comes once", 14),
    "attempt": Planted(
        _without("deploy into slot"), "in each attempt of a task",
        "taken false comes with task-deployed", 4),
    "never": Planted(
        _added("Checkpoint 2 of job {job} expired before completing."), "in each job",
        "expire never comes", 3),
    "apart": Planted(
        _added("Completed checkpoint 9 for job {job} (7 bytes, checkpointDuration=1 ms)"),
        "for each checkpoint", "completed comes with triggered Checkpoint", 3),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_planted_regularity_is_found(name: str) -> None:
    planted = BROKEN[name]
    runs = _runs(planted.change)
    found, unbroken = broken_regularities(runs, MiningLimits())
    (each,) = (r for r in found if r.sentence == f"{planted.scope}: {planted.sentence}")
    assert [runs[broken.run].name for broken in each.breaks] == ["run-18"]
    assert each.holds == 19
    assert runs[18].place(each.breaks[0].event) == f"18.log:{planted.line}"
    assert unbroken > 20


def test_nothing_is_found_where_all_runs_are_alike() -> None:
    found, unbroken = broken_regularities(_runs(list), MiningLimits())
    assert found == []
    assert unbroken > 50


def test_two_classes_that_never_meet_stand_apart() -> None:
    """Half of the checkpoints complete and half are aborted; in one run one does both."""
    aborted = "Failed to trigger or complete checkpoint 2 for job {job}. (0 attempts)"

    def run_of(number: int) -> list[str]:
        lines = [*_without("Completed checkpoint")(_lines(number))]
        return [*_added(aborted, number)(lines)]

    logs = [run_of(number) for number in range(19)]
    logs.append([*_added(aborted, 19)(_lines(19))])
    found, _ = broken_regularities(_read(logs), MiningLimits())
    (each,) = (r for r in found if r.shape is Shape.APART and r.scope == "for each checkpoint")
    assert each.sentence == "for each checkpoint: aborted stands apart from completed"
    assert [broken.run for broken in each.breaks] == [19]


def test_lines_that_the_levels_leave_out_are_not_missed() -> None:
    """The last run but one has no line at DEBUG: that breaks nothing."""
    found, _ = broken_regularities(
        _runs(lambda lines: (line for line in lines if " DEBUG " not in line)), MiningLimits()
    )
    assert [each.sentence for each in found if each.lines.level == "DEBUG"] == []
    assert [each.sentence for each in found if each.other.level == "DEBUG"] == []


def test_runs_without_their_end_are_left_out() -> None:
    mined = mine(_runs(_without("RUNNING to FINISHED")), MiningLimits())
    assert (len(mined.runs), mined.left_out, mined.groups) == (19, 1, ())


def test_too_few_runs_and_too_many_breakers_tell_nothing() -> None:
    runs = _runs(_without("Completed checkpoint"))
    assert broken_regularities(runs, MiningLimits(least=20))[0] == []
    assert broken_regularities(runs, MiningLimits(share=0.04))[0] == []
    assert broken_regularities(runs, MiningLimits(share=0.06))[0]


def test_the_shapes_are_those_of_the_definition() -> None:
    """Each verdict on random slices, beside a definition that looks at each pair of lines."""
    random = Random(20)
    logs: list[list[str]] = []
    for number in range(14):
        first, *middle, last = _lines(number)
        random.shuffle(middle)
        logs.append([first, *random.sample(middle, random.randint(4, len(middle))), last])
    runs = _read(logs)
    found, _ = broken_regularities(runs, MiningLimits(least=1, share=0.9))
    assert {each.shape for each in found} >= {*Shape} - {Shape.NEVER}
    for each in (r for r in found if r.shape is not Shape.NEVER):
        breaks = {broken.run for broken in each.breaks}
        broken = {n for n, run in enumerate(runs) if _breaks(run, each)}
        assert breaks == broken, each.sentence


def _breaks(run: MinedRun, regularity: Regularity) -> bool:
    for part in run.slices.get(regularity.scope, ()):
        one, other = part.spans.get(regularity.lines), part.spans.get(regularity.other)
        if one is None or not run.shows(regularity.other):
            continue
        match regularity.shape:
            case Shape.FOLLOWED:
                holds = other is not None and other.last > one.last
            case Shape.AFTER:
                holds = other is not None and other.first < one.first
            case Shape.TOGETHER:
                holds = other is not None
            case Shape.APART:
                holds = other is None
            case _:
                holds = one.count == 1
        if not holds:
            return True
    return False


# --- the command ----------------------------------------------------------------------------------


def _written(folder: Path, change: Change) -> None:
    for number in range(20):
        lines = change(_lines(number)) if number == 18 else _lines(number)
        (folder / f"run-{number}").mkdir()
        text = "".join(f"{line}\n" for line in lines)
        (folder / f"run-{number}" / "flink.log").write_text(text)


def test_the_command_prints_groups_with_places(tmp_path: Path) -> None:
    _written(tmp_path, _without("Completed checkpoint"))
    ran = run("mine .", tmp_path, columns=200)
    assert ran.exit == 0
    assert ran.stdout.startswith("run-18\n")
    assert "triggered Checkpoint is followed by completed\n    holds in 19 runs" in ran.stdout
    assert "    run-18/flink.log:8  map (1/1)#0, checkpoint 2\n" in ran.stdout
    page = json.loads(run("mine . --format json", tmp_path).stdout)
    assert page["format"] == "finale-mine/1"
    (group,) = page["groups"]
    assert group["runs"] == ["run-18"]
    places = {b["place"] for each in group["regularities"] for b in each["breaks"]}
    assert "run-18/flink.log:8" in places


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        ("", "no-paths"),
        ("nowhere", "no-such-path"),
        (". --least 0", "bad-value"),
        (". --groups 0", "bad-value"),
        (". --share 50", "bad-value"),
        (". --share -1", "bad-value"),
        (". --table flink-0.1", "unknown-table"),
    ],
)
def test_bad_input_is_a_coded_error(flags: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "flink.log").write_text(f"{_lines(1)[0]}\n")
    ran = run(f"mine {flags}", tmp_path)
    assert ran.exit == 2
    assert f"[{code}]" in ran.stderr


def test_logs_without_a_job(tmp_path: Path) -> None:
    (tmp_path / "flink.log").write_text("nothing of Flink\n")
    ran = run("mine flink.log", tmp_path)
    assert ran.exit == 3
    assert "no job was found" in ran.stdout


def test_names_and_bytes_from_outside_are_taken_out_or_escaped(tmp_path: Path) -> None:
    """A vertex `map` is no part of `HashMap`; a message can have bytes that are not UTF-8."""
    for number in range(20):
        lines = _lines(number)
        hostile = b"\xff\x1b[31m HashMap of map (1/1)#0 \r in /tmp/%d" % number
        if number == 18:
            lines = [*_without("Completed checkpoint")(lines)]
        text = [line.encode() for line in lines]
        level = b"DEBUG" if number < 15 else b"WARN "
        head = lines[0][:24].encode() + level + b" com.example.Store [main] - "
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "flink.log").write_bytes(
            b"".join(each + b"\n" for each in (text[0], head + hostile, *text[1:]))
        )
    ran = run("mine . --least 2 --share 30", tmp_path, columns=200)
    assert ran.exit == 0
    assert "\x1b" not in ran.stdout
    assert "HashMap of <task>" in ran.stdout
    page = run("mine . --least 2 --share 30 --format json", tmp_path).stdout
    assert page.isascii()
    assert json.loads(page)["ok"]
