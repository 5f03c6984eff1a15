"""Reads from the start of a section which protocol it follows, its options and its bounds.

The model of a section has no records, and as many checkpoints, requests and failures as the section
needs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import cast

from finale.checker.logs.event_log.reading import Section
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.typed import options_of
from finale.model.errors import FinaleError, Place
from finale.model.language.entities import Entity
from finale.model.language.protocol import Protocol, Setting
from finale.model.protocols.coordinator.coordinator import JobProtocol

#: From so many on, ids are given again; so many are live at once.
IDS_LIVE = 16
#: So many of the things that a bound counts may have happened unseen.
UNSEEN = 8

#: Engines whose jobs can be stopped and have barriers that overtake: the model has one of the two.
COMPOSED = {
    "unaligned-stops": ("unaligned", "stop-with-savepoint"),
    "timed-stops": ("aligned-with-timeout", "stop-with-savepoint"),
}

#: The history that is kept, for properties.
HISTORY = ("taken", "progress", "calls")

#: Bounds that only count, and of these so much is given at least where it need not be exact.
COUNTERS, LEAST = ("failures", "lost_confirmations", "expiries", "declines"), 8

#: And requests, which are entities, so many at least.
REQUESTED, ASKED_FOR = ("stops", "savepoints"), 2

#: What a bound counts.
COUNTED = {
    "failures": ("fail", "fail_region"),
    "crashes": ("crash_coordinator",),
    "lost_confirmations": ("lose_confirmation",),
    "expiries": ("expire", "time_out_under_load"),
    "declines": ("fail_snapshot", "lose_acknowledgement"),
    "time_outs": ("time_out", "time_out_output"),
    "stops": ("request_stop",),
    "savepoints": ("request_savepoint",),
    "cancels": ("request_cancel",),
    "manual": ("request_checkpoint",),
    "resumes": ("resume",),
}


def setting_of(
    section: Section,
    known: Catalogue,
    hidden: Collection[str],
    *,
    file: str | None,
    live: int,
    room: int | None,
    bounds: Mapping[str, int] | None = None,
) -> tuple[type[JobProtocol], Setting]:
    """The protocol of a section, without records, and the setting that the section tells.

    With `bounds`, these are taken, and not those that its events make needful.
    Raises `unknown-protocol`, `unknown-variant`, and what is wrong with options.
    """
    kind = kind_of(section, known)
    complain = _Complain(section, file)
    options = options_of(kind.Options, _meant(section.start.get("options") or {}, kind), complain)
    without = type(kind.__name__, (kind,), {"hides_records": True})
    if bounds is None:
        told = Counter(event.name for event in section.events)
        begun = len({event.checkpoint for event in section.events if event.checkpoint is not None})
        bounds = bounds_of(section, told, begun, without, hidden, live, room)
    history = frozenset(each for each in HISTORY if each in kind.ghosts)
    return without, Setting(section.job, {}, options, bounds, history)


def kind_of(section: Section, known: Catalogue) -> type[JobProtocol]:
    """The protocol that a section names. Raises `unknown-protocol`, `unknown-variant`."""
    kind = protocol_of(str(section.start["protocol"]), known)
    if section.start.get("variant") is None:
        return kind
    return cast("type[JobProtocol]", known.variant(kind.key, str(section.start["variant"])))


def protocol_of(key: str, known: Catalogue) -> type[JobProtocol]:
    """The protocol of an engine, which may be two of the model's in one.

    Raises `unknown-protocol`.
    """
    if key not in COMPOSED:
        return cast("type[JobProtocol]", known.protocol(key))
    parts = tuple(known.protocol(each) for each in COMPOSED[key])
    bases = tuple(each.Options for each in parts)
    options: type = dataclass(frozen=True)(type("Options", bases, {}))
    both = {"key": key, "Options": options, "parts": _all_parts(parts)}
    return cast("type[JobProtocol]", type("Composed", parts, both))


def _all_parts(kinds: tuple[type[Protocol], ...]) -> tuple[type[Entity], ...]:
    return tuple(dict.fromkeys(part for kind in kinds for part in kind.parts))


def _meant(options: Mapping[str, object], kind: type[JobProtocol]) -> dict[str, object]:
    """The options but for those that an engine has beside, in their usual value."""
    declared = {each.name for each in fields(kind.Options)}
    if declared.issuperset(options):
        return dict(options)
    from finale.reference.protocols import ENGINES, STOPPABLE

    engines = {**ENGINES, **{each.key: each for each in STOPPABLE.values()}}
    usual = vars(engines[kind.key].usual) if kind.key in engines else {}
    return {
        name: value
        for name, value in options.items()
        if name in declared or name not in usual or value != usual[name]
    }


def bounds_of(
    section: Section,
    told: Mapping[str, int],
    begun: int,
    kind: type[JobProtocol],
    hidden: Collection[str],
    live: int,
    room: int | None,
) -> dict[str, int]:
    """As many of everything as the section tells of, and some more where it may be silent.

    `told` are its events by name; `begun` is how many checkpoints it names.
    """
    begun += 1 + (UNSEEN if hidden else 0)
    if not section.ended and section.start.get("from") is not None:
        begun += 1  # what was restored, and one that nobody has seen
    ids = {"checkpoints": begun} if begun <= live else {"live_checkpoints": live}
    most, bounded = 4 * min(begun, live) + 8, kind.bound_names()
    bounds = {**ids, "channel": most if room is None else min(room, most)}
    for name, names in COUNTED.items():
        more = UNSEEN if any(each in hidden for each in names) else 0
        number = sum(told.get(each, 0) for each in names) + more
        if name == "failures":
            number += 1  # without any, nothing can be restored
        if name == "stops" and _was_drained(section):
            number += 1  # what a stop has ended is known where there are stops
        if number and name in bounded:
            bounds[name] = number
    return bounds


def shared_bounds(bounds: Mapping[str, int], kind: type[JobProtocol], live: int) -> dict[str, int]:
    """Bounds for all sections that need about as much: more than these, in few sizes."""
    wide = {name: 1 << number.bit_length() for name, number in bounds.items()}
    bounded = kind.bound_names()
    least = dict.fromkeys(COUNTERS, LEAST) | dict.fromkeys(REQUESTED, ASKED_FOR)
    for name, number in least.items():
        if name in bounded:
            wide[name] = max(wide.get(name, 0), number)
    wide["checkpoints"] = live  # they are given again by who follows
    wide.pop("live_checkpoints", None)
    wide["channel"] = bounds["channel"] if bounds["channel"] <= LEAST else 4 * live + LEAST
    return wide


def _was_drained(section: Section) -> bool:
    """Whether a section begins with the end of data that have no end of their own."""
    finished: object = section.start.get("finished")
    sources = (each for each in section.job.subtasks if not each.bounded)
    return isinstance(finished, list) and any(each.name in finished for each in sources)


class _Complain:
    """Makes errors about what `log-start` says."""

    def __init__(self, section: Section, file: str | None) -> None:
        self.place = Place(file, section.line)

    def __call__(self, code: str, message: str, advice: str, key: str) -> FinaleError:
        place = Place(self.place.file, self.place.line, f"options.{key}")
        return FinaleError(code, message, place=place, advice=advice)
