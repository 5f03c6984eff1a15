"""Makes an order for a real Flink of a trace: the steps that have a hook, and what comes before.

The order is the trace's happens-before, with three facts about Flink added:

- Some steps happen in the same moment as an earlier one, such as the completion of a checkpoint and
  its last acknowledgement. Whatever comes before such a step must come before the earlier one.
- The mailbox of a task runs mails in the order in which they came. So what brings a mail must come
  after what brings an earlier one.
- A task has one thread, and so has its task manager. A step for which the thread would be held,
  although an earlier step of the same thread is to come, must not be there yet: its cause comes
  after the earlier step.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from finale.checker.spec.claim import Spec
from finale.model.system import System
from finale.model.topology import Job, Sink
from finale.model.trace import Trace
from finale.reference.flink.director import (
    ABSORB,
    ARRIVE,
    BEGIN_CALL,
    END_CALL,
    FILL,
    PRESS,
    PUT_MAIL,
    RESUME,
    RUN_MAIL,
)
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.hooks import HANDLED
from finale.reference.flink.job import connected
from finale.reference.flink.order import Order, OrderedStep, Trigger
from finale.reference.flink.session import SPLITS
from finale.reference.formats.eventlog import table_of

from .driven import COORDINATED, lacking, options_of, settings_of, word_of
from .happens_before import happens_before

#: The keys of a rule's binding that say what a step is about.
ABOUT = ("task", "channel", "checkpoint", "request", "split", "source")
#: The job of Flink for the protocol without a job: an operator has a coordinator. A reader is
#: triggered by a barrier, which its source sends when it is triggered itself.
COORDINATED_JOB = {
    "S": {"records": 0, "bounded": False},
    "R": {"from": ["S"], "sink": "two-phase"},
}
READER = "R"
TRIGGERS_READER = {"take_checkpoint": ("deliver_trigger", "S")}
IN_CHANNEL = "@"
PENDING, CHECKPOINT = "PENDING", "CHECKPOINT"
#: Steps of tasks that fail together: the command is about one of them. A job that fails as a whole
#: fails in the region of that task.
OF_REGION, OF_JOB = "fail_region", "fail"
FAILURES = frozenset({OF_REGION, OF_JOB})
#: Tasks that cannot fail.
GONE = ("CLOSED", "FAILED", "RESTORING")
#: A chained source ends: a hook tells of it if no stop has told the source to.
END_CHAINED, END_STOPPED = "end_chained", "end_stopped"
TOLD = frozenset({"DRAIN", "NO_DRAIN"})
#: A task reads a record. It is visible at once if the task is a sink that writes at least once.
POLL_DATA, SHOW_RECORD = "poll_data", "show_record"
#: A source ends its data. If it is told to stop: before the savepoint, or behind it.
END_SOURCE, STOP_ORDER = "end_source", "stop_order"
#: Barriers overtake data: until then data stay where they are.
NOTICE_BARRIER = "notice_barrier"
#: Flink declines a trigger call to a task that has closed, and loses one to a task that closes.
DELIVER_TRIGGER, CLOSE = "deliver_trigger", "close"
#: The step with which the life of an attempt begins.
RESTORE = "restore"
#: The steps whose answer has the path of a savepoint, from which a job can start. Other checkpoints
#: are in the folder of the run, as long as Flink keeps them.
OF_USERS = frozenset({"request_savepoint", "request_stop"})
DRAIN = {"True": "drain", "False": "suspend"}


class NotTakeable(Exception):
    """Flink cannot take the steps of a trace in any order that leads to the same state."""


@dataclass
class _Step:
    """A step of a trace on its way to an order."""

    name: str
    about: dict[str, str]
    trigger: Trigger | None
    put: int | None = None
    before: set[int] = field(default_factory=set[int])


class Means(enum.Enum):
    """What is done so that Flink takes an order that it would not take otherwise."""

    CALL = "an operator of a source's task waits for a call"
    PRESSURE = "the channels behind a source are full"
    BLOCKED = "the same, for a source whose end of data the trace does not have"
    MAIL = "a thread is held in a mail of its own until another mail is there"
    HOLD = "a thread is held at a step until a mail is there"


#: Which means are tried, one set after the other.
TRIED = tuple(
    frozenset(Means) - without
    for without in ({Means.HOLD}, set[Means](), {Means.HOLD, Means.BLOCKED}, {Means.BLOCKED})
)


def order_of(
    spec: Spec,
    system: System,
    trace: Trace,
    facts: EngineFacts,
    tried: Sequence[frozenset[Means]] = TRIED,
) -> Order:
    """The order of a trace, with the first means that suffice. Raises `NotTakeable`."""
    if lacks := list(lacking(spec, facts)):
        raise NotTakeable(f"the driver does not build {'; '.join(lacks)}")
    coordinated = spec.protocol.key == COORDINATED
    job = Job.from_table(COORDINATED_JOB) if coordinated else spec.setting.job
    assert job is not None
    if not _leaves_open(STOP_ORDER, spec, facts):
        tried = [each - {Means.BLOCKED} for each in tried]
    steps, free = _steps(system, trace, job, facts, tried)
    table = {
        name: entry
        | ({"records": list(job.vertex(name).records)} if job.vertex(name).records else {})
        | ({"union_state": True} if job.vertex(name).union_state else {})
        | ({"chained": list(job.vertex(name).chained)} if job.vertex(name).chained else {})
        for name, entry in table_of(job).items()
    }
    if not steps:
        raise NotTakeable(
            "no step of the trace has a hook or is a command: there is nothing to drive"
        )
    settings = settings_of(spec, facts)
    if coordinated:
        settings[SPLITS] = str(spec.setting.sizes["splits"])
        if spec.setting.sizes["readers"] != 1:
            raise NotTakeable("the driver's job has one reader")
    for step in steps:
        settings |= facts.needs.get(step.name, {})
    return Order(spec.title, job, table, settings, steps, free=free)


def _leaves_open(option: str, spec: Spec, facts: EngineFacts) -> bool:
    """Whether a choice of the protocol is not the one that a driven run makes by itself."""
    options = options_of(spec)
    return option in options and word_of(options[option]) != facts.forced.get(option)


def _steps(
    system: System, trace: Trace, job: Job, facts: EngineFacts, tried: Sequence[frozenset[Means]]
) -> tuple[tuple[OrderedStep, ...], tuple[str, ...]]:
    """The steps of the order, and those that Flink takes by itself."""
    first: NotTakeable | None = None
    for means in tried:
        try:
            ordering = _Ordering(system, trace, job, facts, means)
            return ordering.steps(), ordering.free
        except NotTakeable as why:
            first = first or why
    assert first is not None
    raise first


class _Ordering:
    """The work on one trace."""

    def __init__(
        self,
        system: System,
        trace: Trace,
        job: Job,
        facts: EngineFacts,
        means: frozenset[Means],
    ) -> None:
        self._job, self._facts, self._means = job, facts, means
        self._all = [_Step(*each) for each in _told(system, trace, job, facts)]
        for step, before in zip(self._all, happens_before(system, trace), strict=True):
            step.before = set(before)
        self._note_causes(system, trace)

    def steps(self) -> tuple[OrderedStep, ...]:
        """The steps with a hook, each with those that come directly before it."""
        leaders = self._together()
        self._overtaking: list[tuple[int, int]] = []
        self._pressed = self._before_the_end()
        self._kept: list[tuple[int, int]] = []
        self._add_ends(leaders)
        self._add_thread_order(leaders)
        self._add_calls(leaders)
        self._add_pressure(leaders)
        self._add_mails(leaders)
        past = self._closed(leaders)
        kept = [number for number in past if self._facts.takes(self._all[number].name)]
        made: list[OrderedStep] = []
        for number in kept:
            step = self._all[number]
            before = past[number].intersection(kept)
            direct = before.difference(*(past[each] for each in before))
            with_it = [each for each, leader in leaders.items() if leader == number != each]
            triggers = [self._all[each].trigger for each in (number, *with_it)]
            made.append(
                OrderedStep(
                    number + 1,
                    step.name,
                    step.about,
                    tuple(each + 1 for each in sorted(direct)),
                    next((each for each in triggers if each is not None), None),
                    tuple(f"{each + 1} {self._all[each].name}" for each in with_it),
                )
            )
        return tuple(made)

    @property
    def free(self) -> tuple[str, ...]:
        """The steps that no hook holds: Flink takes them by itself."""
        return tuple(
            f"step {number + 1}, {step.name}({', '.join(step.about.values())})"
            for number, step in enumerate(self._all)
            if step.name not in self._facts.together and not self._facts.takes(step.name)
        )

    # --- steps in one moment ---------------------------------------------------------------------

    def _together(self) -> dict[int, int]:
        """For each step the one in whose moment it happens: itself, or an earlier one."""
        leaders = {number: number for number in range(len(self._all))}
        for number, step in enumerate(self._all):
            leader_name = self._facts.together.get(step.name)
            if leader_name is None:
                continue
            candidates = [
                each
                for each in sorted(step.before, reverse=True)
                if self._all[each].name == leader_name and _same(self._all[each], step)
            ]
            # The last one, unless something comes between the two.
            for leader in candidates:
                between = {
                    each
                    for each in step.before
                    if leader in self._all[each].before and leaders[each] == each
                }
                if not between:
                    leaders[number] = leader
                    break
            else:
                raise NotTakeable(
                    f"Flink takes step {number + 1}, {step.name}, in the same moment as "
                    f"{leader_name}, and the trace has steps between the two"
                )
        return leaders

    def _add_ends(self, leaders: Mapping[int, int]) -> None:
        """A trigger call and the end of its task keep the order that they have in the trace, also
        where the rules take them in either order."""
        for number, step in enumerate(self._all):
            for earlier, other in enumerate(self._all[:number]):
                if {step.name, other.name} == {DELIVER_TRIGGER, CLOSE} and _same(step, other):
                    self._add(leaders, earlier, number)

    # --- mailboxes and threads -------------------------------------------------------------------

    def _causes(self, step: _Step) -> tuple[str, ...]:
        """The names of the steps that bring a step to its thread."""
        if Means.HOLD in self._means:
            kinds = {e.trigger.checkpoint: e.trigger.kind for e in self._all if e.trigger}
            kind = kinds.get(step.about.get("checkpoint", ""))
            return self._facts.caused.get(
                f"{step.name}.{kind}", self._facts.caused.get(step.name, ())
            )
        return self._facts.caused.get(step.name, ())

    def _note_causes(self, system: System, trace: Trace) -> None:
        puts: dict[str, list[int]] = {}
        born: dict[str, int] = {}
        for number, step in enumerate(self._all):
            before, after = (
                _queues(system, trace.states[number]),
                _queues(system, trace.states[number + 1]),
            )
            taken = {
                channel: followed(puts.setdefault(channel, []), before[channel], queue, number)
                for channel, queue in after.items()
            }
            names = self._causes(step)
            if step.name == RESTORE:
                born[step.about["task"]] = number
            life = range(born.get(step.about.get("task", ""), 0), number)
            if IN_CHANNEL in names:
                step.put = taken.get(step.about["channel"])
            else:
                step.put = max(
                    (
                        each
                        for each in life
                        if self._all[each].name in names
                        and _same(self._all[each], step)
                        and self._task(self._all[each]) == self._task(step)
                    ),
                    default=None,
                )

    def _add_thread_order(self, leaders: dict[int, int]) -> None:
        """What brings a step to a thread comes after the steps of the thread before it."""
        mails = self._facts.mails
        for number, step in enumerate(list(self._all)):
            threads = self._threads(step)
            if step.put is None:
                continue
            for earlier in sorted(step.before):
                other = self._all[earlier]
                common = threads & self._threads(other)
                if not common or earlier == step.put:
                    continue
                thread = min(common)
                if other.about.get("channel") == step.about.get("channel") is not None:
                    continue
                if self._overtakes(other, step):
                    self._overtaking.append((earlier, number))
                    continue
                both_mails = other.name in mails and step.name in mails
                cause = other.put if both_mails and other.put is not None else earlier
                if Means.HOLD in self._means and other.name not in mails and step.name in mails:
                    if other.put == step.put:
                        continue  # the mailbox runs one action between two of its mails
                    if other.put is not None and self._all[other.put].name in mails:
                        cause = self._arrival(leaders, other.put)
                if cause != step.put and not self._add(leaders, cause, step.put):
                    if (
                        other.name in mails
                        and step.name not in mails
                        and self._was_there(leaders, other.put, step.put)
                    ):
                        continue  # the mailbox has the mail before the thread comes to the step
                    if self._waits_for_output(other, step):
                        self._pressed.add(earlier)
                        continue
                    if self._waits_for_mail(other, step):
                        self._kept.append((earlier, number))
                        continue
                    raise NotTakeable(
                        f"{thread} comes to {step.name} before {other.name} can happen"
                    )
                if cause == step.put and other.name in mails and step.name not in mails:
                    raise NotTakeable(f"{thread} comes to {step.name} first")

    def _overtakes(self, first: _Step, then: _Step) -> bool:
        """Whether a mail runs before one whose call comes first: calls keep their order."""
        urgent, put = self._facts.urgent, None if then.put is None else self._all[then.put]
        return (
            Means.CALL in self._means
            and first.name in urgent
            and then.name in self._facts.mails - urgent
            and put is not None
            and put.name in self._facts.of_manager
            and first.about.get("checkpoint") == put.about.get("checkpoint")
        )

    def _waits_for_output(self, first: _Step, then: _Step) -> bool:
        """Whether a source that was stopped runs a mail before it ends its data."""
        is_end = then.name == END_SOURCE and first.name in self._facts.mails
        return Means.PRESSURE in self._means and is_end and first.put == then.put

    def _before_the_end(self) -> set[int]:
        """The mails that a source runs before the end of its data, which the trace does not have.

        What told the source to take the mail has told it to end its data, too.
        """
        if Means.BLOCKED not in self._means:
            return set()
        found: set[int] = set()
        ended: set[str] = set()
        causes = self._facts.caused.get(END_SOURCE, ())
        ends_with = {each.put for each in self._all if each.name == END_SOURCE}
        for number, step in enumerate(self._all):
            task = step.about.get("task", "")
            if step.name == END_SOURCE:
                ended.add(task)
            elif step.name == RESTORE:
                ended.discard(task)
            elif (
                step.name in self._facts.mails
                and step.put is not None
                and self._all[step.put].name in causes
                and step.put not in ends_with
                and task not in ended
            ):
                found.add(number)
        return found

    def _waits_for_mail(self, first: _Step, then: _Step) -> bool:
        """Whether a task must not read before it has a mail, which a call puts there."""
        mails, manager = self._facts.mails, self._facts.of_manager
        is_put = first.name in mails & manager and f"{first.name}{HANDLED}" not in self._facts.steps
        return Means.MAIL in self._means and is_put and then.name not in mails

    def _add_calls(self, leaders: dict[int, int]) -> None:
        """Let an operator wait for a call while mails overtake others in its task."""
        for task, pairs in self._by_task(self._overtaking).items():
            if not any(each.name == task and each.vertex.is_source for each in self._job.subtasks):
                raise NotTakeable(f"no operator of the driver's job lets mails overtake in {task}")
            begin = self._new(leaders, BEGIN_CALL, {"task": task})
            end = self._new(leaders, END_CALL, {"task": task})
            for first, then in pairs:
                put = self._all[then].put
                assert put is not None
                for one, other in ((begin, put), (put, first), (first, end), (end, then)):
                    self._all[other].before.add(one)
            self._keep_out(leaders, task, begin, end)
            if any(self._all[each].name == END_SOURCE for each in self._all[begin].before):
                raise NotTakeable(f"{task} has ended its data, and no mail overtakes others")

    def _add_pressure(self, leaders: dict[int, int]) -> None:
        """Let a source wait for its output from before a stop until it has run a mail."""
        by_task: dict[str, list[int]] = defaultdict(list)
        for mail in sorted(self._pressed):
            by_task[self._all[mail].about["task"]].append(mail)
        if len(by_task) > 1:
            raise NotTakeable(f"only one source can wait for its output, not {', '.join(by_task)}")
        for task, mails in by_task.items():
            receivers = [e.receiver.name for e in self._job.channels if e.sender.name == task]
            if len(receivers) != 1:
                raise NotTakeable(f"{task} has not one output that could be full")
            if any(each.name == NOTICE_BARRIER for each in self._all):
                raise NotTakeable("what fills a channel does not move while barriers overtake")
            press = self._new(leaders, PRESS, {"task": task})
            absorb = self._new(leaders, ABSORB, {"task": receivers[0]})
            fill = self._new(leaders, FILL, {"task": task})
            arrived = self._arrival(leaders, absorb)
            for one, other in ((press, arrived), (arrived, fill)):
                self._all[other].before.add(one)
            for mail in mails:
                stop = self._all[mail].put
                assert stop is not None
                call = self._all[stop].put
                for one, other in ((fill, stop if call is None else call), (mail, absorb)):
                    self._all[other].before.add(one)
            self._keep_free(leaders, receivers[0], press, arrived, absorb)

    def _add_mails(self, leaders: dict[int, int]) -> None:
        """Hold a task in a mail of its own while a call puts another mail into its mailbox."""
        for task, pairs in self._by_task(self._kept).items():
            if any(each.name == task and each.vertex.is_source for each in self._job.subtasks):
                raise NotTakeable(f"the source {task} has no operator with mails of its own")
            put = self._new(leaders, PUT_MAIL, {"task": task})
            run = self._new(leaders, RUN_MAIL, {"task": task})
            arrived = self._arrival(leaders, run)
            for first, then in pairs:
                brings = self._all[then].put
                assert brings is not None
                for one, other in ((put, arrived), (arrived, brings), (first, run), (run, then)):
                    self._all[other].before.add(one)
            self._keep_out(leaders, task, put, run)

    def _by_task(self, pairs: Iterable[tuple[int, int]]) -> dict[str, list[tuple[int, int]]]:
        """Pairs of steps of one task each, by the task."""
        found: dict[str, list[tuple[int, int]]] = {}
        for first, then in pairs:
            found.setdefault(self._task(self._all[first]) or "", []).append((first, then))
        return found

    def _keep_out(self, leaders: Mapping[int, int], task: str, begin: int, end: int) -> None:
        """Let the steps of a task come before or after a time in which its thread is not free.

        Urgent mails run in that time, and steps that must come in it are not takeable.
        """
        inside = self._closed(leaders)[leaders[end]]
        for number, step in enumerate(self._all):
            if self._task(step) == task and number not in (begin, end) and self._is_kept(step):
                one, other = (number, begin) if leaders[number] in inside else (end, number)
                self._all[other].before.add(one)

    def _keep_free(
        self, leaders: Mapping[int, int], task: str, press: int, arrived: int, absorb: int
    ) -> None:
        """Let a task come to what fills its channel, and be held there.

        The other steps of the task come before that; a step that cannot comes when the task goes
        on, and what brings the step comes when the task is held.
        """
        for number, step in enumerate(self._all):
            if self._task(step) != task or number == absorb or not self._is_kept(step):
                continue
            if not self._add(leaders, number, press):
                self._all[number].before.add(absorb)
                if step.put is not None:
                    self._all[step.put].before.add(arrived)

    def _is_kept(self, step: _Step) -> bool:
        return self._facts.is_of_task(step.name) and step.name not in self._facts.urgent

    def _arrival(self, leaders: dict[int, int], number: int) -> int:
        """The step that says that a thread has come to the hook of a step."""
        about = {"task": self._all[number].about["task"], "step": str(number + 1)}
        for known, step in enumerate(self._all):
            if step.name == ARRIVE and step.about == about:
                return known
        return self._new(leaders, ARRIVE, about)

    def _new(self, leaders: dict[int, int], name: str, about: dict[str, str]) -> int:
        """The number of a new step, which the trace does not have."""
        self._all.append(_Step(name, about, None))
        number = leaders[len(self._all) - 1] = len(self._all) - 1
        return number

    def _add(self, leaders: Mapping[int, int], first: int, then: int) -> bool:
        """Let a step come before another. Returns False if it comes after it already."""
        a, b = leaders[first], leaders[then]
        if a != b and b in self._closed(leaders)[a]:
            return False
        self._all[then].before.add(first)
        return True

    def _was_there(self, leaders: Mapping[int, int], put: int | None, then: int) -> bool:
        return put is not None and leaders[put] in self._closed(leaders)[leaders[then]]

    def _threads(self, step: _Step) -> set[str]:
        """The threads that are held for a step: a task's, or that of its task manager."""
        task = self._task(step)
        if task is None:
            return set()
        found = {f"the thread of {task}"} if self._facts.is_of_task(step.name) else set[str]()
        if step.name in self._facts.of_manager:
            found.add(f"the task manager of {task}")
        return found

    def _task(self, step: _Step) -> str | None:
        channel = step.about.get("channel")
        receivers = {each.name: each.receiver.name for each in self._job.channels}
        return step.about.get("task") if channel is None else receivers.get(channel)

    # --- the order -------------------------------------------------------------------------------

    def _closed(self, leaders: Mapping[int, int]) -> dict[int, set[int]]:
        """For each moment the moments before it, however indirectly. Raises `NotTakeable`."""
        direct: dict[int, set[int]] = {leader: set() for leader in leaders.values()}
        for number, step in enumerate(self._all):
            direct[leaders[number]] |= {leaders[each] for each in step.before}
        for leader, before in direct.items():
            before.discard(leader)
        past: dict[int, set[int]] = {}
        left = dict(direct)
        while left:
            ready = [each for each, before in left.items() if before <= past.keys()]
            if not ready:
                first = min(left)
                raise NotTakeable(
                    f"step {first + 1}, {self._all[first].name}, and later steps wait for each "
                    "other in Flink"
                )
            for each in ready:
                past[each] = left[each].union(*(past[one] for one in left.pop(each)))
        return dict(sorted(past.items()))


def _same(one: _Step, other: _Step) -> bool:
    """Whether two steps are about the same task and checkpoint, as far as both say."""
    keys = one.about.keys() & other.about.keys() & {"task", "checkpoint"}
    return all(one.about[key] == other.about[key] for key in keys)


def followed(
    puts: list[int], before: Sequence[object], after: Sequence[object], step: int
) -> int | None:
    """Note in `puts` which step put each element of a queue. Returns that of the element taken.

    A step takes an element or none, or all are lost. New elements come last, or overtake the rest.
    """
    for at in (None, *range(len(before))):
        left = list(before) if at is None else [*before[:at], *before[at + 1 :]]
        new = len(after) - len(left)
        if new >= 0 and list(after[: len(left)]) == left:
            taken = None if at is None else puts.pop(at)
            puts.extend([step] * new)
            return taken
        if new >= 0 and list(after[new:]) == left:
            taken = None if at is None else puts.pop(at)
            puts[:0] = [step] * new
            return taken
    puts[:] = [step] * len(after)
    return None


def _queues(system: System, state: tuple[int, ...]) -> dict[str, Sequence[object]]:
    values = system.values(state)
    return {
        variable.entity.name: cast("Sequence[object]", values[variable.name])
        for variable in system.variables
        if variable.field == "queue"
    }


def _told(
    system: System, trace: Trace, job: Job, facts: EngineFacts
) -> Iterable[tuple[str, dict[str, str], Trigger | None]]:
    """Name, subject and triggered checkpoint of each step.

    A trace can use an id again for a later checkpoint, which gets a name of its own.
    """
    chained = {subtask.name for subtask in job.subtasks if subtask.vertex.chained}
    shows = (
        _shows(job) if any(each.rule.name in FAILURES for each, _ in trace.steps(system)) else ()
    )
    called: dict[str, str] = {}
    paths: dict[str, str] = {}
    for number, (rule, _) in enumerate(trace.steps(system)):
        if number + 1 == len(trace.states):
            return
        name, binding = rule.rule.name, dict(rule.binding)
        about = {key: binding[key] for key in ABOUT if key in binding}
        if "reader" in binding:
            name, about["task"] = TRIGGERS_READER.get(name, (name, READER))
        if "checkpoint" in about:
            about["checkpoint"] = called.get(about["checkpoint"], about["checkpoint"])
        if "drain" in binding:
            about["drain"] = DRAIN[binding["drain"]]
        before = system.values(trace.states[number])
        after = system.values(trace.states[number + 1])
        if name in (OF_REGION, OF_JOB):
            name = OF_REGION
            failed = [
                task
                for task in reversed([subtask.name for subtask in job.subtasks])
                if before[f"{task}.status"] != after[f"{task}.status"]
                and _word(before[f"{task}.status"]) not in GONE
            ]
            region = connected(job, failed[0])
            about["task"], *others = [each for each in failed if each in region]
            about |= {"others": " ".join(others)} if others else {}
        if name == POLL_DATA and about["channel"] in shows:
            name = SHOW_RECORD  # before a failure, and not after it
        if about.get("task") in chained:
            name = facts.chained.get(name, name)
        if "source" in about:
            about["task"] = about["source"].rpartition(".")[0]
            if name == END_CHAINED and _word(before.get(f"{about['source']}.mode", "")) in TOLD:
                name = END_STOPPED
        if lacks := facts.lacks(name):
            raise NotTakeable(f"the driver cannot take step {number + 1}, {name}: {lacks}")
        if name == RESUME and about["checkpoint"] in paths:
            about |= {"request": paths[about["checkpoint"]]}
        trigger = None
        for variable, value in after.items():
            entity, _, field_name = variable.rpartition(".")
            if field_name == "status" and _word(value) == PENDING != _word(before[variable]):
                kind = _word(after.get(f"{entity}.kind", CHECKPOINT))
                called[entity] = f"{called[entity]}'" if entity in called else entity
                trigger = Trigger(called[entity], kind)
                if name in OF_USERS:
                    paths[called[entity]] = OrderedStep(number + 1, name, about).request
        yield name, about, trigger


def _shows(job: Job) -> frozenset[str]:
    """The channels from a source to a sink that writes at least once."""
    return frozenset(
        each.name
        for each in job.channels
        if each.sender.vertex.is_source and each.receiver.vertex.sink is Sink.AT_LEAST_ONCE
    )


def _word(value: object) -> str:
    return str(getattr(value, "name", value))


__all__ = ["NotTakeable", "followed", "order_of"]
