"""Lists the settings under which a run of Flink is explained, the likeliest first.

A setting is taken from `run.toml`, else from the lines, else from the release. If none has
the setting, each of its values is a candidate, provided that the value can matter for these lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from finale.checker.logs.event_log.section_search import Rejected
from finale.checker.logs.event_log.section_setting import protocol_of
from finale.checker.logs.event_log.section_system import Refusal
from finale.checker.logs.lines import SNAPSHOTS, STOPS, Observed
from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.read.run_file import ChosenSetting, RunFile
from finale.checker.logs.read.told_settings import (
    PROTOCOL,
    TIMED,
    UNALIGNED,
    WAITS,
    Evidence,
    told_protocol,
    told_scheduler,
    told_waits,
)
from finale.checker.logs.read.visibility import LogProfile, Visibility
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.releases import release_named
from finale.checker.spec.typed import in_toml, options_of
from finale.model.errors import FinaleError, Place, nearest
from finale.model.protocols.releases import RELEASES, Release
from finale.model.topology import Job

from .observations import Observation, Observations

#: The protocols in which runs are looked for.
PROTOCOLS = (PROTOCOL, TIMED, UNALIGNED)
#: What users set: the settings of `examples/logs/run.toml`.
SETTINGS = ("checkpoints_after_finish", "concurrent", "scheduler", "restart_scope")
#: What the logs of an engine have that the protocol can leave out.
_ALWAYS: Mapping[str, object] = {"restart_delay": True}

Values = Mapping[str, object]
"""Options by their names."""


@dataclass(frozen=True)
class CandidateSetting:
    """Settings under which a run is looked for."""

    protocol: str
    options: Values
    taken: Values
    """Those that nobody tells."""

    def of_release(self, name: str) -> CandidateSetting:
        """The same where nobody tells the release, either."""
        return replace(self, taken={"release": name, **self.taken})


@dataclass(frozen=True)
class CandidateSettings:
    """What is known of the settings of a run, and what they may be."""

    told: tuple[ChosenSetting, ...]
    ways: tuple[CandidateSetting, ...]
    """The likeliest first."""
    against: Rejected | None = None
    """A line that `run.toml` cannot be right about."""


def check(given: RunFile, release: str) -> None:
    """Look whether the protocol has what is told of a run. `release` is that of the table of lines.

    Raises `unknown-release`, `release-without-protocol`, `unknown-protocol`, `unknown-option`,
    `bad-option`.
    """

    def complain(code: str, message: str, advice: str, key: str) -> FinaleError:
        return FinaleError(code, message, place=given.place(key), advice=advice)

    asked = given.release or release
    judged = ", ".join(f"{each.name} ({each.versions})" for each in RELEASES if _is_judged(each))
    advice = f"runs are looked for under {judged}"
    try:
        known = release_named(asked)
    except FinaleError as error:
        raise complain(error.code, error.message, advice, "release") from None
    if not _is_judged(known):
        message = f"runs of {known.name} are not looked for"
        raise complain("release-without-protocol", message, advice, "release")
    if given.protocol is not None and given.protocol not in PROTOCOLS:
        message = f'runs are not looked for in a protocol "{given.protocol}"'
        raise complain("unknown-protocol", message, nearest(given.protocol, PROTOCOLS), "protocol")
    kind = protocol_of(given.protocol or TIMED, catalogue())
    for name in given.options:
        if name not in {each.name for each in fields(kind.Options)}:
            advice = nearest(name, SETTINGS, "`finale list options` has the others")
            message = f'the protocol has no option "{name}"'
            raise complain("unknown-option", message, advice, name)
    options_of(kind.Options, given.options, complain)


def _is_judged(release: Release) -> bool:
    return PROTOCOL in release.protocols.values()


def settings_of(
    run: JobRun,
    job: Job,
    observations: Observations,
    release: str,
    given: RunFile,
    profile: LogProfile | None,
) -> CandidateSettings:
    """The settings of a run. Without a `profile` all that happens is taken to leave its lines."""
    lines = _evidence(run, observations, profile)
    protocol = given.protocol or str(lines["protocol"].value)
    known = {name: each.value for name, each in lines.items() if name != "protocol"}
    if protocol != PROTOCOL:
        known["concurrent"] = 1  # UN-8
    known |= given.options
    dimensions = (
        _waiting(release, given, observations, known, profile),
        _restarting(run, job, observations, known, profile),
    )
    unknown = {name for each in dimensions if len(each) > 1 for one in each for name in one}
    ways: list[CandidateSetting] = []
    for values in _product(dimensions):
        options = {**values, **known}
        preset = _preset(given.release or release, str(options["scheduler"]))
        taken = {name: value for name, value in values.items() if name in unknown - {*known}}
        ways.append(CandidateSetting(protocol, {**preset, **options}, taken))
    told = (*_of_file(given), _release(release, given), *_of_lines(lines, given, run))
    return CandidateSettings(told, tuple(ways), _against(given, run, observations, lines))


def of_other_releases(
    way: CandidateSetting, release: str
) -> Iterator[tuple[str, CandidateSetting]]:
    """The same with what other releases have, each that is unlike those before it."""
    seen = [way.options]
    own = _preset(release, "default")
    kept = {name: value for name, value in way.options.items() if own.get(name) != value}
    for other in RELEASES:
        if _is_judged(other) and other is not release_named(release):
            options = {**_preset(other.name, str(way.options["scheduler"])), **kept}
            if options not in seen:
                seen.append(options)
                yield other.name, replace(way, options=options)


# --- what is told --------------------------------------------------------------------------------


def _of_file(given: RunFile) -> Iterator[ChosenSetting]:
    if given.protocol is not None:
        yield ChosenSetting("protocol", given.protocol, "run.toml", given.line("protocol"))
    for name, value in given.options.items():
        yield ChosenSetting(name, _text(value), "run.toml", given.line(name))


def _release(release: str, given: RunFile) -> ChosenSetting:
    if given.release is not None:
        return ChosenSetting("release", given.release, "run.toml", given.line("release"))
    return ChosenSetting("release", release, "table")


def _of_lines(
    lines: Mapping[str, Evidence], given: RunFile, run: JobRun
) -> Iterator[ChosenSetting]:
    """What they tell by being there, and of a wait by not being there."""
    for name, each in lines.items():
        is_told = name in given.options or (name == "protocol" and given.protocol is not None)
        if not is_told and (each.place is not None or name == WAITS):
            line = None if each.place is None else run.events[each.place].log_event.line
            yield ChosenSetting(name, _text(each.value), "lines", line)


def _evidence(
    run: JobRun, observations: Observations, profile: LogProfile | None
) -> dict[str, Evidence]:
    """What lines tell."""
    found = {"protocol": told_protocol(run)}
    scheduler, waits = told_scheduler(run), told_waits(run, profile)
    found |= {} if scheduler is None else {"scheduler": scheduler}
    found |= {} if waits is None else {WAITS: waits}
    found["concurrent"] = _pending_at_once(observations)
    return found


def _begun(observations: Observations) -> Iterator[tuple[Observation, int]]:
    """Each checkpoint that begins, and how many others are pending then."""
    pending: set[int] = set()
    for observation in observations.all:
        if observation.seen.begins_checkpoint and observation.checkpoint is not None:
            yield observation, len(pending - {observation.checkpoint})
            pending.add(observation.checkpoint)
        elif observation.seen.ends_checkpoint:
            pending.discard(observation.checkpoint or 0)
        elif observation.seen is Observed.CRASHED:
            pending.clear()


def _pending_at_once(observations: Observations) -> Evidence:
    """How many checkpoints were pending at once, and the line by which that is first so."""
    most = Evidence(1, None)
    for observation, others in _begun(observations):
        if others >= int(str(most.value)):
            most = Evidence(others + 1, observation.place)
    return most


def _against(
    given: RunFile, run: JobRun, observations: Observations, lines: Mapping[str, Evidence]
) -> Rejected | None:
    """The first line that tells another setting than `run.toml` does."""
    found: list[tuple[int, str, str]] = []
    for name, each in lines.items():
        if each.place is not None and _differs(name, each.value, given):
            found.append((each.place, name, f"tells {_text(each.value)}"))
    place = _one_more(observations, given.options.get("concurrent"))
    if place is not None:
        found.append((place, "concurrent", "tells of one more"))
    if not found:
        return None
    place, name, told = min(found)
    event = run.events[place]
    says = f"{given.name}:{given.line(name)} says {name} = "
    value = given.protocol if name == "protocol" else given.options[name]
    why = f"{says}{_text(value)}, and this line {told}"
    refusal = Refusal(why, Place(given.name, given.line(name)))
    return Rejected(event.log_event.line, event.word, (refusal,), 0)


def _differs(name: str, value: object, given: RunFile) -> bool:
    """Whether `run.toml` tells another setting than a line."""
    if name == "protocol":
        own = given.protocol
        return own is not None and PROTOCOLS.index(str(value)) > PROTOCOLS.index(own)
    return name != "concurrent" and given.options.get(name, value) != value


def _one_more(observations: Observations, most: object) -> int | None:
    """The place where a checkpoint of the timer begins though so many are pending."""
    for observation, others in _begun(observations) if isinstance(most, int) else ():
        if observation.kind not in SNAPSHOTS and others >= int(str(most)):
            return observation.place
    return None


# --- what is not ---------------------------------------------------------------------------------


def _waiting(
    release: str,
    given: RunFile,
    observations: Observations,
    known: Values,
    profile: LogProfile | None,
) -> Sequence[Values]:
    """Whether checkpoints go on after tasks have ended: a task that waits for one tells so."""
    if WAITS in known:
        return [{}]
    if not _ends(observations):
        return [{WAITS: False}]
    seldom = profile is not None and profile.of("waits") is Visibility.NEVER
    usual = bool(release_named(given.release or release).options.get(WAITS))
    first = usual if seldom else False
    return [{WAITS: first}, {WAITS: not first}]


def _ends(observations: Observations) -> bool:
    """Whether some task comes to its end."""
    return any(each.seen.ends_task for each in observations.all)


def _restarting(
    run: JobRun, job: Job, observations: Observations, known: Values, profile: LogProfile | None
) -> Sequence[Values]:
    """What restarts with a task that fails, and who says so."""
    scopes: dict[object, tuple[str, ...]] = {
        "default": ("region", "global"),
        "adaptive": ("global",),
    }
    fails = any(each.seen is Observed.LOST for each in observations.all)
    apart = fails and _is_apart(job)
    stops = sum(event.log_event.fields.get("kind") in STOPS for event in run.events) > 1
    hidden = profile is not None and profile.of("adaptive-phase") is not Visibility.ALWAYS
    schedulers = ("default", "adaptive") if hidden and (apart or stops) else ("default",)
    found: list[Values] = []
    for scheduler in (known["scheduler"],) if "scheduler" in known else schedulers:
        own = scopes[scheduler] if apart else scopes[scheduler][:1]
        for scope in (known["restart_scope"],) if "restart_scope" in known else own:
            if scope in scopes[scheduler]:
                found.append({"scheduler": scheduler, "restart_scope": scope})
    return found or [{"scheduler": known.get("scheduler", "default")}]


def _is_apart(job: Job) -> bool:
    """Whether there are tasks that are not connected with each other."""
    group = {each.name: each.name for each in job.subtasks}
    for channel in job.channels:
        old, new = group[channel.sender.name], group[channel.receiver.name]
        group = {name: new if own == old else own for name, own in group.items()}
    return len(set(group.values())) > 1


def _product(dimensions: Sequence[Sequence[Values]]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = [{}]
    for each in dimensions:
        found = [{**one, **other} for one in found for other in each]
    return found


def _preset(release: str, scheduler: str) -> dict[str, object]:
    own = release_named(release)
    has = {each.name for each in fields(catalogue().protocol(PROTOCOL).Options)}
    given = {**own.options, **own.schedulers.get(scheduler, {}), **_ALWAYS}
    return {name: value for name, value in given.items() if name in has}


def in_words(values: Values) -> dict[str, str]:
    """Settings as they are told."""
    return {name: _text(value) for name, value in values.items()}


def _text(value: object) -> str:
    return value if isinstance(value, str) else in_toml(value)


__all__ = [
    "PROTOCOL",
    "SETTINGS",
    "CandidateSetting",
    "CandidateSettings",
    "check",
    "in_words",
    "of_other_releases",
    "settings_of",
]
