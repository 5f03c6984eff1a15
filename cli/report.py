"""`finale report`: writes one page with verdicts, sequence diagrams and traces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.cache.store import users_store
from finale.checker.search.rows import CheckResult
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import check_property_name
from finale.model.errors import FinaleError

from . import VERSION
from .check_options import CheckFlags, CheckOptions
from .checking import Checking
from .meter import Meter
from .output import format_of, say, to_file_or_stdout
from .parameters import (
    OUTPUT,
    PLAIN,
    BackendName,
    NoCache,
    PropertyNames,
    ProtocolsFolder,
    SecondsLimit,
    SetValues,
    StatesLimit,
    Strict,
    VariantName,
    Workers,
    limits_of,
    refuse_limits,
)


def report(  # noqa: PLR0913 - one parameter a flag
    *paths: Annotated[Path, Parameter(help="Specs, or folders that contain specs.")],
    output: Annotated[
        Path | None,
        Parameter(group=OUTPUT, name=("--output", "-o"), help="HTML file to write (required)."),
    ] = None,
    no_traces: Annotated[
        bool,
        PLAIN,
        Parameter(negative="", help="Leave out the traces: verdicts and settings only."),
    ] = False,
    properties: PropertyNames = (),
    strict: Strict = False,
    slow: Annotated[bool, PLAIN, Parameter(help="Also check specs that are marked slow.")] = False,
    max_states: StatesLimit = None,
    max_seconds: SecondsLimit = None,
    backend: BackendName = "auto",
    workers: Workers = None,
    variant: VariantName = None,
    set: SetValues = (),
    no_cache: NoCache = False,
    protocols: ProtocolsFolder = None,
) -> int:
    """Write one self-contained page: verdicts, sequence diagrams, traces step by step."""
    if not paths:
        raise FinaleError(
            "no-paths", "no spec is named", advice="name a spec, or a folder of specs"
        )
    if output is None:
        raise FinaleError("usage", "no file is named", advice="name it with -o report.html")
    format_of(output, None, ("html",))
    known = catalogue(protocols, None if no_cache else users_store())
    for name in properties:
        check_property_name(name, known)
    refuse_limits({"--workers": workers})
    flags = CheckFlags(
        format="json",
        properties=properties,
        strict=strict,
        slow=slow or all(path.is_file() for path in paths),
        backend=backend,
        workers=workers,
        variant=variant,
        set=set,
        protocols=protocols,
    )
    limits = limits_of(max_states, max_seconds, None, None, None)
    checking = Checking(CheckOptions(flags, known, limits), as_text=False)
    checking.check(checking.files(paths), paths)
    checking.refuse_unused()
    if checking.results:
        page = _page(checking.outcome, traces=not no_traces, jobs=workers)
        to_file_or_stdout(page, output)
        say(f"written to {output}", stderr=True)
    return checking.exit


def _page(found: CheckResult, *, traces: bool, jobs: int | None) -> str:
    from finale.checker.page.overview import overview_page  # HTML costs start-up time
    from finale.checker.page.report import details, report_page

    made_by, results = f"finale {VERSION}", found.results
    if len(results) <= 2 and not found.mistakes:
        return report_page(results, made_by, traces=traces)
    from finale.checker.search.many import searched
    from finale.checker.search.processes import processors

    def build(number: int) -> str:
        return details(results[number], f"s{number + 1}", traces)

    parts: list[str] = []
    with Meter("specs written") as meter:
        numbers = range(len(results))

        def tell(busy: object, done: int, count: int) -> None:
            meter.tell_many((), done, count)

        for _, part in searched(numbers, build, jobs or processors(), tell):
            if isinstance(part, FinaleError):
                raise part
            parts.append(part)
    return overview_page(found, parts, made_by)


__all__ = ["report"]
