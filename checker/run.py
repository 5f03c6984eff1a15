"""Checks one spec: builds its system, searches it, and lays the answers beside what is expected."""

from __future__ import annotations

from collections.abc import Collection

from model.language.properties import Family

from .backends import Backend, check_with
from .claim import Spec
from .means import DEFAULT, Means
from .question import Limits, Progress
from .reductions.kinds import Reduction
from .rows import Result, result_of


def run(
    spec: Spec,
    limits: Limits | None = None,
    progress: Progress | None = None,
    only: Collection[str] = (),
    backend: Backend = "auto",
    reductions: Collection[Reduction] = (),
    means: Means = DEFAULT,
) -> Result:
    """The result of a spec: all its properties, or some by name."""
    system = spec.system(chosen(spec.families, only))
    report = check_with(backend, system, limits or Limits(), progress, spec.slow, reductions, means)
    return result_of(spec, system, report, only)


def chosen(families: Collection[Family], only: Collection[str]) -> tuple[Family, ...]:
    """The properties asked for, with the witnesses that some of them name; without names, all."""
    if not only:
        return tuple(families)
    wanted = {family.name for family in families if family.name in only}
    wanted |= {family.witness for family in families if family.name in wanted and family.witness}
    return tuple(family for family in families if family.name in wanted)


__all__ = ["chosen", "run"]
