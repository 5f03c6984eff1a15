"""Structured values as rules handle them: in the state, inside another value, or as a copy.

A field access is a live place: reading a queue after a `put` sees the element. What is stored
elsewhere or returned is a value: what the place holds at that moment.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from finale.model.errors import FinaleError
from finale.model.values import Record

from .path_ends import caller

if TYPE_CHECKING:
    from finale.model.domains import Domain


class Structure:
    """A queue, set, array or map as a rule handles it; the subclasses say what it can do.

    It is not tested, compared, looped over, measured or made into text as a whole: that would mean
    something else in plain Python than in a decision tree.
    """

    is_place: ClassVar[bool] = True
    domain: Domain[Any]

    @abstractmethod
    def read(self) -> Any:
        """The value of this moment: symbolic cells, or a plain value."""

    @abstractmethod
    def copied(self) -> Structure:
        """The value of this moment, to be read only."""

    def _refused(self, code: str, what: str, advice: str) -> FinaleError:
        kind = type(self.domain).__name__.replace("MapDomain", "PerEntity")
        return FinaleError(code, f"a {kind} is {what}", place=caller(), advice=advice)

    def __eq__(self, other: object) -> bool:
        raise self._refused(
            "structures-compared",
            "compared as a whole",
            "compare what matters: the head, the length, a member; a queue with is_empty",
        )

    def __hash__(self) -> int:
        raise self._refused("hash-of-state", "hashed", "use a Set or PerEntity field")

    def __bool__(self) -> bool:
        raise self._refused(
            "structure-tested",
            "tested as a whole",
            "test is_empty of a queue or set, or the elements of an array or map",
        )

    def __len__(self) -> int:
        raise self._refused(
            "length-of-structure",
            "measured with len(), which must be a plain number",
            "read .length of a queue, .size of a set; a map has one element an entity",
        )

    def __iter__(self) -> Any:
        raise self._refused(
            "state-dependent-loop",
            "looped over",
            "loop over the domain or the entities and test inside the loop: "
            "`for i in range(queue.capacity)`, `for task in tasks`",
        )

    def __str__(self) -> str:
        raise self._refused("text-of-state", "converted to text", "the state contains no texts")

    def __format__(self, spec: str) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"a {type(self.domain).__name__} of the state"


def not_an_index(what: str, given: object) -> FinaleError:
    """An element is asked for by something that no element has."""
    return FinaleError(
        "not-an-index",
        f"{what} is indexed with {given!r}",
        place=caller(),
        advice="index arrays and queues with numbers, PerEntity fields with entities",
    )


def refuse_write() -> NoReturn:
    """Refuse a change of a value that is not in the state. Raises `write-to-a-copy`."""
    raise FinaleError(
        "write-to-a-copy",
        "this value is a copy: it was returned, taken from a queue or is part of another value",
        place=caller(),
        advice="change the field itself, before it is copied",
    )


def settled_value(value: Any) -> Any:
    """A value as a helper returns it: places are copied, also within tuples."""
    if isinstance(value, Structure):
        return value.copied()
    if type(value) is tuple:
        return _settled_tuple(value)  # pyright: ignore[reportUnknownArgumentType]
    return value


def _settled_tuple(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(settled_value(each) for each in values)


def plain_of(value: Any) -> Any:
    """A plain value as it is stored: what places hold, also within records."""
    if isinstance(value, Structure):
        return value.read()
    return _plain_record(value) if type.__instancecheck__(Record, value) else value


def _plain_record(record: Record) -> Record:
    parts: dict[str, object] = vars(record)
    if not any(isinstance(part, Structure) for part in parts.values()):
        return record
    return type(record)(**{name: plain_of(part) for name, part in parts.items()})
