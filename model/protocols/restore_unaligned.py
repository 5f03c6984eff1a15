"""Starting a job from a checkpoint whose barriers have overtaken: what was in flight is dealt out.

RC-11 of the fact sheet, over the rules of `restore` and `unaligned`. With barriers that are aligned
at first (AT-1 … AT-7), a log has something to deal out only if the time was over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from finale.model.protocols.restore import Restore, RestoreOptions
from finale.model.protocols.unaligned import TimeoutOptions, Unaligned, UnalignedOptions


@dataclass(frozen=True)
class RestoreUnalignedOptions(RestoreOptions, UnalignedOptions):
    """The toggles of a start, and those of barriers that overtake."""


class RestoreUnaligned(Restore, Unaligned):
    """Restore with barriers that overtake."""

    key = "restore-unaligned"
    Options: ClassVar[type] = RestoreUnalignedOptions
    options: RestoreUnalignedOptions
    parts = (*Restore.parts, *Unaligned.parts)


@dataclass(frozen=True)
class RestoreTimedOptions(RestoreUnalignedOptions, TimeoutOptions):
    """The toggles of a start, and those of barriers that overtake after a time."""


class RestoreTimed(Restore, Unaligned):
    """Restore with barriers that are aligned at first."""

    key = "restore-timed"
    Options: ClassVar[type] = RestoreTimedOptions
    options: RestoreTimedOptions
    parts = (*Restore.parts, *Unaligned.parts)
    times_out = True
