"""Says under which options a counterexample is searched that a real Flink is to take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from checker.spec.claim import Spec
from checker.spec.grid import varied
from checker.spec.reading import spec_of
from checker.spec.releases import ReleaseConfig, release_with, topic_of
from checker.spec.toml_text import toml_in
from checker.studies.across_releases import under_release
from reference.flink.facts import EngineFacts
from reference.flink.releases import Release


def claims_for(spec: Spec, release: Release, facts: EngineFacts) -> Iterator[Spec]:
    """The spec as the release has its protocol, the most forcible first; at last as it is written.

    First, choices that the protocol leaves open are as a driven run makes them; every such run is a
    run of the protocol, too. Then they are open. Each has a shortest counterexample of its own, and
    Flink may be able to take one of them only. Raises what `under_release` raises.
    """
    if topic_of(spec.protocol.key) is None:
        yield spec
        return
    claim = under_release(spec, ReleaseConfig(release_with(release.version)))
    known = {option.name for option in fields(claim.protocol.Options)}
    own = {name: value for name, value in facts.forced.items() if name in known}
    if own and claim.table is not None:
        _, lines = toml_in(spec.file)
        values = {f"options.{name}": value for name, value in own.items()}
        yield spec_of(spec.file, varied(claim.table, values.items()), lines, spec.catalogue)
    yield claim
    yield spec


__all__ = ["claims_for"]
