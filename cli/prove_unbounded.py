"""`finale prove SPEC --unbounded`: proves properties for runs of any length, with unbounded ids."""

from __future__ import annotations

from collections.abc import Sequence

from finale.checker.proofs.unbounded.prove import prove_unbounded
from finale.checker.report.layout import console, write
from finale.checker.report.places import shown_file
from finale.checker.report.unbounded import clause_lines, head_lines, proven_json, result_lines
from finale.checker.search.limits import Limits
from finale.checker.search.rows import Exit
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.layout import READS_LAYOUT

from .meter import Meter
from .not_asked import say_not_asked
from .output import document, say_json


def prove_runs(spec: Spec, names: Sequence[str], limits: Limits, as_text: bool) -> Exit:
    """Print the clauses and what follows from them; 0 where all that is asked is proven.

    If a rule reads what a window and a run do not have alike, nothing is asked.
    """
    try:
        with Meter(spec.file.name) as meter:
            proven = prove_unbounded(spec.protocol, spec.setting, names, limits, meter)
    except FinaleError as error:
        if error.code != READS_LAYOUT:
            raise
        say_not_asked(error, {"spec": shown_file(spec.file)}, "prove-unbounded", as_text)
        return Exit.LIMIT
    if as_text:
        page = console()
        write(page, head_lines(spec, page.width))
        write(page, [*clause_lines(proven, page.width), *result_lines(proven, page.width)])
    else:
        say_json(document("prove-unbounded") | proven_json(spec, proven))
    return Exit.AS_EXPECTED if proven.is_decided else Exit.LIMIT
