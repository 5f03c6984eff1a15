"""Decides whether a renaming leaves a system unchanged: initial states, rules, end, properties.

Renaming the state and taking the renamed rule must give the same state as taking the rule and
renaming the result. This is shown for each rule by itself: each pair of paths through both decision
trees that do not exclude each other agrees. If a pair does not agree, an invariant must show that
no run reaches such a state. Then the renamed states of a run are a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from finale.checker.search.state_graph.folding import Known, folded
from finale.model.expressions import (
    FALSE,
    TRUE,
    Constant,
    Expression,
    conjunction,
    disjunction,
    negation,
)
from finale.model.semantics import evaluate, outcome, updated
from finale.model.system import (
    Blocked,
    Fault,
    GroundRule,
    Predicate,
    Property,
    Test,
    Tree,
    Update,
)

from .proofs import Proofs
from .renaming import Renaming

#: Pairs of paths of two trees that are looked at before a proof is given up.
PATHS_MAX = 2_000

#: Why a property is not kept.
TELLS_APART = "it tells apart what is interchangeable"
NOT_SEEN = "it is not seen to treat alike what is interchangeable"

Binding = tuple[tuple[str, str], ...]

_WORDS = {Blocked: "is blocked", Update: "is taken", Fault: "reads or writes what is not there"}


class Invariance:
    """Compares a system with itself under one renaming."""

    def __init__(self, renaming: Renaming, proofs: Proofs) -> None:
        self.system = proofs.system
        self.renaming = renaming
        self.proofs = proofs
        self._names = {str(one): str(other) for one, other in renaming.pairs}
        self._before: Known = renaming.substitution()
        self._memo: Known = {}
        self._around: Known = {**self._before, **renaming.substitution(after=True)}
        self._memo_around: Known = {}
        rules = enumerate(self.system.rules)
        self._rules = {(rule.rule.name, rule.binding): number for number, rule in rules}

    def of_system(self) -> str:
        """Return why the renaming may change the system; empty if it provably does not."""
        initial = set(self.system.initial)
        if {self.renaming.applied(state) for state in initial} != initial:
            return "they do not begin alike"
        pairs = [(rule, self._renamed_rule(rule)) for rule in self.system.rules]
        for rule, other in pairs:
            if other is None:
                return f"{rule} has no counterpart"
            difference = self._difference_on_samples(rule, other)
            if difference:
                return difference
        terminal = self.system.terminal
        if not self.proofs.are_equal(terminal, self._renamed(terminal)):
            return "the end of the protocol tells them apart"
        for rule, other in pairs:
            assert other is not None
            why = self._why_different(rule, other)
            if why:
                if rule is other:
                    return f"{rule} is not seen to treat them alike: {why}"
                return f"{rule} and {other} are not seen to do the same: {why}"
        return ""

    def of_property(self, prop: Property) -> str:
        """Return why the renaming may change a property; empty if it provably does not."""
        found = set(self._why_predicates_differ(prop.predicates, prop.predicates, None))
        for rule, predicates in zip(self.system.rules, prop.on_rules, strict=False):
            other = self._renamed_rule(rule)
            assert other is not None, "it was asked for a system that stays the same"
            others = prop.on_rules[self._rules[other.rule.name, other.binding]]
            found |= set(self._why_predicates_differ(predicates, others, rule))
        return TELLS_APART if TELLS_APART in found else next(iter(found), "")

    def _renamed(self, expression: Expression) -> Expression:
        """What an expression is in the renamed state."""
        return folded(expression, self._before, self._memo)

    def _renamed_rule(self, rule: GroundRule) -> GroundRule | None:
        found = self._rules.get((rule.rule.name, self._renamed_binding(rule.binding)))
        return None if found is None else self.system.rules[found]

    def _renamed_binding(self, binding: Binding) -> Binding:
        return tuple((name, self._names.get(value, value)) for name, value in binding)

    # --- properties ------------------------------------------------------------------------------

    def _why_predicates_differ(
        self, ones: Iterable[Predicate], others: Sequence[Predicate], rule: GroundRule | None
    ) -> Iterator[str]:
        """Yield why predicates may differ from their renamed ones among the others.

        They are asked about states, or about the steps of a rule.
        """
        by_binding = {each.binding: each for each in others}
        for one in ones:
            other = by_binding.get(self._renamed_binding(one.binding))
            if other is None:
                yield TELLS_APART
                continue
            for mine, its in zip(_asked_by(one), _asked_by(other), strict=True):
                renamed = folded(its, self._around, self._memo_around)
                if not self.proofs.are_equal(mine, renamed):
                    yield TELLS_APART if self._is_shown(mine, renamed, rule) else NOT_SEEN

    def _is_shown(self, one: Expression, other: Expression, rule: GroundRule | None) -> bool:
        """Whether two expressions differ in a sample, or on the step of a rule from there."""
        for state in self.proofs.samples:
            end = outcome(rule.tree, state) if rule is not None else Update(())
            if isinstance(end, Update):
                after = updated(end, state)
                if evaluate(one, state, after) != evaluate(other, state, after):
                    return True
        return False

    # --- rules -----------------------------------------------------------------------------------

    def _difference_on_samples(self, rule: GroundRule, other: GroundRule) -> str:
        """What they do differently in some state; empty if nothing is seen.

        Most that are different are found out by this, and soon.
        """
        for state in self.proofs.samples:
            mine = outcome(rule.tree, state)
            renamed = self.renaming.applied(state)
            its = outcome(other.tree, renamed)
            if type(mine) is not type(its):
                where = "when they change names it" if rule is other else f"{other}"
                return f"{rule} {_WORDS[type(mine)]} where {where} {_WORDS[type(its)]}"
            if not isinstance(mine, Update) or not isinstance(its, Update):
                continue
            after, reached = self.renaming.applied(updated(mine, state)), updated(its, renamed)
            if after != reached:
                index = next(i for i, value in enumerate(after) if value != reached[i])
                name = self.system.variable_of_cell[index].name
                if rule is other:
                    return f"{rule} makes something else of {name} when they change names"
                return f"{rule} and {other} do different things to {name}"
        return ""

    def _why_different(self, rule: GroundRule, other: GroundRule) -> str:
        """Why the two may do different things in a reachable state."""
        self._paths = PATHS_MAX
        differences = disjunction(self._of_trees(rule.tree, other.tree, ()))
        if self._paths < 0:
            return "there are too many pairs of paths"
        return "" if differences is FALSE else self.proofs.why_reachable(differences)

    def _of_trees(
        self, one: Tree, other: Tree, path: tuple[Expression, ...]
    ) -> Iterator[Expression]:
        """Yield the conditions under which the path is taken and the trees end differently."""
        self._paths -= 1
        if self._paths < 0:
            yield TRUE
        elif isinstance(one, Test) and isinstance(other, Test) and self._ask_alike(one, other):
            yield from self._on_both_sides(
                one.condition, path, (one.yes, other.yes), (one.no, other.no)
            )
        elif isinstance(one, Test):
            yield from self._on_both_sides(one.condition, path, (one.yes, other), (one.no, other))
        elif isinstance(other, Test):
            condition = self._renamed(other.condition)
            yield from self._on_both_sides(condition, path, (one, other.yes), (one, other.no))
        elif isinstance(one, Update) and isinstance(other, Update):
            yield from self._of_updates(one, other, path)
        elif not _is_same_end(one, other) and self.proofs.may_hold(path, TRUE):
            yield conjunction(path)

    def _ask_alike(self, one: Test, other: Test) -> bool:
        normal = self.proofs.normal
        return normal.of(one.condition) is normal.of(self._renamed(other.condition))

    def _on_both_sides(
        self,
        condition: Expression,
        path: tuple[Expression, ...],
        yes: tuple[Tree, Tree],
        no: tuple[Tree, Tree],
    ) -> Iterator[Expression]:
        """What is different if the condition is true, and if not."""
        for case, pair in ((condition, yes), (negation(condition), no)):
            if not self._is_denied(case, path):
                yield from self._of_trees(*pair, (*path, case))

    def _is_denied(self, case: Expression, path: tuple[Expression, ...]) -> bool:
        """Whether the path has decided otherwise, literally."""
        normal = self.proofs.normal.of(conjunction([*path, case]))
        return isinstance(normal, Constant) and not normal.value

    def _of_updates(
        self, one: Update, other: Update, path: tuple[Expression, ...]
    ) -> Iterator[Expression]:
        before = list(self.system.cells)
        after = list(before)
        for index, value in one.writes:
            after[index] = value
        written = {index for index, _ in one.writes}
        its = dict(other.writes)
        for move in self.renaming.moves:
            is_touched = move.source in written or any(cell in written for cell, _ in move.guard)
            if not is_touched and move.target not in its:
                continue
            mine = self.renaming.image(move, after)
            if move.target in its:
                reached = self._renamed(its[move.target])
            else:
                reached = self.renaming.image(move, before)
            yield self.proofs.difference(mine, reached, path)


def _asked_by(predicate: Predicate) -> tuple[Expression, ...]:
    """What a search asks. If the antecedent is false, the claim means nothing and may differ: it
    was simplified by what the antecedent says."""
    fails = conjunction([predicate.when, negation(predicate.claim)])
    return predicate.when, fails, predicate.fault


def _is_same_end(one: Tree, other: Tree) -> bool:
    match one, other:
        case Blocked(), Blocked():
            return one.bound == other.bound
        case Fault(), Fault():
            return (one.code, one.place) == (other.code, other.place)
        case _:
            return False


__all__ = ["Invariance"]
