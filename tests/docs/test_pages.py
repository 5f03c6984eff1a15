"""What pages point to is there, and the page in `examples/` prints what it should."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, Command, Written, matches, steps

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
#: Files and folders of the repository as pages name them; with a `*` or `…` they are not one.
PATH = re.compile(r"`((?:model|checker|cli|specs|tests|docs|examples)/[\w./-]*)`")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_points_to_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = [name for name in LINK.findall(text) if not (page.parent / name).exists()]
    missing += [name for name in PATH.findall(text) if not (ROOT / name).exists()]
    assert not missing


def test_decisions_are_short_and_numbered() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    for number, page in enumerate(pages, 1):
        lines = page.read_text(encoding="utf-8").splitlines()
        assert page.name.startswith(f"{number:04}-")
        assert lines[0].startswith(f"# {number}. ")
        assert len(lines) < 40
        headings = [line for line in lines if line.startswith("## ")]
        assert [heading.split(":")[0] for heading in headings] == [
            "## Context",
            "## Decision",
            "## Consequence",
        ]


def test_the_tiny_checker_finds_what_is_wrong() -> None:
    command = [sys.executable, str(ROOT / "examples" / "tiny_checker.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == TINY
    assert len((ROOT / "examples" / "tiny_checker.py").read_text().splitlines()) < 120


TINY = """\
closes at once: violated, 8 states seen
  1  write     task running, record open, checkpoint none, wire empty
  2  finish    task closed, record open, checkpoint none, wire empty
waits for its final checkpoint: stuck, 24 states seen
  1  finish    task waiting, record unwritten, checkpoint none, wire empty
  2  trigger   task waiting, record unwritten, checkpoint pending, wire trigger
  3  close     task closed, record unwritten, checkpoint pending, wire trigger
  4  miss      task closed, record unwritten, checkpoint pending, wire empty
waits, and a missed trigger aborts: holds, 36 states seen
"""


# --- how pages are read --------------------------------------------------------------------------


def test_a_page_is_taken_apart() -> None:
    page = (
        "A\n\n<!-- file: a/b.txt -->\n```text\nx\n```\n\n"
        "```console exit=2\n$ finale a\n1\n$ finale b\n2\n```\n"
    )
    written, first, second = steps(page)
    assert written == Written("a/b.txt", "x\n")
    assert isinstance(first, Command)
    assert isinstance(second, Command)
    assert (first.line, first.output, first.exit) == ("a", "1\n", 0)
    assert (second.line, second.output, second.exit) == ("b", "2\n", 2)
    assert page[second.start : second.end] == "2\n"


@pytest.mark.parametrize(
    ("shown", "found", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n…\n", "a\n", True),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("…\nb.\n", "a\nbb\n", False),
        ("a\n  …\nb\n", "a\n", False),
    ],
)
def test_an_ellipsis_stands_for_lines(shown: str, found: str, same: bool) -> None:
    assert matches(shown, found) is same
