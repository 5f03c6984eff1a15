"""Compares two specs as an observer sees them: which behaviour one has and the other does not.

`compare` explores both systems completely, so its answer is complete for their bounds. Two answers
are combined:

- *Weak trace inclusion*, in both directions: whether each sequence of observations of one system is
  also one of the other. If not, a shortest run shows it.
- *Branching bisimilarity with explicit divergence*: whether each system can also follow the silent
  choices of the other, and goes on silently forever only if the other can.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from checker.search.limits import (
    LimitHit,
    Limits,
    ProgressListener,
    SearchProgress,
    TimeOver,
    looking,
)
from checker.spec.claim import Spec
from model.errors import FinaleError, Place
from model.trace import Trace

from .bisimulation import classes
from .inclusion import Determinised, matching, unmatched
from .lts import SILENT, Alphabet, Numbers, joined
from .observed import Side, side_of
from .observer import Observer

COMPARING = "comparing"
NO_LIMITS = Limits()
#: How many names an error lists.
NAMES_MAX = 4


class Answer(enum.Enum):
    """What the second system does in comparison with the first, as the observer sees both."""

    SAME = "same"
    MORE = "more"
    LESS = "less"
    BOTH = "both"
    UNOBSERVABLE = "only unobservable steps differ"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Told:
    """A run, and its observations, each with the number of the step that it is seen at.

    The start has number 0; the end of a run has the number after the last step.
    """

    trace: Trace
    observations: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Difference:
    """A shortest run of one system whose observations the other system cannot make.

    `other` is a run of the other system with all observations of `run` but the last. `instead` are
    the observations that the other system can make in place of the last one.
    """

    run: Told
    other: Told
    instead: tuple[str, ...]

    @property
    def observation(self) -> str:
        """The observation that the other system cannot make."""
        return self.run.observations[-1][1]


@dataclass(frozen=True)
class Comparison:
    """The answer: `lost` is a run of the first system alone, `gained` one of the second alone.

    `why` says which limit was hit, if the answer is unknown; then there are no sides. `divergence`
    tells of systems that differ in unobservable steps alone whether they still do if it does not
    matter who can go on silently forever.
    """

    specs: tuple[Spec, Spec]
    observer: Observer
    answer: Answer
    sides: tuple[Side, Side] | None = None
    lost: Difference | None = None
    gained: Difference | None = None
    only_divergence: bool = False
    why: str = ""
    seconds: float = 0.0

    @property
    def is_same(self) -> bool:
        """Whether the observer sees no difference in what can happen."""
        return self.answer in (Answer.SAME, Answer.UNOBSERVABLE)


def compare(
    first: Spec,
    second: Spec,
    observer: Observer = Observer(),  # noqa: B008 - it is frozen
    limits: Limits = NO_LIMITS,
    progress: ProgressListener | None = None,
) -> Comparison:
    """Return what the second spec does in comparison with the first, as an observer sees both.

    The limit of states is for each of the systems. If a limit is hit, the answer is `UNKNOWN`.
    Raises `other-job`, `incomparable`, `unknown-observed`, `nothing-observed`, KeyboardInterrupt.
    """
    began = perf_counter()
    if first.setting.job != second.setting.job:
        raise FinaleError(
            "other-job",
            "the two specs have different jobs",
            place=Place(str(second.file), second.lines.of("job"), "job"),
            advice="compare specs of the same job: copy [job] from one to the other",
        )
    alphabet = Alphabet()
    sides: list[Side] = []
    try:
        for spec in (first, second):
            left = limits.after(perf_counter() - began)
            sides.append(side_of(spec, observer, alphabet, left, progress))
        _refuse_other_names(sides[0], sides[1])
        left = limits.after(perf_counter() - began)
        look = _looking(left, progress, sum(len(side.graph.states) for side in sides))
        return _compared(sides[0], sides[1], observer, look, began)
    except LimitHit as limit:
        why = str(limit)
    except TimeOver:
        why = limits.seconds_word
    seconds = perf_counter() - began
    return Comparison((first, second), observer, Answer.UNKNOWN, why=why, seconds=seconds)


def _looking(limits: Limits, progress: ProgressListener | None, states: int) -> Callable[[], None]:
    def tell(news: SearchProgress) -> None:
        if progress is not None:
            progress(SearchProgress(states, 0, 0, 0, news.seconds, after=COMPARING))

    return looking(limits, tell, COMPARING)


def _refuse_other_names(first: Side, second: Side) -> None:
    """Raises `incomparable` if the observer watches something that only one system has."""
    one, other = first.view.names, second.view.names
    for alone, side in ((one - other, first), (other - one, second)):
        if alone:
            shown = ", ".join(sorted(alone)[:NAMES_MAX])
            more = f" and {len(alone) - NAMES_MAX} more" if len(alone) > NAMES_MAX else ""
            raise FinaleError(
                "incomparable",
                f"only one of the two specs has {shown}{more}",
                place=Place(str(side.spec.file)),
                advice="use the same bounds and history in both specs, or name what both have "
                "with --observe",
            )


def _compared(
    first: Side, second: Side, observer: Observer, look: Callable[[], None], began: float
) -> Comparison:
    both = joined(first.lts, second.lts)
    block = classes(both, divergence=True, look=look)
    own = block[: first.lts.states], block[first.lts.states :]
    lost = gained = None
    only_divergence = False
    if own[0][first.lts.root] == own[1][second.lts.root]:
        answer = Answer.SAME
    else:
        lost = _difference(first, own[0], second, own[1], look)
        gained = _difference(second, own[1], first, own[0], look)
        answer = {
            (True, True): Answer.BOTH,
            (True, False): Answer.LESS,
            (False, True): Answer.MORE,
            (False, False): Answer.UNOBSERVABLE,
        }[lost is not None, gained is not None]
        if answer is Answer.UNOBSERVABLE:
            block = classes(both, divergence=False, look=look)
            only_divergence = bool(
                block[first.lts.root] == block[first.lts.states + second.lts.root]
            )
    return Comparison(
        (first.spec, second.spec),
        observer,
        answer,
        (first, second),
        lost,
        gained,
        only_divergence,
        seconds=perf_counter() - began,
    )


def _difference(
    side: Side, own: Numbers, other: Side, its: Numbers, look: Callable[[], None]
) -> Difference | None:
    """Return a shortest run of one side that the other cannot match, or None."""
    found = unmatched(side.lts, own, Determinised(other.lts, its), look)
    if found is None:
        return None
    prefix = matching(other.lts, found.observations[:-1])
    texts = side.alphabet.texts
    return Difference(
        _told(side, found.transitions),
        _told(other, prefix),
        tuple(texts[label] for label in found.instead if label != SILENT),
    )


def _told(side: Side, transitions: tuple[int, ...]) -> Told:
    return Told(side.trace_of(transitions), tuple(side.observed(transitions)))


__all__ = ["Answer", "Comparison", "Difference", "Told", "compare"]
