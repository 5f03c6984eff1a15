"""Logs in which numbers are exchanged: `finale validate` answers in bounded time, and says what is
cut off."""

import random
import re
from pathlib import Path
from time import process_time

import pytest

from .edits import edited, validated

_NUMBER = re.compile(r"\b\d{1,6}\b")
#: Seconds of processor time for 1.3 MB. It takes about 2 s.
SECONDS_MAX = 30


def _exchanged(lines: list[str], seed: int) -> list[str]:
    """The lines after one number in every 50th line has become another one."""
    chance, found = random.Random(seed), list(lines)
    for at in chance.sample(range(len(found)), len(found) // 50):
        if numbers := [*_NUMBER.finditer(found[at])]:
            own, other = chance.choice(numbers), chance.choice((0, 7, 99, 4096, 31337))
            found[at] = f"{found[at][: own.start()]}{other}{found[at][own.end() :]}"
    return found


@pytest.mark.parametrize("seed", [2, 3])
def test_numbers_that_are_exchanged_cost_no_more_than_lines(seed: int, tmp_path: Path) -> None:
    began = process_time()
    job, ran = validated(tmp_path, _exchanged(edited("H4-00"), seed), "--accept")
    assert process_time() - began < SECONDS_MAX
    if job["too_many"]:
        assert ran.exit == 3
        assert "not judged" in ran.stdout
        assert "subtasks" in ran.stdout
    else:
        assert ran.exit == 1
        assert re.search(r"line \d+, [\w-]+: the job has no subtask ", ran.stdout)


def test_a_line_of_a_subtask_that_is_not_there_is_rejected(tmp_path: Path) -> None:
    def edit(lines: list[str]) -> list[str]:
        first = next(n for n, each in enumerate(lines) if "COMPLETE 1 for task map (1/2)" in each)
        lines = list(lines)
        lines[first] = lines[first].replace("task map (1/2)", "task map (0/2)")
        return lines

    job, ran = validated(tmp_path, edited("H16-04", edit), "--accept")
    assert job["conforms"]["rejected"]
    assert "the job has no subtask map (0/2)" in job["conforms"]["why"]
    assert ran.exit == 1


def test_a_line_that_names_one_subtask_and_the_attempt_of_another_is_rejected(
    tmp_path: Path,
) -> None:
    aligned = r"co \(1/2\)#0 \(\w+_0_0\): All the channels are aligned"
    for before, after in (("_0_0):", "_1_0):"), ("_0_0):", "_0_7):")):

        def edit(lines: list[str], before: str = before, after: str = after) -> list[str]:
            at = next(n for n, each in enumerate(lines) if re.search(aligned, each))
            return [*lines[:at], lines[at].replace(before, after), *lines[at + 1 :]]

        job, ran = validated(tmp_path, edited("bounded-01", edit), "--accept")
        assert job["conforms"]["rejected"]
        assert "and not of co (1/2)" in job["conforms"]["why"]
        assert ran.exit == 1


def test_a_log_of_vertices_without_subtasks_is_judged_as_far_as_it_goes(tmp_path: Path) -> None:
    def edit(lines: list[str]) -> list[str]:
        return [re.sub(r"\((\d+)/\d+\)", r"(\1/0)", each) for each in lines]

    job, ran = validated(tmp_path, edited("H7-00", edit), "--accept")
    assert not job["conforms"]["accepted"]
    assert job["checkpoints"]["completed"] == [1, 2, 3]
    assert ran.exit == 3
    assert not ran.stderr
