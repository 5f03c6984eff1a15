"""Makes the engine that corresponds to the protocol and the setting of a spec."""

from __future__ import annotations

import enum
from dataclasses import fields, replace
from typing import Any

from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError, Place
from finale.reference.broken import BROKEN
from finale.reference.engine import Engine
from finale.reference.formats.files import Files, MemoryFiles
from finale.reference.operators.program import Followed
from finale.reference.protocols import ENGINES
from finale.reference.settings import EngineOptions, EngineSettings, Faults

#: What says that the engine has nothing to compare a spec with.
NO_COUNTERPART = ("no-engine", "option-not-built")


def engine_for(spec: Spec, files: Files | None = None, *, keeps: bool = True) -> Engine:
    """An engine at the beginning of the spec's job, in memory or not. Raises `no-engine`.

    `keeps`: files that are of no use any more stay, to be looked at.
    """
    if spec.protocol.key not in ENGINES:
        raise FinaleError(
            "no-engine",
            f'the engine has no counterpart of "{spec.protocol.key}"',
            place=Place(str(spec.file), key="protocol"),
            advice=f"it has {', '.join(ENGINES)}",
        )
    if spec.variant is not None and spec.variant not in BROKEN:
        raise FinaleError(
            "no-engine",
            f'the engine has no counterpart of the variant "{spec.variant}"',
            place=Place(str(spec.file), key="variant"),
            advice=f"compare the protocol itself; it has the mistakes {', '.join(BROKEN)}",
        )
    job, protocol = spec.setting.job, spec.instance()
    bounds = protocol.bounds
    assert job is not None
    _refuse_unbuilt_bounds(spec, bounds)
    faults = Faults(
        checkpoints=int(bounds.checkpoints),
        failures=int(bounds.failures),
        lost_confirmations=int(bounds.lost_confirmations),
        declines=int(bounds.declines),
        expiries=int(bounds.expiries),
        stops=int(bounds.stops),
        savepoints=int(bounds.savepoints),
        cancels=int(bounds.cancels),
        resumes=int(bounds.resumes),
    )
    kind = ENGINES[spec.protocol.key] if spec.variant is None else BROKEN[spec.variant]
    options = _options(spec, protocol.options, kind.usual)
    settings = EngineSettings(int(bounds.channel), 1, keeps, options.retained, faults=faults)
    program = Followed(job, effects="effects" in spec.setting.observe)
    files = MemoryFiles() if files is None else files
    return kind(job, program, files, settings, options)


#: What an engine can be told to do, and how often at most.
BUILT = {
    "checkpoints": None, "channel": None, "failures": None, "lost_confirmations": None,
    "declines": None, "expiries": None, "stops": None, "savepoints": None, "cancels": None,
    "resumes": None,
}  # fmt: skip


def _refuse_unbuilt_bounds(spec: Spec, bounds: Any) -> None:
    for each in fields(bounds):
        number = int(getattr(bounds, each.name))
        usual = int(getattr(type(bounds)(), each.name))
        most = BUILT.get(each.name, usual)
        if most is not None and number > most:
            raise FinaleError(
                "no-engine",
                f"the engine has no {each.name} = {number}",
                place=Place(str(spec.file), key=f"bounds.{each.name}"),
                advice=f"it has {', '.join(BUILT)}",
            )


#: What changes nothing but beside options that the engine does not have.
IDLE = frozenset({"terminal_as_finished"})


def _options(spec: Spec, given: Any, usually: EngineOptions) -> EngineOptions:
    """The spec's options, by the names that both have. Raises `option-not-built`."""
    usual = type(given)()
    known = {field.name for field in fields(usually)}
    values: dict[str, Any] = {}
    for each in fields(given):
        value = getattr(given, each.name)
        plain: object = value.value if isinstance(value, enum.Enum) else value
        if each.name in known:
            values[each.name] = plain
        elif value != getattr(usual, each.name) and each.name not in IDLE:
            raise FinaleError(
                "option-not-built",
                f"the engine has no {each.name} = {plain!r}",
                place=Place(str(spec.file), key=f"options.{each.name}"),
                advice=f"it knows {', '.join(sorted(known))}",
            )
    return replace(usually, **values)
