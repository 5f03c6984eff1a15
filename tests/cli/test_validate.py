"""`finale validate` on real logs: what is printed, what JSON has, which exit codes there are."""

import json
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.validating import KINDS
from tests.cli.running import ROOT, run
from tests.engine_runs.random_runs import lines_of

SAMPLES = "tests/logs/samples.tar.xz"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    with tarfile.open(ROOT / SAMPLES) as archive:
        archive.extractall(folder, filter="data")
    return folder


def test_a_run_that_shows_nothing_is_told_in_three_lines(unpacked: Path) -> None:
    ran = run("validate bounded-01/flink.log", unpacked)
    assert ran.exit == 0, ran.stderr
    first, second, third, *rest = ran.stdout.splitlines()
    assert [first, second] == [
        "✓ bounded-01: FINISHED",
        "  5 checkpoints · 3 completed · 2 aborted · 439 events · complete  bounded-01/flink.log",
    ]
    assert third.startswith("  no line of any level tells what these ask: ")
    assert rest[-1:] == [
        "1 job · 0 with findings · 1 203 lines: 550 parsed · 653 ignored · 0 unparsable",
    ]


def test_a_finding_names_the_property_and_a_line_to_open(unpacked: Path) -> None:
    ran = run("validate H16-00", unpacked)
    assert ran.exit == 1
    assert "violated requests-do-not-defeat(stop1, checkpoint 3)" in ran.stdout
    assert "H16-00/flink.log:621" in ran.stdout
    assert "2 properties violated" in ran.stdout


@pytest.mark.parametrize(
    ("logs", "told"),
    [
        ("H2-06", {"counted-finished-are-finished": ["H2"]}),
        # Alone, `legal-never-fails` looks like H14: a stop meets the natural end.
        ("stop-race-06", {"legal-never-fails": ["H14"]}),
        ("H16-00", {"requests-do-not-defeat": ["H16"], "legal-never-fails": ["H16"]}),
        # Flink tells the cause, which only H4 has.
        ("H4-00", {"checkpoints-go-on": ["H4"], "waiting-task-closes": ["H4"]}),
        ("H7-00", {"finish-before-close": []}),
    ],
)
def test_a_finding_names_the_hazard_that_is_known_for_it(
    logs: str, told: dict[str, list[str]], unpacked: Path
) -> None:
    ran = run(f"validate {logs}", unpacked)
    for hazards in told.values():
        told_of = f"compare with the known hazard {', '.join(hazards)}: finale explain "
        named = told_of + hazards[0] if hazards else "✗"
        assert named in ran.stdout
    assert ("hazard" in ran.stdout) == any(told.values())
    (job,) = json.loads(run(f"validate {logs} --format json", unpacked).stdout)["results"]
    assert {each["property"]: each["hazards"] for each in job["findings"]} == told


def test_what_is_stuck_is_told_with_its_reason(unpacked: Path) -> None:
    ran = run("validate H4-00", unpacked)
    assert ran.exit == 1
    assert "stuck    checkpoints-go-on" in ran.stdout
    assert "again and again: The vertex Source: src0" in ran.stdout


def test_json_says_where_what_and_how_much_is_decided(unpacked: Path) -> None:
    ran = run("validate multi-cancel-01 --format json", unpacked)
    page = json.loads(ran.stdout)
    lines = page["lines"]
    assert lines["parsed"] + lines["ignored"] + lines["unparsable"] == lines["read"]
    (job,) = page["results"]
    assert job["checkpoints"] == {"pending": [], "completed": [1], "aborted": [2, 3]}
    assert (job["state"], job["coverage"], job["failed"]) == ("CANCELED", "complete", 6)
    assert "confirms-what-was-taken" in job["decided"]
    assert "triggered-tasks-are-heads" in job["undecided"]
    assert page["ok"] is True


def test_a_table_of_ones_own_shows_more(unpacked: Path) -> None:
    table = ROOT / "examples/logs/flinkjobs.toml"
    assert run("validate H12-00", unpacked).exit == 0
    ran = run(f"validate H12-00 --lines {table}", unpacked)
    assert ran.exit == 1
    assert "commit-at-most-once" in ran.stdout


@pytest.mark.parametrize("accept", ["", " --accept"])
def test_a_log_in_which_numbers_are_wrong_is_told_to_be_too_large(
    unpacked: Path, tmp_path: Path, accept: str
) -> None:
    """One wrong number of subtasks makes a job of thousands."""
    text = (unpacked / "stop-race-06/flink.log").read_text()
    (tmp_path / "flink.log").write_text(text.replace("(1/2)#0", "(1/4000)#0", 1))
    ran = run(f"validate flink.log{accept}", tmp_path)
    assert ran.exit == 3, ran.stderr
    told = "not judged: its lines tell of 4 010 subtasks; at most 256 are looked at"
    assert told in ran.stdout
    assert "? " in ran.stdout.splitlines()[0]
    ran = run(f"validate flink.log{accept} --format json", tmp_path)
    assert ran.exit == 3
    assert json.loads(ran.stdout)["results"][0]["too_many"] == 4010


def test_lines_that_nothing_can_be_made_of_are_counted_and_shown(
    unpacked: Path, tmp_path: Path
) -> None:
    shutil.copy(unpacked / "bounded-01" / "flink.log", tmp_path)
    text = (tmp_path / "flink.log").read_text()
    odd = "2026-11-20 15:13:20,000 odd\n"
    (tmp_path / "flink.log").write_text(odd + text + "2026-11-20 15:13:27,650 INF")
    ran = run("validate flink.log", tmp_path)
    assert "1 203 lines" not in ran.stdout
    assert "550 parsed · 653 ignored · 2 unparsable" in ran.stdout
    assert "unparsable, line 1: 2026-11-20 15:13:20,000 odd" in ran.stdout
    assert "gap" in ran.stdout


def test_the_level_of_a_logger_can_be_told(unpacked: Path) -> None:
    assert run("validate bounded-01", unpacked).exit == 0
    ran = run("validate bounded-01 --loggers StreamTask=INFO --format json", unpacked)
    page = json.loads(ran.stdout)
    assert page["results"][0]["needs"]["waiting-task-closes"] == ["DEBUG of StreamTask"]
    assert (ran.exit, page["ok"]) == (3, False)


def test_event_logs_of_the_engine_are_judged_by_the_same_command(tmp_path: Path) -> None:
    job = ROOT / "examples/wordcount/job.toml"
    assert run(f"engine run {job} --directory {tmp_path}/state", tmp_path).exit == 0
    ran = run("validate --engine finale state", tmp_path)
    assert ran.exit == 0, ran.stderr
    assert "accepted" not in ran.stdout
    ran = run("validate --engine finale state --accept", tmp_path)
    assert ran.exit == 0, ran.stderr
    assert "accepted" in ran.stdout


def test_an_event_log_is_rejected_without_being_asked_for_what_explains_it(tmp_path: Path) -> None:
    job = ROOT / "examples/wordcount/job.toml"
    assert run(f"engine run {job} --directory {tmp_path}/state", tmp_path).exit == 0
    log = tmp_path / "state/events.ndjson"
    lines = log.read_text().splitlines()
    place = next(n for n, line in enumerate(lines) if '"event":"complete"' in line)
    told = json.loads(lines[place])
    lines[place] = json.dumps(told | {"checkpoint": told["checkpoint"] + 7}, separators=(",", ":"))
    log.write_text("\n".join(lines) + "\n")
    page = json.loads(run("validate --engine finale state --format json", tmp_path).stdout)
    (job_told,) = page["results"]
    assert job_told["conforms"]["rejected"]
    assert job_told["conforms"]["why"].startswith(f'line {place + 1}, "complete"')
    assert run("validate --engine finale state", tmp_path).exit == 1


def test_an_event_log_with_a_gap_is_undecided_behind_it(tmp_path: Path) -> None:
    job = ROOT / "examples/wordcount/job.toml"
    assert run(f"engine run {job} --directory {tmp_path}/state", tmp_path).exit == 0
    log = tmp_path / "state/events.ndjson"
    lines = log.read_text().splitlines()
    place = next(n for n, line in enumerate(lines) if "apply_acknowledgement" in line)
    log.write_text("\n".join(lines[:place] + lines[place + 1 :]) + "\n")
    ran = run("validate --engine finale state", tmp_path)
    assert ran.exit == 3, ran.stdout
    assert "lines are missing before it" in " ".join(ran.stdout.split())
    ran = run("validate --engine finale state --accept", tmp_path)
    assert ran.exit == 0, ran.stdout


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("validate", "no-paths"),
        ("validate nothing.log", "no-such-path"),
        ("validate bounded-01 --table flink-1.9", "unknown-table"),
        ("validate bounded-01 --loggers Task", "bad-logger"),
        ("validate bounded-01 --lines bounded-01/scenario.json", "bad-table"),
        ("validate bounded-01 --accept --run nothing.toml", "no-such-path"),
        ("validate bounded-01 --settings", "settings-not-asked"),
        ("validate bounded-01 --run bounded-01/flink.log", "settings-not-asked"),
        ("validate bounded-01 --engine finale --accept --settings", "settings-not-asked"),
        ("validate bounded-01 --accept --run bounded-01/flink.log", "malformed-toml"),
    ],
)
def test_bad_input(unpacked: Path, command: str, code: str) -> None:
    ran = run(command, unpacked)
    assert ran.exit == 2
    assert f"error[{code}]" in ran.stderr


def test_a_log_that_is_missing_accuses_nobody(unpacked: Path, tmp_path: Path) -> None:
    """Of a TaskManager, or a part of a rotated log: both were called violations of a whole log."""
    for name in ("jm.log", "tm-2.log"):
        shutil.copy(unpacked / "multi-cancel-01" / name, tmp_path)
    ran = run("validate .", tmp_path)
    said = " ".join(ran.stdout.split())
    assert (ran.exit, "0 with findings" in said) == (3, True)
    assert "not decided since a log is missing: closed-after-final-checkpoint," in said
    assert "this needs the log of the process of Source: src0 (1/2)," in said

    lines = (unpacked / "bounded-01" / "flink.log").read_bytes().splitlines(keepends=True)
    size = len(lines) // 4
    rotated = tmp_path / "rotated"
    rotated.mkdir()
    for number, name in enumerate(("flink.log.3", "flink.log.2", "flink.log.1", "flink.log")):
        end = None if name == "flink.log" else (number + 1) * size
        (rotated / name).write_bytes(b"".join(lines[number * size : end]))
    assert run("validate rotated", tmp_path).exit == 0
    for missing in (1, 2):
        part = rotated / f"flink.log.{missing}"
        part.rename(tmp_path / "away")
        ran = run("validate rotated", tmp_path)
        assert (ran.exit, "0 with findings" in ran.stdout, "gap" in ran.stdout) == (3, True, True)
        told = f"rotated/flink.log: part {missing} of this rotated log is missing\n"
        assert ran.stderr == told
        (tmp_path / "away").rename(part)


def test_an_archive_that_is_cut_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "bad.tar.xz").write_bytes((ROOT / SAMPLES).read_bytes()[:3000])
    ran = run("validate bad.tar.xz", tmp_path)
    assert (ran.exit, "error[unreadable]: bad.tar.xz: " in ran.stderr) == (2, True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("# A page\n\nof no log\n", "no line has the layout of flink-2.3"),
        ("", "the logs are empty"),
        (
            '{"event":"log-start","v":1}\n',
            "no line has the layout of flink-2.3; for event logs: --engine finale",
        ),
        (
            "2026-11-20 15:13:27,650 INFO  org.Other [] - hello\n",
            "no parsed line names a job",
        ),
    ],
)
def test_where_there_is_no_job_that_is_no_success(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "some.log").write_text(text)
    ran = run("validate some.log", tmp_path)
    assert (ran.exit, f"no job was found: {why}" in ran.stdout.splitlines()) == (3, True)
    ran = run("validate some.log --accept --format json", tmp_path)
    assert (ran.exit, json.loads(ran.stdout)["ok"]) == (3, False)
    assert ran.stderr.splitlines() == [f"no job was found: {why}"]
    ran = run("blocked some.log", tmp_path)
    assert (ran.exit, ran.stdout) == (3, f"no job was found: {why}\n")
    ran = run("blocked some.log --format json", tmp_path)
    assert (ran.exit, json.loads(ran.stdout)["ok"]) == (3, False)


def test_a_wrong_file_of_settings_is_told_once_and_nothing_is_written(
    unpacked: Path, tmp_path: Path
) -> None:
    (tmp_path / "own.toml").write_text("[options]\nconcurence = 1\n")
    command = f"validate {unpacked} --accept --run own.toml --output results"
    ran = run(command, tmp_path)
    assert ran.exit == 2
    assert ran.stderr.count("error[") == 1
    assert "error[unknown-option]: own.toml:2 (key options.concurence)" in ran.stderr
    assert not (tmp_path / "results").exists()


def test_why_says_whose_acknowledgement_is_missing(unpacked: Path) -> None:
    ran = run("blocked H4-00/flink.log --at 1010", unpacked)
    assert ran.exit == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[:2] == [
        "H4-00: RUNNING at line 1010",
        "  Source: src0 (1/2) waits for a final checkpoint, since line 386",
    ]
    assert lines[2].startswith("      checkpoint 6, pending since line 944, is not acknowledged")


def test_why_of_a_job_that_has_ended(unpacked: Path) -> None:
    ran = run("blocked bounded-01", unpacked)
    assert ran.stdout == "bounded-01: FINISHED\n  no task is waited for\n"


def test_why_as_json(unpacked: Path) -> None:
    page = json.loads(run("blocked H2-06 --at 1480 --format json", unpacked).stdout)
    (job,) = page["results"]
    assert job["state"] == "RESTARTING"
    waits = next(each for each in job["tasks"] if each["task"] == "Source: src0 (2/2)")
    assert (waits["since"], len(waits["missing"])) == (1479, 1)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("blocked", "no-paths"),
        ("blocked nothing.log", "no-such-path"),
        ("blocked bounded-01 --at 0", "bad-limit"),
    ],
)
def test_why_of_bad_input(unpacked: Path, command: str, code: str) -> None:
    ran = run(command, unpacked)
    assert (ran.exit, f"error[{code}]" in ran.stderr) == (2, True)


def test_logging_prints_what_can_be_put_into_log4j_properties() -> None:
    ran = run("logging flink")
    assert ran.exit == 0
    settings = [line for line in ran.stdout.splitlines() if line and not line.startswith("#")]
    assert all(" = " in line for line in settings)
    assert "logger.finale_streamtask.level = DEBUG" in settings


def test_a_run_of_the_protocol_that_explains_a_job(unpacked: Path) -> None:
    ran = run("validate bounded-01 --accept", unpacked)
    assert ran.exit == 0, ran.stdout
    assert "accepted: a run of the protocol explains it, " in ran.stdout
    assert "; unchecked: records, user code" in ran.stdout


def test_what_nothing_explains_is_undecided(unpacked: Path, tmp_path: Path) -> None:
    text = (unpacked / "bounded-01" / "flink.log").read_text()
    (tmp_path / "flink.log").write_text(
        text.replace("Completed checkpoint 1 for", "Completed checkpoint 2 for")
    )
    ran = run("validate flink.log --accept --format json", tmp_path)
    (job,) = json.loads(ran.stdout)["results"]
    assert job["conforms"]["accepted"] is False
    assert "completed" in job["conforms"]["why"]
    assert ran.exit in (1, 3)


def test_what_is_told_beside_logs_is_taken(unpacked: Path, tmp_path: Path) -> None:
    shutil.copy(unpacked / "concurrent-01" / "flink.log", tmp_path)
    (tmp_path / "run.toml").write_text('release = "flink-2.3"\n\n[options]\nconcurrent = 3\n')
    ran = run("validate flink.log --accept", tmp_path)
    assert ran.exit == 0, ran.stderr
    assert ran.stdout.splitlines()[3:5] == [
        "    told by run.toml: concurrent = 3 (line 4), release = flink-2.3 (line 1)",
        "    told by lines: checkpoints_after_finish = true (line 401)",
    ]
    (tmp_path / "one.toml").write_text("[options]\nconcurrent = 1\n")
    ran = run("validate flink.log --accept --run one.toml", tmp_path)
    assert ran.exit == 1
    assert "line 276, triggered: one.toml:2 says concurrent = 1, and this line" in ran.stdout
    (tmp_path / "run.toml").write_text("[options]\nconcurrence = 1\n")
    ran = run("validate flink.log --accept", tmp_path)
    assert ran.exit == 2
    assert "error[unknown-option]: run.toml:2 (key options.concurrence)" in ran.stderr
    assert run("validate flink.log", tmp_path).exit == 0, "nobody has asked what it is for"


@pytest.mark.slow
def test_settings_that_nobody_tells_are_listed(unpacked: Path) -> None:
    page = json.loads(run("validate H2-06 --accept --settings --format json", unpacked).stdout)
    (job,) = page["results"]
    tried = {(each["settings"]["release"], each["settings"]["restart_scope"]): each["outcome"]
             for each in job["conforms"]["tried"]}  # fmt: skip
    assert tried["flink-2.3", "region"] == "explains"
    assert tried["flink-main", "region"] == "rejected"
    assert {"name": "release", "value": "flink-2.3", "by": "table", "line": None} in job[
        "conforms"
    ]["told"]


def test_what_was_found_is_told_where_a_run_is_searched_for_what_explains_it(
    tmp_path: Path,
) -> None:
    """What is seen before a gap stays, and so does what the search does not ask of long runs."""
    lines = lines_of(replace(KINDS[7], seed=7))
    without = [n for n, line in enumerate(lines[1:-1], 1) if '"event":"poll_' in line][-2]
    (tmp_path / "gap.ndjson").write_text("\n".join(lines[:without] + lines[without + 1 :]) + "\n")
    found: list[set[str]] = []
    for more in ("", " --accept"):
        command = f"validate gap.ndjson --engine finale{more} --format json"
        (told,) = json.loads(run(command, tmp_path).stdout)["results"]
        found.append({json.dumps([each["property"], each["binding"]]) for each in told["findings"]})
    alone, searched = found
    assert any("closed-after-final-checkpoint" in each for each in alone)
    assert alone <= searched


@pytest.mark.parametrize("more", ["", " --accept", " --output kept"])
def test_an_empty_event_log_is_told_and_the_others_are_judged(tmp_path: Path, more: str) -> None:
    lines = lines_of(replace(KINDS[0], seed=1, steps_max=60))
    (tmp_path / "many").mkdir()
    for name, text in (("a", "\n".join(lines) + "\n"), ("b", ""), ("c", "\n".join(lines) + "\n")):
        (tmp_path / f"many/{name}.ndjson").write_text(text)
    ran = run(f"validate many --engine finale{more}", tmp_path)
    assert ran.exit == 2
    assert "error[not-an-event-log]: many/b.ndjson:1" in ran.stderr
    assert "2 jobs" in ran.stdout
    assert ("2 accepted" in ran.stdout) == (more == " --accept")
