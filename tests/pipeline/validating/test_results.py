"""The folder of results: what has not changed is not judged again; it is whole at any time."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_files import LogShelf
from finale.checker.search.limits import Limits
from finale.pipeline.validating.judging import JudgingOrder, judged
from finale.pipeline.validating.pieces import pieces_of
from finale.pipeline.validating.store import JOURNAL
from tests.cli.running import Ran, run
from tests.pipeline.validating.logs import engine_runs, files_in, rows, unpacked

FINALE = str(Path(sys.executable).with_name("finale"))
NAMES = ("bounded-01", "H12-00", "H16-00", "race-00")
ALL = "validate " + " ".join(NAMES)
TABLES = ("verdicts", "findings", "events", "rest")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The beginnings of some logs: of one as much as has a finding."""
    for log in unpacked(tmp_path, *NAMES).rglob("*.log"):
        lines = log.read_bytes().splitlines(keepends=True)
        log.write_bytes(b"".join(lines[: 630 if log.parent.name == "H16-00" else 250]))
    return tmp_path


def counts(ran: Ran) -> tuple[int, int]:
    """How many were judged, and how many were known."""
    pieces = json.loads(ran.stdout)["pieces"]
    return pieces["judged"], pieces["known"]


def validated(folder: Path, command: str = ALL, out: str = "out") -> tuple[int, int]:
    return counts(run(f"{command} --output {out} --format json", folder))


def tables(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: rows(folder, name) for name in TABLES}


def test_what_has_not_changed_is_not_judged_again(logs: Path) -> None:
    first = run(f"{ALL} --output out", logs)
    assert first.stdout.endswith("kept in out: 4 judged, 0 as before\n")
    before = {file.name: file.stat().st_mtime_ns for file in (logs / "out").iterdir()}
    again = run(f"{ALL} --output out", logs)
    assert again.stdout == first.stdout.replace("4 judged, 0 as", "0 judged, 4 as")
    assert again.exit == first.exit == 1
    unchanged = {name: (logs / "out" / name).stat().st_mtime_ns for name in before}
    assert {k: v for k, v in unchanged.items() if k != JOURNAL} == {
        k: v for k, v in before.items() if k != JOURNAL
    }, "and no table is written for nothing"


def test_what_has_changed_is_judged_again(logs: Path) -> None:
    validated(logs)
    log = logs / "H16-00" / "flink.log"
    os.utime(log, ns=(1, 1))
    assert validated(logs) == (0, 4), "another time, the same bytes"
    assert validated(logs) == (0, 4)
    shutil.copy(logs / "bounded-01" / "flink.log", log)
    assert validated(logs) == (1, 3)
    assert validated(logs, out="fresh") == (4, 0)
    assert tables(logs / "out") == tables(logs / "fresh")
    with log.open("ab") as file:
        file.write(b"more\n")
    assert validated(logs) == (1, 3)
    assert files_in(logs / "out")["H16-00/flink.log"] == log.read_bytes()


def test_the_tables_have_what_was_asked_for_last(logs: Path) -> None:
    validated(logs)
    assert validated(logs, "validate bounded-01 race-00") == (0, 2)
    assert {row["logs"] for row in rows(logs / "out", "verdicts")} == {
        "bounded-01/flink.log",
        "race-00/flink.log",
    }
    assert set(files_in(logs / "out")) == {"bounded-01/flink.log", "race-00/flink.log"}
    assert validated(logs) == (2, 2)


def test_what_was_judged_otherwise_is_judged_again(logs: Path) -> None:
    command = "validate bounded-01"
    assert validated(logs, command) == (1, 0)
    assert validated(logs, f"{command} --loggers Task=INFO") == (1, 0)
    assert validated(logs, f"{command} --loggers Task=INFO") == (0, 1)


def test_what_is_told_of_a_run_is_part_of_what_is_judged(logs: Path) -> None:
    command = "validate bounded-01 --accept"
    assert validated(logs, command) == (1, 0)
    told = logs / "bounded-01" / "run.toml"
    told.write_text("[options]\nconcurrent = 1\n")
    assert validated(logs, command) == (1, 0)
    (row,) = rows(logs / "out", "verdicts")
    conforms = dict(row["conforms"])
    assert json.loads(conforms["told"])[0] == {
        "name": "concurrent", "value": "1", "by": "run.toml", "line": 2
    }  # fmt: skip
    os.utime(told, ns=(1, 1))
    assert validated(logs, command) == (0, 1), "another time, the same bytes"
    told.write_text("[options]\nconcurrent = 2\n")
    assert validated(logs, command) == (1, 0)
    told.unlink()
    assert validated(logs, command) == (1, 0)
    assert validated(logs, f"{command} --settings") == (1, 0)


def test_what_is_told_of_runs_in_an_archive(tmp_path: Path, logs: Path) -> None:
    (logs / "bounded-01" / "run.toml").write_text("[options]\nconcurrent = 2\n")
    with tarfile.open(tmp_path / "some.tar", "w") as archive:
        for name in ("bounded-01", "race-00"):
            archive.add(logs / name, f"./{name}")
    page = json.loads(run("validate some.tar --accept --format json", tmp_path).stdout)
    with LogShelf() as shelf:
        piece = pieces_of(shelf, shelf.logs([str(tmp_path / "some.tar")]), "flink")[0]
        given = piece.content(shelf)
    (tmp_path / "some.tar").unlink()
    order = JudgingOrder("flink", table("flink-2.3"), accepts=Limits(10))
    shipped = judged(order, piece, given)[0].verdicts[0].conforms
    assert shipped is not None
    assert shipped.told[0].by == "run.toml"
    own, other = (each["conforms"]["told"] for each in page["results"])
    assert own[0]["by"] == "run.toml"
    assert all(each["by"] != "run.toml" for each in other)


def test_what_cannot_be_read_is_told_again(logs: Path) -> None:
    log = logs / "race-00" / "flink.log"
    log.write_bytes(b"\x28\xb5\x2f\xfd no zstandard")
    for _ in range(2):
        ran = run(f"{ALL} --output out", logs)
        assert ran.exit == 1, "the other logs are judged"
        assert "race-00/flink.log" in ran.stderr
    assert len(rows(logs / "out", "verdicts")) == 3


def test_a_table_that_is_gone_is_made_again(logs: Path) -> None:
    validated(logs)
    expected = tables(logs / "out")
    (logs / "out" / "rest.parquet").unlink()
    assert validated(logs) == (4, 0)
    assert tables(logs / "out") == expected
    (logs / "out" / "findings.parquet").unlink()
    assert validated(logs) == (0, 4), "it is made of the journal"
    assert tables(logs / "out") == expected


def test_runs_that_are_added_to_a_file(tmp_path: Path) -> None:
    runs = engine_runs(8)
    log = tmp_path / "many.ndjson"
    log.write_bytes(b"".join(runs[:5]))
    command = "validate many.ndjson --engine finale"
    assert validated(tmp_path, command) == (1, 0)
    assert len(rows(tmp_path / "out", "verdicts")) == 5
    log.write_bytes(b"".join(runs))
    validated(tmp_path, command)
    assert len(rows(tmp_path / "out", "verdicts")) == 8
    assert files_in(tmp_path / "out") == {"many.ndjson": log.read_bytes()}


# --- whose folder it is ---------------------------------------------------------------------------


def error_of(folder: Path) -> str:
    ran = run(f"{ALL} --output out", folder)
    assert ran.exit == 2
    return ran.stderr


def test_the_folder_of_somebody_else_is_refused(logs: Path) -> None:
    (logs / "out").mkdir()
    (logs / "out" / "mine.txt").write_text("mine")
    assert "error[results-folder]" in error_of(logs)
    assert "no journal of a validation" in error_of(logs)
    (logs / "out" / JOURNAL).write_text('{"finale": "sweep", "v": 1}\n')
    assert "is no journal of a validation" in error_of(logs)
    assert [file.name for file in sorted((logs / "out").iterdir())] == ["mine.txt", JOURNAL]


def test_a_file_where_the_folder_should_be(logs: Path) -> None:
    (logs / "out").write_text("a file")
    assert "error[results-folder]" in error_of(logs)


def test_a_journal_that_was_changed(logs: Path) -> None:
    validated(logs)
    journal = logs / "out" / JOURNAL
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:2], b'{"number": 1}\n', *lines[3:]]))
    assert f"line 3 of {JOURNAL} in it was changed" in error_of(logs)
    journal.write_bytes(b"".join(lines)[:-100])
    assert validated(logs) == (1, 3), "half a last line is what was not written"


def test_a_table_that_was_changed(logs: Path) -> None:
    validated(logs)
    (logs / "out" / "events.parquet").write_bytes(b"PAR1 no table PAR1")
    (logs / "bounded-01" / "flink.log").write_bytes(b"")
    assert "events.parquet in it is not what was written" in error_of(logs)


def test_two_cannot_write_into_one_folder(logs: Path) -> None:
    validated(logs)
    handle = os.open(logs / "out", os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert "error[results-in-use]" in error_of(logs)
    finally:
        os.close(handle)


# --- whatever happens -----------------------------------------------------------------------------


@pytest.mark.parametrize("place", range(9))
def test_ended_while_tables_are_written(
    logs: Path, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are the tables of before, or after the next start those that were written."""
    validated(logs, "validate bounded-01")
    old = tables(logs / "out")
    validated(logs, out="fresh")
    new = tables(logs / "fresh")
    count, real = 0, Path.replace

    def replace(self: Path, target: Path) -> Path:
        nonlocal count
        count += 1
        if count > place:
            raise KeyboardInterrupt
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replace)
        run(f"{ALL} --output out", logs)
    assert count > place, "it came there"
    judged, known = validated(logs)
    assert judged + known == 4
    assert tables(logs / "out") == new != old
    assert sorted(file.name for file in (logs / "out").iterdir()) == sorted(
        [JOURNAL, *(f"{name}.parquet" for name in TABLES)]
    )


@pytest.mark.slow
@pytest.mark.parametrize("where", [[], ["--master", "local[1]"]], ids=["here", "on Spark"])
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_ended_and_gone_on_with(
    how: signal.Signals, where: list[str], java: int, tmp_path: Path
) -> None:
    """What was judged until then is kept, or the last few seconds are lost; no table is torn."""
    assert java
    unpacked(tmp_path, *NAMES)
    for number in range(12):
        shutil.copytree(tmp_path / "H16-00", tmp_path / f"copy-{number}")
    command = [FINALE, "validate", ".", "--output", "../out", *where]
    with (tmp_path / "told").open("wb") as told:
        process = subprocess.Popen(command, cwd=tmp_path, stdout=told, stderr=told)
        try:
            while process.poll() is None and not (tmp_path / "told").stat().st_size:
                time.sleep(0.02)
            process.send_signal(how)
            assert process.wait(timeout=60) == (130 if how is signal.SIGINT else -how)
        finally:
            process.kill()
            process.wait()
    said = (tmp_path / "told").read_text()
    assert ("the same command goes on from here" in said) == (how is signal.SIGINT)
    out = tmp_path.parent / "out"
    try:
        assert not list(out.glob("*.parquet"))
        judged, known = validated(tmp_path, "validate .", "../out")
        assert judged + known == 16
        assert known or (how is signal.SIGKILL and not where)
        assert len(rows(out, "verdicts")) == 16
    finally:
        shutil.rmtree(out)


def test_the_table_says_what_would_decide(logs: Path) -> None:
    log = logs / "race-00" / "flink.log"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(each for each in lines if b" DEBUG " not in each))
    page = json.loads(run("validate race-00 --output out --format json", logs).stdout)
    (row,) = rows(logs / "out", "verdicts")
    assert dict(row["needs"]) == page["results"][0]["needs"] != {}
