"""Properties: what is claimed of a protocol, as functions over its state.

A property is written against a view, the class of its first parameter: it applies to the protocols
that implement the view. Further parameters are entities; there is one predicate a binding.
`when(...)` states the antecedent: a predicate says nothing where it is false.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from ..errors import FinaleError
from ..system import Kind
from .entities import World
from .marks import Marked
from .stops import BlockedHere, caller

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., bool])


@dataclass(frozen=True)
class Family:
    """A property as written, before it is bound to a system."""

    name: str
    kind: Kind
    mark: Marked
    witness: str | None

    @property
    def sentence(self) -> str:
        """The property in English."""
        return self.mark.sentence


@dataclass(frozen=True)
class Taken:
    """The step that an `on_step` property speaks of: the rule's name, and its binding by name."""

    rule: str
    binding: Mapping[str, object]


def _family(kind: Kind, witness: str | None) -> Callable[[Callable[..., bool]], Family]:
    def marking(function: Callable[..., bool]) -> Family:
        name = function.__name__.replace("_", "-")
        return Family(name, kind, Marked(function, kind.value), witness)

    return marking


@overload
def always(function: Callable[..., bool], /) -> Family: ...


@overload
def always(*, witness: str) -> Callable[[Callable[..., bool]], Family]: ...


def always(
    function: Callable[..., bool] | None = None, /, *, witness: str | None = None
) -> Family | Callable[[Callable[..., bool]], Family]:
    """The function holds in every reachable state.

    Without `when` in its body it names a `reachable` property, its witness, that must be reached
    lest the claim be vacuous.
    """
    marking = _family(Kind.ALWAYS, witness)
    return marking if function is None else marking(function)


def on_step(function: Callable[..., bool]) -> Family:
    """The function holds on every step; it reads the state after it, `before(...)` the one before.

    A parameter of type `Taken` is the step itself.
    """
    return _family(Kind.ON_STEP, None)(function)


def leads_to(function: Callable[..., bool]) -> Family:
    """Whenever the `when` of the function holds, the function holds at once or later."""
    return _family(Kind.LEADS_TO, None)(function)


def eventually(function: Callable[..., bool]) -> Family:
    """On every fair run the function holds at some time."""
    return _family(Kind.EVENTUALLY, None)(function)


def reachable(function: Callable[..., bool]) -> Family:
    """The function holds in some reachable state: a witness that it does happen."""
    return _family(Kind.REACHABLE, None)(function)


def when(condition: object) -> None:
    """The antecedent of a property: where it is false, the property says nothing."""
    if not condition:
        raise BlockedHere


_before: tuple[World, Any] | None = None


def before(value: Callable[[], T]) -> T:
    """A value in the state before the step. Only in `on_step` properties."""
    if _before is None:
        raise FinaleError(
            "before-outside-step",
            "before(...) speaks of a step",
            place=caller(),
            advice="mark the property @on_step",
        )
    world, store = _before
    with world.on(store):
        return value()


class stepping:  # noqa: N801 - a context manager reads as a verb
    """While a predicate on a step is evaluated: the store that `before` reads."""

    def __init__(self, world: World, store: Any) -> None:
        self.context = (world, store)

    def __enter__(self) -> None:
        global _before
        _before = self.context

    def __exit__(self, *_: object) -> None:
        global _before
        _before = None
