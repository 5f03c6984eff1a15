"""`finale sweep`: checks a spec under all combinations of options, jobs, bounds and variants."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from finale.checker.cache.plain_data import plain
from finale.checker.report.layout import console, write
from finale.checker.search.rows import Exit
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.grid import text_of
from finale.model.errors import FinaleError, nearest
from finale.pipeline.java import require_packages
from finale.pipeline.session import cluster_of
from finale.pipeline.sweep.cells import planned
from finale.pipeline.sweep.grid import names_of
from finale.pipeline.sweep.matrix import read_matrix
from finale.pipeline.sweep.picture import write_picture, write_table
from finale.pipeline.sweep.processes import searched_here
from finale.pipeline.sweep.run import SearchCells, SweepStore, Swept, order_of
from finale.pipeline.sweep.run import sweep as run_sweep
from finale.pipeline.sweep.spark import searched_on

from . import VERSION
from .errors import tell
from .output import document, say_json
from .parameters import (
    OUTPUT,
    PLAIN,
    ConfOption,
    MasterOption,
    ProtocolsFolder,
    TextOrJson,
    Workers,
)
from .sweep_page import Counter, sweep_lines


def sweep(  # noqa: PLR0913 - one parameter a flag
    matrix: Annotated[Path, Parameter(help="Matrix, a TOML file: docs/sweeps.md.")],
    /,
    *,
    output: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT,
            name=("--output", "-o"),
            help="Folder for the results (default: MATRIX.sweep beside the matrix).",
        ),
    ] = None,
    workers: Workers = None,
    master: MasterOption = None,
    conf: ConfOption = (),
    properties: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(name="--property", help="Show the grid of this property; repeatable."),
    ] = (),
    columns: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(name="--column", help="Show this axis as columns; repeatable."),
    ] = (),
    format: TextOrJson = "text",
    protocols: ProtocolsFolder = None,
) -> int:
    """Check a spec under all combinations of options, jobs, bounds and variants."""
    require_packages()
    known = catalogue(protocols)
    plan = planned(read_matrix(matrix, known), known, VERSION)
    for name in columns:
        plan.matrix.axis(name)
    folders = () if protocols is None else (protocols.absolute(),)
    search = _search(workers, master, conf, (*folders, *plan.folders))
    order = order_of(plan, str(folders[0]) if folders else None)
    folder = output or matrix.with_suffix(".sweep")
    with SweepStore(folder) as store, Counter(matrix.name) as counter:
        found = run_sweep(plan, store, order, search, counter)
        files = (write_table(folder, found.cells), write_picture(folder, found, columns))
    for done in found.errors:
        tell(f"{text_of(done.setting)}: {done.error}")
    if format == "json":
        cells = [plain(done) | {"setting": dict(done.setting)} for done in found.cells]
        say_json(document("sweep") | {"cells": cells})
    else:
        _check_names(properties, names_of(found.cells))
        page = console()
        write(page, sweep_lines(found, properties, columns, page.width, files))
    return _exit(found)


def _search(
    workers: int | None, master: str | None, conf: tuple[str, ...], folders: tuple[Path, ...]
) -> SearchCells:
    """Choose the processes that search cells: of this machine, or of a Spark master."""
    if workers is not None and workers < 1:
        advice = "give one or more, or leave it out: then all processors work"
        raise FinaleError("bad-value", f"--workers is {workers}", advice=advice)
    if master is not None and workers is not None:
        message = "--workers are processes of this machine, and --master is where Spark runs"
        raise FinaleError("spark-or-not", message, advice="leave out one of the two flags")
    if master is None and conf:
        message = "--conf is a setting of Spark's, and nothing is done on Spark"
        raise FinaleError("spark-or-not", message, advice="add a --master, as local[*]")
    return (
        searched_here(workers) if master is None else searched_on(cluster_of(master, conf, folders))
    )


def _check_names(names: Collection[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            message = f'the sweep has no answer about "{name}"'
            raise FinaleError("unknown-property", message, advice=nearest(name, known))


def _exit(found: Swept) -> Exit:
    if found.interrupted:
        return Exit.INTERRUPTED
    if found.errors:
        return Exit.BAD_INPUT
    return Exit.LIMIT if found.stopped else Exit.AS_EXPECTED
