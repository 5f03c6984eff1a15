"""The families of properties, each against a view of the state that protocols implement."""

from __future__ import annotations

from model.language.properties import Family

from . import channels, checkpoints, commits, consistency, cut, finishing, liveness, pipelines

PROPERTIES: tuple[Family, ...] = (
    *consistency.FAMILIES,
    *cut.FAMILIES,
    *commits.FAMILIES,
    *finishing.FAMILIES,
    *channels.FAMILIES,
    *checkpoints.FAMILIES,
    *liveness.FAMILIES,
    *pipelines.FAMILIES,
)
