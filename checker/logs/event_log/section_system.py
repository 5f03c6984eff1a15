"""Runs the protocol that a section of an event log claims to follow, on plain values.

The model has no records, and as many requests and failures as the section needs. A long section has
more checkpoints than the model: the model reuses their ids
(`JobProtocol.make_room`), and each state knows which checkpoint of the log an id is.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from finale.checker.logs.event_log.reading import EventLine, Section
from finale.checker.search.interpreter.execution import PlainSystem, TakenStep
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.reading import can_apply
from finale.model.errors import Place
from finale.model.events import WORDS
from finale.model.language.bindings import BoundRule
from finale.model.language.build import world_of
from finale.model.language.entities import Variable
from finale.model.language.path_ends import BlockedHere, FaultHere, line_of
from finale.model.language.plain import PlainStore, Values
from finale.model.protocols.coordinator.checkpoints import (
    COMPLETED,
    UNUSED,
    Checkpoint,
    CheckpointKind,
)
from finale.model.protocols.task.tasks import Task, TaskStatus
from finale.model.rules import Nothing
from finale.model.system import Blocked, Fault

from .section_setting import IDS_LIVE, setting_of

_ID = re.compile(r"cp\d+")


@dataclass(frozen=True)
class Reached:
    """A state of the protocol, and the log's number of each id in it; None where none is known."""

    values: Values
    ids: tuple[int | None, ...]

    def log_name(self, name: str) -> str:
        """A name in the words of the log: of an id of the state, the log's."""
        place = int(name[2:]) - 1 if _ID.fullmatch(name) else len(self.ids)
        return f"cp{self.ids[place] or '?'}" if place < len(self.ids) else name


@dataclass(frozen=True)
class Refusal:
    """Why a step cannot be taken in a state: the line of the rule, and what it has read there."""

    why: str
    place: Place | None = None
    source: str = ""
    reads: tuple[tuple[Variable, object], ...] = ()
    bound: str | None = None
    """Only this bound of the search forbids it."""


@dataclass(frozen=True)
class Footprint:
    """The positions of the variables that a step reads, and those that it changes."""

    reads: frozenset[int]
    writes: frozenset[int]

    def meets(self, other: Footprint) -> bool:
        """Whether it matters which of two steps comes first."""
        return bool(
            self.writes & (other.reads | other.writes) or other.writes & (self.reads | self.writes)
        )


class ReadNotingState(PlainStore):
    """A state that notes which variables are read."""

    def __init__(self, values: Values) -> None:
        super().__init__(values)
        self.read: dict[int, Variable] = {}

    def get(self, variable: Variable) -> Any:
        self.read[variable.position] = variable
        return super().get(variable)


class SectionSystem:
    """The rules of a section's protocol, in its setting.

    `hidden` are the steps that may have been taken without an event; with `judges` it has the
    properties, too. `room` is what a channel takes, if it is less than can ever be needed. With
    `bounds`, these are its bounds, and not those that the section needs.
    """

    def __init__(  # noqa: PLR0913 - what is asked, of what, and how far
        self,
        section: Section,
        known: Catalogue,
        hidden: Collection[str],
        *,
        file: str | None = None,
        live: int = IDS_LIVE,
        judges: bool = True,
        room: int | None = None,
        bounds: Mapping[str, int] | None = None,
    ) -> None:
        self.section = section
        self._hides_begins = any(WORDS[name].begins for name in hidden)
        kind, setting = setting_of(
            section, known, hidden, file=file, live=live, room=room, bounds=bounds
        )
        self.protocol = kind(setting)
        self.families = tuple(
            family
            for family in known.properties.values()
            if judges and can_apply(family, kind) and not family.on_request
            and (family.needs is None or family.needs in setting.observe)
        )  # fmt: skip
        self.world = world_of(self.protocol, self.protocol.keeps())
        self.plain = PlainSystem(self.protocol, self.families)
        self.rules = {(each.rule.name, each.binding): each for each in self.plain.rules}
        self._by_name: dict[str, list[tuple[int, BoundRule]]] = {}
        for each in self.plain.rules:
            named = [int(v[2:]) for kind, v in each.binding if kind == "checkpoint"]
            self._by_name.setdefault(each.rule.name, []).append((max(named, default=0), each))
        self._status = [each.variables["status"].position for each in self.protocol.checkpoints]

    # --- where it starts -------------------------------------------------------------------------

    def start(self, told: Mapping[str, Any] | None = None) -> Reached:
        """The state in which the section begins, or one whose `log-start` tells this."""
        (initial,) = self.plain.initial()
        start = self.section.start if told is None else told
        if start.get("starts") != "restoring":
            return Reached(initial, ())
        store = PlainStore(initial)
        with self.world.on(store):
            for task in self.protocol.tasks:
                task.status = TaskStatus.RESTORING
            if start.get("from") is not None:
                first = self.protocol.checkpoints[0]
                first.status = COMPLETED
                finished: object = start.get("finished")
                for task in self.protocol.tasks:
                    if isinstance(finished, list) and task.name in finished:
                        first.finished.add(task)
        ids = () if start.get("from") is None else (int(start["from"]),)
        return Reached(tuple(store.values), ids)

    # --- steps -----------------------------------------------------------------------------------

    def take(self, event: EventLine, reached: Reached) -> tuple[BoundRule, Reached] | Refusal:
        """The step that an event tells and the state after it, or in short why there is none."""
        rule, state, refusal = self._rule_of(event, reached)
        if rule is None:
            return refusal
        after = self._taken(rule, state, event.checkpoint)
        return after if isinstance(after, Refusal) else (rule, after)

    def explain(self, event: EventLine, reached: Reached) -> Refusal:
        """Why an event cannot be taken: the guard, and what it has read until then."""
        rule, state, refusal = self._rule_of(event, reached)
        if rule is None:
            return refusal
        taken = self._taken(rule, state, event.checkpoint)
        assert isinstance(taken, Refusal), f"{event.name} can be taken"
        return taken if taken.why else self._explained(rule, state.values)

    def _rule_of(
        self, event: EventLine, reached: Reached
    ) -> tuple[BoundRule | None, Reached, Refusal]:
        """The ground rule that an event speaks of, in a state that knows the ids it names."""
        ids, binding = reached.ids, event.about
        if event.checkpoint is not None and any(kind == "checkpoint" for kind, _ in binding):
            known = _named(ids, event.checkpoint)
            if known is None:
                return None, reached, Refusal(f"checkpoint {event.checkpoint} is none of those "
                                              "that are known")  # fmt: skip
            ids, own = known, f"cp{1 + known.index(event.checkpoint)}"
            binding = tuple((k, own if k == "checkpoint" else v) for k, v in binding)
        state = Reached(reached.values, ids)
        rule = self.rules.get((event.name, binding))
        if event.name == "restore" and "from" in event.fields:
            told, meant = event.fields["from"], self.completed(state)
            if told != meant:
                return None, state, Refusal(f"{told} is restored, but what can be is {meant}")
        return rule, state, Refusal("there is no such step in this job")

    def unseen(
        self, reached: Reached, names: Collection[str]
    ) -> Iterator[tuple[BoundRule, Reached, Footprint]]:
        """The steps of such names that can be taken, where they lead, and what they touch."""
        for name in names:
            for newest, rule in self._by_name.get(name, ()):
                if newest > len(reached.ids):
                    continue
                print_, values = self._watched(rule, reached.values)
                if values is not None and values != reached.values:
                    ids = self._ids_after(rule, reached, values, None)
                    assert isinstance(ids, tuple)
                    if len(ids) > 0 and ids != reached.ids and ids[-1] is None:
                        ids = (*ids[:-1], self._next_number(reached))
                    yield rule, Reached(values, ids), print_

    def footprint(self, event: EventLine, reached: Reached) -> tuple[bool, Footprint]:
        """Whether an event can be taken, and what it touches until then."""
        rule, state, _ = self._rule_of(event, reached)
        if rule is None:
            return False, Footprint(frozenset(), frozenset())
        print_, values = self._watched(rule, state.values)
        return values is not None, print_

    def _watched(self, rule: BoundRule, values: Values) -> tuple[Footprint, Values | None]:
        """What a rule touches in a state, and the state after it if it can be taken."""
        store = ReadNotingState(values)
        try:
            with self.world.on(store):
                rule.method(*rule.arguments)
        except (BlockedHere, FaultHere):
            return Footprint(frozenset(store.read), frozenset()), None
        both = enumerate(zip(store.values, values, strict=True))
        writes = frozenset(at for at, (new, old) in both if new is not old and new != old)
        return Footprint(frozenset(store.read), writes), tuple(store.values)

    def _taken(self, rule: BoundRule, reached: Reached, number: int | None) -> Reached | Refusal:
        match self.plain.take(rule, reached.values):
            case TakenStep(values=values):
                ids = self._ids_after(rule, reached, values, number)
                return Reached(values, ids) if isinstance(ids, tuple) else ids
            case Blocked(bound=bound):
                return Refusal("", bound=bound)
            case Fault():
                return Refusal("")

    def _ids_after(
        self, rule: BoundRule, reached: Reached, values: Values, number: int | None
    ) -> tuple[int | None, ...] | Refusal:
        """The ids that are known after a step, which may have begun a checkpoint of this number."""
        ids, used = reached.ids, self._used(values)
        full = used == len(self._status) == len(ids)
        periodic = rule.rule.name == "trigger_checkpoint"
        if not WORDS[rule.rule.name].begins:
            return ids
        if used == len(ids) and not (full and (periodic or number is not None)):
            return ids if number is None else Refusal(f"it does not begin checkpoint {number}")
        if number is not None and number <= max((each for each in ids if each), default=0):
            return Refusal(f"it begins checkpoint {number}, which is no new id")
        if number is not None and number != self._counted(reached, number):
            return Refusal(f"it begins checkpoint {number}, and leaves numbers out")
        if full:
            gone = self._retired(reached)
            ids = (*ids[:gone], *ids[gone + 1 :])
        return (*ids, number)

    def given_again(self, rule: BoundRule, before: Reached, after: Reached) -> int | None:
        """The place of the id that a step gives again, if it does."""
        full = self._used(before.values) == len(self._status) == len(before.ids)
        if not full or not WORDS[rule.rule.name].begins:
            return None
        begun = rule.rule.name == "trigger_checkpoint" or before.ids[-1] != after.ids[-1]
        return self._retired(before) if begun else None

    def forgotten(self, reached: Reached, gone: int) -> Reached:
        """A state without an id that is free, which is given again next."""
        store = PlainStore(reached.values)
        with self.world.on(store):
            self.protocol.give_again(self.protocol.checkpoints[gone])
        return Reached(tuple(store.values), (*reached.ids[:gone], *reached.ids[gone + 1 :]))

    def _used(self, values: Values) -> int:
        return sum(values[position] is not UNUSED for position in self._status)

    def _retired(self, reached: Reached) -> int:
        """The place of the id that is given again."""
        with self.world.on(PlainStore(reached.values)):
            free = (self.protocol.is_free(each) for each in self.protocol.checkpoints)
            return next(place for place, is_free in enumerate(free) if is_free)

    def completed(self, reached: Reached) -> int | None:
        """The log's number of the checkpoint that a restart would take."""
        with self.world.on(PlainStore(reached.values)):
            point = cast(Checkpoint, self.protocol.restore_point())
        return None if point == Nothing else reached.ids[self.protocol.checkpoints.index(point)]

    def startable(self, reached: Reached) -> tuple[int, ...]:
        """The places of the completed checkpoints that a new process starts from by itself.

        Those are all but savepoints, where savepoints are only the user's.
        """
        stored = bool(getattr(self.protocol, "savepoint_stored", False))
        return tuple(
            place
            for place, checkpoint in enumerate(self.protocol.checkpoints[: len(reached.ids)])
            if self._is_completed(checkpoint, reached.values)
            and (stored or _kind_of(checkpoint, reached.values) is not CheckpointKind.SAVEPOINT)
        )

    def unnamed(self, reached: Reached) -> tuple[int, ...]:
        """The places of completed checkpoints whose number is not known."""
        both = enumerate(zip(self.protocol.checkpoints, reached.ids, strict=False))
        return tuple(
            place
            for place, (checkpoint, number) in both
            if number is None and self._is_completed(checkpoint, reached.values)
        )

    def may_be(self, reached: Reached, place: int, number: int) -> bool:
        """Whether an id at this place, whose number is not known, may have this one."""
        before = (each for each in reached.ids[:place] if each is not None)
        behind = (each for each in reached.ids[place:] if each is not None)
        return all(each < number for each in before) and all(each > number for each in behind)

    def _next_number(self, reached: Reached) -> int | None:
        """The number of the checkpoint that is begun next, where that is known: engines count."""
        start = self.section.start
        own = [each for each in reached.ids if each != start.get("from")]
        newest = own[-1] if own else start.get("last")
        return newest + 1 if start.get("profile") == "engine" and isinstance(newest, int) else None

    def _counted(self, reached: Reached, number: int) -> int:
        """The number that a checkpoint must have that is begun as this one: engines count."""
        counts = not self.section.lost and not self._hides_begins
        following = self._next_number(reached) if counts else None
        return number if following is None else following

    def _is_completed(self, checkpoint: Checkpoint, values: Values) -> bool:
        return values[checkpoint.variables["status"].position] is COMPLETED

    # --- why not ---------------------------------------------------------------------------------

    def _explained(self, rule: BoundRule, values: Values) -> Refusal:
        """Why a rule cannot be taken: where it ends, and what it has read until then."""
        store = ReadNotingState(values)
        try:
            with self.world.on(store):
                rule.method(*rule.arguments)
        except BlockedHere as stop:
            place, bound = line_of(stop)[0], stop.bound
        except FaultHere as stop:
            place, bound = stop.place, None
        else:
            raise AssertionError(f"{rule.rule.name} can be taken")
        read = tuple((v, values[v.position]) for v in store.read.values())
        source = linecache.getline(str(place.file), place.line or 0).strip()
        return Refusal(rule.rule.sentence, place, source, read, bound)

    def finished_of(self, reached: Reached) -> dict[int, frozenset[str]]:
        """The completed checkpoints that are known, and the tasks that each has as finished."""
        found: dict[int, frozenset[str]] = {}
        for checkpoint, number in zip(self.protocol.checkpoints, reached.ids, strict=False):
            if number is not None and self._is_completed(checkpoint, reached.values):
                at = checkpoint.variables["finished"].position
                finished = cast("frozenset[Task]", reached.values[at])
                found[number] = frozenset(task.name for task in finished)
        return found


def _kind_of(checkpoint: Checkpoint, values: Values) -> object:
    """What a checkpoint is for, where there are others than to restart from."""
    kind = checkpoint.variables.get("kind")
    return CheckpointKind.CHECKPOINT if kind is None else values[kind.position]


def _named(ids: tuple[int | None, ...], number: int) -> tuple[int | None, ...] | None:
    """The ids with this one among them: it may be one that was begun without an event."""
    if number in ids:
        return ids
    for place, each in enumerate(ids):
        before = (known for known in ids[:place] if known is not None)
        behind = (known for known in ids[place:] if known is not None)
        if each is None and all(n < number for n in before) and all(n > number for n in behind):
            return (*ids[:place], number, *ids[place + 1 :])
    return None
