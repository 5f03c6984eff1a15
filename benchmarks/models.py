"""The models that engines are compared on: the system, its known counts, and a text by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.rules import Setting
from finale.model.system import System

ROOT = Path(__file__).parent.parent
BY_HAND = Path(__file__).parent / "models"
CLASSICS = "examples/classics/protocols"


@dataclass(frozen=True)
class Counts:
    """What every engine must count."""

    states: int
    transitions: int
    depth: int


@dataclass(frozen=True)
class Model:
    """A spec, in another size if `sizes` says so, and its Promela by hand, if there is one.

    If `protocols` names a folder of protocols, the spec is in `benchmarks/models`.
    """

    name: str
    spec: str
    counts: Counts
    by_hand: str = ""
    defines: Mapping[str, int] = field(default_factory=dict[str, int])
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    protocols: str = ""

    def read(self) -> Spec:
        """The spec, in its own size."""
        folder = BY_HAND if self.protocols else ROOT / "specs"
        return read_spec(folder / self.spec, _known(self.protocols))

    def system(self) -> System:
        """The system, with its safety properties: those are what SPIN can be asked as well."""
        spec = self.read()
        if self.sizes:
            spec = replace(spec, setting=Setting(sizes=self.sizes))
        return spec.system([each for each in spec.asked if not each.kind.is_liveness])


@cache
def _known(protocols: str) -> Catalogue:
    """The protocols of this package, and those of a folder."""
    return catalogue(ROOT / protocols if protocols else None)


def _wide(name: str, counts: Counts, protocols: str = "benchmarks/models/protocols") -> Model:
    return Model(name, f"{name}.toml", counts, protocols=protocols)


def _yardstick(spec: str, records: int, checkpoints: int, channel: int, counts: Counts) -> Model:
    return Model(
        f"yardstick-{records},{checkpoints},{channel}",
        f"yardstick/{spec}.toml",
        counts,
        "yardstick.pml",
        {"RECORDS": records, "CHECKPOINTS": checkpoints, "CHANNEL": channel},
    )


def _two_phase_commit(managers: int, counts: Counts) -> Model:
    return Model(
        f"two-phase-commit-{managers}",
        "two-phase-commit/three-managers.toml",
        counts,
        "two_phase_commit.pml",
        {"MANAGERS": managers},
        {"managers": managers},
    )


MODELS = (
    _yardstick("one-checkpoint", 2, 1, 3, Counts(8_839, 42_508, 33)),
    _yardstick("two-checkpoints", 1, 2, 2, Counts(111_400, 845_274, 39)),
    _yardstick("five-records", 5, 2, 3, Counts(1_206_119, 10_084_250, 59)),
    _yardstick("three-checkpoints", 3, 3, 3, Counts(11_213_941, 131_776_852, 60)),
    _two_phase_commit(3, Counts(288, 1_145, 10)),
    _two_phase_commit(5, Counts(8_832, 58_145, 16)),
    _two_phase_commit(8, Counts(1_745_408, 18_507_777, 25)),
    Model("pair", "final-checkpoint/pair-restarts.toml", Counts(4_590, 11_660, 32)),
    Model("figure", "final-checkpoint/figure-two-checkpoints.toml", Counts(221_122, 1_101_962, 50)),
    _wide("byzantine-broadcast", Counts(214_000, 2_209_712, 8)),
    _wide("paxos", Counts(185_369, 1_316_583, 24), CLASSICS),
)

#: Measured unless others are named: large enough that a rate means something.
STANDARD = (
    "yardstick-1,2,2",
    "yardstick-5,2,3",
    "two-phase-commit-8",
    "figure",
    "byzantine-broadcast",
)
QUICK = ("yardstick-2,1,3", "two-phase-commit-5")


def named(name: str) -> Model:
    """A model by its name. Raises KeyError."""
    return {model.name: model for model in MODELS}[name]
