"""The store: shared by processes, killed at any time, damaged, full, not ours."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from finale.checker.cache import store as store_module
from finale.checker.cache.store import FILE, Store

KEY, OTHER = b"k" * 16, b"o" * 16


def written(folder: Path, text: str = "text") -> Path:
    store = Store(folder)
    store.put(KEY, text)
    store.close()
    return folder / FILE


def test_what_is_put_is_there_for_the_next_one(tmp_path: Path) -> None:
    written(tmp_path / "new" / "folder")
    store = Store(tmp_path / "new" / "folder")
    assert store.text(KEY) == "text"
    assert store.text(OTHER) is None
    assert store.trouble == ""


def test_nothing_is_written_before_it_is_flushed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(KEY, "text")
    assert Store(tmp_path).text(KEY) is None
    store.flush()
    assert Store(tmp_path).text(KEY) == "text"


def test_nothing_is_written_if_code_of_finale_has_changed_since_it_was_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "BEGAN", Path(store_module.__file__).stat().st_mtime - 1)
    store = Store(tmp_path)
    store.put(KEY, "made by the code that was loaded")
    store.flush()
    assert store.text(KEY) is None
    assert Store(tmp_path).text(KEY) is None


def test_without_a_folder_nothing_is_kept() -> None:
    store = Store(None)
    store.put(KEY, "text")
    store.flush()
    assert not store.is_open
    assert store.text(KEY) is None


@pytest.mark.parametrize("damage", ["begin", "all", "empty", "middle"])
def test_a_damaged_file_is_begun_anew(damage: str, tmp_path: Path) -> None:
    file = written(tmp_path, "x" * 20_000)
    data = bytearray(file.read_bytes())
    if damage == "begin":
        data[:16] = b"no database here"
    elif damage == "all":
        data = bytearray(os.urandom(len(data)))
    elif damage == "empty":
        data = bytearray()
    else:
        data[4096:] = os.urandom(len(data) - 4096)
    file.write_bytes(data)
    store = Store(tmp_path)
    assert store.text(KEY) is None
    store.put(OTHER, "again")
    store.close()
    # A file that is damaged in its middle may be found out only when it is read.
    again = Store(tmp_path)
    assert again.text(OTHER) in ("again", None)


def test_a_text_in_which_a_bit_has_changed_is_not_handed_out(tmp_path: Path) -> None:
    import sqlite3

    file = written(tmp_path)
    with sqlite3.connect(file) as connection:
        ((packed,),) = connection.execute("SELECT text FROM kept").fetchall()
        changed = packed[:-3] + bytes([packed[-3] ^ 1]) + packed[-2:]
        connection.execute("UPDATE kept SET text = ?", (changed,))
    connection.close()
    assert Store(tmp_path).text(KEY) is None


@pytest.mark.parametrize(
    "change",
    [
        "text = NULL",
        "text = 'abc'",
        "text = 1",
        "text = x''",
        "text = (SELECT text FROM before WHERE before.key <> kept.key)",
    ],
)
def test_a_text_that_is_not_that_of_its_key_is_not_handed_out(change: str, tmp_path: Path) -> None:
    import sqlite3

    store = Store(tmp_path)
    store.put(KEY, "text")
    store.put(OTHER, "other")
    store.close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("CREATE TABLE before AS SELECT * FROM kept")
        connection.execute(f"UPDATE kept SET {change}")
    connection.close()
    assert Store(tmp_path).texts([KEY, OTHER]) == {}


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    written(tmp_path)
    tmp_path.chmod(0o777)
    store = Store(tmp_path)
    assert store.text(KEY) is None
    assert "others can write" in store.trouble


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_of_another_user_is_not_used(tmp_path: Path) -> None:
    written(tmp_path)
    os.chown(tmp_path, 12345, 12345)
    store = Store(tmp_path)
    assert store.text(KEY) is None
    assert "another user" in store.trouble


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "cache")
    store.put(KEY, "text")
    store.close()
    assert store.trouble


def test_what_cannot_be_written_is_not_kept(tmp_path: Path) -> None:
    """As on a full disk: the file may not grow."""
    program = textwrap.dedent("""
        import resource, signal, sys
        from pathlib import Path
        from finale.checker.cache.store import Store
        store = Store(Path(sys.argv[1]))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
        for number in range(200):
            store.put(number.to_bytes(16, "big"), str(number) * 5_000)
            store.flush()
        print(store.trouble)
    """)
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "is not used" in ran.stdout
    store = Store(tmp_path)
    found = [store.text(number.to_bytes(16, "big")) for number in range(200)]
    assert all(text in (None, str(number) * 5_000) for number, text in enumerate(found))


def _put_many(folder: Path, first: int) -> None:
    store = Store(folder)
    for number in range(first, 400, 2):
        store.put(number.to_bytes(16, "big"), str(number))
        store.flush()
    store.close()


def test_two_processes_write_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    both = [context.Process(target=_put_many, args=(tmp_path, first)) for first in (0, 1)]
    for each in both:
        each.start()
    for each in both:
        each.join()
    store = Store(tmp_path)
    found = [store.text(number.to_bytes(16, "big")) for number in range(400)]
    # One that waited too long for the other gives up, and keeps nothing from then on.
    assert all(text in (None, str(number)) for number, text in enumerate(found))
    assert sum(text is not None for text in found) > 200


@pytest.mark.parametrize("moment", range(50))
def test_a_writer_that_is_killed_leaves_a_sound_file(moment: int, tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import sys
        from pathlib import Path
        from finale.checker.cache.store import Store
        store = Store(Path(sys.argv[1]))
        number = 0
        while True:
            store.put(number.to_bytes(16, "big"), str(number) * 1_000)
            store.flush()
            print(number, flush=True)
            number += 1
    """)
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    last = 0
    for _ in range(moment + 1):
        last = int(writer.stdout.readline())
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    writer.stdout.close()
    store = Store(tmp_path)
    for number in range(last + 1):
        assert store.text(number.to_bytes(16, "big")) == str(number) * 1_000
    store.put(KEY, "more")
    store.close()
    assert Store(tmp_path).text(KEY) == "more"


def test_a_fork_has_a_connection_of_its_own(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(KEY, "text")
    store.flush()
    child = os.fork()
    if child == 0:
        sound = store.text(KEY) == "text"
        store.put(OTHER, "child")
        store.flush()
        os._exit(0 if sound else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert store.text(OTHER) == "child"
