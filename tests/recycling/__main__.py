"""Writes `docs/recycled-ids.md`: python -m tests.recycling asks each property with few ids."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from finale.model.properties.registry import PROPERTIES
from tests.protocols.specs import name_of
from tests.recycling.corpus import of_variants
from tests.recycling.lockstep import IDS, LIVE, Seen, walks

PAGE = Path(__file__).parent.parent.parent / "docs" / "recycled-ids.md"
BEGIN = "<!-- python -m tests.recycling writes what follows -->"
SEEDS = range(1)


def main() -> None:
    """Walk, and write the page."""
    by_protocol: dict[str, Seen] = {}
    for number, spec in enumerate(of_variants(), 1):
        _say(f"{number}/{len(of_variants())} walks {name_of(spec.file)}")
        by_protocol.setdefault(spec.protocol.key, Seen()).add(walks(spec, SEEDS))
    head = PAGE.read_text(encoding="utf-8").partition(BEGIN)[0]
    lines = [*_walked(by_protocol), *_asked(by_protocol)]
    PAGE.write_text(f"{head}{BEGIN}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


def _walked(by_protocol: dict[str, Seen]) -> Iterator[str]:
    yield "## Walks in lockstep, by protocol"
    yield ""
    yield f"{LIVE} live ids beside {IDS} ids; a walk for each variant. The walks ask every"
    yield "property, also those that a check answers with `not-asked`."
    yield ""
    yield "| Protocol | Walks | Steps | Ids given again | Steps that only one side can take |"
    yield "|---|--:|--:|--:|--:|"
    for key, seen in by_protocol.items():
        numbers = seen.walks, seen.steps, seen.given_again, len(seen.other_steps)
        yield f"| `{key}` | {' | '.join(map(str, numbers))} |"
    yield ""


def _asked(by_protocol: dict[str, Seen]) -> Iterator[str]:
    """One line for each property."""
    all_seen = Seen()
    for seen in by_protocol.values():
        all_seen.add(seen)
    yield "## Properties"
    yield ""
    yield "*Asked* counts judgements whose antecedent held. *Fell* counts those in which the rest"
    yield "did not hold. For a liveness property such as `checkpoint-ends` these are states in"
    yield "which the awaited thing has not happened yet."
    yield ""
    yield "| Property | Protocols | Asked | Fell | With few ids |"
    yield "|---|--:|--:|--:|---|"
    for family in PROPERTIES:
        name = family.name
        protocols = sum(name in seen.asked for seen in by_protocol.values())
        if not protocols:
            continue
        differs = name in all_seen.differs or name in all_seen.forgotten
        said = "something else" if differs else "the same"
        if family.of_all_ids:
            said = "not asked: it would say something else" if differs else "not asked"
        asked, failed = all_seen.asked[name], all_seen.failed.get(name, 0)
        yield f"| `{name}` | {protocols} | {asked} | {failed or ''} | {said} |"
    yield ""


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    main()
