"""Each claim that is proven is tried: searches in settings that no window has find no violation.

A setting has other ids, records and failures than the window, or another job: wider, longer, with
sinks or with several tasks of a vertex. The variants are mistakes of real rules, for which some
properties stay proven.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from finale.checker.proofs.all_jobs.fact import FactProven, prove
from finale.checker.proofs.all_jobs.facts import groups_of
from finale.checker.proofs.unbounded.prove import catalogue_of, prove_unbounded
from finale.checker.search.limits import Limits
from finale.checker.search.native.search import check
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.model.language.build import build
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol, Setting
from finale.model.properties.registry import PROPERTIES
from finale.model.topology import Edge, Job, Pattern, Sink, Vertex
from tests.protocols.specs import ROOT, spec_of

#: So many states of a setting are looked at: violations are mostly near.
LIMITS = Limits(states_max=400_000)
SPECS = ("final-checkpoint/pair", "final-checkpoint/fan-in-restarts", "stop-with-savepoint/pair")
VARIANTS = (None, "keeps-subsumed", "triggers-all", "stays-blocked", "confirms-aborted")
LARGER = (
    {"checkpoints": 3},
    {"checkpoints": 2, "failures": 2},
    {"checkpoints": 2, "failures": 1, "expiries": 1, "declines": 1},
)
KNOWN = {family.name: family for family in PROPERTIES}


def source(name: str, parallelism: int = 1, records: int = 0) -> Vertex:
    return Vertex.source(name, records=records, parallelism=parallelism)


def jobs() -> dict[str, Job]:
    """Jobs that are wider or longer than a window, of several kinds."""
    sink = Vertex("K", sink=Sink.TWO_PHASE)
    wide = replace(sink, parallelism=2)
    return {
        "four inputs": Job(
            (*(source(f"S{n}") for n in range(4)), sink),
            tuple(Edge(f"S{n}", "K") for n in range(4)),
        ),
        "a chain of four": Job(
            (source("S"), Vertex("A"), Vertex("B"), sink),
            (Edge("S", "A"), Edge("A", "B"), Edge("B", "K")),
        ),
        "two by two, pointwise": Job(
            (source("S", 2, 1), wide), (Edge("S", "K", Pattern.POINTWISE),)
        ),
        "two by two": Job((source("S", 2), wide), (Edge("S", "K"),)),
    }


def violated(
    kind: type[Protocol], setting: Setting, families: list[Family], needs: frozenset[str]
) -> list[str]:
    """Search a setting, and return which of some properties it violates."""
    report = check(build(kind(replace(setting, observe=needs)), families), LIMITS)
    names = {family.name for family in families}
    return [
        each.property
        for each in report.verdicts
        if each.property in names and each.word is Word.VIOLATED
    ]


def needs_of(families: list[Family]) -> frozenset[str]:
    return frozenset(family.needs for family in families if family.needs is not None)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", SPECS)
def test_proofs_for_runs_of_any_length(name: str, variant: str | None) -> None:
    spec = spec_of(ROOT / f"{name}.toml")
    kind = spec.protocol
    if variant is not None:
        if kind.key != "final-checkpoint":
            pytest.skip("the variant is one of another protocol")
        kind = catalogue().variant(kind.key, variant)
    known = catalogue_of(kind)
    assert known is not None
    proven = prove_unbounded(kind, spec.setting, known.goals)
    families = [each.family for each in proven.results if each.answer.proven]
    assert families
    for bounds in LARGER:
        larger = replace(spec.setting, bounds={**spec.setting.bounds, **bounds})
        assert violated(kind, larger, families, needs_of(families)) == [], bounds


@pytest.mark.slow
@pytest.mark.parametrize("job", jobs())
@pytest.mark.parametrize("variant", VARIANTS)
def test_facts_about_all_jobs(variant: str | None, job: str) -> None:
    known = catalogue()
    key = "final-checkpoint"
    kind = known.protocol(key) if variant is None else known.variant(key, variant)
    facts = [fact for group in groups_of(kind) for fact in group.facts]
    proven = {fact.name for fact in facts if isinstance(prove(fact), FactProven)}
    families = [KNOWN[name] for name in sorted(proven) if name in KNOWN]
    assert families
    setting = Setting(job=jobs()[job], bounds={"checkpoints": 2, "channel": 3})
    assert violated(kind, setting, families, needs_of(families)) == []
