"""Facts about the calls of a pending checkpoint: whom they reach, and what if the task has ended.

PL-5 aborts the checkpoint. PL-6 counts the task as finished, and calls each consumer that has no
other unfinished producer. The facts hold after the plan, and each rule that changes the plan keeps
them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from finale.checker.proofs.window import Effect
from finale.model.protocols.coordinator.checkpoints import CheckpointStatus

from .fact import Fact, FactCase, Marks
from .logic import Logic, Term, Z3Logic
from .plans import Of, Plans, delivered, has_status, is_closed, marks_of, planned
from .reading import StateAfterStep, SymbolicState, faults, returns
from .window import Binding, JobWindow, Symbol


@dataclass(frozen=True)
class Pending:
    """What is claimed of each state of a pending checkpoint, while its calls go out.

    `called` is a history: who was called, now or before.
    """

    logic: Z3Logic
    state: SymbolicState
    called: Of

    def heads(self, task: Term) -> Term:
        """No task is called while one of its producers is not counted as finished."""
        logic, finished = self.logic, "cp1.finished"
        ended = logic.forall(
            lambda p: logic.implies(logic.edge(p, task), self.state.holds(finished, p))
        )
        return logic.implies(self.called(task), ended)

    def reached(self, task: Term) -> Term:
        """Who is waited for was called, or reads one that is not counted as finished."""
        logic = self.logic
        open_one = logic.exists(
            lambda p: logic.both(
                logic.edge(p, task), logic.negation(self.state.holds("cp1.finished", p))
            )
        )
        waits = self.state.holds("cp1.awaited", task)
        return logic.implies(waits, logic.either(self.called(task), open_one))

    def apart(self, task: Term) -> Term:
        """Who is counted as finished is closed, and not waited for; who is to be called, was."""
        logic, holds = self.logic, self.state.holds
        ended = logic.both(is_closed(self.state, task), logic.negation(holds("cp1.awaited", task)))
        counted = logic.implies(holds("cp1.finished", task), ended)
        noted = logic.implies(holds("cp1.triggers", task), self.called(task))
        return logic.both(counted, noted)

    def all_of(self, task: Term) -> Term:
        """All that is claimed of a task."""
        return self.logic.both(self.heads(task), self.reached(task), self.apart(task))


RULES_OF_CALLS = ("deliver_trigger", "apply_acknowledgement")


def _kept(plans: Plans, name: str, sentence: str, part: Callable[[Pending, Term], Term]) -> Fact:
    """A claim about pending checkpoints: made by the plan, and kept by each rule."""

    def ask(logic: Z3Logic) -> list[FactCase]:
        before, first, given = planned(plans, logic)
        task = logic.some_node("t")
        begun = Pending(logic, first, first.of("cp1.triggers"))
        found = [FactCase("begin", given, part(begun, task), marks_of(before, first))]
        window, called_task, _ = plans.call
        binding: Binding = {called_task: logic.some_node("called")}
        ever = logic.of("was-called")
        was = Pending(logic, before, ever)
        for rule in RULES_OF_CALLS:
            step = plans.called(rule)
            after = StateAfterStep(before, window, step, binding)
            given = [
                has_status(before, CheckpointStatus.PENDING),
                logic.forall(was.all_of),
                _is_taken(window, step, before, binding),
                has_status(after, CheckpointStatus.PENDING),
            ]
            now = Pending(logic, after, _or_now(logic, after, ever))
            claim = logic.both(_sound(window, step, before, binding), part(now, task))
            marks: Marks = {**marks_of(before, after), "was called": ever}
            found.append(FactCase(rule, given, claim, marks))
        return found

    rules = ("begin", *RULES_OF_CALLS, "trigger_failed")
    return Fact(name, ("PL-6", "S12"), sentence, ask, of=rules)


def _is_taken(window: JobWindow, step: Effect, before: SymbolicState, binding: Binding) -> Term:
    """Where a rule is taken, be it into a fault."""
    logic, how = before.logic, (window, step, before, binding)
    return logic.either(returns(*how), faults(*how))


def _sound(window: JobWindow, step: Effect, before: SymbolicState, binding: Binding) -> Term:
    """Where a rule does not fault."""
    return before.logic.negation(faults(window, step, before, binding))


def _or_now(logic: Logic, after: SymbolicState, ever: Of) -> Of:
    return lambda task: logic.either(ever(task), after.holds("cp1.triggers", task))


def _no_lost_call(plans: Plans) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        before = SymbolicState(logic)
        window, task, _ = plans.call
        binding: Binding = {task: logic.some_node("t")}
        step = plans.called("deliver_trigger")
        after = StateAfterStep(before, window, step, binding)
        t = binding[task]
        has_mail = Symbol(f"mail[{plans.call[2]}]", 0, 1, True)
        given = [
            has_status(before, CheckpointStatus.PENDING),
            before.holds("cp1.awaited", t),
            _is_taken(window, step, before, binding),
        ]
        cared_for = logic.either(
            logic.negation(has_status(after, CheckpointStatus.PENDING)),
            logic.negation(after.holds("cp1.awaited", t)),
            logic.both(after.read(has_mail, (t,)), logic.negation(is_closed(after, t))),
        )
        claim = logic.both(_sound(window, step, before, binding), cared_for)
        marks: Marks = {
            **marks_of(before, after),
            "called": before.of("cp1.triggers"),
        }
        return [FactCase("deliver_trigger", given, claim, marks)]

    return Fact(
        "no-call-is-lost",
        ("PL-4", "PL-5", "PL-6"),
        "A call reaches a task that runs, or its checkpoint does not wait for that task any more, "
        "or has ended.",
        ask,
        of=("deliver_trigger", "trigger_failed"),
    )


def _calls_deliver(plans: Plans) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        state = SymbolicState(logic)
        pending = Pending(logic, state, logic.of("was-called"))
        given = [logic.forall(pending.all_of)]
        takes, ended = logic.of("takes-part"), state.of("cp1.finished")

        def answered(task: Term) -> Term:
            answers = logic.either(takes(task), ended(task))
            return logic.implies(pending.called(task), answers)

        def counted(task: Term) -> Term:
            # Who has acknowledged took part: the others are waited for, unless they are finished.
            return logic.either(takes(task), ended(task), state.holds("cp1.awaited", task))

        def nobody(_: Term) -> Term:
            return logic.truth(False)

        given += [logic.forall(answered), logic.forall(counted)]
        hypotheses, claim = delivered(logic, state, given, nobody)
        return [FactCase("all calls are answered", hypotheses, claim, marks_of(state, state))]

    return Fact(
        "calls-reach-all",
        ("PL-6", "S12"),
        "When each call has found its task running, and it took its part, or found it ended, then "
        "each task that is waited for gets a barrier or an EndOfPartition on every input, one "
        "barrier at least, and takes its part.",
        ask,
        of=("begin", *RULES_OF_CALLS, "trigger_failed"),
    )


def facts_of_calls(plans: Plans) -> list[Fact]:
    """What is claimed of a plan while its calls go out, and of some it is made anew (PL-6)."""
    return [
        _no_lost_call(plans),
        _kept(
            plans,
            "only-heads-are-called",
            "No task is called, also not in place of one that was found ended, while one of its "
            "producers is not counted as finished.",
            Pending.heads,
        ),
        _kept(
            plans,
            "who-waits-is-reached",
            "While a checkpoint is pending, each task that it waits for was called, or reads one "
            "that is not counted as finished.",
            lambda pending, task: pending.logic.both(pending.reached(task), pending.apart(task)),
        ),
        _calls_deliver(plans),
    ]
