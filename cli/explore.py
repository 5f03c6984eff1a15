"""`finale explore`: searches a spec, in process first, and on Spark when that is outgrown."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from checker.report.layout import console, write
from checker.report.results import json_rows
from checker.search.rows import SEARCH, Exit, SpecResult
from checker.spec.catalogue import catalogue
from checker.spec.reading import check_property_name, read_spec
from model.errors import FinaleError

from .main import VERSION
from .meter import Meter
from .output import say_json
from .pages import Pages
from .parameters import (
    ConfOption,
    MasterOption,
    PropertyNames,
    ProtocolsFolder,
    SpecFile,
    limits_of,
)


def explore(  # noqa: PLR0913 - one parameter a flag
    spec: SpecFile,
    *,
    format: Annotated[Literal["text", "json"], Parameter(help="How to print it.")] = "text",
    properties: PropertyNames = (),
    resume: Annotated[
        Path | None,
        Parameter(
            help="Keep what is seen in this folder, which all workers see, and go on from there."
        ),
    ] = None,
    states_here: Annotated[
        int | None,
        Parameter(help="Hand over to Spark at so many states; else when memory runs out here."),
    ] = None,
    owners: Annotated[
        int | None,
        Parameter(help="Spread states over so many tasks; as many as Spark runs if not given."),
    ] = None,
    max_states: Annotated[int | None, Parameter(help="Stop at so many states.")] = None,
    max_seconds: Annotated[float | None, Parameter(help="Stop after so long.")] = None,
    max_memory: Annotated[
        int | None, Parameter(help="Take so many megabytes: here, and then each worker.")
    ] = None,
    threads: Annotated[
        int | None,
        Parameter(help="So many threads search in process; all processors if not given."),
    ] = None,
    master: MasterOption = None,
    conf: ConfOption = (),
    protocols: ProtocolsFolder = None,
) -> int:
    """Search a spec that may have too many states for one process: it goes on with it on Spark."""
    # Imported here: the pipeline need not be there for other commands.
    from pipeline.explore import Plan
    from pipeline.explore import explore as searched
    from pipeline.session import cluster_of

    known = catalogue(protocols)
    for name in properties:
        if name != SEARCH:
            check_property_name(name, known)
    limits = limits_of(max_states, max_seconds, max_memory, threads, None)
    for flag, given in (("--states-here", states_here), ("--owners", owners)):
        if given is not None and given < (1 if flag == "--owners" else 0):
            raise FinaleError(
                "bad-limit",
                f"{flag} cannot be {given}",
                advice="give a number above zero, or leave it out",
            )
    folders = () if protocols is None else (protocols,)
    plan = Plan(cluster_of(master, conf, folders), resume, states_here, owners, threads)
    with Meter(spec.name) as meter:
        result = searched(read_spec(spec, known), plan, limits, meter, properties)
    _print(result, format == "text", resume)
    interrupted = result.report.stopped == "interrupted"
    return Exit.INTERRUPTED if interrupted else result.exit


def _print(result: SpecResult, as_text: bool, resume: Path | None) -> None:
    if not as_text:
        rows = json_rows(result, {})
        say_json({"finale": VERSION, "results": rows, "ok": result.ok})
        return

    def again(result: SpecResult) -> str:
        if not result.report.stopped or resume is None:
            return ""
        return shlex.join(["finale", "explore", str(result.spec.file), "--resume", str(resume)])

    pages = Pages(again)
    pages.add(result)
    pages.close()
    if result.report.backend == "spread":
        write(console(), ["searched on Spark"])
