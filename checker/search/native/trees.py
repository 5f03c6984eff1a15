"""Writes decision trees as LLVM blocks: nested branches down to each leaf."""

from __future__ import annotations

from collections.abc import Callable

from finale.checker.search.state_graph.folding import Known, sides
from finale.model.expressions import Constant
from finale.model.system import Blocked, Fault, Test, Tree, Update, leaves

from .values import LlvmText, Values

End = Blocked | Update | Fault

AtLeaf = Callable[[End, Known, Values], None]
"""Writes what is done at a leaf, given what is known and computed there. The last block that it
opens must be left by `LlvmTrees.leave`, or by a return."""


class LlvmTrees:
    """Writes one tree after another. Leaves that are `quiet` go on to the next tree at once."""

    def __init__(self, text: LlvmText, is_quiet: Callable[[End], bool]) -> None:
        self.text = text
        self.is_quiet = is_quiet
        self._next = ""

    def write(self, tree: Tree, values: Values, at_leaf: AtLeaf) -> None:
        """Write one tree. The values computed at its root are known to the next trees."""
        if self._all_quiet(tree):
            return
        self._next = self.text.fresh("next")
        self._tree(tree, {}, values, at_leaf)
        self.text.open(self._next)

    def leave(self) -> None:
        """Go on from the open block to the next tree."""
        self.text.jump(self._next)

    def _all_quiet(self, tree: Tree) -> bool:
        return all(self.is_quiet(end) for end in leaves(tree))

    def _tree(self, tree: Tree, known: Known, values: Values, at_leaf: AtLeaf) -> None:
        if self._all_quiet(tree):
            self.leave()
            return
        if not isinstance(tree, Test):
            at_leaf(tree, known, values)
            return
        test, further = sides(tree, known)
        if isinstance(test, Constant):
            [(_, side, below)] = further
            self._tree(side, below, values, at_leaf)
            return
        condition = values.truth(test)
        loud: list[tuple[str, Tree, Known]] = []
        labels: list[str] = []
        for _, side, below in further:
            if self._all_quiet(side):
                labels.append(self._next)
            else:
                labels.append(self.text.fresh("side"))
                loud.append((labels[-1], side, below))
        self.text.branch(condition, *labels)
        for label, side, below in loud:
            self.text.open(label)
            self._tree(side, below, values.below(), at_leaf)
