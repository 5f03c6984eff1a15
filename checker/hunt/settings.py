"""The settings of a hunt: small jobs, faults and requests, and features of a release.

Each setting is the table of a spec. The cheapest come first: small jobs with few faults. The
features are those options whose default leaves out runs that the release has (docs/defaults.md,
the word *less*), so that a spec without them is smaller and says less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.key_lines import KeyLines
from finale.checker.spec.reading import read_spec, spec_of
from finale.checker.spec.typed import is_table

Table = Mapping[str, object]

_SINK = {"from": ["S"], "sink": "two-phase"}
_ENDLESS = {"bounded": False}
#: Jobs by name, each with the number of its subtasks. The records of a source are one or none.
JOBS: Mapping[str, Table] = {
    "pair": {"S": {}, "K": _SINK},
    "endless pair": {"S": _ENDLESS, "K": _SINK},
    "empty pair": {"S": {"records": 0}, "K": _SINK},
    "chain": {"S": {}, "W": {"from": ["S"]}, "K": {"from": ["W"], "sink": "two-phase"}},
    "fan-in": {"S": {}, "T": {"records": 0}, "K": {"from": ["S", "T"], "sink": "two-phase"}},
    "one endless": {
        "S": {},
        "T": {"records": 0, "bounded": False},
        "K": {"from": ["S", "T"], "sink": "two-phase"},
    },
    "two subtasks": {"S": {"parallelism": 2, "records": [1, 0]}, "K": _SINK},
    "one subtask endless": {
        "S": {"parallelism": 2, "records": [1, 0], "bounded": [True, False]},
        "K": _SINK,
    },
    "pointwise": {
        "S": {"parallelism": 2, "records": [1, 0]},
        "K": {
            "from": [{"vertex": "S", "pattern": "pointwise"}],
            "sink": "two-phase",
            "parallelism": 2,
        },
    },
    "disjoint": {
        "S": {},
        "K": _SINK,
        "T": {"records": 0},
        "L": {"from": ["T"], "sink": "two-phase"},
    },
    "one pipeline endless": {
        "S": {},
        "K": _SINK,
        "T": {"records": 0, "bounded": False},
        "L": {"from": ["T"], "sink": "two-phase"},
    },
    "fan-out": {"S": {}, "K": _SINK, "L": {"from": ["S"], "sink": "two-phase"}},
    "buffering": {
        "S": {},
        "W": {"from": ["S"], "kind": "buffering"},
        "K": {"from": ["W"], "sink": "two-phase"},
    },
    "timer": {
        "S": {},
        "W": {"from": ["S"], "kind": "timer"},
        "K": {"from": ["W"], "sink": "two-phase"},
    },
    "async": {
        "S": {},
        "W": {"from": ["S"], "kind": "async"},
        "K": {"from": ["W"], "sink": "two-phase"},
    },
    "committer": {
        "S": {},
        "W": {"from": ["S"], "kind": "writer"},
        "K": {"from": ["W"], "sink": "committer"},
    },
}
#: Faults of the environment and requests of users, the most common ones first.
FAULTS: tuple[str, ...] = (
    "failures", "stops", "savepoints", "expiries", "declines", "lost_confirmations",
    "cancels", "crashes", "manual", "resumes",
)  # fmt: skip
#: What the release has and a default leaves out, each on its own.
FEATURES: Mapping[str, Table] = {
    "": {},
    "restart delay": {"restart_delay": True},
    "regions": {"restart_scope": "region"},
    "regions with a delay": {"restart_scope": "region", "restart_delay": True},
    "split trigger": {"split_trigger": True},
    "two at once": {"concurrent": 2},
    "owed expiries": {"expiry_is_owed": True},
    "counted failures": {"counts_failed_checkpoints": True},
    "queue": {"queue": 1},
    "not periodic": {"periodic": False},
    "adaptive": {"scheduler": "adaptive"},
    "retained": {"retention": "on-cancellation"},
}
#: What every setting has: the calls and confirmations of one coordinator keep their order.
ORDERED: Table = {"calls_in_order": True, "confirmations_in_order": True}
#: At most so many kinds of faults and requests in one setting.
KINDS_MAX = 2
#: With faults of several kinds, or features, a search grows by so much.
_PER_FAULT, _PER_FEATURE, _PER_CHECKPOINT, _PER_TASK = 3.0, 3.0, 6.0, 3.0
OBSERVED = {"effects": True, "cut": True, "taken": True}


@dataclass(frozen=True)
class HuntSetting:
    """A setting: its name in words, the table of its spec, and a guess how much work it is.

    `file` is the spec that describes the setting, if one does.
    """

    name: str
    table: Table
    weight: float
    file: Path | None = None


def settings(protocols: Sequence[str], release: str) -> list[HuntSetting]:
    """Return the settings of protocols, the cheapest first.

    A protocol can refuse a setting: the reader of specs says so (`spec_in`).
    """
    made = (each for protocol in protocols for each in _all(protocol, release))
    return sorted(made, key=lambda each: (each.weight, each.name))


def _all(protocol: str, release: str) -> Iterator[HuntSetting]:
    for checkpoints in (2, 3):
        for job, vertices in JOBS.items():
            for count in range(KINDS_MAX + 1):
                for kinds in combinations(FAULTS, count):
                    for feature, options in FEATURES.items():
                        table = _table(protocol, release, job, vertices, kinds, options)
                        table["bounds"] = dict.fromkeys(kinds, 1) | {"checkpoints": checkpoints}
                        words = [protocol, job, *kinds, feature, f"{checkpoints} checkpoints"]
                        weight = _weight(vertices, count, feature, checkpoints)
                        name = ", ".join(word for word in words if word)
                        yield HuntSetting(name, {**table, "title": name}, weight)


def _table(
    protocol: str, release: str, job: str, vertices: Table, kinds: tuple[str, ...], options: Table
) -> dict[str, object]:
    return {
        "title": job,
        "protocol": protocol,
        "release": release,
        "options": {**ORDERED, **options},
        "job": vertices,
        "bounds": {},
        "observe": OBSERVED,
    }


def _weight(vertices: Table, faults: int, feature: str, checkpoints: int) -> float:
    tasks = 0
    for vertex in vertices.values():
        number = vertex.get("parallelism", 1) if is_table(vertex) else 1
        tasks += number if isinstance(number, int) else 1
    weight = _PER_TASK**tasks * _PER_FAULT**faults * _PER_CHECKPOINT ** (checkpoints - 2)
    return weight * (_PER_FEATURE if feature else 1.0)


def spec_in(setting: HuntSetting, folder: Path, catalogue: Catalogue) -> Spec:
    """Return the spec of a setting. Raises what the reader of specs raises."""
    if setting.file is not None:
        return read_spec(setting.file, catalogue)
    return spec_of(folder / "setting.toml", setting.table, KeyLines(""), catalogue)
