"""Renames the checkpoints of a state: the model has few checkpoints, and a long run has many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from finale.model.protocols.coordinator.checkpoints import Checkpoint
from finale.model.rules import Nothing

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
