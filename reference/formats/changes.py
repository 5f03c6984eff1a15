"""Decides which changes of a job are allowed between a checkpoint and a start from it.

Operators are known by their names. One that had finished never runs again, so nothing that still
runs may feed it; one that had in part only keeps its number of subtasks, for what the finished ones
had done is not written down (FLIP-147, RC-8).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from finale.model.errors import FinaleError, Place
from finale.reference.formats.metadata import OperatorMetadata

Producers = Mapping[str, Sequence[str]]
"""For each task those that it reads."""


def refuse_changes(
    old: Sequence[OperatorMetadata], new: Sequence[OperatorMetadata], producers: Producers
) -> None:
    """Raises a coded error for the first change that a start cannot make up for."""
    before = {each.name: each for each in old}
    after = {each.name: each for each in new}
    for operator in old:
        if operator.name not in after:
            _refuse_loss(operator)
    for operator in new:
        if operator.name in before:
            _refuse_difference(before[operator.name], operator)
    ended = {task for each in new for task in finished_of(before.get(each.name), each)}
    for operator in new:
        for task in operator.tasks:
            running = [each for each in producers[task] if each not in ended]
            if task in ended and running:
                raise _fed(operator, running[0], before)


def finished_of(before: OperatorMetadata | None, now: OperatorMetadata) -> list[str]:
    """The subtasks of an operator that do not run any more."""
    if before is None:
        return []
    if before.has_finished:
        return list(now.tasks)
    return [task for task, part in zip(before.tasks, before.parts, strict=True) if part.finished]


def _refuse_loss(operator: OperatorMetadata) -> None:
    if operator.has_state:
        raise FinaleError(
            "operator-removed",
            f'the checkpoint has the state of "{operator.name}", which the job does not have',
            place=Place(key=f"operators.{operator.name}"),
            advice="keep the operator in the job, under its name",
        )


def _refuse_difference(before: OperatorMetadata, now: OperatorMetadata) -> None:
    name, place = now.name, Place(key=f"operators.{now.name}")
    used = before.has_state or any(part.finished for part in before.parts)
    if used and before.kind != now.kind:
        raise FinaleError(
            "operator-changed",
            f'"{name}" is of kind "{now.kind}", and was of kind "{before.kind}"',
            place=place,
            advice="give the new operator a name of its own",
        )
    if before.has_state and before.settings and (key := _first_changed(before, now)) is not None:
        raise FinaleError(
            "operator-changed",
            f'"{name}" says {_said(now, key)}, and said {_said(before, key)}: what it has kept is '
            "of another meaning",
            place=Place(key=f"operators.{name}.{key}"),
            advice="write it as it was, or give the new operator a name of its own",
        )
    kept = [each for each in before.inputs if each in now.inputs]
    if used and any(before.inputs.index(each) != now.inputs.index(each) for each in kept):
        raise FinaleError(
            "input-moved",
            f'"{name}" read {", ".join(before.inputs)}, in that order, and its state may tell them '
            f"apart",
            place=Place(key=f"operators.{name}.from"),
            advice="keep the order, and add inputs at its end",
        )
    in_part = any(part.finished for part in before.parts) and not before.has_finished
    if in_part and before.parallelism != now.parallelism:
        raise FinaleError(
            "partly-finished",
            f'some of the {before.parallelism} subtasks of "{name}" had finished, and some not',
            place=Place(key=f"operators.{name}.parallelism"),
            advice=f"write parallelism = {before.parallelism}, or wait for the others to finish",
        )


def _first_changed(before: OperatorMetadata, now: OperatorMetadata) -> str | None:
    """The first setting of which the state depends, and which is another now."""
    keys = sorted({*before.settings, *now.settings})
    return next((k for k in keys if before.settings.get(k) != now.settings.get(k)), None)


def _said(operator: OperatorMetadata, key: str) -> str:
    return (
        f"{key} = {json.dumps(operator.settings[key])}" if key in operator.settings else f"no {key}"
    )


def _fed(
    operator: OperatorMetadata, running: str, before: Mapping[str, OperatorMetadata]
) -> FinaleError:
    known = any(running in each.tasks for each in before.values())
    said = "runs" if known else "is new"
    return FinaleError(
        "feeds-finished",
        f'"{operator.name}" had finished, and "{running}", which it reads, {said}',
        place=Place(key=f"operators.{operator.name}.from"),
        advice="let an operator with another name read it: what has finished reads nothing",
    )
