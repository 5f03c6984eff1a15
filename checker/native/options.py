"""How the native search goes about it; none of this changes what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from .storage import Storage


@dataclass(frozen=True)
class Options:
    """How states are stored, and how many threads search; None takes all processors."""

    storage: Storage = Storage.EXACT
    threads: int | None = None


NO_OPTIONS = Options()

__all__ = ["NO_OPTIONS", "Options"]
