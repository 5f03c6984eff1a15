"""`make rule-mutants`: draws mutants of the rules, judges them by the specs, and writes the page.

Outcomes are kept beside the repository's other caches: what has not changed is not judged again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence, Set
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.rules.judge import Outcome, judge
from tests.mutation.rules.kept import Kept
from tests.mutation.rules.mutants import SEED, drawn
from tests.mutation.rules.order import ordered
from tests.mutation.rules.page import arguments, written
from tests.mutation.rules.trials import Trial, trials

PAGE = ROOT / "docs" / "rule-mutants.md"
#: No spec is begun for a mutant after so many seconds of processor time.
SECONDS = 60


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def chosen(mutant: Mutant, known: Sequence[Trial], unmet: Set[str]) -> list[Trial]:
    """The specs that explore what a mutant changes, those first that are likely to tell it.

    Code that runs only while it is loaded is explored by none: then all are met. A survivor has
    met all specs but those that are new.
    """
    meets = ordered(mutant, [each for each in known if each.concerned(mutant)] or known)
    return [each for each in meets if each.name in unmet]


def main() -> int:
    """Judge, and write the page. Exit code 1 if a survivor is not argued, or wrongly."""
    options = argparse.ArgumentParser(prog="python -m tests.mutation.rules", description=__doc__)
    options.add_argument("--count", type=int, default=1000, help="how many mutants to draw")
    options.add_argument("--seed", type=int, default=SEED)
    options.add_argument("--seconds", type=float, default=SECONDS, help="for one mutant")
    options.add_argument("--workers", type=int, default=2, help="how many at once")
    options.add_argument("--page", type=Path, default=PAGE, help="where to write the result")
    given = options.parse_args()
    known = trials(given.workers, _say)
    mutants, kept = drawn(given.count, given.seed), Kept()
    left = [each for each in mutants if kept.outcome(each) is None]
    _say(f"{len(known)} specs; {len(mutants)} mutants, {len(left)} of them to be judged")
    began = time.monotonic()
    with ThreadPoolExecutor(given.workers) as pool:
        judging = {
            pool.submit(judge, each, chosen(each, known, kept.unmet(each)), given.seconds): each
            for each in left
        }
        for number, future in enumerate(as_completed(judging), 1):
            mutant = judging[future]
            outcome = kept.joined(mutant, future.result())
            kept.add(mutant, outcome)
            where = f"{mutant.file}:{mutant.line} {mutant.operator}"
            _say(f"{number}/{len(left)}  {time.monotonic() - began:.0f} s  {where}  {outcome.kind}")
    outcomes = {each.id: kept.outcome(each) or Outcome("survives") for each in mutants}
    text, unargued = written(mutants, outcomes, given.seed)
    given.page.write_text(text, encoding="utf-8")
    wrong = sorted(
        id for id, each in outcomes.items() if id in arguments() and each.kind != "survives"
    )
    print(f"{given.page}: {unargued} survivors are not argued")
    print(f"argued, and killed: {', '.join(wrong) or 'none'}")
    return 1 if unargued or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
