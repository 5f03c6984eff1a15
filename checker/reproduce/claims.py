"""Says under which options a counterexample is searched that a real Flink is to take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.grid import varied
from finale.checker.spec.reading import spec_of
from finale.checker.spec.releases import ReleaseConfig, release_with, topic_of
from finale.checker.studies.across_releases import under_release
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.releases import Release


def claims_for(spec: Spec, release: Release | None, facts: EngineFacts) -> Iterator[Spec]:
    """The spec as a release has its protocol, the most forcible first; at last as it is written.

    First, choices that the protocol leaves open are as a driven run makes them; every such run is a
    run of the protocol, too. Then they are open. Each has a shortest counterexample of its own, and
    Flink may be able to take one of them only. Without a release the spec is taken as it is
    written. Raises what `under_release` raises.
    """
    if release is not None and topic_of(spec.protocol.key) is not None:
        claim = under_release(spec, ReleaseConfig(release_with(release.version)))
        yield from _forced(claim, facts)
        yield claim
    else:
        yield from _forced(spec, facts)
    yield spec


def _forced(claim: Spec, facts: EngineFacts) -> Iterator[Spec]:
    """The claim with the choices of a driven run, if the protocol leaves any open."""
    known = {option.name for option in fields(claim.protocol.Options)}
    own = {name: value for name, value in facts.forced.items() if name in known}
    if own and claim.table is not None:
        _, lines = toml_in(claim.file)
        values = {f"options.{name}": value for name, value in own.items()}
        changed = varied(claim.table, values.items())
        yield replace(spec_of(claim.file, changed, lines, claim.catalogue), under=claim.under)


__all__ = ["claims_for"]
