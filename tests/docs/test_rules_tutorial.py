"""Follows pages of the documentation: writes their files, runs their commands.

With RECORD_TRANSCRIPTS=1 in the environment outputs without an ellipsis are written anew into the
page: read the difference.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.cli.running import Ran, normalised, run
from tests.docs.pages import ELLIPSIS, ROOT, Command, Written, matches, steps

TUTORIAL = ROOT / "docs" / "tutorial.md"
PAGES = (
    ROOT / "docs" / "weakening.md",
    TUTORIAL,
    ROOT / "docs" / "rules.md",
    ROOT / "docs" / "diff.md",
    ROOT / "docs" / "how-to" / "run-in-ci.md",
    ROOT / "docs" / "how-to" / "replace-a-sink-or-a-task.md",
)


class Reader:
    """Someone who follows the page in a folder of his own."""

    def __init__(self, folder: Path) -> None:
        self.folders = folder
        self.folder = folder / "0"
        self.folder.mkdir()
        self.ran: list[tuple[Command, Ran, str]] = []

    def follow(self, page: str) -> None:
        for step in steps(page):
            match step:
                case Written():
                    self.write(step)
                case Command():
                    ran = run(step.line, self.folder)
                    output = normalised(ran.stdout + ran.stderr, self.folder)
                    self.ran.append((step, ran, output))

    def write(self, written: Written) -> None:
        if (self.folder / written.name).exists():
            # A reader runs each command afresh; one process would remember the file as it was.
            changed = self.folders / str(int(self.folder.name) + 1)
            shutil.copytree(self.folder, changed)
            self.folder = changed
        file = self.folder / written.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(written.text, encoding="utf-8")


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Reader]:
    """The reader who has followed a page."""

    @cache
    def reader_of(page: Path) -> Reader:
        reader = Reader(tmp_path_factory.mktemp(page.stem))
        reader.follow(page.read_text(encoding="utf-8"))
        return reader

    return reader_of


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_happens(page: Path, readers: Callable[[Path], Reader]) -> None:
    reader = readers(page)
    if os.environ.get("RECORD_TRANSCRIPTS"):
        page.write_text(recorded(page.read_text(encoding="utf-8"), reader), encoding="utf-8")
        return
    assert reader.ran
    for command, ran, output in reader.ran:
        assert ran.exit == command.exit, f"finale {command.line}\n{output}"
        shown = normalised(command.output, reader.folder)
        assert matches(shown, output), f"finale {command.line}\n{output}"


def recorded(page: str, reader: Reader) -> str:
    """The page with the outputs that differ written anew."""
    for command, ran, output in reversed(reader.ran):
        shown = normalised(command.output, reader.folder)
        if not matches(shown, output) and ELLIPSIS not in command.output:
            printed = (ran.stdout + ran.stderr).rstrip("\n") + "\n"
            # Each copy of the reader's folder has a number.
            printed = re.sub(rf"{re.escape(str(reader.folders))}/\d+/", "", printed)
            page = page[: command.start] + printed + page[command.end :]
    return page


def test_the_variant_falls_and_the_fixed_one_holds(readers: Callable[[Path], Reader]) -> None:
    ran_before = readers(TUTORIAL).ran
    found = {(command.line, ran.exit): output for command, ran, output in ran_before}
    falls = found["check eager.toml --protocols mine", 1]
    assert re.search(r"✗ +commit-only-durable +violated +8 steps", falls)
    holds = found["check eager.toml eager-fails.toml --protocols mine", 0]
    assert "2 specs checked · all as expected" in holds
