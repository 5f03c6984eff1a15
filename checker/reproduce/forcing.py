"""Tests an assumption on a real engine: Flink as it is, and Flink without the assumption.

A counterexample of rules without an assumption has a first step that the rules forbid with it. A
real Flink is driven along the counterexample twice. As Flink is, it must refuse the step. If the
method that the assumption names is forced to do nothing, or to return what a guard that is left out
returns, Flink must take the step. So the assumption's citation is tested: it is this method that
keeps Flink from the step, and nothing else does.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace

from finale.checker.studies.foreign_step import ForeignStep
from finale.reference.flink.debugged import VALUES
from finale.reference.flink.facts import EngineFacts
from finale.reference.flink.hooks import Assumed
from finale.reference.flink.order import Order, OrderedStep

from .ordering import NotTakeable
from .verdicts import DAMAGES, JudgedRun

#: The line with which Flink says that a checkpoint has completed.
COMPLETED = re.compile(r"Completed checkpoint (\d+) for job")
#: The line with which Flink says that a checkpoint was aborted.
ABORTED = re.compile(r"Failed to trigger or complete checkpoint (\d+) for job")
CHECKPOINT_ENDS = "checkpoint-ends"


class Kept(enum.Enum):
    """What a run says about an assumption. The first two: Flink as it is. The next two: forced."""

    KEPT = "kept"
    NOT_KEPT = "not kept"
    BY_METHOD = "by that method"
    NOT_BY_METHOD = "not by that method"
    NOT_TAKEABLE = "not takeable"


@dataclass(frozen=True)
class JudgedForce:
    """One of the two runs: its verdict, the reasons, and what the method returned.

    `flink` says which Flink has run: as it is, or with which method forced.
    """

    flink: str
    judged: JudgedRun
    verdict: Kept
    why: tuple[str, ...]
    results: tuple[str, ...]


def check_forcible(assumption: str, facts: EngineFacts) -> None:
    """Raises `NotTakeable` for an assumption that Flink cannot be made to do without."""
    if assumption not in facts.assumed:
        why = facts.unforced.get(assumption, "no method is known that Flink does without it")
        raise NotTakeable(f"the driver cannot force {assumption}: {why}")


def order_without(order: Order, assumption: str, step: ForeignStep, *, forced: bool) -> Order:
    """The order of a counterexample without an assumption, for one of the two runs.

    With the assumption the forbidden step may keep a checkpoint from its completion, and without
    the assumption the two steps may come in any order. So the completion has to come later.
    """
    own = _own(order, step)
    number = 0 if own is None else own.number
    steps = tuple(
        replace(each, after=(*each.after, number))
        if number and each.number != number and _completes(each, step.completes)
        else each
        for each in order.steps
    )
    return replace(order, steps=steps, assumption=assumption, forced=forced, forbidden=number)


def _completes(step: OrderedStep, checkpoint: str) -> bool:
    """Whether a checkpoint completes in the moment of a step."""
    is_last = any(told.endswith(" complete") for told in step.tells)
    return is_last and step.about.get("checkpoint") == checkpoint != ""


def _own(order: Order, step: ForeignStep) -> OrderedStep | None:
    """The step of an order that is the forbidden one, or in whose moment that happens."""
    for each in order.steps:
        if each.number == step.number or any(
            told.startswith(f"{step.number} ") for told in each.tells
        ):
            return each
    return None


def judged_force(
    judged: JudgedRun,
    name: str,
    order: Order,
    step: ForeignStep,
    method: Assumed,
    unlike: tuple[str, ...] = (),
) -> JudgedForce:
    """Judge one of the two runs of a counterexample of a property without an assumption.

    `method` is what is forced in the second run. If the release may be `unlike` the spec, a step
    that Flink takes says nothing about the assumption.
    """
    taken = judged.run.taken
    results = tuple(f"{what}, {_times(times)}" for what, times in taken.results.items())
    happened, why = _happened(judged, name, order, step)
    if order.forced:
        verdict = {True: Kept.BY_METHOD, False: Kept.NOT_BY_METHOD, None: Kept.NOT_TAKEABLE}
        if happened is False and not results:
            why = (*why, "Flink did not call the method")
        flink = f"if {method.place}{_calls(method)} {_given(method)}"
        return JudgedForce(flink, judged, verdict[happened], why, results)
    verdict = {True: Kept.NOT_KEPT, False: Kept.KEPT, None: Kept.NOT_TAKEABLE}
    reasons = ("Flink may have taken another way to this step",) if step.shows else ()
    if happened and (reasons := (*reasons, *unlike)):
        happened, why = None, (*why, *reasons)
    refused = "" if taken.missed is None or step.enabled else taken.missed.refused
    if happened is False and not refused and not results:
        why = (*why, "neither a line nor a result of the method says that Flink refused the step")
        happened = None
    why = (*why, f"Flink refused the step: {refused}") if refused else why
    return JudgedForce("Flink as it is", judged, verdict[happened], why, results)


def _happened(
    judged: JudgedRun, name: str, order: Order, step: ForeignStep
) -> tuple[bool | None, tuple[str, ...]]:
    """Whether the forbidden step happened, if the run tells, and why.

    A step of the order that is not enabled with the assumption tells by itself. Of a step that
    completes a checkpoint only without the assumption, Flink's log tells. Of another one only the
    damage tells.
    """
    taken = judged.run.taken
    missed = () if taken.missed is None else (str(taken.missed),)
    own = _own(order, step)
    tells = own is not None and (own.number == step.number or own.trigger is not None)
    if own is not None and tells and not step.enabled:
        if own.number not in taken.left:
            return True, (f"{own} happened", *judged.damage)
        return (None if set(own.after) & set(taken.left) else False), missed
    if any(number < step.number for number in taken.left):
        return None, missed
    if missed:
        return (None if order.forced else False), missed
    if name == CHECKPOINT_ENDS and not judged.run.outcome.unanswered:
        return _left_pending(judged)
    if judged.damage:
        return True, judged.damage
    if step.completes in taken.ids:
        number = taken.ids[step.completes]
        completed = any(found == str(number) for found in COMPLETED.findall(_log(judged)))
        told = "completed" if completed else "did not complete"
        return completed, (f"checkpoint {number} {told}",)
    if name not in DAMAGES and name not in judged.log.decided:
        what = f"{name} is violated" if name else f"{step.name} had the other effect"
        return None, (f"the whole order was taken, and nothing tells whether {what}",)
    return False, ("the whole order was taken without the damage",)


def _left_pending(judged: JudgedRun) -> tuple[bool, tuple[str, ...]]:
    """Whether a checkpoint neither completed nor was aborted, though no request waits for it.

    A job can rest because its tasks wait for another checkpoint, which nobody triggers.
    """
    log = _log(judged)
    ended = {*COMPLETED.findall(log), *ABORTED.findall(log)}
    left = [number for number in judged.run.taken.ids.values() if str(number) not in ended]
    if not left:
        return False, ("each checkpoint has completed or was aborted",)
    return True, tuple(f"checkpoint {number} neither completed nor was aborted" for number in left)


def _log(judged: JudgedRun) -> str:
    log = judged.run.log
    return log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""


def _calls(method: Assumed) -> str:
    return "" if method.of == method.place else f" (called by {method.of})"


def _given(method: Assumed) -> str:
    """What the method is made to do."""
    if method.field:
        return f"begins with {method.field} = {method.gives}"
    return f"returns {VALUES[method.gives]}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


__all__ = [
    "JudgedForce",
    "Kept",
    "check_forcible",
    "judged_force",
    "order_without",
]
