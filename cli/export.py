"""`finale export`: exports a spec to TLA+ or Promela, for TLC or SPIN."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.export.files import ENDINGS, ExportSource, Target, files_of
from finale.checker.export.names import identifier
from finale.checker.report.places import shown_file
from finale.checker.review.change import read_under
from finale.checker.search.run import chosen
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.grid import values_in
from finale.checker.spec.reading import check_property_name
from finale.model.errors import FinaleError, Place

from .output import OutputFile, say
from .parameters import (
    OUTPUT,
    PLAIN,
    PropertyNames,
    ProtocolsFolder,
    SetValues,
    SpecFile,
    VariantName,
)


def export(  # noqa: PLR0913 - one parameter a flag
    spec: SpecFile,
    /,
    *,
    to: Annotated[Target, Parameter(help="Language to export to.")],
    output: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT,
            name=("--output", "-o"),
            help="Existing folder, or new file (default: current folder).",
        ),
    ] = None,
    properties: PropertyNames = (),
    safety_only: Annotated[bool, PLAIN, Parameter(help="Export no liveness properties.")] = False,
    force: Annotated[bool, PLAIN, Parameter(help="Replace existing files.")] = False,
    variant: VariantName = None,
    set: SetValues = (),
    protocols: ProtocolsFolder = None,
) -> int:
    """Export a spec to TLA+ or Promela, for TLC or SPIN."""
    known = catalogue(protocols)
    for name in properties:
        check_property_name(name, known)
    claim = read_under(spec, known, variant, values_in(set))
    families = chosen(claim, properties)
    if safety_only:
        families = tuple(family for family in families if not family.kind.is_liveness)
    folder, module = _place(spec, to, output)
    system = claim.system(families)
    source = ExportSource(claim.title, claim.protocol.key, shown_file(spec))
    files = files_of(system, to, module, source)
    _write({folder / name: text for name, text in files.items()}, force)
    for name in files:
        say(f"written to {folder / name}")
    return 0


def _place(spec: Path, to: Target, output: Path | None) -> tuple[Path, str]:
    """The folder to write into, and the name of the module. Raises `missing-folder`."""
    file = output
    if output is None or output.is_dir():
        name = identifier(spec.stem)
        file = (output or Path()) / f"{name}{ENDINGS[to]}"
    assert file is not None
    if not file.parent.is_dir():
        raise FinaleError(
            "missing-folder",
            "there is no such folder",
            place=Place(str(file.parent)),
            advice="make it first, or check the name",
        )
    if file.suffix != ENDINGS[to]:
        raise FinaleError(
            "wrong-ending",
            f"--to {to} writes files that end in {ENDINGS[to]}",
            place=Place(str(file)),
            advice="name a file with this ending, or an existing folder",
        )
    return file.parent, file.stem


def _write(texts: Mapping[Path, str], force: bool) -> None:
    """Write all files, or none of them. Raises `file-exists`, and what `OutputFile` raises."""
    for file in texts:
        if os.path.lexists(file) and (not force or file.is_dir()):
            raise FinaleError(
                "file-exists",
                "the file exists already; no file was written",
                place=Place(str(file)),
                advice="choose another --output, or replace it with --force",
            )
    with ExitStack() as stack:
        files = [(stack.enter_context(OutputFile(file)), text) for file, text in texts.items()]
        for output, text in files:
            output.fill(text)
        for output, _ in files:
            output.finish()
