"""Each historical bug falls, and beside it stands its fix, on the same job within the same bounds.

The rules for `specs/history/<key>.toml` and `specs/history/fixed/<key>.toml`: the name begins with
the issue that is cited second, after the entry of the corpus. The first expectation of the bug is
violated, in so many steps, and the fix expects that it holds. Both expect a witness, a `reachable`
property, that the interleaving comes about with the fix as well. Nothing falls with the fix that
does not fall with the bug.

The table of docs/history.md is made of the specs. With RECORD_HISTORY=1 in the environment it is
written anew: read the difference.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from finale.checker.spec.claim import Spec
from finale.model.system import Kind
from tests.docs.pages import ROOT as REPOSITORY
from tests.protocols.corpus import PREDICTED, STARS
from tests.protocols.specs import FILES, ROOT, spec_of

BUGS = tuple(file for file in FILES if file.parent == ROOT / "history")
FIXED = tuple(file for file in FILES if file.parent == ROOT / "history" / "fixed")
ENTRY = re.compile(r"(?:FIN|SWS|ALN|UC|JM|OC|SNK|OTH)-\d{2}")


def pair_of(file: Path) -> tuple[Spec, Spec]:
    return spec_of(file), spec_of(file.parent / "fixed" / file.name)


def first_of(spec: Spec) -> Path | None:
    """What a spec is resumed from."""
    return spec.resumption.first.file.resolve() if spec.resumption is not None else None


def expected(spec: Spec, verdict: str) -> list[str]:
    """The properties that a spec expects to have a verdict, in its order."""
    return [name for name, each in spec.expectations.items() if each.verdict == verdict]


def witnesses(spec: Spec) -> set[str]:
    kinds = {family.name: family.kind for family in spec.families}
    return {name for name in expected(spec, "holds") if kinds.get(name) is Kind.REACHABLE}


def test_every_bug_has_its_fix() -> None:
    assert [file.name for file in BUGS] == [file.name for file in FIXED]


@pytest.mark.parametrize("file", BUGS, ids=lambda file: file.stem)
def test_bug_and_fix_are_one_question(file: Path) -> None:
    bug, fixed = pair_of(file)
    assert bug.cites == fixed.cites
    entry, issue = bug.cites[:2]
    assert ENTRY.fullmatch(entry)
    assert file.stem == issue.lower() or file.stem.startswith(f"{issue.lower()}-")
    assert bug.protocol.key == fixed.protocol.key
    assert bug.setting.job == fixed.setting.job
    assert bug.setting.bounds == fixed.setting.bounds
    assert bug.setting.sizes == fixed.setting.sizes
    assert bug.setting.observe == fixed.setting.observe
    assert first_of(bug) == first_of(fixed)
    assert fixed.variant is None
    assert bug.variant is not None or bug.setting.options != fixed.setting.options


@pytest.mark.parametrize("file", BUGS, ids=lambda file: file.stem)
def test_what_falls_holds_with_the_fix(file: Path) -> None:
    bug, fixed = pair_of(file)
    name, expectation = next(iter(bug.expectations.items()))
    assert expectation.verdict == "violated"
    assert expectation.steps is not None
    assert fixed.expectations[name].verdict == "holds"
    assert set(expected(fixed, "violated")) <= set(expected(bug, "violated"))
    assert witnesses(bug) & witnesses(fixed), "no witness that the interleaving comes about"


# --- the page of the corpus ----------------------------------------------------------------------

PAGE = REPOSITORY / "docs" / "history.md"
HEAD = (
    "| Entry | Stars | Spec | The bug | What falls | Steps | Predicted |\n"
    "|---|---|---|---|---|---|---|\n"
)


def table() -> str:
    """A line for each bug, in the order of the entries."""
    return HEAD + "".join(map(row, sorted(BUGS, key=place)))


def place(file: Path) -> tuple[int, str]:
    return list(STARS).index(spec_of(file).cites[0]), file.stem


def row(file: Path) -> str:
    spec = spec_of(file)
    entry = spec.cites[0]
    name, expectation = next(iter(spec.expectations.items()))
    predicted = PREDICTED.get(file.stem, PREDICTED.get(entry, "–"))  # noqa: RUF001 - a dash
    link = f"[{file.stem}](../specs/history/{file.name})"
    cells = (entry, STARS[entry], link, spec.title, name, expectation.steps, predicted)
    return f"| {' | '.join(map(str, cells))} |\n"


def test_the_page_has_every_bug() -> None:
    text = PAGE.read_text(encoding="utf-8")
    shown = "".join(line for line in text.splitlines(keepends=True) if line.startswith("|"))
    if os.environ.get("RECORD_HISTORY"):
        PAGE.write_text(text.replace(shown, table()), encoding="utf-8")
    else:
        assert shown == table(), "RECORD_HISTORY=1 writes the table anew"


def test_each_entry_is_one_of_the_corpus() -> None:
    entries = {spec_of(file).cites[0] for file in BUGS}
    assert entries <= set(STARS)
