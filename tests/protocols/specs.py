"""What the tests of protocols share: the specs of the repository, read."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.system import System
from tests.kept import parts_of_systems

ROOT = Path(__file__).parent.parent.parent / "specs"
FILES = tuple(sorted(ROOT.rglob("*.toml")))


@cache
def spec_of(file: Path) -> Spec:
    """One spec of the repository."""
    return read_spec(file, catalogue(None, parts_of_systems()))


@lru_cache(maxsize=1)
def built(file: Path) -> System:
    """The system of a spec. All audits of one spec run in a row, and share what is built."""
    return spec_of(file).system()


def name_of(file: Path) -> str:
    """A spec's file without the folder of all specs."""
    return str(file.relative_to(ROOT))


def specs(*, slow: bool = False) -> list[Spec]:
    """The specs that are, or are not, marked slow."""
    return [spec for spec in map(spec_of, FILES) if spec.slow == slow]


#: The smallest spec of a protocol is audited in CI unless it has more states.
SMALLEST_MAX = 120


def audits(
    states_max: int, *, quick: int | None = None, slow: Collection[str] = ()
) -> list[ParameterSet]:
    """Specs of up to so many states, as cases of an audit of all of them.

    Many specs differ in what they expect, and hardly in their rules. Those of up to `quick` states
    that are quick have each value of each option of a protocol, in as few specs as a greedy choice
    finds; the others are slow. The smallest spec of each protocol is quick in any case, up to
    `SMALLEST_MAX` states. Those named in `slow` never are. The audits of one spec run in a row: see
    conftest.py.
    """
    counted = [spec for spec in specs() if spec.counts and spec.counts.states <= states_max]
    left_out = {ROOT / f"{name}.toml" for name in slow}
    small = [spec for spec in counted if _states(spec) <= (quick or states_max)]
    smallest: dict[str, Spec] = {}
    for spec in sorted(counted, key=_states, reverse=True):
        smallest[spec.protocol.key] = spec
    always = [spec for spec in smallest.values() if _states(spec) <= SMALLEST_MAX]
    covering = _covering([spec for spec in small if spec.file not in left_out])
    chosen = {spec.file for spec in (*covering, *always)} - left_out
    return [
        pytest.param(
            spec,
            id=name_of(spec.file),
            marks=() if spec.file in chosen else pytest.mark.slow,
        )
        for spec in counted
    ]


def _covering(specs: Collection[Spec]) -> list[Spec]:
    """Few of the specs, in which each protocol has each value of each option that all have."""
    values = {spec.file: _values(spec) for spec in specs}
    left = set().union(*values.values())
    chosen: list[Spec] = []
    while left:
        # The larger of those that add as much.
        chosen.append(max(specs, key=lambda spec: (len(values[spec.file] & left), _states(spec))))
        left -= values[chosen[-1].file]
    return chosen


def _values(spec: Spec) -> set[tuple[str, str, str]]:
    return {(spec.protocol.key, name, repr(value)) for name, value in spec.setting.options.items()}


def _states(spec: Spec) -> int:
    assert spec.counts is not None
    return spec.counts.states
