"""`finale check` gives right answers whatever becomes of its cache.

The command is killed while it writes, two commands write at once, the disk is full, the folder
cannot be written to or belongs to another user. Every answer is compared with that of a check
without a cache.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from finale.checker.cache.store import FILE

ROOT = Path(__file__).parents[2]
FINALE = Path(sys.executable).with_name("finale")
SPECS = [
    ROOT / "specs" / name
    for name in (
        "two-phase-commit/three-managers.toml",
        "two-phase-commit/as-many-as-by-default.toml",
        "final-checkpoint/pair.toml",
        "stop-with-savepoint/pair.toml",
    )
]
KILLS = 50


def started(cache: Path | None) -> subprocess.Popen[str]:
    """Start a check of the specs, with a cache or without any."""
    words: list[str | Path] = [FINALE, "check", *SPECS, "--format", "json", "--workers", "1"]
    if cache is None:
        words.append("--no-cache")
    environment = {**os.environ, "FINALE_CACHE": str(cache or "")}
    pipe = subprocess.PIPE
    return subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=ROOT)


def answered(check: subprocess.Popen[str]) -> tuple[list[dict[str, object]], str]:
    """Return the rows of a check that ends well, without times, and its standard error."""
    out, err = check.communicate()
    assert check.returncode == 0, err
    assert "Traceback" not in err
    rows = json.loads(out)["results"]
    return [{k: v for k, v in row.items() if k not in ("seconds", "cached")} for row in rows], err


@pytest.fixture(scope="module")
def right() -> list[dict[str, object]]:
    """The answer without a cache."""
    return answered(started(None))[0]


def bytes_in(cache: Path) -> int:
    """How much the cache holds: files of SQLite beside the table, too."""
    return sum(file.stat().st_size for file in cache.glob(f"{FILE}*") if file.exists())


@pytest.mark.slow
def test_a_check_that_is_killed_while_it_writes(
    right: list[dict[str, object]], tmp_path: Path
) -> None:
    written = 0
    for moment in range(KILLS):
        cache = tmp_path / f"cache-{moment // 2}"
        cache.mkdir(mode=0o700, exist_ok=True)
        check = started(cache)
        before = bytes_in(cache)
        # Each check is killed at its first write, or soon after. Every second one goes on from
        # what the one before left.
        while check.poll() is None and bytes_in(cache) == before:
            time.sleep(0.0005)
        time.sleep((moment % 10) * 0.002)
        check.kill()
        check.communicate()
        written += bytes_in(cache) > before
        if moment % 2:
            assert answered(started(cache))[0] == right
            assert answered(started(cache))[0] == right
    assert written >= KILLS // 2


@pytest.mark.slow
def test_two_checks_at_once(right: list[dict[str, object]], tmp_path: Path) -> None:
    both = [started(tmp_path) for _ in range(2)]
    assert all(answered(each)[0] == right for each in both)
    assert answered(started(tmp_path))[0] == right


@contextmanager
def small_disk(folder: Path, *options: str) -> Iterator[Path]:
    """A file system of 64 kB, mounted with options."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", ",".join(("size=64k", "mode=0700", *options))]
    if subprocess.run([*mount, "tmpfs", folder], check=False, capture_output=True).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
def test_a_full_disk(right: list[dict[str, object]], tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as cache:
        assert all(answered(started(cache))[0] == right for _ in range(3))
        assert bytes_in(cache) <= 64 * 1024


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_to(right: list[dict[str, object]], tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "ro") as cache:
        rows, err = answered(started(cache))
        assert rows == right
        assert "is not used" in " ".join(err.split())


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user(right: list[dict[str, object]], tmp_path: Path) -> None:
    assert answered(started(tmp_path))[0] == right
    os.chown(tmp_path, 12345, 12345)
    rows, err = answered(started(tmp_path))
    assert rows == right
    assert "another user" in " ".join(err.split())
