"""What stands on a terminal while a search runs."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from finale.checker.cache.store import VARIABLE
from finale.checker.logs.event_log.progress import LogProgress
from finale.checker.review.review import Progress
from finale.checker.search.limits import COMPILING, SearchProgress
from finale.checker.search.native.compiling import alone
from finale.cli.meter import PROGRESS, SECONDS_BETWEEN_LINES, Bar, Meter, line_of, lines_of

#: Of a review.
FAR = Progress([Path("specs/a.toml")], 3, 9, ("no-loss",), 12.4)
NAME = "finish-during-trigger-aborts.toml"
NEWS = SearchProgress(4_129_035, 41_000_000, 35, 512_000, 6.1, 130 << 20, 12.4)


def test_all_is_told_on_two_lines_of_a_usual_terminal() -> None:
    lines = lines_of(NAME, NEWS, 77)
    assert len(lines) == 2
    assert all(len(line) <= 77 for line in lines)
    told = " ".join(lines)
    for part in ("4 129 035 states", "about 12 s left", "130 MB", "/s", "level 35", "512 000 open"):
        assert part in told


def test_one_line_is_enough_where_it_is_wide() -> None:
    [line] = lines_of(NAME, NEWS, 150)
    assert line.startswith(f"{NAME}: 4 129 035 states")


@pytest.mark.parametrize("width", [10, 20, 37, 57])
def test_narrow_terminals_have_whole_numbers_where_they_can(width: int) -> None:
    lines = lines_of(NAME, NEWS, width)
    assert all(len(line) <= width for line in lines)
    assert width < 37 or "4 129 035 states" in lines[0]


def test_a_pipe_for_progress_gets_a_line_each_second_and_stderr_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 100.0
    monkeypatch.setattr("finale.cli.meter.monotonic", lambda: now)
    read, written = os.pipe()
    monkeypatch.setenv(PROGRESS, str(written))
    monkeypatch.setattr("finale.cli.meter._PIPES", [])
    with Meter("pair.toml") as meter, Bar() as bar:
        assert PROGRESS not in os.environ, "a process of the command does not inherit the pipe"
        for _ in range(5):
            now += 0.4
            meter(NEWS)
            bar(0.25, ["b.log"])
    os.close(written)
    with os.fdopen(read, encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    # The bar tells at once, and the search after its first second.
    assert [line.split(":")[0] for line in lines] == ["25% · b.log", "pair.toml", "25% · b.log"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("number", ["closed", "9" * 30])
def test_a_number_that_is_no_open_pipe_does_no_harm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: str
) -> None:
    read, written = os.pipe()
    os.close(read)
    os.close(written)
    monkeypatch.setenv(PROGRESS, str(written) if number == "closed" else number)
    monkeypatch.setattr("finale.cli.meter._PIPES", [])
    with Bar() as bar:
        bar(0.25, ["b.log"])
    assert capsys.readouterr().err == ""


def test_what_is_done_before_a_search_is_told() -> None:
    [line] = lines_of(
        "pair.toml", SearchProgress(0, 0, 0, 0, 0.0, before="building the system"), 77
    )
    assert line == "pair.toml: building the system"
    [line] = lines_of(
        "pair.toml", SearchProgress(0, 0, 0, 0, 1.5, before="building the system"), 77
    )
    assert line == "pair.toml: building the system · 1.5 s"


def test_liveness_is_told_with_its_estimate() -> None:
    after = "liveness: 3 of 10 properties"
    [line] = lines_of("pair.toml", replace(NEWS, memory=0, after=after), 120)
    told = "pair.toml: 4 129 035 states · liveness: 3 of 10 properties · 6.1 s · about 12 s left"
    assert line.startswith(told)


@pytest.mark.parametrize("width", [57, 77])
@pytest.mark.parametrize(("judges", "doing"), [(False, "explaining"), (True, "judging")])
def test_of_a_log_its_lines_are_told(width: int, judges: bool, doing: str) -> None:
    lines = lines_of("events.ndjson", LogProgress(12_034, 37_190, 14_222, 71.4, judges), width)
    assert all(len(line) <= width for line in lines)
    told = " · ".join(lines)
    assert told.endswith(f": {doing} line 12 034 of 37 190 · 71 s · 14 222 states")


@pytest.mark.parametrize("width", [30, 60, 79])
def test_a_bar_and_the_words_that_fit_beside_it(width: int) -> None:
    words = ["12 of 140 judged", "about 20 s left", "3 known before"]
    line = line_of(0.5, words, width)
    assert len(line) <= width
    assert line.startswith("[##########..........] ")
    assert ("about 20 s left" in line) == (width >= 60)
    assert (words[-1] in line) == (width >= 79)
    assert line_of(7.0, [], width) == f"[{'#' * 20}] "


def test_a_bar_makes_room_and_is_not_there_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Bar() as bar:
        bar(0.5, ["half"])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with Bar() as bar:
        bar(0.5, ["half"])
        bar(0.6, ["too soon"])
    told = capsys.readouterr().err
    assert told.startswith("[##########..........] half")
    assert told.endswith("\r\x1b[2K")
    assert "too soon" not in told


def test_a_file_gets_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("finale.cli.meter.monotonic", lambda: now)
    with Meter("settings") as meter:
        meter.tell_many([Path("a.toml")], 0, 9)
        for now in (SECONDS_BETWEEN_LINES, SECONDS_BETWEEN_LINES + 1, 2 * SECONDS_BETWEEN_LINES):
            meter.tell_many([Path("specs/a.toml"), Path("b.toml")], int(now / 10), 9)
    assert capsys.readouterr().err == (
        "3 of 9 settings · a.toml, b.toml\n6 of 9 settings · a.toml, b.toml\n"
    )


def test_a_pipe_is_told_at_once_that_the_search_is_compiled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Meter("pair.toml") as meter:
        meter(SearchProgress(0, 0, 0, 0, 0.0, before="compiling the rules"))
        assert capsys.readouterr().err == ""
        meter(SearchProgress(0, 0, 0, 0, 0.0, before=COMPILING))
    assert capsys.readouterr().err == f"pair.toml: {COMPILING}\n"


def test_a_pipe_is_told_once_that_a_worker_compiles_the_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    with Meter("specs") as meter:
        meter.tell_many([Path("a.toml")], 0, 2)
        with alone(0.0):
            for _ in range(2):
                meter.tell_many([Path("specs/a.toml"), Path("b.toml")], 0, 2)
        meter.tell_many([Path("b.toml")], 1, 2)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"0 of 2 specs · {COMPILING} · a.toml, b")


@pytest.mark.parametrize(
    ("progress", "told"),
    [
        (
            replace(FAR, done=0, fallen=(), seconds_left=None),
            "0 of 9 settings · no estimate yet · a.toml",
        ),
        (FAR, "3 of 9 settings · about 12 s left · a.toml · newly violated: no-loss"),
    ],
)
def test_a_review_tells_how_long_it_takes_and_what_it_found(
    progress: Progress,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0
    monkeypatch.setattr("finale.cli.meter.monotonic", lambda: now)
    with Meter("settings") as meter:
        now = SECONDS_BETWEEN_LINES + 1
        meter.tell_review(progress)
    assert capsys.readouterr().err == f"{told}\n"
