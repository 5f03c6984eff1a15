"""Checks the attempt numbers of events: they grow by one, and then each task is restored once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from finale.checker.logs.event_log.reading import EventLine, Section


@dataclass(frozen=True)
class AttemptEvent:
    """What an event tells of attempts: of which it is, and who is restored in it."""

    attempt: int | None
    restored: str | None


def wrong_attempt(section: Section) -> tuple[EventLine, str] | None:
    """The first event that cannot be of the attempt that it tells, and why not."""
    tells = (
        AttemptEvent(each.attempt, dict(each.about).get("task") if each.name == "restore" else None)
        for each in section.events
    )
    wrong = first_wrong(section, tells)
    return None if wrong is None else (section.events[wrong[0]], wrong[1])


def first_wrong(section: Section, events: Iterable[AttemptEvent]) -> tuple[int, str] | None:
    """The place of the first event that cannot be of the attempt that it tells, and why not.

    Asked where an engine has written all its events in order: of others nobody knows which are
    not there.
    """
    start = section.start
    if start.get("profile") != "engine" or start.get("order") != "file" or section.lost:
        return None
    now = 1
    restored = {each.name: 0 for each in section.job.subtasks}
    if start.get("starts") != "restoring":
        restored = dict.fromkeys(restored, 1)
    for place, event in enumerate(events):
        if event.attempt is None:
            continue
        if not now <= event.attempt <= now + 1:
            return place, f"it is of attempt {event.attempt}, after one of attempt {now}"
        now = event.attempt
        if event.restored in restored:
            if restored[event.restored] == now:
                return place, f"{event.restored} is restored again in attempt {now}"
            restored[event.restored] = now
    return None
