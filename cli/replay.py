"""`finale replay`: executes a trace of the model on the engine, with real files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.conformance.replay import EngineReplay, Replayed
from finale.checker.report.layout import console, write
from finale.checker.report.places import shown_file
from finale.checker.report.replay import replayed_lines
from finale.checker.review.change import read_under
from finale.checker.search.limits import INTERRUPTED
from finale.checker.search.rows import Exit
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import Values, values_in
from finale.checker.spec.reading import check_property_name
from finale.model.errors import FinaleError, Place
from finale.model.system import System
from finale.model.trace import Trace
from finale.reference.formats.files import DiskFiles

from . import completers
from .meter import Meter
from .output import document, say_json
from .parameters import SetValues, TextOrJson, VariantName
from .trace import refuse_search_of_stored, row_to_tell, tell_other_expectations
from .traces import stored_trace


def replay(
    file: Annotated[
        Path, Parameter(help="Spec, or trace that finale trace --format itf has written.")
    ],
    /,
    *,
    property: Annotated[
        str | None,
        Parameter(
            help="Property whose trace is executed (default: as finale trace).",
            completer=completers.properties,
        ),
    ] = None,
    directory: Annotated[
        Path | None,
        Parameter(help="Folder for the files of the engine (default: a temporary folder)."),
    ] = None,
    variant: VariantName = None,
    set: SetValues = (),
    format: TextOrJson = "text",
) -> int:
    """Execute a counterexample on the engine, and print what happens to each record."""
    if directory is not None and directory.exists() and any(directory.iterdir()):
        raise FinaleError(
            "directory-not-empty",
            "the folder of a replay must be empty",
            place=Place(str(directory)),
            advice="name another folder, or one that is empty",
        )
    spec, name, system, trace = _read(file, property, variant, values_in(set))
    if directory is not None:
        replayed = EngineReplay(spec, system, DiskFiles(directory)).run(trace)
    else:
        with tempfile.TemporaryDirectory() as folder:
            replayed = EngineReplay(spec, system, DiskFiles(Path(folder))).run(trace)
    if format == "json":
        about = {"spec": shown_file(spec.file), "property": name}
        say_json(document("replay") | about | _row(replayed))
    else:
        page = console()
        write(page, replayed_lines(spec, name, replayed, directory, page.width))
    return Exit.AS_EXPECTED if replayed.parting is None else Exit.FAILED


def _read(
    file: Path, name: str | None, variant: str | None, values: Values
) -> tuple[Spec, str, System, Trace]:
    """The spec, the property and its trace: searched for, or read."""
    known = catalogue()
    if name is not None:
        check_property_name(name, known)
    if file.suffix == ".json":
        refuse_search_of_stored(name, "auto", (), (variant, *values))
        stored = stored_trace(file, known)
        trace = stored.verdict.trace
        assert trace is not None
        return stored.spec, stored.verdict.property, stored.system, trace
    spec = read_under(file, known, variant, values)
    with Meter(file.name) as meter:
        result = run(spec, progress=meter, only=() if name is None else (name,))
    if result.report.stopped == INTERRUPTED:
        raise KeyboardInterrupt
    row = row_to_tell(result, name)
    tell_other_expectations(result, row)
    assert row.trace is not None
    assert result.system is not None
    return spec, row.property, result.system, row.trace


def _row(replayed: Replayed) -> dict[str, object]:
    parting = replayed.parting
    return {
        "steps": [str(step) for step in replayed.trace],
        "further": [str(step) for step in replayed.further],
        "goes_along": parting is None,
        "parting": None if parting is None else {"step": parting.position, "what": parting.what},
        "records": [
            {"record": f.record, "is": f.word, "written": f.written, "elsewhere": f.elsewhere}
            for f in replayed.fates
        ],
        "gone": replayed.gone,
        "waits": replayed.waits,
        "damaged": replayed.damaged,
    }
