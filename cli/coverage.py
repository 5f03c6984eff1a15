"""`finale coverage`: says how much of the protocols a suite of specs looks at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from finale.checker.cache.store import users_store
from finale.checker.coverage.closing import closings
from finale.checker.coverage.seen import STATES_MAX, Seen, seen
from finale.checker.coverage.suite import Coverage, Looked, joined, own_reasons, reasons_in
from finale.checker.report.coverage import Closings, coverage_json, coverage_lines
from finale.checker.report.layout import console, write
from finale.checker.review.cases import OWN_SPECS
from finale.checker.search.many import searched
from finale.checker.search.processes import processors
from finale.checker.search.rows import Exit
from finale.checker.spec.catalogue import Catalogue, catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError

from . import VERSION, completers
from .meter import Meter
from .output import OutputFile, document, format_of, say, say_json, to_file_or_stdout
from .parameters import (
    ASKED,
    LIMITS,
    OUTPUT,
    PLAIN,
    NoCache,
    OutputPath,
    ProtocolsFolder,
    Workers,
    refuse_limits,
    specs_in,
)

Format = Literal["text", "json", "html"]
FORMATS: tuple[Format, ...] = ("text", "json", "html")


def coverage(  # noqa: PLR0913 - one parameter a flag
    *paths: Annotated[
        Path,
        Parameter(
            help="Specs, or folders with specs (default: specs of the project file, else those of "
            "Finale)."
        ),
    ],
    of: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(
            group=ASKED,
            name="--of",
            help="Only specs of this protocol; repeatable (default: all).",
            completer=completers.protocols,
        ),
    ] = (),
    close: Annotated[
        bool,
        PLAIN,
        Parameter(
            negative="",
            help="Try other options and bounds, and name the cheapest setting that closes each "
            "gap.",
        ),
    ] = False,
    reasons: Annotated[
        Path | None,
        Parameter(
            help="File with reasons why no setting can close some gaps (docs/coverage.md), beside "
            "the reasons for Finale's protocols."
        ),
    ] = None,
    max_states: Annotated[
        int, Parameter(group=LIMITS, help="Number of states at which a walk ends.")
    ] = STATES_MAX,
    workers: Workers = None,
    no_cache: NoCache = False,
    format: Annotated[
        Format | None,
        Parameter(
            group=OUTPUT,
            name="--format",
            help="Output format (default: by the ending of the file, else text).",
        ),
    ] = None,
    output: OutputPath = None,
    protocols: ProtocolsFolder = None,
) -> int:
    """Say which branches of rules, and which failures in which phases, no spec reaches."""
    refuse_limits({"--workers": workers, "--max-states": max_states})
    chosen = format_of(output, format, FORMATS)
    given = () if reasons is None else reasons_in(reasons)
    known = catalogue(protocols, None if no_cache else users_store())
    for name in of:
        known.protocol(name)
    paths = paths or (OWN_SPECS,)
    specs = _specs(paths, of, known)
    if output is not None:
        OutputFile(output).close()  # a name that cannot be written is an error before the work
    jobs = workers or processors()
    by_file = {spec.file: spec for spec in specs}
    looked: list[Looked] = []
    with Meter("specs") as meter:
        files = list(by_file)
        for file, found in searched(
            files, lambda file: seen(by_file[file], max_states), jobs, meter.tell_many
        ):
            if not isinstance(found, Seen):
                raise found
            looked.append(Looked(by_file[file], found))
    own = own_reasons()
    asked = (*(own if _has_own_specs(paths) else ()), *(given if _is_whole(paths) else ()))
    result = joined(looked, (*own, *given), () if of else asked)
    closed: Closings = {}
    if close:
        with Meter("settings") as meter:
            closed = closings(result, jobs, meter.tell_many, max_states)
    _show(result, closed, chosen, output)
    return Exit.AS_EXPECTED if result.is_whole else Exit.FAILED


def _specs(paths: Sequence[Path], protocols: Sequence[str], known: Catalogue) -> list[Spec]:
    """The specs of the rules as they are: a variant has others, and so has a spec without an
    assumption. Raises `nothing-to-cover`."""
    files = {file.resolve(): file for path in paths for file in specs_in(path)}
    specs = [read_spec(file, known) for file in files.values()]
    own = [
        spec
        for spec in specs
        if spec.variant is None
        and not spec.setting.without
        and (not protocols or spec.protocol.key in protocols)
    ]
    if not own:
        of = f" of {' or '.join(protocols)}" if protocols else ""
        raise FinaleError(
            "nothing-to-cover",
            f"no spec{of} is about the rules as they are: {len(specs)} read",
            advice="name specs without a variant and without assumptions left out",
        )
    return own


def _has_own_specs(paths: Sequence[Path]) -> bool:
    """Whether the specs of Finale are read, all of them."""
    return any(path.resolve() == OWN_SPECS.resolve() for path in paths)


def _is_whole(paths: Sequence[Path]) -> bool:
    """Whether folders are read: single files are a part of a suite."""
    return all(path.is_dir() for path in paths)


def _show(found: Coverage, closed: Closings, format: Format, output: Path | None) -> None:
    if format == "html":
        from finale.checker.page.coverage import coverage_page  # HTML costs start-up time

        to_file_or_stdout(coverage_page(found, closed, f"finale {VERSION}"), output)
    elif format == "json" and output is None:
        say_json(document("coverage") | coverage_json(found, closed))
    elif format == "json":
        import json

        value = document("coverage") | coverage_json(found, closed)
        to_file_or_stdout(f"{json.dumps(value, indent=2)}\n", output)
    else:
        page = console()
        lines = coverage_lines(found, closed, page.width)
        if output is None:
            write(page, lines)
        else:
            to_file_or_stdout("".join(f"{line.plain}\n" for line in lines), output)
    if output is not None:
        say(f"written to {output}", stderr=True)


__all__ = ["coverage"]
