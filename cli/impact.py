"""`finale impact`: says what a change of Flink touches, by the methods that the rules name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from finale.checker.impact.builds import build_of
from finale.checker.impact.code import Code
from finale.checker.impact.comparing import Impact
from finale.checker.impact.comparing import impact as compared
from finale.checker.report.impact import impact_json, impact_lines, impact_markdown
from finale.checker.report.layout import console, write
from finale.checker.search.rows import Exit
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError

from . import VERSION
from .output import OutputFile, document, format_of, say, say_json, to_file_or_stdout
from .parameters import OUTPUT, OutputPath

Format = Literal["text", "json", "html", "markdown"]
FORMATS: tuple[Format, ...] = ("text", "json", "html", "markdown")


def impact(
    old: Annotated[
        str,
        Parameter(
            help="Flink before the change: a release as 2.2.1, a jar, or a folder with jars or "
            "classes. With --source: two revisions, OLD..NEW, or a file with a patch of HEAD."
        ),
    ],
    new: Annotated[
        str | None, Parameter(help="Flink with the change, named in the same way.")
    ] = None,
    /,
    *,
    source: Annotated[
        Path | None,
        Parameter(help="Compare sources of Flink: a clone with Git, which stays as it is."),
    ] = None,
    format: Annotated[
        Format | None,
        Parameter(
            group=OUTPUT,
            name="--format",
            help="Output format; markdown is for a comment on a pull request (default: by the "
            "ending of the file, else text).",
        ),
    ] = None,
    output: OutputPath = None,
) -> int:
    """Say what a change of Flink touches: methods that rules name, log lines, and the rest."""
    chosen = format_of(output, format, FORMATS)
    if output is not None:
        OutputFile(output).close()  # a name that cannot be written is an error before the work
    with _both(old, new, source) as (before, after):
        found = compared(before, after, catalogue(None))
    _show(found, chosen, output)
    return Exit.AS_EXPECTED if found.is_untouched else Exit.FAILED


@contextmanager
def _both(old: str, new: str | None, source: Path | None) -> Iterator[tuple[Code, Code]]:
    """Find what is compared. Raises coded errors."""
    if (new is None) == (source is None):
        takes = "one change" if source is not None else "two builds"
        given = "with --source it" if source is not None else "without --source it"
        raise FinaleError(
            "usage",
            f"finale impact takes {takes}: {given} gets another number of arguments",
            advice="finale impact OLD NEW, or finale impact --source DIR OLD..NEW",
        )
    if source is not None:
        from finale.checker.impact.sources import sources_of  # a parser of Java

        with sources_of(source, old) as both:
            yield both
    elif new is not None:
        with build_of(old) as before, build_of(new) as after:
            yield before, after


def _show(found: Impact, format: Format, output: Path | None) -> None:
    if format == "html":
        from finale.checker.page.impact import impact_page  # HTML costs start-up time

        to_file_or_stdout(impact_page(found, f"finale {VERSION}"), output)
    elif format == "markdown":
        to_file_or_stdout(impact_markdown(found), output)
    elif output is not None:
        import json

        page = console()
        text = "\n".join(line.plain for line in impact_lines(found, page.width))
        if format == "json":
            text = json.dumps(document("impact") | impact_json(found), indent=2)
        to_file_or_stdout(f"{text}\n", output)
    elif format == "json":
        say_json(document("impact") | impact_json(found))
    else:
        page = console()
        write(page, impact_lines(found, page.width))
    if output is not None:
        say(f"written to {output}", stderr=True)


__all__ = ["impact"]
