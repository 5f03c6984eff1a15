"""What every search is given beside the system: limits, and a listener for its progress."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter

from finale.model.errors import FinaleError, Place, nearest
from finale.model.system import System

from .verdict import Statistics, Verdict, Word

#: What `Report.stopped` says of a search that the user stopped.
INTERRUPTED = "interrupted"
#: Progress is told at most once in so many seconds.
SECONDS_BETWEEN_REPORTS = 0.1
#: What is left for a search where what went before it has taken all the time there is.
SECONDS_MIN = 0.001


@dataclass(frozen=True)
class Limits:
    """The limits of a search; None means no limit.

    A search that is stopped answers `unknown` if it has not seen enough. `memory_max` is the number
    of bytes of states and their tables; only the native search has it. `steps_max` is the length of
    the longest counterexample that a bounded search looks for. `seconds_given` is the limit that
    the user gave, if part of it had passed before the search began. Raises `bad-limit`.
    """

    states_max: int | None = None
    seconds_max: float | None = None
    memory_max: int | None = None
    seconds_given: float | None = None
    steps_max: int | None = None

    def __post_init__(self) -> None:
        limits = {
            "states_max": self.states_max,
            "seconds_max": self.seconds_max,
            "memory_max": self.memory_max,
            "steps_max": self.steps_max,
        }
        for name, value in limits.items():
            if value is not None and not value > 0:
                raise FinaleError(
                    "bad-limit",
                    f"{name} is {value}: a search with this limit sees nothing",
                    place=Place(key=name),
                    advice="give a limit above zero, or none",
                )

    @property
    def states_word(self) -> str:
        """The text of `Report.stopped` after the limit of states."""
        return f"the limit of {self.states_max} {'state' if self.states_max == 1 else 'states'}"

    @property
    def seconds_word(self) -> str:
        """The text of `Report.stopped` after the limit of time."""
        seconds = self.seconds_max if self.seconds_given is None else self.seconds_given
        return f"the limit of {seconds:g} {'second' if seconds == 1 else 'seconds'}"

    def after(self, seconds: float) -> Limits:
        """Return the limits that remain after some seconds; some time always remains."""
        if self.seconds_max is None:
            return self
        given = self.seconds_max if self.seconds_given is None else self.seconds_given
        left = max(self.seconds_max - seconds, SECONDS_MIN)
        return replace(self, seconds_max=left, seconds_given=given)


class TimeOver(Exception):
    """The limit of time was hit before the search began."""


class LimitHit(Exception):
    """A search has come to a limit; the argument names the limit."""


@dataclass(frozen=True)
class SearchProgress:
    """How far a search is: as `Statistics`, with the bytes that it takes, if it knows them.

    `seconds_left` is an estimate of all that is left, liveness included. It assumes that levels go
    on to shrink as they did, and is None while they grow. `before` says what is done before the
    search begins, and `after` what is done when all states are seen.
    """

    states: int
    transitions: int
    depth: int
    frontier: int
    seconds: float
    memory: int = 0
    seconds_left: float | None = None
    before: str = ""
    after: str = ""


#: What `before` says while the loops of the native search are compiled: ten seconds or more.
COMPILING = "compiling the search itself, once on this machine"

ProgressListener = Callable[[SearchProgress], None]
"""Called a few times a second while a search runs, always from the thread that asked for it."""


class SearchClock:
    """Reports how far a search is, a few times a second, and ends it when its time is over."""

    def __init__(self, limits: Limits, progress: ProgressListener | None) -> None:
        self._limits, self._progress = limits, progress
        self._began = self._reported = perf_counter()
        self._liveness: Liveness | None = None

    @property
    def seconds(self) -> float:
        """The time since the search began."""
        return perf_counter() - self._began

    @property
    def seconds_of_liveness(self) -> float:
        """The time that judging liveness has taken."""
        return self._liveness.seconds if self._liveness is not None else 0.0

    def check(self) -> None:
        """Raises LimitHit if the time is over."""
        if self._limits.seconds_max is not None and self.seconds > self._limits.seconds_max:
            raise LimitHit(self._limits.seconds_word)

    def report(self, progress: Callable[[float], SearchProgress]) -> None:
        """Report the progress after so many seconds, unless the last report is too recent."""
        now = perf_counter()
        if self._progress is not None and now - self._reported >= SECONDS_BETWEEN_REPORTS:
            self._reported = now
            news = progress(now - self._began)
            self._progress(news if self._liveness is None else self._liveness.told(news, now))

    def look(self, progress: Callable[[float], SearchProgress]) -> None:
        """Report the progress, if a report is due. Raises LimitHit if the time is over."""
        self.check()
        self.report(progress)

    @contextmanager
    def judging(self, count: int) -> Generator[None]:
        """Measure how long one of `count` liveness properties takes."""
        if self._liveness is None:
            self._liveness = Liveness(count)
        began = self._liveness.began = perf_counter()
        try:
            yield
        finally:
            self._liveness.done += 1
            self._liveness.seconds += perf_counter() - began


@dataclass
class Liveness:
    """How many of `count` properties are judged, how long that took, and when the next began."""

    count: int
    done: int = 0
    seconds: float = 0.0
    began: float = 0.0

    def told(self, news: SearchProgress, now: float) -> SearchProgress:
        """Return the progress of a search whose states are all seen."""
        left = None
        if self.done:
            next_one = max(0.0, self.seconds / self.done - (now - self.began))
            left = next_one + self.seconds / self.done * (self.count - self.done - 1)
        after = f"liveness: {self.done} of {self.count} properties"
        return replace(news, seconds_left=left, after=after)


def looking(
    limits: Limits, progress: ProgressListener | None, doing: str, untold: float = 0.0
) -> Callable[[], None]:
    """Return a function that watches the clock before a search, and reports what is done instead.

    It reports nothing for the first `untold` seconds, and raises `TimeOver` when the time is over.
    """
    began, told = perf_counter(), untold

    def look() -> None:
        nonlocal told
        seconds = perf_counter() - began
        if limits.seconds_max is not None and seconds > limits.seconds_max:
            raise TimeOver
        if progress is not None and seconds >= told:
            told = seconds + SECONDS_BETWEEN_REPORTS
            progress(SearchProgress(0, 0, 0, 0, seconds, before=doing))

    return look


def check_witnesses(system: System) -> None:
    """Raises `witness-missing` if a property names a witness that was not asked for."""
    reachable = {prop.name for prop in system.properties if prop.kind.is_reachability}
    for prop in system.properties:
        if prop.witness is not None and prop.witness not in reachable:
            raise FinaleError(
                "witness-missing",
                f'"{prop.name}" names the witness "{prop.witness}", '
                "which is not a reachable property of the system",
                place=prop.place,
                advice=nearest(
                    prop.witness,
                    reachable,
                    "Check it together with the property: without its witness it may hold because "
                    "nothing happens",
                ),
            )


def cut_short(name: str, stopped: str, seen: Statistics) -> Verdict:
    """Return the verdict on a question that a stopped search leaves open."""
    why = (
        f"{stopped}: {seen.states} states and {seen.transitions} transitions seen, "
        f"depth {seen.depth}, {seen.frontier} states left to expand"
    )
    return Verdict(name, Word.UNKNOWN, why=why)
