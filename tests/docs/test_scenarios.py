"""docs/scenarios.md is followed to the letter, and has the words that benches know: all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from finale.checker.scenario.benches import BENCHES
from finale.checker.scenario.reading import KEYS
from finale.checker.scenario.stimuli import FORMS
from finale.model.events import EVENTS, QUERIES
from tests.cli.running import normalised, run
from tests.docs.pages import ROOT, Command, Written, matches, steps

PAGE = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[list[str]]]:
    """The words of each cell of the table with this heading."""
    table = PAGE.partition(f"\n| {heading} |")[2].partition("\n\n")[0]
    lines = [re.split(r" \| ", line.strip("| ")) for line in table.splitlines()[2:]]
    return [[re.findall("`([^`]+)`", cell) for cell in cells] for cells in lines]


def parts_of(cell: list[str]) -> set[str]:
    return set(cell) or set(BENCHES)


def test_the_page_is_followed(tmp_path: Path) -> None:
    for step in steps(PAGE):
        match step:
            case Written():
                (tmp_path / step.name).write_text(step.text, encoding="utf-8")
            case Command():
                ran = run(step.line, tmp_path)
                assert ran.exit == step.exit
                output = normalised(ran.stdout + ran.stderr, tmp_path)
                assert matches(step.output, output), output


def test_keys() -> None:
    assert sorted(row[0][0] for row in rows("Key")) == sorted(KEYS)


def test_parts() -> None:
    table = rows("Part")
    assert {row[0][0]: tuple(row[1]) for row in table} == {
        name: bench.keys for name, bench in BENCHES.items()
    }
    for name, bench in BENCHES.items():
        assert (
            f"| `{name}` | {', '.join(f'`{key}`' for key in bench.keys)} | {bench.about} |" in PAGE
        )


def test_tokens() -> None:
    told = {(row[0][0], part) for row in rows("Token") for part in row[-1] or ("all",)}
    both = {token for token, part in told if part == "all"}
    benches = {part: bench for part, bench in BENCHES.items() if bench.tokens}
    for part, bench in benches.items():
        own = {token for token, where in told if where == part} | both
        assert {token.replace("1", "1") for token in own} == {FORMS[kind] for kind in bench.tokens}


def test_commands() -> None:
    told = {(form, part) for row in rows("Command") for form in row[0] for part in row[-1]}
    assert told == {
        (f"{word} {signature}".strip(), part)
        for part, bench in BENCHES.items()
        for word, signatures in bench.commands.items()
        for signature in signatures
    }


@pytest.mark.parametrize(
    ("heading", "attribute"), [("What happens", "events"), ("What is asked", "queries")]
)
def test_words(heading: str, attribute: str) -> None:
    told = {
        (form.split()[0], part)
        for row in rows(heading)
        for form in row[0]
        for part in parts_of(row[-1])
    }
    told -= {(word, part) for word in ("refused", "fault") for part in BENCHES}
    assert told == {
        (word, part) for part, bench in BENCHES.items() for word in getattr(bench, attribute)
    }


def test_words_are_those_of_the_model() -> None:
    for bench in BENCHES.values():
        assert set(bench.vocabulary().events) <= {word.name for word in EVENTS}
        assert set(bench.queries) <= {word.name for word in QUERIES}


def test_every_word_is_told_by_some_part() -> None:
    events = {word for bench in BENCHES.values() for word in bench.vocabulary().events}
    queries = {word for bench in BENCHES.values() for word in bench.queries}
    assert events == {word.name for word in EVENTS}
    assert queries == {word.name for word in QUERIES}


def test_rows_of_the_json_result() -> None:
    ran = run("scenario scenarios/align/ALIGN-11.scenario --format json")
    result = json.loads(ran.stdout)
    assert result["ok"]
    told = [key for row in rows("Key of a row") for key in row[0]]
    assert sorted(told) == sorted(result["results"][0])
