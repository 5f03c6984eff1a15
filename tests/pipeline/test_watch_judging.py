"""What is said of growing logs is what is said of the whole ones, however they came."""

from __future__ import annotations

import json
import random
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from finale.checker.cache.plain_data import plain, typed
from finale.checker.logs.findings import Coverage
from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.read.line_patterns import table
from finale.checker.logs.read.log_events import LinePlace
from finale.checker.logs.read.log_files import LogShelf
from finale.checker.logs.read.visibility import LogProfile
from finale.checker.logs.validate import JudgedJob, judge_cluster, judge_job
from finale.checker.logs.verdicts import JobVerdict, named_in
from finale.model.errors import FinaleError
from finale.pipeline.watch import cluster, work
from finale.pipeline.watch.cluster import WatchSetting
from finale.pipeline.watch.files import GROWS, PAUSES, SILENT
from finale.pipeline.watch.journal import JOURNAL, Journal
from finale.pipeline.watch.kept import FolderBatches
from finale.pipeline.watch.work import WatchOrder, judged
from tests.conformance.logs import PAIR, engine_of, log_of
from tests.logs.archive import SAMPLES

TABLE = table("flink-2.3")
NOW = "2026-11-22T08:00:00.000+00:00"
News = dict[str, list[tuple[Mapping[str, Any], bytes]]]


@cache
def content(name: str) -> bytes:
    """The log of a run in the samples."""
    with tarfile.open(SAMPLES) as archive:
        member = next(each for each in archive if each.name.endswith(f"{name}/flink.log"))
        file = archive.extractfile(member)
        assert file is not None
        return file.read()


def news(data: bytes, /, log: str = "flink.log", **told: Any) -> News:
    """New bytes of a log, as the source tells them."""
    usual = {"log": log, "number": 1, "path": log, "gap": False, "lost": False, "trouble": ""}
    about = {**usual, "quiet": GROWS, "closed": False, **told}
    return {log: [(about, data), (about, b"")]}


class Watch:
    """Batches of one folder, in processes that may change."""

    def __init__(self, state: Path, root: str = "logs") -> None:
        self.state, self.setting, self.batch = state, WatchSetting(root, TABLE), 0

    def take(self, new: News) -> list[tuple[str, JobVerdict]]:
        row = judged(WatchOrder(str(self.state), self.batch, self.setting), ".", new)
        self.batch += 1
        row = json.loads(json.dumps(row))
        return [(each["word"], typed(JobVerdict, each["verdict"])) for each in row["states"]]

    def forget(self) -> None:
        """The next batch is in a process that has seen nothing."""
        work._HELD.clear()


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cluster, "PAUSE", 0.0)
    yield
    work._HELD.clear()


def whole(folder: Path) -> list[JobVerdict]:
    """What is said of all that is in a folder, at once."""
    with LogShelf() as shelf:
        logs = shelf.logs([str(folder)])
        found = judge_cluster(map(shelf.lines, logs), TABLE)
        where = str(logs[0]) if len(logs) == 1 else str(folder)
        return [named_in(job.verdict, where, logs) for job in found.jobs]


@pytest.mark.parametrize("name", ["bounded-01", "H16-00", "stop-restore-01", "H4-00"])
def test_in_parts_of_any_size_by_any_process(name: str, tmp_path: Path) -> None:
    """Lines are cut anywhere, and stack traces between two batches."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "flink.log").write_bytes(content(name))
    watch, chance, data = (
        Watch(tmp_path, str(tmp_path / "logs")),
        random.Random(name),
        content(name),
    )
    cuts = sorted(chance.sample(range(len(data)), 12))
    found: dict[str, JobVerdict] = {}
    for begin, end in zip([0, *cuts], [*cuts, len(data)], strict=True):
        found |= {each.job: each for _, each in watch.take(news(data[begin:end]))}
        if chance.random() < 0.4:
            watch.forget()
    assert list(found.values()) == whole(tmp_path / "logs")


def test_rotated_parts_and_several_logs_of_one_cluster(tmp_path: Path) -> None:
    """Lines are numbered in each file; half a line at the end of one is one."""
    data = content("H16-00")
    cut = data.index(b"\n", len(data) // 2) + 1
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.log.1").write_bytes(data[:cut])
    (folder / "a.log").write_bytes(data[cut:])
    (folder / "b.log").write_bytes(content("bounded-01"))
    watch = Watch(tmp_path, str(folder))
    watch.take(news(content("bounded-01"), "b.log", number=2))
    first = news(data[:cut], "a.log", path="a.log.1", closed=True)
    found = watch.take({"a.log": [*first["a.log"], *news(data[cut:], "a.log", number=3)["a.log"]]})
    expected = whole(folder)
    said = [each for _, each in found]
    assert said == expected
    assert {each.file for verdict in said for each in verdict.shows} <= {
        str(folder / "a.log"),
        str(folder / "a.log.1"),
    }


def test_only_jobs_with_new_events_are_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def asks(
        run: JobRun, profile: LogProfile, *, whole: bool, gaps: Sequence[LinePlace]
    ) -> JudgedJob:
        asked.append(run.name)
        return judge_job(run, profile, whole=whole, gaps=gaps)

    monkeypatch.setattr(cluster, "judge_job", asks)
    watch, data = Watch(tmp_path), content("stop-restore-01")
    cut = data.rindex(b"\n", 0, len(data) - 1) + 1
    watch.take(news(data[:cut]))
    watch.take(news(data[cut:]))
    watch.take(news(b"", quiet=PAUSES))
    names = {"stop-restore-01", "stop-restore-01-restored"}
    assert set(asked) == names
    assert len(asked) <= 3, "the last line is of one of them"


def test_what_takes_long_is_judged_when_its_log_pauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PAUSE", 1e6)
    watch, data = Watch(tmp_path), content("bounded-01")
    assert watch.take(news(data[:50_000]))
    assert watch.take(news(data[50_000:])) == []
    ((word, verdict),) = watch.take(news(b"", quiet=PAUSES))
    assert (word, verdict.state) == ("ended", "FINISHED")


def test_a_job_that_falls_silent_is_truncated(tmp_path: Path) -> None:
    watch, data = Watch(tmp_path), content("bounded-01")
    ((word, _),) = watch.take(news(data[: len(data) // 2]))
    assert word == "grows"
    ((word, verdict),) = watch.take(news(b"", quiet=SILENT))
    assert (word, verdict.coverage) == ("truncated", Coverage.TRUNCATED)
    ((word, _),) = watch.take(news(data[len(data) // 2 :]))
    assert word == "ended"


@pytest.mark.parametrize("told", ["gap", "lost"])
def test_where_something_is_missing_there_is_a_gap(told: str, tmp_path: Path) -> None:
    watch, data = Watch(tmp_path), content("bounded-01")
    missing: dict[str, Any] = {told: True}
    watch.take(news(data[:9000]))
    ((_, verdict),) = watch.take(news(data[9000:], **missing))
    assert verdict.coverage is Coverage.GAP


def test_a_batch_that_is_repeated_is_added_once(tmp_path: Path) -> None:
    watch, data = Watch(tmp_path), content("bounded-01")
    cut = len(data) // 2
    watch.take(news(data[:cut]))
    first = watch.take(news(data[cut:]))
    for forgets in (False, True):
        watch.batch -= 1
        if forgets:
            watch.forget()
        assert watch.take(news(data[cut:])) == first


# --- event logs -----------------------------------------------------------------------------------


def test_an_event_log_is_judged_as_it_grows(tmp_path: Path) -> None:
    data = "".join(f"{each}\n" for each in log_of(engine_of(PAIR), PAIR, 1)).encode()
    watch, cut = Watch(tmp_path), len(data) // 2
    ((word, verdict),) = watch.take(news(data[:cut], "run.ndjson"))
    assert (word, verdict.coverage, verdict.shows) == ("grows", Coverage.TRUNCATED, ())
    watch.forget()
    ((word, verdict),) = watch.take(news(data[cut:], "run.ndjson"))
    assert (word, verdict.coverage, verdict.shows) == ("ended", Coverage.COMPLETE, ())
    assert verdict.job == "r"


def test_an_event_log_that_no_run_explains_is_rejected_once(tmp_path: Path) -> None:
    lines = log_of(engine_of(PAIR), PAIR, 1)
    wrong = next(n for n, each in enumerate(lines) if '"event":"complete"' in each)
    lines = [*lines[:1], lines[wrong].replace('"seq":', '"seq":0,"was":'), *lines[1:]]
    (tmp_path / "state").mkdir()
    watch = Watch(tmp_path / "state")
    with Journal(tmp_path / "kept", {}) as journal:
        for part in (lines[:9], lines[9:]):
            data = "".join(f"{each}\n" for each in part).encode()
            for word, verdict in watch.take(news(data, "run.ndjson")):
                journal.note(word, verdict, NOW)
        told = list(journal.tell())
        assert [each["what"] for each in told].count("rejected") == 1
        assert told[0]["why"].startswith('line 2, "complete"')
        assert journal.findings >= 1


def test_two_runs_in_one_event_log_are_two(tmp_path: Path) -> None:
    lines = log_of(engine_of(PAIR), PAIR, 1)
    other = [each.replace('"run":"r"', '"run":"q"') for each in log_of(engine_of(PAIR), PAIR, 2)]
    watch = Watch(tmp_path)
    watch.take(news("".join(f"{each}\n" for each in lines).encode(), "run.ndjson"))
    found = watch.take(news("".join(f"{each}\n" for each in other).encode(), "run.ndjson"))
    assert [(word, verdict.job) for word, verdict in found] == [("ended", "r"), ("ended", "q")]


def test_what_is_no_event_log_is_told_as_trouble(tmp_path: Path) -> None:
    order = WatchOrder(str(tmp_path), 0, WatchSetting("logs", TABLE))
    row = judged(order, ".", news(b"nothing\n", "run.ndjson"))
    assert "not-an-event-log" in row["troubles"]["run.ndjson"]
    assert row["states"] == []


# --- what is kept ---------------------------------------------------------------------------------


def frames(state: Path, before: int = 99) -> list[Mapping[str, Any]]:
    return list(FolderBatches(state, "folder").before(before))


def test_batches_are_kept_until_they_are_repeated(tmp_path: Path) -> None:
    kept = FolderBatches(tmp_path, "folder")
    for batch in (1, 2, 5):
        kept.append(batch, {"batch": batch})
    assert [each["batch"] for each in frames(tmp_path)] == [1, 2, 5]
    again = FolderBatches(tmp_path, "folder")
    assert len(list(again.before(5))) == 2
    again.append(5, {"batch": 50})
    assert [each["batch"] for each in frames(tmp_path)] == [1, 2, 50]
    assert list(FolderBatches(tmp_path, "other").before(9)) == []


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_half_a_batch_is_none(cut: int, tmp_path: Path) -> None:
    kept = FolderBatches(tmp_path, "folder")
    kept.append(1, {"batch": 1})
    kept.append(2, {"what": "x" * 50})
    kept.file.write_bytes(kept.file.read_bytes()[:-cut])
    assert frames(tmp_path) == [{"batch": 1}]


def test_what_was_changed_is_refused(tmp_path: Path) -> None:
    kept = FolderBatches(tmp_path, "folder")
    kept.append(1, {"batch": 1})
    kept.file.write_bytes(kept.file.read_bytes().replace(b'"batch":1}', b'"batch":2}'))
    with pytest.raises(FinaleError) as raised:
        frames(tmp_path)
    assert raised.value.code == "watch-damaged"


# --- what was told --------------------------------------------------------------------------------


def states(name: str, tmp_path: Path, parts: int = 2) -> list[list[tuple[str, JobVerdict]]]:
    watch, data = Watch(tmp_path / "state"), content(name)
    (tmp_path / "state").mkdir(exist_ok=True)
    size = -(-len(data) // parts)
    return [watch.take(news(data[n : n + size])) for n in range(0, len(data), size)]


def test_each_finding_is_told_once(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    for batch in states("H16-00", tmp_path, 6):
        with Journal(tmp_path / "kept", {"of": 1}) as journal:
            assert list(journal.tell()) == []
            for word, verdict in batch:
                journal.note(word, verdict, NOW)
                journal.note(word, verdict, NOW)
            told += journal.tell()
    assert [each["n"] for each in told] == list(range(1, len(told) + 1))
    findings = [(each["property"], str(each["binding"])) for each in told if "property" in each]
    assert len(set(findings)) == len(findings) == 7
    assert [each["state"] for each in told if each["what"] == "job"] == ["FAILED"]
    assert told[-1]["findings"] == 7


def test_what_may_not_have_been_told_is_told_again_under_its_number(tmp_path: Path) -> None:
    (((word, verdict),),) = states("H16-00", tmp_path, 1)
    journal = Journal(tmp_path / "kept", {})
    journal.note(word, verdict, NOW)
    first = [next(iter(journal.tell()))["n"]]
    journal._journal.close()  # as a process that is killed while it tells
    with Journal(tmp_path / "kept", {}) as again:
        assert [each["n"] for each in again.tell()][:1] == first
        again.note(word, verdict, NOW)
        assert list(again.tell()) == []


def test_a_finding_that_later_lines_explain_is_withdrawn(tmp_path: Path) -> None:
    (((word, verdict),),) = states("H16-00", tmp_path, 1)
    with Journal(tmp_path / "kept", {}) as journal:
        journal.note("grows", verdict, NOW)
        list(journal.tell())
        less = typed(JobVerdict, plain(verdict) | {"findings": []})
        journal.note("grows", less, NOW)
        told = list(journal.tell())
        assert {each["what"] for each in told} == {"withdrawn"}
        assert [each["of"] for each in told] == list(range(1, 8))
        assert journal.findings == 0
        journal.note(word, verdict, NOW)
        assert journal.findings == 7


def test_half_a_record_is_none(tmp_path: Path) -> None:
    (((word, verdict),),) = states("H16-00", tmp_path, 1)
    with Journal(tmp_path / "kept", {}) as journal:
        journal.note(word, verdict, NOW)
        count = len(list(journal.tell()))
    file = tmp_path / "kept" / JOURNAL
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-3]) + lines[-3][:20])
    with Journal(tmp_path / "kept", {}) as journal:
        journal.note(word, verdict, NOW)
        assert [each["n"] for each in journal.tell()] == list(range(1, count + 1))


def damage(kind: str, kept: Path) -> None:
    kept.mkdir()
    match kind:
        case "other":
            (kept / "something").write_text("")
        case "other, and half a head":
            (kept / "something").write_text("")
            (kept / JOURNAL).write_text('{"finale": "wa')
        case "no line of ours" | "no journal":
            (kept / JOURNAL).write_text("hello" + "\n" * (kind == "no journal"))
        case "changed":
            Journal(kept, {}).__exit__(None, None, None)
            with (kept / JOURNAL).open("a") as file:
                file.write('{"n": 1}\n{"n": 2')
        case _:
            Journal(kept, {"logs": "elsewhere"}).__exit__(None, None, None)


@pytest.mark.parametrize(
    "kind",
    ["other", "other, and half a head", "no line of ours", "no journal", "changed", "of another"],
)
def test_a_folder_of_something_else_is_refused_and_left_as_it_is(kind: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    damage(kind, kept)
    before = {file.name: file.read_bytes() for file in kept.iterdir()}
    with pytest.raises(FinaleError) as raised:
        Journal(kept, {})
    assert raised.value.code == "watch-folder"
    assert {file.name: file.read_bytes() for file in kept.iterdir()} == before


def test_half_a_head_is_none(tmp_path: Path) -> None:
    (tmp_path / JOURNAL).write_text('{"finale": "wa')
    for _ in range(2):
        with Journal(tmp_path, {}) as journal:
            assert journal.count == 0


def test_one_watch_at_a_time(tmp_path: Path) -> None:
    with Journal(tmp_path / "kept", {}), pytest.raises(FinaleError) as raised:
        Journal(tmp_path / "kept", {})
    assert raised.value.code == "watch-in-use"


def test_troubles_are_told_once(tmp_path: Path) -> None:
    with Journal(tmp_path / "kept", {}) as journal:
        for _ in range(2):
            journal.note_troubles({"a.log": "it may not be read"}, NOW)
        (told,) = journal.tell()
    assert (told["what"], told["logs"]) == ("trouble", "a.log")


def test_lines_are_counted_when_they_have_their_end(tmp_path: Path) -> None:
    data = b"no entry\n" + content("bounded-01") + b"half"
    watch = Watch(tmp_path)
    watch.take(news(data[:5000]))
    watch.take(news(data[5000:]))
    held = work._HELD[str(tmp_path), "."].cluster
    assert held.lines == (data.count(b"\n"), 1)
    assert [part.rest for part in held.logs["flink.log"].parts] == ["half"]
