"""docs/specs.md has the words that the reader of specs knows: all of them, and no others."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from finale.checker.search.rows import Exit
from finale.checker.spec.reading import COUNT_KEYS, COUNTERS, EXPECT_KEYS, KEYS, VERDICTS
from finale.model.topology import SHAPES, OperatorKind, Pattern, Sink
from finale.model.topology.table import SHAPE_KEYS, VERTEX_KEYS
from tests.cli.running import run
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "specs.md").read_text(encoding="utf-8")


def first_column(heading: str) -> list[str]:
    """The words in the first column of the table with this heading."""
    table = PAGE.partition(f"\n| {heading} |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    return [word.strip("[]") for cell in cells for word in re.findall("`([^`]+)`", cell)]


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("Key", KEYS),
        ("Key of a vertex", VERTEX_KEYS),
        ("Shape", SHAPES),
        ("Key beside `shape`", SHAPE_KEYS),
        ("Verdict", VERDICTS),
        ("`counted_by`", COUNTERS),
        ("Code", [str(code.value) for code in Exit]),
    ],
)
def test_table(heading: str, words: tuple[str, ...]) -> None:
    assert sorted(first_column(heading)) == sorted(words)


def test_words_in_sentences() -> None:
    for word in (*EXPECT_KEYS, *COUNT_KEYS, *OperatorKind, *Sink, *Pattern):
        assert f"`{word if isinstance(word, str) else word.value}`" in PAGE, word


def test_rows_of_the_json_result() -> None:
    ran = run("check specs/two-phase-commit/three-managers.toml --format json")
    rows = json.loads(ran.stdout)["results"]
    assert sorted(first_column("Key of a row")) == sorted(rows[0])


def test_the_examples_are_specs(tmp_path: Path) -> None:
    first, *jobs = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    head, _, rest = first.partition("[job]")
    bounds = rest[rest.index("[bounds]") :]
    for number, job in enumerate((first[len(head) : -len(bounds)], *jobs)):
        (tmp_path / f"{number}.toml").write_text(f"{head}{job}\n{bounds}", encoding="utf-8")
        assert run(f"show {number}.toml", tmp_path).exit == 0
    assert run("check 0.toml", tmp_path).exit == 0
