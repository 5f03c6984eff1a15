"""`finale prove SPEC --unbounded`: what holds in runs of any length, with no bound on ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from checker.claim import Spec
from checker.question import News
from checker.rows import Exit
from checker.show.layout import console, write
from checker.show.unbounded import clause_lines, result_lines
from checker.symbolic.unbounded.prove import prove_unbounded

from .meter import Meter


def prove_runs(spec: Spec, names: Sequence[str]) -> int:
    """Print the clauses and what follows from them; 0 where all that is asked is proven."""
    page = console()
    told = News(0, 0, 0, 0, 0.0)
    with Meter(Path(spec.file).name) as meter:
        proven = prove_unbounded(
            spec.protocol,
            spec.setting,
            names,
            tell=lambda doing: meter(replace(told, before=doing)),
        )
    write(page, [*clause_lines(proven, page.width), *result_lines(proven, page.width)])
    verdicts = {each.verdict for each in (*proven.results, *proven.set_aside)}
    if "resists" in verdicts:
        return Exit.FAILED
    return Exit.LIMIT if "unknown" in verdicts else Exit.AS_EXPECTED
