"""Compiles a system for the native search, and holds the addresses of its functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from ctypes import CFUNCTYPE, c_int64, c_void_p
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from finale.model.expressions import Expression
from finale.model.semantics import Known, evaluate
from finale.model.system import State, System

from .asking import Topics
from .code import Compilation, MachineCode, compiled
from .kernel.places import RULES_MAX
from .layout import layout_of
from .lower import Lowering, answers_source

if TYPE_CHECKING:
    from finale.checker.search.reductions.canonical import Canonical
    from finale.checker.search.reductions.partial_order import PartialOrder

    from .order import StubbornSetBlock

#: The functions that the search calls, in the order of the places in `kernel`.
FUNCTIONS = ("expand", "ask", "cover", "is_stuck", "ask_part")


class NativeMachine:
    """A system as the native search sees it. Raises `domain-too-large`.

    With `canonical`, each state found is replaced by the representative of its class. With
    `partial_order`, the search takes the steps of stubborn sets only. `look` is called now and then
    while the system is compiled, and may raise.
    """

    def __init__(
        self,
        system: System,
        level: int = 0,
        canonical: Canonical | None = None,
        partial_order: PartialOrder | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self.system = system
        self.canonical = canonical
        self.layout = layout_of(system)
        self.topics = Topics(system)
        # A step may lead back to where it began, although its first state was another one.
        is_rewritten = canonical is not None or partial_order is not None
        self.lowering = Lowering(system, self.layout, self.topics, is_rewritten)
        self.leaves, self.numbers = self.lowering.leaves, self.lowering.numbers
        self.branches = self.lowering.branches
        self.chunks = self.lowering.chunks
        progress = [each.rule.makes_progress for each in system.rules]
        #: The rule of each leaf; plus RULES_MAX if the rule makes progress.
        self.leaf_rules = np.array(
            [leaf.rule + RULES_MAX * progress[leaf.rule] for leaf in self.leaves], np.int64
        )
        # A state that is rewritten, or at the end of a chain, is not just what one step writes.
        of_leaf = [-1] * len(self.leaves) if is_rewritten else self.lowering.asking.of_leaf
        #: For each leaf, the set of parts that a state which it leads to is asked.
        self.leaf_parts = np.array(of_leaf, np.int32)
        self._partial_order = partial_order
        self.sources: list[str] = []
        self._codes: list[MachineCode] = []
        self.take(compiled(self._written(look), level, look), level)

    def _written(self, look: Callable[[], None]) -> Iterator[str]:
        """The modules, one after the other."""
        for source in self.lowering.sources(look):
            self.sources.append(source)
            yield source
        if self.canonical is not None:
            from .canonical import canonical_source

            self.sources.append(canonical_source(self.layout, self.canonical))
            yield self.sources[-1]
        if self._partial_order is not None:
            atoms = self._partial_order.atoms
            self.sources.append(answers_source(self.layout, atoms, "guards"))
            yield self.sources[-1]

    def compilation(self, level: int) -> Compilation:
        """Begin to compile the system at another level."""
        begun = Compilation(level)
        for source in self.sources:
            begun.add(source)
        return begun

    def take(self, code: MachineCode, level: int) -> None:
        """Use other code for the same system. Code that was used before can still be called."""
        names = FUNCTIONS if self.canonical is None else (*FUNCTIONS, "canonical")
        self._codes.append(code)
        self.order: StubbornSetBlock | None = None
        if self._partial_order is not None:
            from .order import StubbornSetBlock

            self.order = StubbornSetBlock(self._partial_order, *code.addresses(["guards"]))
        #: At the place of what is not there is a zero.
        self.code: NDArray[np.int64] = np.zeros(len(FUNCTIONS) + 1, np.int64)
        self.code[: len(names)] = code.addresses(names)
        self.level, self.seconds = level, code.seconds

    @property
    def initial(self) -> list[State]:
        """The initial states of the search, without duplicates."""
        return list(dict.fromkeys(self.rewritten(state) for state in self.system.initial))

    def rewritten(self, state: State) -> State:
        """Return the representative of the class of a state."""
        if self.canonical is None:
            return state
        words = np.array(self.layout.encode(state), np.uint64)
        rewrite = CFUNCTYPE(c_int64, c_void_p, c_int64)(int(self.code[-1]))
        rewrite(words.ctypes.data, 1)
        return self.layout.decode([int(word) for word in words])

    def state_test(self, questions: Sequence[Expression]) -> Callable[[State], Sequence[int]]:
        """Return a function that tells which of the questions are true in a state."""

        def test(state: State) -> Sequence[int]:
            known: Known = {}
            return [i for i, each in enumerate(questions) if evaluate(each, state, known=known)]

        return test
