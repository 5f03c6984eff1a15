"""What the flags of `finale check` ask for, and which of them contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from finale.checker.search.backends import check_options
from finale.checker.search.limits import Limits
from finale.checker.search.options import SearchOptions
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.grid import values_in
from finale.checker.spec.releases import ReleaseConfig, releases_in
from finale.model.errors import FinaleError

from . import completers
from .parameters import (
    ASKED,
    LIMITS,
    OUTPUT,
    PLAIN,
    SEARCH,
    SETTING,
    SPARK,
    AllProperties,
    BackendName,
    ConfOption,
    MasterOption,
    Minimise,
    NoCache,
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
    Workers,
    given_flags,
    refuse_limits,
    words_of,
)

if TYPE_CHECKING:
    from finale.checker.spec.changed import ChangedFiles
    from finale.pipeline.search.run import SearchPlan


@dataclass(frozen=True)
class CheckFlags:
    """The flags of `finale check`, as they are given."""

    format: TextOrJson = "text"
    properties: PropertyNames = ()
    all_properties: AllProperties = False
    strict: Strict = False
    max_states: StatesLimit = None
    max_seconds: SecondsLimit = None
    max_memory: Annotated[
        int | None,
        Parameter(
            group=LIMITS,
            help="Memory limit in megabytes of a native search (default: 80 % of the free memory, "
            "shared by all searches at once). Also the limit of each Spark worker.",
        ),
    ] = None
    max_steps: StepsLimit = None
    backend: BackendName = "auto"
    reduce: ReductionNames = ()
    storage: StorageOption = "exact"
    threads: Annotated[
        int | None,
        Parameter(group=SEARCH, help="Number of threads of a native search (default: all cores)."),
    ] = None
    resume: Annotated[
        Path | None,
        Parameter(
            group=SEARCH, help="Folder to save the search in, and to continue a saved search from."
        ),
    ] = None
    slow: Annotated[
        bool, PLAIN, Parameter(group=ASKED, help="Also check specs that are marked slow.")
    ] = False
    record: Annotated[
        bool,
        PLAIN,
        Parameter(
            group=OUTPUT,
            help="Write exact counts into the specs if two searches agree on the counts.",
        ),
    ] = False
    trace_dir: Annotated[
        Path | None, Parameter(group=OUTPUT, help="Folder to write each trace into, as ITF.")
    ] = None
    junit: Annotated[
        Path | None, Parameter(group=OUTPUT, help="File to write the results into, as JUnit.")
    ] = None
    sarif: Annotated[
        Path | None,
        Parameter(group=OUTPUT, help="File to write failures and warnings into, as SARIF."),
    ] = None
    release: Annotated[
        tuple[str, ...],
        PLAIN,
        Parameter(
            group=SETTING,
            help="Compare releases of Flink: all, or names such as V4 or flink-1.15; repeatable, "
            "and separated by commas.",
            completer=completers.releases,
        ),
    ] = ()
    spark: Annotated[
        bool,
        PLAIN,
        Parameter(
            group=SPARK,
            help="Continue a search on Spark when it outgrows this process (docs/spark.md).",
        ),
    ] = False
    states_here: Annotated[
        int | None,
        Parameter(
            group=SPARK,
            help="With --spark: continue on Spark at this number of states (default: when memory "
            "runs out).",
        ),
    ] = None
    owners: Annotated[
        int | None,
        Parameter(
            group=SPARK,
            help="With --spark: number of tasks that share the states (default: all slots).",
        ),
    ] = None
    master: MasterOption = None
    conf: ConfOption = ()
    workers: Workers = None
    changed_since: Annotated[
        str | None,
        Parameter(
            group=ASKED, help="Leave out specs of which nothing changed since this Git revision."
        ),
    ] = None
    variant: VariantName = None
    set: SetValues = ()
    minimise: Minimise = False
    watch: Annotated[
        bool,
        PLAIN,
        Parameter(
            group=SEARCH, help="Check again whenever a spec or a file of --protocols is saved."
        ),
    ] = False
    no_cache: NoCache = False
    no_compare: NoCompare = False
    protocols: ProtocolsFolder = None


DEFAULTS = CheckFlags()
#: Flags that ask something of one check.
_OF_ONE_CHECK = (
    *("--record", "--resume", "--trace-dir", "--all-properties", "--strict", "--junit", "--sarif"),
    *("--variant", "--set", "--minimise"),
)
_OF_SPARK = ("--states-here", "--owners", "--master", "--conf")
_NOT_ON_SPARK = ("--backend", "--reduce", "--storage", "--record", "--max-steps")
#: Flags that choose specs, or say when to stop: who continues the search of one spec needs none.
_OF_ONE_CALL = (
    *("--slow", "--workers", "--changed-since", "--watch"),
    *("--max-states", "--max-seconds", "--max-memory", "--states-here"),
)


@dataclass(frozen=True)
class CheckOptions:
    """What the flags of one `finale check` come to."""

    flags: CheckFlags
    catalogue: Catalogue
    limits: Limits
    changed: ChangedFiles | None = None
    """What changed since the revision that the user named."""
    plan: SearchPlan | None = None
    """How to continue on Spark."""

    @cached_property
    def reductions(self) -> tuple[Reduction, ...]:
        """The reductions of the searches."""
        return tuple(Reduction(name) for name in self.flags.reduce)

    @cached_property
    def search(self) -> SearchOptions:
        """How states are stored and searched."""
        return SearchOptions(self.flags.storage, self.flags.threads, self.flags.resume)

    @cached_property
    def values(self) -> tuple[tuple[str, object], ...]:
        """Keys that each spec has other values of. Raises `bad-set`."""
        return values_in(self.flags.set)

    @cached_property
    def releases(self) -> tuple[ReleaseConfig, ...] | None:
        """The releases to compare. Raises `unknown-release`."""
        return releases_in(",".join(self.flags.release)) if self.flags.release else None

    @property
    def to_continue(self) -> list[str]:
        """The words of a command that continues the search of one spec."""
        return words_of(self.flags, without=_OF_ONE_CALL)

    @property
    def is_changed(self) -> bool:
        """Whether specs are checked in another setting than their own."""
        return self.flags.variant is not None or bool(self.values)

    @property
    def may_search_beside(self) -> bool:
        """Whether several specs can be searched at once."""
        return self.plan is None and not self.flags.release and not self.flags.record

    def refuse_contradictions(self, paths: Sequence[Path]) -> None:
        """Refuse flags that contradict each other.

        Raises `all-or-some`, `reduced-counts`, `releases-alone`, `resume-one-spec`,
        `variant-counts`, `spark-or-not`, `bad-limit`, and what `check_options` raises.
        """
        given = given_flags(self.flags)
        for flag in _OF_ONE_CHECK:
            if self.releases is not None and flag in given:
                raise FinaleError(
                    "releases-alone",
                    f"{flag} is an option of one check, and --release compares several checks",
                    advice=f"leave out --release, or {flag}",
                )
        if self.flags.all_properties and self.flags.properties:
            raise FinaleError(
                "all-or-some",
                "--property asks some properties, and --all-properties all of them",
                advice="leave out one of the two flags",
            )
        if self.reductions and self.flags.record:
            raise FinaleError(
                "reduced-counts",
                "counts of a reduced search cannot be recorded, only those of a full search",
                advice="leave out --reduce, or --record",
            )
        if self.is_changed and self.flags.record:
            flag = "--variant" if self.flags.variant is not None else "--set"
            raise FinaleError(
                "variant-counts",
                f"counts of another setting cannot be recorded in a spec, and {flag} makes one",
                advice=f"leave out {flag}, or --record; or write the change into the spec",
            )
        if self.search.resume is not None and (len(paths) > 1 or paths[0].is_dir()):
            raise FinaleError(
                "resume-one-spec",
                "a folder to resume from holds the search of one spec",
                advice="name one spec, and a folder of its own for each",
            )
        check_options(self.flags.backend, self.reductions, self.search, self.limits)

        if self.flags.spark:
            self._refuse_with_spark(given)
        for flag in () if self.flags.spark else _OF_SPARK:
            if flag in given:
                message = f"{flag} is an option of a search on Spark, and --spark is missing"
                raise FinaleError(
                    "spark-or-not", message, advice=f"add --spark, or leave out {flag}"
                )

    def _refuse_with_spark(self, given: Mapping[str, object]) -> None:
        # A search can continue on Spark from its first state on: --states-here 0.
        refuse_limits(
            {"--states-here": self.flags.states_here or None, "--owners": self.flags.owners}
        )
        for flag in _NOT_ON_SPARK:
            if flag in given and given[flag] != "native":
                message = f"{flag} has no meaning for a search that can continue on Spark"
                raise FinaleError("spark-or-not", message, advice=f"leave out --spark, or {flag}")
