"""Writes decision trees as Python functions: nested `if` statements down to each leaf."""

from __future__ import annotations

from collections.abc import Callable

from finale.checker.search.state_graph.folding import Known, folded, sides
from finale.checker.search.state_graph.graph import LeafNumbers
from finale.model.expressions import Constant, Expression
from finale.model.system import Blocked, Fault, System, Test, Tree, Update, leaves

from .lowering import PythonText, is_plain_integer

#: A generated function is split where it gets longer than this.
LINES_MAX = 3000
#: Python takes 100 levels of indentation: a deeper tree goes on in a function of its own.
LEVELS_MAX = 80

End = Blocked | Update | Fault
Names = dict[Expression, str]
AtLeaf = Callable[[PythonText, int, int, End, Known, Names], None]
"""Writes what is done at a leaf: the text, the depth, the rule, the leaf, what is known, names."""


class PythonTrees:
    """Writes all trees of a system as functions of these `arguments`, together called `run`.

    Leaves that are `quiet` do nothing and are left out of the text.
    """

    def __init__(
        self, system: System, arguments: str, quiet: Callable[[End], bool], at_leaf: AtLeaf
    ) -> None:
        self.system = system
        self.arguments = arguments
        self.is_quiet = quiet
        self.at_leaf = at_leaf
        self.functions: list[list[str]] = []

    def source(self) -> str:
        """Return the text of the module."""
        chunks: list[str] = []
        text, start = self._opened(), 0
        for index, rule in enumerate(self.system.rules):
            if len(text.lines) > LINES_MAX:
                chunks.append(self._closed(text, f"rules_{start}"))
                text, start = self._opened(), index
            text.line(1, f"# {index}: {rule!s}".replace("\n", " "))
            self._tree(text, 1, index, rule.tree, {}, {})
        chunks.append(self._closed(text, f"rules_{start}"))
        lines = [line for function in self.functions for line in function]
        calls = [f" {name}({self.arguments})" for name in chunks]
        return "\n".join([*lines, f"def run({self.arguments}):", *calls, ""])

    def _opened(self) -> PythonText:
        text = PythonText()
        names = "".join(f"c{i}, " for i in range(len(self.system.cells)))
        text.line(1, f"({names}) = s" if names else "pass")
        return text

    def _closed(self, text: PythonText, name: str) -> str:
        self.functions.append([f"def {name}({self.arguments}):", *text.lines])
        return name

    def _tree(
        self, text: PythonText, depth: int, rule: int, tree: Tree, known: Known, names: Names
    ) -> None:
        if all(self.is_quiet(end) for end in leaves(tree)):
            return
        if not isinstance(tree, Test):
            self.at_leaf(text, depth, rule, tree, known, names)
            return
        if depth > LEVELS_MAX:
            deeper = self._opened()
            self._tree(deeper, 1, rule, tree, known, {})
            name = self._closed(deeper, f"deep_{len(self.functions)}")
            text.line(depth, f"{name}({self.arguments})")
            return
        test, further = sides(tree, known)
        if isinstance(test, Constant):
            [(_, side, below)] = further
            self._tree(text, depth, rule, side, below, names)
            return
        [condition] = text.texts([test], depth, names)
        opening = f"if {condition}:"
        for outcome, side, below in further:
            if not outcome:
                opening = f"if not {condition}:" if opening else "else:"
            if all(self.is_quiet(end) for end in leaves(side)):
                continue
            text.line(depth, opening)
            opening = ""
            before = len(text.lines)
            self._tree(text, depth + 1, rule, side, below, dict(names))
            if len(text.lines) == before:  # what is known leaves only quiet leaves
                text.line(depth + 1, "pass")


def _follow(system: System, numbers: LeafNumbers) -> AtLeaf:
    """Updates append their number and the state they make; faults their number."""
    cells = [f"c{i}" for i in range(len(system.cells))]

    def at_leaf(
        text: PythonText, depth: int, rule: int, end: End, known: Known, names: Names
    ) -> None:
        number = numbers[rule, id(end)]
        if not isinstance(end, Update):
            text.line(depth, f"faults.append({number})")
            return
        memo: Known = {}
        written = {index: folded(value, known, memo) for index, value in end.writes}
        after = list(cells)
        texts = text.texts(list(written.values()), depth, names)
        for (index, value), new in zip(written.items(), texts, strict=True):
            after[index] = new if is_plain_integer(value) else f"(1 if {new} else 0)"
        text.line(depth, f"out.append(({number}, ({', '.join(after)},)))")

    return at_leaf


def expand_source(system: System, numbers: LeafNumbers) -> str:
    """Return the text of `run(s, faults, out)`: all steps of `s`, with the `numbers` of leaves."""
    at_leaf = _follow(system, numbers)
    return PythonTrees(
        system, "s, faults, out", lambda end: isinstance(end, Blocked), at_leaf
    ).source()


def bounds_source(system: System) -> str:
    """Return the text of `run(s, out)`: the rules that only a bound blocks in `s`."""

    def quiet(end: End) -> bool:
        return not isinstance(end, Blocked) or end.bound is None

    def at_leaf(text: PythonText, depth: int, rule: int, end: End, _: Known, names: Names) -> None:
        assert isinstance(end, Blocked)
        text.line(depth, f"out.append(({rule}, {end.bound!r}))")

    return PythonTrees(system, "s, out", quiet, at_leaf).source()
