"""`finale diff` tells each known bug from its fix, and each broken variant from its protocol.

Some bugs never leave the job within the bounds of their spec: then a finer observer sees them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from checker.compare.comparison import Answer, compare, finer
from checker.search.limits import Limits
from checker.spec.catalogue import Catalogue, catalogue
from checker.spec.claim import Spec
from checker.spec.grid import EXPECTED, without
from checker.spec.reading import read_spec, spec_of
from checker.studies.bug_pairs import counterpart_of, folders_of_bugs
from model.errors import FinaleError

SPECS = Path(__file__).parents[2] / "specs"
#: Larger systems take longer than all others together.
STATES_MAX = 60_000


def bugs() -> Iterator[Path]:
    for folder in folders_of_bugs(SPECS):
        yield from sorted(folder.glob("*.toml"))


def variants() -> Iterator[Path]:
    files = (file for file in SPECS.rglob("*.toml") if "history" not in file.parts)
    yield from sorted(file for file in files if "\nvariant " in file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def known() -> Catalogue:
    return catalogue()


def assert_differ(sound: Spec, broken: Spec) -> None:
    found = compare(sound, broken, limits=Limits(states_max=STATES_MAX))
    if found.answer is Answer.UNKNOWN:
        pytest.skip(f"more than {found.why}")
    seen = finer(found) if found.is_same else found
    if seen is None and found.other_fairness:
        return  # nothing else is different
    assert seen is not None, "no observer sees a difference"
    assert seen.lost is not None or seen.gained is not None


@pytest.mark.slow
@pytest.mark.parametrize("file", list(bugs()), ids=lambda file: file.stem)
def test_a_bug_and_its_fix_differ(file: Path, known: Catalogue) -> None:
    assert_differ(read_spec(counterpart_of(file), known), read_spec(file, known))


@pytest.mark.slow
@pytest.mark.parametrize("file", list(variants()), ids=lambda file: f"{file.parts[-2]}/{file.stem}")
def test_a_variant_and_its_protocol_differ(file: Path, known: Catalogue) -> None:
    broken = read_spec(file, known)
    assert broken.table is not None
    table = without(broken.table, (*EXPECTED, "variant"))
    try:
        sound = spec_of(file, table, broken.lines, known)
    except FinaleError as error:
        pytest.skip(f"only the variant takes this setting: {error.code}")
    assert_differ(sound, broken)
