"""The folder of a sweep: what is known survives, half a line is dropped, the foreign refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.pipeline.sweep.run import JOURNAL, SweepStore
from finale.pipeline.sweep.work import CellResult, CellVerdict

ROW = CellVerdict("agreement", "violated", "exhaustive", 12, 3, 0.25, "")
ONE = CellResult("one", (("variant", "none"),), (ROW,), 0.25, limits=(10, None, None))
TWO = CellResult("two", (("variant", "ü"),), (), 0.5, stopped="the limit of 10 states")
WRONG = CellResult("three", (), (), 0.5, error="error[x]: y")


def known(folder: Path) -> dict[str, CellResult]:
    with SweepStore(folder) as store:
        return dict(store.known)


def test_it_survives(tmp_path: Path) -> None:
    with SweepStore(tmp_path / "a" / "b") as store:
        for done in (ONE, TWO, WRONG):
            store.keep(done)
        assert store.known["three"] == WRONG
        assert store.seconds()[ONE.setting] == 0.25
    assert known(tmp_path / "a" / "b") == {"one": ONE, "two": TWO}, "an error is not kept"


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_half_a_line_is_dropped_and_the_next_one_is_whole(cut: int, tmp_path: Path) -> None:
    with SweepStore(tmp_path) as store:
        store.keep(ONE)
        store.keep(TWO)
    file = tmp_path / JOURNAL
    file.write_bytes(file.read_bytes()[:-cut])
    with SweepStore(tmp_path) as store:
        assert store.known == {"one": ONE}
        store.keep(TWO)
    assert known(tmp_path) == {"one": ONE, "two": TWO}


def test_half_a_head_is_dropped(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_bytes(b'{"fin')
    with SweepStore(tmp_path) as store:
        store.keep(ONE)
    assert known(tmp_path) == {"one": ONE}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"event": "log-start"}\n', "is no journal of a sweep"),
        ("my notes", "is no journal of a sweep"),
        ('{"finale": "sweep", "v": 1}\n{"key": 1}\n', "line 2 of cells.ndjson"),
        ('{"finale": "sweep", "v": 1}\nx\nhalf', "line 2 of cells.ndjson"),
        ('{"finale": "sweep", "v": 1}\n[1]\n', "line 2 of cells.ndjson"),
    ],
)
def test_what_is_foreign_or_changed_is_refused(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / JOURNAL
    file.write_text(text)
    with pytest.raises(FinaleError, match=told) as raised:
        SweepStore(tmp_path)
    assert raised.value.code == "sweep-folder"
    assert file.read_text() == text, "it is left as it was"


@pytest.mark.parametrize("journal", [None, "", '{"fin'])
def test_a_folder_with_other_files_is_refused_and_left_as_it_is(
    journal: str | None, tmp_path: Path
) -> None:
    (tmp_path / "table.parquet").write_text("mine")
    if journal is not None:
        (tmp_path / JOURNAL).write_text(journal)
    before = {file.name: file.read_text() for file in tmp_path.iterdir()}
    with pytest.raises(FinaleError, match="has files, and no journal") as raised:
        SweepStore(tmp_path)
    assert raised.value.code == "sweep-folder"
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == before


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FinaleError, match="cannot be written") as raised:
        SweepStore(tmp_path / "file")
    assert raised.value.code == "sweep-folder"


def test_one_at_a_time(tmp_path: Path) -> None:
    with SweepStore(tmp_path), pytest.raises(FinaleError) as raised:
        SweepStore(tmp_path)
    assert raised.value.code == "sweep-in-use"
    assert known(tmp_path) == {}
