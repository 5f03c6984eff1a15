"""Writes a system as LLVM modules: its steps, and the questions about its states.

    expand(in, n, out, leaves, starts, first)  all steps of n states, a chunk of rules at a time;
                                               the steps of state i by chunk c are those from
                                               starts[c][i] up to starts[c][i + 1]
    ask(in, n, first), ask_part(…)             which topics some of n states settle (`asking.py`)
    cover(in, leaf, seen)                      which of its conditional branches a leaf takes in
                                               a state; tells whether some are still unseen
    is_stuck(in)                               whether a state is a deadlock, if no step of a rule
                                               that makes progress changes it

For each open topic, `first` holds the least state, or step, that settles it: OPEN if none has yet,
CLOSED if the topic was settled before. Steps are ordered by state, then by rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from finale.checker.search.state_graph.folding import Known, folded
from finale.checker.search.state_graph.graph import numbered
from finale.checker.search.state_graph.questions import Topic
from finale.model.expressions import FALSE, TRUE, Expression, disjunction
from finale.model.language.explore import Branch
from finale.model.system import Blocked, Fault, System, Update

from .asking import Asking, Topics
from .kernel.places import BATCH, FAULT_BIT, RULES_IN_CHUNK
from .layout import WORD, StateLayout, check_rules
from .never import is_never
from .trees import AtLeaf, End, LlvmTrees
from .values import LlvmText, Values
from .writes import after_words
from .writing import function, loop, unpacked


class Lowering:
    """Writes the module. `leaves` are numbered as everywhere, `branches` in a table.

    If states are `rewritten` after a step, a step to another state of the same class looks like no
    change. So the generated code decides before rewriting whether a step changes the state.
    """

    def __init__(
        self, system: System, layout: StateLayout, topics: Topics, rewritten: bool = False
    ) -> None:
        self.rewritten = rewritten
        check_rules(system)
        self.system = system
        self.layout = layout
        self.topics = topics
        self.leaves, self.numbers = numbered(system)
        self._never: dict[Expression, bool] = {}
        self.asking = Asking(system, topics, self.leaves)
        self.branches: dict[Branch, int] = {}
        for leaf in self.leaves:
            for branch, _ in leaf.end.branches if isinstance(leaf.end, Update) else ():
                self.branches.setdefault(branch, len(self.branches))

    @cached_property
    def chunks(self) -> int:
        """How many functions the rules are split over."""
        return max(1, -(-len(self.system.rules) // RULES_IN_CHUNK))

    def sources(self, look: Callable[[], None] = lambda: None) -> Iterator[str]:
        """Yield the texts of modules: one for each chunk, and one that calls them all.

        `look` is called for each chunk, and may raise.
        """
        for number in range(self.chunks):
            look()
            yield self._chunk(number)
        yield "\n".join(
            [self._expand(), self.asking.source(self.layout), self._cover(), self._is_stuck()]
        )

    # --- steps -----------------------------------------------------------------------------------

    def _expand(self) -> str:
        text = LlvmText()
        count = "0"
        for number in range(self.chunks):
            row = text.value(f"getelementptr i64, ptr %starts, i64 {number * (BATCH + 1)}")
            arguments = f"ptr %in, i64 %n, ptr %out, ptr %leaves, ptr {row}, ptr %first"
            count = text.value(f"call i64 @chunk{number}({arguments}, i64 {count})")
        text.line(f"ret i64 {count}")
        parameters = "ptr %in, i64 %n, ptr %out, ptr %leaves, ptr %starts, ptr %first"
        types = ", ".join(["ptr", "i64", *["ptr"] * 4, "i64"])
        chunks = "\n".join(f"declare i64 @chunk{number}({types})" for number in range(self.chunks))
        return f"{chunks}\n{function('define i64', f'expand({parameters})', text)}"

    def _chunk(self, number: int) -> str:
        text = LlvmText()
        begin = number * RULES_IN_CHUNK
        rules = range(begin, min(begin + RULES_IN_CHUNK, len(self.system.rules)))

        def body(values: Values) -> None:
            trees = LlvmTrees(text, lambda end: isinstance(end, Blocked))
            steps = [
                (self.system.rules[rule].tree, self._step(text, trees, rule)) for rule in rules
            ]
            trees.write(steps, values)

        loop(text, self.layout, body, counts=True)
        names = ("in", "out", "leaves", "starts", "first")
        pointers = ", ".join(f"ptr noalias nocapture %{name}" for name in names)
        header = f"chunk{number}({pointers.replace(', ', ', i64 %n, ', 1)}, i64 %start)"
        return function("define i64", header, text)

    def _step(self, text: LlvmText, trees: LlvmTrees, rule: int) -> AtLeaf:
        def at_leaf(end: End, known: Known, values: Values) -> None:
            count = text.value("load i64, ptr %count")
            number = self.numbers[rule, id(end)]
            place = text.value(f"getelementptr i32, ptr %leaves, i64 {count}")
            if isinstance(end, Fault):
                text.line(f"store i32 {number | FAULT_BIT}, ptr {place}")
            else:
                assert isinstance(end, Update)
                text.line(f"store i32 {number}, ptr {place}")
                offset = text.value(f"mul i64 {count}, {self.layout.width}")
                out = text.value(f"getelementptr i64, ptr %out, i64 {offset}")
                memo: Known = {}
                writes = {index: folded(value, known, memo) for index, value in end.writes}
                for word, name in enumerate(after_words(values, writes, self.system)):
                    address = text.value(f"getelementptr i64, ptr {out}, i64 {word}")
                    text.line(f"store i64 {name}, ptr {address}")
                self._ask_step(text, rule, writes, known, values)
            text.line(f"store i64 {text.value(f'add i64 {count}, 1')}, ptr %count")
            trees.leave()

        return at_leaf

    def _ask_step(
        self,
        text: LlvmText,
        rule: int,
        writes: dict[int, Expression],
        known: Known,
        values: Values,
    ) -> None:
        """What is asked of steps, asked of this one: cells after it are what they are written."""
        for topic, condition in self._conditions_after(rule, writes, known):
            asked, settled, done = (text.fresh(name) for name in ("asked", "settled", "done"))
            key = text.value(f"or i64 %step, {rule}")
            place = text.value(f"getelementptr i64, ptr %first, i64 {self.topics.on_steps[topic]}")
            least = text.value(f"load i64, ptr {place}")
            text.branch(text.value(f"icmp slt i64 {key}, {least}"), asked, done)
            text.open(asked)
            text.branch(values.below().truth(condition), settled, done)
            text.open(settled)
            text.line(f"store i64 {key}, ptr {place}")
            text.jump(done)
            text.open(done)

    def _conditions_after(
        self, rule: int, writes: dict[int, Expression], known: Known
    ) -> Iterator[tuple[Topic, Expression]]:
        asked = self.topics.of_rule[rule]
        if not asked:
            return
        memo: Known = {}
        known = dict(known)
        for cell in self.topics.cells_after[rule]:
            before = self.system.cells[cell.index]
            known[cell] = writes.get(cell.index, known.get(before, before))
        for topic, questions in asked.items():
            condition = disjunction(folded(each.condition, known, memo) for each in questions)
            if condition is not FALSE and not is_never(condition, self._never):
                yield topic, condition

    # --- states -----------------------------------------------------------------------------------

    def _cover(self) -> str:
        text = LlvmText()
        values = unpacked(text, self.layout, "%in")
        numbers = [number for number, leaf in enumerate(self.leaves) if _conditional(leaf.end)]
        cases = " ".join(f"i64 {number}, label %leaf{number}" for number in numbers)
        text.line(f"switch i64 %leaf, label %none [ {cases} ]")
        text.open("none")
        text.line("ret i64 0")
        for number in numbers:
            end = self.leaves[number].end
            assert isinstance(end, Update)
            text.open(f"leaf{number}")
            here, all_seen, bytes_of = values.below(), "1", dict[str, str]()
            for branch, condition in _conditional(end):
                truth = here.truth(condition)
                if truth not in bytes_of:
                    bytes_of[truth] = text.value(f"zext i1 {truth} to i8")
                place = f"getelementptr i8, ptr %seen, i64 {self.branches[branch]}"
                address = text.value(place)
                old = text.value(f"load i8, ptr {address}")
                new = text.value(f"or i8 {old}, {bytes_of[truth]}")
                text.line(f"store i8 {new}, ptr {address}")
                all_seen = text.value(f"and i8 {all_seen}, {new}")
            wide = text.value(f"zext i8 {all_seen} to i64")
            text.line(f"ret i64 {text.value(f'xor i64 {wide}, 1')}")
        return function("define i64", "cover(ptr %in, i64 %leaf, ptr %seen)", text)

    def _is_stuck(self) -> str:
        text = LlvmText()
        values = unpacked(text, self.layout, "%in")
        text.branch(values.truth(self.system.terminal), "no", "going")
        text.open("no")
        text.line("ret i64 0")
        text.open("going")

        def is_quiet(end: End) -> bool:
            return end.bound is None if isinstance(end, Blocked) else not self.rewritten

        trees = LlvmTrees(text, is_quiet)

        def at_leaf(end: End, known: Known, values: Values) -> None:
            if isinstance(end, Update):
                same, changed = text.fresh("same"), text.fresh("changed")
                text.branch(self._changes(text, end, known, values), changed, same)
                text.open(same)
                trees.leave()
                text.open(changed)
            text.line("ret i64 0")

        progress = [rule.tree for rule in self.system.rules if rule.rule.makes_progress]
        trees.write([(tree, at_leaf) for tree in progress], values)
        text.line("ret i64 1")
        return function("define i64", "is_stuck(ptr %in)", text)

    def _changes(self, text: LlvmText, end: Update, known: Known, values: Values) -> str:
        """Whether an update leads to another state."""
        memo: Known = {}
        writes = {index: folded(value, known, memo) for index, value in end.writes}
        changes = "false"
        for word, name in enumerate(after_words(values, writes, self.system)):
            other = text.value(f"icmp ne i64 {name}, {values.words[word]}")
            changes = text.value(f"or i1 {changes}, {other}")
        return changes


def answers_source(layout: StateLayout, questions: Sequence[Expression], name: str) -> str:
    """Return `name(in, n, out)`: for each of n states the set of questions that are true."""
    text = LlvmText()
    words = words_for(len(questions))

    def body(values: Values) -> None:
        offset = text.value(f"mul i64 %i, {words}")
        row = text.value(f"getelementptr i64, ptr %out, i64 {offset}")
        for word in range(words):
            found = "0"
            for shift, question in enumerate(questions[word * WORD : (word + 1) * WORD]):
                bit = text.value(f"zext i1 {values.truth(question)} to i64")
                moved = text.value(f"shl i64 {bit}, {shift}")
                found = text.value(f"or i64 {found}, {moved}")
            address = text.value(f"getelementptr i64, ptr {row}, i64 {word}")
            text.line(f"store i64 {found}, ptr {address}")

    loop(text, layout, body)
    return function("define i64", f"{name}(ptr %in, i64 %n, ptr %out)", text)


def words_for(count: int) -> int:
    """Return how many words a set of so many things takes, one bit each."""
    return -(-count // WORD)


def _conditional(end: Update | Fault) -> list[tuple[Branch, Expression]]:
    """The branches that a leaf takes in some states only; the others, it takes when it is taken."""
    branches = end.branches if isinstance(end, Update) else ()
    return [(branch, condition) for branch, condition in branches if condition is not TRUE]
