"""Files that cut a run off, or have no room: what is there then, and what is told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.formats.faulty import DiskFault, FaultyFiles, ProcessEnds
from finale.reference.formats.files import DiskFiles, Files, MemoryFiles
from finale.reference.operators.base import Operator


def worked_on(files: Files) -> None:
    files.append("a", b"one-")
    files.append("a", b"two!")
    files.sync("a")
    files.rename("a", "b")
    files.remove("c")


LEFT = {
    0: {}, 1: {"a": b"on"}, 2: {"a": b"one-"}, 3: {"a": b"one-tw"}, 4: {"a": b"one-two!"},
    5: {"a": b"one-two!"}, 6: {"b": b"one-two!"},
}  # fmt: skip


@pytest.mark.parametrize("moment", LEFT)
def test_a_cut_is_at_any_moment_and_in_the_midst_of_a_write(moment: int) -> None:
    memory = MemoryFiles()
    with pytest.raises(ProcessEnds):
        worked_on(FaultyFiles(memory, moment))
    assert memory.contents == LEFT[moment]


def test_moments_are_counted_and_after_a_cut_nothing_is_written() -> None:
    memory = MemoryFiles()
    files = FaultyFiles(memory)
    worked_on(files)
    assert files.moments == len(LEFT)
    files = FaultyFiles(memory, 0)
    for _ in range(2):
        with pytest.raises(ProcessEnds):
            files.write("d", b"x")
    assert not memory.exists("d")


@pytest.mark.parametrize("moment", [0, 1, 2, 3, 4, 5])
def test_a_disk_is_full_until_something_is_removed(moment: int) -> None:
    memory = MemoryFiles()
    files = FaultyFiles(memory, moment, DiskFault.FULL)
    for _ in range(2):
        with pytest.raises(FinaleError) as caught:
            worked_on(files)
        assert caught.value.code == "disk-full"
    files.remove("a")
    worked_on(files)
    assert memory.exists("b")


def of_two_threads(work: Callable[[str], object]) -> int:
    """In how many the process ends, when both do it at once."""
    cuts: list[str] = []
    at_once = threading.Barrier(2)

    def one(name: str) -> None:
        at_once.wait()
        try:
            work(name)
        except ProcessEnds:
            cuts.append(name)

    threads = [threading.Thread(target=one, args=[name]) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(cuts)


class SlowNumber(int):
    """Another thread goes on while it is compared."""

    def __eq__(self, other: object) -> bool:
        time.sleep(0.02)
        return int(self) == other

    __hash__ = int.__hash__


class SlowBytes(bytes):
    """Another thread goes on while it is measured."""

    def __len__(self) -> int:
        time.sleep(0.02)
        return super().__len__()


def test_threads_that_write_at_once_miss_no_moment() -> None:
    assert of_two_threads(FaultyFiles(MemoryFiles(), SlowNumber(1)).remove) == 1


def test_threads_that_write_at_once_share_the_room() -> None:
    memory = MemoryFiles()
    files = FaultyFiles(memory, room=15)
    assert of_two_threads(lambda name: files.write(name, SlowBytes(b"x" * 10))) == 1
    assert sorted(map(len, memory.contents.values())) == [5, 10]


def test_what_the_machine_refuses_is_told_with_the_file(tmp_path: Path) -> None:
    files = DiskFiles(tmp_path)
    (tmp_path / "full").symlink_to("/dev/full")
    (tmp_path / "folder").mkdir()
    for name, code in (("full", "disk-full"), ("folder", "unwritable")):
        with pytest.raises(FinaleError) as caught:
            files.append(name, b"x")
        assert caught.value.code == code
        assert name in str(caught.value)


def test_state_is_shared_out_by_operators_that_can() -> None:
    assert Operator.share([None, None], 0, 3) is None
    with pytest.raises(FinaleError) as caught:
        Operator.share([{"held": []}, None], 0, 3)
    assert caught.value.code == "not-rescalable"
