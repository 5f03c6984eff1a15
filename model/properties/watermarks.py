"""Watermarks: on a channel they rise, the maximal one is the last, and what they say is not taken
back by a restart (S22, S22'). Aligned sources wait for each other."""

from __future__ import annotations

from finale.model.protocols.job.channels import Channel
from finale.model.protocols.job.elements import Datum, EndOfData
from finale.model.protocols.task.execution import WatermarkView
from finale.model.protocols.task.sources import Source
from finale.model.protocols.task.tasks import Task
from finale.model.rules import always, before, on_step, reachable, when


@on_step(needs="watermarks")
def watermarks_rise(state: WatermarkView, channel: Channel) -> bool:
    """The watermarks that come over a channel in one attempt never fall (S22)."""
    when(before(lambda: channel.watermark > 0) and channel.watermark > 0)
    when(channel.last_watermark != before(lambda: channel.last_watermark))
    return channel.last_watermark > before(lambda: channel.last_watermark)


@always(needs="watermarks", witness="reaches-the-end-of-time")
def maximal_watermark_is_last(state: WatermarkView, channel: Channel) -> bool:
    """In one attempt no watermark comes over a channel after the maximal one (S22)."""
    return not channel.after_maximal


@on_step(needs="watermarks")
def recovered_see_their_watermark(state: WatermarkView, task: Task, record: Datum) -> bool:
    """A record that comes again after a restart meets no older watermark than before (S22')."""
    when(before(lambda: task.met[record] > 0))
    return task.met[record] >= before(lambda: task.met[record])


@on_step(needs="watermarks")
def last_watermark_comes_first(state: WatermarkView, channel: Channel) -> bool:
    """The maximal watermark comes over a channel before the end of data with which a job drains
    (S22, FC-1)."""
    when(state.has_watermarks and before(lambda: not channel.end_of_data) and channel.end_of_data)
    when(before(lambda: channel.queue.head == EndOfData(drain=True)))
    return channel.watermark == len(state.watermarks)


@on_step
def sources_keep_together(state: WatermarkView, source: Source, slower: Source) -> bool:
    """If sources are aligned, none emits while it is ahead of another one that runs and has said
    how far it is (RC-10)."""
    when(state.has_watermarks and state.aligns_sources)
    when(before(lambda: slower.is_running and 0 < slower.watermark < source.watermark))
    return source.remaining >= before(lambda: source.remaining)


@reachable(needs="watermarks")
def reaches_the_end_of_time(state: WatermarkView, channel: Channel) -> bool:
    """The maximal watermark comes over a channel."""
    if not state.has_watermarks:
        return False
    return channel.watermark == state.maximal.time


FAMILIES = (
    watermarks_rise,
    maximal_watermark_is_last,
    last_watermark_comes_first,
    recovered_see_their_watermark,
    sources_keep_together,
    reaches_the_end_of_time,
)
