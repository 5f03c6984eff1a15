"""Says what of a spec the driver's job has: protocols, options, and keys of the job.

The tables are closed: a test fails for a protocol, an option, or a key of a job that has no row. A
spec with a part that the driver cannot build is refused by the name of this part, before a JVM
starts.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from finale.checker.spec.claim import Spec
from finale.model.topology import Edge, Job, Pattern
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.job import KINDS, SINKS

#: A protocol without a job, whose job of Flink is `COORDINATED_JOB`.
COORDINATED = "operator-coordinator"

#: Protocols with a job that the driver does not build, and why.
REFUSED_PROTOCOLS: Mapping[str, str] = {
    "aligned-with-timeout": "the driver's job has no time-out of barriers",
    "restore-timed": "the driver's job has no time-out of barriers",
    "at-least-once": "the driver's job aligns barriers",
    "chandy-lamport": "no release of Flink has this protocol",
    "regional-checkpoint": "no release of Flink has this protocol",
    "regional-sources": "no release of Flink has this protocol",
    "legacy-stop": "the driver stops a job with a savepoint only",
    "stop-with-checkpoint": "the driver stops a job with a savepoint only",
}


class Decides(enum.Enum):
    """Who decides about an option that is no setting of the driver's job."""

    FLINK = "the option describes Flink: the release behaves in this way, or it does not"
    TRACE = "the option adds or removes steps, and the trace has the steps of each run"


@dataclass(frozen=True)
class Only:
    """The values of an option that the driver builds, and why it builds no other value."""

    values: tuple[object, ...]
    why: str


NO_TIMERS = "the driver's job has no timers"

#: Options with a reason of their own.
_BUILT: Mapping[str, Decides | Only] = {
    # the job and its users' code
    "held_until": Only(
        ("finish",), "operators of the driver's job emit at their end what they hold"
    ),
    "fetches_apart": Only((False,), "sources of the driver's job fetch and emit in one step"),
    "interruptible_timers": Only((False,), NO_TIMERS),
    "aligns_sources": Only((False,), "sources of the driver's job do not wait for each other"),
    "empty_means_start": Only((False,), "operators of the driver's job know an empty state"),
    "source_thread": Only(("none",), "sources of the driver's job have no thread that a stop ends"),
    "readers_ask": Only((False,), "readers of the driver's job ask for no splits"),
    # the cluster
    "high_availability": Only((True,), "the driver's cluster keeps its checkpoints"),
    "counts_failed_checkpoints": Only((False,), "the driver's job tolerates failed checkpoints"),
    "processing": Only(("normal",), "no setting of Flink has this effect"),
    "checkpointing": Only(("configured", "not-configured"), "the driver's job is no batch job"),
    "retention": Only(
        ("never", "on-failure", "on-cancellation"),
        "Flink keeps no checkpoint of a job that has finished",
    ),
    # steps
    "acknowledgement": Decides.TRACE,
    "calls_in_order": Decides.TRACE,
    "confirmations_in_order": Decides.TRACE,
    "expiry_is_owed": Decides.TRACE,
    "failure_reports": Decides.TRACE,
    "periodic": Decides.TRACE,
    "queue": Decides.TRACE,
    "resume_from": Decides.TRACE,
    "signal": Decides.TRACE,
    "signal_needs_receiver": Decides.TRACE,
    "split_trigger": Decides.TRACE,
    "stop_order": Decides.TRACE,
}
#: Settings that a spec must give: by itself, the driver's job has sources that emit in the mailbox.
#: The model has their runs, too, and more.
IF_GIVEN = frozenset({"source_blocks"})
#: Options that describe Flink.
_OF_FLINK = (
    "abort_releases",
    "aborts_carry_latest",
    "after_failure",
    "aligned_edges",
    "broadcast_from",
    "calls_chained",
    "check",
    "completes_on_task_acknowledgements",
    "counts_failed_reports",
    "decline_fails",
    "drops_in_flight",
    "during_restore",
    "end_during_savepoint",
    "end_input_on_suspend",
    "end_tag",
    "ended_sources_hold",
    "failed_trigger_opens",
    "filters_confirmations",
    "filters_from_restored",
    "final_trigger",
    "final_wait",
    "finish_race",
    "gate",
    "keeps_coordinator_state",
    "metadata",
    "multi_input",
    "no_drain",
    "order",
    "rebuild_keeps_finished",
    "rechecks_disposed",
    "rechecks_schedule",
    "release",
    "release_on",
    "repeats_watermark",
    "reports_before_store",
    "resets",
    "resumes_scheduling",
    "savepoint_confirmed",
    "savepoint_priority",
    "savepoint_stored",
    "stop_ends_source",
    "stops_for_aborted",
    "sync_abort",
    "terminal_as_finished",
    "unanswered_triggers",
    "unassigned_counts_as_triggered",
    "union_check",
    "virtual_barrier",
    "waits_for",
    "waits_for_acknowledgement",
    "waits_for_both",
)
#: For each option that is no setting (`[settings]` in the files of hooks), who decides about it, or
#: which values the driver builds. For a setting: which values the driver builds, if not all.
OPTIONS: Mapping[str, Decides | Only] = {**_BUILT, **dict.fromkeys(_OF_FLINK, Decides.FLINK)}

#: The fields of a vertex and of an edge, and how the driver's job has them.
VERTEX: Mapping[str, str] = {
    "name": "the name of the operator",
    "kind": "the kinds of `KINDS`",
    "parallelism": "the parallelism of the operator",
    "sink": "the sinks of `SINKS`",
    "records": "the driver says how many records each source emits",
    "bounded": "the driver says whether each source ends",
    "ending": "the driver says whether each source ends",
    "chained": "an operator of several inputs, with sources in its chain",
    "union_state": "the source keeps its position in union state",
}
EDGE: Mapping[str, str] = {
    "source": "the operator that writes",
    "target": "the operator that reads",
    "pattern": "rebalance, or rescale",
    "broadcast": "broadcast",
    "overtakes": "an edge that Flink keeps in order, or a job whose barriers never overtake",
    "number": "one edge after the other between two operators",
}


def options_of(spec: Spec) -> dict[str, object]:
    """The values of all options of a spec: those that it gives, and the defaults."""
    defaults = {each.name: each.default for each in fields(spec.protocol.Options)}
    return {name: spec.setting.options.get(name, value) for name, value in defaults.items()}


def settings_of(spec: Spec, facts: EngineFacts) -> dict[str, str]:
    """Flink's settings for the options of a spec."""
    given = spec.setting.options
    values = options_of(spec).items()
    return facts.settings_of(
        {name: value for name, value in values if name in given or name not in IF_GIVEN}
    )


def lacking(spec: Spec, facts: EngineFacts) -> Iterator[str]:
    """What of a spec the driver does not build, each part by its name."""
    key = spec.protocol.key
    if key in REFUSED_PROTOCOLS:
        yield f"the protocol {key}: {REFUSED_PROTOCOLS[key]}"
    elif spec.setting.job is None and key != COORDINATED:
        yield f"the protocol {key}: it has no job, so no job of Flink is like it"
    if spec.setting.former is not None:
        yield "[resume]: the driver's job begins without a state"
    for name, value in options_of(spec).items():
        row, word = OPTIONS.get(name), word_of(value)
        if row is None and name not in facts.settings:
            yield f"the option {name} = {_toml(word)}: the driver does not know the option"
        elif isinstance(row, Only) and word not in row.values:
            yield f"the option {name} = {_toml(word)}: {row.why}"
    if spec.setting.job is not None:
        yield from _lacking_in(
            spec.setting.job, is_unaligned="inner_edges_overtake" in options_of(spec)
        )


def _lacking_in(job: Job, *, is_unaligned: bool) -> Iterator[str]:
    for vertex in job.vertices:
        if vertex.kind.value not in KINDS:
            kind = f'"{vertex.kind.value}"'
            yield f"job.{vertex.name}: the driver's job has no vertex of kind {kind}"
        if vertex.sink.value not in SINKS:
            yield f'job.{vertex.name}: the driver\'s job has no sink "{vertex.sink.value}"'
    for edge in job.edges:
        if is_unaligned and not edge.overtakes and not _keeps_order(edge):
            why = "in the driver's job barriers overtake data on this edge"
            yield f"job.{edge.target}.from, overtakes = false: {why}"


def _keeps_order(edge: Edge) -> bool:
    """Whether Flink lets no barrier overtake data on an edge."""
    return edge.broadcast or edge.pattern is not Pattern.ALL_TO_ALL


def word_of(value: object) -> object:
    """The value of an option as a spec writes it."""
    return getattr(value, "value", value)


def _toml(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


__all__ = [
    "COORDINATED",
    "EDGE",
    "OPTIONS",
    "REFUSED_PROTOCOLS",
    "VERTEX",
    "Decides",
    "Only",
    "lacking",
    "options_of",
    "settings_of",
    "word_of",
]
