"""Writes decision trees as LLVM blocks: nested branches down to each leaf."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from finale.checker.search.state_graph.folding import Known, folded, sides
from finale.model.expressions import Constant, Expression
from finale.model.system import Blocked, Fault, Test, Tree, Update, leaves

from .values import LlvmText, Values

End = Blocked | Update | Fault

AtLeaf = Callable[[End, Known, Values], None]
"""Writes what is done at a leaf, given what is known and computed there. The last block that it
opens must be left by `LlvmTrees.leave`, or by a return."""


Trees = Sequence[tuple[Tree, AtLeaf]]
"""Trees in their order, each with what is done at its leaves."""


class LlvmTrees:
    """Writes trees one after another. Leaves that are `quiet` go on to the next tree at once.

    Neighbours that begin with the same test share it, and so do their subtrees. The choices of a
    rule whose guard is false are passed by together.
    """

    def __init__(self, text: LlvmText, is_quiet: Callable[[End], bool]) -> None:
        self.text = text
        self.is_quiet = is_quiet
        self._next = ""

    def write(self, trees: Trees, values: Values) -> None:
        """Write trees. The values computed at the root of one are known to those after it."""
        loud = self._loud(trees)
        if loud:
            after = self.text.fresh("next")
            self._trees(loud, {}, values, after)
            self.text.open(after)

    def leave(self) -> None:
        """Go on from the open block to the next tree."""
        self.text.jump(self._next)

    def _loud(self, trees: Trees) -> Trees:
        return [each for each in trees if not all(map(self.is_quiet, leaves(each[0])))]

    def _trees(self, trees: Trees, known: Known, values: Values, after: str) -> None:
        """Write trees, and go on to the block `after`. A test that is decided is left out."""
        left = self._loud([(_decided(tree, known), at_leaf) for tree, at_leaf in trees])
        if not left:
            self.text.jump(after)
        while left:
            tree, at_leaf = left[0]
            count = 1
            if isinstance(tree, Test):
                test = folded(tree.condition, known, {})
                while count < len(left) and _begins_with(left[count][0], test, known):
                    count += 1
            group, left = left[:count], left[count:]
            rest = self.text.fresh("next") if left else after
            if isinstance(tree, Test):
                self._test(group, known, values, rest)
            else:
                self._next = rest
                at_leaf(tree, known, values)
            if left:
                self.text.open(rest)

    def _test(self, group: Trees, known: Known, values: Values, after: str) -> None:
        """Write the test that some trees begin with, and both of its sides."""
        first = group[0][0]
        assert isinstance(first, Test)
        test, further = sides(first, known)
        condition = values.truth(test)
        labels: list[str] = []
        loud: list[tuple[str, Trees, Known]] = []
        for outcome, _, below in further:
            trees = self._loud([(_side(tree, outcome), at_leaf) for tree, at_leaf in group])
            labels.append(self.text.fresh("side") if trees else after)
            if trees:
                loud.append((labels[-1], trees, below))
        self.text.branch(condition, *labels)
        for label, trees, below in loud:
            self.text.open(label)
            self._trees(trees, below, values.below(), after)


def _decided(tree: Tree, known: Known) -> Tree:
    """A tree without the tests at its root that are decided."""
    while isinstance(tree, Test):
        test = folded(tree.condition, known, {})
        if not isinstance(test, Constant):
            break
        tree = _side(tree, bool(test.value))
    return tree


def _side(tree: Tree, outcome: bool) -> Tree:
    assert isinstance(tree, Test)
    return tree.yes if outcome else tree.no


def _begins_with(tree: Tree, test: Expression, known: Known) -> bool:
    """Whether a tree begins with a test."""
    return isinstance(tree, Test) and folded(tree.condition, known, {}) is test
