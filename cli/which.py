"""`finale which`: for which options, bounds and jobs a property of a spec holds."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from checker.report.layout import console, write
from checker.report.which import which_lines, which_rows
from checker.search.answer import Unknown
from checker.search.limits import Limits
from checker.search.rows import Exit
from checker.spec.catalogue import catalogue
from checker.spec.reading import check_property_name
from checker.studies.which import axis_in
from checker.studies.which import which as settings_of

from .meter import Meter
from .output import say_json
from .parameters import PLAIN, ProtocolsFolder, SpecFile


def which(
    spec: SpecFile,
    /,
    *,
    property: Annotated[str, Parameter(help="The property that is asked about.")],
    vary: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(
            help="A key of the spec and its values, the weakest first: options.NAME=one,other or "
            "bounds.NAME=0..3; may be given several times."
        ),
    ],
    max_steps: Annotated[
        int | None, Parameter(help="So long are the runs that the solver is asked about; 25.")
    ] = None,
    max_seconds: Annotated[float | None, Parameter(help="Stop after so long.")] = None,
    format: Annotated[Literal["text", "json"], Parameter(help="How to print it.")] = "text",
    protocols: ProtocolsFolder = None,
) -> int:
    """Tell for which settings a property holds, and the weakest that break it."""
    known = catalogue(protocols)
    check_property_name(property, known)
    axes = [axis_in(each) for each in vary]
    limits = Limits(seconds_max=max_seconds, steps_max=max_steps)
    with Meter(spec.name) as meter:
        found = settings_of(spec, axes, property, limits, meter, known)
    if format == "json":
        say_json({"settings": list(which_rows(found))})
    else:
        page = console()
        write(page, which_lines(found, page.width))
    return Exit.LIMIT if found.those(Unknown.word) else Exit.AS_EXPECTED
