"""Whether a run of a real engine is one of the protocol as its release really is.

Accepted only by a witness: a run of the whole model, that the guide has found (`flink_guide.py`)
and that is gone once more by the rules alone. Rejected only by a proof: a part of the model, with
all else free, has no run that has the lines which speak of it (`flink_proof.py`). Else undecided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from checker.loading import Catalogue, catalogue
from checker.logs.runs import Run
from checker.question import Limits
from checker.releases import release_named
from reference.formats.eventlog import Event, Section

from .acceptance import replay
from .acceptance_effort import Effort, OverTime, Told
from .acceptance_findings import Finding, Judge
from .acceptance_search import Accepted, Given, Move, Rejected, Undecided
from .acceptance_system import SectionSystem
from .flink_guide import Guide, Stuck
from .flink_job import RunJob, job_of
from .flink_proof import Refuter, always_shown, given_of
from .flink_refusals import rejection_of
from .flink_sights import Seen, Sights, sights_of
from .flink_walk import OverStates
from .flink_witness import unexplained

#: Where the search stops unless somebody says otherwise: so many steps are tried.
LIMITS = Limits(states_max=1_000_000)
PROTOCOL = "stop-with-savepoint"
#: So many ids are live at once; from so many on, they are given again.
LIVE = 64


@dataclass(frozen=True)
class RunVerdict:
    """What can be said of a run. Findings are those of the witness."""

    conforms: Accepted | Rejected | Undecided
    findings: tuple[Finding, ...]
    lines: int
    """How many of its lines are explained."""
    section: Section | None = None
    """Of an accepted one, of which protocol, options and job the witness is a run."""


def accept_run(
    run: Run,
    *,
    release: str = "flink-2.3",
    limits: Limits = LIMITS,
    judges: bool = False,
    whole: bool = True,
    known: Catalogue | None = None,
    told: Told | None = None,
) -> RunVerdict:
    """Judge a run. `told` is called now and then with how far it is. Raises `unknown-release`.

    `whole`: its logs have their beginning, and no gap; else nothing can be said against it.
    """
    lines = max((event.told.line for event in run.events), default=0)
    effort = Effort(lines, limits, told)
    job = job_of(run)
    if job is None:
        why = "no line tells how its vertices are connected"
        return RunVerdict(Undecided(Given.BOUND, why, effort.far), (), 0)
    sights = sights_of(run, job)
    options = _options(release, sights, run)
    section = Section(0, {"protocol": _protocol(run), "options": options}, job.job,
                      _counted(sights, run), frozenset(), True)  # fmt: skip
    system = SectionSystem(
        section,
        known or catalogue(),
        (),
        live=8 if _protocol(run) != PROTOCOL else LIVE,
        judges=judges,
        room=None,
    )
    guide = Guide(system, sights, effort)
    try:
        found = guide.run()
    except OverTime:
        why = effort.limits.seconds_word
        return RunVerdict(Undecided(Given.SECONDS, why, effort.far), (), sum(guide.at))
    except OverStates:
        why, given = effort.limits.states_word, Given.STATES
        found = None
    else:
        why, given = _why(found), Given.BOUND
        if isinstance(found, tuple):
            replay(system, found)
            why = unexplained(system, found, sights, always_shown(run, job, sights)) or ""
    if not isinstance(found, tuple) or why:
        rejected = _rejected(run, job, sights, release) if whole else None
        undecided = Undecided(given, why, effort.far)
        return RunVerdict(rejected or undecided, (), sum(guide.at))
    judged = Judge(system, effort.judges).judge(found, ends=False) if judges else ()
    return RunVerdict(Accepted((found,)), tuple(judged), sum(guide.at), section)


def reject_run(run: Run, *, release: str = "flink-2.3") -> Rejected | None:
    """The first line of a run that no run of the protocol explains, if that can be shown.

    Its logs have their beginning, and no gap. Raises `unknown-release`.
    """
    job = job_of(run)
    return None if job is None else _rejected(run, job, sights_of(run, job), release)


def _rejected(run: Run, job: RunJob, sights: Sights, release: str) -> Rejected | None:
    given = given_of(_protocol(run), _options(release, sights, run), run, sights)
    contradiction = Refuter(given, run, job, sights).contradiction()
    return None if contradiction is None else rejection_of(given, contradiction)


def _why(found: tuple[Move, ...] | Stuck | None) -> str:
    if not isinstance(found, Stuck):
        return ""
    return f"line {found.sight.line}, {found.sight}: {found.why or 'nothing explains it'}"


def _protocol(run: Run) -> str:
    """The protocol, with barriers that overtake where lines tell of one that did."""
    overtook = [e for e in run.events if e.told.fields.get("unaligned") == "true"]
    readers = {event.told.fields.get("reader") for event in run.events}
    at_sources = any(e.task is not None and e.task.vertex not in readers for e in overtook)
    if not overtook:
        return PROTOCOL
    return "unaligned-stops" if at_sources else "timed-stops"


def _options(release: str, sights: Sights, run: Run) -> Mapping[str, object]:
    """The options of the release, and those that the lines tell."""
    adaptive = any(event.word.startswith("adaptive") for event in run.events)
    own = release_named(release)
    kind = catalogue().protocol(PROTOCOL)
    has = {each.name for each in fields(kind.Options)}
    given = dict(own.options) | dict(own.schedulers.get("adaptive" if adaptive else "default", {}))
    options: dict[str, object] = {name: value for name, value in given.items() if name in has}
    options["restart_scope"] = "global" if adaptive else "region"
    options["restart_delay"] = True
    options["concurrent"] = sights.waits if _protocol(run) == PROTOCOL else 1  # UN-8
    options["checkpoints_after_finish"] = any(event.word == "waits" for event in run.events)
    return options


def _counted(sights: Sights, run: Run) -> tuple[Event, ...]:
    """The events of which a section's bounds count how many there are."""
    names = {"Savepoint": "request_savepoint", "Terminate Savepoint": "request_stop",
             "Suspend Savepoint": "request_stop"}  # fmt: skip
    found: list[Event] = []
    for sight in sights.all:
        name = "none"
        if sight.seen is Seen.TRIGGERED:
            name = names.get(sight.kind, "trigger_checkpoint")
        elif sight.seen is Seen.ABORTED and "expired" in sight.why:
            name = "expire"
        elif sight.seen is Seen.BARRIER:
            name = "time_out"
        elif sight.seen is Seen.LOST:
            name = "fail_region"
        elif sight.seen is Seen.CANCELLING:
            name = "request_cancel"
        found.append(Event(sight.line, name, (), sight.checkpoint, {}, None, "", 0))
    for tasks in sights.unwritten.values():
        found += [Event(0, "fail_snapshot", (), None, {}, None, "", 0) for _ in tasks]
    asked = sum(event.word == "request_checkpoint" for event in run.events)
    found += [Event(0, "request_checkpoint", (), None, {}, None, "", 0) for _ in range(asked)]
    return tuple(found)


__all__ = ["RunVerdict", "accept_run", "reject_run"]
