"""The matrix of the fact sheet (4.3), cell by cell, against what the specs of specs/matrix expect.

✓ is held, ✗ violated; ~ is two specs, the condition met and not; where the sheet has a dash, here a
point, the property does not apply, or is vacuous. A spec's first property is that of its cell; the
others are those that fall beside it.
A cell that says something else has its reason in docs/findings.md, and is listed here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.report.matrix import is_cell
from finale.checker.spec.catalogue import catalogue
from tests.protocols.specs import FILES, ROOT, spec_of

FOLDER = ROOT / "matrix"
COLUMNS = ("s01", "s03", "s06", "s07", "s11", "s18", "s21", "l1", "l2", "l4", "l5")
SHEET = {
    "lf": "✓ ✓ ✗ ✗ . ✓ . ✓ . ✗ .",
    "ls": "✓ ✓ ✗ ✗ . ✓ . . ~ . .",
    "flip-34": "✓ ✓ ✗ ✗ . ✓ ~ ✓ ~ . ✗",
    "flip-45": "✓ ✓ ✗ ✗ . ✓ ✓ ✓ ~ . ✗",
    "fc-aligned": "✓ ✓ ✓ ✓ ✓ ✓ . ✓ . ~ ✗",
    "fc-unaligned": "✓ ✓ ✓ ✓ ✓ ✓ . ✓ . ~ ✓",
    "fc-unaligned-without-ack": "✗ ~ ✗ ✓ ✗ ✓ . ✓ . ✓ ✓",
}
PROTOCOL = {
    "lf": "legacy-finish",
    "ls": "legacy-stop",
    "flip-34": "sync-savepoint",
    "flip-45": "stop-with-checkpoint",
    "fc-aligned": "final-checkpoint",
    "fc-unaligned": "unaligned",
    "fc-unaligned-without-ack": "unaligned",
}
MEANING: dict[str, list[tuple[str, tuple[str, ...]]]] = {
    "✓": [("", ("holds",))],
    "✗": [("", ("violated",))],
    "~": [("-if", ("holds",)), ("-if-not", ("violated",))],
    ".": [("", ("does-not-apply", "vacuous"))],
}
#: Cells of which the sheet says something else: what they say instead. Why: docs/findings.md.
DISAGREE: dict[str, str] = {
    "lf/l5": "✗",
    "ls/l5": "✗",
    "fc-unaligned-without-ack/s03": "✓",
}


def cells() -> list[tuple[str, str, str]]:
    return [
        (row, column, DISAGREE.get(f"{row}/{column}", sign))
        for row, signs in SHEET.items()
        for column, sign in zip(COLUMNS, signs.split(), strict=True)
    ]


def files_of(row: str, column: str) -> list[Path]:
    return [file for file in FILES if file.parent == FOLDER / row and is_of(file, column)]


def is_of(file: Path, column: str) -> bool:
    return file.stem in (column, f"{column}-if", f"{column}-if-not")


@pytest.mark.parametrize(("row", "column", "sign"), cells())
def test_a_cell(row: str, column: str, sign: str) -> None:
    found = {file.stem.removeprefix(column): spec_of(file) for file in files_of(row, column)}
    assert sorted(found) == sorted(suffix for suffix, _ in MEANING[sign])
    for suffix, verdicts in MEANING[sign]:
        spec = found[suffix]
        (name, expectation), *others = spec.expectations.items()
        assert all(other.verdict == "violated" for _, other in others)
        assert expectation.verdict in verdicts
        assert expectation.verdict != "violated" or has_steps(name, expectation.steps)
        assert spec.protocol.key == PROTOCOL[row]
        assert "4.3" in spec.cites


def has_steps(name: str, steps: int | None) -> bool:
    """A property that is violated has a trace, except one that something can be reached."""
    kinds = {family.name: family.kind.value for family in catalogue().properties.values()}
    return steps is not None or kinds[name] == "reachable"


def test_every_spec_of_the_matrix_is_a_cell() -> None:
    for file in FILES:
        if FOLDER in file.parents:
            assert is_cell(file)
            assert file.parent.name in SHEET
            assert any(is_of(file, column) for column in COLUMNS), file


def test_a_condition_is_met_and_not_met() -> None:
    """The two specs of a cell differ in their condition: the job, or the options, or the bounds."""
    for file in FILES:
        if FOLDER in file.parents and file.stem.endswith("-if"):
            one, two = spec_of(file), spec_of(file.with_stem(f"{file.stem}-not"))
            assert one.setting != two.setting
            assert next(iter(one.expectations)) == next(iter(two.expectations))
