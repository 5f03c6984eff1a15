"""`finale export`: exports a spec to TLA+ or Promela, for TLC or SPIN."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.export.conditions import LIVENESS
from finale.checker.export.files import ENDINGS, ExportSource, Target, files_of
from finale.checker.export.names import identifier
from finale.checker.report.places import shown_file
from finale.checker.search.run import chosen
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import check_property_name, read_spec
from finale.model.errors import FinaleError, Place

from .output import say
from .parameters import PLAIN, PropertyNames, ProtocolsFolder, SpecFile


def export(
    spec: SpecFile,
    /,
    *,
    to: Annotated[Target, Parameter(help="Language to export to.")],
    output: Annotated[
        Path | None, Parameter(help="Existing folder, or new file (default: current folder).")
    ] = None,
    properties: PropertyNames = (),
    safety_only: Annotated[bool, PLAIN, Parameter(help="Export no liveness properties.")] = False,
    force: Annotated[bool, PLAIN, Parameter(help="Replace existing files.")] = False,
    protocols: ProtocolsFolder = None,
) -> int:
    """Export a spec to TLA+ or Promela, for TLC or SPIN."""
    known = catalogue(protocols)
    for name in properties:
        check_property_name(name, known)
    claim = read_spec(spec, known)
    families = chosen(claim, properties)
    if safety_only:
        families = tuple(family for family in families if family.kind not in LIVENESS)
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
    """Write all files, or none of them. Raises `file-exists`, `unwritable`."""
    for file in texts:
        if file.exists() and (not force or file.is_dir()):
            raise FinaleError(
                "file-exists",
                "the file exists already; no file was written",
                place=Place(str(file)),
                advice="choose another --output, or replace it with --force",
            )
    drafts = {file: file.with_name(f".{file.name}.draft") for file in texts}
    try:
        for file, text in texts.items():
            drafts[file].write_text(text, encoding="utf-8")
        for file, draft in drafts.items():
            draft.replace(file)
    except OSError as error:
        for draft in drafts.values():
            with suppress(OSError):  # where nothing can be written nothing can be removed
                draft.unlink()
        raise FinaleError(
            "unwritable",
            f"the files cannot be written: {error.strerror}",
            place=Place(str(next(iter(texts)).parent)),
            advice="check the name, and whether you may write there",
        ) from None
