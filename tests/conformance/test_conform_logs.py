"""`finale conform` of event logs: what it prints, and its exit codes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from finale.cli.meter import Meter
from finale.reference.settings import Faults
from tests.cli.running import run
from tests.conformance.logs import PAIR, changed, engine_of, log_of, without


def written(folder: Path, lines: list[str]) -> Path:
    file = folder / "events.ndjson"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def lines_of(protocol: str = "final-checkpoint") -> list[str]:
    return log_of(engine_of(PAIR, protocol, Faults(checkpoints=3)), PAIR, 3)


def test_a_log_is_accepted(tmp_path: Path) -> None:
    written(tmp_path, lines_of())
    ran = run("conform events.ndjson", tmp_path)
    assert ran.exit == 0, ran
    assert "✓ events.ndjson: accepted\n" in ran.stdout
    assert "complete" in ran.stdout


def test_what_a_run_shows_is_told_with_its_line(tmp_path: Path) -> None:
    written(tmp_path, lines_of("legacy-finish"))
    ran = run("conform events.ndjson", tmp_path)
    assert ran.exit == 1
    assert re.match(r"✗ events.ndjson: accepted, \d+ findings?\n", ran.stdout)
    assert "violated closed-after-final-checkpoint(K)" in ran.stdout
    told = json.loads(run("conform events.ndjson --format json", tmp_path).stdout)
    (row,) = told["results"]
    assert not told["ok"]
    assert row["conforms"] == "accepted"
    assert row["coverage"] == "complete"
    assert {"property", "binding", "line", "severity"} == row["findings"][0].keys()


def test_what_may_yet_come_is_told_and_is_no_failure(tmp_path: Path) -> None:
    lines = lines_of()
    at = next(i for i, line in enumerate(lines) if '"trigger_checkpoint"' in line)
    written(tmp_path, changed(lines, lambda events: events[:at]))
    ran = run("conform events.ndjson", tmp_path)
    assert ran.exit == 0, ran
    assert re.match(r"✓ events.ndjson: accepted, \d+ findings?\n", ran.stdout)
    assert "  open " in ran.stdout
    assert json.loads(run("conform events.ndjson --format json", tmp_path).stdout)["ok"]


def test_a_limit_leaves_it_undecided_and_says_what_gives_more(tmp_path: Path) -> None:
    names = ("poll_barrier", "deliver_abort", "apply_acknowledgement")
    written(tmp_path, without(lines_of(), names))
    unseen = " ".join(f"--unseen {name}" for name in names)
    for flag, limit in (("--max-states 1", "states"), ("--max-seconds 1e-9", "seconds")):
        ran = run(f"conform events.ndjson {unseen} {flag}", tmp_path)
        assert ran.exit == 3, ran
        assert re.search(r"undecided: the limit of .+\n  explained up to line \d+ of", ran.stdout)
        assert flag.split()[0] in ran.stdout
        told = json.loads(
            run(f"conform events.ndjson {unseen} {flag} --format json", tmp_path).stdout
        )
        (row,) = told["results"]
        assert (row["conforms"], row["limit"], told["ok"]) == ("undecided", limit, False)
        assert row["states"] >= 1


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_interrupted_judge_says_how_far_it_came(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(meter: Meter, news: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("finale.checker.logs.event_log.progress.SECONDS_BETWEEN_REPORTS", 0.0)
    monkeypatch.setattr(Meter, "__call__", interrupt)
    written(tmp_path, lines_of())
    ran = run(f"conform events.ndjson events.ndjson --format {form}", tmp_path)
    assert ran.exit == 130
    assert ran.stderr == "interrupted\n"
    if form == "text":
        assert ran.stdout.count("undecided: interrupted\n  explained up to line") == 1
    else:
        (row,) = json.loads(ran.stdout)["results"]
        assert (row["conforms"], row["limit"]) == ("undecided", "interrupted")


def test_a_rejected_log_tells_the_line_and_what_was_possible(tmp_path: Path) -> None:
    lines = lines_of()
    at = next(i for i, line in enumerate(lines) if '"apply_acknowledgement"' in line)
    written(tmp_path, changed(lines, lambda events: events[: at - 1] + events[at:]))
    ran = run("conform events.ndjson", tmp_path)
    assert ran.exit == 1
    for told in ("rejected at line", '"complete"', "1 state could be", "awaited", "coordinator.py"):
        assert told in ran.stdout, told
    (row,) = json.loads(run("conform events.ndjson --format json", tmp_path).stdout)["results"]
    assert (row["conforms"], row["event"], row["states"]) == ("rejected", "complete", 1)


def test_steps_may_be_unseen(tmp_path: Path) -> None:
    written(tmp_path, without(lines_of(), ["apply_acknowledgement"]))
    assert run("conform events.ndjson", tmp_path).exit == 1
    ran = run("conform events.ndjson --unseen apply_acknowledgement", tmp_path)
    assert ran.exit == 0, ran
    assert "without an event" in ran.stdout


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    written(tmp_path, ["no log"])
    for command, code in (
        ("conform events.ndjson", "not-an-event-log"),
        ("conform missing.ndjson", "no-such-path"),
        ("conform events.ndjson --unseen complet", "unknown-step"),
    ):
        ran = run(command, tmp_path)
        assert ran.exit == 2
        assert f"error[{code}]" in ran.stderr


@pytest.mark.parametrize("change", [{"options": "x"}, {"from": [7]}, {"finished": 5}, {"run": [1]}])
def test_one_that_cannot_be_read_does_not_end_the_others(
    change: dict[str, object], tmp_path: Path
) -> None:
    lines = lines_of()
    written(tmp_path, lines).rename(tmp_path / "good.ndjson")
    written(tmp_path, [json.dumps(json.loads(lines[0]) | change), *lines[1:]])
    ran = run("conform events.ndjson good.ndjson --format json", tmp_path)
    assert ran.exit == 2
    assert "error[not-an-event-log]" in ran.stderr
    damaged, good = json.loads(ran.stdout)["results"]
    assert damaged.pop("why").startswith("this is not an event log: ")
    unreadable = {"conforms": "unreadable", "code": "not-an-event-log"}
    assert damaged == {"log": "events.ndjson"} | unreadable
    assert (good["log"], good["conforms"]) == ("good.ndjson", "accepted")
