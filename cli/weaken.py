"""`finale weaken`: leaves out the assumptions of a spec's rules, one at a time."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from finale.checker.cache.store import users_store
from finale.checker.report.layout import console, write
from finale.checker.report.weakened import weakening_json, weakening_lines
from finale.checker.review.change import read_under
from finale.checker.search.limits import Limits
from finale.checker.search.processes import processors
from finale.checker.search.rows import Exit
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.grid import values_in
from finale.checker.studies.weaken import Weakening
from finale.checker.studies.weaken import weaken as weaken_spec

from .meter import Meter
from .output import document, say_json
from .parameters import (
    LIMITS,
    PLAIN,
    NoCache,
    ProtocolsFolder,
    SetValues,
    SpecFile,
    StatesLimit,
    TextOrJson,
    VariantName,
    Workers,
    refuse_limits,
)

#: The time limit of each search, in seconds, if the user gives none.
SECONDS_OF_ONE = 60.0


def weaken(  # noqa: PLR0913 - one parameter a flag
    spec: SpecFile,
    /,
    *,
    assumption: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(help="Leave out only this assumption; repeatable (default: each in turn)."),
    ] = (),
    max_states: StatesLimit = None,
    max_seconds: Annotated[
        float, Parameter(group=LIMITS, help="Time limit in seconds of each single search.")
    ] = SECONDS_OF_ONE,
    workers: Workers = None,
    format: TextOrJson = "text",
    no_cache: NoCache = False,
    variant: VariantName = None,
    set: SetValues = (),
    protocols: ProtocolsFolder = None,
) -> int:
    """Leave out each assumption in turn, and rank those without which a property falls."""
    refuse_limits({"--workers": workers, "--max-seconds": max_seconds, "--max-states": max_states})
    store = None if no_cache else users_store()
    claim = read_under(spec, catalogue(protocols, store), variant, values_in(set))
    limits = Limits(max_states, max_seconds)
    with Meter("assumptions") as meter:
        found = weaken_spec(claim, assumption, limits, workers or processors(), meter.tell_many)
    if format == "json":
        say_json(document("weaken") | weakening_json(found))
    else:
        page = console()
        write(page, weakening_lines(found, page.width))
    return _exit(found)


def _exit(found: Weakening) -> Exit:
    if found.is_interrupted:
        return Exit.INTERRUPTED
    return Exit.AS_EXPECTED if found.is_complete else Exit.LIMIT
