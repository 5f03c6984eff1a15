"""Logs are found and read as they lie about: in folders and archives, compressed and rotated."""

import bz2
import gzip
import lzma
import random
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from finale.checker.logs.read.log_files import LogShelf
from finale.model.errors import FinaleError

TEXT = "".join(f"2026-01-01 00:00:0{n},000 INFO  a.B [main] - line {n}\n" for n in range(4))


def read(*paths: Path | str) -> list[list[bytes]]:
    with LogShelf() as shelf:
        logs = shelf.logs([str(path) for path in paths])
        return [[line.raw for line in shelf.lines(log)] for log in logs]


def code_of(*paths: Path | str) -> str:
    with pytest.raises(FinaleError) as caught:
        read(*paths)
    return caught.value.code


@pytest.mark.parametrize(
    ("name", "compress"),
    [("a.log", bytes), ("a.log.gz", gzip.compress), ("a.log.xz", lzma.compress),
     ("a.log.bz2", bz2.compress)],
)  # fmt: skip
def test_a_compressed_log_is_read_as_it_is(
    tmp_path: Path, name: str, compress: Callable[[bytes], bytes]
) -> None:
    (tmp_path / name).write_bytes(compress(TEXT.encode()))
    assert read(tmp_path / name) == [TEXT.encode().splitlines()]


def test_folders_globs_and_archives_have_the_same_logs(tmp_path: Path) -> None:
    folder = tmp_path / "run" / "inner"
    folder.mkdir(parents=True)
    (folder / "jm.log").write_text(TEXT)
    (folder / "tm-1.log").write_text(TEXT[:10])
    (folder / "scenario.json").write_text("{}")
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        archive.add(tmp_path / "run", "run")
    expected = [TEXT.encode().splitlines(), [TEXT[:10].encode()]]
    assert read(tmp_path / "run") == expected
    assert read(f"{tmp_path}/run/**/*.log") == expected
    assert read(tmp_path / "all.tar.gz") == expected


def test_the_same_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(TEXT)
    assert len(read(tmp_path, tmp_path / "a.log")) == 1


@pytest.mark.parametrize(
    "names", [("a.log.1", "a.log.2", "a.log"), ("a.log.2", "a.log.1", "a.log")]
)
def test_a_rotated_log_is_one_log_in_the_order_of_its_times(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    """Some number the newest part 1, some the oldest."""
    lines = TEXT.splitlines(keepends=True)
    (tmp_path / names[0]).write_text(lines[0])
    (tmp_path / f"{names[1]}.gz").write_bytes(gzip.compress("".join(lines[1:3]).encode()))
    (tmp_path / names[2]).write_text(lines[3])
    assert read(tmp_path) == [TEXT.encode().splitlines()]


def test_a_compressed_log_that_is_still_written_ends_where_it_ends(tmp_path: Path) -> None:
    whole = gzip.compress((TEXT * 500).encode(), compresslevel=0)
    (tmp_path / "a.log.gz").write_bytes(whole[: len(whole) // 2])
    with LogShelf() as shelf:
        (log,) = shelf.logs([str(tmp_path / "a.log.gz")])
        lines = list(shelf.lines(log))
        assert [str(part) for part in shelf.damaged] == [str(tmp_path / "a.log.gz")]
    assert 100 < len(lines) < 2000
    assert lines[0].raw == TEXT.encode().splitlines()[0]


def test_half_a_last_line_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(TEXT[:-3])
    with LogShelf() as shelf:
        (log,) = shelf.logs([str(tmp_path)])
        assert [line.whole for line in shelf.lines(log)] == [True, True, True, False]


def test_what_is_no_log_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("nothing")
    with tarfile.open(tmp_path / "some.tar", "w") as archive:
        archive.add(tmp_path / "notes.md", "notes.md")
    assert code_of(tmp_path) == "no-logs"
    assert code_of(tmp_path / "some.tar") == "no-logs"
    assert code_of(f"{tmp_path}/*.log") == "no-logs"
    assert code_of(tmp_path / "a.log") == "no-such-path"


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_an_archive_that_is_cut_is_said(tmp_path: Path, mode: Any, part: float) -> None:
    (tmp_path / "a.log").write_bytes(random.Random(0).randbytes(400_000))
    with tarfile.open(tmp_path / "some.tar", mode) as archive:
        archive.add(tmp_path / "a.log", "a.log")
    data = (tmp_path / "some.tar").read_bytes()
    (tmp_path / "some.tar").write_bytes(data[: int(len(data) * part)])
    with pytest.raises(FinaleError, match="the archive is cut or damaged") as caught:
        read(tmp_path / "some.tar")
    assert caught.value.code == "unreadable"


@pytest.mark.parametrize("ending", ["gz", "xz"])
def test_an_archive_that_is_damaged_is_said(tmp_path: Path, ending: str) -> None:
    (tmp_path / "a.log").write_bytes(random.Random(0).randbytes(400_000))
    mode: Any = f"w:{ending}"
    with tarfile.open(tmp_path / "some.tar", mode) as archive:
        archive.add(tmp_path / "a.log", "a.log")
    data = bytearray((tmp_path / "some.tar").read_bytes())
    middle = len(data) // 2
    data[middle : middle + 99_000] = bytes(99_000)
    (tmp_path / "some.tar").write_bytes(data)
    assert code_of(tmp_path / "some.tar") == "unreadable"


def test_a_folder_of_archives_alone_says_which(tmp_path: Path) -> None:
    for name in ("more.tgz", "logs.tar.xz"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(FinaleError) as caught:
        read(tmp_path)
    assert caught.value.message.endswith("but there is logs.tar.xz and 1 more")
    assert caught.value.advice == f"name it: {tmp_path}/logs.tar.xz"
