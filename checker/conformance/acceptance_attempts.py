"""Whether events tell the right attempt: it grows by one, and then each task is restored once."""

from __future__ import annotations

from reference.formats.eventlog import Event, Section


def wrong_attempt(section: Section) -> tuple[Event, str] | None:
    """The first event that cannot be of the attempt that it tells, and why not.

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
    for event in section.events:
        if event.attempt is None:
            continue
        if not now <= event.attempt <= now + 1:
            return event, f"it is of attempt {event.attempt}, after one of attempt {now}"
        now = event.attempt
        task = dict(event.about).get("task")
        if event.name == "restore" and task in restored:
            if restored[task] == now:
                return event, f"{task} is restored again in attempt {now}"
            restored[task] = now
    return None


__all__ = ["wrong_attempt"]
