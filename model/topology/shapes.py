"""The standard jobs, by name: the smallest ones on which the protocols have shown their mistakes.

Where each comes from:

- `pair`, `chain`, `fan-in`, `disjoint`: the topologies A, B, D and E of the rule sheet's list of
  known violations; a spec may also call them by these letters (`SHEET_NAMES`).
- `diamond`: one of the sheet's smallest useful instances: two paths of different speed.
- `fan-out`: two sinks that must commit the same checkpoint although neither sees the other.
- `figure`: figure 3 of "FLIP-147: Support Checkpoints After Tasks Finished, Part Two". C ends and
  D shares its final checkpoint; E also reads A, which may go on for a while, and waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SHAPES: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "pair": {"S": (), "K": ("S",)},
        "chain": {"S": (), "W": ("S",), "K": ("W",)},
        "fan-in": {"S1": (), "S2": (), "K": ("S1", "S2")},
        "fan-out": {"S": (), "K1": ("S",), "K2": ("S",)},
        "diamond": {"S": (), "X": ("S",), "Y": ("S",), "K": ("X", "Y")},
        "figure": {"A": (), "C": (), "D": ("C",), "E": ("A", "D")},
        "disjoint": {"A1": (), "A2": ("A1",), "B1": (), "B2": ("B1",)},
    }
)
"""Shape -> vertex -> the vertices that it reads. Those that nobody reads are the sinks."""

SHEET_NAMES: Mapping[str, str] = MappingProxyType(
    {"A": "pair", "B": "chain", "D": "fan-in", "E": "disjoint"}
)
"""The rule sheet's letter of a topology -> its name here."""
