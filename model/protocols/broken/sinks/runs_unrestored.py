"""A store that was thrown away is opened empty: nobody waits until it is restored."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.local_store import LocalStore
from finale.model.rules import define


class RunsUnrestored(LocalStore):
    """LocalStore with one mistake."""

    must_fall: ClassVar[str] = "store-is-as-committed"

    @define
    def is_restored(self) -> bool:
        """Nobody looks."""
        return True
