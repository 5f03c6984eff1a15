"""Joins what walks have seen of a suite of specs: goals, the specs that reach them, and gaps.

A *goal* is a branch of a rule or helper, or a pair of a rule of the environment and a phase. A
*gap* is a goal that no spec reaches. A *reason* says why no setting can reach some goals. Reasons
are a closed list in a file of TOML: docs/coverage.md#reasons. `reasons.toml` has those of Finale's
own protocols.

A reason is out of date if a spec reaches a goal that it names. One that names no goal is out of
date if the suite has the protocols or the function that it is about, or if the suite is whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from linecache import getline
from pathlib import Path
from typing import Any, TypeAlias

from finale.checker.spec.claim import Spec
from finale.checker.spec.files import toml_in
from finale.checker.spec.key_lines import KeyLines
from finale.checker.spec.typed import is_list, is_table
from finale.model.errors import FinaleError, Place, nearest

from .seen import Seen

#: The reasons of Finale's own protocols.
OWN_REASONS = Path(__file__).parent / "reasons.toml"
#: Of so many pairs of a protocol one can have a reason: more would hide what nobody looks at.
PAIRS_FOR_A_REASON = 10


@dataclass(frozen=True, order=True)
class BranchGoal:
    """One outcome of a test in the source of a rule or helper."""

    file: str
    line: int
    outcome: bool
    function: str = field(compare=False)

    @property
    def source(self) -> str:
        """The line of the source."""
        return getline(self.file, self.line).strip()


@dataclass(frozen=True, order=True)
class PairGoal:
    """A rule of the environment of a protocol, and a phase in which it is to be taken."""

    protocol: str
    rule: str
    phase: str


Goal: TypeAlias = BranchGoal | PairGoal


@dataclass(frozen=True)
class Looked:
    """A setting, and what a walk has seen of it."""

    spec: Spec
    seen: Seen

    @property
    def branches(self) -> Iterator[BranchGoal]:
        """All branches of the setting."""
        return _branches(self.seen.branches)

    @property
    def pairs(self) -> Iterator[PairGoal]:
        """All pairs of the setting, also of rules that its bounds exclude."""
        key = self.spec.protocol.key
        return (PairGoal(key, r, p) for r in self.seen.environment for p in self.seen.phases)

    @property
    def excluded(self) -> Iterator[PairGoal]:
        """The pairs that the guards of the rule exclude in the setting."""
        key = self.spec.protocol.key
        for rule, phases in self.seen.excluded.items():
            yield from (PairGoal(key, rule, phase) for phase in phases)

    @property
    def possible(self) -> Iterator[PairGoal]:
        """The pairs that they do not exclude: the setting has the rule and the phase."""
        excluded = set(self.excluded)
        pairs = (pair for pair in self.pairs if pair.rule in self.seen.excluded)
        return (pair for pair in pairs if pair not in excluded)

    @property
    def reached(self) -> Iterator[Goal]:
        """The goals that the walk has reached."""
        yield from _branches(self.seen.taken)
        for rule, phases in self.seen.pairs.items():
            yield from (PairGoal(self.spec.protocol.key, rule, phase) for phase in phases)


def _branches(lines: Mapping[str, Sequence[int]]) -> Iterator[BranchGoal]:
    for name, own in lines.items():
        file, _, function = name.rpartition(":")
        yield from (BranchGoal(file, abs(line), line > 0, function) for line in own)


@dataclass(frozen=True)
class Reason:
    """Why no setting reaches some goals. A list without names stands for all."""

    place: Place
    reason: str
    protocols: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    phases: tuple[str, ...] = ()
    function: str = ""
    line: str = ""
    outcome: bool = False

    def names(self, goal: Goal) -> bool:
        """Whether the reason is about a goal."""
        if isinstance(goal, BranchGoal):
            own = (goal.function, goal.outcome) == (self.function, self.outcome)
            return own and goal.source == self.line
        lists = (self.protocols, self.rules, self.phases)
        told = zip(lists, (goal.protocol, goal.rule, goal.phase), strict=True)
        return not self.function and all(not some or one in some for some, one in told)


@dataclass(frozen=True)
class OptionValue:
    """A value of an option: how many settings have it, and what they take.

    `rules` of `of` rules are taken with this value, and `only` is the number of branches that no
    setting with another value takes.
    """

    protocol: str
    option: str
    value: object
    settings: int
    rules: int
    of: int
    only: int


@dataclass(frozen=True)
class Coverage:
    """The goals of a suite, each with the settings that reach it, the smallest first."""

    looked: tuple[Looked, ...]
    goals: Mapping[Goal, tuple[Looked, ...]]
    reasons: Mapping[Goal, str]
    stale: tuple[Reason, ...]

    @property
    def gaps(self) -> tuple[Goal, ...]:
        """The goals that no setting reaches, and that have no reason."""
        return tuple(g for g, by in self.goals.items() if not by and g not in self.reasons)

    @property
    def protocols(self) -> tuple[str, ...]:
        """The protocols of the suite."""
        return tuple(dict.fromkeys(each.spec.protocol.key for each in self.looked))

    @property
    def cut(self) -> tuple[Looked, ...]:
        """The settings whose walk ended before it had seen all states."""
        return tuple(each for each in self.looked if not each.seen.complete)

    def pairs_of(self, protocol: str) -> tuple[PairGoal, ...]:
        """The pairs of a protocol."""
        pairs = (each for each in self.goals if isinstance(each, PairGoal))
        return tuple(each for each in pairs if each.protocol == protocol)

    @property
    def branches(self) -> tuple[BranchGoal, ...]:
        """All branches."""
        return tuple(each for each in self.goals if isinstance(each, BranchGoal))

    @property
    def over_reasoned(self) -> tuple[str, ...]:
        """The protocols of which too many pairs have a reason instead of a spec."""
        counts = {key: [g in self.reasons for g in self.pairs_of(key)] for key in self.protocols}
        return tuple(k for k, has in counts.items() if sum(has) * PAIRS_FOR_A_REASON > len(has))

    @property
    def is_whole(self) -> bool:
        """Whether there is no gap, and the list of reasons is in order."""
        return not (self.gaps or self.stale or self.over_reasoned)

    def option_values(self, protocol: str) -> Iterator[OptionValue]:
        """Return each value that a setting of a protocol has of each option."""
        own = [each for each in self.looked if each.spec.protocol.key == protocol]
        rules = {rule for each in own for rule in each.seen.rules}
        for declared in fields(own[0].spec.protocol.Options):
            by_value: dict[object, list[Looked]] = {}
            for each in own:
                value = each.spec.setting.options.get(declared.name, declared.default)
                by_value.setdefault(value, []).append(each)
            taken = {v: {b for e in some for b in _branches(e.seen.taken)} for v, some in
                     by_value.items()}  # fmt: skip
            for value, some in by_value.items():
                others = set[BranchGoal]().union(*(b for v, b in taken.items() if v != value))
                with_it = {rule for each in some for rule in each.seen.rules}
                only = len(taken[value] - others)
                yield OptionValue(
                    protocol, declared.name, value, len(some), len(with_it), len(rules), only
                )


def joined(
    looked: Sequence[Looked], reasons: Sequence[Reason] = (), asked: Sequence[Reason] = ()
) -> Coverage:
    """Return what settings reach together, and which reasons explain the rest.

    Each of the reasons `asked` must name a goal: the suite is whole, so it has what they are about.
    """
    order = sorted(looked, key=lambda each: (each.seen.states, each.spec.file))
    reached: dict[Goal, list[Looked]] = {}
    for each in order:
        for goal in each.reached:
            reached.setdefault(goal, []).append(each)
    branches = sorted({branch for each in order for branch in each.branches})
    possible = {pair for each in looked for pair in each.possible}
    excluded = {pair for each in looked for pair in each.excluded} - possible
    pairs = [p for p in dict.fromkeys(p for e in looked for p in e.pairs) if p not in excluded]
    every: tuple[Goal, ...] = (*branches, *pairs)
    named = {reason.place: [goal for goal in every if reason.names(goal)] for reason in reasons}
    gaps = {goal for goal in every if goal not in reached}
    protocols = {each.spec.protocol.key for each in looked}
    functions = {branch.function for branch in branches}
    must_name = {*asked, *(each for each in reasons if _is_about(each, protocols, functions))}
    stale = tuple(
        reason
        for reason in reasons
        if not gaps.issuperset(named[reason.place])
        or (reason in must_name and not named[reason.place])
    )
    why = {goal: each.reason for each in reasons for goal in named[each.place] if goal in gaps}
    goals = {goal: tuple(reached.get(goal, ())) for goal in every}
    return Coverage(tuple(order), goals, why, stale)


def _is_about(reason: Reason, protocols: set[str], functions: set[str]) -> bool:
    """Whether a suite surely has what a reason is about."""
    if reason.function:
        return reason.function in functions
    return protocols.issuperset(reason.protocols) and bool(reason.protocols)


# --- reasons -------------------------------------------------------------------------------------

#: The keys of each kind of reason. A list can be left out.
_KEYS: Mapping[str, Mapping[str, type]] = {
    "pair": {"reason": str, "protocols": list, "rules": list, "phases": list},
    "branch": {"reason": str, "function": str, "line": str, "outcome": bool},
}
_WORDS = {str: "a text", list: "a list of texts", bool: "true or false"}


@cache
def own_reasons() -> tuple[Reason, ...]:
    """Return the reasons of Finale's own protocols."""
    return reasons_in(OWN_REASONS)


def reasons_in(file: Path) -> tuple[Reason, ...]:
    """Return the reasons in a file. Raises `bad-reasons`, and what reading a file does."""
    table, lines = toml_in(file)
    found: list[Reason] = []
    for kind, rows in table.items():
        if kind not in _KEYS:
            raise _wrong(file, lines, nearest(kind, _KEYS), kind)
        if not is_list(rows):
            raise _wrong(file, lines, f"write [[{kind}]], with two brackets", kind)
        found += [_reason(file, lines, kind, number, row) for number, row in enumerate(rows)]
    return tuple(found)


def _reason(file: Path, lines: KeyLines, kind: str, number: int, row: object) -> Reason:
    keys = _KEYS[kind]
    if not is_table(row):
        raise _wrong(file, lines, f"write [[{kind}]], and the keys below", kind, number)
    for key, value in row.items():
        if key not in keys:
            raise _wrong(file, lines, nearest(key, keys), kind, number, key)
        texts = value if is_list(value) else [value] if keys[key] is str else []
        if not isinstance(value, keys[key]) or not all(isinstance(e, str) and e for e in texts):
            raise _wrong(file, lines, f"write {_WORDS[keys[key]]}", kind, number, key)
    missing = [key for key, what in keys.items() if key not in row and what is not list]
    if missing:
        raise _wrong(file, lines, f"write {missing[0]} = …", kind, number)
    given: dict[str, Any] = {k: tuple(v) if is_list(v) else v for k, v in row.items()}
    return Reason(Place(str(file), lines.of(kind, number), kind), **given)


def _wrong(file: Path, lines: KeyLines, advice: str, *path: str | int) -> FinaleError:
    key = ".".join(part for part in path if isinstance(part, str))
    return FinaleError(
        "bad-reasons",
        f'"{key}" is not what a list of reasons has there',
        place=Place(str(file), lines.of(*path), key),
        advice=advice,
    )
