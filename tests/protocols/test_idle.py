"""Options that change nothing with a job and its bounds are refused."""

from __future__ import annotations

import pytest

from finale.model.errors import FinaleError
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.rules import Setting
from finale.model.topology import Job

PAIR = {"shape": "pair", "records": 1}
JOIN = {"S1": {"records": 1}, "S2": {"records": 1}, "K": {"from": ["S1", "S2"]}}


def built(option: str, table: dict[str, object], watermarks: int) -> FinalCheckpoint:
    bounds = {"watermarks": watermarks}
    job = Job.from_table(table)
    return FinalCheckpoint(Setting(job=job, bounds=bounds, options={option: True}))


@pytest.mark.parametrize("option", ["aligns_sources", "repeats_watermark", "interruptible_timers"])
def test_options_of_watermarks_need_watermarks(option: str) -> None:
    with pytest.raises(FinaleError, match=f'"{option}" changes nothing here'):
        built(option, JOIN, 0)
    built(option, JOIN, 1)


def test_one_source_cannot_be_aligned() -> None:
    with pytest.raises(FinaleError, match="no two sources emit watermarks"):
        built("aligns_sources", PAIR, 1)
