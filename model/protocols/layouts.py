"""What rules may read of a layout, and why: the closed list of each kind of layout.

A *layout* is a job and ids that stand for others: the window of a proof for runs of any length, a
window of a proof about all jobs, and the few ids of `live_checkpoints`. `docs/proofs.md` shows
these lists; a test compares them.
"""

from __future__ import annotations

from dataclasses import replace

from finale.model.language.layout import LayoutGuard, Many, Reader, Same
from finale.model.language.protocol import Setting

_CONNECTED = "one to one: what an entity belongs to is the same role in each layout"
_OF_OPTIONS = "the options and the bounds decide it, and they are the spec's in every run"
_OF_JOB = "the claim is about the job of the spec, which every run has"
_KEPT = "the switches of [observe] decide it, and it guards what writes history"
_ROLES = "only leads from one role to the next, which stand in the same way on every job"

_ALWAYS = (
    Same("BarrierHandler", ("task", "ports"), _CONNECTED),
    Same("Task", ("gate",), _CONNECTED),
    Same("Sink", ("task",), _CONNECTED),
    Same("Task", ("has_watermarks", "interruptible_timers", "stops"), _OF_OPTIONS),
    Same("Channel", ("has_watermarks",), _OF_OPTIONS),
    Same("JobProtocol", ("has_watermarks",), _OF_OPTIONS),
    Same("Channel", ("cut", "counts_cancellations", "keeps_log"), _KEPT),
)
_THE_JOB = (
    Same("JobProtocol", ("tasks", "channels", "sinks", "unions", "regions"), _OF_JOB),
    Same("Task", ("inputs", "outputs", "chained", "sink"), _OF_JOB),
    Same("Region", ("tasks",), _OF_JOB),
    Same(
        "Requests",
        (
            *("requests", "stop_requests", "savepoint_requests", "checkpoint_requests"),
            *("cancel_requests", "may_wait", "has_kinds", "has_job_status"),
        ),
        _OF_OPTIONS,
    ),
    Same("Restore", ("former_job",), _OF_JOB),
)
_THE_EDGES = (
    Reader("coordinator.coordinator:reader", ("edge", "task_of"), _OF_JOB),
    Reader("coordinator.coordinator:writer", ("edge", "task_of"), _OF_JOB),
    Reader("task.tasks:collect", ("edge",), _OF_JOB),
    Reader("task.tasks:_emit_along", ("edge",), _OF_JOB),
    Reader("stop_with_savepoint:ends_data_of", ("edge",), _OF_JOB),
    Reader("chained_sources:ends_data_of", ("edge",), _OF_JOB),
    Reader("requests:is_next", ("before",), _OF_JOB),
    Reader("failures:task_failed", ("region_of",), _OF_JOB),
)
_BOUNDED = "whether a source ends by itself is the job's; how many records it has is not read"
_SUBTASKS = (
    Reader("task.execution:has_no_more", ("subtask",), _BOUNDED),
    Reader("task.execution:is_idle", ("subtask",), _BOUNDED),
    Reader("task.execution:waits_for_records", ("subtask",), _BOUNDED),
    Reader("stopping:can_be_over", ("subtask",), _BOUNDED),
)
_ONE_RECORD = (
    "a source has the record that is looked at, and others before and behind it: it compares how "
    "many are left with the record's number, and a proof takes any number of both"
)
_RECORDS = (
    Reader("task.sources:emit_next", ("data",), _ONE_RECORD),
    Reader("task.sources:_emit_if_next", ("data", "number"), _ONE_RECORD),
    Reader("task.sources:start_afresh", ("data",), _ONE_RECORD),
    Reader("job.elements:on", ("along",), "a record on its way is the same record", answers=True),
    Reader(
        "task.tasks:_place",
        ("number", "edge"),
        "which channel of an edge a record takes: the clauses say the same of each",
        answers=True,
    ),
)
_PLACED = "is called with the place of an id"
_FIXED = {
    "limits": "works out bounds, which a run may not have",
    "_begin_if_next": _PLACED,
    "has_place_beside": "is called with a number of ids",
}
_ORDERED = "goes through the ids in their order, which is that of a run"
_NEXT_ID = (
    Reader("coordinator.coordinator:begin", ("checkpoints",), f"{_ORDERED}; the last unused one"),
    Reader(
        "coordinator.coordinator:_begin_if_next",
        ("checkpoints",),
        "asks for the id before: in a window the gap before, of which nothing is known but that "
        "a newest id that was given is in the window",
        answers=True,
    ),
    Reader("requests:next_id", ("checkpoints",), f"{_ORDERED}; the first unused one"),
    Reader(
        "coordinator.coordinator:newest_completed",
        ("checkpoints",),
        f"{_ORDERED}; the newest completed one is in the window",
    ),
    Reader("properties.observed:newest_stored", ("checkpoints",), "as the newest completed one"),
    Reader(
        "coordinator.coordinator:admit",
        ("id_limit", "count"),
        "asks whether an id is left; in a window one always is",
    ),
    Reader("requests:trigger_for", ("id_limit", "count"), "asks whether an id is left"),
)
_AT_MOST = "a gap counts as one at most, so what fewer allow is allowed in the window as in a run"
_COUNTED = (
    Reader("coordinator.coordinator:may_be_pending", ("count",), _AT_MOST),
    Reader(
        "coordinator.coordinator:places_before",
        ("count",),
        "with one place in the store only whether there is a newer one matters",
    ),
)

_AGAIN = (
    Reader("coordinator.coordinator:make_room_if", ("recycles",), "a window gives no id again"),
)

UNBOUNDED = LayoutGuard(
    "a window of a proof has other ids, records and bounds than a run",
    same=(*_ALWAYS, *_THE_JOB, Same("JobProtocol", ("watermarks",), _OF_OPTIONS)),
    readers=(*_THE_EDGES, *_SUBTASKS, *_RECORDS, *_NEXT_ID, *_COUNTED, *_AGAIN),
    many=(
        Many("JobProtocol", ("checkpoints", "data")),
        Many("Source", ("data",)),
    ),
    fixed=_FIXED,
    bounds=frozenset(
        {
            *("checkpoints", "live_checkpoints", "failures"),
            *("data", "times", "slots", "in_flight"),
        }
    ),
)
"""Runs of any length of one job: any number of ids, records and failures."""

_ELSEWHERE = "decides only about fields of which no fact about all jobs speaks"
_NO_CHAINS = "the facts are about tasks without chained sources"
_REQUESTS = ("checkpoint_requests", "savepoint_requests")

ALL_JOBS = LayoutGuard(
    "a window of a proof stands for jobs of any shape",
    same=_ALWAYS,
    readers=(
        Reader("coordinator.coordinator:reader", ("edge", "task_of"), _ROLES),
        Reader("coordinator.coordinator:writer", ("edge", "task_of"), _ROLES),
        *_NEXT_ID,
        Reader("requests:abort", _REQUESTS, _ELSEWHERE),
        Reader("coordinator.coordinator:note_kind", ("has_kinds",), _ELSEWHERE),
        Reader("coordinator.coordinator:snapshot_taken", ("unions",), _ELSEWHERE),
        Reader("restore:keep_snapshot", ("__class__",), _ELSEWHERE),
        Reader("task.execution:snapshot_taken", ("sink",), _ELSEWHERE),
        Reader("task.execution:close_operators", ("sink",), _ELSEWHERE),
        Reader("chained_sources:is_head", ("chained",), _NO_CHAINS),
        Reader("task.chained:on_trigger", ("chained",), _NO_CHAINS),
        Reader("properties.checkpoints:triggered_tasks_are_heads", ("chained",), _NO_CHAINS),
        Reader("properties.checkpoints:waiting_tasks_are_reached", ("chained",), _NO_CHAINS),
    ),
    many=(
        Many("JobProtocol", ("tasks", "channels", "checkpoints", "sinks", "unions")),
        Many("Task", ("inputs", "outputs", "chained")),
        Many("Requests", ("requests", "stop_requests", "savepoint_requests")),
        Many("Requests", ("checkpoint_requests", "cancel_requests")),
    ),
    bounds=None,
    kinds=True,
    fixed={
        **_FIXED,
        **dict.fromkeys(
            ("task_classes", "source_class", "sink_classes", "committable_class"),
            "gives some entities a class of their own, which no window has",
        ),
    },
)
"""Jobs of any shape and size."""

FEW_IDS = LayoutGuard(
    "live_checkpoints lays out a few ids, and a run has others",
    same=(
        *_ALWAYS,
        *_THE_JOB,
        Same("JobProtocol", ("job", "data", "data_at", "watermarks", "task_of", "sizes"), _OF_JOB),
        Same("Task", ("name", "subtask", "data"), _OF_JOB),
        Same("Share", ("vertex", "index", "data"), _OF_JOB),
        Same("ChainedSource", ("name", "subtask", "data"), _OF_JOB),
        Same("Channel", ("name", "edge"), _OF_JOB),
        Same("Sink", ("name", "vertex", "data"), _OF_JOB),
        Same("BarrierHandler", ("name",), _OF_JOB),
        Same("Datum", ("name", "of_clock", "source", "number", "key_groups", "along"), _OF_JOB),
    ),
    readers=(
        Reader("coordinator.coordinator:_begin_if_next", ("checkpoints",), _PLACED, answers=True),
        Reader(
            "coordinator.coordinator:places_before",
            ("checkpoints",),
            "counts ids, of which some were forgotten",
            answers=True,
        ),
    ),
    many=(),
    fixed=_FIXED,
    bounds=frozenset({"checkpoints", "live_checkpoints", "slots"}),
    forgets="CheckpointId",
)
"""A run without end, with few ids that are given again.

Which ids there are depends on what was forgotten, so code of a user does not ask it of `all` or
`any` of them, either.
"""


def for_setting(guard: LayoutGuard, setting: Setting) -> LayoutGuard:
    """Return the guard of a layout for a spec: a capacity that the spec does not give is worked out
    from the number of ids, so it belongs to the layout."""
    if guard.bounds is None or setting.bounds.get("channel"):
        return guard
    return replace(guard, bounds=frozenset({*guard.bounds, "channel"}))
