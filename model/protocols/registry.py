"""The protocols of this package and their broken variants, by the keys that specs give them.

Classes are named and not imported: a check of one protocol loads no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Entry:
    """A protocol: its key in specs, its class as "module:Class", its variants by their keys."""

    key: str
    where: str
    variants: Mapping[str, str] = field(default_factory=dict)


PROTOCOLS: tuple[Entry, ...] = (
    Entry("yardstick", "model.protocols.yardstick:Yardstick"),
    Entry("two-phase-commit", "model.protocols.two_phase_commit:TwoPhaseCommit"),
)
