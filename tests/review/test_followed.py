"""The branches that runs took tell which lines of a method ran, and of which lines they do not."""

from __future__ import annotations

import ast

import pytest

from finale.checker.review.followed import followed
from finale.model.language.explore import Branch

#: A body, its lines by number from 1; the outcomes that runs took; what ran; what is not known.
CASES = {
    "a guard": ("if a:\n return\nx = 1", {1: [True]}, {1, 2}, set[int]()),
    "past a guard": ("if a:\n return\nx = 1", {1: [True, False]}, {1, 2, 3}, set[int]()),
    "both return": (
        "if a:\n return\nelse:\n return\nx = 1",
        {1: [True, False]},
        {1, 2, 4},
        set[int](),
    ),
    "a test in parentheses": ("if (\n a\n):\n x = 1\ny = 2", {2: [True]}, {1, 4, 5}, set[int]()),
    "a loop": ("for x in xs:\n y = 1\nz = 2", {}, {1, 3}, {2}),
    "a loop with a branch": (
        "for x in xs:\n y = 1\n if x:\n  continue\n y = 2",
        {3: [True]},
        {1, 2, 3, 4},
        set[int](),
    ),
    "a loop that can return": (
        "for x in xs:\n if x:\n  return\ny = 1",
        {2: [True]},
        {1, 2, 3},
        {4},
    ),
    "a branch behind that loop": (
        "for x in xs:\n return\ny = 1\nif a:\n y = 2",
        {4: [False]},
        {1, 3, 4},
        {2},
    ),
    "a break": ("for x in xs:\n break\nelse:\n return\ny = 1", {}, {1}, {2, 4, 5}),
    "a match of all": (
        "match a:\n case 1:\n  return\n case _:\n  return\nx = 1",
        {4: [True]},
        {1, 2, 4, 5},
        set[int](),
    ),
    "a match whose first case is always taken": (
        "match a:\n case 1:\n  return\n case _:\n  return\nx = 1",
        {2: [True]},
        {1, 2, 3},
        set[int](),
    ),
    "a match of some": ("match a:\n case 1:\n  return\nx = 1", {2: [True]}, {1, 2, 3}, {4}),
    "a match of some, with one case taken": (
        "match a:\n case 1:\n  x = 1\n case 2:\n  return",
        {2: [True]},
        {1, 2, 3},
        {4},
    ),
    "two tests in a line": (
        "if a: x = 1 if b else 2\nelse:\n return\nz = 1",
        {1: [False]},
        {1},
        {3, 4},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_branches_tell(name: str) -> None:
    text, outcomes, ran, unknown = CASES[name]
    taken = {Branch("f", line, each) for line, all_of in outcomes.items() for each in all_of}
    found = followed("f", ast.parse(text).body, taken)
    assert (found.ran, found.open) == (ran, unknown)
