"""No line is lost: what is read comes back byte for byte from the tables, whatever it is."""

import gzip
import json
import random
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.pipeline.validating.logs import ODD, engine_runs, files_in, rows, unpacked


def read(folder: Path, command: str) -> dict[str, int]:
    """The lines that a validation has counted; whose tables have as many, of each kind."""
    ran = run(f"validate {command} --output out --format json", folder)
    lines: dict[str, int] = json.loads(ran.stdout)["lines"]
    assert lines["parsed"] + lines["ignored"] + lines["unparsable"] == lines["read"]
    assert lines["parsed"] == sum(row["lines"] for row in rows(folder / "out", "events"))
    rest = rows(folder / "out", "rest")
    assert lines["ignored"] == sum(row["lines"] for row in rest if row["why"] == "ignored")
    assert lines["unparsable"] == sum(row["lines"] for row in rest if row["why"] != "ignored")
    return lines


def test_a_log_comes_back_byte_for_byte(tmp_path: Path) -> None:
    unpacked(tmp_path, "multi-cancel-01", "defaultlayout-00", "H4-00")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "odd.log").write_bytes(ODD)
    (tmp_path / "odd" / "empty.log").write_bytes(b"")
    windows = (tmp_path / "H4-00" / "flink.log").read_bytes().replace(b"\n", b"\r\n")
    (tmp_path / "H4-00" / "flink.log").write_bytes(windows)
    folders = "multi-cancel-01 defaultlayout-00 odd H4-00"
    lines = read(tmp_path, folders)
    logs = {str(log.relative_to(tmp_path)): log.read_bytes() for log in tmp_path.rglob("*.log")}
    assert lines["read"] == sum(len(data.splitlines()) for data in logs.values())
    assert files_in(tmp_path / "out") == {name: data for name, data in logs.items() if data}
    whys = [(row["why"], row["raw"], row["end"]) for row in rows(tmp_path / "out", "rest")
            if row["file"] == "odd/odd.log"]  # fmt: skip
    assert whys == [
        ("unreadable", b"before any entry \xff\xfe", b"\n"),
        ("ignored", ODD.split(b"\n", 1)[1].rpartition(b"\r\n2026")[0], b"\r\n"),
        ("half a line", b"2026-11-20 15:24:04,070 INF", b""),
    ]


def test_an_event_knows_its_job_and_task(tmp_path: Path) -> None:
    unpacked(tmp_path, "bounded-01")
    read(tmp_path, "bounded-01")
    (verdict,) = rows(tmp_path / "out", "verdicts")
    events = rows(tmp_path / "out", "events")
    assert {row["job"] for row in events} == {verdict["job"]}
    assert len(events) == verdict["events"]
    completed = [row["checkpoint"] for row in events if row["event"] == "completed"]
    assert completed == verdict["completed"]
    taken = next(row for row in events if row["event"] == "notified-complete")
    assert (taken["clock"], taken["attempt"]) == ("task.mailbox", 0)
    assert taken["fields"] == [("checkpoint", str(taken["checkpoint"]))]
    assert taken["task"] == "Source: src0 (1/2)"


@pytest.mark.parametrize("seed", range(6))
def test_damaged_bytes_come_back(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    unpacked(tmp_path, "H12-00")
    log = tmp_path / "H12-00" / "flink.log"
    data = bytearray(log.read_bytes())
    for _ in range(60):
        place = chance.randrange(len(data))
        data[place : place + chance.randrange(4)] = chance.choice(
            [b"\n", b"\r", b"\xff", b"", b"\n\n", b"99999999999999999999", b"\x00"]
        )
    log.write_bytes(bytes(data))
    read(tmp_path, "H12-00")
    assert files_in(tmp_path / "out") == {"H12-00/flink.log": bytes(data)}


def test_event_logs_come_back_too(tmp_path: Path) -> None:
    first, second, third, *_ = engine_runs(3)
    odd = b'no event \xff\n{"event":"unheard-of","run":"r0","process":1}\n'
    cut = third[: len(third) - 30]
    whole = odd + first + odd.splitlines()[0] + b"\r\n" + second + cut
    (tmp_path / "events.ndjson").write_bytes(whole)
    (tmp_path / "events.ndjson.gz").write_bytes(gzip.compress(second))
    lines = read(tmp_path, "events.ndjson --engine finale")
    assert files_in(tmp_path / "out") == {"events.ndjson": whole}
    assert lines["unparsable"] >= 3
    assert {row["job"] for row in rows(tmp_path / "out", "events")} == {"r0", "r1", "r2"}
    read(tmp_path, "events.ndjson.gz --engine finale")
    assert files_in(tmp_path / "out") == {"events.ndjson.gz": second}, "as it is when unpacked"


def test_a_compressed_log_that_is_cut_has_the_lines_up_to_there(tmp_path: Path) -> None:
    unpacked(tmp_path, "bounded-01")
    data = (tmp_path / "bounded-01" / "flink.log").read_bytes()
    (tmp_path / "flink.log.gz").write_bytes(gzip.compress(data)[:-2000])
    ran = run("validate flink.log.gz --output out", tmp_path)
    assert "flink.log.gz ends in the midst" in ran.stderr
    (found,) = files_in(tmp_path / "out").values()
    assert data.startswith(found)
    assert len(found) > 1000
