"""A checkpoint is there when its metadata is, and is read only as it was written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.formats.files import DiskFiles, Files, MemoryFiles
from finale.reference.formats.metadata import (
    CHANNELS,
    SUSPEND,
    VERSIONS,
    OperatorMetadata,
    SubtaskMetadata,
)
from finale.reference.formats.resuming import Start, start
from finale.reference.formats.snapshots import CheckpointStore

SHAPE = (
    OperatorMetadata("S", "source", (), (SubtaskMetadata(),)),
    OperatorMetadata("T", "source", (), (SubtaskMetadata(), SubtaskMetadata())),
    OperatorMetadata("K", "sink", ("S", "T"), (SubtaskMetadata(),)),
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
    both = [{"index": -1}, {"index": -2}]
    marks = [each["index"] for each in (both if subtasks == -1 else subtasks)]
    assert marks == [-1 if "T.0" in finished else 0, -2 if "T.1" in finished else 1]
    flags = [each["finished"] for each in second["operators"][1]["subtasks"]]
    assert flags == ["T.0" in finished, "T.1" in finished]


def test_nothing_is_left_of_one_that_is_discarded(files: Files) -> None:
    store = written(files)
    store.put(2, "S", {})
    add(store, 3)
    store.discard_older()
    assert store.numbers() == {3}


def test_what_is_pending_or_a_users_is_not_discarded(files: Files) -> None:
    """A savepoint may be completed behind a newer checkpoint."""
    store = store_in(files)
    add(store, 1, kind="savepoint", newest=False)
    store.put(2, "S", {"operator": {"emitted": 2}})
    add(store, 3)
    store.discard_older({2})
    store.complete(2, {"K"}, kind="savepoint", newest=False)
    add(store, 4)
    store.discard_older()
    assert store.numbers() == {1, 2, 4}
    assert store.load(2, "S") == {"operator": {"emitted": 2}}
    assert started(files) == Start(4, 4)


def test_a_restart_takes_the_newest_whichever_was_completed_last(files: Files) -> None:
    store = store_in(files)
    add(store, 2)
    add(store, 1, kind="savepoint")
    assert store.newest == 2


def test_a_new_run_goes_on_where_a_stop_has_ended_the_job(files: Files) -> None:
    store = written(files)
    add(store, 2, kind=SUSPEND, newest=False)
    assert store.newest == 1
    assert started(files) == Start(2, 2)


def test_the_folder_of_another_number_is_no_checkpoint(files: Files) -> None:
    written(files)
    for name in files.under("checkpoints/1"):
        files.write(name.replace("/1/", "/5/"), files.read(name))
    found = started(files)
    assert found.checkpoint == 1
    assert [str(each.place) for each in found.refused] == [
        files.told("checkpoints/5/metadata.json")
    ]


def test_other_things_in_the_folder_are_left_alone(files: Files) -> None:
    written(files)
    files.write("checkpoints/notes.txt", b"mine")
    files.write("checkpoints/saved/1/S.json", b"mine")
    assert started(files) == Start(1, 1)
    assert files.read("checkpoints/notes.txt") == files.read("checkpoints/saved/1/S.json")


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
    assert code_of(files) == ("checkpoint-altered", files.told(path))
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
