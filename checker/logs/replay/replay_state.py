"""Rebuilds the state of the model as far as the lines of a run tell it.

A variable that no line tells stays unknown. If the log determines a set only up to a range, the
state has the end of the range that favours the properties:
- the finished tasks of a checkpoint are the tasks that have not acknowledged it. If the log has no
  acknowledgements, they are the tasks that had ended before the checkpoint was triggered and were
  not restarted before it completed;
- the checkpoints that a task took after its end of data are all that the task has taken, because no
  line tells when its data ended. The other end of the range stays open where no line tells that the
  task waits for its final checkpoint, and where it took a savepoint without drain: what it took up
  to that one may have come before its end of data.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import cast

from finale.checker.logs.findings import Where
from finale.checker.logs.lines import OF_TASKS, SETTLES, TELLS
from finale.checker.logs.read.job_runs import JobRun
from finale.checker.logs.read.log_events import LogEvent, TaskId
from finale.checker.logs.read.told_settings import told_waits
from finale.checker.logs.read.visibility import (
    CLOCKS_OF_TASKS,
    LOG_OF,
    LogProfile,
)
from finale.checker.logs.replay.partial_model import ModelSize, PartialSystem, partial_system
from finale.checker.logs.replay.replay_monitor import ReplayMonitor
from finale.model.language.entities import Entity
from finale.model.language.plain import PlainStore
from finale.model.protocols.coordinator.checkpoints import PENDING, Checkpoint
from finale.model.protocols.job.channels import Channel
from finale.model.protocols.requests import Request
from finale.model.protocols.task.tasks import Task
from finale.model.rules import Nothing

#: So many checkpoints are looked at at once. What is asked of two of them is asked of all pairs.
IDS_AT_ONCE = 64
#: Of a job with many tasks at most so many: a set in a state has no more members.
IDS_MAX = 248

#: Properties that ask, behind what some level tells, for what no level does.
_BEYOND = (
    "commit-completeness",
    "failed-stop-leaves-a-job",
    "nothing-after-end-of-partition",
    "suspended-records-are-kept",
)
#: Properties of jobs whose tasks wait for a checkpoint when they have ended.
OF_FINAL_CHECKPOINTS = ("closed-after-final-checkpoint",)
_TOLD_OF_ALL = ("declines", "expiries", "progress", "job_status")


@dataclass
class PendingCheckpoint:
    """What is known of a checkpoint that is pending."""

    down: frozenset[Task]
    """The tasks that did not run when it was begun."""
    acknowledged: set[Task] = field(default_factory=set[Task])
    restarted: set[Task] = field(default_factory=set[Task])


class ReplayState:
    """What is known after the events so far, and the properties that are asked of it."""

    def __init__(self, run: JobRun, profile: LogProfile, *, begins: bool) -> None:
        self.run, self.profile, self.begins = run, profile, begins
        words = [event.word for event in run.events]
        ids = {event.log_event.checkpoint for event in run.events}
        self._numbers = sorted(each for each in ids if each is not None and each > 0)
        # Each task may need two to be kept.
        tasks = run.tasks
        most = min(max(IDS_AT_ONCE, 4 * sum(tasks.values())), IDS_MAX)
        count = min(len(self._numbers), most)
        # Rounded up, for jobs of one size have their model in common.
        size = ModelSize(
            min(max(8, 1 << (count - 1).bit_length()), IDS_MAX),
            max(1, words.count("request_stop")),
            max(1, words.count("request_savepoint")),
        )
        self.system = partial_system(tasks, size, commits="committed" in words)
        self.protocol = self.system.protocol
        self.slot = dict(zip(self._numbers[:count], self.protocol.checkpoints, strict=False))
        """The checkpoints of the model, by their numbers. Of a long run these are the newest."""
        self._some_wait = "waits" in words
        missing = without_log(run)
        self._silent = frozenset(t for at, t in self.system.tasks.items() if at in missing)
        """The tasks of whose process the log is missing, or ends before the line that is looked at.
        """
        self._missing = self._silent
        self._of_silent: dict[int, Entity] = {}
        """The variables that only such a log would tell, and of which task's process it is."""
        self._takes = "refused" in words or ids != {None}
        self._may_take = self._takes or not {"scheduler-on", "scheduler-off"}.isdisjoint(words)
        """Whether there is a coordinator of checkpoints. A job without one has none to tell of."""
        self._words: dict[int, tuple[str, ...]] = {}
        """The events by which variables are told."""
        told = self._initially = frozenset(self._told())
        waits = told_waits(run, profile)
        self.waits = None if waits is None else bool(waits.value)
        """Whether tasks that have ended wait for a checkpoint, if lines tell so."""
        self.monitors = ReplayMonitor(self.system, told if begins else frozenset())
        if not begins:
            self._observe()
        self.monitors.names = self._names()
        self.begun: dict[int, PendingCheckpoint] = {}
        """What is known of the checkpoints that are pending."""
        self.restored: int | None = None
        """From which checkpoint tasks are started now."""
        self.later = frozenset[int]()
        """The checkpoints that completed after it was decided from which one tasks are started."""
        self.where = Where(0, 0, 0)
        """The line that is looked at."""
        self._alternatives_left: dict[int, object] | None = None

    def _observe(self) -> None:
        """What was before is not known; a variable is from its first line on."""
        self.begins = False
        self.monitors.observed = frozenset(at for at in self._initially if self._holds_one(at))

    def _holds_one(self, position: int) -> bool:
        """Whether a variable is known as a whole when it is written: a set is not."""
        return not isinstance(self.system.start[position], frozenset)

    def _told(self) -> set[int]:
        """The variables that lines tell of."""
        for entity in self.system.world.entities:
            for kind, fields in (*TELLS.items(), *SETTLES.items()):
                for name, words in fields.items() if isinstance(entity, kind) else ():
                    if name in entity.variables:
                        position = entity.variables[name].position
                        if self._is_of_silent(entity, words):
                            self._of_silent[position] = self._task_of(entity)
                        before = self._words.get(position, ())
                        self._words[position] = (*before, *self._needed(kind, words))
        # A job that takes no checkpoints is asked nothing about them.
        known = {self.protocol.variables[name].position for name in _TOLD_OF_ALL}
        for entity in self.system.world.entities:
            for kind, fields in TELLS.items():
                is_told = isinstance(entity, kind) and (self._takes or kind is not Checkpoint)
                for name, words in fields.items() if is_told else ():
                    needed = self._needed(kind, words)
                    is_silent = self._is_of_silent(entity, words)
                    if name in entity.variables and self.profile.has(*needed) and not is_silent:
                        known.add(entity.variables[name].position)
        return known

    def _needed(self, kind: type, words: tuple[str, ...]) -> tuple[str, ...]:
        """The events that must be visible: what becomes of a request needs none of checkpoints
        where there are none."""
        return () if kind is Request and not self._may_take else words

    def _task_of(self, entity: Entity) -> Entity:
        """The task in whose process the lines about an entity are written, if there is one."""
        return self.protocol.reader(entity) if isinstance(entity, Channel) else entity

    def _is_of_silent(self, entity: Entity, words: tuple[str, ...]) -> bool:
        """Whether lines that tell a variable are only in a log that is missing."""
        return self._task_of(entity) in self._silent and any(word != OF_TASKS for word in words)

    def tells(self, task: Task, *words: str) -> bool:
        """Whether the log has a line of each event of these words in the process of a task."""
        return self.begins and task not in self._silent and self.profile.has(*words)

    def tells_waits(self, task: Task) -> bool:
        """Whether a task that ends without waiting for a final checkpoint has not waited."""
        return self.tells(task, "waits") and self._some_wait

    def forget(self) -> None:
        """A part of the log is missing here: what was known before may have changed."""
        self._observe()
        self.monitors.forget()
        self._others().clear()
        self.begun.clear()

    def falls_silent(self, tasks: Collection[Task]) -> None:
        """The log of the process of some tasks has ended: what only it would tell is unknown."""
        self._silent |= {*tasks}
        self._of_silent |= {at: task for task in tasks for at in self._only_of(task)}
        self.monitors.known -= self._of_silent.keys()
        self.monitors.drop({task.name for task in tasks})

    def speaks_again(self, task: Task) -> None:
        """A new attempt of a task begins, perhaps in another process."""
        if task in self._silent - self._missing:
            self._silent -= {task}
            own = self._only_of(task)
            self.monitors.known |= self._initially & {*own} if self.begins else frozenset()

    def _only_of(self, task: Task) -> list[int]:
        """The variables of which only the process of a task tells."""
        return [
            entity.variables[name].position
            for entity in self.system.world.entities
            for kind, fields in (*TELLS.items(), *SETTLES.items())
            if isinstance(entity, kind) and self._task_of(entity) == task
            for name, words in fields.items()
            if name in entity.variables and any(word != OF_TASKS for word in words)
        ]

    @property
    def silent(self) -> frozenset[str]:
        """The names that the log gives the tasks of whose process it is missing, or has ended."""
        return frozenset(self.monitors.names[task.name] for task in self._silent)

    def lacks(self, name: str, unseen: Iterable[int | None]) -> tuple[str, ...] | None:
        """Return the levels of loggers, and the missing logs, with which lines tell all variables
        that a property asked for.

        The result is empty if nothing of this is missing and a variable is unknown all the same.
        It is None if no line of any level tells a variable; `unseen` has None for such a variable.
        """
        found: dict[str, None] = {}
        if not self._may_take or name in _BEYOND:
            return None
        for position in unseen:
            words = () if position is None else self._words.get(position, ())
            if position is None or (not words and position not in self._initially):
                return None
            levels = self.profile.lacks(*words)
            if position in self._of_silent:
                name_of_task = self.monitors.names[self._of_silent[position].name]
                levels += (f"{LOG_OF}{name_of_task}",)
            if not levels:
                return ()
            found.update(dict.fromkeys(levels))
        return tuple(found)

    def _names(self) -> dict[str, str]:
        """Names of the model, and what the log calls them."""
        names = {point.name: f"checkpoint {number}" for number, point in self.slot.items()}
        vertices = self.run.tasks
        for (vertex, subtask), task in self.system.tasks.items():
            names[task.name] = TaskId(vertex, subtask, vertices[vertex], None).name
        for channel in self.protocol.channels:
            names[channel.name] = names[self.protocol.reader(channel).name]
        return names

    def point(self, number: int | None) -> Checkpoint | None:
        """The checkpoint of the model for a number; None for one that is long over."""
        if number is None or number <= 0:
            return None
        if number not in self.slot and number > max(self.slot, default=0):
            self._make_room()
        return self.slot.get(number)

    def _make_room(self) -> None:
        """Forget checkpoints that are over, but for what may still be asked of those that are kept.

        Those are what is pending or restored, and the newest ones that completed: of all, and of
        those that each task has taken.
        """
        store = PlainStore(self.monitors.values)
        with self.system.world.on(store):
            over = [(n, point) for n, point in self.slot.items() if point.is_completed]
            kept = {*self.begun, *(n for n, _ in over[-1:])}
            for task in self.protocol.tasks:
                kept |= {*[n for n, point in over if task.taken.has(point)][-1:]}
                kept |= {*[n for n, point in over if task.taken_after_finish.has(point)][-1:]}
        newest, room = max(self.slot), len(self.slot)
        kept = {*sorted((kept | {self.restored or 0}) & {*self.slot})[1 - room :]}
        later = [each for each in self._numbers if each > newest][: room - len(kept)]
        numbers = [*sorted(kept), *later]
        renamed = dict(zip(numbers, self.protocol.checkpoints, strict=False))
        moved = {point: renamed.get(number) for number, point in self.slot.items()}
        self.slot = renamed
        values = renamed_values(self.system, self.monitors.values, moved)
        self._alternatives_left = renamed_cells(self._others(), moved)
        self.monitors.alternatives = renamed_cells(self.monitors.alternatives, moved)
        self.monitors.rename(values, self._names())

    def take(
        self,
        rule: str,
        binding: dict[str, str],
        write: Callable[[], None],
        as_of: Mapping[int, object] = MappingProxyType({}),
    ) -> None:
        """A step that the present line tells, and what it changes."""
        others, self._alternatives_left = self._alternatives_left, None
        self.monitors.take(self.where, rule, binding, write, as_of, others)

    def leave_open(self, entity: Task | Checkpoint, name: str, other: object) -> None:
        """From the next step on lines leave a variable a second value; that is `other`."""
        self._others()[entity.variables[name].position] = other

    def add_to_second_value(self, task: Task, name: str, point: Checkpoint) -> None:
        """From the next step on the second value of a set, if it has one, has a checkpoint, too."""
        position = task.variables[name].position
        if position in self._others():
            other = cast(frozenset[Checkpoint], self._others()[position])
            self.leave_open(task, name, other | {point})

    def settle(self, entity: Task | Checkpoint, name: str) -> None:
        """From the next step on a variable has one value again."""
        position = entity.variables[name].position
        if position in self._others():
            del self._others()[position]

    def _others(self) -> dict[int, object]:
        if self._alternatives_left is None:
            self._alternatives_left = dict(self.monitors.alternatives)
        return self._alternatives_left

    def before_restart(self) -> dict[int, object]:
        """The values that tell of completions since it was decided from where tasks are started,
        as they were then."""
        points = (self.slot[number] for number in self.later if number in self.slot)
        return {point.variables["status"].position: PENDING for point in points}

    def value(self, entity: Task | Checkpoint | Request, name: str) -> object:
        """The value of a variable of a task, a checkpoint or a request."""
        return self.monitors.values[entity.variables[name].position]

    def status(self, entity: Task | Checkpoint | Request) -> object:
        """The status of a task, a checkpoint or a request."""
        return self.value(entity, "status")

    def knows(self, task: Task, name: str, known: bool) -> None:
        """Whether a variable of a task is known from here on."""
        position = task.variables[name].position
        if known != (position in self.monitors.known):
            self.monitors.known ^= {position}


def where_of(told: LogEvent) -> Where:
    """The line of an event."""
    return Where(told.log, told.part, told.line)


def renamed_values(
    system: PartialSystem,
    values: Sequence[object],
    moved: Mapping[Checkpoint, Checkpoint | None],
) -> list[object]:
    """The values of a state whose checkpoints stand for others from now on."""
    new = list(values)
    for variable in system.world.variables:
        new[variable.position] = _renamed_value(values[variable.position], moved)
    for point in system.protocol.checkpoints:
        for variable in point.variables.values():
            new[variable.position] = system.start[variable.position]
    for old, stands in moved.items():
        if stands is not None:
            for name, variable in old.variables.items():
                value = _renamed_value(values[variable.position], moved)
                new[stands.variables[name].position] = value
    return new


def renamed_cells(
    cells: Mapping[int, object], moved: Mapping[Checkpoint, Checkpoint | None]
) -> dict[int, object]:
    """The same as `renamed_values` for some of the values, by their positions."""
    new = {position: _renamed_value(value, moved) for position, value in cells.items()}
    own = {
        variable.position: None if stands is None else stands.variables[name].position
        for old, stands in moved.items()
        for name, variable in old.variables.items()
    }
    places = ((own.get(position, position), value) for position, value in new.items())
    return {position: value for position, value in places if position is not None}


def _renamed_value(value: object, moved: Mapping[Checkpoint, Checkpoint | None]) -> object:
    if isinstance(value, Checkpoint):
        stands = moved.get(value)
        return Nothing if stands is None else stands
    if isinstance(value, frozenset):
        members = cast("frozenset[object]", value)
        return frozenset(
            each for each in (_renamed_value(one, moved) for one in members) if each is not Nothing
        )
    return value


#: The states that the coordinator learns of an attempt that has run.
_HAS_RUN = ("INITIALIZING", "RUNNING", "FINISHED")


def without_log(run: JobRun) -> frozenset[tuple[str, int]]:
    """Return the subtasks, by vertex and index, one of whose attempts ran in a process without log.

    The coordinator has learned that such an attempt runs, and no other process has a line about it.
    """
    ran, told = set[tuple[str, int, int | None]](), set[tuple[str, int, int | None]]()
    for event in run.events:
        if (task := event.task) is None:
            continue
        attempt = task.vertex, task.subtask, task.attempt
        if event.word == "task-learned":
            if event.log_event.fields["to"] in _HAS_RUN:
                ran.add(attempt)
        elif event.word == OF_TASKS or event.log_event.clock.startswith(CLOCKS_OF_TASKS):
            told.add(attempt)
    # A line that names no attempt may be of any.
    return frozenset((v, s) for v, s, number in ran if not told & {(v, s, number), (v, s, None)})
