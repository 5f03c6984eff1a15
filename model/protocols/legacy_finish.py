"""How jobs finished before FLIP-147: a task ends as soon as its inputs have, without a checkpoint.

"How did Jobs in Flink Finish Before?" of the blog post on FLIP-147 part two (the first of its
lists), and rules LF-1 … LF-7 of the fact sheet: releases up to 1.13, and later ones with
`checkpoints-after-tasks-finish` off. There is no EndOfData: the last watermark and EndOfPartition
travel together, so operators finish and close on EndOfPartition.
Left out: the stop of those releases (LS), operator chains.
"""

from __future__ import annotations

from dataclasses import dataclass

from model.protocols.task.legacy_end import LegacyEnd


@dataclass(frozen=True)
class LegacyFinishOptions:
    """The toggles that concern checkpoints near the end of a task."""

    #: PL-1: how many checkpoints may be pending at once
    concurrent: int = 1
    #: CN-3: an abort carries the newest completed id
    aborts_carry_latest: bool = True
    #: LF-7: a trigger that finds its task ended gets no answer, up to 1.13: only time helps then
    unanswered_triggers: bool = False


class LegacyFinish(LegacyEnd):
    """The finish of natural ends without a final checkpoint."""

    key = "legacy-finish"
    Options = LegacyFinishOptions
    options: LegacyFinishOptions
    checkpoints_after_finish = False
