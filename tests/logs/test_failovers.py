"""Real runs of Flink 2.3 in which the JobMaster loses its leadership, and another one follows.

`finale reproduce` drove these runs. The job of each is a source S and a sink K.
"""

import lzma
import re
from pathlib import Path

import pytest

from finale.checker.logs.read.failovers import GraphAttempts, first_attempts
from finale.checker.logs.read.job_runs import JobRun, runs_of
from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_events import LineTally, events_of_lines
from finale.checker.logs.read.log_files import LogLine
from tests.cli.running import run

from .archive import FAILOVERS
from .edits import Edit, at, at_info, dropped, edited, found, validated, without_threads

CHAINED = Path(__file__).parent / "chained-source.log.xz"
#: A failover aborts a checkpoint; comes while one completes; comes between two; in a stop.
HEALTHY = ("failover-in-a-stop", "failover-while-it-completes", "failover")
#: A checkpoint follows the savepoint of a stop, and the new JobMaster restores it.
LOSES = ("stop-then-failover", "drain-then-failover")
#: Those of which a search for a run takes seconds: they have stops.
SLOW = ("failover-in-a-stop", *LOSES)
_LOST = "records-survive-restarts"
_BEGINS = "LeadershipRunner for job .* was granted"


def each_run() -> list[object]:
    """All runs with a failover, as parameters of a test."""
    return [pytest.param(each, marks=[pytest.mark.slow] if each in SLOW else [])
            for each in (*HEALTHY, *LOSES)]  # fmt: skip


def killed(lines: list[str]) -> list[str]:
    """As if the old JobManager's process had ended: from then on only the tasks write."""
    first = at(lines, "was revoked leadership")
    last = max(n for n, each in enumerate(lines) if re.search(_BEGINS, each))
    kept, left = True, []
    for line in lines[first:last]:
        head = re.match(r"\S+ \S+ +\w+ +(\S+)", line) if line.startswith("20") else None
        if head is not None:
            own = (".taskmanager.", ".taskexecutor.", ".streaming.")
            kept = any(each in head[1] for each in own)
        left += [line] if kept else []
    return [*lines[:first], *left, *lines[last:]]


def second_alone(lines: list[str]) -> list[str]:
    """The log of the new JobManager, if that of the old one is lost."""
    return lines[max(n for n, each in enumerate(lines) if re.search(_BEGINS, each)) :]


def swapped(pattern: str, new: str) -> Edit:
    """Another text in all lines."""
    return lambda lines: [re.sub(pattern, new, each) for each in lines]


@pytest.mark.parametrize("name", each_run())
@pytest.mark.parametrize("edit", [None, killed])
def test_a_failover_is_a_crash_of_the_model(name: str, edit: Edit | None, tmp_path: Path) -> None:
    job, ran = validated(tmp_path, edited(name, *([edit] if edit else ())), "--accept")
    assert job["conforms"]["accepted"], job["conforms"]["why"]
    lost = found(job).pop(_LOST, [])
    assert found(job).keys() <= {_LOST}
    assert [each["binding"] for each in lost] == [{"task": "Source: S (1/1)"}] * (name in LOSES)
    assert ran.exit == 1 if name in LOSES else ran.exit in (0, 3)


@pytest.mark.parametrize("name", each_run())
@pytest.mark.parametrize("edits", [(at_info,), (killed, at_info), (without_threads,)])
def test_fewer_lines_show_nothing_else(name: str, edits: tuple[Edit, ...], tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited(name, *edits), "--accept")
    assert not job["conforms"]["rejected"]
    assert found(job).keys() == ({_LOST} if name in LOSES and at_info in edits else set())


@pytest.mark.parametrize("name", each_run())
def test_the_log_of_the_new_jobmanager_alone_lacks_its_beginning(name: str, tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited(name, second_alone), "--accept")
    assert not job["conforms"]["rejected"]
    assert not found(job)
    assert job["coverage"] == "gap" or name == "failover-in-a-stop"  # there nothing was restored


def test_a_log_that_ends_during_a_failover_shows_nothing(tmp_path: Path) -> None:
    lines = edited("failover")
    for end in ("was revoked", "to SUSPENDED", "Created execution graph 80f4", "Restoring job",
                "Received task", "INITIALIZING to RUNNING"):  # fmt: skip
        last = max(n for n, each in enumerate(lines) if end in each)
        job, _ = validated(tmp_path, lines[: last + 1], "--accept")
        assert not job["conforms"]["rejected"], end
        assert not found(job, "violated", "stuck", "overdue"), end


def test_the_source_that_a_restart_loses_is_told_with_its_lines(tmp_path: Path) -> None:
    lines = edited("stop-then-failover")
    job, ran = validated(tmp_path, lines)
    (lost,) = found(job, "violated")[_LOST]
    assert lost["line"] == at(lines, "Restoring job") + 1
    stops, counts = (at(lines, each) + 1 for each in ("SOURCE_STOPPED", "Triggering checkpoint 2"))
    assert f"(line {stops})" in lost["why"]
    assert f"checkpoint 2, triggered at line {counts}, counts" in lost["why"]
    assert "✗" in ran.stdout


def test_a_source_that_has_read_everything_is_not_lost(tmp_path: Path) -> None:
    ended = swapped("from READING to SOURCE_STOPPED", "from READING to DATA_FINISHED")
    job, _ = validated(tmp_path, edited("stop-then-failover", ended))
    assert not found(job)


def test_a_restored_checkpoint_that_is_not_the_newest_is_found(tmp_path: Path) -> None:
    """Checkpoint 1 is the savepoint of a stop: no restart may take it."""
    older = edited("stop-then-failover", swapped(r"from Checkpoint 2 @", "from Checkpoint 1 @"))
    job, ran = validated(tmp_path, older)
    assert "restores-newest" in found(job, "violated")
    assert ran.exit == 1


@pytest.mark.slow
def test_no_run_is_found_in_which_an_older_checkpoint_is_restored(tmp_path: Path) -> None:
    older = edited("stop-then-failover", swapped(r"from Checkpoint 2 @", "from Checkpoint 1 @"))
    job, _ = validated(tmp_path, older, "--accept")
    assert not job["conforms"]["accepted"]
    assert "1 is restored, and " in job["conforms"]["why"]


def test_a_restored_checkpoint_that_has_not_completed_is_rejected(tmp_path: Path) -> None:
    lines = edited("failover-while-it-completes", dropped("Completed checkpoint 1 "))
    job, _ = validated(tmp_path, lines, "--accept")
    assert job["conforms"]["rejected"]
    assert job["conforms"]["why"].startswith(f"line {at(lines, 'Restoring job') + 1}, restored(1)")


def test_a_process_that_ends_may_not_tell_that_a_checkpoint_has_completed(tmp_path: Path) -> None:
    """It is in the store before the line is written. Then only its restore tells it."""
    told = "Completed checkpoint 1 |COMPLETE} 1 |checkpoint 1 complete|COMPLETE 1 "
    unseen = edited("failover", killed, dropped(f"{told}|Confirm completed checkpoint 1@"))
    job, _ = validated(tmp_path, unseen, "--accept")
    assert job["conforms"]["accepted"], job["conforms"]["why"]
    assert not found(job)
    assert 1 in job["checkpoints"]["completed"]
    # A task that was told of it was told after the line.
    job, _ = validated(tmp_path, edited("failover", killed, dropped("Completed checkpoint 1 ")),
                       "--accept")  # fmt: skip
    assert job["conforms"]["rejected"]


def test_a_name_that_two_attempts_have_at_once_is_not_judged(tmp_path: Path) -> None:
    """The old K closes while the new one runs, and a line names both."""
    lines = edited("stop-then-failover")
    ends = at(lines, "Un-registering .* FAILED .*K \\(1/1\\)#0")
    line = lines.pop(ends)
    runs = at(lines, r"Task .*K \(1/1\)#0 .*326e.* INITIALIZING to RUNNING")
    lines.insert(at(lines, "Starting checkpoint 3 .* K ") + 1, line)
    assert ends < runs
    job, ran = validated(tmp_path, lines, "--accept")
    assert job["ambiguous"] == ["K (1/1)"]
    assert 'not judged: several attempts or jobs have "K (1/1)"' in ran.stdout


def test_a_chained_source_is_said_and_not_rejected(tmp_path: Path) -> None:
    """A task of this job reads the channel of S, and a source is chained into it."""
    lines = lzma.decompress(CHAINED.read_bytes()).decode().splitlines()
    job, ran = validated(tmp_path, lines, "--accept")
    assert not job["conforms"]["rejected"]
    assert "reads channels and has sources chained into it" in job["conforms"]["why"]
    assert not found(job, "violated", "stuck", "overdue")
    assert ran.exit == 3


# --- reading --------------------------------------------------------------------------------------


def read(*logs: list[str]) -> JobRun:
    events = [
        event
        for place, lines in enumerate(logs)
        for event in events_of_lines(
            (LogLine(0, number, each.encode()) for number, each in enumerate(lines, 1)),
            table("flink-2.3"), LineTally(), place,
        )
    ]  # fmt: skip
    ((run_,), _) = runs_of(events)
    return run_


def test_attempts_count_on_across_coordinators() -> None:
    told = {each.task.attempt for each in read(edited("failover")).events if each.task}
    assert told == {0, 1}


def test_what_the_old_coordinator_writes_comes_before_the_new_one() -> None:
    """Its clock is a second ahead: by the times of the lines it would write behind the new one."""
    lines = edited("failover-while-it-completes", killed)
    new = second_alone(lines)
    old = lines[: len(lines) - len(new)]
    place = at(old, "Triggering checkpoint 1 ")
    late = [re.sub(r"^(\S+ \d\d:\d\d:)\d\d", r"\g<1>59", each) for each in old[place:]]
    words = [each.word for each in read([*old[:place], *late], new).events]
    assert words.index("triggered") < len(words) - words[::-1].index("graph-created")


@pytest.mark.parametrize(
    ("second", "counts_from"), [((0, 0), 2), ((2, 1), 0), ((0, 1), 0)],
    ids=("all begin anew", "all count on", "one counts on: a task was added again"),
)  # fmt: skip
def test_a_graph_is_of_a_new_coordinator_if_no_task_counts_on(
    second: tuple[int, int], counts_from: int
) -> None:
    attempts = {"a": GraphAttempts(), "b": GraphAttempts()}
    for subtask, (before, after) in enumerate(zip((1, 0), second, strict=True)):
        attempts["a"].note(("v", subtask), before)
        attempts["b"].note(("v", subtask), after)
    first, new = first_attempts([("a", "job"), ("b", "job")], attempts)
    assert first == {"a": 0, "b": counts_from}
    assert bool(new) == (counts_from > 0)


@pytest.mark.slow
def test_the_command_judges_the_archive(tmp_path: Path) -> None:
    ran = run(f"validate {FAILOVERS} --accept", tmp_path)
    assert "5 jobs" in ran.stdout
    assert "rejected" not in ran.stdout


def test_a_job_of_the_same_id_behind_the_end_is_no_failover(tmp_path: Path) -> None:
    """The first job was cancelled, as it seems; nothing is said against the second."""
    again = edited("failover", swapped("RUNNING to SUSPENDED", "RUNNING to CANCELED"))
    job, _ = validated(tmp_path, again, "--accept")
    assert job["coverage"] == "gap"
    assert not job["conforms"]["rejected"]
    assert not found(job, "violated", "stuck", "overdue")
