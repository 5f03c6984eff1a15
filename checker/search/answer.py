"""The report of a check: a verdict for each property, and what the search has seen."""

from __future__ import annotations

import builtins
from dataclasses import astuple, dataclass, field

from finale.model.language.explore import Branch
from finale.model.trace import Trace

#: The rows that every protocol has beside its properties.
WELL_FORMED = "well-formed"
NO_DEADLOCK = "no-deadlock"


@dataclass(frozen=True)
class Holds:
    """The property holds; a `reachable` one with the trace that reaches it."""

    witness: Trace | None = None

    word = "holds"


@dataclass(frozen=True)
class Violated:
    """The property does not hold; a shortest trace shows it.

    `binding` is the binding of the violated predicate. A `reachable` property that is never reached
    has no trace.
    """

    trace: Trace | None
    binding: tuple[tuple[str, str], ...] = ()

    word = "violated"


@dataclass(frozen=True)
class Vacuous:
    """The property was never put to the test: `why` says what never happened."""

    why: str

    word = "vacuous"


@dataclass(frozen=True)
class Unknown:
    """No verdict; `why` names the limit or bound that prevented one.

    `bounds` are the bounds of the spec among them.
    """

    why: str
    trace: Trace | None = None
    bounds: tuple[str, ...] = ()

    word = "unknown"


@dataclass(frozen=True)
class NotAsked:
    """The question makes no sense in this setting; `why` gives the reason."""

    why: str

    word = "not-asked"


@dataclass(frozen=True)
class DoesNotApply:
    """The protocol does not implement the view that the property reads."""

    why: str

    word = "does-not-apply"


Verdict = Holds | Violated | Vacuous | Unknown | NotAsked | DoesNotApply


@dataclass(frozen=True)
class Answer:
    """The verdict on one property, and how it was reached: "exhaustive", "sampled", …

    `is_shortest` is true if no shorter run gives the same verdict.
    """

    property: str
    verdict: Verdict
    how: str = "exhaustive"
    is_shortest: bool = True

    @builtins.property  # the field of that name hides the word
    def steps(self) -> int | None:
        """The length of the trace: of the counterexample, or of the witness."""
        match self.verdict:
            case Holds(witness=trace) | Violated(trace=trace) | Unknown(trace=trace):
                return trace.length if trace is not None else None
            case _:
                return None


@dataclass(frozen=True)
class Statistics:
    """What a search has seen; `complete` if it has seen all reachable states.

    states: distinct states; transitions: rules taken, over all states; depth: the largest
    breadth-first distance; frontier: states found and not yet expanded.
    """

    states: int
    transitions: int
    depth: int
    seconds: float
    complete: bool = True
    frontier: int = 0


@dataclass(frozen=True)
class Timing:
    """The seconds that each part of a check took, and the whole check: what its user waited for.

    `reducing` is what it took to find the reductions.
    """

    building: float = 0.0
    compiling: float = 0.0
    searching: float = 0.0
    liveness: float = 0.0
    reducing: float = 0.0
    total: float = 0.0

    def __add__(self, other: Timing) -> Timing:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Timing(*(mine + its for mine, its in pairs))


@dataclass(frozen=True)
class Report:
    """All answers to one question.

    `reduced` names the reductions that the counts are under, and `remarks` say what these found.
    `further` are the searches for properties that the reductions do not keep; their answers are
    among `answers`. `memory` is the most memory that states and tables took, if the search knows
    it. `seconds_before` is the time of the searches that this one resumed. If the back end does not
    enumerate states (`lists_states`), the counts are only the depth and the time.
    """

    backend: str
    answers: tuple[Answer, ...]
    statistics: Statistics
    dead_branches: tuple[Branch, ...] = ()
    stopped: str = ""
    exercised: frozenset[str] = field(default_factory=frozenset[str])
    reduced: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    further: tuple[Report, ...] = ()
    memory: int = 0
    seconds_before: float = 0.0
    timing: Timing = Timing()
    lists_states: bool = True
    cached: bool = False
    """Whether it was found before, in the same system, and not now."""

    def statistics_of(self, name: str) -> Statistics:
        """Return the statistics of the search that answered for a property."""
        for report in self.further:
            if any(each.property == name != WELL_FORMED for each in report.answers):
                return report.statistics
        return self.statistics
