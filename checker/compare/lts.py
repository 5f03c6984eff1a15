"""A labelled transition system: what an observer sees of a state graph.

States are numbers. A transition has a label, also a number; label 0 is silence (τ): the observer
sees nothing. Two systems that are compared share one alphabet, so equal labels have equal numbers.

`aut_of` writes a system for CADP and mCRL2.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]

SILENT = 0


class Alphabet:
    """The labels of systems that are compared, by number. Label 0 is silence.

    A label is known by its key. Its text is for readers; no two labels have one text.
    """

    def __init__(self) -> None:
        self.texts = [""]
        self._numbers: dict[Hashable, int] = {}
        self._taken = {""}

    def number(self, key: Hashable, text: str) -> int:
        """Return the number of a label; a new one gets the next number."""
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.texts)
            self.texts.append(apart(text, self._taken))
        return found


def apart(text: str, taken: set[str]) -> str:
    """Return the text, with a number where it is taken, and take it."""
    told, number = text, 1
    while told in taken:
        number += 1
        told = f"{text} ({number})"
    taken.add(told)
    return told


@dataclass(frozen=True, eq=False)
class Lts:
    """The transitions `source[e] -label[e]-> target[e]` of states `0 .. states - 1`.

    The transitions `endings` are no steps: each says how a run ends, and leads into a state without
    transitions.
    """

    states: int
    root: int
    source: Numbers
    label: Numbers
    target: Numbers
    endings: range = range(0)

    @property
    def transitions(self) -> int:
        """The number of transitions."""
        return len(self.source)

    @cached_property
    def _by_source(self) -> tuple[Numbers, Numbers]:
        order = np.argsort(self.source, kind="stable")
        first = np.searchsorted(self.source[order], np.arange(self.states + 1))
        return order, first

    def outgoing(self, state: int) -> list[int]:
        """Return the transitions of a state, in their order."""
        order, first = self._by_source
        found: list[int] = order[first[state] : first[state + 1]].tolist()
        return found


def joined(first: Lts, second: Lts) -> Lts:
    """Return both systems side by side: the states of the second come after those of the first.

    It does not say which transitions are endings.
    """
    by = first.states
    return Lts(
        by + second.states,
        first.root,
        np.concatenate([first.source, second.source + by]),
        np.concatenate([first.label, second.label]),
        np.concatenate([first.target, second.target + by]),
    )


#: How the format writes silence. Both tools read it; CADP also reads the other one.
TAU, INTERNAL = "tau", "i"


def aut_of(lts: Lts, alphabet: Alphabet) -> str:
    """Return the text of a system, transitions in their order.

    A silent step from a state to itself is left out: here it is no step, other tools take it for an
    endless run. Other tools know a label by its text, so no two labels have one text.
    """
    taken = {TAU, INTERNAL}
    labels = [TAU, *(apart(_quoted(text), taken) for text in alphabet.texts[SILENT + 1 :])]
    rows = zip(lts.source.tolist(), lts.label.tolist(), lts.target.tolist(), strict=True)
    lines = [
        f'({source},"{labels[label]}",{target})'
        for source, label, target in rows
        if label != SILENT or source != target
    ]
    return "\n".join([f"des ({lts.root},{len(lines)},{lts.states})", *lines, ""])


def _quoted(text: str) -> str:
    """A label between quotation marks: it must have none of its own, and no line end."""
    shown = text.replace("\\", "\\\\").replace('"', "'")
    return "".join(each if each.isprintable() else " " for each in shown)
