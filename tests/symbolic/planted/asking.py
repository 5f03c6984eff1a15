"""Asks a proof, or a search, of a variant with a planted mistake."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from finale.checker.proofs.all_jobs.fact import FactProven, prove
from finale.checker.proofs.all_jobs.facts import groups_of
from finale.checker.proofs.unbounded.prove import IDS, prove_unbounded
from finale.checker.proofs.unbounded.window import IdWindow
from finale.checker.search.native.search import check
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from finale.model.language.build import build
from finale.model.protocols.coordinator.coordinator import JobProtocol

from .plants import SITES, Plant, write

PROVEN = "proven"


def claim_of(plant: Plant, folder: Path, **spec: object) -> Spec:
    """Return the spec of a plant, with its variant loaded."""
    path, code = write(plant, folder, **spec)
    return read_spec(path, catalogue(code))


def unbounded(plant: Plant, folder: Path) -> str:
    """Return the verdict of a proof for runs of any length, or the code of its refusal."""
    try:
        claim = claim_of(plant, folder)
        proven = prove_unbounded(claim.protocol, claim.setting, (SITES[plant.site].falls,))
    except FinaleError as error:
        return error.code
    return proven.results[0].word


def is_explored(plant: Plant, folder: Path) -> bool:
    """Return whether the rules of a plant can be explored for runs of any length."""
    claim = claim_of(plant, folder)
    kind = cast("type[JobProtocol]", claim.protocol)
    return bool(IdWindow(kind, claim.setting, IDS).steps)


def all_jobs(plant: Plant, folder: Path, facts: Sequence[str]) -> str:
    """Return "proven" if these facts about all jobs are, else a verdict or the refusal's code."""
    try:
        kind = claim_of(plant, folder).protocol
        for group in groups_of(kind):
            group.compare()
            for fact in group.facts:
                if fact.name in facts and not isinstance(prove(fact), FactProven):
                    return "not proven"
    except FinaleError as error:
        return error.code
    return PROVEN


def is_violated(plant: Plant, folder: Path, **spec: object) -> bool:
    """Return whether a search finds the mistake in a setting."""
    claim = claim_of(plant, folder, **spec)
    families = [each for each in claim.asked if each.name == SITES[plant.site].falls]
    assert families, "a property that nobody asks is never violated"
    report = check(build(claim.protocol(claim.setting), families))
    return any(each.word is Word.VIOLATED for each in report.verdicts)
