"""`python -m tests.mutation.properties`: weakens each property in each place, and judges that.

Verdicts are kept beside the repository's other caches: what has not changed is not judged again,
and a run that was ended is taken up.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.mutation.kept import FILE, Kept
from tests.mutation.mutants import ROOT
from tests.mutation.properties.judging import about, judge, meets, states_of, trial
from tests.mutation.properties.mutants import Weaker, all_weaker
from tests.mutation.properties.page import arguments, written
from tests.protocols.specs import ROOT as SPECS
from tests.protocols.specs import spec_of

PAGE = ROOT / "docs" / "property-mutants.md"
VERDICTS = FILE.with_name("properties.ndjson")


def judge_all(mutants: Sequence[Weaker], kept: Kept, seconds: float) -> None:
    """Let each mutant meet the specs that it has still to meet, those with few states first."""
    began = time.monotonic()
    wanted = {name for each in mutants for name in meets(each.property)}
    names = sorted(wanted, key=lambda name: (states_of(spec_of(SPECS / name)), name))
    for number, name in enumerate(names, 1):
        spent = time.monotonic() - began
        if spent > seconds:
            return
        meeting = [each for each in mutants if name in left(each, kept)]
        if not meeting:
            continue
        verdicts = judge(name, meeting)
        for each in meeting:
            kept.add(each.mutant, verdicts[each.mutant.id], [trial(each, name)])
        told = sum(each.kind != "survives" for each in verdicts.values())
        _say(f"{number}/{len(names)}  {spent:.0f} s  {name}  tells {told} of {len(meeting)}")


def left(weaker: Weaker, kept: Kept) -> list[str]:
    """The specs that a mutant has still to meet: none if one has told it."""
    names = {trial(weaker, name): name for name in meets(weaker.property)}
    still = kept.left(weaker.mutant, names)
    return [name for key, name in names.items() if key in still]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> int:
    """Judge, and write the page. Exit code 1 if a survivor is not argued, or wrongly."""
    options = argparse.ArgumentParser(
        prog="python -m tests.mutation.properties", description=__doc__
    )
    options.add_argument("--only", default="", help="properties whose name contains this text")
    options.add_argument(
        "--seconds", type=float, default=math.inf, help="time limit (default: until all are judged)"
    )
    options.add_argument("--page", type=Path, default=PAGE, help="where to write the result")
    given = options.parse_args()
    mutants = all_weaker()
    chosen = [each for each in mutants if given.only in each.property]
    asked = {each.property: each for each in chosen}.values()
    known = {
        trial(each, name): about(each, name) for each in asked for name in meets(each.property)
    }
    kept = Kept((), VERDICTS, known)
    judge_all(chosen, kept, given.seconds)
    judged = [each for each in chosen if not left(each, kept)]
    verdicts = {each.mutant.id: kept.verdict(each.mutant) for each in judged}
    text, unargued = written(judged, verdicts, len(chosen) - len(judged))
    if not given.only or given.page != PAGE:
        given.page.write_text(text, encoding="utf-8")
    print(f"{len(chosen) - len(judged)} are not judged, {unargued} survivors are not argued")
    wrong = sorted(arguments().keys() & kept.told.keys())
    print(f"argued, and killed: {', '.join(wrong) or 'none'}")
    return 1 if unargued or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
