"""A file of many event logs is cut between them: each is judged as if it were alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finale.checker.cache.plain_data import plain
from finale.checker.logs.event_log.cutting import logs_in
from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_files import LogShelf
from finale.checker.logs.verdicts import JobVerdict
from finale.pipeline.validating import pieces as module
from finale.pipeline.validating.judging import JudgingOrder, judged
from finale.pipeline.validating.pieces import Piece, pieces_of
from tests.pipeline.validating.logs import engine_runs

ORDER = JudgingOrder("finale", table("flink-2.3"))


def section(run: str, process: int, lines: int) -> bytes:
    start = {"event": "log-start", "run": run, "process": process}
    events = [{"event": "complete", "run": run, "process": process}] * lines
    text = (json.dumps(each, separators=(",", ":")) for each in [start, *events])
    return "".join(f"{each}\n" for each in text).encode()


SECTIONS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(1, 3), st.integers(0, 3)), max_size=8
)


@given(SECTIONS, st.sampled_from([b"", b"odd\n", b'{"event":"log-start"\n\n']))
def test_each_byte_is_of_one_log(sections: list[tuple[str, int, int]], before: bytes) -> None:
    data = before + b"".join(section(*each) for each in sections)
    logs = logs_in(data)
    spans = sorted((span for log in logs for span in log), key=lambda span: span.offset)
    assert b"".join(data[span.offset : span.offset + span.length] for span in spans) == data
    assert all(span.line == 1 + data[: span.offset].count(b"\n") for span in spans)
    begun = sum(process == 1 for _, process, _ in sections)
    assert begun <= len(logs) <= begun + 1


def texts(data: bytes) -> list[bytes]:
    return [b"".join(data[span.offset : span.offset + span.length] for span in log)
            for log in logs_in(data)]  # fmt: skip


def test_a_later_process_belongs_to_the_run_that_it_names() -> None:
    a1, b1, a2, c2 = section("a", 1, 2), section("b", 1, 1), section("a", 2, 0), section("c", 2, 1)
    assert texts(a1 + b1 + a2) == [a1 + a2, b1]
    assert texts(a1 + c2 + b1) == [a1 + c2, b1], "a folder is shared by runs of several names"
    assert texts(a1 + a1) == [a1, a1], "the name was given again"


def test_half_a_first_line_is_of_the_log_before_it() -> None:
    a1, b1 = section("a", 1, 1), section("b", 1, 1)
    assert texts(a1 + b1[:30] + b"\n" + b1) == [a1 + b1[:30] + b"\n", b1]
    assert texts(b"") == []
    assert texts(b"nothing of it") == [b"nothing of it"]


def pieces(file: Path) -> list[Piece]:
    with LogShelf() as shelf:
        return pieces_of(shelf, shelf.logs([str(file)]), "finale")


def verdicts(found: list[Piece]) -> list[JobVerdict]:
    return [verdict for piece in found for verdict in judged(ORDER, piece)[0].verdicts]


@pytest.mark.parametrize("size", [1, 30_000, 10**9])
def test_each_run_is_judged_as_if_it_were_alone(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PIECE_BYTES", size)
    runs = engine_runs(7)
    alone: list[dict[str, object]] = []
    for number, run in enumerate(runs):
        file = tmp_path / f"{number}.ndjson"
        file.write_bytes(run)
        (verdict,) = verdicts(pieces(file))
        alone.append(plain(verdict))
    many = tmp_path / "many.ndjson"
    many.write_bytes(b"".join(runs))
    found = pieces(many)
    assert len(found) == {1: 7, 30_000: 2, 10**9: 1}[size]
    assert sum(piece.size for piece in found) == many.stat().st_size
    before = [b"".join(runs[:number]).count(b"\n") for number in range(7)]
    for expected, verdict, lines in zip(alone, verdicts(found), before, strict=True):
        told = plain(verdict)
        for finding in told["findings"]:
            finding["line"] -= lines
            finding |= {"file": expected["logs"], "where": f"{expected['logs']}:{finding['line']}"}
        assert told | {"logs": expected["logs"]} == expected
    assert any(each["findings"] for each in alone), "and there is something to find"


def test_a_run_that_cannot_be_judged_is_told_and_the_others_are_judged(tmp_path: Path) -> None:
    first, second, third = engine_runs(3)
    file = tmp_path / "many.ndjson"
    file.write_bytes(first + second.replace(b'"protocol":"final', b'"protocol":"odd') + third)
    (piece,) = pieces(file)
    outcome, _ = judged(ORDER, piece)
    assert [verdict.job for verdict in outcome.verdicts] == ["r0", "r2"]
    (error,) = outcome.errors
    assert "unknown-protocol" in error
    line = 1 + first.count(b"\n")
    assert f"many.ndjson:{line}" in error
    assert outcome.counts.read == file.read_bytes().count(b"\n")
    assert outcome.counts.unparsable == second.count(b"\n")
