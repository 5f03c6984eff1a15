"""`finale conform` of event logs: what it prints, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

from reference.settings import Faults
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
    assert "events.ndjson: accepted" in ran.stdout
    assert "complete" in ran.stdout


def test_what_a_run_shows_is_told_with_its_line(tmp_path: Path) -> None:
    written(tmp_path, lines_of("legacy-finish"))
    ran = run("conform events.ndjson", tmp_path)
    assert ran.exit == 0
    assert "violated closed-after-final-checkpoint(K)" in ran.stdout
    told = json.loads(run("conform events.ndjson --format json", tmp_path).stdout)
    (row,) = told["results"]
    assert told["ok"]
    assert row["conforms"] == "accepted"
    assert row["coverage"] == "complete"
    assert {"property", "binding", "line", "severity"} == row["findings"][0].keys()


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
        ("conform missing.ndjson", "unreadable"),
        ("conform events.ndjson --unseen complet", "unknown-step"),
    ):
        ran = run(command, tmp_path)
        assert ran.exit == 2
        assert f"error[{code}]" in ran.stderr
