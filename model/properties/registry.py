"""All properties of this package, in the order in which verdicts are listed."""

from __future__ import annotations

from finale.model.language.properties import Family

from . import (
    agreement,
    channels,
    checkpoints,
    collection,
    commits,
    connectors,
    conservation,
    coordinator,
    cut,
    interleavings,
    liveness,
    passing,
    regional,
    requests,
    restoring,
    stops,
    watermarks,
)

PROPERTIES: tuple[Family, ...] = (
    *agreement.FAMILIES,
    *cut.FAMILIES,
    *commits.FAMILIES,
    *conservation.SURVIVAL,
    *channels.FAMILIES,
    *checkpoints.FAMILIES,
    *liveness.FAMILIES,
    *cut.RECOVERED,
    *watermarks.FAMILIES,
    *restoring.FAILING,
    *requests.FAMILIES,
    *stops.FAMILIES,
    *cut.OVERTAKING,
    *restoring.FAMILIES,
    *conservation.FAMILIES,
    *passing.FAMILIES,
    *coordinator.FAMILIES,
    *collection.FAMILIES,
    *connectors.FAMILIES,
    *interleavings.FAMILIES,
    *regional.FAMILIES,
)
