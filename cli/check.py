"""`finale check`: searches specs, and compares the verdicts with the expected ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.text import Text

from finale.checker.cache.store import users_store
from finale.checker.report.layout import console, paragraph, write
from finale.checker.search.options import SearchOptions
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.search.rows import SEARCH
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.grid import values_in
from finale.checker.spec.reading import check_property_name
from finale.checker.spec.releases import releases_in
from finale.model.errors import FinaleError

from . import completers
from .check_options import CheckOptions, refuse_without_spark
from .checking import Checking
from .ci import ci_output
from .output_file import prepare_folder
from .parameters import (
    PLAIN,
    AllProperties,
    BackendName,
    ConfOption,
    MasterOption,
    Minimise,
    NoCompare,
    PropertyNames,
    ProtocolsFolder,
    ReductionNames,
    SecondsLimit,
    SetValues,
    StatesLimit,
    StepsLimit,
    StorageOption,
    Strict,
    TextOrJson,
    VariantName,
    limits_of,
    refuse_limits,
)

if TYPE_CHECKING:
    from finale.checker.spec.changed import ChangedFiles


def check(  # noqa: PLR0913 - one parameter a flag
    *paths: Annotated[Path, Parameter(help="Specs, or folders that contain specs.")],
    format: TextOrJson = "text",
    properties: PropertyNames = (),
    all_properties: AllProperties = False,
    strict: Strict = False,
    max_states: StatesLimit = None,
    max_seconds: SecondsLimit = None,
    max_memory: Annotated[
        int | None,
        Parameter(
            help="Memory limit in megabytes of a native search (default: 80 % of the free memory, "
            "shared by all searches at once). Also the limit of each Spark worker."
        ),
    ] = None,
    max_steps: StepsLimit = None,
    backend: BackendName = "auto",
    reduce: ReductionNames = (),
    storage: StorageOption = "exact",
    threads: Annotated[
        int | None, Parameter(help="Number of threads of a native search (default: all cores).")
    ] = None,
    resume: Annotated[
        Path | None,
        Parameter(help="Folder to save the search in, and to continue a saved search from."),
    ] = None,
    slow: Annotated[bool, PLAIN, Parameter(help="Also check specs that are marked slow.")] = False,
    record: Annotated[
        bool,
        PLAIN,
        Parameter(help="Write exact counts into the specs if two searches agree on the counts."),
    ] = False,
    trace_dir: Annotated[
        Path | None, Parameter(help="Folder to write each trace into, as ITF.")
    ] = None,
    junit: Annotated[
        Path | None, Parameter(help="File to write the results into, as JUnit.")
    ] = None,
    sarif: Annotated[
        Path | None, Parameter(help="File to write failures and warnings into, as SARIF.")
    ] = None,
    releases: Annotated[
        str | None,
        Parameter(
            help="Compare releases: all, or a list such as V3,V4 or flink-1.15.",
            completer=completers.releases,
        ),
    ] = None,
    spark: Annotated[
        bool,
        PLAIN,
        Parameter(help="Continue a search on Spark when it outgrows this process (docs/spark.md)."),
    ] = False,
    states_here: Annotated[
        int | None,
        Parameter(
            help="With --spark: continue on Spark at this number of states (default: when memory "
            "runs out)."
        ),
    ] = None,
    owners: Annotated[
        int | None,
        Parameter(help="With --spark: number of tasks that share the states (default: all slots)."),
    ] = None,
    master: MasterOption = None,
    conf: ConfOption = (),
    jobs: Annotated[
        int | None, Parameter(help="Number of specs to check at once (default: one for each core).")
    ] = None,
    changed_since: Annotated[
        str | None,
        Parameter(help="Leave out specs of which nothing changed since this Git revision."),
    ] = None,
    variant: VariantName = None,
    set: SetValues = (),
    minimise: Minimise = False,
    watch: Annotated[
        bool,
        PLAIN,
        Parameter(help="Check again whenever a spec or a file of --protocols is saved."),
    ] = False,
    no_cache: Annotated[
        bool,
        PLAIN,
        Parameter(negative="", help="Work out everything anew, and keep nothing (docs/cache.md)."),
    ] = False,
    no_compare: NoCompare = False,
    protocols: ProtocolsFolder = None,
) -> int:
    """Check specs, and compare the verdicts with the expected ones."""
    if not paths:
        raise FinaleError(
            "no-paths", "no spec is given", advice="name specs, or folders: finale check specs/"
        )
    if watch:
        from .again import check_again

        check_again([*paths, *([] if protocols is None else [protocols])])
    store = None if no_cache else users_store()
    if store is not None and store.trouble:
        page = console(stderr=True)
        write(page, paragraph(Text(store.trouble, "yellow"), page.width))
    known = catalogue(protocols, store, compares=not no_compare)
    for name in properties:
        if name != SEARCH:
            check_property_name(name, known)
    ci_files = {"--junit": junit, "--sarif": sarif}
    options = CheckOptions(
        known,
        properties,
        limits_of(max_states, max_seconds, max_memory, threads, max_steps),
        backend,
        tuple(Reduction(name) for name in reduce),
        SearchOptions(storage, threads, resume),
        slow,
        record,
        trace_dir,
        all_properties,
        strict,
        None if releases is None else releases_in(releases),
        jobs=jobs,
        changed=None if changed_since is None else changes_in(changed_since, paths, protocols),
        ci_files=tuple(flag for flag, file in ci_files.items() if file is not None),
        variant=variant,
        values=values_in(set),
        minimise=minimise,
    )
    refuse_limits({"--jobs": jobs})
    options.refuse_contradictions(paths)
    of_spark = {
        "--states-here": states_here,
        "--owners": owners,
        "--master": master,
        "--conf": conf,
    }
    if spark:
        from finale.pipeline.search.run import SearchPlan
        from finale.pipeline.session import cluster_of

        folders = () if protocols is None else (protocols,)
        plan = SearchPlan(cluster_of(master, conf, folders), resume, states_here, owners, threads)
        options = replace(options, plan=plan)
        options.refuse_with_spark(max_steps)
    else:
        refuse_without_spark(of_spark)
    if trace_dir is not None:
        prepare_folder(trace_dir)
    checking = Checking(options, format == "text")
    files = checking.files(paths)
    with ci_output(junit, sarif, checking.as_text, files) as output:
        with output.guarded():
            try:
                checking.check(files, paths)
                checking.refuse_unused()
            except KeyboardInterrupt:
                checking.interrupted = True
            checking.close()
        output.write(checking.outcome)
    return checking.exit


def changes_in(revision: str, paths: Sequence[Path], protocols: Path | None) -> ChangedFiles:
    """Return what changed since a revision where the specs and the protocols are.

    Raises `no-repository`, `unknown-revision`, `no-git`.
    """
    from finale.checker.spec.changed import changed_since

    there = [path for path in (*paths, protocols) if path is not None and path.exists()]
    folders = [path if path.is_dir() else path.parent for path in there]
    return changed_since(revision, folders)
