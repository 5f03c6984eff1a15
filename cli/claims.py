"""Reads a spec under a variant as a release of Flink has its protocol."""

from __future__ import annotations

from pathlib import Path

from finale.checker.reproduce.claims import claims_for
from finale.checker.review.change import changed, read_under
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import NONE, Values
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.releases import Release


def claims_under(
    file: Path,
    known: Catalogue,
    variant: str | None,
    values: Values,
    release: Release | None,
    facts: EngineFacts,
) -> list[Spec]:
    """Read a spec under a variant, with other values, as `claims_for` gives it for a release.

    A release may have another protocol than the spec: the variant is one of that protocol, then.
    """
    bare = read_under(file, known, None if variant is None else NONE, values)
    claims = list(claims_for(bare, release, facts))
    return claims if variant is None else [changed(each, known, variant) for each in claims]


__all__ = ["claims_under"]
