"""The settings of an engine, and the bounds on its failures."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Faults:
    """The bounds on failures, and on the number of checkpoints."""

    checkpoints: int | None = None
    failures: int = 0
    lost_confirmations: int = 0
    declines: int = 0
    expiries: int = 0
    stops: int = 0
    savepoints: int = 0
    cancels: int = 0
    resumes: int = 0


@dataclass(eq=False)
class Happened:
    """The number of past failures."""

    failures: int = 0
    lost_confirmations: int = 0
    declines: int = 0
    expiries: int = 0
    resumes: int = 0


@dataclass(frozen=True)
class EngineOptions:
    """The options of protocols, under the names of the model."""

    concurrent: int = 1
    """How many checkpoints may be pending at once."""
    aborts_carry_latest: bool = True
    """An abort tells the newest completed checkpoint, in case that news was lost."""
    calls_in_order: bool = False
    """The calls to a task arrive, and are run, in their order."""
    confirmations_in_order: bool = False
    """A task hears of checkpoints in the order in which these complete."""
    finish_race: str = "abort"
    """A call finds its task closed: `abort` its checkpoint, or `retrigger` those that read it."""
    release_on: str = "exact"
    """A stop's savepoint alone lets tasks go that know of it; or `any` does, or the `minimum`."""
    stops_for_aborted: bool = True
    """A source ends its data also for a savepoint that it knows to be aborted."""
    sync_abort: str = "fails"
    """A task whose savepoint is aborted fails; or it forgets it, which `clears`."""
    retained: int = 1
    """So many checkpoints are kept, and outlive a job if any do."""
    resume_from: str = "newest"
    """Which of what a job has left it is started from again, or `any`."""
    unanswered_triggers: bool = False
    """A call that finds its task at its end is not answered: only time ends its checkpoint."""
    unassigned_counts_as_triggered: bool = False
    """A call to a task that has FINISHED may count as sent, and reach nobody."""
    acknowledgement: str = "reliable"
    """What may become of an acknowledgement: it may be `lossy`, or `answered`: its loss is seen."""
    periodic: bool = True
    """Checkpoints are triggered again and again."""
    final_trigger: bool = False
    """A checkpoint is triggered at once when all tasks have come to the end of their data."""
    checkpoints_after_finish: bool = True
    """Checkpoints go on after tasks have finished, and each task waits for one."""
    waits_for_acknowledgement: bool = True
    """A task closes when all who read it have come to the end of its data."""
    release: str = "any"
    """Which checkpoint after its end a task waits for: `any`, or the `first` one alone."""
    final_wait: str = "after-end-of-data"
    """What such a checkpoint comes after; or `after-end-of-partition`, or there is `none`."""
    opens_after_finish: bool = False
    """A sink opens a transaction with each checkpoint, also after its end."""
    savepoint_stored: bool = False
    """A job that has failed may start again from a savepoint."""
    savepoint_confirmed: bool = False
    """Tasks hear of a savepoint that has completed."""
    scheduler: str = "default"
    """Whether a second stop takes the place of the first; with "adaptive" it is refused."""
    resumes_scheduling: bool = True
    """Checkpoints go on after a stop has failed."""
    decline_fails: bool = True
    """A savepoint that is to end the job, and is declined, fails it."""
    end_input_on_suspend: bool = False
    """Operators finish also where the job is to go on later."""
    source_blocks: bool = False
    """A source stalls on the savepoint of a stop, too."""
    abort_releases: bool = True
    """The abort of the savepoint wakes those that stall."""
    stop_ends_source: bool = True
    """The savepoint's completion ends the sources."""
    stop: str = "stop"
    """What a stop is: sources are told to end, or `cancel-with-savepoint`."""
    cancel_wins: bool = True
    """A cancellation ends those that stall, too."""
    retention: str = "never"
    """After which end of a job its checkpoints are kept: `on-failure`, `on-cancellation`, too, or
    `on-finish`, too; `none` are, or that of a stop is `kept`."""
    output_timeout: bool = True
    """Time is over at writers, too."""


@dataclass(frozen=True)
class EngineSettings:
    """The settings of an engine besides its job."""

    channel: int = 16
    """How many elements a channel takes."""
    buffer_size: int | None = None
    """How many records a buffer takes at most."""
    keeps: bool = False
    """Files that are of no use any more stay."""
    retained: int = 1
    """So many checkpoints stay."""
    checkpoint_format: int = 2
    """The version in which they are written."""
    faults: Faults = field(default_factory=Faults)
