"""Orders the lines of several processes by what is certain: their own order, and messages.

The wall clocks of two processes do not order their lines. A line comes before another one for
certain if both are of one file, in this order, or if a chain of messages leads from the one to the
other (`MESSAGES` in `lines.py`). All other lines of two files are in any order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush

from finale.checker.logs.lines import MESSAGES, OF_CHECKPOINTS, OF_TASKS, About, LineKind

from .log_events import LinePlace, LogEvent, TaskId
from .visibility import CLOCKS_OF_TASKS

#: The last states of an execution, and of a job.
ENDED = ("FINISHED", "FAILED", "CANCELED")
TERMINAL = (*ENDED, "SUSPENDED")

_CAUSES = defaultdict[LineKind, list[int]](list)
_EFFECTS = defaultdict[LineKind, list[int]](list)
for _number, _message in enumerate(MESSAGES):
    _CAUSES[_message.cause].append(_number)
    _EFFECTS[_message.effect].append(_number)


@dataclass(frozen=True, slots=True)
class OrderedLine:
    """A line that tells an event, with the job and the task that it is of, if they are known."""

    event: LogEvent
    job: str | None = None
    task: TaskId | None = None

    def key(self, about: About) -> Hashable | None:
        """What the other line of a message must have, too; None if this one does not tell it."""
        number, task = self.event.checkpoint, self.task
        attempt = None
        if task is not None and task.attempt is not None:
            attempt = task.vertex, task.subtask, task.attempt
        if about is About.FAILURE and not self.event.causes:
            return None
        known = {
            About.FAILURE: (attempt, self.event.causes),
            About.CHECKPOINT: (number,),
            About.ATTEMPT: (attempt,),
            About.PART: (number, attempt),
        }[about]
        return None if self.job is None or None in known else (self.job, *known)


def kind_of(event: LogEvent) -> LineKind:
    """Return what `MESSAGES` call a line."""
    return event.word, event.fields.get("to", "")


def is_of_process(event: LogEvent) -> bool:
    """Whether the process of a task has written a line."""
    return event.word == OF_TASKS or event.clock.startswith(CLOCKS_OF_TASKS)


def tells_end(event: LogEvent) -> bool:
    """Whether the process of a task tells with a line that an attempt has ended."""
    return is_of_process(event) and event.fields.get("to") in ENDED


@dataclass
class HappenedBefore:
    """Which lines come before which others for certain.

    `lines` come log by log, each log in the order of its lines. A line is called by its number.
    """

    lines: Sequence[OrderedLine]
    causes: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """By line the lines of other files that come before it by a message."""
    unsent: dict[int, str] = field(default_factory=dict[int, str])
    """The effects whose causes have no line, and the word that the first missing line has."""

    def __post_init__(self) -> None:
        self.by_log: dict[int, list[int]] = {}
        self.hosts: dict[Hashable, int] = {}
        """By attempt the file of its process, and by job the coordinator's, if there is one."""
        self.over = set[Hashable]()
        """The attempts and jobs whose process tells their end."""
        self.ends_early: dict[int, int] = {}
        """The files that end before a line of another file, and that line: it answers a message
        whose line the file lacks."""
        for number, line in enumerate(self.lines):
            self.by_log.setdefault(line.event.log, []).append(number)
        if len(self.by_log) > 1:
            self._find_messages()
            self._find_ends()

    def _find_messages(self) -> None:
        sent: dict[tuple[int, Hashable], dict[int, int]] = defaultdict(dict)
        for number, line in enumerate(self.lines):
            for message in _CAUSES.get(kind_of(line.event), ()):
                key = line.key(MESSAGES[message].about)
                if key is not None:
                    sent[message, key].setdefault(line.event.log, number)
        for number, line in enumerate(self.lines):
            for message in _EFFECTS.get(kind_of(line.event), ()):
                key = line.key(MESSAGES[message].about)
                found = {} if key is None else sent.get((message, key), {})
                if key is not None and not found:
                    self.unsent.setdefault(number, MESSAGES[message].cause[0])
                # Of several files that tell the cause, nobody knows which one is meant.
                if len(found) == 1 and line.event.log not in found:
                    self.causes.setdefault(number, []).extend(found.values())

    def _find_ends(self) -> None:
        """Find files that end early. All their lines come before the line that shows it."""
        words: dict[int, set[str]] = defaultdict(set)
        coordinators: dict[Hashable, set[int]] = defaultdict(set)
        for line in self.lines:
            event, attempt = line.event, line.key(About.ATTEMPT)
            words[event.log].add(event.word)
            if event.clock.startswith("jm"):
                coordinators[line.job].add(event.log)
                if event.word == "job-switched" and event.fields["to"] in TERMINAL:
                    self.over.add(line.job)
            elif attempt is not None and is_of_process(event):
                self.hosts.setdefault(attempt, event.log)
                if tells_end(event):
                    self.over.add(attempt)
        # Of several coordinators nobody knows whose line is missing.
        self.hosts |= {job: min(logs) for job, logs in coordinators.items() if len(logs) == 1}
        for number, cause in sorted(self.unsent.items()):
            line = self.lines[number]
            sender = line.job if is_of_process(line.event) else line.key(About.ATTEMPT)
            log = self.hosts.get(sender)
            known = log in self.ends_early or sender in self.over
            if log is None or log == line.event.log or known:
                continue
            if cause not in words[log] and cause not in OF_CHECKPOINTS:
                continue  # the logger may not write them
            if not self.goes_on(log, line.event.place):
                self.ends_early[log] = number
        for log, number in self.ends_early.items():
            self.causes.setdefault(number, []).append(self.by_log[log][-1])
        self.__dict__.pop("_known", None)  # it has more causes now

    def in_order(
        self, rank: Callable[[int], tuple[float, ...]], among: Iterable[int] | None = None
    ) -> list[int]:
        """Return lines in an order that keeps that of each file, and of messages.

        Of the lines that can come next, that with the least `rank` does. Lines that contradict each
        other have no such order: then the line with the least rank comes before its cause.
        """
        chosen = None if among is None else set(among)
        queues = {
            log: [each for each in own if chosen is None or each in chosen]
            for log, own in self.by_log.items()
        }
        waits: dict[int, set[int]] = {}
        wakes: dict[int, list[int]] = defaultdict(list)
        for effect, causes in self.causes.items():
            needed = {each for each in causes if chosen is None or each in chosen}
            if needed:
                waits[effect] = needed
                for cause in needed:
                    wakes[cause].append(effect)
        at = dict.fromkeys(queues, 0)
        ready: list[tuple[tuple[float, ...], int, int]] = []
        blocked: dict[int, int] = {}
        """By line that waits at the head of its file, the file."""

        def look(log: int) -> None:
            if at[log] < len(queues[log]):
                head = queues[log][at[log]]
                if waits.get(head):
                    blocked[head] = log
                else:
                    heappush(ready, (rank(head), head, log))

        for log in queues:
            look(log)
        found: list[int] = []
        while ready or blocked:
            if ready:
                _, head, log = heappop(ready)
            else:
                head = min(blocked, key=lambda each: (rank(each), each))
                log = blocked.pop(head)
            found.append(head)
            at[log] += 1
            for effect in wakes.get(head, ()):
                waits[effect].discard(head)
                if effect in blocked and not waits[effect]:
                    look(blocked.pop(effect))
            look(log)
        return found

    # --- which line comes before which ------------------------------------------------------------

    @cached_property
    def _number(self) -> Mapping[LinePlace, int]:
        return {line.event.place: number for number, line in enumerate(self.lines)}

    @cached_property
    def _known(self) -> Mapping[int, Mapping[int, int]]:
        """By line, for each other file the last line that comes before it."""
        found: dict[int, dict[int, int]] = {}
        last: dict[int, int] = {}
        for number in self.in_order(lambda each: (each,)):
            log = self.lines[number].event.log
            known = found[last[log]] if log in last else {}
            # A cause that is not found yet is one that the lines contradict.
            for cause in (each for each in self.causes.get(number, ()) if each in found):
                theirs = {**found[cause], self.lines[cause].event.log: cause}
                news = {n: at for n, at in theirs.items() if n != log and at > known.get(n, -1)}
                known = {**known, **news} if news else known
            found[number] = known
            last[log] = number
        return found

    def precedes(self, one: LinePlace, two: LinePlace) -> bool:
        """Whether a line comes before another one for certain."""
        if one[0] == two[0]:
            return one < two
        first, then = self._number.get(one), self._number.get(two)
        if first is None or then is None:
            return False
        return self._known[then].get(one[0], -1) >= first

    def goes_on(self, log: int, place: LinePlace) -> bool:
        """Whether a file has a line that comes after some line for certain."""
        own = self.by_log.get(log, [])
        return bool(own) and self.precedes(place, self.lines[own[-1]].event.place)
