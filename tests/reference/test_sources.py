"""Sources: what they make of their files, where they go on, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finale.model.errors import FinaleError
from finale.reference.channel import Buffer
from finale.reference.formats.files import MemoryFiles
from finale.reference.operators.base import Context
from finale.reference.operators.sources import LineSource
from finale.reference.operators.tables import Csv, Ndjson

from .bench import few


def source(
    kind: Any,
    folder: Path,
    index: int = 0,
    count: int = 1,
    disk: MemoryFiles | None = None,
    **options: Any,
) -> Any:
    files = {path.name: path for path in sorted(folder.iterdir())}
    task = "S" if count == 1 else f"S.{index}"
    return kind(Context(task, disk or MemoryFiles(), index, count), files=files, **options)


def buffers(from_: LineSource, most: int | None = None) -> list[Buffer]:
    """What a source emits now."""
    read: list[Buffer] = []
    while (most is None or len(read) < most) and (buffer := from_.peek()) is not None:
        read.append(buffer)
        from_.advance()
    return read


def records(from_: LineSource, most: int | None = None) -> list[Any]:
    return [record for buffer in buffers(from_, most) for record in buffer.records]


def again(old: Any, new: Any) -> Any:
    """The new one goes on where the old one is."""
    new.restore(json.loads(json.dumps(old.snapshot(1, last=False))))
    return new


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("finale.reference.operators.sources.CHUNK", 8)


def refused(from_: LineSource) -> FinaleError:
    with pytest.raises(FinaleError) as caught:
        buffers(from_)
    return caught.value


# --- positions ------------------------------------------------------------------------------------


def test_lines_are_read_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1\n22222222222\n\n3")
    (tmp_path / "b").write_bytes(b"\xff\n")
    (tmp_path / "c").write_bytes(b"")
    lines = source(LineSource, tmp_path)
    assert records(lines) == ["1", "22222222222", "", "3", "\udcff"]
    assert lines.has_ended


def test_each_position_is_gone_on_from(tmp_path: Path) -> None:
    texts = {"a": "1\n2\n3\n4\n5\n6\n7\n", "b": "8\n9\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    whole = records(source(LineSource, tmp_path))
    for most in range(4):
        first = source(LineSource, tmp_path)
        before = records(first, most)
        assert before + records(again(first, source(LineSource, tmp_path))) == whole


@few
@given(
    files=st.lists(st.integers(0, 9), min_size=1, max_size=5),
    counts=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    most=st.integers(0, 3),
    added=st.integers(0, 5),
)
def test_files_are_dealt_out_and_may_be_added(
    tmp_path_factory: pytest.TempPathFactory,
    files: list[int],
    counts: list[int],
    most: int,
    added: int,
) -> None:
    folder = tmp_path_factory.mktemp("files")
    for number, length in enumerate(files):
        (folder / f"{number}").write_text("".join(f"{number}:{n}\n" for n in range(length)))
    subtasks = [source(LineSource, folder, i, counts[0]) for i in range(counts[0])]
    read: list[Any] = []
    for turn, count in enumerate(counts[1:], 2):
        read += [record for each in subtasks for record in records(each, most)]
        states = json.loads(json.dumps([each.snapshot(1, last=False) for each in subtasks]))
        if turn == len(counts):
            files.append(added)
            text = "".join(f"{len(files) - 1}:{n}\n" for n in range(added))
            # It stands in front of the others by its name.
            (folder / "+").write_text(text)
        subtasks = [source(LineSource, folder, i, count) for i in range(count)]
        for index, subtask in enumerate(subtasks):
            subtask.restore(LineSource.share(states, index, count))
    read += [record for each in subtasks for record in records(each)]
    wanted = [f"{number}:{n}" for number, length in enumerate(files) for n in range(length)]
    assert sorted(read) == sorted(wanted)


@pytest.mark.parametrize(
    ("text", "problem"),
    [("1\n2\n", "bytes"), ("1\n2\n3\n4\n567\n", "longer"), (None, "gone")],
)
def test_a_file_that_is_no_more_what_it_was_is_refused(
    tmp_path: Path, text: str | None, problem: str
) -> None:
    path = tmp_path / "a"
    (tmp_path / "b").write_text("1\n")
    path.write_text("1\n2\n3\n4\n56")
    first = source(LineSource, tmp_path)
    assert len(records(first, 2)) == 5
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    with pytest.raises(FinaleError) as caught:
        again(first, source(LineSource, tmp_path))
    assert caught.value.code == "input-changed"
    assert problem in caught.value.message
    assert "a" in str(caught.value.place)


def test_a_file_that_was_read_may_go_or_grow(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n")
    (tmp_path / "b").write_text("2\n")
    first = source(LineSource, tmp_path)
    assert records(first) == ["1", "2"]
    (tmp_path / "a").unlink()
    (tmp_path / "b").write_text("2\n3\n")
    assert records(again(first, source(LineSource, tmp_path))) == ["3"]


def test_what_had_finished_reads_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1\n")
    for follow in (False, True):
        ended = source(LineSource, tmp_path, follow=follow).restore_finished()
        assert ended.peek() is None
        assert ended.has_ended


def test_a_source_that_has_finished_refuses_what_is_new_to_it(tmp_path: Path) -> None:
    """Whoever of its subtasks begins a file makes a note of it."""
    (tmp_path / "a").write_text("1\n")
    disk = MemoryFiles()
    first = source(LineSource, tmp_path, 1, 2, disk)
    first.start()
    (tmp_path / "b").write_text("2\n")
    with pytest.raises(FinaleError) as caught:
        source(LineSource, tmp_path, 0, 1, disk).refuse_finished()
    assert caught.value.code == "input-added"
    assert caught.value.place is not None
    assert caught.value.place.file == str(tmp_path / "b")
    later = source(LineSource, tmp_path, 1, 2, disk)
    later.beside = ("S.1",)
    assert records(again(first, later)) == ["2"]
    source(LineSource, tmp_path, 0, 1, disk).refuse_finished()


# --- following ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "parts", "wanted"),
    [
        (LineSource, ["1\n2", "3\n", "4"], [["1"], ["23"], []]),
        (Ndjson, ['{"a":', "1}\n", "2\n3"], [[], [{"a": 1}], [2]]),
        (Csv, ["a\n1", '\n"3', "\n4", '"\n6'], [[], [{"a": "1"}], [], [{"a": "3\n4"}]]),
    ],
)
def test_half_lines_wait(tmp_path: Path, kind: Any, parts: list[str], wanted: list[Any]) -> None:
    path = tmp_path / "a"
    path.touch()
    following = source(kind, tmp_path, follow=True)
    for part, read in zip(parts, wanted, strict=True):
        with path.open("a") as file:
            file.write(part)
        assert records(following) == read
        assert not following.has_ended


# --- what lines say -------------------------------------------------------------------------------


def test_json_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('\ufeff{"a": [1, 2.5]}\n\n  \n"x"\r\nnull\n')
    assert records(source(Ndjson, tmp_path)) == [{"a": [1, 2.5]}, "x", None]


def test_rows_are_read(tmp_path: Path) -> None:
    text = '\ufeffa;b\r\n1;"x;\ny"\r\n\r\n-2.5;"""q"""\r\n'
    (tmp_path / "a").write_text(text, newline="")
    (tmp_path / "b").write_text("b;a\nz;3\n")
    types = {"a": "number"}
    rows = source(Csv, tmp_path, separator=";", types=types)
    wanted = [{"a": 1, "b": "x;\ny"}, {"a": -2.5, "b": '"q"'}, {"a": 3, "b": "z"}]
    assert records(rows) == wanted
    for most in range(4):
        first = source(Csv, tmp_path, separator=";", types=types)
        read = records(first, most)
        later = again(first, source(Csv, tmp_path, separator=";", types=types))
        assert read + records(later) == wanted


@few
@given(
    table=st.lists(st.lists(st.text('a,"\n\r;', max_size=4), min_size=2, max_size=2), max_size=8)
)
def test_any_table_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[str]]
) -> None:
    import csv

    folder = tmp_path_factory.mktemp("table")
    with (folder / "a").open("w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["x", "y"], *table])
    # A row in quotes may go on for one buffer more, and the longest one here has 23 bytes.
    with mock.patch("finale.reference.operators.sources.CHUNK", 24):
        rows = source(Csv, folder)
        assert [[each["x"], each["y"]] for each in records(rows)] == table


BAD = [
    (Ndjson, "1\n2\n{\n3\n", {}, 3, "not JSON", [1, 2, 3]),
    (Ndjson, "1\nNaN\n", {}, 2, "NaN is no number", [1]),
    (Ndjson, "1\n1e999\n", {}, 2, "not finite", [1]),
    (Ndjson, '{"t": 1}\n[]\n', {"time": "t"}, 2, 'no "t"', [{"t": 1}]),
    (Ndjson, '{"t": 1.5}\n', {"time": "t"}, 1, "not a whole", []),
    (Ndjson, '{"t": true}\n', {"types": {"t": "number"}}, 1, "not a number", []),
    (Csv, "a,b\n1,2\n\n3\n4,5\n", {}, 4, "1 fields", [{"a": "1", "b": "2"}, {"a": "4", "b": "5"}]),
    (Csv, 'a\n1\n"2"x\n3\n', {}, 3, "not a row", [{"a": "1"}, {"a": "3"}]),
    (Csv, 'a\n1\n2\n"3\n4\n', {}, 4, "not a row", [{"a": "1"}, {"a": "2"}, {"a": "4"}]),
    (Csv, "a\nx\n", {"types": {"a": "whole"}}, 2, "not a whole", []),
    (Csv, "a\ninf\n", {"types": {"a": "number"}}, 2, "not a number", []),
    (Csv, "a\n1\n", {"types": {"b": "text"}}, 2, 'no column "b"', []),
]


@pytest.mark.parametrize(("kind", "text", "options", "line", "problem", "rest"), BAD)
def test_a_bad_line_is_named_or_kept(
    tmp_path: Path,
    kind: Any,
    text: str,
    options: dict[str, Any],
    line: int,
    problem: str,
    rest: list[Any],
) -> None:
    (tmp_path / "a").write_text(text)
    error = refused(source(kind, tmp_path, **options))
    assert error.code == "bad-input"
    assert error.place is not None
    assert (error.place.file, error.place.line) == (str(tmp_path / "a"), line)
    assert problem in error.message
    keeping = source(kind, tmp_path, **options, on_bad="keep")
    assert records(keeping) == rest
    state = keeping.snapshot(1, last=False)
    keeping.completed(1, lambda records: None)
    (kept,) = keeping.context.files.read("bad/S-1").splitlines()
    assert json.loads(kept)["line"] == line
    assert json.loads(kept)["text"] == text.split("\n")[line - 1]
    assert problem in json.loads(kept)["problem"]
    assert state["bad"]["count"] == 1


def test_columns_have_names_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a,b,a\n1,2,3\n")
    error = refused(source(Csv, tmp_path))
    assert (error.code, error.place and error.place.line) == ("bad-input", 1)


# --- time -----------------------------------------------------------------------------------------


def times(*numbers: int) -> str:
    return "".join(f'{{"t":{number}}}\n' for number in numbers)


def test_a_watermark_is_behind_the_latest_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(times(5, 3, 9, 7, 12))
    read = buffers(source(Ndjson, tmp_path, time="t", out_of_order=2))
    marks = [(each.records[0], each.watermark) for each in read]
    assert [mark for _, mark in marks] == [3, None, 7, None, 10]


def test_a_source_is_as_far_as_the_last_of_its_files(tmp_path: Path) -> None:
    """It reads on where time is furthest behind; what has ended holds nothing back."""
    (tmp_path / "a").write_text(times(1, 4, 20))
    (tmp_path / "b").write_text(times(2, 3, 5))
    read = buffers(source(Ndjson, tmp_path, time="t"))
    assert [each.records for each in read] == [({"t": time},) for time in (1, 2, 4, 3, 5, 20)]
    marks = [each.watermark for each in read]
    assert marks == [None, 1, 2, 3, 4, 5]


def test_time_begins_anew_after_a_restart(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(times(5, 3, 4))
    first = source(Ndjson, tmp_path, time="t")
    assert [each.watermark for each in buffers(first, 1)] == [5]
    later = again(first, source(Ndjson, tmp_path, time="t"))
    assert [each.watermark for each in buffers(later)] == [3, 4]
