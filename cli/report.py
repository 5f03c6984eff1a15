"""`finale report`: writes one page with verdicts, sequence diagrams and traces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.review.change import read_under
from finale.checker.search.limits import INTERRUPTED
from finale.checker.search.rows import PRECEDENCE, SpecResult
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.grid import values_in
from finale.checker.spec.reading import check_property_name
from finale.model.errors import FinaleError

from . import VERSION
from .meter import Meter
from .output import say, to_file_or_stdout
from .parameters import (
    BackendName,
    PropertyNames,
    ProtocolsFolder,
    SecondsLimit,
    SetValues,
    StatesLimit,
    VariantName,
    limits_of,
    specs_in,
)


def report(  # noqa: PLR0913 - one parameter a flag
    *paths: Annotated[Path, Parameter(help="Specs, or folders that contain specs.")],
    output: Annotated[
        Path | None, Parameter(name=("--output", "-o"), help="HTML file to write (required).")
    ] = None,
    properties: PropertyNames = (),
    max_states: StatesLimit = None,
    max_seconds: SecondsLimit = None,
    backend: BackendName = "auto",
    variant: VariantName = None,
    set: SetValues = (),
    protocols: ProtocolsFolder = None,
) -> int:
    """Write one self-contained page: verdicts, sequence diagrams, traces step by step."""
    from finale.checker.page.report import report_page  # HTML costs start-up time

    if not paths:
        raise FinaleError(
            "no-paths", "no spec is named", advice="name a spec, or a folder of specs"
        )
    if output is None:
        raise FinaleError("usage", "no file is named", advice="name it with -o report.html")
    known = catalogue(protocols)
    for name in properties:
        check_property_name(name, known)
    limits = limits_of(max_states, max_seconds, None, None, None)
    values = values_in(set)
    files = [file for path in paths for file in specs_in(path)]
    claims = [read_under(file, known, variant, values) for file in files]
    results: list[SpecResult] = []
    for claim in claims:
        with Meter(claim.file.name) as meter:
            results.append(run(claim, limits, meter, only=properties, backend=backend))
        if results[-1].report.stopped == INTERRUPTED:
            raise KeyboardInterrupt
    to_file_or_stdout(report_page(results, f"finale {VERSION}"), output)
    say(f"written to {output}", stderr=True)
    return min((result.exit for result in results), key=PRECEDENCE.index)


__all__ = ["report"]
