"""A checkpoint is there when its metadata is, and is read only as it was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from model.errors import FinaleError
from reference.formats.files import DiskFiles, Files, MemoryFiles
from reference.formats.snapshots import CheckpointStore


@pytest.fixture(params=["memory", "disk"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    return MemoryFiles() if request.param == "memory" else DiskFiles(tmp_path)


def written(files: Files) -> CheckpointStore:
    store = CheckpointStore(files)
    store.put(1, "S", {"emitted": 3})
    store.complete(1, {"T"})
    return store


def test_a_new_process_finds_what_was_complete(files: Files) -> None:
    written(files).put(2, "S", {"emitted": 5})
    store = CheckpointStore(files)
    assert store.find() == 1
    assert store.load(1, "S") == {"emitted": 3}
    assert store.load(1, "T") is None
    assert store.finished(1) == {"T"}


def test_nothing_is_left_of_one_that_is_discarded(files: Files) -> None:
    store = written(files)
    store.put(2, "S", {"emitted": 5})
    store.complete(2, set())
    store.discard_older()
    assert CheckpointStore(files).find() == 2
    assert [name for name in files.under("checkpoints") if name.startswith("checkpoints/1/")] == []


@pytest.mark.parametrize("name", ["S.json", "metadata.json"])
@pytest.mark.parametrize("data", [b'{"emitted":4', None])
def test_an_altered_file_is_refused_by_name(files: Files, name: str, data: bytes | None) -> None:
    store = written(files)
    path = f"checkpoints/1/{name}"
    if data is not None:
        files.write(path, data)
    elif name != "metadata.json":  # without it there is no checkpoint
        files.remove(path)
    else:
        files.write(path, b"[")
    with pytest.raises(FinaleError) as caught:
        store.load(1, "S")
    assert caught.value.code == "checkpoint-altered"
    assert path in str(caught.value)


def test_an_unknown_format_is_refused_by_its_number(files: Files) -> None:
    store = written(files)
    metadata = json.loads(files.read("checkpoints/1/metadata.json"))
    files.write("checkpoints/1/metadata.json", json.dumps(metadata | {"format": 9}).encode())
    with pytest.raises(FinaleError) as caught:
        store.load(1, "S")
    assert caught.value.code == "checkpoint-format"
    assert "9" in str(caught.value)


def test_files_on_disk_and_in_memory_are_alike(files: Files) -> None:
    files.append("a/b", b"one")
    files.append("a/b", b"two")
    files.sync("a/b")
    files.truncate("a/b", 4)
    files.rename("a/b", "c/d")
    files.write("c/e", b"")
    files.remove("c/e")
    files.remove("c/e")
    assert files.under("c") == ["c/d"]
    assert files.under("a") == []
    assert files.read("c/d") == b"onet"
    assert not files.exists("a/b")
    with pytest.raises(FileNotFoundError):
        files.read("a/b")


def test_what_is_synced_is_so_with_all_folders_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[Path] = []
    monkeypatch.setattr("reference.formats.files._sync", synced.append)
    written(DiskFiles(tmp_path))
    folder = tmp_path / "checkpoints"
    assert {tmp_path, folder, folder / "1", folder / "1" / "S.json"} <= set(synced)
