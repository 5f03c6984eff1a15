"""The interface of queues, sets, arrays and maps, for both symbolic and plain execution.

`symbolic_values.py` implements it over symbolic cells, `plain.py` over plain tuples and frozensets.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
K = TypeVar("K")


class QueueOf(Generic[T]):
    """A bounded first-in-first-out queue. Elements are compared by value or with their class."""

    @property
    @abstractmethod
    def head(self) -> T:
        """The oldest element; of an empty queue `Nothing`, which equals nothing else."""

    @property
    @abstractmethod
    def length(self) -> int:
        """The number of elements in the queue."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """The maximal number of elements, a plain number."""

    @abstractmethod
    def put(self, value: T) -> None:
        """Add behind the youngest element. Into a full queue: a fault."""

    @abstractmethod
    def put_first(self, value: T) -> None:
        """Add before the oldest element: the lane of a barrier that overtakes."""

    @abstractmethod
    def take(self) -> T:
        """Remove the oldest element and return it. From an empty queue: a fault."""

    @abstractmethod
    def at(self, position: int) -> T:
        """The element at a position, 0 the oldest; beyond the youngest, `Nothing`."""

    @abstractmethod
    def clear(self) -> None:
        """Remove all elements."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no element is queued."""

    @property
    @abstractmethod
    def has_space(self) -> bool:
        """Whether one more element fits."""

    @abstractmethod
    def holds(self, wanted: object) -> bool:
        """Whether some element equals a value, or is of a record class; `in` is the same."""

    def __contains__(self, wanted: object) -> bool:
        return bool(self.holds(wanted))

    @abstractmethod
    def has_space_for(self, elements: int) -> bool:
        """Whether so many more elements fit."""


class SetOf(Generic[T]):
    """A set of values of a small domain."""

    @abstractmethod
    def has(self, value: T) -> bool:
        """Whether a value is in the set; `in` is the same.

        A value that the set can never hold is not in it: no fault, since nothing is written.
        """

    def __contains__(self, value: T) -> bool:
        return bool(self.has(value))

    @abstractmethod
    def add(self, value: T) -> None:
        """Put a value into the set."""

    @abstractmethod
    def remove(self, value: T) -> None:
        """Take a value out of the set, if it is in."""

    @abstractmethod
    def clear(self) -> None:
        """Take all values out."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of values in the set."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no value is in the set."""


class ArrayOf(Generic[T]):
    """A fixed number of values, by position. An index outside is a fault."""

    @abstractmethod
    def __getitem__(self, index: int) -> T: ...

    @abstractmethod
    def __setitem__(self, index: int, value: T) -> None: ...

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __iter__(self) -> Iterator[T]: ...


class MapOf(Generic[K, T]):
    """A value for each entity of a class. An entity of no such class is a fault."""

    @abstractmethod
    def __getitem__(self, entity: K) -> T: ...

    @abstractmethod
    def __setitem__(self, entity: K, value: T) -> None: ...
