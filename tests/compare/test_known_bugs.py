"""`finale diff` tells each known bug from its fix, and each broken variant from its protocol.

Some bugs never leave the job within the bounds of their spec: then a finer observer sees them.
`known_bugs.toml` has the first observer who sees the difference; the table in docs/diff.md counts.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from finale.checker.compare.comparison import Relation, compare, finer
from finale.checker.compare.observer import GROUPS, Observer
from finale.checker.search.limits import Limits
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import EXPECTED, without
from finale.checker.spec.reading import read_spec, spec_of
from finale.checker.studies.bug_pairs import counterpart_of, folders_of_bugs

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "specs"
#: By spec, the first observer who sees the difference; or how the table calls that there is none.
FIRST = tomllib.loads((Path(__file__).parent / "known_bugs.toml").read_text(encoding="utf-8"))
NONE, NOT_COMPARED = "none", "not compared"
#: Larger systems take longer than all others together.
STATES_MAX = 60_000
#: The limit where each observer explores the systems anew.
FEW_STATES = 3_000


def bugs() -> Iterator[Path]:
    for folder in folders_of_bugs(SPECS):
        yield from sorted(folder.glob("*.toml"))


def variants() -> Iterator[Path]:
    files = (file for file in SPECS.rglob("*.toml") if "history" not in file.parts)
    yield from sorted(file for file in files if "\nvariant " in file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return catalogue()


def name_of(file: Path) -> str:
    return file.relative_to(SPECS).with_suffix("").as_posix()


def of_variant(file: Path, known: Catalogue) -> tuple[Spec, Spec]:
    """The spec of a protocol, and that of its broken variant."""
    broken = read_spec(file, known)
    assert broken.table is not None
    table = without(broken.table, (*EXPECTED, "variant"))
    return spec_of(file, table, broken.lines, known), broken


def first_observer(sound: Spec, broken: Spec) -> str:
    """The first observer who sees a difference, in the words of the table."""
    found = compare(sound, broken, limits=Limits(states_max=STATES_MAX))
    if found.relation is Relation.UNKNOWN:
        return NOT_COMPARED
    seen = finer(found) if found.is_same else found
    if seen is None:
        assert found.other_fairness, "no observer sees a difference"
        return NONE
    assert seen.lost is not None or seen.gained is not None
    return str(seen.observer)


def test_the_table_of_the_page_counts_them() -> None:
    page = (ROOT / "docs" / "diff.md").read_text(encoding="utf-8")
    [table] = re.findall(
        r"^\| Observer \| Bugs and fixes \| Variants \|\n.*\n((?:\|.*\n)+)", page, re.M
    )
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    for column, (kind, files) in enumerate({"bugs": bugs(), "variants": variants()}.items(), 1):
        assert set(FIRST[kind]) == {name_of(file) for file in files}
        counts = {row[0].split(":")[0]: int(row[column]) for row in rows}
        assert Counter(FIRST[kind].values()) == Counter(counts)


@pytest.mark.slow
@pytest.mark.parametrize("file", list(bugs()), ids=lambda file: file.stem)
def test_a_bug_and_its_fix_differ(file: Path, known: Catalogue) -> None:
    found = first_observer(read_spec(counterpart_of(file), known), read_spec(file, known))
    assert found == FIRST["bugs"][name_of(file)]


@pytest.mark.slow
@pytest.mark.parametrize("file", list(variants()), ids=name_of)
def test_a_variant_and_its_protocol_differ(file: Path, known: Catalogue) -> None:
    assert first_observer(*of_variant(file, known)) == FIRST["variants"][name_of(file)]


@pytest.mark.slow
@pytest.mark.parametrize("file", list(variants()), ids=name_of)
def test_a_finer_observer_sees_what_a_coarser_one_sees(file: Path, known: Catalogue) -> None:
    sound, broken = of_variant(file, known)
    limits = Limits(states_max=FEW_STATES)
    found = [compare(sound, broken, Observer((group,)), limits) for group in GROUPS]
    if any(each.relation is Relation.UNKNOWN for each in found):
        pytest.skip(f"more than {FEW_STATES} states")
    see = [not each.is_same for each in found]
    assert see == sorted(see)
