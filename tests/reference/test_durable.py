"""Which folders are synced: a name is safe before anything is built upon it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.formats.files import DiskFiles
from finale.reference.formats.folder import locked


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that are, in their order."""
    found: list[Path] = []

    def note(_: DiskFiles, folder: Path) -> None:
        assert folder.is_dir()
        found.append(folder)

    monkeypatch.setattr(DiskFiles, "sync_folder", note)
    return found


def test_a_new_folder_of_a_run_is_safe_and_so_are_those_above_it(
    tmp_path: Path, synced: list[Path]
) -> None:
    DiskFiles(tmp_path / "n" / "a" / "b").make_root()
    assert synced == [tmp_path, tmp_path / "n", tmp_path / "n" / "a"]
    with pytest.raises(FinaleError) as caught, locked(_file(tmp_path) / "state"):
        pass
    assert caught.value.code == "not-a-folder"


def _file(folder: Path) -> Path:
    file = folder / "file"
    file.touch()
    return file


def test_a_run_begins_with_a_sync_of_what_a_killed_one_has_left(
    tmp_path: Path, synced: list[Path]
) -> None:
    """Its folders, what is in them, and their names up to the top."""
    state = tmp_path / "n" / "state"
    (state / "checkpoints" / "3").mkdir(parents=True)
    (state / "output").mkdir()
    with locked(state):
        below = {state, state / "output", state / "checkpoints", state / "checkpoints" / "3"}
        assert {*below, tmp_path / "n", tmp_path} <= set(synced)


def test_where_a_run_may_not_write_it_has_left_nothing_to_sync(
    tmp_path: Path, synced: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "state").mkdir()
    usual = os.access
    kept = tmp_path / "others"
    monkeypatch.setattr(os, "access", lambda path, mode: path != kept and usual(path, mode))
    with locked(kept / "state"):
        assert kept not in synced
        assert tmp_path in synced


def test_who_writes_in_a_folder_has_synced_its_name_once(
    tmp_path: Path, synced: list[Path]
) -> None:
    """Also where it is there: another thread may be about to sync it, or was killed before."""
    (tmp_path / "checkpoints" / "3").mkdir(parents=True)
    files = DiskFiles(tmp_path)
    files.write("checkpoints/3/a", b"")
    assert synced == [tmp_path, tmp_path / "checkpoints"]
    files.write("checkpoints/3/b", b"")
    assert len(synced) == 2
    for name in ("checkpoints/3/a", "checkpoints/3/b"):
        files.remove(name)
    synced.clear()
    files.write("checkpoints/3/a", b"")
    assert synced == [tmp_path / "checkpoints"]
