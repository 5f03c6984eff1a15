"""docs/commands.md is what the commands say. RECORD_COMMANDS=1 writes it anew."""

from __future__ import annotations

import os

from tests.docs.commands_page import commands_page
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "commands.md"


def test_the_page_is_current() -> None:
    page = commands_page()
    if os.environ.get("RECORD_COMMANDS"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page, "RECORD_COMMANDS=1 writes the page anew"


def test_each_command_has_its_output_in_one_place() -> None:
    """No flag says that it is off, and what is written where is asked in the group Output."""
    page = commands_page()
    assert "[default: False]" not in page
    group = ""
    for line in page.splitlines():
        if line.startswith("**"):
            group = line.strip("*:")
        if line.startswith(("* `--output", "* `--format")):
            assert group == "Output", line
