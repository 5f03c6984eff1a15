"""Says of the files of processes whose clock is off, which of them end early, and what is assumed
of times without a date or a zone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import inf

from .findings import Where
from .read.clocks import ClockSection, LogClock
from .read.job_runs import JobRun, Processes
from .read.log_events import LinePlace
from .read.messages import is_of_process
from .read.times import FIRST_DAY, TimeKind
from .verdicts import FileRemark

#: From so many sections on, each further ahead than the one before or each less, a clock drifts.
DRIFTS_FROM = 3
#: So many jumps of one clock are told one by one.
JUMPS_TOLD = 3
#: Up to so many milliseconds a difference is told in milliseconds, and in seconds.
_MILLISECONDS, _SECONDS = 1000, 100_000


def file_remarks(run: JobRun) -> tuple[FileRemark, ...]:
    """Return what is said of the files of a run."""
    processes = run.processes
    if processes is None:
        return ()
    return tuple(
        remark
        for log in run.logs
        for remark in (
            *_of_clock(processes, log, processes.clocks.logs[log]),
            *_of_end(processes, log),
        )
    )


def shared_names_remarks(run: JobRun) -> tuple[FileRemark, ...]:
    """Return what is said of names that several vertices have."""
    if not run.shared_names:
        return ()
    names = ", ".join(f'"{name}" ({count})' for name, count in run.shared_names.items())
    text = (
        f"several vertices have one name: {names}; they are told apart by the beginnings of their "
        "ids, and lines without an id are left out"
    )
    return (FileRemark(Where(*run.events[0].log_event.place), text),)


def times_remarks(
    logs: Sequence[int], kinds: Mapping[int, Mapping[TimeKind, LinePlace]], has_zone: bool
) -> tuple[FileRemark, ...]:
    """Return what is assumed of times without a date, and of times without a zone if other times of
    these logs have one. `has_zone`: the user has told the zone."""
    found: list[FileRemark] = []
    own = {log: kinds.get(log, {}) for log in logs}
    for told in own.values():
        if TimeKind.UNDATED in told:
            text = (
                f"its times have no date: {FIRST_DAY:%Y-%m-%d} is assumed for the first line, and "
                "that a new day begins where the time goes back by more than 12 hours"
            )
            found.append(FileRemark(Where(*told[TimeKind.UNDATED]), text))
    if not has_zone and any(TimeKind.ZONED in told for told in own.values()):
        text = "its times have no zone, and others have: UTC is assumed, --timezone names another"
        for told in own.values():
            if TimeKind.LOCAL in told:
                found.append(FileRemark(Where(*told[TimeKind.LOCAL]), text))
    return tuple(found)


def _of_clock(processes: Processes, log: int, clock: LogClock) -> Iterator[FileRemark]:
    lines = processes.order.by_log[log]
    for line, far in clock.backwards:
        yield _remark(processes, line, f"its clock goes back by {_one(far)} here")
    if not any(each.offset for each in clock.sections):
        return
    offsets = [each.offset for each in clock.sections]
    rises = {one < two for one, two in pairwise(offsets)}
    if len(clock.sections) == 1:
        text = f"its clock is {_far(clock.sections[0])} the JobManager's"
        yield _remark(processes, lines[0], text)
    elif len(clock.sections) >= DRIFTS_FROM and len(rises) == 1:
        text = f"its clock drifts: {_change(offsets[0], offsets[-1])}"
        yield _remark(processes, lines[0], text)
    else:
        told = {line for line, _ in clock.backwards}
        steps = zip(clock.starts[1:], pairwise(offsets), strict=True)
        jumps = [(line, both) for line, both in steps if line not in told]
        for line, (one, two) in jumps[:JUMPS_TOLD]:
            yield _remark(processes, line, f"its clock jumps here: {_change(one, two)}")
        if len(jumps) > JUMPS_TOLD:
            text = f"and its clock jumps {len(jumps) - JUMPS_TOLD} times more"
            yield _remark(processes, jumps[JUMPS_TOLD][0], text)


def _of_end(processes: Processes, log: int) -> Iterator[FileRemark]:
    order = processes.order
    if log in order.ends_early:
        event = order.lines[order.ends_early[log]].event
        who = "a TaskManager" if is_of_process(event) else "the JobManager"
        text = f"it ends early: {who} has heard of more, by line {event.line} of its file"
        yield _remark(processes, order.by_log[log][-1], text)


def _remark(processes: Processes, line: int, text: str) -> FileRemark:
    return FileRemark(Where(*processes.order.lines[line].event.place), text)


def _far(section: ClockSection) -> str:
    """How far ahead of another clock one is, or behind it."""
    least, most = section.least, section.most
    word = "ahead of" if section.offset > 0 else "behind"
    if section.offset < 0:
        least, most = -most, -least
    if most == inf:
        return f"at least {_one(least)} {word}"
    least, most = min(least, most), max(least, most)
    middle = (least + most) / 2
    if most < _MILLISECONDS:
        return f"{least:.0f} to {most:.0f} ms {word}"
    if middle < _SECONDS:
        return f"{least / 1000:.3f} to {most / 1000:.3f} s {word}"
    return f"{_one(middle)} (± {(most - least) / 2:.0f} ms) {word}"


def _change(one: float, two: float) -> str:
    """From where to where a clock moves, compared with the JobManager's."""
    before, after = ("behind" if each < 0 else "ahead of" for each in (one or two, two or one))
    told = "" if before == after else f" {before.removesuffix(' of')}"
    return f"from {_one(abs(one))}{told} to {_one(abs(two))} {after} the JobManager's"


def _one(far: float) -> str:
    """A span of time, in words."""
    if far < _MILLISECONDS:
        return f"{far:.0f} ms"
    if far < _SECONDS:
        return f"{far / 1000:.1f} s"
    hours, rest = divmod(round(far / 1000), 3600)
    minutes, seconds = divmod(rest, 60)
    parts = ((hours, "h"), (minutes, "min"), (seconds, "s"))
    return " ".join(f"{number} {unit}" for number, unit in parts if number)


__all__ = ["file_remarks", "shared_names_remarks", "times_remarks"]
