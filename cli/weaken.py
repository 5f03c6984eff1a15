"""`finale weaken`: leaves out the assumptions of a spec's rules, one at a time."""

from __future__ import annotations

from pathlib import Path
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
from finale.model.errors import FinaleError
from finale.reference.flink.facts import facts_of
from finale.reference.flink.releases import release_of
from finale.reference.flink.run import empty_folder

from .asked import AskedOfFlink
from .claims import claims_under
from .meter import Meter
from .output import document, say_json
from .parameters import (
    LIMITS,
    ON_FLINK,
    OUTPUT,
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
    flink: Annotated[
        str | None,
        Parameter(
            group=ON_FLINK,
            help="Then drive this Flink with and without each assumption that a property needs: "
            "the folder of a distribution, or a release that is installed. The spec has the "
            "options of this release.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT,
            name=("--output", "-o"),
            help="Folder for the orders, the logs and the outcomes of --flink, new or empty "
            "(default: reproduction).",
        ),
    ] = None,
) -> int:
    """Leave out each assumption in turn, and rank those without which a property falls."""
    refuse_limits({"--workers": workers, "--max-seconds": max_seconds, "--max-states": max_states})
    if output is not None and flink is None:
        raise FinaleError(
            "usage",
            "--output is for --flink: else the command writes no file",
            advice="leave it out, or give --flink",
        )
    store = None if no_cache else users_store()
    known, limits = catalogue(protocols, store), Limits(max_states, max_seconds)
    asking = None
    if flink is None:
        claim = read_under(spec, known, variant, values_in(set))
    else:
        release = release_of(flink)
        facts = facts_of(release)
        claims = claims_under(spec, known, variant, values_in(set), release, facts)
        folder = empty_folder(output or Path("reproduction"))
        asking, claim = AskedOfFlink(claims, release, facts, folder), claims[0]
    with Meter("assumptions") as meter:
        found = weaken_spec(claim, assumption, limits, workers or processors(), meter.tell_many)
    if asking is not None:
        if format == "text":
            write(console(), weakening_lines(found, console().width))
        return asking.run(found, as_text=format == "text")
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
