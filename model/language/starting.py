"""Returns the initial states of a system, from the fields or from the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

from finale.model.errors import FinaleError, nearest

from .entities import World, initial_value
from .plain import PlainStore
from .protocol import Protocol

ADVICE = "let start_states() give values of the fields' domains"

Values = tuple[object, ...]
"""A state as plain values, one a variable."""


def start_values(protocol: Protocol, world: World) -> tuple[Values, ...]:
    """The initial states, each once.

    Raises `unknown-field` and `initial-outside-domain` for what a protocol's `start_states` says.
    """
    usual = {variable.name: world.initial_values(variable) for variable in world.variables}
    variables = {variable.name: variable for variable in world.variables}
    started: list[Values] = []
    given: Sequence[Mapping[str, object]] | None = protocol.start_states()
    unchanged: Mapping[str, object] = {}
    for state in (unchanged,) if given is None else given:
        choices = dict(usual)
        for name, value in state.items():
            if name not in variables:
                raise FinaleError(
                    "unknown-field",
                    f'start_states() of {protocol.key} gives "{name}", which is no variable',
                    advice=nearest(name, variables),
                )
            choices[name] = (initial_value(variables[name], value, ADVICE),)
        started += product(*choices.values())
    return tuple(dict.fromkeys(started))


def state_after(world: World, change: Callable[[], None]) -> Mapping[str, object]:
    """A whole state by the names of its variables: the usual one after a change of plain values."""
    store = PlainStore([world.initial_values(variable)[0] for variable in world.variables])
    with world.on(store):
        change()
    return {variable.name: store.values[variable.position] for variable in world.variables}
