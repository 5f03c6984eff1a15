"""Event logs of generated runs as tables, and what can be changed in them."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from benchmarks.validating import KINDS
from finale.model.events import STEPS
from finale.model.topology import Job
from tests.engine_runs.random_runs import RandomRun, lines_of

BEGINS = frozenset(word.name for word in STEPS if word.begins)
#: So likely that half of the runs whose sources can end have an end.
ENDING = {"end_source": 0.02}

Event = dict[str, Any]


@dataclass(frozen=True)
class Copy:
    """A corrupted copy. `wrong` is the first line that no run can have, if there must be one."""

    what: str
    lines: tuple[str, ...]
    wrong: int | None = None


def told(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def line_of(place: int) -> int:
    """The line of an event by its place: the first line tells how the section begins."""
    return place + 2


class Original:
    """A run as it was, of one process that has told its end."""

    def __init__(self, name: str, lines: Sequence[str]) -> None:
        self.name = name
        self.start, *self.events, self.end = map(json.loads, lines)
        subtasks = Job.from_table(self.start["job"]).subtasks
        self._names: dict[tuple[object, object], str] = {
            (each.vertex.name, each.index): each.name for each in subtasks
        }
        self.sources = {each.name for each in subtasks if not self._inputs(each.vertex.name)}

    def _inputs(self, vertex: str) -> object:
        return self.start["job"][vertex].get("from")

    # --- what is where ---------------------------------------------------------------------------

    def all(self, *names: str) -> Iterator[tuple[int, Event]]:
        """The events of some names, and their places."""
        return ((at, each) for at, each in enumerate(self.events) if each["event"] in names)

    def behind(self, place: int) -> Iterator[tuple[int, Event]]:
        """The events behind one."""
        return itertools.islice(enumerate(self.events), place + 1, None)

    def task(self, event: Event) -> str:
        """The task that an event is of; of one that reads, who reads."""
        if "channel" in event:
            return str(event["channel"]).split("→")[1]
        return self._names.get((event.get("vertex"), event.get("subtask")), "")

    @cached_property
    def begun(self) -> dict[int, int]:
        """Where each checkpoint begins, by its number."""
        both = ((at, each) for at, each in self.all(*BEGINS) if "checkpoint" in each)
        return {each["checkpoint"]: at for at, each in both}

    @cached_property
    def completed(self) -> dict[int, int]:
        """Where each checkpoint completes, by its number."""
        return {each["checkpoint"]: at for at, each in self.all("complete")}

    def is_alone(self, number: int, until: int) -> bool:
        """Whether no other checkpoint is begun, or has yet to end, while one is under way."""
        ends = ("complete", "expire", "apply_decline")
        before, pending = self.events[: self.begun[number]], set[int]()
        for event in before:
            if event["event"] in BEGINS and "checkpoint" in event:
                pending.add(event["checkpoint"])
            elif event["event"] in ends:
                pending.discard(event["checkpoint"])
            elif event["event"] == "fail":
                pending.clear()
        others = (at for at in self.begun.values() if self.begun[number] < at < until)
        return not pending and not any(others)

    # --- changes ---------------------------------------------------------------------------------

    def copy(
        self,
        place: int,
        events: Sequence[Event],
        wrong: int | None = None,
        start: Event | None = None,
    ) -> Copy:
        """The same with other events, whose numbers are whole."""
        seq: Counter[str] = Counter()
        lines = [told(start or self.start)]
        for event in events:
            lines.append(told({**event, "seq": seq[event["clock"]]}))
            seq[event["clock"]] += 1
        lines.append(told({**self.end, "count": len(events)}))
        line = None if wrong is None else line_of(wrong)
        return Copy(self._what(place), tuple(lines), line)

    def _what(self, place: int) -> str:
        about = (f"{key} {value}" for key, value in self.events[place].items() if key != "attempt")
        return f"{self.name}, line {line_of(place)}: {', '.join(itertools.islice(about, 4))}"

    def without(self, *places: int) -> list[Event]:
        return [each for at, each in enumerate(self.events) if at not in places]

    def inserted(self, place: int, event: Event) -> list[Event]:
        return [*self.events[:place], event, *self.events[place:]]

    def moved(self, place: int, to: int) -> list[Event]:
        """An event earlier than it was."""
        events = self.without(place)
        return [*events[:to], self.events[place], *events[to:]]

    def instead(self, place: int, **told: object) -> list[Event]:
        """An event that tells something else."""
        return [*self.events[:place], {**self.events[place], **told}, *self.events[place + 1 :]]

    @property
    def lines(self) -> list[str]:
        return [told(each) for each in (self.start, *self.events, self.end)]

    def raw(self, place: int, line: int, change: Callable[[str], Sequence[str]]) -> Copy:
        """The same with others instead of one line: numbers stay as they are."""
        lines = self.lines
        line %= len(lines)
        changed = (*lines[:line], *change(lines[line]), *lines[line + 1 :])
        return Copy(self._what(place), changed)


def originals(count: int, steps: Sequence[int] = (300, 120, 300)) -> Iterator[Original]:
    """Generated runs of all kinds of jobs and engines in turn, of some lengths in turn."""
    for seed in range(count):
        kind: RandomRun = KINDS[seed % len(KINDS)]
        steps_max = steps[seed // len(KINDS) % len(steps)]
        weights = {**kind.weights, **ENDING}
        lines = lines_of(replace(kind, seed=seed, steps_max=steps_max, weights=weights))
        yield Original(f"{kind.protocol} {seed}", lines)
