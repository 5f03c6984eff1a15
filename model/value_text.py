"""Shows values on one line, and the differences between two values."""

# pyright: reportUnnecessaryComparison=false
# Domains are invariant in what they hold, so pyright takes no Boolean for a domain of objects.

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from .domains import Array, Boolean, Domain, Enum, Option, Queue, Range, Ref, Set, Union
from .itf import element_of, keys_of
from .language.bindings import shown
from .values import NothingType, Record

if TYPE_CHECKING:
    from .language.entities import Variable

T = TypeVar("T")
Writer = Callable[[Domain[object], object], str]
#: The field of a channel that needs no name beside the channel's own.
QUEUE_FIELD = "queue"
ARROW = "→"
NOTHING = "nothing"


def label_of(variable: Variable) -> str:
    """Return the label of a variable. The queue of an entity has the label of the entity."""
    if isinstance(variable.domain, Queue) and variable.field == QUEUE_FIELD:
        return str(variable.entity) or variable.name
    return variable.name


def value_text(domain: Domain[object], value: object) -> str:
    """A plain value on one line."""
    match domain:
        case Boolean():
            return "true" if value else "false"
        case Range() | Enum() | Ref():
            return shown(value)
        case Option():
            if isinstance(value, NothingType):
                return NOTHING
            text = value_text(domain.element, value)
            # A value that is called so is no missing one.
            return f"{type(value).__name__}.{text}" if text == NOTHING else text
        case Union():
            return _record_text(domain, cast(Record, value))
        case Set():
            members = [each for each in domain.universe if each in cast("frozenset[object]", value)]
            return "{" + ", ".join(value_text(domain.element, each) for each in members) + "}"
        case Queue():
            return queue_text(domain, cast("Sequence[object]", value))
        case _:
            return _slots_text(domain, cast("Sequence[object]", value))


def _record_text(domain: Union[Record], value: Record) -> str:
    parts = dict(domain.parts[domain.kinds.index(type(value))])
    texts = {name: value_text(part, getattr(value, name)) for name, part in parts.items()}
    if not texts:
        return type(value).__name__
    alone = len(parts) == 1 and not isinstance(next(iter(parts.values())), Boolean)
    inside = [text if alone else f"{name} {text}" for name, text in texts.items()]
    return f"{type(value).__name__}({', '.join(inside)})"


def queue_text(domain: Queue[object], value: Sequence[object]) -> str:
    """A queue as it flows: the newest element at the left, the oldest about to leave."""
    elements = [value_text(domain.element, each) for each in reversed(value)]
    return f"[ {' | '.join(elements)} ] {ARROW}" if elements else f"[ ] {ARROW}"


def _slots_text(domain: Domain[object], values: Sequence[object]) -> str:
    element = element_of(domain)
    texts = [value_text(element, each) for each in values]
    if isinstance(domain, Array):
        return f"({', '.join(texts)})"
    pairs = [f"{shown(key)}: {text}" for key, text in zip(keys_of(domain), texts, strict=True)]
    return "{" + ", ".join(pairs) + "}"


@dataclass(frozen=True)
class ValueChange:
    """The change of one value. For a queue, `moved` says what was put in or taken out."""

    label: str
    old: str
    new: str
    moved: str = ""


def changes(
    variable: Variable, old: object, new: object, write: Writer = value_text
) -> Iterator[ValueChange]:
    """Return the differences between two values of a variable; of arrays and maps, by element.

    `write` gives the text of a value.
    """
    domain = cast("Domain[object]", variable.domain)
    label = label_of(variable)
    if old == new:
        return
    if isinstance(domain, Queue):
        was, now = cast("Sequence[object]", old), cast("Sequence[object]", new)
        left, came = (write(variable.domain, each) for each in (old, new))
        yield ValueChange(label, left, came, _moved(domain, was, now, write))
    elif not hasattr(domain, "keys"):
        yield ValueChange(label, write(domain, old), write(domain, new))
    else:
        element = element_of(domain)
        pairs = zip(cast("Sequence[object]", old), cast("Sequence[object]", new), strict=True)
        for key, (before, after) in zip(keys_of(domain), pairs, strict=True):
            if before != after:
                name = f"{label}[{shown(key)}]"
                yield ValueChange(name, write(element, before), write(element, after))


def _moved(
    domain: Queue[object], old: Sequence[object], new: Sequence[object], write: Writer
) -> str:
    """`put X`, `took X`, both, `emptied`, or, where it is not that simple, nothing."""
    taken, put = _ends_moved(old, new)
    if len(taken) > 1:
        return "" if new else "emptied"
    took = [f"took {write(domain.element, each)}" for each in taken]
    return ", ".join([*took, *(f"put {write(domain.element, each)}" for each in put)])


def queue_moves(old: Sequence[T], new: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    """Return which elements left a queue and which ones came, wherever they stood."""
    taken, put = _ends_moved(old, new)
    left, came = list(old), list(new)
    for each in old:
        if each in came:
            came.remove(each)
            left.remove(each)
    # An element that overtakes others is put before them, and they stay.
    return (left, came) if len(left) + len(came) < len(taken) + len(put) else (taken, put)


def _ends_moved(old: Sequence[T], new: Sequence[T]) -> tuple[Sequence[T], Sequence[T]]:
    """Return the fewest elements that left at the front, and those that came at the end."""
    taken = next(n for n in range(len(old) + 1) if list(new[: len(old) - n]) == list(old[n:]))
    return old[:taken], new[len(old) - taken :]
