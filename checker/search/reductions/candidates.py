"""Guesses which entities are interchangeable: two entities, and all that must be renamed with them.

A subtask is renamed together with its channels and its records. If several pipelines run side by
side in the job, the subtasks after it are renamed too. Names show this: the names of channels,
records and sinks contain the names of subtasks. Every guess is checked later (`invariance.py`).
"""

from __future__ import annotations

# A domain that is known by its class alone has lost what it is a domain of.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from finale.model.domains import Domain, MapDomain, Option, Queue, Ref, Set, Union
from finale.model.structures import Slots
from finale.model.system import System


def entities_of(system: System) -> tuple[object, ...]:
    """Return all entities that have fields, or that some field refers to."""
    found: dict[int, object] = {}
    for variable in system.variables:
        found.setdefault(id(variable.entity), variable.entity)
    for variable in system.variables:
        for entity in _spoken_of(variable.domain):
            found.setdefault(id(entity), entity)
    return tuple(found.values())


def _spoken_of(domain: Domain[Any]) -> Iterator[object]:
    match domain:
        case Ref():
            yield from domain.entities
        case MapDomain():
            yield from domain.entities
            yield from _spoken_of(domain.element)
        case Slots() | Option() | Queue() | Set():
            yield from _spoken_of(domain.element)
        case Union():
            for _, part in domain.layout.values():
                yield from _spoken_of(part)
        case _:
            pass


class Candidates:
    """Finds, for two entities of one class, the renaming that exchanges them."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.entities = entities_of(system)
        self._by_name = {str(entity): entity for entity in self.entities}

    def classes(self) -> Iterator[Sequence[object]]:
        """Return the classes with several entities, and these."""
        found: dict[type, list[object]] = {}
        for entity in self.entities:
            found.setdefault(type(entity), []).append(entity)
        yield from (same for same in found.values() if len(same) > 1)

    def exchange(self, one: object, other: object) -> tuple[tuple[object, object], ...] | None:
        """Return who becomes whom when two entities change names, if names tell."""
        swapped = {str(one): str(other), str(other): str(one)}
        while True:
            pairs, more = self._renamed(swapped)
            if more is None:
                return pairs
            swapped |= {more[0]: more[1], more[1]: more[0]}

    def _renamed(
        self, swapped: dict[str, str]
    ) -> tuple[tuple[tuple[object, object], ...] | None, tuple[str, str] | None]:
        """Who becomes whom, or which two names must be exchanged, too."""
        names = "|".join(re.escape(name) for name in sorted(swapped, key=len, reverse=True))
        pattern = re.compile(rf"(?<![\w.])(?:{names})(?![\w]|\.\d)")
        pairs: list[tuple[object, object]] = []
        for entity in self.entities:
            name = pattern.sub(lambda match: swapped[match[0]], str(entity))
            if name == str(entity):
                continue
            other = self._by_name.get(name)
            if other is None:
                return None, self._missing(entity, name, swapped)
            if type(other) is not type(entity):
                return None, None
            pairs.append((entity, other))
        return tuple(pairs), None

    def _missing(
        self, entity: object, name: str, swapped: dict[str, str]
    ) -> tuple[str, str] | None:
        """Two names that differ where an entity has no counterpart of the name that it would get.

        `A.0→B.0` would be `A.1→B.0`, and there is `A.1→B.1`: so `B.0` changes with `B.1`.
        """
        for other in self.entities:
            if type(other) is not type(entity):
                continue
            for one, two in combinations(self._by_name, 2):
                if one in swapped or two in swapped:
                    continue
                if type(self._by_name[one]) is not type(self._by_name[two]):
                    continue
                for old, new in ((one, two), (two, one)):
                    if old in name and name.replace(old, new) == str(other):
                        return old, new
        return None


__all__ = ["Candidates", "entities_of"]
