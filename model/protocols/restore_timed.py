"""Starting a job from a checkpoint that was aligned, or whose barriers have overtaken after a time.

RC-11 and AT-1 … AT-7 of the fact sheet, over the rules of `restore-unaligned` and
`aligned-with-timeout`: whether a log has anything to deal out depends on the time that was over.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.protocols.aligned_with_timeout import AlignedWithTimeout, TimeoutOptions
from model.protocols.restore_unaligned import RestoreUnaligned, RestoreUnalignedOptions


@dataclass(frozen=True)
class RestoreTimedOptions(RestoreUnalignedOptions, TimeoutOptions):
    """The toggles of a start, and those of barriers that overtake after a time."""


class RestoreTimed(RestoreUnaligned, AlignedWithTimeout):
    """RestoreUnaligned, with barriers that are aligned at first."""

    key = "restore-timed"
    Options = RestoreTimedOptions
    parts = (*RestoreUnaligned.parts, *AlignedWithTimeout.parts)
