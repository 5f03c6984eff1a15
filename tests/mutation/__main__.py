"""`make mutants`: draws mutants of the engine, judges them, and says what became of them.

Verdicts are kept beside the repository's other caches: what has not changed is not judged again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from pathlib import Path

from tests.mutation.bench import Bench, Verdict
from tests.mutation.bugs import bugs
from tests.mutation.kept import Kept
from tests.mutation.mutants import ROOT, SEED, Mutant, drawn
from tests.mutation.page import arguments, written
from tests.mutation.specs import CUTS, LARGER, RUNS, SMALL
from tests.mutation.trials import Trial

PAGE = ROOT / "docs" / "mutants.md"
STAGES = (SMALL, LARGER, CUTS, RUNS)
"""Who survives one meets the next."""


def judge(mutants: Iterable[Mutant], kept: Kept, names: Sequence[str], workers: int) -> None:
    """Let each mutant meet the trials that it has still to meet."""
    left = [mutant for mutant in mutants if kept.left(mutant, names)]
    needed = {name for mutant in left for name in kept.left(mutant, names)}
    bench = Bench([name for name in names if name in needed], _say)
    for which in (bench.first, bench.others):
        left = [mutant for mutant in left if kept.left(mutant, names)]
        began, last = time.monotonic(), which == bench.others
        with ThreadPoolExecutor(workers) as pool:
            judging = dict(_submitted(pool, bench, kept, left, which))
            for number, each in enumerate(as_completed(judging), 1):
                (mutant, met), verdict = judging[each], each.result()
                if verdict.kind != "survives":
                    # What does not even load is told by all.
                    met = [verdict.spec or names[0]]
                kept.add(mutant, verdict, names if last and verdict.kind == "survives" else met)
                seconds = f"{time.monotonic() - began:.0f} s"
                where = f"{mutant.file}:{mutant.line}  {verdict.kind} {verdict.spec}"
                _say(f"{number}/{len(left)}  {seconds}  {where}")


def _submitted(
    pool: Executor,
    bench: Bench,
    kept: Kept,
    mutants: Iterable[Mutant],
    which: Callable[[Mutant], list[Trial]],
) -> Iterator[tuple[Future[Verdict], tuple[Mutant, list[str]]]]:
    for mutant in mutants:
        meets = [each for each in which(mutant) if each.name not in kept.passed[mutant.id]]
        yield pool.submit(bench.judge, mutant, meets), (mutant, [each.name for each in meets])


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    """Judge, and write the page. Exit code 1 where a survivor is not argued, or wrongly."""
    options = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    options.add_argument("--count", type=int, default=360, help="how many mutants to draw")
    options.add_argument("--seed", type=int, default=SEED)
    options.add_argument("--workers", type=int, default=2, help="how many at once")
    options.add_argument("--page", type=Path, default=PAGE, help="where to write the result")
    given = options.parse_args()
    mutants = [*drawn(given.count, given.seed), *bugs()]
    kept = Kept(name for names in STAGES for name in names)
    judge(mutants, kept, SMALL, given.workers)
    open_ones = [mutant for mutant in mutants if mutant.id not in arguments()]
    for names in STAGES:
        judge(open_ones, kept, names, given.workers)
    verdicts = {mutant.id: kept.verdict(mutant) for mutant in mutants}
    text, unargued = written(mutants, verdicts, given.seed)
    given.page.write_text(text, encoding="utf-8")
    print(f"{given.page}: {unargued} survivors are not argued")
    wrong = sorted(arguments().keys() & kept.told.keys())
    print(f"argued, and killed: {', '.join(wrong) or 'none'}")
    return 1 if unargued or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
