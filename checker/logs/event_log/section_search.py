"""Searches for a run that explains a section of an event log.

The search is depth first, over the number of explained events of each clock and the state. It takes
steps without events only when it needs them: as few as possible, and first the steps that concern
the next event. After a failure it goes back to a step that changed what the failure depends on.
Only the last pass, which leaves nothing out, rejects.
"""

from __future__ import annotations

import enum
import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

from finale.checker.logs.event_log.reading import EventLine, Section
from finale.model.events import STEPS
from finale.model.language.bindings import BoundRule

from .progress import LogProgress, SearchEffort
from .restarts import EarlierSections, wrong_origin
from .section_system import Footprint, Reached, Refusal, SectionSystem

#: So many states are gone on from, beside one for each event, before the search gives up.
BUDGET = 20_000
#: So many of the states that were possible before an unexplained event are told.
STATES_TOLD = 3
#: What a step costs that nobody has seen, if it writes what the next event has to do with, and if
#: not.
NEAR, FAR = 1, 4
#: What such steps may cost between two events, pass after pass, and which part of the budget is for
#: that. In the last pass anything may be; before, no step is taken ahead of an event that can be,
#: if it has nothing to do with it: it is as good later.
REACHES = ((3, 0.1), (6, 0.2), (20, 0.2), (None, 0.5))

ALL_STEPS = frozenset(word.name for word in STEPS)


@dataclass(frozen=True)
class Move:
    """A step of the witness: of the event in that line, or of none. Ids are the log's."""

    rule: BoundRule
    line: int | None
    after: Reached
    touches: Footprint | None = None

    def __str__(self) -> str:
        about = ", ".join(self.after.log_name(value) for _, value in self.rule.binding)
        return f"{self.rule.rule.name}({about})"


@dataclass(frozen=True)
class Accepted:
    """A run that explains the log: its steps, section by section."""

    witness: tuple[tuple[Move, ...], ...]

    @property
    def unseen(self) -> int:
        """How many of its steps have no event."""
        return sum(move.line is None for moves in self.witness for move in moves)


@dataclass(frozen=True)
class Rejected:
    """The first event that no run explains: why not, in some of the states possible before it."""

    line: int
    event: str
    refusals: tuple[Refusal, ...]
    states: int
    """In how many states it was tried."""


class GaveUp(enum.Enum):
    """Why a search is given up."""

    STATES = "states"
    """It has gone on from as many as it may."""
    SECONDS = "seconds"
    INTERRUPTED = "interrupted"
    BOUND = "bound"
    """The model may have too few of something that a log need not tell: nobody can give more."""


@dataclass(frozen=True)
class Undecided:
    """The search was given up: why, and how far it came."""

    given_up: GaveUp
    why: str
    progress: LogProgress

    @property
    def line(self) -> int:
        """The last line up to which there is a run, and its properties are known if they are."""
        return self.progress.line


Positions = tuple[int, ...]
"""How many events of each clock have been explained."""
Onward = Iterator[tuple[tuple[Move, ...], Positions, Reached]]


@dataclass
class _Frame:
    """A place of the search: the moves that led here, and those not tried yet.

    `blame` has the variables on which it depends that nothing led further from here so far.
    """

    key: tuple[Positions, Reached]
    trail: tuple[Move, ...]
    onward: Onward
    blame: set[int] = field(default_factory=set[int])


@dataclass
class SectionSearch:
    """Depth first over how far each clock is, and the state."""

    system: SectionSystem
    hidden: frozenset[str]
    budget: float
    reach: int | None
    follows: Section | None
    known: EarlierSections
    """What was so when the section had begun."""
    effort: SearchEffort
    cut: bool = False
    """Something was not tried since it would cost too much."""
    short: str | None = None
    """The bound that was too small for what was tried."""
    wrong: str | None = None
    """Why the next section could not begin where this one ended."""
    furthest: int = -1
    tried: dict[Reached, tuple[EventLine, ...]] = field(
        default_factory=dict[Reached, tuple[EventLine, ...]]
    )

    _refused: dict[tuple[Positions, Reached], set[int]] = field(
        default_factory=dict[tuple[Positions, Reached], set[int]]
    )
    """What was read where no next event could be taken."""

    def __post_init__(self) -> None:
        section = self.system.section
        self.section = section
        if section.start.get("order") == "clocks":
            by_clock: dict[str, list[EventLine]] = {}
            for event in section.events:
                by_clock.setdefault(event.clock, []).append(event)
            self.clocks = [*by_clock.values()]
        else:
            self.clocks = [list(section.events)]

    def run(self) -> tuple[Move, ...] | Rejected | Undecided:
        """The moves of a run, or that there is none, or that none was found."""
        start, begin = self.system.start(), (0,) * len(self.clocks)
        if (none := self._without_events(start)) is not None:
            return none
        stack = [_Frame((begin, start), (), self._onward(begin, start))]
        failed: dict[tuple[Positions, Reached], set[int]] = {(begin, start): set()}
        while stack:
            frame = stack[-1]
            found = next(frame.onward, None)
            if self.budget < 0:
                self.cut = True
                why = f"{self.effort.limits.states_word}, beside one for each event"
                return Undecided(GaveUp.STATES, why, self.effort.progress)
            if found is None:
                stack.pop()
                frame.blame |= self._refused.pop(frame.key, set())
                failed[frame.key] = frame.blame
                if stack:
                    stack[-1].blame |= _before(frame.trail, frame.blame)
                continue
            trail, positions, after = found
            if (positions, after) in failed:
                frame.blame |= _before(trail, failed[positions, after])
            elif self._is_idle(trail, frame.blame):
                self.cut = True
            else:
                failed[positions, after] = set()
                onward = self._onward(positions, after)
                stack.append(_Frame((positions, after), trail, onward))
                if self._is_over(positions) and self._leads_on(after):
                    return tuple(move for each in stack for move in each.trail)
        return self._rejected()

    def _is_idle(self, trail: tuple[Move, ...], blame: set[int]) -> bool:
        """Whether the steps without events change nothing of what a failure depends on."""
        if self.reach is None or not blame:
            return False
        unseen = [move.touches for move in trail if move.line is None]
        return bool(unseen) and not any(t.writes & blame for t in unseen if t is not None)

    def _without_events(self, start: Reached) -> tuple[Move, ...] | None:
        """The run of a section without any event."""
        return () if not self.section.events and self._leads_on(start) else None

    # --- moves -----------------------------------------------------------------------------------

    def _onward(self, positions: Positions, state: Reached) -> Onward:
        """Where an event leads from here, after as few steps without events as can be."""
        events = self._next(positions)
        hidden = self._hidden(positions)
        todo: list[tuple[int, int, tuple[Move, ...], Reached]] = [(0, 0, (), state)]
        seen, count = {state}, 0
        while todo:
            cost, _, trail, here = heapq.heappop(todo)
            self.budget -= 1
            self.effort.count()
            if self.budget < 0:
                return
            touched = [self.system.footprint(event, here)[1] for _, event in events if hidden]
            can = False
            for found in self._events(positions, events, touched, trail, here):
                can = True
                yield found
            if not can and touched:
                blame = self._refused.setdefault((positions, state), set())
                blame.update(*(each.reads for each in touched))
            for rule, after, touches in self.system.unseen(here, hidden):
                matters = any(touches.meets(other) for other in touched)
                price = cost + (NEAR if matters else FAR)
                if self.reach is not None and (price > self.reach or (can and not matters)):
                    self.cut = True
                elif after not in seen:
                    seen.add(after)
                    count += 1
                    moves = (*trail, Move(rule, None, after, touches))
                    heapq.heappush(todo, (price, count, moves, after))
            if self._is_over(positions) and trail and self._leads_on(here):
                yield trail, positions, here

    def _events(
        self,
        positions: Positions,
        events: tuple[tuple[int, EventLine], ...],
        touched: list[Footprint],
        trail: tuple[Move, ...],
        here: Reached,
    ) -> Onward:
        refused: list[EventLine] = []
        for number, (clock, event) in enumerate(events):
            taken = self.system.take(event, here)
            if isinstance(taken, Refusal):
                self.short = self.short or taken.bound
                refused.append(event)
                continue
            rule, after = taken
            self.effort.explains(event.line)
            further = (*positions[:clock], positions[clock] + 1, *positions[clock + 1 :])
            move = Move(rule, event.line, after, touched[number] if touched else None)
            yield (*trail, move), further, after
        if refused and sum(positions) >= self.furthest:
            if sum(positions) > self.furthest:
                self.furthest, self.tried = sum(positions), {}
            self.tried[here] = tuple(refused)

    def _next(self, positions: Positions) -> tuple[tuple[int, EventLine], ...]:
        """The next event of each clock, in the order of their lines."""
        at = zip(range(len(positions)), self.clocks, positions, strict=True)
        events = [(n, events[place]) for n, events, place in at if place < len(events)]
        return tuple(sorted(events, key=lambda each: each[1].line))

    def _hidden(self, positions: Positions) -> frozenset[str]:
        over = self._is_over(positions)
        cut = over and not self.section.ended and self.follows is not None
        one = len(self.clocks) == 1
        lost = bool(self.section.lost) and not (one and sum(positions) not in self.section.lost)
        return ALL_STEPS if cut or lost else self.hidden

    # --- the end ---------------------------------------------------------------------------------

    def _is_over(self, positions: Positions) -> bool:
        return sum(positions) == len(self.section.events)

    def _leads_on(self, state: Reached) -> bool:
        """Whether the next section can begin where this state ends."""
        if self.follows is None:
            return True
        wrong = wrong_origin(self.follows, self.known, self.system, state)
        self.wrong = self.wrong or wrong
        return wrong is None

    def known_after(self, moves: tuple[Move, ...]) -> EarlierSections:
        """The checkpoints that complete in a run, and the tasks that each has as finished.

        These are those of its plan, and those that were restored as finished and have no state.
        """
        startable: set[int | None] = set()
        begin, here = self.section.start, self.system.start()
        ended = frozenset(str(each) for each in begin.get("finished") or ())
        found: dict[int | None, frozenset[str]] = {None: frozenset(), begin.get("from"): ended}
        for move in moves:
            if move.rule.rule.name == "restore":
                task = frozenset(name for kind, name in move.rule.binding if kind == "task")
                origin = found[self.system.completed(here)]
                ended = (ended - task) | (task & origin)
            here = move.after
            if move.rule.rule.name == "complete":
                for number, plan in self.system.finished_of(here).items():
                    found.setdefault(number, plan | ended)
                startable.update(here.ids[place] for place in self.system.startable(here))
        finished = {number: tasks for number, tasks in found.items() if number is not None}
        named = frozenset(number for number in startable if number is not None)
        return self.known.after(finished, named, self.section)

    def _line(self) -> int:
        if self.tried:
            return min(event.line for events in self.tried.values() for event in events)
        return self.follows.line if self.follows is not None else self.section.line

    def _rejected(self) -> Rejected:
        if not self.tried or self.furthest == len(self.section.events):
            assert self.follows is not None
            assert self.wrong is not None
            return Rejected(self.follows.line, "log-start", (Refusal(self.wrong),), 1)
        line = self._line()
        event = next(e for e in self.section.events if e.line == line)
        states = [state for state, events in self.tried.items() if event in events]
        told = tuple(self.system.explain(event, state) for state in states[:STATES_TOLD])
        return Rejected(line, event.name, told, len(states))


def _before(trail: tuple[Move, ...], blame: set[int]) -> set[int]:
    """What a failure after some moves depends on before them."""
    found = set(blame)
    for move in reversed(trail):
        if move.touches is not None and move.touches.writes & found:
            found |= move.touches.reads | move.touches.writes
    return found
