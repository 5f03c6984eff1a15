"""Refuses iterators that a rule could come to a second time: an iterator has no name in a rule.

Python uses an iterator up. Exploring runs a body once for each path, and evaluates operands that
plain Python would not come to: the second run would find the iterator empty. So an iterator is
used where it is made, `any(w.busy for w in workers)`, and is never read from a name, an attribute
or an element, never given to a function of Python, and never returned from a merged helper.
"""

from __future__ import annotations

from finale.model.errors import FinaleError

from .path_ends import caller


def is_iterator(value: object) -> bool:
    """Whether a value is an iterator: a generator, `iter(…)`, `map(…)`, `zip(…)`."""
    return hasattr(type(value), "__next__")


def iterator_kept(value: object, what: str) -> FinaleError:
    """Return the refusal of an iterator; `what` says where the iterator goes or comes from."""
    kind = type(value).__name__
    return FinaleError(
        "iterator-kept",
        f"{what} is an iterator ({kind}): one path through the rule would use it up, and the next "
        "would find it empty",
        place=caller(),
        advice="make a tuple of it, `tuple(…)`; or use it where it is made, as in "
        "`any(… for … in …)`",
    )
