"""Compares each release of Flink with the next one, for each protocol that both have."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

from finale.checker.compare.comparison import Comparison, Difference, compare
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.files import toml_in
from finale.checker.spec.reading import spec_of
from finale.checker.spec.releases import ReleaseConfig
from finale.checker.studies.across_releases import under_release
from finale.model.protocols.releases import RELEASES, TOPICS, Release

#: One stop by a user where that is the topic, elsewhere one failure.
BOUNDS = {"stop": "stops"}
SPEC = """title = "Two releases"
protocol = "{protocol}"

[job]
shape = "pair"

[bounds]
checkpoints = 2
{bound} = 1
"""


def pairs() -> Iterator[tuple[str, Release, Release]]:
    for topic in TOPICS:
        for one, other in itertools.pairwise(RELEASES):
            if one.protocols.get(topic) and other.protocols.get(topic):
                yield topic, one, other


def compared(topic: str, one: Release, other: Release, folder: Path) -> Comparison:
    file = folder / "releases.toml"
    bound = BOUNDS.get(topic, "failures")
    file.write_text(SPEC.format(protocol=one.protocols[topic], bound=bound))
    spec = spec_of(file, *toml_in(file), catalogue())
    first, second = (under_release(spec, ReleaseConfig(each)) for each in (one, other))
    return compare(first, second)


def row(topic: str, one: Release, other: Release, found: Comparison) -> str:
    """The row of a pair in docs/diff.md."""
    protocols = dict.fromkeys((one.protocols[topic], other.protocols[topic]))
    cells = [
        topic,
        " → ".join(f"`{name}`" for name in protocols),
        f"{one.key} → {other.key}",
        found.relation.words,
        shown(found.lost),
        shown(found.gained),
    ]
    return f"| {' | '.join(cells)} |"


def shown(difference: Difference | None) -> str:
    if difference is None:
        return ""
    return f"{len(difference.run.trace.rules)} steps: {difference.observation}"
