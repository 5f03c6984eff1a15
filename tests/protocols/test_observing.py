"""Properties do not hear what a variant overrides: they are those of its protocol."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.build import build, world_of
from finale.model.language.decorators import mark_of
from finale.model.language.predicates import property_of
from finale.model.protocols.barriers.gate import GatePorts
from finale.model.protocols.final_checkpoint import FinalCheckpoint
from finale.model.protocols.task.tasks import Task
from finale.model.protocols.unaligned import Unaligned
from finale.model.rules import Entity, Protocol, Setting, define
from finale.model.system import System
from tests.protocols.specs import ROOT, spec_of

#: Small jobs of which many properties are asked, and that read stops, failures and states.
SPECS = (
    "final-checkpoint/pair-restarts",
    "stop-with-savepoint/pair",
    "sync-savepoint/pair",
    "chained-sources/pair",
    "restore/equal-union",
    "unaligned/pair",
)


def lying(kind: type[Protocol]) -> type[Protocol]:
    """A variant that overrides each helper that reads."""
    helpers: dict[str, object] = {}
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items():
            mark = mark_of(value)
            if mark is not None and mark.role == "define":
                helpers[name] = property(_lies) if isinstance(value, property) else _lies
    return type(f"Lying{kind.__name__}", (kind,), helpers)


@define
def _lies(self: Any, *arguments: Any) -> bool:
    raise AssertionError("a property has called a helper of the variant")


@pytest.mark.parametrize("name", SPECS)
def test_no_helper_of_a_variant_is_heard(name: str) -> None:
    spec = spec_of(ROOT / f"{name}.toml")
    system = spec.system()
    variant = lying(spec.protocol)(spec.setting)
    assert not _differing(spec, system, variant)


def _differing(spec: Spec, system: System, variant: Protocol) -> list[str]:
    world = world_of(variant, variant.keeps())
    pairs = zip(spec.asked, system.properties, strict=True)
    found = [(property_of(world, variant, family, system), sound) for family, sound in pairs]
    return [
        sound.name
        for heard, sound in found
        if (heard.predicates, heard.on_rules) != (sound.predicates, sound.on_rules)
    ]


def test_a_bound_that_is_too_small_for_the_protocol_alone() -> None:
    """A variant that emits less in a step may have less room than its protocol accepts."""

    class Sparing(FinalCheckpoint):
        channel_burst = 1  # pyright: ignore

    spec = spec_of(ROOT / "final-checkpoint/pair-restarts.toml")
    setting = replace(spec.setting, bounds=dict(spec.setting.bounds) | {"channel": 1})
    with pytest.raises(FinaleError, match="emits 2 elements"):
        FinalCheckpoint(setting)
    assert not isinstance(FinalCheckpoint.channel_burst, int)
    system = build(Sparing(setting), spec.asked)
    assert not _differing(spec, system, lying(Sparing)(setting))


class _Unrelated(Entity):
    """What has nothing of a gate but its name."""

    def __init__(self, task: Task, ports: GatePorts) -> None:
        super().__init__(f"{task.name}.gate")
        self.task, self.ports = task, ports


def test_a_class_that_is_not_derived_is_refused() -> None:
    """Properties would call the methods of the variant, or not be bound to its entities at all."""

    class Other(FinalCheckpoint):
        gate_class = _Unrelated  # type: ignore[assignment]

    spec = spec_of(ROOT / "final-checkpoint/pair-restarts.toml")
    with pytest.raises(FinaleError) as caught:
        _differing(spec, spec.system(), Other(spec.setting))
    assert caught.value.code == "variant-unlike-protocol"
    assert "_Unrelated takes the place of AlignedGate, and is none" in caught.value.message
    assert caught.value.place is not None
    assert caught.value.place.file == __file__


def test_what_the_protocol_itself_refuses_is_told_of_the_variant() -> None:
    class Bold(Unaligned):
        def __init__(self, setting: Setting) -> None:
            concurrent = setting.options["concurrent"]
            super().__init__(replace(setting, options=dict(setting.options) | {"concurrent": 1}))
            self.setting = setting
            assert concurrent == 2

    spec = spec_of(ROOT / "unaligned/pair.toml")
    options = dict(spec.setting.options) | {"concurrent": 2}
    with pytest.raises(FinaleError) as caught:
        _differing(spec, spec.system(), Bold(replace(spec.setting, options=options)))
    assert caught.value.code == "variant-unlike-protocol"
    assert "2 checkpoints may be pending" in caught.value.message
