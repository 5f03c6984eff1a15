"""Builds the files of an export, with a heading that says how to run them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from finale.model.errors import FinaleError
from finale.model.system import System
from finale.model.visible import visible

from .conditions import expressions_of, initial_states
from .promela import VECTOR_BYTES, PromelaModel
from .terms import refuse_large_numbers
from .tla import Module

Target = Literal["tla", "promela"]

#: How the files of each target end.
ENDINGS: Mapping[Target, str] = {"tla": ".tla", "promela": ".pml"}
#: How SPIN counts what we count: it neither reduces nor merges states, nor stutters at the end of
#: a run because of the never claim; `-o2` keeps variables that no rule reads.
SPIN = ("spin -o2 -a {file}", "gcc -O2 -DSAFETY -DNOREDUCE -DNOSTUTTER{size} -o pan pan.c")
MODULE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True)
class ExportSource:
    """The origin of an export, for its heading."""

    title: str
    protocol: str
    spec: str


def files_of(system: System, target: Target, name: str, source: ExportSource) -> dict[str, str]:
    """The texts of an export by file name. `name` is that of the module.

    Raises `module-name`, `number-too-large`, `too-large-for-promela`, `liveness-in-promela`.
    """
    asked = tuple(prop for prop in system.properties if not prop.not_asked)
    system = replace(system, properties=asked)
    refuse_large_numbers(expressions_of(system))
    match target:
        case "tla":
            return _tla(system, name, source)
        case "promela":
            return _promela(system, name, source)
        case _:
            assert_never(target)


def _tla(system: System, name: str, source: ExportSource) -> dict[str, str]:
    if not MODULE_NAME.fullmatch(name):
        raise FinaleError(
            "module-name",
            f'"{name}" is not a name for a TLA+ module',
            advice="write letters, digits and underscores, with a letter first",
        )
    starts = len(initial_states(system))
    module = Module(
        system,
        name,
        [
            *_about(source),
            f"  java -cp tla2tools.jar tlc2.TLC -workers 1 -config {name}.cfg {name}",
            "",
            f"TLC generates the {_plural(starts, 'initial state')}, then a state for each "
            "transition; the depth that it tells",
            "counts states and not steps. A step that would be a fault is none: well_formed tells.",
        ],
    )
    files = {f"{name}.tla": module.source}
    for ending, text in module.configurations().items():
        files[f"{name}{ending}.cfg"] = text
    return files


def _promela(system: System, name: str, source: ExportSource) -> dict[str, str]:
    live = [prop.name for prop in system.properties if prop.kind.is_liveness]
    if live:
        raise FinaleError(
            "liveness-in-promela",
            f"{', '.join(live)}: Promela cannot express the fairness of single rules",
            advice="export with --to tla, or leave liveness out with --safety-only",
        )
    file = f"{name}.pml"
    model = PromelaModel(system, [])
    size = f" -DVECTORSZ={model.vector_bytes}" if model.vector_bytes > VECTOR_BYTES else ""
    model.heading = [
        *_about(source),
        *(f"  {command.format(file=file, size=size)}" for command in SPIN),
        "  ./pan -E -m10000000 -w24",
        "Stored states are the states; stored and matched together are one more than the",
        "transitions. -DNOCLAIM leaves the properties of states out; spin -DREACHABLE also takes",
        "what is to be reached as if it must not be.",
    ]
    if len(initial_states(system)) > 1:
        model.heading += [
            f"There are {len(initial_states(system))} initial states: SPIN stores one state more, "
            "the one before the choice,",
            "and makes as many transitions more as there are initial states.",
        ]
    return {file: model.source}


def _about(source: ExportSource) -> Sequence[str]:
    return (
        visible(source.title),
        f"The protocol {source.protocol}; made by finale export from {visible(source.spec)}.",
        "",
    )


def _plural(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
