"""IC3 (property-directed reachability): from bad states backwards, to why they are unreachable.

Frame *i* holds cubes that no state reached in at most *i* steps is in. A bad state of the last
frame is traced back, step by step, to states that lead to it. If the frame before excludes all
predecessors of a cube, the cube is excluded too, after as many of its cells as possible were
dropped. If the next frame has all cubes of a frame, these cubes are an invariant. Some states are
known to be reachable: a cube that contains one of them is never excluded, and if all of the cube
leads to a bad state, a bad state is reachable.

The cubes that were proven for one property are kept for the next.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from random import Random

from finale.model.expressions import FALSE, Expression, conjunction
from finale.model.semantics import steps
from finale.model.system import State, System

from .bit_vectors import Term
from .cubes import Cube, has, is_in, resting
from .encoding import RulePath, TransitionRelation
from .solver import Solver

#: A solver is asked with so many assumptions of its own before another one takes its place.
LITERALS_MAX = 500


class BadStateReached(Exception):
    """A bad state is reachable."""


class Ic3:
    """The frames of a system. `look` may raise to stop; the frames found so far stay valid."""

    def __init__(self, system: System, look: Callable[[], None]) -> None:
        self.system = system
        self.encoding = TransitionRelation(system)
        self.questions = 0
        #: Some reachable states, all initial ones among them.
        self.reached = walked(system, look)
        self._look = look
        #: What no reachable state is in: proven, and part of every question.
        self.never: set[Cube] = set()
        self._literals: dict[tuple[int, int], Term] = {}
        #: The cubes that each frame has and the one after it has not.
        self._frames: list[set[Cube]] = []
        self._names: list[Term] = []
        self._add_frame()
        self._bad: Expression = FALSE
        self._renew()

    @property
    def depth(self) -> int:
        """The number of steps that are known to reach no bad state."""
        return len(self._frames) - 2

    def prove(self, bad: Expression) -> frozenset[Cube]:
        """Return cubes that no step enters, and that contain all bad states.

        Raises BadStateReached, LimitHit.
        """
        if any(resting(bad, state)[0] for state in self.reached):
            raise BadStateReached
        self._bad = bad
        self._frames, self._names = [], []
        self._add_frame()
        self._add_frame()
        self._renew()
        while self._can_be([self._is_bad]):
            last = len(self._frames) - 1
            while self._can_be([*self._names[last:], self._is_bad]):
                self._block(resting(bad, self._state())[1], last)
            self._add_frame()
            self._push()
        return frozenset(self.never)

    # --- what breaks it by itself ----------------------------------------------------------------

    def broken(self, bad: Expression) -> tuple[State, RulePath] | None:
        """Return a good state, and a step from there to a bad state.

        The state may be unreachable; it is only not among the states that are proven to be.
        """
        encoding = self.encoding
        good = self.solver.literal(encoding.negated(encoding.holds(bad, 0)))
        after = self.solver.literal(encoding.holds(bad, 1))
        if not self._can_be([self._steps, good, after]):
            return None
        state = self._state()
        return state, self._taken(state)

    def excluded(self, state: State) -> Cube | None:
        """Return a small cube with this state that no step enters, if the state is excluded."""
        whole = frozenset((index, state[index]) for index in self.encoding.free)
        found = self._entered(whole, None)
        return self._smaller(found, None) if isinstance(found, frozenset) else None

    # --- frames ----------------------------------------------------------------------------------

    def _add_frame(self) -> None:
        self._names.append(self.encoding.name(f"frame{len(self._frames)}"))
        self._frames.append(set())

    def _leave_out(self, cube: Cube, frame: int) -> None:
        """That a cube is in none of the frames up to this one."""
        for each in self._frames[1 : frame + 1]:
            each -= {other for other in each if cube <= other}
        self._frames[frame].add(cube)
        clause = self.encoding.is_outside(cube, 0)
        self.solver.add(self.encoding.implied(self._names[frame], clause))

    def _push(self) -> None:
        """Bring cubes into later frames; where none is left behind, those after it are proven."""
        for number in range(1, len(self._frames) - 1):
            for cube in sorted(self._frames[number], key=sorted):
                found = self._entered(cube, number + 1)
                if isinstance(found, frozenset) and cube in self._frames[number]:
                    self._leave_out(found, number + 1)
            if not self._frames[number]:
                self._prove(number)
                return

    def _prove(self, number: int) -> None:
        for each in self._frames[number + 1 :]:
            for cube in sorted(each, key=sorted):
                self.never.add(cube)
                self.solver.add(self.encoding.is_outside(cube, 0))
            each.clear()

    # --- cubes -----------------------------------------------------------------------------------

    def _block(self, cube: Cube, last: int) -> None:
        """Show that a cube is not reached in so many steps. Raises BadStateReached."""
        waiting, number = [(last, 0, cube)], 0
        while waiting:
            frame, _, cube = heapq.heappop(waiting)
            if frame == 0 or self._is_reached(cube):
                raise BadStateReached
            if any(known <= cube for each in self._frames[frame:] for known in each):
                continue
            found, number = self._entered(cube, frame), number + 1
            if not isinstance(found, frozenset):
                heapq.heappush(waiting, (frame - 1, number, self._before(*found, cube)))
                heapq.heappush(waiting, (frame, number, cube))
                continue
            found = self._smaller(found, frame)
            while frame < last and isinstance(more := self._entered(found, frame + 1), frozenset):
                found, frame = more, frame + 1
            self._leave_out(found, frame)
            if frame < last:
                heapq.heappush(waiting, (frame + 1, number, cube))

    def _entered(self, cube: Cube, frame: int | None) -> Cube | tuple[State, RulePath]:
        """A state outside the cube, of the frame before, and a step from it into the cube.

        If there is none, a part of the cube that is as good a reason, with no state in it that is
        known to be reached. Without a frame, any state is asked for that is not proven never to be.
        """
        if self.solver.literals > LITERALS_MAX:
            self._renew()
        encoding, solver = self.encoding, self.solver
        stays_out = solver.literal(encoding.is_outside(cube, 0))
        after = {each: self._after(*each) for each in sorted(cube)}
        frames = self._names[frame - 1 :] if frame is not None else []
        if self._can_be([self._steps, *frames, stays_out, *after.values()]):
            state = self._state()
            solver.drop(stays_out)
            return state, self._taken(state)
        needed = solver.core()
        solver.drop(stays_out)
        core = frozenset(each for each, term in after.items() if term.get_id() in needed)
        for each in sorted(cube - core):
            if not self._is_reached(core):
                break
            core |= {each}
        return core

    def _smaller(self, cube: Cube, frame: int | None) -> Cube:
        """The cube with fewer cells, for the same reason."""
        for each in sorted(cube):
            fewer = cube - {each}
            if each in cube and fewer and not self._is_reached(fewer):
                found = self._entered(fewer, frame)
                if isinstance(found, frozenset):
                    cube = found
        return cube

    def _before(self, state: State, way: RulePath, cube: Cube) -> Cube:
        """The states from which this way leads into the cube for the same reason as from this."""
        cells, tests = self.system.cells, [way.condition]
        tests += [has(way.writes.get(index, cells[index]), value) for index, value in sorted(cube)]
        leads, found = resting(conjunction(tests), state)
        assert leads, "the solver has found this step"
        return found

    def _is_reached(self, cube: Cube) -> bool:
        return any(is_in(state, cube) for state in self.reached)

    def _renew(self) -> None:
        """A new solver that knows what is known: one that was asked much becomes slow."""
        encoding = self.encoding
        self.solver, self._literals = Solver(encoding.context, self._look), {}
        self.solver.add(encoding.bounds(0))
        # Only where a step is asked for: a state that is bad may have none.
        self._steps = self.solver.literal(encoding.step(0))
        self.solver.add(encoding.implied(self._names[0], encoding.initial()))
        for cube in sorted(self.never, key=sorted):
            self.solver.add(encoding.is_outside(cube, 0))
        for name, frame in zip(self._names, self._frames, strict=True):
            for cube in sorted(frame, key=sorted):
                self.solver.add(encoding.implied(name, encoding.is_outside(cube, 0)))
        self._is_bad = self.solver.literal(encoding.holds(self._bad, 0))

    # --- questions -------------------------------------------------------------------------------

    def _can_be(self, literals: Sequence[Term]) -> bool:
        self.questions += 1
        return self.solver.can_be(*literals)

    def _after(self, index: int, value: int) -> Term:
        key = index, value
        if key not in self._literals:
            self._literals[key] = self.solver.literal(self.encoding.is_at(index, value, 1))
        return self._literals[key]

    def _state(self) -> State:
        return self.encoding.state(self.solver.model, 0)

    def _taken(self, state: State) -> RulePath:
        """The way that the step of the last answer takes."""
        rule = self.encoding.chosen(self.solver.model, 0)
        ways = (way for way in self.encoding.taken if way.rule == rule)
        return next(way for way in ways if resting(way.condition, state)[0])


WALKS, STEPS_OF_WALK = 24, 80


def walked(
    system: System,
    look: Callable[[], None],
    walks: int = WALKS,
    length: int = STEPS_OF_WALK,
) -> tuple[State, ...]:
    """Return all initial states and those on so many walks of a length, without duplicates."""
    chance = Random(0)
    seen = dict.fromkeys(system.initial)
    after: dict[State, list[State]] = {}
    for number in range(walks):
        state = system.initial[number % len(system.initial)]
        for _ in range(length):
            look()
            if state not in after:
                found = (step.result for step in steps(system, state))
                after[state] = [each for each in found if isinstance(each, tuple)]
            fresh = [each for each in after[state] if each not in seen]
            if not (fresh or after[state]):
                break
            state = chance.choice(fresh or after[state])
            seen[state] = None
    return tuple(seen)
