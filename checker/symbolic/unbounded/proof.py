"""What is asked of z3: whether clauses hold at the start, are kept by each step, and imply more.

Each question is asked in a solver of its own, of all clauses at once: none is used that is not
itself kept. Who asks chooses the ids of the window: those that the question is about, the parameter
of the rule, and those that the step or the claim names, by asking *which* id something is. That
there is room for all of these is checked, so that whatever happens to ids without end is seen in
some window.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import z3

from model.errors import FinaleError
from model.expressions import Expression, equal, integer
from model.language.properties import Family, Taken

from .terms import Symbols, Term, Terms
from .window import Claim, Step, Window

#: What one question may cost, in z3's own unit, so that the answer does not depend on the machine.
RESOURCES_MAX = 100_000_000


@dataclass(frozen=True)
class Obstacle:
    """Where a claim fails: a state that satisfies all clauses, perhaps never reached, and a step.

    States are of the system that the window lays out.
    """

    family: str
    binding: tuple[tuple[str, str], ...]
    step: str | None
    before: tuple[int, ...]
    after: tuple[int, ...] | None


@dataclass(frozen=True)
class Answer:
    """What a question came to: `obstacles` are there unless it is proven or unknown."""

    proven: bool
    obstacles: tuple[Obstacle, ...] = ()
    why_unknown: str = ""


@dataclass(frozen=True)
class _Goal:
    family: Family
    claim: Claim
    violated: Term


class Proof:
    """Questions about a window, under clauses."""

    def __init__(
        self,
        window: Window,
        clauses: Sequence[Family],
        witnesses: Mapping[str, str] | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self.window = window
        self.clauses = tuple(clauses)
        self.symbols = Symbols(window)
        self.needed = 0
        """So many ids a question needs at most that was asked until now."""
        self._witnesses = witnesses or {}
        self._look = look
        self._state = Terms(self.symbols, self.symbols.state)
        self._claims: dict[str, tuple[Claim, ...]] = {}
        self.asked = 0

    # --- the questions ---------------------------------------------------------------------------

    def initiation(self) -> Answer:
        """Whether all clauses hold in the initial states."""
        for start in self._starts():
            terms = Terms(self.symbols, start, name="i")
            goals = self._goals(self.clauses, terms, (), None)
            answer = self._ask((), terms, goals, None, start, None)
            if not answer.proven:
                return answer
        return Answer(True)

    def consecution(self, step: Step) -> Answer:
        """Whether a step keeps all clauses."""
        state = Terms(self.symbols, self.symbols.state, name="s")
        assumed, after, named = self._taken(step, state)
        terms = Terms(self.symbols, after, name="t")
        goals = self._goals(self.clauses, terms, named, step)
        assumed += [*state.facts]
        return self._ask(assumed, terms, goals, step, self.symbols.state, after)

    def implied(self, family: Family) -> Answer:
        """Whether the clauses imply what is said of a state."""
        goals = self._goals((family,), self._state, (), None)
        assumed = self._hypotheses
        return self._ask(assumed, self._state, goals, None, self.symbols.state, None)

    def implied_by_step(self, families: Sequence[Family], step: Step) -> Answer:
        """Whether the clauses imply what is said of a step."""
        state = Terms(self.symbols, self.symbols.state, name="s")
        assumed, after, named = self._taken(step, state)
        terms = Terms(self.symbols, self.symbols.state, after, name="t")
        goals = self._goals(families, terms, named, step)
        assumed += [*state.facts]
        return self._ask(assumed, terms, goals, step, self.symbols.state, after)

    def can_be_taken(self, step: Step) -> bool:
        """Whether the clauses leave a state in which a step can be taken: else all is proven."""
        state = Terms(self.symbols, self.symbols.state, name="s")
        assumed, _, _ = self._taken(step, state)
        solver = self._solver([*assumed, *state.facts])
        return bool(solver.check() == z3.sat)

    # --- what is assumed -------------------------------------------------------------------------

    @cached_property
    def _hypotheses(self) -> list[Term]:
        """The clauses, of all that is in the window."""
        found: list[Term] = []
        for family in self.clauses:
            for claim in self._claims_of(family, None):
                when, holds = self._state.of(claim.when), self._state.of(claim.holds)
                found.append(z3.Implies(when, holds))
        return [*found, *self._state.facts, *self._present(self.symbols.state)]

    def _present(self, state: dict[int, Term]) -> list[Term]:
        """Ids begin at 1, and one that is missing counts as 0."""
        return [
            state[there] == (state[index] >= 1) for index, there in self.window.presence.items()
        ]

    def _taken(
        self, step: Step, state: Terms
    ) -> tuple[list[Term], dict[int, Term], tuple[Term, ...]]:
        """That a step is taken, what comes after it, and the ids that it names."""
        guard = state.of(step.returns)
        after = state.after_step(step.writes)
        parts = [step.returns, *step.writes.values()]
        assumed, named = self._named(parts, state)
        return [*self._hypotheses, guard, *assumed], after, named

    def _named(
        self, parts: Iterable[Expression], terms: Terms
    ) -> tuple[list[Term], tuple[Term, ...]]:
        """That what is named is in the window, and what that is."""
        parts = list(parts)
        assumed: list[Term] = []
        named: list[Term] = []
        for cell in self.window.named_by(parts):
            term = terms.of(cell)
            named.append(term)
            assumed.append(self._in_window(term))
        for asked, newest in self._newest(parts, terms):
            named.append(asked)
            assumed.append(newest)
        return assumed, tuple(named)

    def _in_window(self, term: Term) -> Term:
        """That an id is in the window, if there is one."""
        return z3.Or(term == 0, *(term == each for each in self.symbols.ids))

    def _witness(self, family: Family, claim: Claim, terms: Terms) -> Term:
        """The id by which a claim is shown that there is one."""
        name = f"{dict(claim.binding)['task']}.{self._witnesses[family.name]}"
        return terms.of(self.window.cells[self.window.id_of(name)])

    def _newest(self, parts: list[Expression], terms: Terms) -> Iterable[tuple[Term, Term]]:
        """That the newest completed id, and the newest that was given, are in the window."""
        compared = self.window.statuses_of_gaps(parts)
        if self.window.completed in compared:
            present, index = self.window.newest_completed(after=compared[self.window.completed])
            places = range(0, 2 * self.window.size + 1, 2)
            outside = z3.Or(*(terms.of(equal(index, integer(place))) for place in places))
            yield "completed", z3.Implies(terms.of(present), z3.Not(outside))
        if self.window.unused in compared:
            yield "given", self._newest_given(terms)

    def _newest_given(self, terms: Terms) -> Term:
        """Where an id of a gap was given, so was one behind it; or the one before, if the gap is
        empty and stands for that."""
        given = [z3.Not(terms.of(each)) for each in self.window.is_unused(self.window.ids)]
        return z3.And(
            *(
                z3.Implies(z3.Not(terms.of(blank)), z3.Or(*given[max(0, place - 1) :]))
                for place, blank in enumerate(self.window.is_unused(self.window.gaps))
            )
        )

    # --- asking ----------------------------------------------------------------------------------

    def _claims_of(self, family: Family, step: Step | None) -> tuple[Claim, ...]:
        if Taken in family.mark.hints.values():
            return self.window.claims(family, step)
        if family.name not in self._claims:
            self._claims[family.name] = self.window.claims(family)
        return self._claims[family.name]

    def _goals(
        self,
        families: Sequence[Family],
        terms: Terms,
        named: tuple[Term, ...],
        step: Step | None,
    ) -> list[_Goal]:
        found: list[_Goal] = []
        for family in families:
            for claim in self._claims_of(family, step):
                assumed, also = self._named((claim.when, claim.holds), terms)
                if family.name in self._witnesses:
                    witness = self._witness(family, claim, terms)
                    assumed.append(self._in_window(witness))
                    also = (*also, witness)
                self._check_room(family.name, claim, [*named, *also], step)
                violated = [terms.of(claim.when), z3.Not(terms.of(claim.holds)), *assumed]
                found.append(_Goal(family, claim, z3.And(*violated)))
        return found

    def _check_room(
        self, claim_name: str, claim: Claim, named: list[Term], step: Step | None
    ) -> None:
        """That all ids that matter are in one window."""
        about = {each.name for each in claim.ids}
        about |= {each.name for each in step.ids(self.window)} if step is not None else set()
        self.needed = max(self.needed, len(about) + len({str(each) for each in named}))
        if self.needed > self.window.size:
            raise FinaleError(
                "window-too-small",
                f"{claim_name} after {step} is about more than {self.window.size} ids at once",
                advice="let the clause be about fewer checkpoints, or the rule name fewer",
            )

    def _ask(
        self,
        assumed: Iterable[Term],
        terms: Terms,
        goals: list[_Goal],
        step: Step | None,
        before: dict[int, Term],
        after: dict[int, Term] | None,
    ) -> Answer:
        if not goals:
            return Answer(True)
        solver = self._solver([*assumed, z3.Or(*(goal.violated for goal in goals)), *terms.facts])
        answer = solver.check()
        if answer == z3.unsat:
            return Answer(True)
        if answer == z3.unknown:
            return Answer(False, (), str(solver.reason_unknown()))
        model = solver.model()
        was = self._decoded(model, before)
        then = None if after is None else self._decoded(model, after)
        shown = None if step is None else str(step)
        return Answer(
            False,
            tuple(
                Obstacle(goal.family.name, goal.claim.binding, shown, was, then)
                for goal in goals
                if z3.is_true(model.eval(goal.violated, model_completion=True))
            ),
        )

    def _solver(self, terms: Iterable[Term]) -> Term:
        self._look()
        self.asked += 1
        solver = z3.Solver(ctx=self.symbols.context)
        solver.set("rlimit", RESOURCES_MAX)
        solver.add(*self.symbols.facts, *terms)
        return solver

    # --- states ----------------------------------------------------------------------------------

    def _starts(self) -> Iterable[dict[int, Term]]:
        terms = Terms(self.symbols, {})
        for start in self.window.initial_states:
            state: dict[int, Term] = {}
            for index, value in enumerate(start):
                if index in self.window.gap_cells:
                    continue
                if index in self.window.id_cells:
                    state[index] = self.symbols.zero
                elif self.window.cells[index].boolean:
                    state[index] = z3.BoolVal(bool(value), self.symbols.context)
                else:
                    state[index] = terms.new_value(integer(value), index)
            yield state

    def _decoded(self, model: Term, state: dict[int, Term]) -> tuple[int, ...]:
        """A state that was found, among the ids that are laid out."""

        def number(term: Term) -> int:
            value = model.eval(term, model_completion=True)
            return int(z3.is_true(value)) if z3.is_bool(value) else int(value.as_long())

        ids = [number(each) for each in self.symbols.ids]
        found: list[int] = []
        for index, cell in enumerate(self.window.cells):
            value = number(state[index]) if index in state else cell.low
            if index in self.window.id_cells and value:
                value = 2 * sum(each < value for each in ids) + (value in ids)
            elif index in self.window.countdowns:
                one = number(self.symbols.records[self.window.countdowns[index]][1])
                value = (value > 0) + (value >= one) + (value > one)
            found.append(value)
        return tuple(found)


__all__ = ["Answer", "Obstacle", "Proof"]
