"""The specs that are asked with few ids: one for each protocol, variant and set of options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from finale.checker.spec.claim import Spec
from finale.model.protocols.coordinator.coordinator import JobProtocol
from finale.model.topology import Sink
from tests.protocols.specs import FILES, spec_of


def can_recycle(spec: Spec) -> bool:
    """Return whether the spec's protocol and job can have few ids that are given again.

    Where there are several ids a channel must have room for two elements.
    """
    job = spec.setting.job
    return (
        issubclass(spec.protocol, JobProtocol)
        and "live_checkpoints" in spec.protocol.bound_names()
        and spec.resumption is None
        and spec.setting.bounds.get("channel") != 1
        and job is not None
        and all(vertex.sink is not Sink.COMMITTER for vertex in job.vertices)
    )


def _size(spec: Spec) -> int:
    job = spec.setting.job
    assert job is not None
    return 10 * len(job.subtasks) + sum(sum(vertex.records) for vertex in job.vertices)


@cache
def chosen() -> tuple[Spec, ...]:
    """Return the spec with the smallest job of each protocol, variant and set of options."""
    found: dict[object, Spec] = {}
    for spec in map(spec_of, FILES):
        if can_recycle(spec):
            options = repr(sorted(spec.setting.options.items()))
            key = spec.protocol.key, spec.variant, options
            if key not in found or _size(spec) < _size(found[key]):
                found[key] = spec
    return tuple(found[key] for key in sorted(found, key=repr))


@cache
def of_protocols() -> Mapping[str, Spec]:
    """Return one spec for each protocol, without a variant."""
    found: dict[str, Spec] = {}
    for spec in chosen():
        if spec.variant is None:
            found.setdefault(spec.protocol.key, spec)
    return found


@cache
def of_variants() -> tuple[Spec, ...]:
    """Return one spec for each protocol and variant, whatever its options."""
    found: dict[object, Spec] = {}
    for spec in chosen():
        key = spec.protocol.key, spec.variant
        if key not in found or _size(spec) < _size(found[key]):
            found[key] = spec
    return tuple(found.values())


def with_few_ids(spec: Spec, live: int) -> Spec:
    """Return the spec with ids that are given again, without expectations of its own."""
    bounds = {**spec.setting.bounds, "live_checkpoints": live}
    setting = replace(spec.setting, bounds=bounds)
    return replace(spec, setting=setting, counts=None)
