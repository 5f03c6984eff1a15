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
from dataclasses import dataclass, replace
from time import perf_counter

from finale.checker.search.limits import (
    LimitHit,
    Limits,
    ProgressListener,
    SearchProgress,
    TimeOver,
    looking,
)
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError, Place
from finale.model.language.build import rule_names
from finale.model.trace import Trace

from .bisimulation import classes
from .inclusion import Determinised, matching, unmatched
from .lts import Numbers, joined
from .observed import Graph, Side, graph_of, sides_of
from .observer import EFFECTS, Observer, views_of

COMPARING = "comparing"
NO_LIMITS = Limits()


class Relation(enum.Enum):
    """What the second system does in comparison with the first, as the observer sees both."""

    SAME = "same"
    MORE = "more"
    LESS = "less"
    BOTH = "both"
    UNOBSERVABLE = "only unobservable steps differ"
    UNKNOWN = "unknown"

    @property
    def words(self) -> str:
        """The relation as a text has it; its value is the one of JSON."""
        return "more and less" if self is Relation.BOTH else self.value


@dataclass(frozen=True)
class Told:
    """A run, and its observations, each with the number of the step that it is seen at.

    The start has number 0; the end of a run has the number after the last step.
    """

    trace: Trace
    observations: tuple[tuple[int, str], ...]

    @property
    def by_step(self) -> list[tuple[str, str]]:
        """The observations, each with its step as text: the start and the end have none."""
        steps = range(1, self.trace.length + 1)
        return [(str(at) if at in steps else "", text) for at, text in self.observations]


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

    @property
    def has_same_start(self) -> bool:
        """Whether the other system can start like the run."""
        return bool(self.other.observations)


@dataclass(frozen=True)
class Comparison:
    """How the second system relates to the first, as an observer sees both.

    `lost` is a run of the first system alone, `gained` one of the second alone. `why` says which
    limit was hit, if the relation is unknown; then there are no sides. `only_divergence` is true if
    systems whose unobservable steps differ are the same but for who can go on silently forever.
    """

    specs: tuple[Spec, Spec]
    observer: Observer
    relation: Relation
    sides: tuple[Side, Side] | None = None
    lost: Difference | None = None
    gained: Difference | None = None
    only_divergence: bool = False
    why: str = ""
    seconds: float = 0.0

    @property
    def is_same(self) -> bool:
        """Whether the observer sees no difference in what can happen."""
        return self.relation in (Relation.SAME, Relation.UNOBSERVABLE)

    @property
    def other_fairness(self) -> tuple[str, ...]:
        """The rules of both systems whose fairness differs, which no observer sees."""
        if self.sides is None:
            return ()
        first, second = (
            {rule.rule.name: rule.rule.fairness for rule in side.system.rules}
            for side in self.sides
        )
        return tuple(name for name in first if second.get(name, first[name]) != first[name])


def compare(
    first: Spec,
    second: Spec,
    observer: Observer = Observer(),  # noqa: B008 - it is frozen
    limits: Limits = NO_LIMITS,
    progress: ProgressListener | None = None,
) -> Comparison:
    """Return what the second spec does in comparison with the first, as an observer sees both.

    The limit of states is for each of the systems. If a limit is hit, the relation is `UNKNOWN`.
    Raises `other-job`, `incomparable`, `unknown-observed`, `nothing-observed`, KeyboardInterrupt.
    """
    began = perf_counter()
    if first.setting.job != second.setting.job:
        raise _other_job(first, second)
    if _keeps_effects(first) and _keeps_effects(second):
        first, second = with_effects(first), with_effects(second)
    graphs: list[Graph] = []
    try:
        for spec in (first, second):
            left = limits.after(perf_counter() - began)
            graphs.append(graph_of(spec, left, progress))
        left = limits.after(perf_counter() - began)
        look = _looking(left, progress, sum(len(each.explored.states) for each in graphs))
        found = _compared(graphs[0], graphs[1], observer, look)
        return replace(found, seconds=perf_counter() - began)
    except LimitHit as limit:
        why = str(limit)
    except TimeOver:
        why = limits.seconds_word
    seconds = perf_counter() - began
    return Comparison((first, second), observer, Relation.UNKNOWN, why=why, seconds=seconds)


def _other_job(first: Spec, second: Spec) -> FinaleError:
    """Return the error of two specs with different jobs; a value of --set stands in no line."""
    jobs = [each.setting.job for each in (first, second)]
    names = [(job and ", ".join(vertex.name for vertex in job.vertices)) or "none" for job in jobs]
    what = f"the first has {names[0]}; the second has {names[1]}"
    given = next((key for key, _ in second.values if key.partition(".")[0] == "job"), None)
    advice = "compare specs of the same job: copy [job] from one to the other"
    if given is not None:
        advice = f"leave out --set {given}: finale diff compares specs of the same job"
    place = Place(str(second.file), None if given else second.lines.of("job"), given or "job")
    told = f"the two specs have different jobs: {what}"
    return FinaleError("other-job", told, place=place, advice=advice)


def with_effects(spec: Spec) -> Spec:
    """Return the spec with the history of what becomes visible outside: `[observe] effects`."""
    observe = spec.setting.observe | {EFFECTS}
    return replace(spec, setting=replace(spec.setting, observe=observe))


def _keeps_effects(spec: Spec) -> bool:
    """Whether a spec can have this history. A resumed system has that of the system before."""
    if EFFECTS in spec.setting.observe:
        return True
    if EFFECTS not in spec.protocol.ghosts or spec.resumption is not None:
        return False
    try:
        with_effects(spec).instance()
    except FinaleError:
        return False
    return True


def _looking(limits: Limits, progress: ProgressListener | None, states: int) -> Callable[[], None]:
    def tell(news: SearchProgress) -> None:
        if progress is not None:
            progress(SearchProgress(states, 0, 0, 0, news.seconds, after=COMPARING))

    return looking(limits, tell, COMPARING)


def _compared(one: Graph, other: Graph, observer: Observer, look: Callable[[], None]) -> Comparison:
    rules = [name for each in (one, other) for name in rule_names(each.spec.protocol)]
    views = views_of(observer, one.explored.system, other.explored.system, rules)
    first, second = sides_of((one, other), views)
    look()
    both = joined(first.lts, second.lts)
    block = classes(both, divergence=True, look=look)
    roots = first.lts.root, first.lts.states + second.lts.root
    specs, sides = (one.spec, other.spec), (first, second)
    if block[roots[0]] == block[roots[1]]:
        return Comparison(specs, observer, Relation.SAME, sides)
    own = block[: first.lts.states], block[first.lts.states :]
    lost = _difference(first, own[0], second, own[1], look)
    gained = _difference(second, own[1], first, own[0], look)
    relation = {
        (True, True): Relation.BOTH,
        (True, False): Relation.LESS,
        (False, True): Relation.MORE,
        (False, False): Relation.UNOBSERVABLE,
    }[lost is not None, gained is not None]
    only_divergence = False
    if relation is Relation.UNOBSERVABLE:
        block = classes(both, divergence=False, look=look)
        only_divergence = bool(block[roots[0]] == block[roots[1]])
    return Comparison(specs, observer, relation, sides, lost, gained, only_divergence)


def finer(
    found: Comparison, limits: Limits = NO_LIMITS, progress: ProgressListener | None = None
) -> Comparison | None:
    """Return the comparison by the coarsest finer observer who sees a difference, or None.

    It explores nothing again. The limit of states is for both systems together, and the limit of
    time includes the time that the comparison took. If a limit is hit, the relation is `UNKNOWN`.
    """
    observers = found.observer.finer
    if not found.is_same or found.sides is None or not observers:
        return None
    one, other = (side.whole for side in found.sides)
    states = sum(side.lts.states for side in found.sides)
    if limits.states_max is not None and states > limits.states_max:
        why = f"{limits.states_word} of both systems together"
        return Comparison(found.specs, observers[-1], Relation.UNKNOWN, why=why)
    look = _looking(limits.after(found.seconds), progress, states)
    for observer in observers:
        try:
            further = _compared(one, other, observer, look)
        except FinaleError:  # the protocols do not declare the group, or only one of them does
            continue
        except TimeOver:
            return Comparison(found.specs, observer, Relation.UNKNOWN, why=limits.seconds_word)
        if not further.is_same:
            return further
    return None


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
        tuple(texts[label] for label in found.instead),
    )


def _told(side: Side, transitions: tuple[int, ...]) -> Told:
    return Told(side.trace_of(transitions), tuple(side.observed(transitions)))
