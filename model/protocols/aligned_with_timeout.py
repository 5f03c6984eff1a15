"""Aligned at first, and after a time unaligned: barriers that may overtake when they have waited.

Rules AT-1 … AT-7 of the fact sheet, and CL-TIMEOUT of the mail thread "Checkpointing under
backpressure". The rules are those of `unaligned.py`, with `times_out`.
"""

from __future__ import annotations

from dataclasses import dataclass

from finale.model.protocols.unaligned import Unaligned, UnalignedOptions


@dataclass(frozen=True)
class TimeoutOptions(UnalignedOptions):
    """What `unaligned` has, and where time is taken."""

    #: AT-6: the sender, too, lets a barrier overtake that is still queued after the time
    output_timeout: bool = True


class AlignedWithTimeout(Unaligned):
    """Unaligned, where the time of an alignment must be over first."""

    key = "aligned-with-timeout"
    Options = TimeoutOptions
    times_out = True
