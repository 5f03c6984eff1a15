"""Remembers what a property has read, and so when it must be asked again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)


class Readers(Generic[K]):
    """What each predicate has read when it was last asked. Until that changes, its answer holds.

    Keys are positions of variables: of a state, or of either end of a step.
    """

    def __init__(self) -> None:
        self._keys: dict[int, frozenset[K]] = {}
        self._of: defaultdict[K, set[int]] = defaultdict(set)

    def has(self, number: int, keys: frozenset[K]) -> None:
        """Keep what a predicate has read."""
        known = self._keys.get(number, frozenset())
        for key in known - keys:
            self._of[key].discard(number)
        for key in keys - known:
            self._of[key].add(number)
        self._keys[number] = keys

    def of(self, keys: Iterable[K]) -> set[int]:
        """Return the predicates whose answer may change, since these keys have changed."""
        return set[int]().union(*(self._of[key] for key in keys if key in self._of))


class Looked(Mapping[str, object]):
    """The binding of a step, which records what a property reads of it."""

    def __init__(self, binding: Mapping[str, object]) -> None:
        self.binding = binding
        self.looked: dict[str, object] = {}

    def __getitem__(self, name: str) -> object:
        self.looked[name] = self.binding[name]
        return self.binding[name]

    def __iter__(self) -> Iterator[str]:
        self.looked.update(self.binding)
        return iter(self.binding)

    def __len__(self) -> int:
        self.looked.update(self.binding)
        return len(self.binding)
