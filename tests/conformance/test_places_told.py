"""Where a log is damaged, what was filled in, and what is no log: all is told with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from finale.checker.logs.event_log.acceptance import Accepted
from finale.checker.logs.event_log.judge import EventLogJudge, JudgedLog, RunSearch, filled_in, gaps
from finale.checker.report.conformance import damage_lines
from finale.cli.conform import conform
from tests.conformance.logs import PAIR, engine_of, log_of


def judged_log(lines: list[str]) -> JudgedLog:
    data = "".join(f"{line}\n" for line in lines).encode()
    return EventLogJudge().judge_run([(1, data)], search=RunSearch())


def damaged() -> tuple[list[str], int]:
    """A log with a line that is cut in its midst; its number."""
    lines = log_of(engine_of(PAIR), PAIR, 1)
    at = next(n for n, line in enumerate(lines) if '"apply_acknowledgement"' in line)
    lines[at] = lines[at][:20]
    return lines, at + 1


def test_damage_and_what_was_filled_in_are_told_with_their_lines() -> None:
    lines, cut = damaged()
    judged = judged_log(lines)
    assert isinstance(judged.conforms, Accepted)
    assert cut - 1 in gaps(judged.run)
    [(behind, names)] = filled_in(judged.run.log, judged.conforms)
    assert names == {"apply_acknowledgement": 1}
    told = [line.plain.strip() for line in damage_lines(judged)]
    assert told[0] == f"1 line cannot be read: {cut}"
    assert told[1].startswith("something may be missing behind line ")
    assert told[2] == f"filled in behind line {behind}: apply_acknowledgement"


def test_of_a_whole_log_nothing_is_told() -> None:
    judged = judged_log(log_of(engine_of(PAIR), PAIR, 1))
    assert isinstance(judged.conforms, Accepted)
    assert gaps(judged.run) == []
    assert list(damage_lines(judged)) == []


def test_a_log_without_its_end_is_one_behind_its_last_line() -> None:
    lines = log_of(engine_of(PAIR), PAIR, 1)[:-1]
    assert gaps(judged_log(lines).run) == [len(lines)]


def rows(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["results"]
    return found


def test_the_folder_of_a_run_is_its_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines, cut = damaged()
    (tmp_path / "events.ndjson").write_text("\n".join(lines) + "\n", encoding="utf-8")
    conform(tmp_path, max_seconds=60, format="json")
    [row] = rows(capsys)
    assert row["log"] == str(tmp_path / "events.ndjson")
    assert (row["conforms"], row["unreadable"]) == ("accepted", [cut])
    assert cut - 1 in row["missing_behind"]
    assert [each["steps"] for each in row["filled_in"]] == [{"apply_acknowledgement": 1}]


def test_a_log_that_cannot_be_read_has_its_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = tmp_path / "bad.ndjson", tmp_path / "good.ndjson"
    bad.write_text("{}\n", encoding="utf-8")
    good.write_text("\n".join(log_of(engine_of(PAIR), PAIR, 1)) + "\n", encoding="utf-8")
    assert conform(bad, good, format="json") == 2
    first, second = rows(capsys)
    assert (first["conforms"], first["code"]) == ("unreadable", "not-an-event-log")
    assert second["conforms"] == "accepted"
