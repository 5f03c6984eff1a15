"""What the tasks of a run that has not ended wait for, at some line of it."""

from collections.abc import Iterable, Iterator

from finale.checker.logs.read.line_patterns import levels_needed, log4j2, table
from finale.checker.logs.read.log_files import LogLine
from finale.checker.logs.replay.unfinished_tasks import UnfinishedTask

from .archive import SAMPLES
from .test_findings import Change, at_info, judged


def waiting(name: str, at: int, change: Change | None = None) -> dict[str, UnfinishedTask]:
    """By task, what it waits for at a line of a sample."""

    def until(lines: Iterable[LogLine]) -> Iterator[LogLine]:
        before = (line for line in lines if line.number <= at)
        yield from before if change is None else change(before)

    ((_, cluster),) = judged(str(SAMPLES), until, name)
    return {each.task: each for each in cluster.jobs[0].unfinished_tasks}


def test_whose_acknowledgement_is_missing() -> None:
    tasks = waiting("H4-00", 1010)
    waits = tasks["Source: src0 (1/2)"]
    assert waits.status == "waits for a final checkpoint"
    assert waits.since is not None
    assert waits.since.line == 386
    assert waits.missing == (
        "checkpoint 6, pending since line 944, is not acknowledged by map (2/2), "
        "sink: Writer -> sink: Committer (1/2)",
    )
    assert tasks["Source: src0 (2/2)"].missing == ("it has not come to the end of its data",)
    assert tasks["map (1/2)"].missing == ("not all of its inputs have ended",)


def test_why_no_checkpoint_comes() -> None:
    (missing,) = waiting("H4-00", 1030)["Source: src0 (1/2)"].missing
    assert missing.startswith("no checkpoint is pending; the last 5 were given up or refused: ")
    assert "UnionListState" in missing


def test_how_far_the_confirmation_of_a_final_checkpoint_has_come() -> None:
    """The task, which was started again, waits for no other checkpoint."""
    completed = "its final checkpoint 4 completed at line 811"
    for line, then in (
        (812, ", and no line tells that the confirmation has arrived"),
        (813, "; the confirmation arrived at line 813, and the task has not acted on it"),
        (815, "; it heard of that at line 815, and waits for its readers"),
    ):
        (missing,) = waiting("H12-00", line)["Source: src0 (1/1)"].missing
        assert missing == completed + then


def test_a_task_that_is_down_is_told_apart() -> None:
    tasks = waiting("H2-06", 1480)
    assert tasks["map1 (1/2)"].status == "has failed or was canceled, and is not started again"
    assert "Source: src0 (1/2)" not in tasks  # it has FINISHED


def test_many_names_are_cut_short() -> None:
    (missing,) = waiting("race-00", 860)["Source: src0 (1/3)"].missing
    assert " and " in missing
    assert missing.endswith(" more")


def test_without_acknowledgements_in_the_log_it_says_which_logger_tells_them() -> None:
    tasks = waiting("H4-00", 1010, at_info)
    assert tasks["Source: src0 (1/2)"].status == "runs"  # that it waits is told at DEBUG


def test_a_job_that_has_ended_waits_for_nothing() -> None:
    assert waiting("H4-00", 10**9) == {}


def test_the_levels_that_are_needed_make_all_lines_of_tasks_visible() -> None:
    known = table("flink-2.3")
    levels = {name.rpartition(".")[2]: level for name, level in levels_needed(known).items()}
    for word in ("apply_acknowledgement", "waits", "taken", "notified-complete", "released"):
        (pattern,) = (each for each in known.patterns if each.event == word)
        assert levels[pattern.logger] == pattern.levels[0]
    text = log4j2(known)
    assert "[%t]" in text
    assert "name = org.apache.flink.streaming.runtime.tasks.StreamTask\n" in text
