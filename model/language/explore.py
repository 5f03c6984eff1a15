"""Explores a rule over symbolic values: forks at tests, follows paths, and merges helpers.

A truth test on a symbolic value asks `decide`. The body is run again for each outcome that the
facts of the path allow, and the runs make a binary tree: inner nodes are tests, leaves are how a
run ended. At the top that tree is the rule's decision tree. A helper, a quantifier's body or a
property is explored on its own (`merged`), and its tree is folded into one value and one set of
writes with if-then-else, so that a plan over sixteen tasks is one leaf and not millions.

A rule cannot keep an iterator. Python uses an iterator up, but a rule's body runs once for each
path: the second run would find the iterator empty. So an iterator is used where it is made,
`any(w.busy for w in workers)`, and is never read from a name, an attribute or an element, never
given to a function of Python, and never returned from a merged helper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from finale.model.errors import FinaleError, Place
from finale.model.expressions import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    Not,
    choose,
    conjunction,
    disjunction,
    negation,
    truth,
)

from .contents import Contents, contents, refuse_changed
from .facts import Facts
from .path_ends import (
    FAULTS,
    BlockedHere,
    FaultHere,
    caller,
    caller_line,
    endless,
    fault_of,
    mistake_of,
)

#: More paths than this through one rule or helper are a mistake in how it is written.
PATHS_MAX = 256
#: And so are more runs of one rule and of the helpers that it calls, however they are nested.
RUNS_MAX = 10_000
#: Helpers and operators in one another, deeper than any topology that can be explored.
HELPERS_DEEP_MAX = 100


@dataclass(frozen=True)
class Branch:
    """One outcome of a statement that branches: a line of a rule, taken or not taken."""

    file: str
    line: int
    outcome: bool

    @property
    def signed_line(self) -> int:
        """The line, negative for a branch that is not taken: how branches are stored by file."""
        return self.line if self.outcome else -self.line

    @classmethod
    def at(cls, file: str, signed_line: int) -> Branch:
        """Return the branch of a file that has a signed line."""
        return cls(file, abs(signed_line), signed_line > 0)


# --- paths ---------------------------------------------------------------------------------------


class PathCells:
    """The cells of the state as they were, and what this path has written."""

    def __init__(self, cells: Sequence[Expression]) -> None:
        self.cells = cells
        self.states = len(cells)
        """The number of cells of a state; what a store keeps behind them is no part of it."""
        self.writes: dict[int, Expression] = {}

    def read(self, index: int) -> Expression:
        """The expression that a cell holds on this path: one's own writes are read."""
        written = self.writes.get(index)
        return self.cells[index] if written is None else written

    def write(self, index: int, expression: Expression) -> None:
        """Let a cell hold an expression from now on, on this path."""
        self.writes[index] = expression

    def over(self, item: object, holds: Expression, decisive: bool) -> Expression:
        """Return the contribution of an item to `all` (decisive False) or `any`.

        In other stores an item may stand for many that are not laid out.
        """
        return holds

    def count(self, item: object) -> None:
        """An item is added to others, or compared with them: there, one that stands for many
        may be refused."""


@dataclass
class PathEnd:
    """A leaf: what the run returned, or how it stopped; what it wrote; the branches it took.

    `beyond` names the bound that the run went beyond: it shows what the rule would do without it.
    """

    value: object
    stop: BlockedHere | FaultHere | None
    writes: dict[int, Expression]
    branches: dict[Branch, Expression]
    beyond: str | None


@dataclass
class Fork:
    """An inner node of the tree of runs."""

    test: Expression
    yes: Fork | PathEnd
    no: Fork | PathEnd


Decision = tuple[Expression, bool]
"""A test and its outcome."""
Call = tuple[object, ...]
"""A call of a helper within a body: how many were called before, and the decisions until then."""


class PathRun:
    """One run of a body: the decisions that are prescribed, and those that it came to."""

    def __init__(
        self,
        prescribed: list[Decision],
        store: PathCells,
        facts: Facts,
        outer: PathRun | None,
        explored: dict[Call, Folded],
    ) -> None:
        self.prescribed = prescribed
        self.store = store
        self.facts = facts
        self.top: PathRun = outer.top if outer is not None else self
        self.depth: int = outer.depth + 1 if outer is not None else 0
        self.explored = explored
        """Helpers that earlier runs of the same body have explored."""
        self.calls = 0
        self.tests: list[Expression] = []
        self.outcomes: list[bool] = []
        self.lines: list[tuple[str, int]] = []
        self.branches: dict[Branch, Expression] = {}
        self.beyond: str | None = None
        self.runs = 0
        """Of the outermost run: all runs within it."""


_run: PathRun | None = None


def exploring() -> bool:
    """Whether a body is being run over symbolic values (and not over plain ones)."""
    return _run is not None


def current() -> PathRun:
    """The run under way. Raises `symbolic-outside-rule`."""
    if _run is None:
        raise FinaleError(
            "symbolic-outside-rule",
            "a symbolic value was tested outside a rule, a helper or a property",
            place=caller(),
            advice="do not keep values of the state in variables that outlive a rule",
        )
    return _run


def decide(test: Expression) -> bool:
    """The outcome of a test on this path; both outcomes are explored if the facts allow both."""
    if isinstance(test, Constant):
        return bool(test.value)
    run = current()
    known = run.facts.known(test)
    if known is not None:
        return known
    positive, wanted = (test.operand, False) if isinstance(test, Not) else (test, True)
    position = len(run.outcomes)
    prescribed = True
    if position < len(run.prescribed):
        expected, prescribed = run.prescribed[position]
        if expected is not positive:
            raise _not_repeatable()
    run.tests.append(positive)
    run.outcomes.append(prescribed)
    run.lines.append(caller_line())
    run.facts.learn(positive, prescribed)
    return prescribed is wanted


def settled(test: Expression) -> Expression:
    """The test, or its outcome where the facts of the path decide it."""
    known = _run.facts.known(test) if _run is not None else None
    return test if known is None else truth(known)


def note_branch(branch: Branch) -> None:
    """Remember that this path took a branch."""
    if _run is not None:
        _run.branches = {**_run.branches, branch: TRUE}  # what is there may be shared


def go_beyond(bound: str) -> None:
    """Go on as if a bound were not there, to see whether it alone forbids the rule."""
    run = current()
    run.beyond = run.beyond or bound


def explore(
    body: Callable[[], object], store: PathCells, given: Expression = TRUE
) -> Fork | PathEnd:
    """All runs of a body, as a tree, in states where `given` holds.

    Raises `too-many-paths` beyond PATHS_MAX leaves, or RUNS_MAX runs with those of helpers.
    """
    facts = _run.facts if _run is not None else Facts()
    if given is not TRUE:
        facts = facts.copy()
        facts.learn(given, True)
    if _run is not None and _run.depth > HELPERS_DEEP_MAX:
        raise endless(caller())
    explored: dict[Call, Folded] = {}
    root = Fork(TRUE, _UNSEEN, _UNSEEN)
    pending: list[tuple[Fork, list[Decision]]] = [(root, [])]
    runs, outside = 0, contents(body)
    while pending:
        parent, prescribed = pending.pop()
        run = PathRun(prescribed, store, facts.copy(), _run, explored)
        node: Fork | PathEnd = _one(run, body)
        refuse_changed(outside)
        runs += 1
        run.top.runs += 1
        if runs > PATHS_MAX or run.top.runs > RUNS_MAX:
            raise _too_many_paths(run, runs)
        if len(run.tests) < len(prescribed):
            raise _not_repeatable()
        others: list[tuple[Fork, list[Decision]]] = []
        before = list(zip(run.tests, run.outcomes, strict=True))
        for position in reversed(range(len(prescribed), len(run.tests))):
            node = Fork(run.tests[position], node, _UNSEEN)
            others.append((node, [*before[:position], (run.tests[position], False)]))
        pending += reversed(others)  # the deepest fork is explored next
        parent.no = node
    return root.no


_UNSEEN = PathEnd(None, None, {}, {}, None)


def _one(run: PathRun, body: Callable[[], object]) -> PathEnd:
    """Run a body once, with the decisions that are prescribed."""
    global _run  # noqa: PLW0603 - the run under way, as values that test themselves find it
    store, outer = run.store, _run
    value: object = None
    stop: BlockedHere | FaultHere | None = None
    written = store.writes
    store.writes = dict(written)
    _run = run
    try:
        value = body()
    except (BlockedHere, FaultHere) as end:
        stop = end
    except FinaleError:
        raise
    except FAULTS as error:
        stop = fault_of(error)
    except Exception as error:
        raise mistake_of(error) from error
    finally:
        _run = outer
        writes, store.writes = store.writes, written
    return PathEnd(value, stop, writes, run.branches, run.beyond)


def _not_repeatable() -> FinaleError:
    return FinaleError(
        "keeps-state",
        "a rule or helper comes to another test when it is run again: it depends on more than the "
        "state",
        place=caller(),
        advice="keep what must last in a field of an entity, and let a rule use nothing up",
    )


def _too_many_paths(run: PathRun, runs: int) -> FinaleError:
    spots = list(dict.fromkeys(f"{Path(file).name}:{line}" for file, line in run.lines))
    what = (
        f"more than {PATHS_MAX} paths"
        if runs > PATHS_MAX
        else f"more than {RUNS_MAX} runs of the rule and its helpers"
    )
    return FinaleError(
        "too-many-paths",
        f"{what}; the lines that fork: {', '.join(spots) or 'in helpers'}",
        place=Place(*run.lines[-1]) if run.lines else None,
        advice="put the part that branches into a helper marked @define or @step, or use all(...), "
        "any(...), sum(...) or each: they are merged, and so are loops that keep no local name",
    )


# --- merging -------------------------------------------------------------------------------------


@dataclass
class Folded:
    """A tree of runs as one: its value and writes, and when it does not get that far.

    `beyond` says when it gets there only beyond a bound.
    """

    value: object
    writes: dict[int, Expression]
    branches: dict[Branch, Expression]
    returns: Expression
    blocked: dict[str | None, Expression]
    beyond: dict[str, Expression]
    faults: list[tuple[Expression, FaultHere]]
    held: Contents = field(default_factory=Contents)
    """What the value holds that can change: further runs get the same value."""


Merge = Callable[[Expression, object, object], object]
Key = TypeVar("Key")


def fold(tree: Fork | PathEnd, store: PathCells, merge: Merge) -> Folded:
    """The tree folded with if-then-else. `merge` joins the values of two runs."""
    return _folded(tree, (), store, merge)


def _folded(
    node: Fork | PathEnd, path: tuple[Expression, ...], store: PathCells, merge: Merge
) -> Folded:
    if isinstance(node, PathEnd):
        return _folded_end(node, conjunction(path))
    yes = _folded(node.yes, (*path, node.test), store, merge)
    no = _folded(node.no, (*path, negation(node.test)), store, merge)
    branches = _either(yes.branches, no.branches)
    blocked = _either(yes.blocked, no.blocked)
    beyond = _either(yes.beyond, no.beyond)
    faults = yes.faults + no.faults
    if yes.returns is FALSE or no.returns is FALSE:
        going = no if yes.returns is FALSE else yes
        return Folded(going.value, going.writes, branches, going.returns, blocked, beyond, faults)
    writes = _chosen(node.test, yes.writes, no.writes, store)
    value = merge(node.test, yes.value, no.value)
    returns = disjunction([yes.returns, no.returns])
    return Folded(value, writes, branches, returns, blocked, beyond, faults)


def _folded_end(end: PathEnd, here: Expression) -> Folded:
    blocked: dict[str | None, Expression] = {}
    faults: list[tuple[Expression, FaultHere]] = []
    match end.stop:
        case None:
            branches = _given(here, end.branches)
            beyond = {end.beyond: here} if end.beyond is not None else {}
            return Folded(end.value, end.writes, branches, here, blocked, beyond, faults)
        case BlockedHere(bound=bound):
            blocked[bound] = here
        case FaultHere() if end.beyond is not None:
            blocked[end.beyond] = here  # a fault of what only the bound keeps from happening
        case FaultHere() as fault:
            faults.append((here, fault))
    return Folded(None, end.writes, {}, FALSE, blocked, {}, faults)


def _given(condition: Expression, each: dict[Key, Expression]) -> dict[Key, Expression]:
    if condition is TRUE:
        return each
    return {key: conjunction([condition, when]) for key, when in each.items()}


def _either(left: dict[Key, Expression], right: dict[Key, Expression]) -> dict[Key, Expression]:
    if not left or not right:
        return left or right
    both = dict(left)
    for key, when in right.items():
        known = both.get(key)
        if known is None:
            both[key] = when
        elif known is not TRUE:
            both[key] = disjunction([known, when])
    return both


def _chosen(
    test: Expression,
    yes: dict[int, Expression],
    no: dict[int, Expression],
    store: PathCells,
) -> dict[int, Expression]:
    writes = dict(yes)
    for index, written in no.items():
        other = yes[index] if index in yes else store.read(index)
        writes[index] = choose(test, other, written)
    for index in yes.keys() - no.keys():
        writes[index] = choose(test, yes[index], store.read(index))
    return writes


def merged(
    body: Callable[[], object], store: PathCells, merge: Merge, given: Expression = TRUE
) -> object:
    """Explore a body by itself, merge its paths, and return the merged value.

    Where some path blocks or faults, the run under way forks once for all of them. `given` is the
    condition under which plain Python would have come here at all (a later element of `all`):
    elsewhere nothing is written, and the value means nothing.
    """
    run = current()
    # Runs of one body with the same decisions so far make the same calls: explore each once.
    call = (run.calls, *run.outcomes)
    run.calls += 1
    folded = run.explored.get(call)
    if folded is None:
        folded = run.explored[call] = fold(explore(body, store, given), store, merge)
        folded.held = contents(folded.value)
        if is_iterator(folded.value):
            raise iterator_kept(folded.value, "what a helper or an operand returns")
    refuse_changed(folded.held)
    for when, fault in folded.faults:
        if decide(conjunction([given, when])):
            raise fault
    for bound, when in folded.blocked.items():
        if decide(conjunction([given, when])):
            raise BlockedHere(bound)
    for bound, when in folded.beyond.items():
        if decide(conjunction([given, when])):
            go_beyond(bound)
    _write(run, store, given, folded.writes)
    run.branches = _either(run.branches, _given(given, folded.branches))
    return folded.value


def _write(
    run: PathRun, store: PathCells, given: Expression, writes: dict[int, Expression]
) -> None:
    """Take the writes of a helper over, and that what it wrote was in its domain."""
    known = store.writes
    for index, written in writes.items():
        before = store.read(index)
        if written is before:
            continue
        after = choose(given, written, before)
        known[index] = after
        cell = store.cells[index]
        outside = after.low < cell.low or after.high > cell.high
        if outside and index < store.states:
            run.facts.bound(after, cell.low, cell.high)


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
