"""Says which causes remain if a real Flink takes a whole order and the damage does not come."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from finale.checker.spec.claim import Spec
from finale.checker.spec.releases import ReleaseConfig, preset, release_with, topic_of
from finale.reference.flink.order import Order
from finale.reference.flink.releases import Release

from .driven import OPTIONS, Decides, options_of, word_of

MODEL = "the model is wrong"


def causes(claim: Spec, order: Order, release: Release) -> tuple[str, ...]:
    """The causes that remain, each with its reason. Whether the model is wrong comes last.

    The rules of the claim are those of the release, or those of a spec as it is written.
    """
    of_release = () if claim.under is not None else _of_release(claim, release.version)
    return (*_of_variant(claim), *of_release, *_of_steps(order), MODEL)


def unlike(claim: Spec, release: Release) -> tuple[str, ...]:
    """The options of a spec with which the release may differ: no table has their value there.

    An option that has its default says nothing special.
    """
    values = preset(claim.protocol, ReleaseConfig(release_with(release.version)))
    defaults = options_of(replace(claim, setting=replace(claim.setting, options={})))
    return tuple(
        f"the spec says {name} = {_shown(word_of(value))}, and no table says which releases do so"
        for name, value in options_of(claim).items()
        if OPTIONS.get(name) is Decides.FLINK and name not in values and value != defaults.get(name)
    )


def _of_variant(claim: Spec) -> Iterator[str]:
    name = claim.variant
    if claim.is_under_variant:
        yield f'this release does not have the variant "{name}", from whose rules the order comes'
    elif name is not None:
        yield f'this release has the fix: it does not make the mistake "{name}" of the spec'


def _of_release(claim: Spec, version: str) -> Iterator[str]:
    key = claim.protocol.key
    topic, column = topic_of(key), release_with(version)
    own = None if topic is None else column.protocols.get(topic)
    if own is not None and own != key:
        yield f"this release lacks the protocol: it has {own}, and the spec is about {key}"
    elif topic is None and claim.setting.job is not None:
        yield f"this release lacks the protocol: no table says which releases have {key}"
    elif topic is not None and own is None:
        yield f"this release lacks the protocol: it has nothing like {key}"
    values = preset(claim.protocol, ReleaseConfig(column)) if own == key else {}
    described = {
        name: word_of(value)
        for name, value in options_of(claim).items()
        if OPTIONS.get(name) is Decides.FLINK
    }
    given = claim.setting.options.keys()
    different = {
        name: f"{name} is {_shown(values[name])} in Flink {version} and {_shown(value)} in the spec"
        for name, value in described.items()
        if name in values and values[name] != value
    }
    if fixed := [said for name, said in different.items() if name in given]:
        yield f"this release has the fix: {'; '.join(fixed)}"
    if other := [said for name, said in different.items() if name not in given]:
        yield f"this release is not as the spec: {'; '.join(other)}"
    unknown = [
        f"{name} = {_shown(value)}"
        for name, value in described.items()
        if name in given and name not in values
    ]
    if unknown:
        yield f"this release has the fix: no table says which releases have {', '.join(unknown)}"


def _of_steps(order: Order) -> Iterator[str]:
    if order.free:
        yield (
            f"Flink took a step at another time than the trace: no hook holds "
            f"{', '.join(order.free)}"
        )


def _shown(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


__all__ = ["causes", "unlike"]
