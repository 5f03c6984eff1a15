"""What runs of a real engine show, and what is shown when their logs are changed."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from finale.checker.logs.findings import Coverage, Severity
from finale.checker.logs.read.line_patterns import read_table, table
from finale.checker.logs.read.log_files import LogLine, LogShelf, RawLog
from finale.checker.logs.validate import JudgedCluster, judge_cluster

from .archive import SAMPLES, archives, needs_archives, truths
from .edits import edited, found, until, validated

ROOT = Path(__file__).parent.parent.parent
TABLE = table("flink-2.3").with_lines_of(read_table(ROOT / "examples/logs/flinkjobs.toml"))
Change = Callable[[Iterable[LogLine]], Iterator[LogLine]]

#: Any of these is the finding of its hazard.
OF_HAZARD = {
    "H2": {"counted-finished-are-finished"},
    "H4": {"checkpoints-go-on"},
    "H6": {"nothing-after-the-cut"},
    "H7": {"nothing-after-the-cut", "finish-before-close"},
    "H12": {"commit-at-most-once"},
    "H16": {"requests-do-not-defeat"},
}


# --- copies of a log ------------------------------------------------------------------------------


def as_it_is(lines: Iterable[LogLine]) -> Iterator[LogLine]:
    yield from lines


def at_info(lines: Iterable[LogLine]) -> Iterator[LogLine]:
    """What is left where no logger is set to DEBUG."""
    kept = False
    for line in lines:
        found = TABLE.layouts.layouts[0].head.fullmatch(line.raw.decode())
        if found is not None:
            kept = found["level"] not in ("DEBUG", "TRACE")
        if kept:
            yield line


def without_threads(lines: Iterable[LogLine]) -> Iterator[LogLine]:
    """As Flink's default layout has it."""
    for line in lines:
        text = line.raw.decode()
        found = TABLE.layouts.layouts[0].head.fullmatch(text)
        if found is not None:
            text = text[: found.start("thread")] + text[found.end("thread") :]
        yield LogLine(line.part, line.number, text.encode(), line.whole)


def bare(lines: Iterable[LogLine]) -> Iterator[LogLine]:
    return without_threads(at_info(lines))


def judged(
    path: str, change: Change = as_it_is, only: str | None = None
) -> Iterator[tuple[str, JudgedCluster]]:
    """What the logs of each folder of an archive show, or of one, after a change of them."""
    with LogShelf() as shelf:
        by_folder: dict[str, list[RawLog]] = {}
        for log in shelf.logs([path]):
            by_folder.setdefault(log.folder, []).append(log)
        for folder, logs in by_folder.items():
            name = folder.rpartition("!")[2].rpartition("/")[2]
            if only not in (None, name):
                continue
            yield name, judge_cluster([change(shelf.lines(log)) for log in logs], TABLE)


def shown(cluster: JudgedCluster) -> set[str]:
    return {finding.property for job in cluster.jobs for finding in job.verdict.shows}


# --- runs as they were ----------------------------------------------------------------------------


def first_lines(cluster: JudgedCluster) -> dict[str, tuple[int, str, int]]:
    """Of each property: the line from which on it is shown, how, and for how many."""
    found: dict[str, tuple[int, str, int]] = {}
    for each in (each for job in cluster.jobs for each in job.verdict.shows):
        line, severity, number = found.get(each.property, (each.where.line, each.severity.value, 0))
        found[each.property] = (line, severity, number + 1)
    return found


#: What the samples show; all others show nothing.
SHOWN = {
    "stop-race-06": {"legal-never-fails": (1288, "violated", 5)},
    "H2-06": {"counted-finished-are-finished": (1552, "violated", 6)},
    "H4-00": {
        "checkpoints-go-on": (1019, "stuck", 1),
        "waiting-task-closes": (1019, "stuck", 1),
    },
    "H6-02": {"nothing-after-the-cut": (707, "violated", 1)},
    "H7-00": {
        "nothing-after-the-cut": (795, "violated", 1),
        "finish-before-close": (923, "violated", 2),
    },
    "H12-00": {"commit-at-most-once": (845, "violated", 1)},
    "H16-00": {
        "requests-do-not-defeat": (621, "violated", 1),
        "legal-never-fails": (660, "violated", 6),
    },
}


def test_the_samples_show_what_they_show() -> None:
    found = {name: first_lines(cluster) for name, cluster in judged(str(SAMPLES))}
    assert {name: each for name, each in found.items() if each} == SHOWN
    assert len(found) == 19


def test_a_run_with_more_checkpoints_than_are_looked_at_shows_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("finale.checker.logs.replay.replay_state.IDS_AT_ONCE", 2)
    for name in ("H4-00", "H4-01"):
        ((_, cluster),) = judged(str(SAMPLES), only=name)
        assert len(cluster.jobs[0].history.checkpoints) > 40
        assert first_lines(cluster) == SHOWN.get(name, {})


def test_what_is_not_told_is_undecided_and_not_guessed() -> None:
    for name, cluster in judged(str(SAMPLES), at_info):
        for job in cluster.jobs:
            assert not {"confirms-what-was-taken", "closed-after-final-checkpoint"} & {
                *job.verdict.decided
            }, name
            assert (
                "confirms-what-was-taken" in job.verdict.undecided or not job.history.checkpoints
            ), name


#: How much is found of each hazard in each copy: of those runs that show it.
DECIDABLE: dict[str, tuple[Change, dict[str, int]]] = {
    "full": (as_it_is, {"H2": 8, "H4": 6, "H6": 5, "H7": 7, "H12": 2, "H16": 8}),
    "info": (at_info, {"H2": 8, "H4": 6, "H6": 0, "H7": 0, "H12": 2, "H16": 8}),
    "default layout": (without_threads, {"H2": 8, "H4": 6, "H6": 0, "H7": 0, "H12": 0, "H16": 8}),
    "default": (bare, {"H2": 8, "H4": 6, "H6": 0, "H7": 0, "H12": 0, "H16": 8}),
}
#: Of the runs that are no experiments about hazards.
OTHERS = {
    "legacy-nofinish-03": {"triggers-go-on"},
    "multi-drain-01": {"legal-never-fails"},
    "stop-nodrain-04": {"finish-before-close"},
    "stop-race-06": {"legal-never-fails"},
    "stop-race-07": {"finish-before-close"},
    "stop-race-11": {"legal-never-fails"},
    "timeout-00": {"checkpoints-go-on"},
    "union-state-00": {"checkpoints-go-on", "waiting-task-closes"},
}
#: Those of them that need lines at DEBUG.
AT_DEBUG = {"closed-after-final-checkpoint", "finish-before-close", "waiting-task-closes"}


@pytest.mark.slow
@needs_archives
@pytest.mark.parametrize("copy", DECIDABLE)
def test_each_hazard_is_found_in_its_runs_and_in_no_other(copy: str) -> None:
    change, expected = DECIDABLE[copy]
    found: Counter[str] = Counter()
    others: dict[str, set[str]] = {}
    for path in archives():
        known = truths(path)
        for name, cluster in judged(path, change):
            truth, properties = known[name], shown(cluster)
            if "hazard" not in truth:
                others |= {name: properties} if properties else {}
            elif truth["shows_hazard"]:
                found[truth["hazard"]] += bool(properties & OF_HAZARD[truth["hazard"]])
            else:
                assert properties == set(), name
    assert {hazard: found[hazard] for hazard in expected} == expected
    if copy == "full":
        assert others == OTHERS
    else:
        fewer = {name: each - AT_DEBUG for name, each in OTHERS.items()}
        told = {name: each - AT_DEBUG for name, each in others.items()}
        assert {n: e for n, e in told.items() if e} == {n: e for n, e in fewer.items() if e}


# --- logs that are changed ------------------------------------------------------------------------


def changed(name: str, *changes: tuple[str, str], drop: str | None = None) -> JudgedCluster:
    """What a sample shows after changes: a pattern and what stands for its first occurrence."""
    todo = dict(changes)
    done: list[str] = []

    def change(lines: Iterable[LogLine]) -> Iterator[LogLine]:
        for line in lines:
            text = line.raw.decode()
            if drop is not None and re.search(drop, text):
                done.append(drop)
                continue
            for pattern, new in list(todo.items()):
                text, number = re.subn(pattern, new, text)
                if number:
                    del todo[pattern]
            for each in text.split("\n"):
                yield LogLine(line.part, line.number, each.encode(), line.whole)

    ((_, cluster),) = judged(str(SAMPLES), change, name)
    assert not todo
    assert drop is None or done
    return cluster


def test_an_abort_after_the_completion_shows() -> None:
    job = r"\g<1>WARN  x.CheckpointFailureManager [t] - Failed to trigger or complete checkpoint 1"
    line = (r"^(\S+ \S+ )INFO .* Completed checkpoint 1( for job \w+) .*$", rf"\g<0>\n{job}\2.")
    assert "decided-once" in shown(changed("race-00", line))


def test_a_confirmation_of_what_was_not_taken_shows() -> None:
    drop = r"Source: src0 \(1/\d\)#0 - finished synchronous part of checkpoint 1\b"
    assert "confirms-what-was-taken" in shown(changed("race-00", drop=drop))


def test_a_task_that_ends_and_never_waited_shows() -> None:
    drop = r"\[Source: src0 \(1/\d\)#0\] - Waiting for all the records"
    assert "finish-before-close" in shown(changed("race-00", drop=drop))


def test_a_task_that_ends_and_took_part_in_nothing_shows() -> None:
    drop = r"Source: src0 \(1/\d\)#0 - finished synchronous part of checkpoint"
    assert "closed-after-final-checkpoint" in shown(changed("race-00", drop=drop))


def test_a_completion_without_an_acknowledgement_shows() -> None:
    drop = r"Received acknowledge message for checkpoint 1 from task \w+_0_0 "
    assert "counted-finished-are-finished" in shown(changed("race-00", drop=drop))


def test_an_older_checkpoint_that_completes_shows() -> None:
    late = r"\g<0>\n\g<1>1\g<2>"
    line = (r"^(.* Completed checkpoint )2( for job .*)$", late)
    first = r" Completed checkpoint 1 for job"
    assert "completed-in-order" in shown(changed("race-00", line, drop=first))


def test_a_restart_from_an_older_checkpoint_shows() -> None:
    line = (r"(Restoring job \w+ from Checkpoint )\d+( @)", r"\g<1>1\2")
    assert "restores-newest" in shown(changed("H2-08", line))


def test_a_log_that_ends_early_is_truncated_and_shows_nothing() -> None:
    def half(lines: Iterable[LogLine]) -> Iterator[LogLine]:
        yield from (line for line in lines if line.number < 700)

    ((_, cluster),) = judged(str(SAMPLES), half, "race-00")
    (job,) = cluster.jobs
    assert job.verdict.coverage is Coverage.TRUNCATED
    assert {each.severity for each in job.verdict.findings} == {Severity.OPEN}


def test_a_log_that_begins_late_has_a_gap_and_shows_nothing_new() -> None:
    def rest(lines: Iterable[LogLine]) -> Iterator[LogLine]:
        yield from (line for line in lines if line.number > 500)

    for name, cluster in judged(str(SAMPLES), rest):
        assert {job.verdict.coverage for job in cluster.jobs[:1]} == {Coverage.GAP}, name
        assert shown(cluster) <= set(SHOWN.get(name, {})), name


def test_a_job_whose_sources_have_all_finished_owes_no_checkpoint(tmp_path: Path) -> None:
    """No checkpoint can be triggered: that is stuck while a source reads, and not behind them."""
    why = "Some tasks of the job have already finished"
    refused = (
        "INFO  org.apache.flink.runtime.checkpoint.CheckpointFailureManager [Checkpoint Timer] - "
        f"Failed to trigger checkpoint for job 131b104b484185821cf8645348296d83 since {why}."
    )
    for subtask, is_stuck in (("1/2", False), ("2/2", True)):
        last = rf"ExecutionGraph .* Source: src0 \({subtask}\) .* switched from RUNNING to FINISHED"
        lines = edited("bounded-01", until(last))
        lines += [f"{lines[-1][:24]}{refused}"] * 6
        job, _ = validated(tmp_path, lines)
        assert bool({"triggers-go-on", "checkpoints-go-on"} & {*found(job, "stuck")}) is is_stuck
