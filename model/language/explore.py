"""Running a rule over symbolic values: forks, paths, and the merging of helpers.

A truth test on a symbolic value asks `decide`. The body is run again for each outcome that the
facts of the path allow, and the runs make a binary tree: inner nodes are tests, leaves are how a
run ended. At the top that tree is the rule's decision tree. A helper, a quantifier's body or a
property is explored on its own (`merged`), and its tree is folded into one value and one set of
writes with if-then-else, so that a plan over sixteen tasks is one leaf and not millions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from model.errors import FinaleError, Place
from model.expressions import (
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

from .facts import Facts
from .stops import BlockedHere, FaultHere, caller

if TYPE_CHECKING:
    from .stores import SymbolicStore

#: More paths than this through one rule or helper are a mistake in how it is written.
PATHS_MAX = 256


@dataclass(frozen=True)
class Branch:
    """One outcome of a statement that branches: a line of a rule, taken or not taken."""

    file: str
    line: int
    outcome: bool


# --- paths ---------------------------------------------------------------------------------------


@dataclass
class Fork:
    """An inner node of the tree of runs."""

    test: Expression
    yes: Fork | End
    no: Fork | End


@dataclass
class End:
    """A leaf: what the run returned, or how it stopped; what it wrote; the branches it took."""

    value: object
    stop: BlockedHere | FaultHere | None
    writes: dict[int, Expression]
    branches: dict[Branch, Expression]


@dataclass
class Run:
    """One run of a body: the decisions that are prescribed, and those that it came to."""

    prescribed: list[bool]
    store: SymbolicStore
    facts: Facts
    tests: list[Expression] = field(default_factory=list)
    outcomes: list[bool] = field(default_factory=list)
    branches: dict[Branch, Expression] = field(default_factory=dict)
    lines: list[Place] = field(default_factory=list)
    helpers: int = 0
    known_helpers: dict[tuple[object, ...], Folded] = field(default_factory=dict)
    """Helpers explored by earlier runs of the same body, by the decisions before the call."""


_run: Run | None = None


def exploring() -> bool:
    """Whether a body is being run over symbolic values (and not over plain ones)."""
    return _run is not None


def current() -> Run:
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
    prescribed = run.prescribed[position] if position < len(run.prescribed) else True
    run.tests.append(positive)
    run.outcomes.append(prescribed)
    run.lines.append(caller())
    run.facts.learn(positive, prescribed)
    return prescribed is wanted


def settled(test: Expression) -> Expression:
    """The test, or its outcome where the facts of the path decide it."""
    known = _run.facts.known(test) if _run is not None else None
    return test if known is None else truth(known)


def note_branch(branch: Branch) -> None:
    """Remember that this path took a branch."""
    if _run is not None:
        _run.branches[branch] = TRUE


@contextmanager
def _running(run: Run) -> Iterator[None]:
    global _run
    outer, _run = _run, run
    written = run.store.writes
    run.store.writes = dict(written)
    try:
        yield
    finally:
        _run = outer
        run.store.writes = written


def explore(body: Callable[[], object], store: SymbolicStore) -> Fork | End:
    """All runs of a body, as a tree. Raises `too-many-paths` beyond PATHS_MAX leaves."""
    facts = _run.facts if _run is not None else Facts()
    count = 0
    helpers: dict[tuple[object, ...], Folded] = {}

    def one(prescribed: list[bool]) -> Fork | End:
        nonlocal count
        count += 1
        run = Run(prescribed, store, facts.copy(), known_helpers=helpers)
        value, stop = None, None
        with _running(run):
            try:
                value = body()
            except (BlockedHere, FaultHere) as end:
                stop = end
            tree: Fork | End = End(value, stop, store.writes, run.branches)
        if count > PATHS_MAX:
            raise _too_many_paths(run.lines)
        for position in reversed(range(len(prescribed), len(run.tests))):
            other = one([*run.outcomes[:position], not run.outcomes[position]])
            tree = Fork(run.tests[position], tree, other)
        return tree

    return one([])


def _too_many_paths(lines: list[Place]) -> FinaleError:
    spots = list(dict.fromkeys(f"{Path(p.file or '').name}:{p.line}" for p in lines))
    return FinaleError(
        "too-many-paths",
        f"more than {PATHS_MAX} paths; the lines that fork: {', '.join(spots)}",
        place=lines[-1] if lines else None,
        advice="put the part that branches into a helper marked @define or @step, "
        "or use all(...), any(...), exists, forall or each: they are merged",
    )


# --- merging -------------------------------------------------------------------------------------


@dataclass
class Folded:
    """A tree of runs as one: its value and writes, and when it does not get that far."""

    value: object
    writes: dict[int, Expression]
    branches: dict[Branch, Expression]
    returns: Expression
    blocked: dict[str | None, Expression]
    faults: list[tuple[Expression, FaultHere]]


def fold(
    tree: Fork | End,
    store: SymbolicStore,
    merge: Callable[[Expression, object, object], object],
) -> Folded:
    """The tree folded with if-then-else. `merge` joins the values of two runs."""

    def read(writes: dict[int, Expression], index: int) -> Expression:
        return writes[index] if index in writes else store.read(index)

    def walk(node: Fork | End, path: tuple[Expression, ...]) -> Folded:
        if isinstance(node, End):
            here = conjunction(path)
            ended = node.stop is None
            branches = {b: conjunction([here, when]) for b, when in node.branches.items()}
            blocked = {node.stop.bound: here} if isinstance(node.stop, BlockedHere) else {}
            faults = [(here, node.stop)] if isinstance(node.stop, FaultHere) else []
            returns = here if ended else FALSE
            return Folded(
                node.value, node.writes, branches if ended else {}, returns, blocked, faults
            )
        yes = walk(node.yes, (*path, node.test))
        no = walk(node.no, (*path, negation(node.test)))
        blocked = {
            bound: disjunction([yes.blocked.get(bound, FALSE), no.blocked.get(bound, FALSE)])
            for bound in yes.blocked | no.blocked
        }
        branches = dict(yes.branches)
        for branch, when in no.branches.items():
            branches[branch] = disjunction([branches.get(branch, FALSE), when])
        returns = disjunction([yes.returns, no.returns])
        faults = yes.faults + no.faults
        if yes.returns is FALSE or no.returns is FALSE:
            going = no if yes.returns is FALSE else yes
            return Folded(going.value, going.writes, branches, returns, blocked, faults)
        writes = {
            index: choose(node.test, read(yes.writes, index), read(no.writes, index))
            for index in yes.writes | no.writes
        }
        value = merge(node.test, yes.value, no.value)
        return Folded(value, writes, branches, returns, blocked, faults)

    return walk(tree, ())


def merged(
    body: Callable[[], object],
    store: SymbolicStore,
    merge: Callable[[Expression, object, object], object],
    given: Expression = TRUE,
) -> object:
    """Run a body on its own, merge its paths, and go on with the one value.

    Where some path blocks or faults, the run under way forks once for all of them. `given` is the
    condition under which plain Python would have come here at all (a later element of `all`).
    """
    run = current()
    # Runs of one body with the same decisions so far make the same calls: explore each once.
    call = (run.helpers, *run.outcomes)
    run.helpers += 1
    folded = run.known_helpers.get(call)
    if folded is None:
        folded = run.known_helpers[call] = fold(explore(body, store), store, merge)
    for when, fault in folded.faults:
        if decide(conjunction([given, when])):
            raise fault
    for bound, when in folded.blocked.items():
        if decide(conjunction([given, when])):
            raise BlockedHere(bound)
    store.writes = dict(folded.writes)
    for branch, when in folded.branches.items():
        taken = conjunction([given, when])
        run.branches[branch] = disjunction([run.branches.get(branch, FALSE), taken])
    return folded.value
