"""All properties of this package. To add a file of them, add its name to `_MODULES`."""

from __future__ import annotations

from importlib import import_module

from finale.model.language.properties import Family

#: Files of this package that end with FAMILIES, in the order in which verdicts are listed.
_MODULES = (
    "consistency",
    "two_phase",
    "cut",
    "commits",
    "survival",
    "finishing",
    "channels",
    "checkpoints",
    "liveness",
    "recovered",
    "watermarks",
    "failing",
    "requests",
    "queueing",
    "stops",
    "overtaking",
    "restoring",
    "conservation",
    "persisting",
    "pipelines",
    "coordinator",
    "collection",
    "connectors",
    "interleavings",
    "failure_witnesses",
    "steps",
)


def _families(module: str) -> tuple[Family, ...]:
    families: tuple[Family, ...] = import_module(f"{__package__}.{module}").FAMILIES
    return families


PROPERTIES: tuple[Family, ...] = tuple(
    family for module in _MODULES for family in _families(module)
)
