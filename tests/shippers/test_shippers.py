"""Shippers lose lines, send some twice and move some: such a log is damaged, and accuses nobody."""

from pathlib import Path

import pytest

from finale.checker.logs.lines import ONCE, Observed
from finale.checker.logs.regularities.assumptions import ASSUMPTIONS
from tests.logs.archive import SAMPLES, archives, needs_archives
from tests.logs.edits import at, dropped, edited, found, lines_of, validated

from .__main__ import PAGE, counted, rows_of, table
from .damage import KINDS, damaged

RUN = "bounded-01"


def test_a_damaged_copy_is_recognised_and_neither_rejected_nor_accused() -> None:
    told = [*rows_of(SAMPLES, step=100)]
    assert [kind for kind, *_ in told] == [*KINDS]
    for kind, _, job, own in told:
        assert job["coverage"] == "damaged", kind
        assert found(job, "violated", "stuck", "overdue", "recovered") == {}, kind
        assert not job["conforms"]["accepted"]
        assert not job["conforms"]["rejected"]
        assert own["coverage"] != "damaged"


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_differs_from_its_run_by_its_damage(kind: str) -> None:
    lines = [*lines_of(RUN)]
    copy = damaged(lines, kind, 1)
    assert copy != lines
    assert damaged(lines, kind, 1) == copy
    assert len(copy) - len(lines) in {
        "lost": {-round(len(lines) / 50)},
        "doubled": {round(len(lines) / 50)},
        "moved": {0},
    }.get(kind, range(-20, 20))


#: Lines beside the protocol: of the begin of a write, and of a task that is deployed.
_WRITES = r"started executing asynchronous part of checkpoint 2"
_DEPLOYS = r"ExecutionGraph .* map \(1/2\) .* switched from SCHEDULED to DEPLOYING"
#: A line that tells no event.
_LOADS = r"\[map \(1/2\)#0\] - Loading JAR files for task "


@pytest.mark.parametrize("pattern", [_WRITES, _DEPLOYS, _LOADS])
@pytest.mark.parametrize("kind", ["lost", "doubled"])
def test_one_line_beside_the_protocol_shows_a_damage(
    pattern: str, kind: str, tmp_path: Path
) -> None:
    lines = edited("H16-04")
    place = at(lines, pattern)
    lines = [
        *lines[:place],
        *([lines[place]] * 2 if kind == "doubled" else ()),
        *lines[place + 1 :],
    ]
    job, told = validated(tmp_path, lines, "--accept")
    assert job["coverage"] == "damaged"
    assert job["conforms"]["why"].startswith("the log is damaged")
    signs = [each for each in job["files"] if each["says"].startswith("damaged: ")]
    assert 0 <= min(each["line"] for each in signs) - place <= 100
    assert "damaged: lines are lost, stand twice or in another order" in told.stdout
    assert told.exit == 3


def test_a_line_that_stands_elsewhere_in_its_thread_shows_a_damage(tmp_path: Path) -> None:
    """Of a task's thread: the lines around are in the order of their times."""
    lines = edited("H16-04")
    of_task = [n for n, each in enumerate(lines) if "[map (1/2)#0] - Loading JAR" in each]
    (place,) = of_task
    later = next(n for n in range(place, len(lines)) if lines[n][:23] > lines[place][:23])
    own = next(
        n for n in range(later, len(lines)) if "[map (1/2)#0] - Using partitioner" in lines[n]
    )
    line = lines.pop(place)
    lines.insert(own, line)
    job, _ = validated(tmp_path, lines)
    assert job["coverage"] == "damaged"


def test_lines_before_earlier_lines_show_a_damage_if_they_are_many(tmp_path: Path) -> None:
    """A thread can be late by a line. Here each line is of a thread of its own, and tells a step or
    none."""
    lines = edited("H16-04")
    for count, coverage in ((2, "complete"), (3, "damaged")):
        copy, chosen = list(lines), 0
        for place in range(len(lines) - 10, 10, -1):
            times = [each[:23] for each in lines[place - 1 : place + 4]]
            if chosen < count and times == sorted(set(times)) and times[0][:4].isdigit():
                copy.insert(place, copy.pop(place + 2))
                chosen += 1
        assert chosen == count
        job, _ = validated(tmp_path, copy)
        assert job["coverage"] == coverage


def test_a_line_that_no_task_writes_is_not_lost(tmp_path: Path) -> None:
    job, _ = validated(tmp_path, edited("H16-04", dropped("Loading JAR files for task ")))
    assert job["coverage"] == "complete"


def test_a_lost_line_is_no_sign_behind_a_gap(tmp_path: Path) -> None:
    """The gap can explain it."""
    lines = edited("H16-04")
    del lines[at(lines, _LOADS)]
    place = at(lines, r"Creating FileSystem stream leak safety net for task map \(1/2\)")
    lines.insert(place, "2026-11-20 16:04:55,070 INFO  org.apache.flink.runti")
    job, _ = validated(tmp_path, lines)
    assert job["coverage"] == "gap"


def test_what_one_place_shows_is_rejected_and_may_be_a_lost_line(tmp_path: Path) -> None:
    pattern = r"Received acknowledge message for checkpoint 2 from task \w+_0_0 "
    lines = edited("H16-04")
    del lines[at(lines, pattern)]
    job, _ = validated(tmp_path, lines, "--accept")
    assert job["coverage"] == "complete"
    assert job["conforms"]["rejected"]
    assert job["conforms"]["why"].endswith("; or one line was lost here, doubled or moved")


def test_a_wrong_protocol_may_repeat_what_assumptions_speak_of() -> None:
    """Such a line that stands twice is no sign of a damage."""
    steps = {kind.word for kind in Observed if not kind.facts.states}
    assert not ONCE & steps
    told = {word for each in ASSUMPTIONS for order in each.orders for word in order.words}
    assert ONCE & told <= {"task-switched"}, "its states that are steps do not count"


@pytest.mark.slow
@needs_archives
def test_nine_of_ten_copies_are_recognised_and_the_page_has_the_table() -> None:
    rows = counted([Path(archives()[0])], step=6)
    assert all(row.damaged >= 0.9 * row.jobs for row in rows.values())
    assert table(rows) in PAGE.read_text(encoding="utf-8")
