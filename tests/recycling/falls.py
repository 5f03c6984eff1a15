"""What falls with an id for each checkpoint, asked with few ids; and what falls there, replayed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from finale.checker.search.backends import check_with
from finale.checker.search.limits import Limits
from finale.checker.search.verdict import Report, Verdict, Word
from finale.checker.spec.claim import Spec
from finale.model.semantics import evaluate
from finale.model.system import Kind, System
from finale.model.trace import Trace
from tests.recycling.corpus import of_variants, with_few_ids
from tests.recycling.lockstep import Key, Walk

#: So many states of a spec are searched: a violation that is found stands.
STATES_MAX = 2_000_000
SAFETY = (Kind.ALWAYS, Kind.ON_STEP)


@dataclass(frozen=True)
class Fall:
    """A property that a spec expects to be violated, and its verdict with few ids.

    A verdict is `unknown` if the search ended before all states were seen.
    """

    spec: Spec
    name: str
    steps: int | None
    verdict: Verdict

    @property
    def length(self) -> int | None:
        """The length of the counterexample with few ids."""
        trace = self.verdict.counterexample
        return None if trace is None else trace.length


@dataclass(frozen=True)
class Fallen:
    """What a spec comes to with few ids.

    `replayed` are the properties of states and steps that are violated there and fall in the same
    run with an id for each checkpoint; those that do not are `by_few_alone`.
    """

    falls: tuple[Fall, ...]
    replayed: tuple[str, ...]
    by_few_alone: tuple[str, ...]


def violated_in(spec: Spec) -> Sequence[str]:
    """Return the properties of states and steps that the spec expects to be violated."""
    kinds = {family.name: family.kind for family in spec.families}
    expected = spec.expectations.values()
    return [
        e.property for e in expected if e.verdict == "violated" and kinds.get(e.property) in SAFETY
    ]


def broken() -> Sequence[Spec]:
    """Return the specs in which some property of states or steps falls."""
    return [spec for spec in of_variants() if violated_in(spec)]


def fallen(spec: Spec) -> Fallen:
    """Ask a spec with few ids: as many live ones as it has checkpoints, and two at least."""
    live = max(2, int(spec.setting.bounds.get("checkpoints", 1)))
    few = with_few_ids(spec, live)
    system = few.system()
    report = check_with("auto", system, Limits(states_max=STATES_MAX), None)
    verdicts = {answer.property: answer for answer in report.verdicts}
    falls = (Fall(spec, n, spec.expectations[n].steps, verdicts[n]) for n in violated_in(spec))
    replayed = {
        name: _is_replayed(few, system, live, name, trace)
        for name, trace in _traces(system, report)
    }
    return Fallen(
        tuple(falls),
        tuple(name for name, same in replayed.items() if same),
        tuple(name for name, same in replayed.items() if not same),
    )


def _traces(system: System, report: Report) -> Iterator[tuple[str, Trace]]:
    kinds = {prop.name: prop.kind for prop in system.properties}
    for answer in report.verdicts:
        if answer.word is Word.VIOLATED and kinds.get(answer.property) in SAFETY:
            assert answer.trace is not None
            yield answer.property, answer.trace


def _is_replayed(few: Spec, system: System, live: int, name: str, trace: Trace) -> bool:
    rules = [system.rules[number] for number in trace.rules]
    pairs = zip(rules, trace.states, strict=False)
    again = sum(any(evaluate(m, state) for _, m in rule.moved) for rule, state in pairs)
    keys: list[Key] = [(rule.rule.name, rule.binding) for rule in rules]
    return name in Walk(few, 0, live, live + again + 1, {}).follow(keys).failed


__all__ = ["Fall", "Fallen", "broken", "fallen", "violated_in"]
