"""Gives properties the methods of the protocol, and never the overrides of a variant.

A variant overrides what is to change, often a helper that the rules share with a property. If the
property heard the variant's helper, the mistake would change the rule and the claim alike, and the
claim would hold. So a variant and its entities have the classes of the protocol that it is a
variant of while a property is evaluated; the state that is read is the variant's.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import fields, replace

from finale.model.errors import FinaleError, Place

from .assumptions import with_all_assumptions
from .entities import Entity
from .protocol import Protocol, Setting


@contextmanager
def observing(protocol: Protocol, view: type | None) -> Generator[None]:
    """Evaluate a property: with the classes of the protocol, and not of its variant.

    A property whose view is the variant itself speaks of what the variant adds, and hears it.
    """
    changed = () if view not in sound_kind(type(protocol)).__mro__ else observed_kinds(protocol)
    for entity, _, sound in changed:
        object.__setattr__(entity, "__class__", sound)
    try:
        with with_all_assumptions():
            yield
    finally:
        for entity, own, _ in changed:
            object.__setattr__(entity, "__class__", own)


def sound_kind(kind: type[Protocol]) -> type[Protocol]:
    """Return the protocol of a variant: the first base class that defines a key."""
    named = (base for base in kind.__mro__ if issubclass(base, Protocol) and vars(base).get("key"))
    return next(named, kind)


def observed_kinds(protocol: Protocol) -> tuple[tuple[Entity, type, type], ...]:
    """Return the entities whose class is a variant's, with that class and the protocol's."""
    known: tuple[tuple[Entity, type, type], ...] | None = vars(protocol).get("_changed")
    if known is None:
        known = _compared(protocol)
        vars(protocol)["_changed"] = known
    return known


def _compared(protocol: Protocol) -> tuple[tuple[Entity, type, type], ...]:
    own, sound = type(protocol), sound_kind(type(protocol))
    if own is sound:
        return ()
    built = {each.name: each for each in _without_small_bounds(sound, protocol).entities()}
    changed: list[tuple[Entity, type, type]] = [(protocol, own, sound)]
    for each in protocol.entities():
        kind, wanted = type(each), type(built.get(each.name, each))
        if not issubclass(kind, wanted):
            message = f"{kind.__qualname__} takes the place of {wanted.__qualname__}, and is none"
            raise _unlike(protocol, message)
        if kind is not wanted:
            changed.append((each, kind, wanted))
    return tuple(changed)


def _without_small_bounds(sound: type[Protocol], protocol: Protocol) -> Protocol:
    """The protocol under the setting of its variant, for its classes alone.

    A bound that is too small for the protocol, and not for its variant, is left out.
    """
    setting = _setting_of(sound, protocol.setting)
    while True:
        try:
            return sound(setting)
        except FinaleError as error:
            key = (error.place and error.place.key) or ""
            bounds = {n: value for n, value in setting.bounds.items() if key != f"bounds.{n}"}
            if len(bounds) == len(setting.bounds):
                message = f"{sound.key} itself refuses what its variant takes: {error.message}"
                raise _unlike(protocol, message) from None
            setting = replace(setting, bounds=bounds)


def _unlike(protocol: Protocol, message: str) -> FinaleError:
    kind = type(protocol)
    return FinaleError(
        "variant-unlike-protocol",
        f"{kind.__qualname__}: {message}",
        place=Place(sys.modules[kind.__module__].__file__),
        advice="properties are evaluated with the classes of the protocol: derive the classes of "
        "the variant from those, or give the variant a key of its own",
    )


def _setting_of(sound: type[Protocol], setting: Setting) -> Setting:
    """The setting without what the variant alone declares."""
    options = {each.name for each in fields(sound.Options)}
    bounds = {each.name for each in fields(sound.Bounds)}
    return replace(
        setting,
        options={name: value for name, value in setting.options.items() if name in options},
        bounds={name: value for name, value in setting.bounds.items() if name in bounds},
        observe=setting.observe & frozenset(sound.ghosts),
    )
