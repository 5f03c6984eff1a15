"""`make mutants`: draws mutants of the engine, judges them, and says what became of them.

Verdicts are kept beside the repository's other caches: what has not changed is not judged again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

from tests.mutation.bench import Bench, Verdict
from tests.mutation.bugs import bugs
from tests.mutation.depends import about
from tests.mutation.mutants import ROOT, SEED, Mutant, drawn
from tests.mutation.page import written
from tests.mutation.specs import CUTS, LARGER, RUNS, SMALL

CACHE = ROOT / ".mutants_cache"
PAGE = ROOT / "docs" / "mutants.md"


class Kept:
    """Verdicts that still hold, one a line of a file.

    That a spec tells a mutant from the engine depends on this spec; that none does, on all.
    """

    def __init__(self, specs: Sequence[str]) -> None:
        self.specs = specs
        self.file = CACHE / "verdicts.ndjson"
        self.verdicts: dict[str, Verdict] = {}
        for line in self.file.read_text().splitlines() if self.file.exists() else ():
            kept = json.loads(line)
            depends, mutant = kept.pop("about"), kept.pop("mutant")
            verdict = Verdict(**kept)
            if verdict.spec in ("", *specs) and depends == self._about(verdict):
                self.verdicts[mutant] = verdict

    def _about(self, verdict: Verdict) -> str:
        return about((verdict.spec,) if verdict.spec else self.specs)

    def add(self, mutant: Mutant, verdict: Verdict) -> None:
        self.verdicts[mutant.id] = verdict
        CACHE.mkdir(exist_ok=True)
        with self.file.open("a") as file:
            line = {"about": self._about(verdict), "mutant": mutant.id} | asdict(verdict)
            file.write(json.dumps(line) + "\n")


def judged(mutants: Iterable[Mutant], specs: Sequence[str], workers: int) -> dict[str, Verdict]:
    """All verdicts, by the mutants' ids; those that are not known yet are found."""
    kept = Kept(specs)
    left = [mutant for mutant in mutants if mutant.id not in kept.verdicts]
    if not left:
        return kept.verdicts
    bench = Bench(specs, _say)
    for which, last in ((bench.first, False), (bench.others, True)):
        left = [m for m in left if m.id not in kept.verdicts]
        began = time.monotonic()
        with ThreadPoolExecutor(workers) as pool:
            judging = {pool.submit(bench.judge, mutant, which(mutant)): mutant for mutant in left}
            for number, each in enumerate(as_completed(judging), 1):
                mutant, verdict = judging[each], each.result()
                if last or verdict.kind != "survives":
                    kept.add(mutant, verdict)
                seconds = f"{time.monotonic() - began:.0f} s"
                where = f"{mutant.file}:{mutant.line}  {verdict.kind} {verdict.spec}"
                _say(f"{number}/{len(left)}  {seconds}  {where}")
    return kept.verdicts


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    """Judge, and write the page. Exit code 1 where a survivor is not argued."""
    options = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    options.add_argument("--count", type=int, default=360, help="how many mutants to draw")
    options.add_argument("--seed", type=int, default=SEED)
    options.add_argument("--workers", type=int, default=2, help="how many at once")
    options.add_argument("--page", type=Path, default=PAGE, help="where to write the result")
    given = options.parse_args()
    mutants = [*drawn(given.count, given.seed), *bugs()]
    verdicts = dict(judged(mutants, SMALL, given.workers))
    for specs in (LARGER, CUTS, RUNS):
        alive = [mutant for mutant in mutants if verdicts[mutant.id].kind == "survives"]
        verdicts |= judged(alive, specs, given.workers)
    text, unargued = written(mutants, verdicts, given.seed)
    given.page.write_text(text, encoding="utf-8")
    print(f"{given.page}: {unargued} survivors are not argued")
    return 1 if unargued else 0


if __name__ == "__main__":
    sys.exit(main())
