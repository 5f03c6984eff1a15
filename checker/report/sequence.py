"""Reads a trace as a sequence diagram: who acts in which step, and which messages go where.

All of it follows from the system and the trace:

- A queue of an entity that is called `A→B` is a channel from A to B, with a lane of its own.
- A set declared with `messages="to"` or `"from"` holds messages under way to or from its members.
- A part such as `K.sink` has the lane of its whole, K.
- All else belongs to the lane of the coordinator, which is the protocol itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from finale.checker.studies.decisive import Decisive
from finale.model.domains import Queue, Set
from finale.model.events import STEPS, Clock
from finale.model.language.entities import Entity, Field, Variable
from finale.model.system import GroundRule, System
from finale.model.trace import Trace
from finale.model.value_text import queue_moves, value_text

from .story import StoryStep

COORDINATOR, COORDINATOR_LANE = "coordinator", 0
CHANNEL_ARROW = "→"
#: The steps of these clocks are the coordinator's; all other steps are a task's.
COORDINATOR_CLOCKS = (Clock.CHECKPOINTS, Clock.JOB)
_CLOCKS = {word.name: word.clock for word in STEPS}


@dataclass(frozen=True)
class Lane:
    """A vertical line of the diagram. A channel has the length of its queue in each state."""

    name: str
    is_channel: bool = False
    lengths: tuple[int, ...] = ()


@dataclass(frozen=True)
class Message:
    """A message between two lanes, given by their positions.

    `sent` and `ended` are numbers of steps. An element of a queue is put and taken by two messages,
    each within one step. A message that is not `arrived` was lost in the step `ended`, or is still
    under way if there is no such step.
    """

    label: str
    source: int
    target: int
    sent: int
    ended: int | None = None
    arrived: bool = True

    @property
    def is_instant(self) -> bool:
        """Whether it arrives in the step that sends it."""
        return self.sent == self.ended


@dataclass(frozen=True)
class Moment:
    """One step: its rule, what the rule was bound to, and the lane that acts.

    A failure that names no task is on the lanes of the tasks that it hits: on `lane`, and on the
    lanes `beside` it.
    """

    number: int
    rule: str
    about: tuple[str, ...]
    lane: int
    is_decisive: bool = False
    is_fault: bool = False
    beside: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The rule with its binding."""
        return " ".join((self.rule, *self.about))


@dataclass(frozen=True)
class Diagram:
    """A sequence diagram. `loop` is the step after which the run repeats forever.

    `no_return` is the step from which on the violation is inevitable.
    """

    lanes: tuple[Lane, ...]
    moments: tuple[Moment, ...]
    messages: tuple[Message, ...]
    loop: int | None = None
    no_return: int | None = None


def sequence_of(
    system: System, trace: Trace, steps: Sequence[StoryStep], decisive: Decisive
) -> Diagram:
    """The sequence diagram of a trace, given its steps with what they change."""
    reading = _Reading(system, trace)
    moments = [reading.take(step, step.number in decisive.steps) for step in steps]
    used = {lane for moment in moments for lane in (moment.lane, *moment.beside)}
    used |= {lane for each in reading.messages for lane in (each.source, each.target)}
    order = [position for position in reading.order if position in used]
    place = {position: number for number, position in enumerate(order)}
    return Diagram(
        tuple(reading.lane(position) for position in order),
        tuple(_moved(moment, place) for moment in moments),
        tuple(
            Message(m.label, place[m.source], place[m.target], m.sent, m.ended, m.arrived)
            for m in sorted(reading.messages, key=lambda each: each.sent)
        ),
        trace.loop,
        decisive.no_return,
    )


def _moved(moment: Moment, place: Mapping[int, int]) -> Moment:
    beside = tuple(place[lane] for lane in moment.beside)
    return replace(moment, lane=place[moment.lane], beside=beside)


@dataclass
class Lanes:
    """The lanes of a system: which entities have one, and whose lane an entity shares."""

    system: System
    names: list[str] = field(default_factory=lambda: [""])
    channels: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    """The lanes of the writer and the reader of each channel."""
    tasks: frozenset[str] = frozenset()
    """The entities that have a lane of their own, but for channels."""

    def __post_init__(self) -> None:
        entities = {v.entity.name: v.entity for v in self.system.variables if v.entity.name}
        queued = {v.entity.name for v in self.system.variables if isinstance(v.domain, Queue)}
        bound = {value for rule in self.system.rules for _, value in rule.binding}
        ends = {name: _ends(name, entities) for name in sorted(queued)}
        tasks = {end for pair in ends.values() if pair for end in pair}
        tasks |= {name for v in self.system.variables for name in _members(v)}
        if not tasks:
            tasks = {name for name in entities if name in bound and "." not in name}
        self.tasks = frozenset(tasks)
        self.names += [name for name in entities if name in tasks]
        known = {name: number for number, name in enumerate(self.names)}
        for name, pair in ends.items():
            if pair is not None:
                self.channels[name] = (known[pair[0]], known[pair[1]])
        self.names += self.channels
        self._known = {name: number for number, name in enumerate(self.names)}

    def of(self, name: str) -> int:
        """The lane of an entity: its own, that of its whole, or that of the coordinator."""
        while name:
            if name in self._known:
                return self._known[name]
            name = name.rpartition(".")[0]
        return 0

    def actor(self, rule: GroundRule) -> int | None:
        """The lane of who takes a rule, or of whom a fault hits; None if the rule names nobody."""
        values = [value for _, value in rule.binding]
        is_promised = rule.rule.makes_progress
        if is_promised and _CLOCKS.get(rule.rule.name) in COORDINATOR_CLOCKS:
            return COORDINATOR_LANE
        for value in values:
            if value in self.channels:
                return self.channels[value][1]
        return next((lane for value in values if (lane := self.of(value))), None)

    def order(self) -> Iterator[int]:
        """The coordinator, then the tasks, each after the channels that it reads."""
        tasks = [n for n, name in enumerate(self.names) if name not in self.channels]
        for task in tasks:
            yield from (
                self._known[name] for name, ends in self.channels.items() if ends[1] == task
            )
            yield task


def _ends(name: str, entities: Mapping[str, Entity]) -> tuple[str, str] | None:
    """The writer and the reader that the name of a channel gives."""
    readers = [each for each in entities if name.endswith(CHANNEL_ARROW + each)]
    writers = [each for each in entities if name.startswith(each + CHANNEL_ARROW)]
    if not readers or not writers:
        return None
    return max(writers, key=len), max(readers, key=len)


def _direction(variable: Variable) -> str | None:
    declared: Field[object] = getattr(type(variable.entity), variable.field)
    return declared.messages if isinstance(variable.domain, Set) else None


def _members(variable: Variable) -> Iterator[str]:
    if _direction(variable) is not None:
        yield from map(str, cast("Set[object]", variable.domain).universe)


class _Reading:
    """Reads the steps of a trace one after the other."""

    def __init__(self, system: System, trace: Trace) -> None:
        self.system, self.trace = system, trace
        self.lanes = Lanes(system)
        self.order = list(self.lanes.order())
        self.messages: list[Message] = []
        #: Messages under way: the step that sent each, by entity, field and member.
        self._under_way: dict[tuple[str, str, str], int] = {}
        self._values = [system.values(state) for state in trace.states]

    def lane(self, position: int) -> Lane:
        """A lane as it is drawn."""
        name = self.lanes.names[position]
        if name not in self.lanes.channels:
            title = COORDINATOR if self.lanes.channels else self.system.protocol
            return Lane(name or title)
        queues = [
            v.name
            for v in self.system.variables
            if v.entity.name == name and isinstance(v.domain, Queue)
        ]
        lengths = [
            sum(len(cast("Sequence[object]", values[queue])) for queue in queues)
            for values in self._values
        ]
        return Lane(name, is_channel=True, lengths=tuple(lengths))

    def take(self, step: StoryStep, is_decisive: bool) -> Moment:
        """Read one step: its messages are kept, and the step is returned."""
        actor, *beside = self._hit(step) or (self._actor(step),)
        if step.fault is None:
            self._forget(step.renamed)
            for variable in self.system.variables:
                if isinstance(variable.domain, Queue):
                    self._queue(variable, step.number, actor)
                elif _direction(variable) is not None:
                    self._set(variable, step, self._values[step.number][variable.name])
        if step.number == len(self.trace.rules):
            self._still_open()
        about = tuple(_word(value) for _, value in step.rule.binding)
        name = step.rule.rule.name
        is_fault = step.fault is not None
        return Moment(step.number, name, about, actor, is_decisive, is_fault, tuple(beside))

    def _hit(self, step: StoryStep) -> Sequence[int]:
        """The tasks that a step of the environment changes which names none of them."""
        if step.rule.rule.makes_progress or step.fault is not None:
            return ()
        if self.lanes.actor(step.rule) is not None:
            return ()
        before, after = self._values[step.number - 1], self._values[step.number]
        hit = {
            self.lanes.of(v.entity.name)
            for v in self.system.variables
            if before[v.name] != after[v.name] and v.entity.name in self.lanes.tasks
        }
        return sorted(hit)

    def _actor(self, step: StoryStep) -> int:
        named = self.lanes.actor(step.rule)
        return self._actor_by_queues(step) if named is None else named

    def _actor_by_queues(self, step: StoryStep) -> int:
        """Of a step that names nobody: the reader of a channel that it takes from, or the writer
        of one that it puts into."""
        actor = COORDINATOR_LANE
        for variable in self.system.variables if step.fault is None else ():
            ends = self.lanes.channels.get(variable.entity.name)
            if ends is not None and isinstance(variable.domain, Queue):
                taken, put = self._moves(variable, step.number)
                if taken:
                    return ends[1]
                actor = ends[0] if put else actor
        return actor

    # --- queues ----------------------------------------------------------------------------------

    def _moves(self, variable: Variable, number: int) -> tuple[Sequence[object], Sequence[object]]:
        old, new = (self._values[each][variable.name] for each in (number - 1, number))
        return queue_moves(cast("Sequence[object]", old), cast("Sequence[object]", new))

    def _queue(self, variable: Variable, number: int, actor: int) -> None:
        queue = self.lanes.of(variable.entity.name)
        element = cast("Queue[object]", variable.domain).element
        is_channel = variable.entity.name in self.lanes.channels
        writer, reader = self.lanes.channels.get(variable.entity.name, (actor, actor))
        taken, put = self._moves(variable, number)
        if actor not in (writer, reader):
            taken = ()  # cleared by somebody else: nobody receives it
        for each in taken:
            self._instant(value_text(element, each), queue, reader, number)
        for each in put:
            source = writer if is_channel else actor
            self._instant(value_text(element, each), source, queue, number)

    def _instant(self, label: str, source: int, target: int, number: int) -> None:
        if source != target:
            self.messages.append(Message(label, source, target, number, number))

    # --- sets of messages ------------------------------------------------------------------------

    def _set(self, variable: Variable, step: StoryStep, new: object) -> None:
        entity, name = variable.entity.name, variable.field
        now = {str(each) for each in cast("frozenset[object]", new)}
        known = [key[2] for key in self._under_way if key[:2] == (entity, name)]
        values = {value for _, value in step.rule.binding}
        for member in known:
            if member not in now:
                sent = self._under_way.pop((entity, name, member))
                # A step that receives a message is about its task and about what it is for.
                arrived = member in values and (not entity or entity in values)
                self._add(variable, member, sent, step.number, arrived)
        for member in sorted(now - set(known)):
            self._under_way[entity, name, member] = step.number

    def _add(
        self, variable: Variable, member: str, sent: int, ended: int | None, arrived: bool
    ) -> None:
        owner, task = self.lanes.of(variable.entity.name), self.lanes.of(member)
        source, target = (owner, task) if _direction(variable) == "to" else (task, owner)
        label = " ".join(filter(None, (_singular(variable.field), variable.entity.name)))
        if source != target:
            self.messages.append(Message(label, source, target, sent, ended, arrived))

    def _forget(self, renamed: Sequence[str]) -> None:
        """Follow the names of entities whose ids are given again."""
        for old, new in zip(renamed[1:], renamed, strict=False):
            for key in [key for key in self._under_way if key[0] == old]:
                self._under_way[new, *key[1:]] = self._under_way.pop(key)

    def _still_open(self) -> None:
        """After the last step, keep what is still under way."""
        fields = {(v.entity.name, v.field): v for v in self.system.variables}
        for (entity, name, member), sent in self._under_way.items():
            self._add(fields[entity, name], member, sent, None, arrived=False)


def _singular(name: str) -> str:
    return name.removesuffix("s").replace("_", " ")


def _word(value: str) -> str:
    return {"True": "true", "False": "false"}.get(value, value)
