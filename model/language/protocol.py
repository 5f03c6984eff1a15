"""The base class of protocols, whose rules are methods, and the setting of a protocol."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

from finale.model.errors import FinaleError, nearest
from finale.model.topology import Job

from .assumptions import Assumption, assumptions_of
from .entities import Entity
from .guards import Limit

if TYPE_CHECKING:
    from .layout import LayoutGuard


@dataclass(frozen=True)
class Nil:
    """No options, no bounds, no sizes: the default of a protocol that declares none."""


def kept(switches: Mapping[str, bool]) -> frozenset[str]:
    """The switches of ghost fields that are on."""
    return frozenset(name for name, is_on in switches.items() if is_on)


@dataclass(frozen=True)
class Former:
    """The protocol that ran before, and the snapshots that it left behind.

    `snapshots` are all that it can leave behind, each once, in an order that does not change; each
    is what the protocol's `left_behind` said. It may search when it is first asked.
    """

    protocol: Protocol
    snapshots: Callable[[], Sequence[object]]


@dataclass(frozen=True)
class Setting:
    """The setting of a protocol: job or sizes, options, bounds, and the history to keep.

    `former` is there where the system is resumed from what another one left behind. `without` are
    the names of assumptions that are left out.
    """

    job: Job | None = None
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    bounds: Mapping[str, int] = field(default_factory=dict[str, int])
    observe: frozenset[str] = frozenset()
    former: Former | None = None
    without: frozenset[str] = frozenset()


def _others(value: object) -> Sequence[enum.Enum]:
    """The other members of the enumeration of a value."""
    return (
        [each for each in type(value) if each is not value] if isinstance(value, enum.Enum) else []
    )


class Protocol(Entity):
    """The base of protocols. A variant is a subclass that overrides the rules that change.

    `key` is the name in specs. `Options`, `Bounds` and `Sizes` are frozen dataclasses, the latter
    two of integers; `ghosts` are the switches of `[observe]`, names or a mapping from names to
    sentences. The protocol is itself an entity and may have fields of its own. `parts` are the
    classes of its other entities.
    """

    key: ClassVar[str] = ""
    Options: ClassVar[type] = Nil
    Bounds: ClassVar[type] = Nil
    Sizes: ClassVar[type] = Nil
    ghosts: ClassVar[Collection[str]] = ()
    needs_job: ClassVar[bool] = False
    #: Whether it can begin from what another system has left behind: `[resume]`.
    starts_from_snapshots: ClassVar[bool] = False
    parts: ClassVar[tuple[type[Entity], ...]] = ()

    options: Any
    bounds: Any
    sizes: Any

    def __init__(self, setting: Setting) -> None:
        super().__init__("")
        self.setting = setting
        self.options = self.Options(**setting.options)
        self._take_options()
        self.sizes = self.Sizes(**setting.sizes)
        self.bounds = self.Bounds(**self._limits(setting.bounds))
        unknown = setting.observe - set(self.ghosts)
        for name in sorted(unknown):
            raise self._unknown_observation(name)

    def _take_options(self) -> None:
        """Give each option to the class attribute of its name and type, if there is one.

        A feature that several protocols share declares what it reads as a class attribute. A
        protocol that offers the choice declares the option, any other one sets the attribute.
        """
        for each in fields(self.Options):
            value = getattr(self.options, each.name)
            if type(getattr(type(self), each.name, None)) is type(value):
                setattr(self, each.name, value)

    def _limits(self, given: Mapping[str, int]) -> dict[str, Limit]:
        declared = {each.name: each.default for each in fields(self.Bounds)}
        limits: dict[str, Limit] = {}
        for name, value in (declared | dict(given)).items():
            if name not in declared or not isinstance(value, int):
                raise FinaleError(
                    "unknown-bound" if name not in declared else "missing-bound",
                    f'{self.key} has no bound "{name}"'
                    if name not in declared
                    else f'the bound "{name}" of {self.key} has no number',
                    advice=nearest(name, declared)
                    if name not in declared
                    else "give it under [bounds], or a default in the protocol",
                )
            limits[name] = Limit(value, name)
        return limits

    def _unknown_observation(self, name: str) -> FinaleError:
        return FinaleError(
            "unknown-observation",
            f'{self.key} keeps no history called "{name}"',
            advice=nearest(name, self.ghosts),
        )

    def why_absent(self, ghost: str) -> tuple[str, str]:
        """Say why a setting lacks the fields with a switch, and what has them."""
        if ghost in self.ghosts:
            return "is history that is not kept", f"switch it on: [observe] {ghost} = true"
        what = "is there only in settings that need it"
        for setting, words in self._other_settings():
            try:
                if ghost in type(self)(setting).keeps():
                    return what, f"a spec with {words} has it; in the others a rule may not ask it"
            except FinaleError:
                continue
        return what, "ask it only where the spec has what it is about"

    def _other_settings(self) -> Iterator[tuple[Setting, str]]:
        """The settings with one larger bound, or another value of one option."""
        for each in fields(self.Bounds):
            value = int(getattr(self.bounds, each.name)) + 1
            bounds = {**self.setting.bounds, each.name: value}
            yield replace(self.setting, bounds=bounds), f"[bounds] {each.name} = {value}"
        for each in fields(self.Options):
            now = getattr(self.options, each.name)
            others: Sequence[object] = (not now,) if isinstance(now, bool) else _others(now)
            for other in others:
                options = {**self.setting.options, each.name: other}
                shown = f'"{other.value}"' if isinstance(other, enum.Enum) else str(other).lower()
                words = f"[options] {each.name} = {shown}"
                yield replace(self.setting, options=options), words

    @classmethod
    def bound_names(cls) -> tuple[str, ...]:
        """The bounds that mean something to the protocol."""
        return tuple(each.name for each in fields(cls.Bounds))

    @classmethod
    def assumptions(cls) -> Mapping[str, Assumption]:
        """The assumptions that the protocol and its other entities make, by name."""
        return assumptions_of((cls, *cls.parts))

    def start_states(self) -> Sequence[Mapping[str, object]] | None:
        """The initial states, where they are not those that the fields say.

        Each is what differs from the fields' initial values, by the names of variables; None is one
        state without any difference.
        """
        return None

    def left_behind(self) -> object:
        """Return the snapshot that the present state leaves for a resumed system, or None.

        It is a hashable value without entities.
        """
        return None

    def entities(self) -> Sequence[Entity]:
        """All entities but the protocol itself, in the order that states and bindings have."""
        return ()

    def terminal(self) -> bool:
        """Whether the protocol has ended: no step needs to follow."""
        return False

    def endings(self) -> Mapping[str, Callable[[], object]]:
        """The ways in which the protocol can end, as an observer tells them apart.

        A run in which no step is enabled any more ended in the first way that holds.
        """
        return {"the run has ended": self.terminal}

    def observes(self, ghost: str) -> bool:
        """Whether the system keeps this history: a plain truth value."""
        if ghost not in self.ghosts:
            raise self._unknown_observation(ghost)
        return ghost in self.setting.observe

    def keeps(self) -> frozenset[str]:
        """The switches of the ghost fields that the system has: what is observed, at least."""
        return self.setting.observe

    @property
    def gives_ids_again(self) -> bool:
        """Whether entities are renumbered, so that the state forgets the oldest ones."""
        return False

    @property
    def layout_guard(self) -> LayoutGuard | None:
        """What rules may read of the layout, if the state has not all entities of a run."""
        return None

    def limits(self) -> Mapping[str, int]:
        """The numbers that domains may name: bounds and sizes."""
        return {
            each.name: int(getattr(owner, each.name))
            for owner in (self.bounds, self.sizes)
            for each in fields(owner)
        }
