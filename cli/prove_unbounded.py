"""`finale prove SPEC --unbounded`: proves properties for runs of any length, with unbounded ids."""

from __future__ import annotations

from collections.abc import Sequence

from finale.checker.proofs.unbounded.prove import prove_unbounded
from finale.checker.report.layout import console, write
from finale.checker.report.unbounded import clause_lines, head_lines, proven_json, result_lines
from finale.checker.search.limits import Limits
from finale.checker.search.rows import Exit
from finale.checker.spec.claim import Spec

from .meter import Meter
from .output import document, say_json


def prove_runs(spec: Spec, names: Sequence[str], limits: Limits, as_text: bool) -> Exit:
    """Print the clauses and what follows from them; 0 where all that is asked is proven."""
    with Meter(spec.file.name) as meter:
        proven = prove_unbounded(spec.protocol, spec.setting, names, limits, meter)
    if as_text:
        page = console()
        write(page, head_lines(spec, page.width))
        write(page, [*clause_lines(proven, page.width), *result_lines(proven, page.width)])
    else:
        say_json(document("prove-unbounded") | proven_json(spec, proven))
    return Exit.AS_EXPECTED if proven.is_decided else Exit.LIMIT
