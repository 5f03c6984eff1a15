"""`finale which`: finds the options, bounds and jobs for which a property of a spec holds."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from finale.checker.report.layout import console, write
from finale.checker.report.which import which_lines, which_rows
from finale.checker.review.change import read_under
from finale.checker.search.limits import Limits
from finale.checker.search.rows import Exit
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import Values, axis_in, values_in
from finale.checker.spec.reading import check_property_name
from finale.checker.studies.which import which as settings_of

from . import completers
from .meter import Meter
from .output import document, say_json
from .parameters import (
    LIMITS,
    PLAIN,
    ProtocolsFolder,
    SecondsLimit,
    SetValues,
    SpecFile,
    TextOrJson,
    VariantName,
    refuse_limits,
)


def which(  # noqa: PLR0913 - one parameter a flag
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
        Parameter(
            group=LIMITS, help="Maximal length of the runs that the solver searches (default: 25)."
        ),
    ] = None,
    max_seconds: SecondsLimit = None,
    format: TextOrJson = "text",
    variant: VariantName = None,
    set: SetValues = (),
    protocols: ProtocolsFolder = None,
) -> int:
    """Find the settings for which a property holds, and the weakest settings that violate it."""
    refuse_limits({"--max-steps": max_steps, "--max-seconds": max_seconds})
    known = catalogue(protocols)
    check_property_name(property, known)
    axes, given = [axis_in(each) for each in vary], values_in(set)
    limits = Limits(seconds_max=max_seconds, steps_max=max_steps)

    def read(values: Values) -> Spec:
        return read_under(spec, known, variant, (*given, *values))

    with Meter(spec.name) as meter:
        found = settings_of(read, axes, property, limits, meter)
    if format == "json":
        say_json(document("which") | {"settings": list(which_rows(found))})
    else:
        page = console()
        write(page, which_lines(found, page.width))
    return Exit.LIMIT if found.those(Word.UNKNOWN) else Exit.AS_EXPECTED
