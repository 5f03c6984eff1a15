"""Starting a job from a checkpoint whose barriers have overtaken: what was in flight is dealt out.

RC-11 of the fact sheet, over the rules of `restore` and `unaligned`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from finale.model.protocols.restore import Restore, RestoreOptions
from finale.model.protocols.unaligned import Unaligned, UnalignedOptions


@dataclass(frozen=True)
class RestoreUnalignedOptions(RestoreOptions, UnalignedOptions):
    """The toggles of a start, and those of barriers that overtake."""


class RestoreUnaligned(Restore, Unaligned):
    """Restore with barriers that overtake."""

    key = "restore-unaligned"
    Options: ClassVar[type] = RestoreUnalignedOptions
    parts = (*Restore.parts, *Unaligned.parts)
