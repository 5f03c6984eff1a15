"""mCRL2's `ltscompare` gives the same answers, where it is installed.

mCRL2 is not a package of every system. To have the tests run, build `ltscompare` from its sources
(`cmake --build . --target ltscompare`), and put it on PATH.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from finale.checker.compare.bisimulation import classes
from finale.checker.compare.comparison import Comparison, Relation, compare
from finale.checker.compare.inclusion import Determinised, unmatched
from finale.checker.compare.lts import Alphabet, Lts, aut_of, joined
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from tests.compare.random_systems import LABELS, pair

TOOL = shutil.which("ltscompare")
pytestmark = pytest.mark.skipif(TOOL is None, reason="mCRL2's ltscompare is not on PATH")

SPECS = Path(__file__).parents[2] / "specs"
BISIMILAR, DIVERGENT = ("-e", "branching-bisim"), ("-e", "dpbranching-bisim")
INCLUDED = ("-p", "weak-trace-ac")
#: Systems with more states take ltscompare long.
STATES_MAX = 3_000


def says(one: Path, other: Path, relation: tuple[str, str]) -> bool:
    assert TOOL is not None
    done = subprocess.run(
        [TOOL, "--quiet", "-i", "aut", "-j", "aut", *relation, str(one), str(other)],
        capture_output=True,
        text=True,
        check=True,
    )
    [answer] = [line for line in done.stdout.splitlines() if line in ("true", "false")]
    return answer == "true"


def alphabet_of(labels: int) -> Alphabet:
    alphabet = Alphabet()
    for number in range(1, labels):
        alphabet.number(number, f"l{number}")
    return alphabet


def assert_agrees(seed: int, folder: Path) -> None:
    one, other = pair(seed)
    files = written(one, other, alphabet_of(LABELS), folder)
    both = joined(one, other)
    for divergence, relation in ((True, DIVERGENT), (False, BISIMILAR)):
        block = classes(both, divergence=divergence)
        same = bool(block[one.root] == block[one.states + other.root])
        assert says(*files, relation) == same, (seed, relation)
    block = classes(both, divergence=True)
    own, its = block[: one.states], block[one.states :]
    assert says(*files, INCLUDED) == (unmatched(one, own, Determinised(other, its)) is None), seed


def written(one: Lts, other: Lts, alphabet: Alphabet, folder: Path) -> tuple[Path, Path]:
    files = folder / "one.aut", folder / "other.aut"
    for file, lts in zip(files, (one, other), strict=True):
        file.write_text(aut_of(lts, alphabet))
    return files


@pytest.mark.parametrize("seeds", [range(100)], ids=str)
def test_random_pairs(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        assert_agrees(seed, tmp_path)


@pytest.mark.slow
def test_a_thousand_random_pairs(tmp_path: Path) -> None:
    for seed in range(1_000):
        assert_agrees(seed, tmp_path)


@pytest.mark.slow
def test_all_bugs_and_fixes_that_are_small_enough(tmp_path: Path) -> None:
    known, compared = catalogue(), 0
    for fix in sorted(SPECS.rglob("fixed/*.toml")):
        found = comparison_of(fix, fix.parent.parent / fix.name, known)
        if found is None or found.sides is None:
            continue
        one, other = found.sides
        if max(one.lts.states, other.lts.states) > STATES_MAX:
            continue
        files = written(one.lts, other.lts, one.alphabet, tmp_path)
        assert says(*files, DIVERGENT) == (found.relation is Relation.SAME), fix
        assert says(*files, INCLUDED) == (found.lost is None), fix
        assert says(files[1], files[0], INCLUDED) == (found.gained is None), fix
        compared += 1
    assert compared >= 40


def comparison_of(one: Path, other: Path, known: Catalogue) -> Comparison | None:
    """The comparison of two specs, or None if they cannot be compared."""
    try:
        return compare(read_spec(one, known), read_spec(other, known))
    except FinaleError as error:
        if error.code not in ("other-job", "incomparable"):
            raise
        return None
