"""Each byte of a growing log is handed on once, whatever becomes of the file that it is in."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxBytes

from finale.pipeline.watch import files
from finale.pipeline.watch.files import GROWS, PAUSES, SILENT
from finale.pipeline.watch.news import BYTES_OF_BATCH
from finale.pipeline.watch.source import GrowingReader, LogBatch

ALL = ReadAllAvailable()
LONG = 100


def line(number: int) -> bytes:
    """No two lines begin alike, as those of a log with times in them."""
    time = b"2026-11-22 08:00:%02d,%03d" % divmod(number, 1000)
    return time + b" INFO  a line that is long enough to be known again\n"


def lines(first: int, last: int) -> bytes:
    return b"".join(map(line, range(first, last)))


class Reader:
    """A source as Spark uses it, and what it has handed on of each log."""

    def __init__(self, root: Path, silent: float = 60.0) -> None:
        self.root, self.silent = root, silent
        self.offset: dict[str, Any] = GrowingReader(root, silent, 2).initialOffset()
        self.had: dict[str, bytes] = {}
        self.told: dict[str, list[Mapping[str, Any]]] = {}
        self.reader = GrowingReader(root, silent, 2)

    def look(self, limit: ReadLimit = ALL) -> Reader:
        self.read(self.offset, self.plan(limit))
        return self

    def plan(self, limit: ReadLimit = ALL) -> dict[str, Any]:
        before = self.offset
        self.offset = json.loads(json.dumps(self.reader.latestOffset(before, limit)))
        return before

    def read(self, end: dict[str, Any], start: dict[str, Any]) -> None:
        for bundle in self.reader.partitions(start, self.offset if end is start else end):
            assert isinstance(bundle, LogBatch)
            for told, data in self.reader.read(bundle):
                table = json.loads(told)
                log = table["log"]
                self.had[log] = self.had.get(log, b"") + data
                self.told.setdefault(log, []).append(table)

    def again(self) -> Reader:
        """Another process goes on from the offset."""
        self.reader = GrowingReader(self.root, self.silent, 2)
        return self

    def last(self, log: str = "a.log") -> Mapping[str, Any]:
        return self.told[log][-1]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "a.log"
    file.write_bytes(lines(0, LONG))
    return file


def add(file: Path, data: bytes) -> None:
    with file.open("ab") as stream:
        stream.write(data)


def test_what_is_there_and_what_comes_is_handed_on_once(log: Path) -> None:
    reader = Reader(log.parent).look().look()
    add(log, b"half a ")
    reader.look()
    add(log, b"line\n")
    reader.again().look().look()
    assert reader.had == {"a.log": lines(0, LONG) + b"half a line\n"}


def test_where_nothing_is_new_the_offset_is_the_same(log: Path) -> None:
    reader = Reader(log.parent, silent=0).look()
    before = json.dumps(reader.offset)
    reader.plan()
    assert json.dumps(reader.offset) == before
    assert reader.reader.partitions(reader.offset, reader.offset) == []


def test_files_that_come_later_are_logs_too(log: Path) -> None:
    reader = Reader(log.parent).look()
    (log.parent / "job").mkdir()
    (log.parent / "job" / "b.log").write_bytes(line(1))
    (log.parent / "no-log.dat").write_bytes(line(2))
    reader.look()
    assert reader.had["job/b.log"] == line(1)
    assert set(reader.had) == {"a.log", "job/b.log"}


def test_a_file_that_is_renamed_is_read_to_its_end(log: Path) -> None:
    reader = Reader(log.parent).look()
    add(log, line(1000) + b"half")
    log.rename(log.with_suffix(".log.1"))
    log.write_bytes(line(1001))
    reader.again().look()
    assert reader.had["a.log"] == lines(0, LONG) + line(1000) + b"half" + line(1001)
    closed = [told["number"] for told in reader.told["a.log"] if told["closed"]]
    assert set(closed) == {1}
    assert not any(told["gap"] or told["lost"] for told in reader.told["a.log"])


def test_rotated_thrice_between_two_looks(log: Path) -> None:
    reader = Reader(log.parent).look()
    for number in range(3):
        for old in (2, 1):
            file = log.with_suffix(f".log.{old}")
            if file.exists():
                file.rename(log.with_suffix(f".log.{old + 1}"))
        log.rename(log.with_suffix(".log.1"))
        log.write_bytes(lines(1000 * number + 1000, 1000 * number + 1010))
    reader.look()
    new = b"".join(lines(1000 * n, 1000 * n + 10) for n in (1, 2, 3))
    assert reader.had["a.log"] == lines(0, LONG) + new


@pytest.mark.parametrize("seen_between", [False, True])
def test_a_file_that_is_copied_and_cut_goes_on(log: Path, seen_between: bool) -> None:
    reader = Reader(log.parent).look()
    add(log, line(1000))
    shutil.copyfile(log, log.with_suffix(".log.1"))
    if seen_between:
        reader.look()
        assert reader.had["a.log"] == lines(0, LONG) + line(1000), "the copy is nothing new"
    os.truncate(log, 0)
    add(log, line(2000))
    reader.look()
    add(log, lines(2001, 2001 + 2 * LONG))
    reader.look()
    assert reader.had["a.log"] == lines(0, LONG) + line(1000) + lines(2000, 2001 + 2 * LONG)
    assert not any(told["gap"] or told["lost"] for told in reader.told["a.log"])


def test_cut_and_grown_beyond_where_it_was(log: Path) -> None:
    """Only its first bytes show that it is another one."""
    reader = Reader(log.parent).look()
    shutil.copyfile(log, log.with_suffix(".log.1"))
    os.truncate(log, 0)
    add(log, lines(5000, 5000 + 3 * LONG))
    reader.look()
    assert reader.had["a.log"] == lines(0, LONG) + lines(5000, 5000 + 3 * LONG)


def test_cut_without_a_copy_something_may_be_missing(log: Path) -> None:
    reader = Reader(log.parent).look()
    os.truncate(log, 0)
    reader.look()
    add(log, line(2000))
    reader.look()
    assert reader.had["a.log"] == lines(0, LONG) + line(2000)
    assert reader.last()["gap"]


def test_a_file_that_goes_and_comes_anew(log: Path) -> None:
    reader = Reader(log.parent).look()
    log.unlink()
    reader.look()
    assert reader.last()["quiet"] == SILENT
    log.write_bytes(line(2000))
    reader.look()
    assert reader.had["a.log"] == lines(0, LONG) + line(2000)
    assert reader.last()["gap"]


def test_rotated_and_compressed_it_is_not_read_again(log: Path) -> None:
    """As it is done: what was compressed goes when the other is whole."""
    reader = Reader(log.parent).look()
    old, packed = log.with_suffix(".log.1"), log.with_suffix(".log.1.gz")
    add(log, line(1000))
    log.rename(old)
    log.write_bytes(line(2000))
    reader.look()
    for size in (-20, None):
        packed.write_bytes(gzip.compress(old.read_bytes())[:size])
        reader.look()
    old.unlink()
    reader.again().look().look()
    assert reader.had["a.log"] == lines(0, LONG) + line(1000) + line(2000)
    assert not any(told["gap"] or told["lost"] for told in reader.told["a.log"])


def test_what_was_not_there_for_a_while_is_not_read_again(log: Path) -> None:
    """What had come meanwhile was there too late: that something is missing was told."""
    reader = Reader(log.parent).look()
    packed = gzip.compress(log.read_bytes() + line(1000))
    log.unlink()
    log.write_bytes(line(2000))
    reader.look()
    log.with_suffix(".log.1.gz").write_bytes(packed)
    reader.again().look().look()
    assert reader.had["a.log"] == lines(0, LONG) + line(2000) + line(1000)
    assert any(told["gap"] for told in reader.told["a.log"])


def test_compressed_at_once_its_end_is_read_from_there(log: Path) -> None:
    reader = Reader(log.parent).look()
    add(log, line(1000))
    log.with_suffix(".log.1.gz").write_bytes(gzip.compress(log.read_bytes()))
    log.unlink()
    log.write_bytes(line(2000))
    reader.look().look()
    assert reader.had["a.log"] == lines(0, LONG) + line(1000) + line(2000)
    assert not reader.last()["gap"]


def test_what_was_rotated_before_comes_first(log: Path) -> None:
    log.with_suffix(".log.1").write_bytes(line(2))
    log.with_suffix(".log.2.gz").write_bytes(gzip.compress(line(1)))
    log.write_bytes(line(3))
    assert Reader(log.parent).look().had["a.log"] == line(1) + line(2) + line(3)


def test_a_batch_has_so_many_bytes_at_most_and_pieces_keep_their_order(log: Path) -> None:
    log.rename(log.with_suffix(".log.1"))
    log.write_bytes(lines(500, 500 + LONG))
    reader, limit = Reader(log.parent), len(lines(0, LONG)) - 7
    sizes: list[int] = []
    for _ in range(4):
        before = len(reader.had.get("a.log", b""))
        reader.look(ReadMaxBytes(limit))
        sizes.append(len(reader.had["a.log"]) - before)
    assert sizes == [limit, limit, 14, 0]
    assert reader.had["a.log"] == lines(0, LONG) + lines(500, 500 + LONG)
    assert reader.reader.getDefaultReadLimit() == ReadMaxBytes(BYTES_OF_BATCH)


@pytest.mark.parametrize("rotates", ["renames", "copies"])
def test_a_batch_that_is_repeated_has_the_same_bytes(log: Path, rotates: str) -> None:
    """It was planned, and not done: meanwhile the log was rotated, and the process is another."""
    reader = Reader(log.parent).look()
    add(log, lines(1000, 1010))
    before = reader.plan()
    old = log.with_suffix(".log.1")
    if rotates == "renames":
        log.rename(old)
    else:
        shutil.copyfile(log, old)
        os.truncate(log, 0)
    add(log, lines(7000, 7000 + 2 * LONG))
    reader.again().read(reader.offset, before)
    assert reader.had["a.log"] == lines(0, LONG) + lines(1000, 1010)
    reader.look()
    assert reader.had["a.log"].endswith(lines(1000, 1010) + lines(7000, 7000 + 2 * LONG))
    assert not any(told["lost"] for told in reader.told["a.log"])


def test_bytes_that_are_gone_are_missed(log: Path) -> None:
    reader = Reader(log.parent)
    before = reader.plan()
    log.unlink()
    reader.read(reader.offset, before)
    assert reader.last()["lost"]


def test_a_log_pauses_and_falls_silent_and_goes_on(log: Path) -> None:
    reader = Reader(log.parent).look()
    assert reader.last()["quiet"] == GROWS
    for seconds, quiet in ((2, PAUSES), (61, SILENT)):
        then = log.stat().st_mtime - seconds
        os.utime(log, (then, then))
        reader.look()
        assert reader.last()["quiet"] == quiet
    add(log, line(1))
    reader.look()
    assert reader.last()["quiet"] == GROWS


def test_what_may_not_be_read_is_told_and_read_when_it_may(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    reader = Reader(log.parent).look()
    assert reader.last()["trouble"] == "it may not be read"
    monkeypatch.undo()
    reader.look()
    assert reader.last()["trouble"] == ""
    assert reader.had["a.log"] == lines(0, LONG)


def test_looked_at_once_it_is_as_it_was(log: Path) -> None:
    reader = Reader(log.parent)
    reader.reader.prepareForTriggerAvailableNow()
    add(log, line(1000))
    reader.look(ReadMaxBytes(1000)).look().look()
    assert reader.had["a.log"] == lines(0, LONG)


def _happens(chance: random.Random, log: Path, number: int) -> bytes:
    """Something that is done to a log; what is written to it meanwhile."""
    count, what = chance.randint(1, 30), chance.randint(0, 4)
    data = lines(number, number + count)
    # Rotated is between two lines.
    cut = chance.randint(0, len(data)) if what > 2 else chance.randint(0, count) * len(line(0))
    add(log, data[:cut])
    old = log.with_suffix(f".log.{number}")
    match what:
        case 0:
            log.rename(old)
            log.write_bytes(data[cut:])
        case 1 if log.stat().st_size > files.HEAD_MIN:
            shutil.copyfile(log, old)
            os.truncate(log, 0)
            add(log, data[cut:])
        case 2 if log.stat().st_size > files.HEAD_MIN:
            old.with_name(f"{old.name}.gz").write_bytes(gzip.compress(log.read_bytes()))
            log.unlink()
            log.write_bytes(data[cut:])
        case _:
            add(log, data[cut:])
    return data


@pytest.mark.parametrize("seed", range(60))
def test_whatever_happens_to_a_log(seed: int, tmp_path: Path) -> None:
    """Looked at at any times, by any processes, in batches of any size: all of it, in order."""
    chance = random.Random(seed)
    log = tmp_path / "a.log"
    log.write_bytes(line(0) + line(1))
    reader, written = Reader(tmp_path).look(), line(0) + line(1)
    for step in range(1, 12):
        written += _happens(chance, log, 1000 * step)
        if chance.random() < 0.7:
            reader.look(chance.choice((ALL, ReadMaxBytes(chance.randint(100, 3000)))))
        if chance.random() < 0.2:
            reader.again()
    reader.look().look()
    assert reader.had["a.log"] == written
    assert not any(told["gap"] or told["lost"] for told in reader.told["a.log"])


def test_each_folder_is_in_one_bundle(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / str(number)).mkdir()
        for name in ("jm.log", "tm.log"):
            (tmp_path / str(number) / name).write_bytes(lines(0, number + 1))
    reader = GrowingReader(tmp_path, 60, 2)
    start = reader.initialOffset()
    bundles: Sequence[Any] = reader.partitions(start, reader.latestOffset(start, ALL))
    folders = [{each.folder for each in bundle.ranges} for bundle in bundles]
    assert len(folders) == 2
    assert not folders[0] & folders[1]
    assert len(folders[0] | folders[1]) == 9
