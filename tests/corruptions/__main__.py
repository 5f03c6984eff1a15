"""Corrupts logs of real runs, has `finale validate --accept` judge each copy, and counts.

The runs are the samples of the repository, and those of archives that are named. Results are kept
in `.corruptions_cache`: a run that is killed goes on where it stopped. The sources of Finale and of
these tests are part of a result: if they change, copies are judged again.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from finale.pipeline.sweep.sources import digest_of
from tests.cli.running import ROOT
from tests.conformance.corrupted import Copy, clusters, originals
from tests.conformance.corruptions import HOW, kinds
from tests.corruptions.judging import Family, Outcome, Said, chosen, judged
from tests.logs.archive import FAILOVERS, REQUESTS, SAMPLES

FILE = ROOT / ".corruptions_cache" / "results.ndjson"
PAGE = ROOT / "docs" / "pipeline.md"
START, END = "<!-- corruptions -->\n", "<!-- end of corruptions -->\n"
_WITHIN = ("finale.cli", "finale.checker", "finale.model", "finale.pipeline", "tests")
#: Some are imported only when they are needed.
_MODULES = (
    "finale.checker.logs.flink.judge",
    "finale.checker.spec.catalogue",
    "finale.cli.main",
    "finale.cli.validate",
    "finale.model.protocols.registry",
    "tests.corruptions.judging",
)


def key() -> str:
    """What results depend on."""
    return digest_of(_MODULES, _WITHIN)


def known(now: str) -> dict[str, Said]:
    """The results that are kept of these sources."""
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    rows = [row for row in map(json.loads, lines) if row.pop("key") == now]
    return {row["name"]: said_in(row) for row in rows}


def said_in(row: dict[str, object]) -> Said:
    told: dict[str, object] = {"family": Family(row["family"]), "outcome": Outcome(row["outcome"])}
    return Said(**{**row, **told})  # type: ignore[arg-type]


def keep(said: Said, now: str) -> None:
    """Add a result to those that are kept."""
    FILE.parent.mkdir(exist_ok=True)
    row = asdict(said) | {"family": said.family.value, "outcome": said.outcome.value, "key": now}
    with FILE.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def results(todo: Sequence[tuple[Family, Copy]], now: str) -> Iterator[Said]:
    """What the command says of each copy; of those that are known, what it said."""
    had = known(now)
    with tempfile.TemporaryDirectory() as folder:
        for number, (family, copy) in enumerate(todo, 1):
            said = had.get(copy.name)
            if said is None:
                said = judged(family, copy, Path(folder) / str(number))
                keep(said, now)
                line = f"{number}/{len(todo)}  {said.name}  {said.outcome.value}"
                print(line, file=sys.stderr, flush=True)
            yield said


def table(found: Iterable[Said]) -> str:
    """The table of the page: a row for each class of kinds and family."""
    must = {kind.name for kind in kinds() if kind.is_rejected}
    counts: dict[tuple[bool, Family], Counter[Outcome]] = {}
    for said in found:
        counts.setdefault((said.kind in must, said.family), Counter())[said.outcome] += 1
    rows = ["| kinds | runs | copies | " + " | ".join(each.value for each in Outcome) + " |",
            "|---|---|--:|" + "--:|" * len(Outcome)]  # fmt: skip
    for is_must, family in itertools.product((True, False), Family):
        own = counts.get((is_must, family), Counter[Outcome]())
        name = "must be rejected" if is_must else "may be invisible"
        cells = [name, family.value, own.total(), *(own[each] or "" for each in Outcome)]
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows) + "\n"


def main() -> int:
    """Judge and count. Exit code 1 if a copy that must be rejected is accepted with no finding."""
    options = argparse.ArgumentParser(prog="python -m tests.corruptions", description=__doc__)
    options.add_argument("archives", nargs="*", default=[], help="archives of more runs")
    options.add_argument("--sample", type=int, default=2, help="copies of each kind and family")
    options.add_argument("--kind", action="append", choices=[*HOW], help="only this kind")
    options.add_argument("--page", action="store_true", help="write the table into the page")
    given = options.parse_args()
    own = map(str, (SAMPLES, REQUESTS, FAILOVERS))
    runs = [*itertools.chain.from_iterable(
        originals(clusters(path)) for path in (*own, *given.archives)
    )]  # fmt: skip
    todo = sorted(
        chosen(runs, given.sample, given.kind or tuple(HOW)), key=lambda each: each[1].run
    )
    found = [*results(todo, key())]
    text = table(found)
    print(text, end="")
    must = {kind.name for kind in kinds() if kind.is_rejected}
    missed = [each for each in found if each.kind in must and each.outcome is Outcome.ACCEPTED]
    for each in missed:
        print(f"accepted: {each.name}")
    if given.page:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        PAGE.write_text(before + START + text + END + rest.partition(END)[2], encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
