"""A search that was killed goes on from what was saved, and what cannot be trusted is refused."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from finale.checker.search.limits import INTERRUPTED, Limits, SearchProgress
from finale.checker.search.native import breadth_first, resume, saving
from finale.checker.search.native.layout import Words
from finale.checker.search.native.search import check
from finale.checker.search.native.tables import Tables
from finale.checker.search.options import SearchOptions, StorageName
from finale.checker.search.verdict import Report
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.protocols.yardstick import Yardstick
from finale.model.rules import Setting
from finale.model.system import System
from tests.zoo import ZOO
from tests.zoo.fairness import LASSO

ROOT = Path(__file__).parents[2]


def yardstick(records: int = 1, checkpoints: int = 2, channel: int = 2) -> System:
    bounds = {"records": records, "checkpoints": checkpoints, "channel": channel}
    return build(Yardstick(Setting(bounds=bounds)))


def told(report: Report) -> object:
    answers = [replace(verdict, how="") for verdict in report.verdicts]
    return replace(report.statistics, seconds=0), answers, report.dead_branches, report.exercised


def stopped_at(depth: int, folder: Path, storage: StorageName = "exact") -> Report:
    """A search that the user interrupts at a level."""

    def interrupt(news: SearchProgress) -> None:
        if news.depth >= depth:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("finale.checker.search.limits.SECONDS_BETWEEN_REPORTS", 0.0)
        patch.setattr(breadth_first, "SECONDS_BETWEEN_LOOKS", 0.0)
        report = check(
            yardstick(), progress=interrupt, options=SearchOptions(storage, resume=folder)
        )
    assert report.stopped == INTERRUPTED
    return report


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("exact", "exact"),
        ("exact", "compressed"),
        ("compressed", "exact"),
        ("compressed", "compressed"),
        ("hashed", "hashed"),
    ],
)
def test_an_interrupted_search_goes_on(
    first: StorageName, second: StorageName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = stopped_at(20, tmp_path, first).statistics
    again = stopped_at(30, tmp_path, second).statistics
    assert 0 < seen.states < again.states < 111_400
    news: list[SearchProgress] = []
    monkeypatch.setattr("finale.checker.search.limits.SECONDS_BETWEEN_REPORTS", 0.0)
    report = check(
        yardstick(), progress=news.append, options=SearchOptions(second, resume=tmp_path)
    )
    assert news[0].states == again.states
    assert told(report) == told(check(yardstick()))
    assert report.statistics.seconds > again.seconds > seen.seconds


@pytest.mark.parametrize(("first", "second"), [("hashed", "exact"), ("compressed", "hashed")])
def test_what_hashes_may_have_lost_is_not_passed_on(
    first: StorageName, second: StorageName, tmp_path: Path
) -> None:
    stopped_at(20, tmp_path, first)
    with pytest.raises(FinaleError) as caught:
        check(yardstick(), options=SearchOptions(second, resume=tmp_path))
    assert caught.value.code == "resume-foreign"


def test_what_was_not_begun_is_not_saved(tmp_path: Path) -> None:
    [animal] = [each for each in ZOO if len(build(each.make(), each.families).initial) > 2][:1]
    system = build(animal.make(), animal.families)
    few = check(system, Limits(states_max=1), options=SearchOptions(resume=tmp_path))
    assert few.stopped == "the limit of 1 state"
    assert told(check(system, options=SearchOptions(resume=tmp_path))) == told(check(system))


def test_a_limit_below_what_was_saved_is_kept(tmp_path: Path) -> None:
    seen = stopped_at(20, tmp_path).statistics
    report = check(yardstick(), Limits(states_max=10), options=SearchOptions(resume=tmp_path))
    assert report.stopped == "the limit of 10 states"
    assert report.statistics.states == seen.states
    assert told(check(yardstick(), options=SearchOptions(resume=tmp_path))) == told(
        check(yardstick())
    )


def test_what_there_is_no_room_for_is_not_told_in_part(tmp_path: Path) -> None:
    saved = check(yardstick(), options=SearchOptions(resume=tmp_path))
    before = [file.read_bytes() for file in sorted(tmp_path.iterdir())]
    report = check(yardstick(), Limits(memory_max=2**20), options=SearchOptions(resume=tmp_path))
    assert report.stopped == "the limit of 1 MB of memory, which what was saved does not fit into"
    assert (report.statistics.states, report.statistics.complete) == (0, False)
    assert before == [file.read_bytes() for file in sorted(tmp_path.iterdir())]
    assert told(check(yardstick(), options=SearchOptions(resume=tmp_path))) == told(saved)


def test_an_interrupt_while_it_is_read_leaves_what_was_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped_at(30, tmp_path)
    before = [file.read_bytes() for file in sorted(tmp_path.iterdir())]

    def interrupt(tables: Tables, words: Words) -> None:
        append(tables, words)
        raise KeyboardInterrupt

    append = Tables.append
    with monkeypatch.context() as patch:
        patch.setattr(Tables, "append", interrupt)
        report = check(yardstick(), options=SearchOptions(resume=tmp_path))
    assert (report.stopped, report.statistics.states) == (INTERRUPTED, 0)
    assert before == [file.read_bytes() for file in sorted(tmp_path.iterdir())]


def test_liveness_is_judged_after_a_saved_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "SECONDS_MIN", 0.0)
    monkeypatch.setattr(saving, "SHARE_OF_TIME", 0)
    system = build(LASSO.make(), LASSO.families)
    assert told(check(system, options=SearchOptions(resume=tmp_path))) == told(check(system))


def test_a_search_that_ended_is_not_done_again(tmp_path: Path) -> None:
    first = check(yardstick(2, 1, 3), options=SearchOptions(resume=tmp_path))
    second = check(
        yardstick(2, 1, 3), Limits(seconds_max=60), options=SearchOptions(resume=tmp_path)
    )
    assert told(first) == told(second)


def test_a_search_that_hit_a_limit_goes_on(tmp_path: Path) -> None:
    few = check(yardstick(), Limits(states_max=30_000), options=SearchOptions(resume=tmp_path))
    assert few.stopped == "the limit of 30000 states"
    little = check(yardstick(), Limits(memory_max=2**21), options=SearchOptions(resume=tmp_path))
    assert little.stopped == "the limit of 2 MB of memory"
    assert told(check(yardstick(), options=SearchOptions(resume=tmp_path))) == told(
        check(yardstick())
    )


# --- killed --------------------------------------------------------------------------------------

SCRIPT = """
from finale.checker.search.native import saving
saving.SECONDS_MIN, saving.SHARE_OF_TIME = 0.0, 0
from finale.cli.main import main
import sys
main(sys.argv[1:])
"""


def run_killed(spec: str, folder: Path, seconds: float) -> None:
    """The command, killed so long after it first saved."""
    arguments = ["check", spec, "--slow", "--backend", "native", "--resume", str(folder)]
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    while not (folder / resume.SEARCH).exists() and process.poll() is None:
        time.sleep(0.01)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()


def resumed(spec: str, folder: Path) -> dict[str, object]:
    """The search row of the command when it may end."""
    arguments = ["check", spec, "--slow", "--resume", str(folder), "--format", "json"]
    line = [str(Path(sys.executable).with_name("finale")), *arguments]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    rows: list[dict[str, object]] = json.loads(done.stdout)["results"]
    return rows[0]


def assert_goes_on_when_killed(spec: str, folder: Path, kills: int, seconds: float) -> None:
    random, saved = Random(spec), [0]
    for _ in range(kills):
        run_killed(spec, folder, random.uniform(0.0, seconds))
        saved.append(json.loads((folder / resume.SEARCH).read_text())["states"])
    assert saved == sorted(saved)
    assert saved[-1] > 0
    row = resumed(spec, folder)
    assert row["ok"], row


def test_a_killed_search_goes_on(tmp_path: Path) -> None:
    assert_goes_on_when_killed("specs/yardstick/two-checkpoints.toml", tmp_path, 3, 2.0)


@pytest.mark.slow
def test_the_largest_rung_killed_five_times(tmp_path: Path) -> None:
    assert_goes_on_when_killed("specs/yardstick/three-checkpoints.toml", tmp_path, 5, 8.0)


# --- what is refused -----------------------------------------------------------------------------


def refusal(folder: Path, system: System | None = None) -> str:
    """The code of the error; the folder is as it was."""
    before = {file: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}
    with pytest.raises(FinaleError) as caught:
        check(system or yardstick(), options=SearchOptions(resume=folder))
    after = {file: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}
    assert before == {name: data for name, data in after.items() if data or name in before}
    return caught.value.code


def test_the_folder_of_another_system_is_refused(tmp_path: Path) -> None:
    stopped_at(10, tmp_path)
    assert refusal(tmp_path, yardstick(2, 1, 3)) == "resume-foreign"


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert refusal(tmp_path) == "resume-foreign"
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_another_format_is_refused(tmp_path: Path) -> None:
    stopped_at(10, tmp_path)
    file = tmp_path / resume.SEARCH
    file.write_text(json.dumps(json.loads(file.read_text()) | {"format": 99}))
    assert refusal(tmp_path) == "resume-foreign"


@pytest.mark.parametrize(
    "damage", ["cut", "flipped", "missing", "garbled", "counted", "empty", "deep", "list"]
)
def test_a_damaged_folder_is_refused(damage: str, tmp_path: Path) -> None:
    stopped_at(20, tmp_path)
    states, search = tmp_path / resume.STATES, tmp_path / resume.SEARCH
    data = bytearray(states.read_bytes())
    match damage:
        case "cut":
            os.truncate(states, len(data) - 8)
        case "flipped":
            data[len(data) // 2] ^= 1
            states.write_bytes(data)
        case "missing":
            states.unlink()
        case "garbled":
            search.write_text(search.read_text()[:-20])
        case "counted":
            table = json.loads(search.read_text())
            table["counts"]["transitions"] += 1
            search.write_text(json.dumps(table))
        case "empty":
            search.write_text("")
        case "deep":
            search.write_text("[" * 100_000)
        case _:
            search.write_text("[]")
    assert refusal(tmp_path) == "resume-corrupted"


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    folder = resume.ResumeFolder(tmp_path, "anything")
    assert refusal(tmp_path) == "resume-in-use"
    folder.close()


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(FinaleError) as caught:
        check(yardstick(), options=SearchOptions(resume=file))
    assert caught.value.code == "resume-folder"


def test_a_folder_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / resume.STATES).write_text("")
    (tmp_path / resume.SEARCH).mkdir()
    assert refusal(tmp_path) == "resume-folder"


def test_a_part_that_is_written_is_gone_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda file, data, at: written(file, data[:1000], at))
    stopped_at(20, tmp_path)
    assert told(check(yardstick(), options=SearchOptions(resume=tmp_path))) == told(
        check(yardstick())
    )


def test_an_answer_is_given_though_the_end_cannot_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = stopped_at(20, tmp_path).statistics

    def full(file: int, data: bytes, begin: int) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        report = check(yardstick(), options=SearchOptions(resume=tmp_path))
    assert told(replace(report, remarks=())) == told(check(yardstick()))
    assert report.remarks == (
        "what the search has seen could not be saved: No space left on device; "
        "what was saved before is still good",
    )
    assert json.loads((tmp_path / resume.SEARCH).read_text())["states"] == seen.states


def test_a_full_disk_leaves_what_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = stopped_at(20, tmp_path).statistics
    written = os.pwrite

    def full(file: int, data: bytes, begin: int) -> int:
        written(file, data[: len(data) // 2], begin)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(saving, "SECONDS_MIN", 0.0)
        patch.setattr(saving, "SECONDS_MAX", 0.0)
        patch.setattr(breadth_first, "SECONDS_BETWEEN_LOOKS", 0.0)
        patch.setattr(os, "pwrite", full)
        with pytest.raises(FinaleError) as caught:
            check(yardstick(), options=SearchOptions(resume=tmp_path))
    assert caught.value.code == "disk-full"
    kept = json.loads((tmp_path / resume.SEARCH).read_text())
    assert kept["states"] == seen.states
    assert told(check(yardstick(), options=SearchOptions(resume=tmp_path))) == told(
        check(yardstick())
    )
