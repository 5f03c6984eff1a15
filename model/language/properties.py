"""Declares properties: claims about a protocol, as functions over its state.

A property is written against a view, the class of its first parameter: it applies to the protocols
that implement the view. Further parameters are entities; there is one predicate a binding.
`when(...)` states the antecedent: a predicate says nothing where it is false.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, overload

from finale.model.errors import FinaleError
from finale.model.system import Kind

from .decorators import DecoratedFunction
from .entities import World
from .guards import asked
from .path_ends import BlockedHere, caller

T = TypeVar("T")


@dataclass(frozen=True)
class Family:
    """A property as written, before it is bound to a system."""

    name: str
    kind: Kind
    mark: DecoratedFunction
    witness: str | None
    needs: str | None = None
    on_request: bool = False
    """Asked only of a spec that expects it, or by its name on the command line."""
    of_all_ids: bool = False
    """Asks for something that the state may have forgotten if ids are given again."""

    @property
    def view(self) -> type | None:
        """The class of its first parameter. Raises `unknown-annotation`."""
        view = next(iter(self.mark.hints.values()), None)
        return view if isinstance(view, type) else None

    @property
    def sentence(self) -> str:
        """The property in English."""
        return self.mark.sentence


@dataclass(frozen=True)
class Taken:
    """The step that an `on_step` property speaks of: the rule's name, and its binding by name."""

    rule: str
    binding: Mapping[str, object]


def _family(
    kind: Kind,
    function: Callable[..., bool] | None,
    witness: str | None,
    needs: str | None,
    on_request: bool,
    of_all_ids: bool = False,
) -> Family | Callable[[Callable[..., bool]], Family]:
    def marking(function: Callable[..., bool]) -> Family:
        name, mark = function.__name__.replace("_", "-"), DecoratedFunction(function, kind.value)
        return Family(name, kind, mark, witness, needs, on_request, of_all_ids)

    return marking if function is None else marking(function)


@overload
def always(function: Callable[..., bool], /) -> Family: ...


@overload
def always(
    *,
    witness: str | None = None,
    needs: str | None = None,
    on_request: bool = False,
    of_all_ids: bool = False,
) -> Callable[[Callable[..., bool]], Family]: ...


def always(
    function: Callable[..., bool] | None = None,
    /,
    *,
    witness: str | None = None,
    needs: str | None = None,
    on_request: bool = False,
    of_all_ids: bool = False,
) -> Family | Callable[[Callable[..., bool]], Family]:
    """The function holds in every reachable state.

    Without `when` in its body it names a `reachable` property, its witness, that must be reached
    lest the claim be vacuous. `needs`, here and below, names the history of `[observe]` that the
    function reads; with `on_request` it is asked only of specs that expect it, or by name. With
    `of_all_ids` it is not asked if ids are given again: it looks for an entity that the state may
    have forgotten.
    """
    return _family(Kind.ALWAYS, function, witness, needs, on_request, of_all_ids)


@overload
def on_step(function: Callable[..., bool], /) -> Family: ...


@overload
def on_step(
    *, needs: str | None = None, on_request: bool = False
) -> Callable[[Callable[..., bool]], Family]: ...


def on_step(
    function: Callable[..., bool] | None = None,
    /,
    *,
    needs: str | None = None,
    on_request: bool = False,
) -> Family | Callable[[Callable[..., bool]], Family]:
    """The function holds on every step; it reads the state after it, `before(...)` the one before.

    A last parameter of type `Taken` is the step itself.
    """
    return _family(Kind.ON_STEP, function, None, needs, on_request)


@overload
def leads_to(function: Callable[..., bool], /) -> Family: ...


@overload
def leads_to(
    *, needs: str | None = None, on_request: bool = False
) -> Callable[[Callable[..., bool]], Family]: ...


def leads_to(
    function: Callable[..., bool] | None = None,
    /,
    *,
    needs: str | None = None,
    on_request: bool = False,
) -> Family | Callable[[Callable[..., bool]], Family]:
    """Whenever the `when` of the function holds, the function holds at once or later."""
    return _family(Kind.LEADS_TO, function, None, needs, on_request)


@overload
def eventually(function: Callable[..., bool], /) -> Family: ...


@overload
def eventually(
    *, needs: str | None = None, on_request: bool = False
) -> Callable[[Callable[..., bool]], Family]: ...


def eventually(
    function: Callable[..., bool] | None = None,
    /,
    *,
    needs: str | None = None,
    on_request: bool = False,
) -> Family | Callable[[Callable[..., bool]], Family]:
    """On every fair run the function holds at some time."""
    return _family(Kind.EVENTUALLY, function, None, needs, on_request)


@overload
def reachable(function: Callable[..., bool], /) -> Family: ...


@overload
def reachable(
    *, needs: str | None = None, on_request: bool = False, of_all_ids: bool = False
) -> Callable[[Callable[..., bool]], Family]: ...


def reachable(
    function: Callable[..., bool] | None = None,
    /,
    *,
    needs: str | None = None,
    on_request: bool = False,
    of_all_ids: bool = False,
) -> Family | Callable[[Callable[..., bool]], Family]:
    """The function holds in some reachable state: a witness that it does happen."""
    return _family(Kind.REACHABLE, function, None, needs, on_request, of_all_ids)


def when(condition: object) -> None:
    """The antecedent of a property: where it is false, the property says nothing."""
    if not _goal_alone and not asked(condition):
        raise BlockedHere


_goal_alone = False


@contextmanager
def goal_alone() -> Generator[None]:
    """While the goal of a liveness property is explored, which is judged in later states too.

    The cause need no longer hold there, so nothing may be concluded from it: `when` is passed by.
    """
    global _goal_alone  # noqa: PLW0603 - `when` must find it
    _goal_alone = True
    try:
        yield
    finally:
        _goal_alone = False


_before: tuple[World, Any] | None = None


def before(value: Callable[[], T]) -> T:
    """A value in the state before the step. Only in `on_step` properties."""
    if _before is None:
        raise FinaleError(
            "before-outside-step",
            "before(...) is defined for steps only",
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
        global _before  # noqa: PLW0603 - `before` must find it
        _before = self.context

    def __exit__(self, *_: object) -> None:
        global _before  # noqa: PLW0603 - `before` must find it
        _before = None
