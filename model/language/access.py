"""Where a structured value lives: in the state, inside another one, or nowhere (a copy).

A field access is a live place: reading a queue after a `put` sees the element. What is stored
elsewhere or returned is a value: the cells of that moment. `T` is what is read at once: symbolic
cells, or a plain value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from model.errors import FinaleError

from .stops import caller

if TYPE_CHECKING:
    from model.domains import Domain

T = TypeVar("T")


class Access(Generic[T]):
    """Reads and writes one structured value."""

    def __init__(self, read: Callable[[], T], write: Callable[[T], None]) -> None:
        self.read = read
        self.write = write


class Value(Access[T]):
    """A copy: it can be read only."""

    def __init__(self, value: T) -> None:
        super().__init__(lambda: value, self._refuse)

    @staticmethod
    def _refuse(_: T) -> None:
        raise FinaleError(
            "write-to-a-copy",
            "this value is a copy: it was taken from a queue or is part of another value",
            place=caller(),
            advice="change the field itself, before it is copied",
        )


class Place:
    """A structured value of the state as a rule handles it; the subclasses say what it can do."""

    def __init__(self, domain: Domain[Any], access: Access[Any]) -> None:
        self.domain = domain
        self.access = access

    def read(self) -> Any:
        """The value of this moment: symbolic cells, or a plain value."""
        return self.access.read()

    def write(self, value: Any) -> None:
        """Replace the whole value."""
        self.access.write(value)

    def __eq__(self, other: object) -> bool:
        raise FinaleError(
            "structures-compared",
            "queues, sets, arrays and maps are not compared as a whole",
            place=caller(),
            advice="compare what matters: the head, the length, a member",
        )

    __hash__ = object.__hash__
