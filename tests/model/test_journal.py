"""A journal: what it keeps, half lines, foreign content, links, a full disk, two processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from finale.model.errors import FinaleError
from finale.model.journal import Journal, open_journal

FILE = "lines.ndjson"
HEAD = '{"finale": "sweep", "v": 1}\n'


def opened(folder: Path, records: list[Any] | None = None, **head: object) -> Journal:
    def take(record: Any) -> None:
        (records if records is not None else []).append(record["n"])

    return open_journal("sweep", folder / FILE, "--output", {"v": 1, **head}, take)


def kept(folder: Path) -> list[Any]:
    records: list[Any] = []
    opened(folder, records).close()
    return records


@pytest.mark.parametrize("cut", range(1, 12))
def test_each_half_of_a_last_line_is_cut_off(tmp_path: Path, cut: int) -> None:
    journal = opened(tmp_path)
    for n in range(3):
        journal.write({"n": n})
    journal.close()
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes()[:-cut])
    before = 2 if cut < len('{"n": 2}\n') + 1 else 1
    assert kept(tmp_path) == list(range(before))
    journal = opened(tmp_path)
    journal.write({"n": "after"})
    journal.close()
    assert kept(tmp_path) == [*range(before), "after"]


@pytest.mark.parametrize("length", range(len(HEAD)))
def test_each_half_of_a_head_is_begun_again(tmp_path: Path, length: int) -> None:
    (tmp_path / FILE).write_text(HEAD[:length])
    assert kept(tmp_path) == []
    assert (tmp_path / FILE).read_text() == HEAD


def foreign(text: str | bytes, beside: bool = False) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / FILE).write_bytes(text if isinstance(text, bytes) else text.encode())
        if beside:
            (folder / "thesis.tex").write_text("mine")

    return make


def link(folder: Path) -> None:
    (folder.parent / "outside").write_text(HEAD)
    (folder / FILE).symlink_to(folder.parent / "outside")


def other(folder: Path) -> None:
    (folder / "thesis.tex").write_text("mine")


THINGS: dict[str, tuple[Callable[[Path], None], str]] = {
    "notes": (foreign("my notes"), "is no journal of a sweep"),
    "a line of notes": (foreign("my notes\n"), "is no journal of a sweep"),
    "an empty line": (foreign("\n"), "is no journal of a sweep"),
    "bytes": (foreign(b"\xff\0\n"), "is no journal of a sweep"),
    "nested deeply": (foreign("[" * 100_000 + "\n"), "is no journal of a sweep"),
    "of something else": (foreign('{"finale": "hunt", "v": 1}\n'), "is no journal of a sweep"),
    "of a later version": (foreign('{"finale": "sweep", "v": 2}\n'), "of another version"),
    "a changed line": (foreign(HEAD + "x\n"), "line 2 of lines.ndjson"),
    "a line that is no record": (foreign(HEAD + '{"n": 1}\n[1]\nhalf'), "line 3 of lines.ndjson"),
    "another file": (other, "has files, and no journal"),
    "another file, and half a head": (foreign('{"fin', beside=True), "has files, and no journal"),
    "another file, and an empty one": (foreign("", beside=True), "has files, and no journal"),
    "a link": (link, "cannot be written"),
    "a folder": (lambda folder: (folder / FILE).mkdir(), "cannot be written"),
    "a pipe": (lambda folder: os.mkfifo(folder / FILE), "cannot be written"),
}


@pytest.mark.parametrize("name", THINGS)
def test_a_folder_of_something_else_is_refused_and_left_as_it_is(name: str, tmp_path: Path) -> None:
    make, told = THINGS[name]
    folder = tmp_path / "folder"
    folder.mkdir()
    make(folder)
    before = _content(tmp_path)
    with pytest.raises(FinaleError, match=told) as raised:
        opened(folder)
    assert raised.value.code == "sweep-folder"
    assert _content(tmp_path) == before


def _content(folder: Path) -> dict[str, bytes]:
    return {
        str(each.relative_to(folder)): each.read_bytes() if each.is_file() else b""
        for each in sorted(folder.rglob("*"))
    }


def test_a_journal_with_another_head_is_refused(tmp_path: Path) -> None:
    opened(tmp_path, of="here").close()
    with pytest.raises(FinaleError, match="of another version"):
        opened(tmp_path, of="there")


def test_another_process_has_the_lock_until_it_ends(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path\nfrom finale.model.journal import open_journal\n"
        f"file = Path({str(tmp_path / FILE)!r})\n"
        "journal = open_journal('sweep', file, '--output', {'v': 1}, print)\n"
        "print('open', flush=True)\ninput()"
    )
    command = [sys.executable, "-P", "-c", program]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(FinaleError) as raised:
            opened(tmp_path)
        assert raised.value.code == "sweep-in-use"
        process.kill()
    assert kept(tmp_path) == []


def test_a_full_disk_is_an_error_of_the_folder(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    journal._file.close()
    with Path("/dev/full").open("wb") as full:
        journal._file = full
        with pytest.raises(FinaleError, match="cannot be written: No space left") as raised:
            journal.write({"n": 1})
        assert raised.value.code == "sweep-folder"
        journal.close()


def test_a_folder_without_rights_and_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(FinaleError, match="cannot be written"):
            opened(folder)
