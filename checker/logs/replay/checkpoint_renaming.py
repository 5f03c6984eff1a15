"""Renames the checkpoints of a state: the model has few checkpoints, and a long run has many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from model.protocols.coordinator.checkpoints import Checkpoint
from model.rules import Nothing

from .partial_model import PartialSystem


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
