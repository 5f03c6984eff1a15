"""Facts about barrier alignment at a task with any number of inputs (AL-1, AL-2).

The methods of a task's gate are read off. A barrier arrives over an input, or a call puts it there.
An input may end, or bring a cancellation of the checkpoint. When all inputs have ended, the task is
called. The nodes of the graph are the inputs. Of three checkpoint ids the middle one arrives, so
the newest known id is none, an older, the same or a newer one: ids are only ever compared. A
barrier or an end arrives over an input that has not ended and is not blocked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from finale.checker.proofs.window import Effect
from finale.model.protocols.barriers.gate import AlignedGate
from finale.model.protocols.barriers.handler import Arrival
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.protocols.job.channels import Channel
from finale.model.rules import Setting
from finale.model.topology import Edge, Job, Vertex

from .fact import Fact, FactCase, Marks
from .logic import Logic, Term, Z3Logic
from .reading import StateAfterStep, SymbolicState, faults
from .window import Binding, JobWindow, Symbol, laid_out

IDS = 3
KNOWN = Symbol("T.newest.0", 0, 1, True)
NEWEST = Symbol("T.newest.1", 0, IDS - 1, False)
COMING = 1
"""The place of the id that comes among the ids."""
IN_ORDER, BY_CALL = "on_barrier", "on_trigger, at an open input"
BARRIERS = (IN_ORDER, BY_CALL)


@dataclass(frozen=True)
class Gates:
    """The methods of a protocol's gate, in a window onto any number of inputs."""

    kind: type[JobProtocol]
    options: Mapping[str, object]

    @cached_property
    def window(self) -> tuple[JobWindow, Channel]:
        """X is one input of the task T, C any other."""
        sources = tuple(Vertex.source(name, records=0) for name in "XC")
        job = Job((*sources, Vertex("T")), (Edge("X", "T"), Edge("C", "T")))
        protocol = laid_out(
            self.kind,
            Setting(
                job=job,
                options=self.options,
                bounds={"checkpoints": IDS, "channel": 4},
                observe=frozenset({"taken"}),
            ),
        )
        one, other = protocol.channels

        def is_other(logic: Logic, binding: Binding, node: Term) -> Term:
            return logic.differ(node, binding[one])

        return JobWindow(protocol, (one,), {other: is_other}, (other,)), one

    def blocks(self, others: tuple[type[AlignedGate], ...]) -> bool:
        """Whether the gate blocks inputs at barriers, and is none of the others."""
        protocol: Any = self.window[0].protocol
        return not isinstance(protocol.tasks[-1].gate, others)

    @property
    def aborts_on_end(self) -> bool:
        """AL-2: whether an input that ends aborts the alignment under way."""
        protocol: Any = self.window[0].protocol
        return bool(protocol.aborts_on_end)

    @cached_property
    def events(self) -> Mapping[str, Effect]:
        """What happens to a gate, by the method that is told."""
        window, one = self.window
        protocol: Any = window.protocol
        gate, coming = protocol.tasks[-1].gate, protocol.checkpoints[COMING]
        return {
            IN_ORDER: window.step(lambda: gate.on_barrier(one, coming, Arrival.IN_ORDER)),
            BY_CALL: window.step(lambda: gate.on_barrier(one, coming, Arrival.BY_CALL)),
            "on_end_of_partition": window.step(lambda: gate.on_end_of_partition(one)),
            "on_cancel_barrier": window.step(lambda: gate.on_cancel_barrier(coming)),
        }

    @cached_property
    def call(self) -> Effect:
        """PL-7: the task is called when all its inputs have ended."""
        window, _ = self.window
        protocol: Any = window.protocol
        task, coming = protocol.tasks[-1], protocol.checkpoints[COMING]
        all_ended = window.condition(lambda: task.inputs_ended)
        return window.step(lambda: task.gate.on_trigger(coming), given=all_ended)


class Inputs:
    """What is known of a gate in a state. `brought` are the inputs whose barrier has come."""

    def __init__(self, state: SymbolicState, brought: Callable[[Term], Term]) -> None:
        self.state, self.brought = state, brought
        self.logic = state.logic

    @property
    def aligning(self) -> Term:
        """Whether an alignment is under way."""
        return self.state.holds("T.gate.aligning")

    def is_newest(self, place: int) -> Term:
        """Whether an id is the newest that is known."""
        is_it = self.state.read(NEWEST, ()) == place
        return self.logic.both(self.state.read(KNOWN, ()), is_it)

    @property
    def is_past(self) -> Term:
        """Whether the id that comes was taken or given up, or a newer one begun."""
        newer = [self.is_newest(place) for place in range(COMING + 1, IDS)]
        done = self.logic.both(self.is_newest(COMING), self.logic.negation(self.aligning))
        return self.logic.either(done, *newer)

    def is_taken(self, place: int) -> Term:
        """Whether the task has taken its part of a checkpoint."""
        return self.state.holds(f"T.taken[cp{place + 1}]")

    def has_come(self, node: Term) -> Term:
        """Whether an input has brought the barrier, or its end."""
        return self.logic.either(self.brought(node), self.state.holds("ended", node))

    # --- what is claimed of every state ----------------------------------------------------------

    def counts(self) -> Term:
        """An input counts as aligned if it has brought the barrier or its end; outside of an
        alignment none does."""
        logic = self.logic

        def rightly(node: Term) -> Term:
            aligned, come = self.state.holds("aligned", node), self.has_come(node)
            same = logic.both(logic.implies(aligned, come), logic.implies(come, aligned))
            none = logic.negation(aligned)
            return logic.choice(self.aligning, same, none)

        return logic.forall(rightly)

    def waits_for_someone(self) -> Term:
        """While a task aligns, some input has brought the barrier, and some neither the barrier
        nor its end."""
        logic = self.logic
        missing = logic.exists(lambda node: logic.negation(self.has_come(node)))
        return logic.implies(self.aligning, logic.both(logic.exists(self.brought), missing))

    def reads_again(self) -> Term:
        """Blocked is only who has brought the barrier of an alignment under way, and goes on."""
        logic = self.logic

        def rightly(node: Term) -> Term:
            goes_on = logic.negation(self.state.holds("ended", node))
            reason = logic.both(self.aligning, self.brought(node), goes_on)
            return logic.implies(self.state.holds("blocked", node), reason)

        return logic.forall(rightly)

    def takes_once(self) -> Term:
        """What was taken is not aligned again: it is older than the newest, or over."""
        logic, over = self.logic, self.logic.negation(self.aligning)
        claims: list[Term] = []
        for place in range(IDS):
            newer = [self.is_newest(other) for other in range(place + 1, IDS)]
            done = logic.both(self.is_newest(place), over)
            claims.append(logic.implies(self.is_taken(place), logic.either(done, *newer)))
        known = logic.implies(self.aligning, self.state.read(KNOWN, ()))
        return logic.conjunction([*claims, known])

    def all_claims(self) -> Term:
        """All of these."""
        return self.logic.both(
            self.counts(), self.waits_for_someone(), self.reads_again(), self.takes_once()
        )


@dataclass(frozen=True)
class GateEvent:
    """Something happens at one input, in a state of which all is known that is claimed."""

    name: str
    before: Inputs
    after: Inputs
    given: list[Term]
    at: Term
    fault: Term


def _events(gates: Gates, logic: Z3Logic) -> list[GateEvent]:
    window, one = gates.window
    at = logic.some_node("x")
    state = SymbolicState(logic)
    before = Inputs(state, logic.of("brought"))
    found: list[GateEvent] = []
    for name, step in gates.events.items():
        after = StateAfterStep(state, window, step, {one: at})
        brought = _brought_after(before, at) if name in BARRIERS else before.brought
        given = [
            before.all_claims(),
            logic.negation(state.holds("ended", at)),
        ]
        fault = faults(window, step, state, {one: at})
        if name != BY_CALL:
            given.append(logic.negation(state.holds("blocked", at)))
        found.append(GateEvent(name, before, Inputs(after, brought), given, at, fault))
    return found


def _brought_after(before: Inputs, at: Term) -> Callable[[Term], Term]:
    logic = before.logic

    def brought(node: Term) -> Term:
        same = logic.both(before.is_newest(COMING), before.brought(node))
        return logic.choice(before.is_past, before.brought(node), logic.either(same, node == at))

    return brought


def _question(event: GateEvent, claim: Term, further: Sequence[Term] = ()) -> FactCase:
    state = event.before.state
    marks: Marks = {
        "has brought the barrier": event.before.brought,
        "has ended": state.of("ended"),
        "blocked": state.of("blocked"),
        f"now: {event.name}": lambda node: node == event.at,
    }
    sound = event.before.logic.both(event.before.logic.negation(event.fault), claim)
    return FactCase(event.name, [*event.given, *further], sound, marks)


def _kept(
    gates: Gates, name: str, cites: tuple[str, ...], sentence: str, part: Callable[[Inputs], Term]
) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        return [_question(each, part(each.after)) for each in _events(gates, logic)]

    return Fact(name, cites, sentence, ask, node="input", of=tuple(gates.events))


def _takes_when_all_came(gates: Gates) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        found: list[FactCase] = []
        for event in _events(gates, logic):
            state = event.before.state
            aborted = (state.holds(f"T.aborted[cp{place + 1}]") for place in range(IDS))
            known = [logic.negation(each) for each in aborted]
            found.append(_question(event, _taken_exactly(event), known))
        return found

    return Fact(
        "part-is-taken-with-the-last",
        ("AL-1", "AL-2"),
        "A task takes its part of a checkpoint when the last of its inputs brings the barrier or "
        "its end, one of them a barrier, and not before; and never a second time.",
        ask,
        node="input",
        of=tuple(gates.events),
    )


def _taken_exactly(event: GateEvent) -> Term:
    logic, before, after = event.before.logic, event.before, event.after
    came = logic.forall(lambda node: logic.either(after.has_come(node), node == event.at))
    claims: list[Term] = []
    for place in range(IDS):
        if event.name in BARRIERS:
            begun = logic.negation(before.is_past) if place == COMING else logic.truth(False)
        elif event.name == "on_end_of_partition":
            begun = logic.both(before.aligning, before.is_newest(place))
        else:
            begun = logic.truth(False)
        now = logic.both(begun, came)
        claims.append(after.is_taken(place) == logic.either(before.is_taken(place), now))
        claims.append(logic.implies(now, logic.negation(before.is_taken(place))))
    return logic.conjunction(claims)


def _called_at_the_end(gates: Gates) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        window, one = gates.window
        at = logic.some_node("x")
        state = SymbolicState(logic)
        before = Inputs(state, logic.of("brought"))
        after = Inputs(StateAfterStep(state, window, gates.call, {one: at}), before.brought)
        given = [
            before.all_claims(),
            logic.forall(state.of("ended")),
            logic.negation(state.holds(f"T.aborted[cp{COMING + 1}]")),
            logic.negation(before.is_past),
        ]
        marks: Marks = {"has ended": state.of("ended")}
        once = logic.both(logic.negation(before.is_taken(COMING)), after.is_taken(COMING))
        sound = logic.negation(faults(window, gates.call, state, {one: at}))
        claim = logic.both(sound, once, after.takes_once())
        return [FactCase("on_trigger", given, claim, marks)]

    return Fact(
        "called-after-the-ends",
        ("PL-7",),
        "A task that is called when all its inputs have ended takes its part at once.",
        ask,
        node="input",
        of=("on_trigger",),
    )


def facts_of_gates(gates: Gates) -> list[Fact]:
    """What is claimed of the alignment at a task."""
    aligned = ("AL-1", "AL-2")
    return [
        _kept(
            gates,
            "ended-inputs-count",
            aligned,
            "While a task aligns, an input counts as aligned if it has brought the barrier or its "
            "end, and no other does; else none does.",
            Inputs.counts,
        ),
        _kept(
            gates,
            "alignment-waits-for-someone",
            aligned,
            "While a task aligns, one of its inputs has brought the barrier, and one neither the "
            "barrier nor its end.",
            Inputs.waits_for_someone,
        ),
        _kept(
            gates,
            "blocked-for-a-reason",
            (*aligned, "S19"),
            "An input is blocked only while its task aligns, after its barrier, and if it has not "
            "ended.",
            Inputs.reads_again,
        ),
        _kept(
            gates,
            "no-part-is-taken-again",
            ("AL-1",),
            "A checkpoint of which a task has taken its part is never aligned again.",
            Inputs.takes_once,
        ),
        _takes_when_all_came(gates),
        _called_at_the_end(gates),
    ]
