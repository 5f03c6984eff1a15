"""docs/spec-reference.md is what the code says, and each word that commands print is explained."""

from __future__ import annotations

import os
import re
from enum import Enum
from functools import cache

import pytest

from finale.checker.compare.comparison import Relation
from finale.checker.impact.comparing import How
from finale.checker.logs.findings import Coverage, Severity
from finale.checker.reproduce.forcing import Kept
from finale.checker.reproduce.verdicts import Reproduction
from finale.checker.review.verdicts import Direction
from finale.checker.search.verdict import Word
from finale.checker.simulation.runs import End
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reference import spec_words
from finale.checker.studies.effects import Effect
from finale.cli.explaining import explained, is_called, names
from tests.docs.pages import ROOT
from tests.docs.spec_reference_page import spec_reference_page

PAGE = ROOT / "docs" / "spec-reference.md"
TRANSCRIPTS = ROOT / "tests" / "cli" / "transcripts" / "good"
#: Labels of a line of output: some words and a colon, at its beginning.
LABEL = re.compile(r"^ +([a-z][a-z -]+?)(?: with [\w =,]+)?: ", re.MULTILINE)
#: Labels that say themselves what follows: an advice, or the legend of a table.
PLAIN = {"found", "record the counts again", "reproduce", "show it step by step", "to decide"}
PLAIN |= {"rows", "columns", "two signs"}


def unexplained(words: set[str]) -> list[str]:
    """Those of some words that `finale explain` does not find."""
    found = explained_names()
    return [word for word in sorted(words) if not any(is_called(word, each) for each in found)]


@cache
def explained_names() -> list[str]:
    return names(catalogue())


def test_the_page_is_current() -> None:
    page = spec_reference_page()
    if os.environ.get("RECORD_COMMANDS"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page, "RECORD_COMMANDS=1 writes the page anew"


def test_each_word_of_a_spec_has_a_sentence() -> None:
    assert not [each for each in spec_words(catalogue()) if not each.meaning]


@pytest.mark.parametrize(
    "words",
    [Word, Direction, Reproduction, Kept, Severity, Coverage, Relation, How, Effect, End],
    ids=lambda each: each.__name__,
)
def test_each_verdict_that_a_command_prints_is_explained(words: type[Enum]) -> None:
    shown = [re.split("[:,]", str(each.value))[0].replace("-", " ") for each in words]
    assert not unexplained({*shown} - {"run"})


def test_each_label_that_check_prints_is_explained() -> None:
    labels = {
        label
        for file in TRANSCRIPTS.glob("check*.txt")
        for label in LABEL.findall(file.read_text(encoding="utf-8").partition("-- stdout --")[2])
    }
    assert labels >= {"also holding", "not decided"}
    assert not unexplained(labels - PLAIN)


def test_a_line_that_begins_with_words_of_the_glossary_is_explained() -> None:
    found = explained("not decided with checkpoints = 1", catalogue())
    assert [each.name for each in found] == ["not decided", "not decided with"]
    assert [each.kind for each in explained("branches not taken", catalogue())] == ["word"]
    assert not explained("notdecided with", catalogue())
