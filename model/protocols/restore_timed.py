"""Starting a job from a checkpoint that was aligned, or whose barriers have overtaken after a time.

RC-11 and AT-1 … AT-7 of the fact sheet, over the rules of `restore` and `unaligned`: whether a log
has anything to deal out depends on the time that was over.
"""

from __future__ import annotations

from dataclasses import dataclass

from finale.model.protocols.aligned_with_timeout import TimeoutOptions
from finale.model.protocols.restore import Restore
from finale.model.protocols.restore_unaligned import RestoreUnalignedOptions
from finale.model.protocols.unaligned import Unaligned


@dataclass(frozen=True)
class RestoreTimedOptions(RestoreUnalignedOptions, TimeoutOptions):
    """The toggles of a start, and those of barriers that overtake after a time."""


class RestoreTimed(Restore, Unaligned):
    """Restore with barriers that are aligned at first."""

    key = "restore-timed"
    Options = RestoreTimedOptions
    parts = (*Restore.parts, *Unaligned.parts)
    times_out = True
