"""`finale trace`: finds a counterexample or a witness again, and prints it step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from finale.checker.report.layout import console, write
from finale.checker.report.minimised import minimised_json, minimised_lines
from finale.checker.report.places import shown_file
from finale.checker.report.results import trace_command
from finale.checker.report.sequence import Diagram, sequence_of
from finale.checker.report.sequence_mermaid import sequence_mermaid
from finale.checker.report.story import causes_json, story_json, story_of
from finale.checker.report.task_order import with_few_changes
from finale.checker.report.trace import trace_lines
from finale.checker.review.change import read_under
from finale.checker.search.backends import Backend
from finale.checker.search.limits import INTERRUPTED
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.search.rows import ResultRow, SpecResult
from finale.checker.search.run import run
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec, runs_before
from finale.checker.spec.grid import values_in
from finale.checker.spec.reading import check_property_name
from finale.checker.studies.causes import added_rules, causes_of
from finale.checker.studies.decisive import decisive_steps
from finale.checker.studies.weaken import weaker
from finale.model.errors import FinaleError, Place
from finale.model.visible import visible_json

from . import completers
from .meter import Meter
from .minimising import shrunk
from .output import document, format_of, say, to_file_or_stdout
from .parameters import (
    OUTPUT,
    BackendName,
    Minimise,
    ProtocolsFolder,
    ReductionNames,
    SetValues,
    VariantName,
    WithoutNames,
)
from .traces import itf_of_run, refuse_own_name, stored_trace

Format = Literal["text", "json", "itf", "svg", "mermaid"]
FORMATS: tuple[Format, ...] = ("text", "json", "itf", "svg", "mermaid")


def trace(  # noqa: PLR0913 - one parameter a flag
    spec: Annotated[Path, Parameter(help="Spec, or a trace in ITF that Finale has written.")],
    /,
    *,
    property: Annotated[
        str | None,
        Parameter(
            help="Property whose trace is printed (default: an unexpectedly violated one, else a "
            "violated one, else one whose witness is reached).",
            completer=completers.properties,
        ),
    ] = None,
    format: Annotated[
        Format | None,
        Parameter(
            group=OUTPUT,
            help="Output format; svg and mermaid are sequence diagrams (default: by the ending of "
            "the file, else text).",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT, name=("--output", "-o"), help="File to write (default: standard output)."
        ),
    ] = None,
    backend: BackendName = "auto",
    reduce: ReductionNames = (),
    variant: VariantName = None,
    set: SetValues = (),
    minimise: Minimise = False,
    without: WithoutNames = (),
    protocols: ProtocolsFolder = None,
) -> int:
    """Print a counterexample or a witness step by step."""
    chosen = format_of(output, format, FORMATS)
    known = catalogue(protocols)
    about: dict[str, object] = {}
    if property is not None:
        check_property_name(property, known)
    is_stored = spec.suffix == ".json"
    if is_stored:
        refuse_search_of_stored(property, backend, reduce, (variant, *set, minimise, *without))
        stored = stored_trace(spec, known)
        refuse_own_name(spec, output)
        claim, system, verdict, again = stored.spec, stored.system, stored.verdict, ""
    else:
        claim = read_under(spec, known, variant, values_in(set))
        for name in without:
            claim = weaker(claim, name)
        reductions = tuple(Reduction(name) for name in reduce)
        result = searched(claim, property, backend, reductions)
        row = row_to_tell(result, property)
        tell_other_expectations(result, row)
        again = trace_command(result, row.property)
        if minimise:
            again += " --minimise"
            found = shrunk(claim, row.property, known)
            if chosen == "text" and output is None:
                page = console()
                write(page, [*minimised_lines(found, page.width), ""])
            about["minimised"] = asdict(minimised_json(found))
            claim = found.after.spec
            result = searched(claim, row.property, backend, ())
            row = row_to_tell(result, row.property)
        assert result.system is not None
        system = result.system
        verdict = with_few_changes(system, row)
    assert verdict.trace is not None
    runs = tuple(runs_before(claim, verdict.trace))
    story = story_of(system, verdict, runs)
    match chosen:
        case "text":
            page = console()
            causes = causes_of(system, verdict, added_rules(claim.protocol))
            lines = trace_lines(story, claim, page.width, again, causes)
            if output is None:
                write(page, lines)
            else:
                to_file_or_stdout("".join(f"{line.plain}\n" for line in lines), output)
        case "json":
            about = {"spec": shown_file(claim.file), "title": claim.title} | about
            about["causes"] = causes_json(causes_of(system, verdict, added_rules(claim.protocol)))
            text = visible_json(document("trace") | about | story_json(story), indent=2) + "\n"
            to_file_or_stdout(text, output)
        case "itf":
            to_file_or_stdout(itf_of_run(claim, system, verdict), output)
        case "svg" | "mermaid":
            decisive = decisive_steps(system, verdict)
            diagram = sequence_of(system, verdict.trace, story.steps, decisive)
            to_file_or_stdout(_drawn(diagram, f"{verdict.property}: {claim.title}", chosen), output)
    if output is not None:
        say(f"written to {output}", stderr=True)
    return 0


def _drawn(diagram: Diagram, title: str, format: Literal["svg", "mermaid"]) -> str:
    if format == "mermaid":
        return sequence_mermaid(diagram, title)
    from finale.checker.page.sequence_svg import sequence_file

    return sequence_file(diagram, title)


def searched(
    spec: Spec, name: str | None, backend: Backend, reductions: tuple[Reduction, ...]
) -> SpecResult:
    """Search for the traces of a spec. Raises KeyboardInterrupt if the user stops the search."""
    only = () if name is None else (name,)
    with Meter(spec.file.name) as meter:
        result = run(spec, progress=meter, only=only, backend=backend, reductions=reductions)
    if result.report.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    return result


def refuse_search_of_stored(
    name: str | None, backend: Backend, reduce: Sequence[str], others: Sequence[object]
) -> None:
    """Refuse flags of a search for a trace that is read from a file. Raises `usage`."""
    if name is not None or backend != "auto" or reduce or any(others):
        raise FinaleError(
            "usage",
            "--property, --backend, --reduce, --variant, --set, --minimise and --without are for a "
            "search, and this trace is read",
            advice="leave them out, or name the spec",
        )


def tell_other_expectations(result: SpecResult, told: ResultRow) -> None:
    """Say on stderr which expectations failed that the trace is not about."""
    for row in result.rows:
        if row.is_claim and not row.ok and row.property != told.property:
            say(f"not as expected: {_as_found(row)}; the trace is of {told.property}", stderr=True)


def _as_found(row: ResultRow) -> str:
    """A verdict that was not expected, and the one that was."""
    return f"{row.property} {row.word}, expected: {row.expected}"


def row_to_tell(result: SpecResult, name: str | None) -> ResultRow:
    """The row whose trace is asked for. Raises `no-trace`."""
    rows = [row for row in result.rows if row.is_claim]
    expected = result.spec.claimed
    told = sorted(
        (row for row in rows if row.trace is not None),
        key=lambda row: (
            row.ok,
            row.word is not Word.VIOLATED,
            expected.index(row.property) if row.property in expected else len(expected),
            row.steps,
        ),
    )
    if told:
        return told[0]
    place = Place(str(result.spec.file))
    if name is None:
        wrong = [_as_found(row) for row in rows if not row.ok]
        also = f"; not as expected: {', '.join(wrong)}" if wrong else ""
        raise FinaleError(
            "no-trace",
            f"no property is violated, and no witness is reached{also}",
            place=place,
            advice="print the verdicts with finale check",
        )
    row = next((row for row in rows if row.property == name), None)
    if row is None:
        raise FinaleError(
            "does-not-apply",
            f'"{name}" has no answer here',
            place=place,
            advice="its protocol does not implement the view that the property reads, or "
            "[observe] keeps no history for it",
        )
    verdict = f"{row.word}: {row.why}" if row.why else row.word
    kind = "a counterexample" if row.word is Word.HOLDS else "a trace"
    raise FinaleError(
        "no-trace",
        f'"{name}" {verdict}',
        place=place,
        advice=f"there is {kind} only where a property is violated or a witness is reached",
    )
