"""Asks z3 whether clauses hold initially, whether each step keeps them, and what they imply.

Each question has a solver of its own and assumes all clauses; no clause is used that is not itself
kept. The caller chooses the ids of the window: the ids that the question is about, the parameter of
the rule, and the ids that the step or claim names, by asking *which* id something is. The window
must have room for all of these; this is checked, so each case of unboundedly many ids appears in
some window.
"""

from __future__ import annotations

# z3 has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportMissingTypeStubs=false
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import z3

from finale.checker.search.solving.solver import watched
from finale.model.errors import FinaleError
from finale.model.expressions import Expression, equal, integer
from finale.model.language.properties import Family, Taken

from .terms import Symbols, Term, WindowTerms
from .window import IdClaim, IdWindow, RuleEffect

#: What one question may cost, in z3's own unit, so that the answer does not depend on the machine.
RESOURCES_MAX = 100_000_000


@dataclass(frozen=True)
class Obstacle:
    """A state that satisfies all clauses, perhaps unreachable, and a step after which a claim
    fails.

    States are those of the layout of the window.
    """

    family: str
    binding: tuple[tuple[str, str], ...]
    step: str | None
    before: tuple[int, ...]
    after: tuple[int, ...] | None


@dataclass(frozen=True)
class ProofAnswer:
    """The answer to a question; `obstacles` are given if it is neither proven nor unknown.

    If `vacuous`, the claim is proven because its antecedent never holds.
    """

    proven: bool
    obstacles: tuple[Obstacle, ...] = ()
    why_unknown: str = ""
    vacuous: bool = False


@dataclass(frozen=True)
class _Goal:
    family: Family
    claim: IdClaim
    when: Term
    violated: Term


@dataclass(frozen=True)
class _Choice:
    """Which ids to choose for a window, by what they are called, and that they are in it.

    Where what is `needed` is not, what was read off says too little; what is `wanted` only says
    more.
    """

    needed: dict[str, Term]
    wanted: dict[str, Term]


_NONE = _Choice({}, {})


class Proof:
    """Questions about a window, assuming the clauses. `look` may raise to stop a question."""

    def __init__(
        self,
        window: IdWindow,
        clauses: Sequence[Family],
        witnesses: Mapping[str, str] | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self.window = window
        self.clauses = tuple(clauses)
        self.symbols = Symbols(window)
        self._witnesses = witnesses or {}
        self._look = look
        self._state = WindowTerms(self.symbols, self.symbols.state)
        self._claims: dict[str, tuple[IdClaim, ...]] = {}
        #: Of properties of steps: those that they say something of, if the clauses let them be.
        self._speaking: dict[str, list[RuleEffect]] = {}
        self.asked = 0

    # --- the questions ---------------------------------------------------------------------------

    def initiation(self, families: Sequence[Family]) -> ProofAnswer:
        """Return whether these clauses hold in the initial states."""
        for start in self._starts():
            terms = WindowTerms(self.symbols, start, name="i")
            goals = self._goals(families, terms, _NONE, None)
            answer = self._ask((), terms, goals, None, start, None)
            if not answer.proven:
                return answer
        return ProofAnswer(True)

    def consecution(self, step: RuleEffect, families: Sequence[Family]) -> ProofAnswer:
        """Return whether a step keeps these clauses, if all clauses hold before it."""
        state = WindowTerms(self.symbols, self.symbols.state, name="s")
        assumed, after, choice = self._taken(step, state)
        terms = WindowTerms(self.symbols, after, name="t")
        changed = step.writes.keys()
        goals = self._goals(families, terms, choice, step, changed)
        assumed += [*state.facts]
        return self._ask(assumed, terms, goals, step, self.symbols.state, after)

    def implied(self, family: Family) -> ProofAnswer:
        """Return whether the clauses imply a property of states."""
        goals = self._goals((family,), self._state, _NONE, None)
        assumed = self._hypotheses
        return self._ask(assumed, self._state, goals, None, self.symbols.state, None)

    def implied_by_step(self, families: Sequence[Family], step: RuleEffect) -> ProofAnswer:
        """Return whether the clauses imply properties of a step."""
        state = WindowTerms(self.symbols, self.symbols.state, name="s")
        assumed, after, choice = self._taken(step, state)
        terms = WindowTerms(self.symbols, self.symbols.state, after, name="t")
        goals = self._goals(families, terms, choice, step)
        assumed += [*state.facts]
        if not self._may_hold([*assumed[len(self._hypotheses) :], *terms.facts], goals):
            return ProofAnswer(True)
        for family in families:
            self._speaking.setdefault(family.name, []).append(step)
        return self._ask(assumed, terms, goals, step, self.symbols.state, after)

    def can_be_taken(self, step: RuleEffect) -> bool:
        """Return whether the clauses allow a state in which a step can be taken."""
        state = WindowTerms(self.symbols, self.symbols.state, name="s")
        assumed, _, _ = self._taken(step, state)
        solver = self._solver([*assumed, *state.facts])
        return bool(self._checked(solver) != z3.unsat)

    def says_something(self, family: Family) -> bool:
        """Return whether the clauses allow a state or step to which the property applies.

        For a property of steps, the steps are those that it was asked about before.
        """
        if not family.kind.is_of_steps:
            goals = self._goals((family,), self._state, _NONE, None)
            return self._may_hold(self._hypotheses, goals)
        return any(self._speaks_of(step, family) for step in self._speaking.get(family.name, ()))

    def _speaks_of(self, step: RuleEffect, family: Family) -> bool:
        state = WindowTerms(self.symbols, self.symbols.state, name="s")
        assumed, after, choice = self._taken(step, state)
        terms = WindowTerms(self.symbols, self.symbols.state, after, name="t")
        goals = self._goals((family,), terms, choice, step)
        return self._may_hold([*assumed, *state.facts, *terms.facts], goals)

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
        self, step: RuleEffect, state: WindowTerms
    ) -> tuple[list[Term], dict[int, Term], _Choice]:
        """That a step is taken, what comes after it, and the ids to choose for it."""
        guard = z3.And(state.of(step.returns), *self._empty_gaps(state))
        after = state.after_step(step.writes)
        choice = self._choice([step.returns, *step.writes.values()], state)
        return [*self._hypotheses, guard], after, choice

    def _choice(self, parts: Sequence[Expression], terms: WindowTerms) -> _Choice:
        """What is named must be in the window; the newest and the next id should be there."""
        named = {str(term): term for term in map(terms.of, self.window.named_by(parts))}
        needed = {name: self._in_window(term) for name, term in named.items()}
        return _Choice(needed, dict(self._newest(parts, terms)))

    def _in_window(self, term: Term) -> Term:
        """That an id is in the window, if there is one."""
        return z3.Or(term == 0, *(term == each for each in self.symbols.ids))

    def _witness(self, family: Family, claim: IdClaim) -> Term:
        """The id by which a claim is shown, in the state that the clauses are of."""
        name = f"{dict(claim.binding)['task']}.{self._witnesses[family.name]}"
        return self._state.of(self.window.cells[self.window.id_of(name)])

    def _newest(
        self, parts: Sequence[Expression], terms: WindowTerms
    ) -> Iterable[tuple[str, Term]]:
        """That the newest completed id, and the newest that was given, are in the window."""
        compared = self.window.statuses_of_gaps(parts)
        if self.window.unused in compared:
            yield "given", self._newest_given(terms, compared)
            yield "next", self._next_given(terms)
        if self.window.completed in compared:
            after = compared[self.window.completed]
            present, index = self.window.newest_completed(after=after)
            places = range(0, 2 * self.window.size + 1, 2)
            outside = z3.Or(*(terms.of(equal(index, integer(place))) for place in places))
            name = "completed after it" if after else "completed"
            yield name, z3.Implies(terms.of(present), z3.Not(outside))

    def _empty_gaps(self, terms: WindowTerms) -> Iterable[Term]:
        """Nothing has completed in a gap where there is no id."""
        completed = self.window.has_status(self.window.gaps, self.window.completed)
        lows = [self.symbols.zero, *self.symbols.ids]
        for low, high, each in zip(lows, self.symbols.ids, completed, strict=False):
            yield z3.Implies(low + 1 == high, z3.Not(terms.of(each)))

    def _newest_given(self, terms: WindowTerms, compared: Iterable[int]) -> Term:
        """Where an id of a gap was given, so was one behind it; or the one before, if the gap is
        empty and stands for that. Before the first of all ids there is none."""
        window, unused = self.window, self.window.unused
        given = [z3.Not(terms.of(each)) for each in window.has_status(window.ids, unused)]
        found: list[Term] = []
        for status in compared:
            for place, has in enumerate(window.has_status(window.gaps, status)):
                is_given = z3.Not(terms.of(has)) if status == unused else terms.of(has)
                seen = [*given[max(0, place - 1) :], *([] if place else [self._is_first(0)])]
                found.append(z3.Implies(is_given, z3.Or(*seen)))
        return z3.And(*found)

    def _is_first(self, place: int) -> Term:
        """That no id comes before one of the window: then the gap before it is empty."""
        return self.symbols.ids[place] == self.symbols.zero + 1

    def _next_given(self, terms: WindowTerms) -> Term:
        """Where an id of a gap was not given, one before it was not: the next one is seen."""
        window = self.window
        blank = [terms.of(each) for each in window.has_status(window.ids, window.unused)]
        gaps = window.has_status(window.gaps, window.unused)
        return z3.And(
            *(
                z3.Implies(terms.of(is_blank), z3.Or(*blank[:place]))
                if place
                else z3.Not(terms.of(is_blank))
                for place, is_blank in enumerate(gaps)
            )
        )

    # --- asking ----------------------------------------------------------------------------------

    def _claims_of(self, family: Family, step: RuleEffect | None) -> tuple[IdClaim, ...]:
        if Taken in family.mark.hints.values():
            return self.window.claims(family, step)
        if family.name not in self._claims:
            self._claims[family.name] = self.window.claims(family)
        return self._claims[family.name]

    def _goals(
        self,
        families: Sequence[Family],
        terms: WindowTerms,
        of_step: _Choice,
        step: RuleEffect | None,
        changed: Collection[int] | None = None,
    ) -> list[_Goal]:
        """That claims are violated; where only some cells have changed, those that read them."""
        found: list[_Goal] = []
        for family in families:
            for claim in self._claims_of(family, step):
                if changed is not None and not claim.reads.intersection(changed):
                    continue
                own = self._choice((claim.when, claim.holds, claim.fault), terms)
                if family.name in self._witnesses:
                    witness = self._witness(family, claim)
                    own.needed[str(witness)] = self._in_window(witness)
                chosen = self._chosen(family.name, claim, step, (of_step, own))
                when, fault = terms.of(claim.when), terms.of(claim.fault)
                fails = z3.Or(z3.And(when, z3.Not(terms.of(claim.holds))), fault)
                found.append(_Goal(family, claim, z3.Or(when, fault), z3.And(fails, *chosen)))
        return found

    def _chosen(
        self, name: str, claim: IdClaim, step: RuleEffect | None, choices: Sequence[_Choice]
    ) -> list[Term]:
        """That the ids are in the window that must be, and of the others as many as have room."""
        about = {each.name for each in claim.ids}
        about |= {each.name for each in step.ids(self.window)} if step is not None else set()
        needed = {known: term for each in choices for known, term in each.needed.items()}
        wanted = {known: term for each in choices for known, term in each.wanted.items()}
        room = self.window.size - len(about) - len(needed)
        if room < 0:
            raise FinaleError(
                "window-too-small",
                f"{name} after {step} is about more than {self.window.size} ids at once",
                advice="let the clause be about fewer checkpoints, or the rule name fewer",
            )
        return [*needed.values(), *[*wanted.values()][:room]]

    def _ask(
        self,
        assumed: Iterable[Term],
        terms: WindowTerms,
        goals: list[_Goal],
        step: RuleEffect | None,
        before: dict[int, Term],
        after: dict[int, Term] | None,
    ) -> ProofAnswer:
        if not goals:
            return ProofAnswer(True)
        solver = self._solver([*assumed, z3.Or(*(goal.violated for goal in goals)), *terms.facts])
        answer = self._checked(solver)
        if answer == z3.unsat:
            return ProofAnswer(True)
        if answer == z3.unknown:
            return ProofAnswer(False, (), str(solver.reason_unknown()))
        model = solver.model()
        was = self._decoded(model, before)
        then = None if after is None else self._decoded(model, after)
        shown = None if step is None else str(step)
        return ProofAnswer(
            False,
            tuple(
                Obstacle(goal.family.name, goal.claim.binding, shown, was, then)
                for goal in goals
                if z3.is_true(model.eval(goal.violated, model_completion=True))
            ),
        )

    def _may_hold(self, assumed: Iterable[Term], goals: list[_Goal]) -> bool:
        """Whether it can be so, for all that is assumed, that some property claims something."""
        if not goals:
            return False
        solver = self._solver([*assumed, z3.Or(*(goal.when for goal in goals))])
        return bool(self._checked(solver) != z3.unsat)

    def _solver(self, terms: Iterable[Term]) -> Term:
        self._look()
        self.asked += 1
        solver = z3.Solver(ctx=self.symbols.context)
        solver.set("rlimit", RESOURCES_MAX)
        solver.set("ctrl_c", False)
        solver.add(*self.symbols.facts, *terms)
        return solver

    def _checked(self, solver: Term) -> Term:
        return watched(solver.check, self.symbols.context, self._look)

    # --- states ----------------------------------------------------------------------------------

    def _starts(self) -> Iterable[dict[int, Term]]:
        terms = WindowTerms(self.symbols, {})
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
