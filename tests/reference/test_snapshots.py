"""A checkpoint is there when its metadata is, and is read only as it was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from model.errors import FinaleError
from reference.formats.files import DiskFiles, Files, MemoryFiles
from reference.formats.metadata import CHANNELS, VERSIONS, Operator, Part
from reference.formats.resuming import Start, start
from reference.formats.snapshots import CheckpointStore

SHAPE = (
    Operator("S", "source", (), (Part(),)),
    Operator("T", "source", (), (Part(), Part())),
    Operator("K", "sink", ("S", "T"), (Part(),)),
)


@pytest.fixture(params=["memory", "disk"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> Files:
    return MemoryFiles() if request.param == "memory" else DiskFiles(tmp_path)


def store_in(files: Files, *, retained: int = 1, version: int = 2) -> CheckpointStore:
    return CheckpointStore(files, SHAPE, retained=retained, version=version)


def add(store: CheckpointStore, number: int, **said: str | bool) -> None:
    """A checkpoint with a part that tells its number."""
    store.put(number, "S", {"operator": {"emitted": number}})
    store.put(number, "K", {"S→K": [{"records": ["a"]}]}, CHANNELS)
    store.complete(number, {"T.0"}, **said)  # type: ignore[arg-type]


def written(files: Files, **said: int) -> CheckpointStore:
    store = store_in(files, **said)
    add(store, 1)
    return store


def started(files: Files, savepoint: Path | None = None) -> Start:
    """What a new process finds."""
    return start(store_in(files, retained=2), {}, savepoint)


def code_of(files: Files) -> tuple[str, str]:
    with pytest.raises(FinaleError) as caught:
        started(files)
    return caught.value.code, str(caught.value.place)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_new_process_finds_what_was_complete(files: Files, version: int) -> None:
    written(files, version=version).put(2, "S", {"operator": {"emitted": 5}})
    assert started(files) == Start(1, 1)
    store = store_in(files)
    assert store.load(1, "S") == {"operator": {"emitted": 1}}
    assert store.load(1, "K", CHANNELS) == {"S→K": [{"records": ["a"]}]}
    assert store.load(1, "K") is None
    assert store.load(1, "T.0") is None
    assert store.finished(1) == {"T.0"}
    assert store.numbers() == {1}


@pytest.mark.parametrize("finished", [set[str](), {"T.0"}, {"T.1"}, {"T.0", "T.1", "S"}])
def test_versions_say_who_had_finished_in_their_own_words(finished: set[str]) -> None:
    files = [MemoryFiles(), MemoryFiles()]
    for each, version in zip(files, VERSIONS, strict=True):
        store = store_in(each, version=version)
        store.complete(4, finished)
        assert store.finished(4) == finished
    first, second = (json.loads(each.read("checkpoints/4/metadata.json")) for each in files)
    assert first["operators"] != second["operators"]
    subtasks = first["operators"][1]["subtasks"]
    marks = (
        [f"T.{-part['index'] - 1}" for part in subtasks if part["index"] < 0]
        if (subtasks != -1)
        else ["T.0", "T.1"]
    )
    assert set(marks) == {each for each in finished if each.startswith("T")}
    flags = [each["finished"] for each in second["operators"][1]["subtasks"]]
    assert flags == ["T.0" in finished, "T.1" in finished]


# --- what is damaged ------------------------------------------------------------------------------

PARTS = ("S.json", "K.channels.json", "metadata.json")


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("damage", ["truncated", "altered", "empty", "gone"])
def test_a_damaged_file_is_refused_by_name(files: Files, name: str, damage: str) -> None:
    store = written(files)
    path = f"checkpoints/1/{name}"
    damaged(files, path, damage)
    if (name, damage) == ("metadata.json", "gone"):  # without it there is no checkpoint
        assert started(files).checkpoint is None
        return
    before = contents(files)
    assert code_of(files) == ("checkpoint-altered", path)
    assert contents(files) == before
    with pytest.raises(FinaleError):
        store.snapshot(1).verify()


def damaged(files: Files, path: str, damage: str) -> None:
    data = files.read(path)
    match damage:
        case "truncated":
            files.truncate(path, len(data) - 2)
        case "altered":  # one digit of a number
            at = next(i for i in range(len(data) - 1, 0, -1) if chr(data[i]) in "0123456789a")
            files.write(
                path, data[:at] + (b"7" if data[at : at + 1] != b"7" else b"8") + data[at + 1 :]
            )
        case "empty":
            files.write(path, b"")
        case _:
            files.remove(path)


def contents(files: Files) -> dict[str, bytes]:
    return {name: files.read(name) for name in files.under("")}


def test_every_byte_of_the_metadata_is_watched(files: Files) -> None:
    if not isinstance(files, MemoryFiles):
        return
    written(files)
    path = "checkpoints/1/metadata.json"
    data = files.read(path)
    said = json.loads(data)
    for at in range(len(data)):
        files.write(path, data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        try:
            changed = json.loads(files.read(path)) != said
        except ValueError:
            changed = True
        if changed:
            assert code_of(files)[0] in ("checkpoint-altered", "checkpoint-format")
