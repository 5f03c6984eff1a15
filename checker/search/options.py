"""Options of a search that affect its cost, never its answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from finale.model.errors import FinaleError, Place

StorageName = Literal["exact", "compressed", "hashed"]
"""How states are stored: all of their bits, equal parts once, or 64 bits of each in memory."""


#: So many threads are never of use: to start very many would take longer than the search.
THREADS_MAX = 256


@dataclass(frozen=True)
class SearchOptions:
    """Options of the native search. `threads` None uses all processors.

    `resume` is a folder: the search saves itself there, and a search of the same system continues
    from there. So many `searches` at once share the processors and the memory of this machine.
    Raises `bad-limit`.
    """

    storage: StorageName = "exact"
    threads: int | None = None
    resume: Path | None = None
    searches: int = 1

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads > THREADS_MAX:
            raise FinaleError(
                "bad-limit",
                f"threads is {self.threads}: more than {THREADS_MAX} only wait for each other",
                place=Place(key="threads"),
                advice="leave it out: then all processors work",
            )
        if self.threads is not None and self.threads < 1:
            raise FinaleError(
                "bad-limit",
                f"threads is {self.threads}: nobody would search",
                place=Place(key="threads"),
                advice="give one or more, or leave it out: then all processors work",
            )

    @property
    def needs_native(self) -> str:
        """The first option that the readable search does not have; empty if none is given."""
        given = {
            "storage": self.storage != "exact",
            "threads": self.threads is not None,
            "resume": self.resume is not None,
        }
        return next((name for name, is_given in given.items() if is_given), "")


DEFAULT = SearchOptions()
