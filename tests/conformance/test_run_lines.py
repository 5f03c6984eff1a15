"""Lines of event logs that are read in bulk: the same as by the reader that knows every form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmarks.validating import KINDS
from finale.checker.logs.event_log.step_cache import lines as run_lines
from finale.checker.logs.event_log.step_cache.lines import (
    EventForms,
    RunLines,
    read_run,
    read_slowly,
)
from tests.engine_runs.random_runs import lines_of

Change = Callable[[bytes], bytes]


def told(run: RunLines, vocabulary: EventForms) -> list[tuple[object, ...]]:
    """Of each step its name, whom it is about, its fields, checkpoint and line."""
    found: list[tuple[object, ...]] = []
    for part in run.parts:
        names: dict[tuple[object, object], str] = {
            (each.vertex.name, each.index): each.name for each in part.section.job.subtasks
        }
        for at, number, line in zip(part.words, part.numbers, part.lines, strict=True):
            word = vocabulary.words[at]
            about = tuple((kind, name) for kind, name in word.about(names) if kind != "checkpoint")
            attempt = word.content.get("attempt")
            found.append((word.name, about, dict(word.fields), attempt, number, line))
    return found


def log(seed: int, steps: int = 200) -> bytes:
    lines = lines_of(replace(KINDS[seed % len(KINDS)], seed=seed, steps_max=steps))
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.fixture
def slowly_read(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Grows when the reader of all forms was needed."""
    called: list[bool] = []

    def read(*arguments: object) -> RunLines:
        called.append(True)
        return read_slowly(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(run_lines, "read_slowly", read)
    return called


def test_what_an_engine_writes_is_read_in_bulk(slowly_read: list[bool]) -> None:
    quick, slow = EventForms(), EventForms()
    for seed in range(2 * len(KINDS)):
        data = log(seed)
        assert told(read_run([(1, data)], quick), quick) == told(
            read_slowly([(1, data)], slow), slow
        )
    assert not slowly_read
    assert len(quick.words) > 50


def test_words_without_number_are_kept_when_there_are_many(slowly_read: list[bool]) -> None:
    """The table of words grows, and each is still found."""
    data, vocabulary = log(1, 60), EventForms()
    for run in range(300):
        other = data.replace(b'"attempt":1', b'"attempt":%d' % (run + 1))
        read = read_run([(1, other)], vocabulary)
        attempts = {vocabulary.words[word].content.get("attempt") for word in read.parts[0].words}
        assert attempts <= {None, run + 1}
    assert not slowly_read
    known = len(vocabulary.words)
    read_run([(1, data)], vocabulary)
    assert len(vocabulary.words) == known > 2000


def test_many_clocks_are_read_in_bulk(slowly_read: list[bool]) -> None:
    head, _, _ = log(5).partition(b"\n")
    clocks = b"".join(
        b'{"event":"trigger_checkpoint","checkpoint":%d,"run":"random","process":1,'
        b'"clock":"%d","seq":0}\n' % (number, number)
        for number in range(1, 1100)
    )
    quick, slow, data = EventForms(), EventForms(), head + b"\n" + clocks
    assert told(read_run([(1, data)], quick), quick) == told(read_slowly([(1, data)], slow), slow)
    assert not slowly_read


def checkpoint_among_fields(data: bytes) -> bytes:
    """Of the first event that names none, it is a field."""
    line = next(each for each in data.split(b"\n") if b"checkpoint" not in each)
    return data.replace(line, line.replace(b',"run":', b',"fields":{"a":1,"checkpoint":3},"run":'))


def test_a_checkpoint_among_the_fields_is_no_checkpoint_of_the_line(
    slowly_read: list[bool],
) -> None:
    quick, slow, data = EventForms(), EventForms(), checkpoint_among_fields(log(5))
    assert told(read_run([(1, data)], quick), quick) == told(read_slowly([(1, data)], slow), slow)
    assert not slowly_read


CHANGES: dict[str, Change] = {
    "a number with a zero before it": lambda data: data.replace(b'point":1,', b'point":01,', 1),
    "a long number": lambda data: data.replace(b'point":1,', b'point":' + b"9" * 16 + b",", 1),
    "no number": lambda data: data.replace(b'point":1,', b'point":null,', 1),
    "a gap": lambda data: data.replace(b'"seq":1}', b'"seq":2}', 1),
    "a line of another run": lambda data: data.replace(b'"run":"random"', b'"run":"other"', 3),
    "spaces": lambda data: data.replace(b",", b", "),
    "an escaped clock": lambda data: data.replace(b'"clock":"', b'"clock":"\\u0041', 2),
    "half a line": lambda data: data[:-20],
    "a blank line": lambda data: data.replace(b"\n{", b"\n\n{", 2),
    "no UTF-8": lambda data: data.replace(b'"clock":"', b'"clock":"\xff'),
    "a line that is no event": lambda data: data.replace(b"\n{", b"\nnothing\n{", 2),
    "carriage returns": lambda data: data.replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_any_other_form_is_for_the_other_reader(change: Change, slowly_read: list[bool]) -> None:
    """No run is read otherwise for being read in bulk, whatever its lines are."""
    whole = log(5)
    head, _, rest = whole.partition(b"\n")
    data = head + b"\n" + change(rest)
    assert data != whole
    quick, slow = EventForms(), EventForms()
    found, wanted = read_run([(1, data)], quick), read_slowly([(1, data)], slow)
    assert told(found, quick) == told(wanted, slow)
    assert found.log.unreadable == wanted.log.unreadable
    assert slowly_read
