"""What a comparison asks of a Flink: of a build with class files, or of sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from .normal_form import Body

#: Only these classes are compared: a jar of Flink also has those of other projects.
ROOT = "org/apache/flink/"

Key = tuple[str, str]
"""A class, without numbers of anonymous classes, and a method."""


def nearest_first(name: str, above: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """Yield all superclasses and interfaces of a class, the nearest first, each once.

    `above` gives those that a class itself names.
    """
    waiting, seen = [name], {name}
    while waiting:
        for each in above(waiting.pop(0)):
            if each not in seen:
                seen.add(each)
                waiting.append(each)
                yield each


class Code(Protocol):
    """The classes of a Flink, by names as class files have them."""

    @property
    def name(self) -> str:
        """What a reader calls this Flink."""
        ...

    @property
    def version(self) -> str:
        """The version, empty if nothing says it."""
        ...

    @property
    def sums(self) -> Mapping[str, object]:
        """For the name of each class that is read by itself, a checksum."""
        ...

    def unit(self, name: str) -> str:
        """Return the class that is read when a class is asked for: itself, or one around it."""
        ...

    def called(self, short: str) -> tuple[str, ...]:
        """Return the classes that a short name can mean: `Inner`, or `Outer.Inner`."""
        ...

    def above(self, name: str) -> Iterator[str]:
        """Yield the superclasses and interfaces of a class, the nearest first, each once."""
        ...

    def methods_of(self, name: str) -> Sequence[str]:
        """Return the names of the methods that a class declares; none if there is no such class."""
        ...

    def bodies(self, name: str) -> Iterator[tuple[Key, str, Body]]:
        """Yield each method of a class: where it stands, its signature, and its code."""
        ...


__all__ = ["ROOT", "Code", "Key", "nearest_first"]
