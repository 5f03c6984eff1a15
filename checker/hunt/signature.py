"""The signature of a counterexample: what tells one defect from another.

Two counterexamples of one defect differ in the job, in the number of records, and in the order of
steps that do not matter. So a signature has the property, and the rules of the decisive steps
(`checker/studies/decisive.py`): those of the environment (a failure, a request, a time-out: rules
without fairness), and the others. If the decisive steps are not known, all steps of the environment
count.
"""

from __future__ import annotations

from dataclasses import dataclass

from finale.checker.search.verdict import Verdict
from finale.checker.studies.decisive import decisive_steps
from finale.model.system import Fairness, System

#: So many states are looked at to find the decisive steps of one counterexample.
STATES_MAX = 20_000


@dataclass(frozen=True, order=True)
class Signature:
    """A property, and the names of the rules that matter, sorted.

    `environment` are those of the environment, and `decisive` the others; without a name in
    `decisive` the decisive steps are not known.
    """

    property: str
    environment: tuple[str, ...]
    decisive: tuple[str, ...]

    def covers(self, other: Signature) -> bool:
        """Whether a counterexample of another signature can have the defect of this one.

        The environment does the same in both, and the other one falls by the same decisive rules or
        by further ones. If the decisive rules of one alone are known, the two can be two defects.
        """
        if (self.property, self.environment) != (other.property, other.environment):
            return False
        if not self.decisive or not other.decisive:
            return self == other
        return set(self.decisive) <= set(other.decisive)

    def __str__(self) -> str:
        return f"{self.property}: {', '.join((*self.environment, *self.decisive))}"


def signature_of(system: System, violated: Verdict) -> Signature:
    """Return the signature of a counterexample."""
    trace = violated.trace
    assert trace is not None
    taken = [system.rules[number].rule for number in trace.rules]
    steps = decisive_steps(system, violated, STATES_MAX).steps
    matter = [taken[step - 1] for step in steps] or taken
    outside = {rule.name for rule in matter if rule.fairness is Fairness.NONE}
    inside = {rule.name for rule in matter} - outside if steps else set[str]()
    return Signature(violated.property, tuple(sorted(outside)), tuple(sorted(inside)))
