"""Facts about the check of a job against a snapshot: what it accepts, on any graph (RC-8).

The check looks at one edge after another. For each kind of edge and each two statuses, the model's
own check is asked on a job of two vertices. Tests on all small jobs show that a job is accepted
exactly if each of its edges is.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

from finale.model.protocols.coordinator.graph_check import Check, Finished, GraphCheck
from finale.model.topology import Edge, Job, Pattern, Vertex

from .fact import Fact, FactCase, Marks
from .logic import Logic, Term, Z3Logic

WORDS = tuple(Finished)


@dataclass(frozen=True)
class Starts:
    """What a check accepts, edge by edge."""

    check: Check

    @cached_property
    def admitted(self) -> Mapping[tuple[Pattern, Finished, Finished], bool]:
        """Whether a job of an edge may start, by pattern and what its two ends had finished."""
        found: dict[tuple[Pattern, Finished, Finished], bool] = {}
        for pattern, source, target in itertools.product(Pattern, WORDS, WORDS):
            vertices = (Vertex.source("A", parallelism=2), Vertex("B", parallelism=2))
            check = GraphCheck(Job(vertices, (Edge("A", "B", pattern),)), self.check)
            refusal = check.refusal({"A": (source,), "B": (target,)})
            found[pattern, source, target] = refusal is None
        return found

    def admits(
        self,
        logic: Logic,
        to_all: Term,
        source_is: Callable[[Finished], Term],
        target_is: Callable[[Finished], Term],
    ) -> Term:
        """Whether the check admits an edge, by its pattern and what its two ends had finished."""
        ways: list[Term] = []
        for (pattern, source, target), admitted in self.admitted.items():
            if admitted:
                matches = to_all if pattern is Pattern.ALL_TO_ALL else logic.negation(to_all)
                ways.append(logic.both(matches, source_is(source), target_is(target)))
        return logic.disjunction(ways)


# --- vertices ------------------------------------------------------------------------------------


def _is(logic: Logic) -> Callable[[Term, Finished], Term]:
    def status(vertex: Term, how_much: Finished) -> Term:
        found = logic.value("finished", (vertex,), 0, len(WORDS) - 1, boolean=False)
        return found == WORDS.index(how_much)

    return status


def _accepted(starts: Starts, logic: Logic) -> Term:
    def fine(one: Term, other: Term) -> Term:
        to_all = logic.holds("all-to-all", one, other)
        ends = (partial(_is(logic), one), partial(_is(logic), other))
        return logic.implies(logic.edge(one, other), starts.admits(logic, to_all, *ends))

    return logic.forall(lambda one: logic.forall(lambda other: fine(one, other)))


def _of_vertices(logic: Logic, given: list[Term], claim: Term) -> list[FactCase]:
    status = _is(logic)
    marks: Marks = {f"finished: {each.value}": _has(status, each) for each in WORDS}
    return [FactCase("refusal", given, claim, marks, {"all-to-all": _to_all(logic)})]


def _has(status: Callable[[Term, Finished], Term], how_much: Finished) -> Callable[[Term], Term]:
    return lambda vertex: status(vertex, how_much)


def _to_all(logic: Logic) -> Callable[[Term], Term]:
    return lambda pair: logic.holds("all-to-all", *pair)


def _closed(starts: Starts) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        one, last = logic.some_node("v"), logic.some_node("w")
        status = _is(logic)

        def path(first: Term) -> Term:
            return logic.holds("path", first, last)

        def begins(first: Term) -> Term:
            further = logic.exists(lambda u: logic.both(logic.edge(first, u), path(u)))
            return logic.implies(path(first), logic.either(logic.edge(first, last), further))

        def fine(first: Term) -> Term:
            finished = status(last, Finished.FULLY)
            return logic.implies(logic.both(path(first), finished), status(first, Finished.FULLY))

        # Of all that contradict it, the one that is last in order.
        later = logic.forall(lambda u: logic.implies(logic.before(one, u), fine(u)))
        given = [_accepted(starts, logic), begins(one), later]
        return _of_vertices(logic, given, fine(one))

    return Fact(
        "finished-vertices-are-closed",
        ("RC-8",),
        "In what the check accepts, all that a vertex reads has finished altogether if the vertex "
        "has, over paths of any length.",
        ask,
        node="vertex",
        of=("GraphCheck.refusal",),
    )


def _parts(starts: Starts) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        one, other = logic.some_node("v"), logic.some_node("w")
        status = _is(logic)
        given = [
            _accepted(starts, logic),
            logic.edge(one, other),
            logic.negation(status(other, Finished.RUNNING)),
        ]
        some = logic.negation(status(one, Finished.RUNNING))
        whole = logic.implies(_to_all(logic)((one, other)), status(one, Finished.FULLY))
        return _of_vertices(logic, given, logic.both(some, whole))

    return Fact(
        "no-part-reads-what-runs",
        ("RC-8",),
        "In what the check accepts, a vertex of which a part has finished reads none of which "
        "nothing has, and over all-to-all edges only what has finished altogether.",
        ask,
        node="vertex",
        of=("GraphCheck.refusal",),
    )


# --- tasks ---------------------------------------------------------------------------------------


class Edged:
    """The tasks of two vertices of which the second reads the first: `all-to-all` or pointwise.

    Pointwise, too, each task of the one reads some task of the other, and each is read by some. The
    check looks at no more than an edge at once, so neither need a claim about it.
    """

    def __init__(self, logic: Logic) -> None:
        self.logic = logic
        self.to_all = logic.value("all-to-all", ())

    def first(self, task: Term) -> Term:
        """Whether a task is of the vertex that is read; the others are of the one that reads."""
        return self.logic.holds("first", task)

    def second(self, task: Term) -> Term:
        """Whether a task is of the vertex that reads."""
        return self.logic.negation(self.first(task))

    def has_finished(self, task: Term) -> Term:
        """Whether a task had finished."""
        return self.logic.holds("task-finished", task)

    def status(self, among: Callable[[Term], Term], how_much: Finished) -> Term:
        """How much of a vertex had finished."""
        logic, finished = self.logic, self.has_finished
        every = logic.forall(lambda t: logic.implies(among(t), finished(t)))
        none = logic.forall(lambda t: logic.implies(among(t), logic.negation(finished(t))))
        if how_much is Finished.FULLY:
            return every
        if how_much is Finished.RUNNING:
            return none
        return logic.negation(logic.either(every, none))

    def laid_out(self) -> list[Term]:
        """What holds of every edge: both vertices have tasks, and each takes part."""
        logic = self.logic

        def wired(task: Term) -> Term:
            below = logic.exists(lambda t: logic.both(self.second(t), logic.edge(task, t)))
            above = logic.exists(lambda p: logic.both(self.first(p), logic.edge(p, task)))
            return logic.choice(self.first(task), below, above)

        def connected(one: Term, other: Term) -> Term:
            ways = logic.both(self.first(one), self.second(other))
            always = logic.implies(logic.both(ways, self.to_all), logic.edge(one, other))
            return logic.both(logic.implies(logic.edge(one, other), ways), always)

        wires = logic.forall(lambda p: logic.forall(lambda t: connected(p, t)))
        both = [logic.exists(self.first), logic.exists(self.second)]
        # All-to-all it follows from the rest, and would only lead z3 astray.
        return [*both, logic.implies(logic.negation(self.to_all), logic.forall(wired)), wires]

    def one_to_one(self) -> Term:
        """A pointwise edge connects tasks one by one, as between vertices of one parallelism."""
        logic = self.logic

        def single(one: Term, other: Term, third: Term) -> Term:
            reads_both = logic.both(logic.edge(other, one), logic.edge(third, one))
            read_by_both = logic.both(logic.edge(one, other), logic.edge(one, third))
            return logic.implies(logic.either(reads_both, read_by_both), other == third)

        alone = logic.forall(
            lambda a: logic.forall(lambda b: logic.forall(lambda c: single(a, b, c)))
        )
        return logic.either(self.to_all, alone)

    def accepted(self, starts: Starts) -> Term:
        """Whether the check admits the edge."""
        return starts.admits(self.logic, self.to_all, self._first_status, self._second_status)

    def _first_status(self, how_much: Finished) -> Term:
        return self.status(self.first, how_much)

    def _second_status(self, how_much: Finished) -> Term:
        return self.status(self.second, how_much)

    def closed(self, one: Term, other: Term) -> Term:
        """A task that had finished reads only those that had."""
        logic = self.logic
        finished = logic.both(logic.edge(one, other), self.has_finished(other))
        return logic.implies(finished, self.has_finished(one))

    def question(self, given: list[Term], claim: Term) -> list[FactCase]:
        """The question, and what is told of a counterexample."""

        def same(pair: Term) -> Term:
            return self.first(pair[0]) == self.first(pair[1])

        marks = {"had finished": self.has_finished}
        links: Marks = {"all-to-all": lambda pair: self.to_all}
        given = [*self.laid_out(), *given]
        return [FactCase("refusal", given, claim, marks, links, same)]


def _not_refused(starts: Starts) -> Fact:
    """Case by case of what the check refuses: such a snapshot contradicts itself."""

    def ask(logic: Z3Logic) -> list[FactCase]:
        tasks = Edged(logic)
        is_open = logic.exists(lambda p: logic.exists(lambda t: logic.negation(tasks.closed(p, t))))
        found: list[FactCase] = []
        for (pattern, source, target), admitted in starts.admitted.items():
            if not admitted:
                is_all = pattern is Pattern.ALL_TO_ALL
                to_all = tasks.to_all if is_all else logic.negation(tasks.to_all)
                ends = [tasks.status(tasks.first, source), tasks.status(tasks.second, target)]
                found += tasks.question([to_all, *ends], is_open)
        return found

    return Fact(
        "what-can-be-is-accepted",
        ("RC-8", "S15"),
        "The check accepts each snapshot in which every task that had finished reads only such as "
        "had.",
        ask,
        of=("GraphCheck.refusal",),
    )


def _task_by_task(starts: Starts) -> Fact:
    def ask(logic: Z3Logic) -> list[FactCase]:
        tasks = Edged(logic)
        one, other = logic.some_node("p"), logic.some_node("t")
        given = [tasks.one_to_one(), tasks.accepted(starts)]
        return tasks.question(given, tasks.closed(one, other))

    return Fact(
        "finished-tasks-are-closed",
        ("RC-8", "S15"),
        "In what the check accepts, every task that had finished reads only such as had.",
        ask,
        holds=False,
        of=("GraphCheck.refusal",),
    )


def facts_of_starts(starts: Starts) -> list[Fact]:
    """What is claimed of the check."""
    return [_closed(starts), _parts(starts), _not_refused(starts), _task_by_task(starts)]
