"""`finale check`: searches specs, and compares the verdicts with the expected ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from finale.checker.cache.store import users_store
from finale.checker.report.layout import console, paragraph, write
from finale.checker.search.rows import SEARCH
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import check_property_name
from finale.model.errors import FinaleError

from .changes import changes_in
from .check_options import DEFAULTS, CheckFlags, CheckOptions
from .checking import Checking
from .ci import ci_output
from .output import prepare_folder
from .parameters import limits_of, refuse_limits


def check(
    *paths: Annotated[
        Path,
        Parameter(help="Specs, or folders with specs (default: specs of the project file)."),
    ],
    flags: Annotated[CheckFlags, Parameter(name="*")] = DEFAULTS,
) -> int:
    """Check specs, and compare the verdicts with the expected ones."""
    protocols, changed_since = flags.protocols, flags.changed_since
    if not paths:
        raise FinaleError(
            "no-paths",
            "no spec is given",
            advice="name specs, or folders: finale check specs/; or write `specs` into a project "
            "file (docs/project-file.md)",
        )
    if flags.watch:
        from .again import check_again

        check_again([*paths, *([] if protocols is None else [protocols])])
    store = None if flags.no_cache else users_store()
    if store is not None and store.trouble:
        page = console(stderr=True)
        write(page, paragraph(Text(store.trouble, "yellow"), page.width))
    known = catalogue(protocols, store, compares=not flags.no_compare)
    for name in flags.properties:
        if name != SEARCH:
            check_property_name(name, known)
    options = CheckOptions(
        flags,
        known,
        limits_of(
            flags.max_states, flags.max_seconds, flags.max_memory, flags.threads, flags.max_steps
        ),
        None if changed_since is None else changes_in(changed_since, paths, protocols),
    )
    refuse_limits({"--workers": flags.workers})
    options.refuse_contradictions(paths)
    if flags.spark:
        from finale.pipeline.search.run import SearchPlan
        from finale.pipeline.session import cluster_of

        cluster = cluster_of(flags.master, flags.conf, () if protocols is None else (protocols,))
        plan = SearchPlan(cluster, flags.resume, flags.states_here, flags.owners, flags.threads)
        options = replace(options, plan=plan)
    if flags.trace_dir is not None:
        prepare_folder(flags.trace_dir)
    checking = Checking(options, flags.format == "text")
    files = checking.files(paths)
    with ci_output(flags.junit, flags.sarif, checking.as_text, files) as output:
        with output.guarded():
            try:
                checking.check(files, paths)
                checking.refuse_unused()
            except KeyboardInterrupt:
                checking.interrupted = True
            checking.close()
        output.write(checking.outcome)
    return checking.exit
