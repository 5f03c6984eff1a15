"""`finale watch` as a user starts it: logs grow, are rotated, and the watch is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.logs import PAIR, engine_of, log_of

from .test_watch_judging import content, whole

#: A machine may be busy.
SECONDS_MAX = 150
Record = Mapping[str, Any]


class Watching:
    """A process of the command, and the records that it has told, each with when it came."""

    def __init__(self, logs: Path, *flags: str) -> None:
        finale = str(Path(sys.executable).with_name("finale"))
        command = [finale, "watch", str(logs), "--format", "json", *flags]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.records: list[Record] = []
        self.came: list[float] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.came.append(time.time())
            self.records.append(json.loads(line))

    def wait_for(self, is_there: Callable[[list[Record]], bool]) -> None:
        for _ in range(SECONDS_MAX * 20):
            if is_there(self.records):
                return
            assert self.process.poll() is None, self.end()
            time.sleep(0.05)
        raise AssertionError(f"it did not come, but {self.records}")

    def end(self) -> tuple[int, str]:
        """Its exit code, and what it wrote on stderr."""
        assert self.process.stderr is not None
        error = self.process.stderr.read()
        code = self.process.wait(SECONDS_MAX)
        self._thread.join(SECONDS_MAX)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code, error

    def kill(self) -> None:
        """Killed is the driver, and nothing else."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.end()


@contextlib.contextmanager
def watching(logs: Path, *flags: str) -> Iterator[Watching]:
    watch = Watching(logs, *flags)
    try:
        yield watch
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(watch.process.pid, signal.SIGKILL)
        if watch.process.returncode is None:
            watch.end()


@pytest.fixture(params=["here", "spark"])
def by(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The flags of a watch in one process, and of one on Spark."""
    if request.param == "here":
        return ()
    assert request.getfixturevalue("java")
    return ("--master", "local[2]")


def ended(records: list[Record]) -> bool:
    return any(each["what"] == "job" and each["word"] == "ended" for each in records)


def findings(records: list[Record]) -> list[tuple[str, str, int]]:
    """Of each finding its property, its binding and its line."""
    return [
        (each["property"], str(each["binding"]), int(each["where"].rpartition(":")[2]))
        for each in records
        if each["what"] == "finding"
    ]


def expected(folder: Path) -> list[tuple[str, str, int]]:
    (verdict,) = whole(folder)
    return [(each.property, str(dict(each.binding)), each.line) for each in verdict.shows]


def parts(data: bytes, count: int) -> Iterator[bytes]:
    """Some parts of it, which end in the midst of lines."""
    size = -(-len(data) // count)
    for begin in range(0, len(data), size):
        yield data[begin : begin + size]


def write(file: Path, data: bytes) -> None:
    with file.open("ab") as stream:
        stream.write(data)


@pytest.mark.slow
def test_it_grows_is_rotated_and_the_watch_killed(by: tuple[str, ...], tmp_path: Path) -> None:
    """Each finding is told once, with the line that it has in its file; Ctrl-C ends it."""
    logs, kept, data = tmp_path / "logs", tmp_path / "kept", content("H16-00")
    logs.mkdir()
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole" / "flink.log").write_bytes(data)
    wanted = sorted(expected(tmp_path / "whole"))
    assert len(wanted) == 7
    log = logs / "flink.log"
    first_line = min(line for *_, line in wanted)
    cut = data.index(b"\n", sum(map(len, data.splitlines(keepends=True)[: first_line + 3]))) - 7
    with watching(logs, *by, "--resume", str(kept)) as watch:
        for part in parts(data[:cut], 5):
            write(log, part)
            time.sleep(0.3)
        watch.wait_for(lambda records: bool(findings(records)))
        watch.kill()
        told = list(watch.records)
    write(log, data[cut : cut + 8])
    log.rename(logs / "flink.log.1")
    lines = (logs / "flink.log.1").read_bytes().count(b"\n")
    rest = data[cut + 8 :]
    log.write_bytes(rest[: len(rest) // 2])
    with watching(logs, *by, "--resume", str(kept)) as watch:
        watch.wait_for(lambda records: len(findings(records)) + len(findings(told)) > 1)
        write(log, rest[len(rest) // 2 :])
        watch.wait_for(ended)
        os.kill(watch.process.pid, signal.SIGINT)
        code, error = watch.end()
        told += watch.records
    assert code == 130
    assert "1 job · 7 findings; --resume" in error
    assert "Traceback" not in error
    assert [each["n"] for each in told] == list(range(1, len(told) + 1))
    assert [each["what"] for each in told].count("finding") == 7
    # Lines of the file that was begun anew are counted from its beginning.
    later = {each["n"] for each in watch.records if each.get("where", "").startswith(f"{log}:")}
    found = findings([each for each in told if each["n"] not in later])
    found += [
        (name, about, line + lines)
        for name, about, line in findings([each for each in told if each["n"] in later])
    ]
    assert sorted(found) == wanted


def test_within_seconds_and_when_nothing_comes_any_more(
    by: tuple[str, ...], tmp_path: Path
) -> None:
    """A finding comes within seconds, a second log later; one that is silent is truncated."""
    data = content("H16-00")
    lines = data.splitlines(keepends=True)
    events = [f"{each}\n".encode() for each in log_of(engine_of(PAIR), PAIR, 1)]
    with watching(tmp_path, *by, "--silent-after", "4") as watch:
        write(tmp_path / "flink.log", b"".join(lines[:600]))
        (tmp_path / "run").mkdir()
        write(tmp_path / "run" / "events.ndjson", b"".join(events[:20]))
        watch.wait_for(lambda records: len(records) == 2)
        words = {each["logs"]: each["word"] for each in watch.records}
        assert set(words.values()) == {"truncated"}
        began = time.time()
        write(tmp_path / "flink.log", b"".join(lines[600:]))
        write(tmp_path / "run" / "events.ndjson", b"".join(events[20:]))
        watch.wait_for(lambda records: len([e for e in records if e.get("word") == "ended"]) == 2)
        assert len(findings(watch.records)) == 7
        first = next(n for n, each in enumerate(watch.records) if each["what"] == "finding")
        assert watch.came[first] - began < 15, "on a busy machine, too"
        os.kill(watch.process.pid, signal.SIGINT)
        assert watch.end()[0] == 130
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flink.log", "run"]


@pytest.mark.slow
def test_once(by: tuple[str, ...], tmp_path: Path) -> None:
    """What is there is judged; then what came since; what was kept and changed is refused."""
    logs, kept, data = tmp_path / "logs", tmp_path / "kept", content("bounded-01")
    for name in "ab":
        (logs / name).mkdir(parents=True)
        write(logs / name / "flink.log", data[:90_000] if name == "b" else data)
    told: list[Record] = []
    for _ in range(2):
        with watching(logs, *by, "--once", "--resume", str(kept)) as watch:
            code, error = watch.end()
            assert code == 0, error
            assert "2 logs" in error
            told += watch.records
            write(logs / "b" / "flink.log", data[90_000:] if len(told) == 1 else b"no more\n")
    assert [(each["word"], each["logs"][-11:]) for each in told] == [
        ("ended", "a/flink.log"),
        ("ended", "b/flink.log"),
    ]
    for file in (kept / "logs").iterdir():
        file.write_bytes(file.read_bytes().replace(b"FINISHED", b"CANCELED"))
    with watching(logs, *by, "--once", "--resume", str(kept)) as watch:
        code, error = watch.end()
    assert code == 2
    assert error.splitlines()[1].startswith("error[watch-ended]" if by else "error[watch-damaged]")
    assert not by or "Spark failed: error[watch-damaged]" in error
    assert "Traceback" not in error


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_killed_at_any_time(by: tuple[str, ...], seed: int, tmp_path: Path) -> None:
    """However often: the journal has each finding once, and all of them."""
    logs, kept, data = tmp_path / "logs", tmp_path / "kept", content("H16-00")
    logs.mkdir()
    (logs / "flink.log").write_bytes(data)
    wanted = sorted(expected(logs))
    (logs / "flink.log").write_bytes(b"")
    stops = threading.Event()

    def grow() -> None:
        for part in parts(data, 60):
            write(logs / "flink.log", part)
            stops.wait(0.4)

    writer = threading.Thread(target=grow)
    writer.start()
    for turn in range(3):
        with watching(logs, *by, "--resume", str(kept)) as watch:
            time.sleep(6 + 2.3 * ((seed + turn) % 5))
            watch.kill()
    stops.set()
    writer.join()
    with watching(logs, *by, "--once", "--resume", str(kept)) as watch:
        code, error = watch.end()
        assert code == 1, error
    records = [json.loads(each) for each in (kept / "findings.ndjson").read_text().splitlines()[1:]]
    records = [each for each in records if "told" not in each]
    assert [each["n"] for each in records] == list(range(1, len(records) + 1))
    assert sorted(findings(records)) == wanted
    assert not [each for each in records if each["what"] == "withdrawn"]
