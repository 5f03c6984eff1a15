"""The same run twice: with few ids that are given again, and with an id for each checkpoint.

A walk takes random steps. After each step both systems must be able to take the same steps, and
each property must say the same of a checkpoint, whatever its name is in either system.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from finale.checker.search.interpreter.execution import (
    Judgement,
    PlainPredicate,
    PlainSystem,
    TakenStep,
)
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import can_apply
from finale.model.errors import FinaleError
from finale.model.language.bindings import BoundRule
from finale.model.language.build import world_of
from finale.model.language.plain import PlainStore
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol, Setting
from finale.model.properties.registry import PROPERTIES
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.system import Blocked, Fault, Kind

#: How many ids live at once, and how many checkpoints a walk begins.
LIVE, IDS = 3, 6
STEPS_MAX = 400
IDS_USED_UP = ("live_checkpoints", "checkpoints")
#: What can go wrong in a walk, and how often, if the protocol has such a bound.
BOUNDS = {"failures": 2, "expiries": 1, "declines": 1, "lost_confirmations": 1}

Key = tuple[str, tuple[tuple[str, str], ...]]
"""A rule or a predicate, by its name and its binding."""
Judges = Callable[[PlainPredicate], Judgement]


@dataclass
class Seen:
    """What walks have shown of each property.

    `differs` are the properties that said different things of one checkpoint, `forgotten` those
    that said something of a checkpoint that only the system with an id for each still knows.
    """

    walks: int = 0
    steps: int = 0
    given_again: int = 0
    asked: dict[str, int] = field(default_factory=dict[str, int])
    failed: dict[str, int] = field(default_factory=dict[str, int])
    differs: dict[str, str] = field(default_factory=dict[str, str])
    forgotten: dict[str, str] = field(default_factory=dict[str, str])
    other_steps: list[str] = field(default_factory=list[str])

    def add(self, other: Seen) -> None:
        """Count what other walks have shown, too."""
        self.walks += other.walks
        self.steps += other.steps
        self.given_again += other.given_again
        for mine, its in ((self.asked, other.asked), (self.failed, other.failed)):
            for name, count in its.items():
                mine[name] = mine.get(name, 0) + count
        self.differs = other.differs | self.differs
        self.forgotten = other.forgotten | self.forgotten
        self.other_steps += other.other_steps


def families_of(spec: Spec) -> tuple[Family, ...]:
    """Return the properties that say something of the spec's protocol."""
    asked = (replace(family, of_all_ids=False) for family in PROPERTIES)
    return tuple(family for family in asked if can_apply(family, spec.protocol))


def _observing_all(kind: type[Protocol], setting: Setting) -> Protocol:
    """Return the protocol with all history that it can keep for its job."""
    try:
        return kind(replace(setting, observe=frozenset(kind.ghosts)))
    except FinaleError as error:
        if error.code != "effects-of-copies":
            raise
        return kind(replace(setting, observe=frozenset(kind.ghosts) - {"effects"}))


class Side:
    """One of the two systems."""

    def __init__(self, spec: Spec, bounds: Mapping[str, int], *, all_history: bool) -> None:
        kind = spec.protocol
        declared = set(kind.bound_names())
        given = {**spec.setting.bounds, **bounds}
        given = {name: number for name, number in given.items() if name in declared}
        setting = replace(spec.setting, bounds=given)
        protocol = _observing_all(kind, setting) if all_history else kind(setting)
        assert isinstance(protocol, JobProtocol)
        self.protocol = protocol
        self.world = world_of(protocol, protocol.keeps())
        observed = protocol.setting.observe
        families = [each for each in families_of(spec) if each.needs in (None, *observed)]
        self.plain = PlainSystem(protocol, families)
        self.rules = {(each.rule.name, each.binding): each for each in self.plain.rules}
        self.predicates = {(p.family.name, p.binding): p for p in self.plain.predicates}
        self.names = [each.name for each in protocol.checkpoints]
        (self.values,) = self.plain.initial()[:1]

    def take(self, rule: BoundRule) -> TakenStep | Blocked | Fault:
        """Run a rule in the present state."""
        return self.plain.take(rule, self.values)

    def free_place(self) -> int:
        """Return the place of the id that is given again next."""
        with self.world.on(PlainStore(self.values)):
            free = (self.protocol.is_free(each) for each in self.protocol.checkpoints)
            return next(place for place, is_free in enumerate(free) if is_free)


class Walk:
    """A run of both systems in lockstep: a random one, or one that is given.

    The random one has the bounds that are given as the least that the protocol has of them.
    """

    def __init__(
        self, spec: Spec, seed: int, live: int, ids: int, least: Mapping[str, int]
    ) -> None:
        self.random = random.Random(seed)
        self.few = Side(
            spec, {**least, "live_checkpoints": live, "checkpoints": ids}, all_history=bool(least)
        )
        self.many = Side(
            spec, {**least, "live_checkpoints": 0, "checkpoints": ids}, all_history=bool(least)
        )
        self.alive = list(range(ids))
        """By place of an id of the few, the place of the same checkpoint among the many."""
        self.seen = Seen(walks=1)
        self._known: set[Key] = set()
        """What was said of a checkpoint before it was forgotten."""

    def run(self) -> Seen:
        """Walk until ids run out or nothing can happen."""
        self._judge_states()
        while self.seen.steps < STEPS_MAX:
            steps = list(self._steps())
            if not steps or len(self.alive) <= len(self.few.names):
                break
            self._go(*self.random.choice(steps))
        return self.seen

    def follow(self, rules: Sequence[Key]) -> Seen:
        """Take these steps, named as the few name them."""
        self._judge_states()
        for key in rules:
            steps = {
                (rule.rule.name, rule.binding): step for step in self._steps() for rule in step[:1]
            }
            assert key in steps, f"{key} cannot be taken with an id for each checkpoint"
            self._go(*steps[key])
        return self.seen

    def _names(self) -> dict[str, str]:
        pairs = zip(self.few.names, self.alive, strict=False)
        return {name: self.many.names[place] for name, place in pairs}

    def _mapped(self, key: Key, names: Mapping[str, str]) -> Key:
        return key[0], tuple((kind, names.get(value, value)) for kind, value in key[1])

    def _steps(self) -> Iterator[tuple[BoundRule, TakenStep, BoundRule, TakenStep]]:
        """The steps that change the state; both systems must have the same ones."""
        names, matched = self._names(), set[Key]()
        for key, rule in self.few.rules.items():
            other = self._mapped(key, names)
            matched.add(other)
            twin = self.many.rules[other]
            one, two = self.few.take(rule), self.many.take(twin)
            if any(isinstance(each, Blocked) and each.bound in IDS_USED_UP for each in (one, two)):
                continue
            if isinstance(one, TakenStep) and isinstance(two, TakenStep):
                if one.values != self.few.values:
                    yield rule, one, twin, two
            elif type(one) is not type(two):
                self.seen.other_steps.append(f"{key}: {one} and {two}")
        for key, rule in self.many.rules.items():
            if key not in matched and isinstance(self.many.take(rule), TakenStep):
                self.seen.other_steps.append(f"{key} is enabled for a forgotten checkpoint")

    def _go(self, rule: BoundRule, one: TakenStep, twin: BoundRule, two: TakenStep) -> None:
        if one.earlier is not None:
            gone = self.few.free_place()
            self._known |= self._said_of(gone)
            del self.alive[gone]
            self.seen.given_again += 1
        before = one.earlier or self.few.values
        olds = before, self.many.values
        self.few.values, self.many.values = one.values, two.values
        self.seen.steps += 1
        self._judge(lambda p: self.few.plain.judge_step(p, olds[0], rule, one.values),
                    lambda p: self.many.plain.judge_step(p, olds[1], twin, two.values),
                    on_steps=True)  # fmt: skip
        self._judge_states()

    def _judge_states(self) -> None:
        few, many = self.few, self.many
        self._judge(lambda p: few.plain.judge_state(p, few.values),
                    lambda p: many.plain.judge_state(p, many.values),
                    on_steps=False)  # fmt: skip

    def _judge(self, one: Judges, two: Judges, *, on_steps: bool) -> None:
        names, matched = self._names(), set[Key]()
        for key, predicate in self.few.predicates.items():
            if predicate.on_steps is not on_steps:
                continue
            other = self._mapped(key, names)
            matched.add(other)
            mine, its = one(predicate), two(self.many.predicates[other])
            if its != "silent":
                self.seen.asked[key[0]] = self.seen.asked.get(key[0], 0) + 1
            if its is False and predicate.family.kind is not Kind.REACHABLE:
                self.seen.failed[key[0]] = self.seen.failed.get(key[0], 0) + 1
            if mine != its:
                self.seen.differs.setdefault(key[0], f"{mine} of {key[1]}, {its} of {other[1]}")
        alive = {self.many.names[place] for place in self.alive}
        for key, predicate in self.many.predicates.items():
            gone = {value for _, value in key[1] if value in self.many.names} - alive
            if gone and predicate.on_steps is on_steps and key not in self._known:
                self._forgotten(key, predicate, two(predicate))

    def _forgotten(self, key: Key, predicate: PlainPredicate, said: Judgement) -> None:
        kind = predicate.family.kind
        bad = said is (kind is Kind.REACHABLE)
        if bad and kind in (Kind.ALWAYS, Kind.ON_STEP, Kind.REACHABLE):
            self.seen.forgotten.setdefault(key[0], f"{said} of {key[1]}")

    def _said_of(self, gone: int) -> set[Key]:
        """What can be said of a checkpoint while it is still known."""
        name = self.many.names[self.alive[gone]]
        return {
            key
            for key, predicate in self.many.predicates.items()
            if name in dict(key[1]).values() and not predicate.on_steps
            and self.many.plain.judge_state(predicate, self.many.values)
            is (predicate.family.kind is Kind.REACHABLE)
        }  # fmt: skip


def walks(spec: Spec, seeds: Sequence[int], live: int = LIVE, ids: int = IDS) -> Seen:
    """Return what several walks show."""
    seen = Seen()
    for seed in seeds:
        seen.add(Walk(spec, seed, live, ids, BOUNDS).run())
    return seen
