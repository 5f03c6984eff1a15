"""What the flags of `finale check` ask for, and which of them contradict each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from finale.checker.search.backends import Backend, check_options
from finale.checker.search.limits import Limits
from finale.checker.search.options import SearchOptions
from finale.checker.search.reductions.kinds import Reduction
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.releases import ReleaseConfig
from finale.model.errors import FinaleError

from .parameters import refuse_limits

if TYPE_CHECKING:
    from finale.checker.spec.changed import ChangedFiles
    from finale.pipeline.search.run import SearchPlan


@dataclass(frozen=True)
class CheckOptions:
    """The flags of one `finale check`."""

    catalogue: Catalogue
    properties: tuple[str, ...]
    limits: Limits
    backend: Backend
    reductions: tuple[Reduction, ...]
    search: SearchOptions
    slow: bool
    record: bool
    trace_dir: Path | None
    all_properties: bool
    strict: bool
    releases: tuple[ReleaseConfig, ...] | None
    plan: SearchPlan | None = None
    """How to continue on Spark."""
    jobs: int | None = None
    """How many specs are searched at once, if not one on each processor."""

    changed: ChangedFiles | None = None
    """What changed since the revision that the user named."""

    ci_files: tuple[str, ...] = ()
    """The flags that name a file for a CI server."""
    variant: str | None = None
    """The variant that each spec is checked under, if not its own."""
    values: tuple[tuple[str, object], ...] = ()
    """Keys that each spec has other values of."""

    minimise: bool = False
    """Whether counterexamples are shrunk."""

    @property
    def is_changed(self) -> bool:
        """Whether specs are checked in another setting than their own."""
        return self.variant is not None or bool(self.values)

    @property
    def may_search_beside(self) -> bool:
        """Whether several specs can be searched at once."""
        return self.plan is None and self.releases is None and not self.record

    def refuse_contradictions(self, paths: Sequence[Path]) -> None:
        """Refuse flags that contradict each other.

        Raises `all-or-some`, `reduced-counts`, `releases-alone`, `resume-one-spec`,
        `variant-counts`, and what `check_options` raises.
        """
        own: dict[str, object] = {
            "--record": self.record,
            "--resume": self.search.resume,
            "--trace-dir": self.trace_dir,
            "--all-properties": self.all_properties,
            "--strict": self.strict,
            **dict.fromkeys(self.ci_files, True),
            "--variant": self.variant,
            "--set": self.values,
            "--minimise": self.minimise,
        }
        for flag, given in own.items():
            if self.releases is not None and given:
                raise FinaleError(
                    "releases-alone",
                    f"{flag} is an option of one check, and --releases compares several checks",
                    advice=f"leave out --releases, or {flag}",
                )
        if self.all_properties and self.properties:
            raise FinaleError(
                "all-or-some",
                "--property asks some properties, and --all-properties all of them",
                advice="leave out one of the two flags",
            )
        if self.reductions and self.record:
            raise FinaleError(
                "reduced-counts",
                "counts of a reduced search cannot be recorded, only those of a full search",
                advice="leave out --reduce, or --record",
            )
        if self.is_changed and self.record:
            flag = "--variant" if self.variant is not None else "--set"
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
        check_options(self.backend, self.reductions, self.search, self.limits)

    def refuse_with_spark(self, max_steps: int | None) -> None:
        """Refuse flags that a search on Spark cannot follow. Raises `bad-limit`, `spark-or-not`."""
        assert self.plan is not None
        # A search can continue on Spark from its first state on: --states-here 0.
        refuse_limits(
            {"--states-here": self.plan.states_here or None, "--owners": self.plan.owners}
        )
        others = {
            "--backend": self.backend not in ("auto", "native"),
            "--reduce": self.reductions,
            "--storage": self.search.storage != "exact",
            "--record": self.record,
            "--max-steps": max_steps,
        }
        for flag, is_given in others.items():
            if is_given:
                message = f"{flag} has no meaning for a search that can continue on Spark"
                raise FinaleError("spark-or-not", message, advice=f"leave out --spark, or {flag}")


def refuse_without_spark(given: Mapping[str, object]) -> None:
    """Refuse flags that need `--spark`. Raises `spark-or-not`."""
    for flag, value in given.items():
        if value is not None and value != ():
            message = f"{flag} is an option of a search on Spark, and --spark is missing"
            raise FinaleError("spark-or-not", message, advice=f"add --spark, or leave out {flag}")
