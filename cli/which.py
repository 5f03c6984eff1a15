"""`finale which`: finds the options, bounds and jobs for which a property of a spec holds."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from finale.checker.report.layout import console, write
from finale.checker.report.which import which_lines, which_rows
from finale.checker.search.limits import Limits
from finale.checker.search.rows import Exit
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.grid import axis_in
from finale.checker.spec.reading import check_property_name
from finale.checker.studies.which import which as settings_of

from . import completers
from .meter import Meter
from .output import document, say_json
from .parameters import (
    PLAIN,
    ProtocolsFolder,
    SecondsLimit,
    SpecFile,
    TextOrJson,
    refuse_limits,
)


def which(
    spec: SpecFile,
    /,
    *,
    property: Annotated[str, Parameter(help="Property to check.", completer=completers.properties)],
    vary: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(
            help="Key of the spec with its values: options.NAME=one,other or bounds.NAME=0..3; "
            "repeatable. Begin with the weakest value, the one with the fewest runs."
        ),
    ],
    max_steps: Annotated[
        int | None,
        Parameter(help="Maximal length of the runs that the solver searches (default: 25)."),
    ] = None,
    max_seconds: SecondsLimit = None,
    format: TextOrJson = "text",
    protocols: ProtocolsFolder = None,
) -> int:
    """Find the settings for which a property holds, and the weakest settings that violate it."""
    refuse_limits({"--max-steps": max_steps, "--max-seconds": max_seconds})
    known = catalogue(protocols)
    check_property_name(property, known)
    axes = [axis_in(each) for each in vary]
    limits = Limits(seconds_max=max_seconds, steps_max=max_steps)
    with Meter(spec.name) as meter:
        found = settings_of(spec, axes, property, limits, meter, known)
    if format == "json":
        say_json(document("which") | {"settings": list(which_rows(found))})
    else:
        page = console()
        write(page, which_lines(found, page.width))
    return Exit.LIMIT if found.those(Word.UNKNOWN) else Exit.AS_EXPECTED
