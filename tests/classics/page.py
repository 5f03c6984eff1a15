"""Writes the table of `docs/classics.md` from the specs: `python -m tests.classics.page`."""

from __future__ import annotations

from pathlib import Path

from tests.classics.specs import NAMES, opinions, spec_of

PAGE = Path(__file__).parent.parent.parent / "docs" / "classics.md"
HEAD = "| Spec | Claim | States | Transitions | Depth | Falls, in steps | Also counted by |\n"
RULE = "|---|---|---|---|---|---|---|\n"


def table() -> str:
    """A row for each spec: its counts, what falls, and who else counts the same."""
    return HEAD + RULE + "".join(_row(name) for name in NAMES)


def _row(name: str) -> str:
    spec, mine = spec_of(name), [each for each in opinions() if each.spec == name]
    assert spec.counts is not None
    numbers = (spec.counts.states, spec.counts.transitions, spec.counts.depth)
    falls = [f"{p} {e.steps}" for p, e in spec.expectations.items() if e.verdict == "violated"]
    others = [
        *("TLA+ by hand" for each in mine if each.tla),
        *("Promela by hand" for each in mine if each.promela),
        *(f"published: `{each.published}`" for each in mine if each.published),
    ]
    told = [f"{number:,}".replace(",", " ") for number in numbers]
    cells = [name, spec.title, *told, ", ".join(falls), ", ".join(others)]
    return "| " + " | ".join(cells) + " |\n"


def written(page: str) -> str:
    """The page with a table of today."""
    return page[: page.index(HEAD)] + table()


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
