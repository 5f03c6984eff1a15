"""The families of properties, each against a view of the state that protocols implement."""

from __future__ import annotations

from ..language.properties import Family
from . import consistency

PROPERTIES: tuple[Family, ...] = (*consistency.FAMILIES,)
