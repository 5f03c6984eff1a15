"""The report of a check: a verdict for each property, and what the search has seen."""

from __future__ import annotations

import builtins
import enum
from dataclasses import astuple, dataclass, field

from finale.model.language.explore import Branch
from finale.model.trace import Trace

#: The rows that every protocol has beside its properties.
WELL_FORMED = "well-formed"
NO_DEADLOCK = "no-deadlock"


class Word(enum.StrEnum):
    """What is known of a property, in the word that specs and documents have for it."""

    HOLDS = "holds"
    VIOLATED = "violated"
    VACUOUS = "vacuous"
    """It was never put to the test."""
    UNKNOWN = "unknown"
    NOT_ASKED = "not-asked"
    """The question makes no sense in this setting."""
    DOES_NOT_APPLY = "does-not-apply"
    """The protocol does not implement the view that the property reads."""
    RUN = "run"
    """The trace is a run, of which nothing is claimed."""


@dataclass(frozen=True)
class Verdict:
    """What was found of one property, and how: "exhaustive", "bounded to 5", …

    The `trace` shows it: a counterexample of what is violated, or the witness of a reachable
    property that holds. A reachable property that is never reached is violated without a trace, and
    so is what a proof refutes. `binding` is that of the violated predicate. `why` is the reason of
    a verdict without a trace: what never happened, or the limit or bound that prevented another
    verdict; `bounds` are the bounds of the spec among these. `is_shortest` is true if no shorter
    run gives the same verdict.
    """

    property: str
    word: Word
    trace: Trace | None = None
    binding: tuple[tuple[str, str], ...] = ()
    why: str = ""
    bounds: tuple[str, ...] = ()
    how: str = "exhaustive"
    is_shortest: bool = True

    @builtins.property  # the field of that name hides the word
    def steps(self) -> int | None:
        """The length of the trace."""
        return None if self.trace is None else self.trace.length

    @builtins.property
    def counterexample(self) -> Trace | None:
        """The trace of a violation."""
        return self.trace if self.word is Word.VIOLATED else None

    @builtins.property
    def witness(self) -> Trace | None:
        """The trace to what is reached."""
        return self.trace if self.word is Word.HOLDS else None

    @builtins.property
    def is_unreached(self) -> bool:
        """Whether it is a witness that no run reaches: `violated` in a spec, and no violation."""
        return self.word is Word.VIOLATED and self.trace is None

    @builtins.property
    def shown(self) -> str:
        """The word for a reader, who expects a violation to be shown by a run."""
        return "not reached" if self.is_unreached else self.word


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

    `reducing` is what it took to find the reductions. `readable_first` is what the readable search
    took, if the native search began after it: the other parts are then those of the native search.
    """

    building: float = 0.0
    compiling: float = 0.0
    searching: float = 0.0
    liveness: float = 0.0
    reducing: float = 0.0
    readable_first: float = 0.0
    total: float = 0.0

    def __add__(self, other: Timing) -> Timing:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Timing(*(mine + its for mine, its in pairs))


@dataclass(frozen=True)
class Report:
    """All verdicts of one check.

    `reduced` names the reductions that the counts are under, and `remarks` say what these found.
    `further` are the searches for properties that the reductions do not keep; their verdicts are
    among `verdicts`. `memory` is the most memory that states and tables took, if the search knows
    it. `seconds_before` is the time of the searches that this one resumed. If the back end does not
    enumerate states (`lists_states`), the counts are only the depth and the time.
    """

    backend: str
    verdicts: tuple[Verdict, ...]
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

    def verdict_on(self, name: str) -> Verdict | None:
        """Return the verdict on a property, if the check asked for it."""
        return next((each for each in self.verdicts if each.property == name), None)

    def statistics_of(self, name: str) -> Statistics:
        """Return the statistics of the search that answered for a property."""
        for report in self.further:
            if any(each.property == name != WELL_FORMED for each in report.verdicts):
                return report.statistics
        return self.statistics
