"""Planted mistakes of `local-store`."""

from __future__ import annotations

from finale.model.protocols.local_store import LocalStore
from finale.model.rules import define


class RunsUnrestored(LocalStore):
    """A store that was thrown away is opened empty: nobody waits until it is restored."""

    variant, must_fall = "runs-unrestored", "store-is-as-committed"

    @define
    def is_restored(self) -> bool:
        """Nobody looks."""
        return True
