"""Decides from which checkpoint a process may start: the newest that earlier processes left.

Any other start needs evidence in `log-start`: newer checkpoints were damaged, the checkpoint is a
copy, or the folder had none. Without evidence, a start from an older checkpoint is no run of the
protocol. A copy has the finished tasks of its original. If the new job has another number of
subtasks, an operator that had finished has only finished subtasks. After a drain the sources do not
start again. `reference/formats/resuming.py` writes copies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, cast

from finale.checker.logs.event_log.reading import EventLine, Section
from finale.checker.logs.event_log.section_system import Reached, SectionSystem
from finale.model.events import Copied
from finale.model.topology import Job


@dataclass(frozen=True)
class EarlierSections:
    """What the earlier sections of a run have shown of its folder."""

    finished: Mapping[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    """The checkpoints that have completed, and the tasks that each has as finished."""
    jobs: Mapping[int, Job] = field(default_factory=dict[int, Job])
    """The job that each is of."""
    drained: frozenset[int] = frozenset()
    """Those of them that came when a drain had been asked for."""
    startable: frozenset[int] = frozenset()
    """Those of them that a process starts from by itself: not a user's savepoints."""
    left: frozenset[int] = frozenset()
    """Those that a process has gone on from before: no other one starts from them."""
    refused: frozenset[int] = frozenset()
    """Those that were damaged."""
    copies: frozenset[CheckpointCopy] = frozenset()
    """Those that were started from. Later starts from one tell it, too."""
    skips: bool = False
    """Processes may be missing between the section and the next one."""

    def before(self, section: Section, *, skips: bool = False) -> EarlierSections:
        """What of it stands when a section has begun: nothing where its folder was empty."""
        start, kept = section.start, self._kept(section.start)
        own, made = origin_of(start), self.made_for(start)
        found, jobs, startable, left = kept.finished, kept.jobs, kept.startable, kept.left
        if own is not None:
            found, jobs = {**found, own: _finished(start)}, {**jobs, own: section.job}
            for begun in (each.of for each in made) if made else (own,):
                left |= {number for number in kept.finished if number > begun}
            startable = (startable - left) | {own}
            left -= {own}
        copies = kept.copies | set(copies_of(start))
        return EarlierSections(
            found, jobs, kept.drained, startable, left, kept.refused, copies, skips
        )

    def wrong_finished(self, section: Section) -> str | None:
        """Why its checkpoint cannot have those tasks as finished that a section says."""
        origin, finished = origin_of(section.start), _finished(section.start)
        if origin is None:
            return None if not finished else "it starts from no checkpoint, and nobody has finished"
        kept, made = self._kept(section.start), self.made_for(section.start)
        of = made[0].of if made else origin
        known = kept.finished.get(of)
        if made and known is not None:
            drained = of in kept.drained
            known = carried(known, kept.jobs[of], section.job, drained=drained)
        if known is None or known == finished:
            return None
        return f"checkpoint {origin} has {_names(known)} as finished, not {_names(finished)}"

    def _kept(self, start: Mapping[str, Any]) -> EarlierSections:
        if _new(start) or self._is_elsewhere(start):
            return EarlierSections()
        return replace(self, refused=self.refused | _refused(start), skips=False)

    def made_for(self, start: Mapping[str, Any]) -> tuple[CheckpointCopy, ...]:
        """The copies that were made since the earlier sections; but one may be untold."""
        return tuple(each for each in copies_of(start) if each not in self.copies)

    def _is_elsewhere(self, start: Mapping[str, Any]) -> bool:
        return any(each.why == Copied.ELSEWHERE.value for each in self.made_for(start))

    def after(
        self, finished: Mapping[int, frozenset[str]], startable: frozenset[int], section: Section
    ) -> EarlierSections:
        """And what does when these have completed in a section."""
        known, both = {**self.finished, **finished}, self.startable | startable
        jobs = {**dict.fromkeys(finished, section.job), **self.jobs}
        drained = self.drained | _drained(section.events)
        return replace(
            self, finished=known, jobs=jobs, drained=drained, startable=both, skips=False
        )


def _drained(events: Sequence[EventLine]) -> frozenset[int]:
    """What was begun from the first stop with drain on."""
    asked = [e.checkpoint for e in events if e.fields.get("drain") in ("True", True)]
    first = min((each for each in asked if each is not None), default=None)
    begun = {each.checkpoint for each in events if each.checkpoint is not None}
    return frozenset(each for each in begun if first is not None and each >= first)


def _new(start: Mapping[str, Any]) -> bool:
    """Whether a section begins in an empty folder: then there is nothing to start from."""
    return start.get("new") is True and origin_of(start) is None


def wrong_origin(
    follows: Section, known: EarlierSections, system: SectionSystem, state: Reached
) -> str | None:
    """Why a section cannot follow upon this state, if it cannot be: by where it starts.

    `known` is what was so when the section of the state had begun.
    """
    start, origin = follows.start, origin_of(follows.start)
    made = known.made_for(start)
    if _new(start) or any(each.why == Copied.ELSEWHERE.value for each in made):
        return None
    left = system.startable(state)
    if origin is None and (left or known.startable):
        return f"it starts from no checkpoint, and {_told(state.ids, left, known)} has completed"
    told = {each.checkpoint for each in system.section.events if each.name == "complete"}
    done = {
        *system.finished_of(state),
        *known.finished,
        *(each for each in told if each is not None),
    }
    wrong_last = _wrong_last(follows, made, done, known, system)
    if origin is None:
        return wrong_last
    newest = None
    for copy in made:
        if copy.number <= max(done, default=0):
            return f"it starts from checkpoint {copy.number}, a copy, and that is no new number"
        if (wrong := _wrong_copied(copy, newest, done, follows, known, system, state)) is not None:
            return wrong
        done.add(copy.number)
        newest = copy.number
    if made or (known.skips and origin > max(done, default=0)):
        return wrong_last
    refused = known.refused | _refused(start)
    return _not_the_newest(origin, refused, known, system, state) or wrong_last


def _wrong_copied(
    copy: CheckpointCopy,
    newest: int | None,
    done: set[int],
    follows: Section,
    known: EarlierSections,
    system: SectionSystem,
    state: Reached,
) -> str | None:
    """Why a copy cannot be of that checkpoint. `newest`: the copy before, if nobody told of it."""
    of = copy.of
    if copy.why == Copied.GIVEN.value:
        if of in known.left:
            return f"it starts from checkpoint {of}, and the job had gone on from before it"
        unnamed = any(system.may_be(state, place, of) for place in system.unnamed(state))
        return None if of in done or unnamed else _not_completed(of)
    if newest is not None:
        return _unless(newest, of)
    if known.skips and of > max(done, default=0):
        return None
    refused = known.refused | _refused(follows.start)
    return _not_the_newest(of, refused, known, system, state)


def _wrong_last(
    follows: Section,
    made: tuple[CheckpointCopy, ...],
    done: set[int],
    known: EarlierSections,
    system: SectionSystem,
) -> str | None:
    """Why the newest number cannot be the one that a section tells: an engine leaves none out."""
    last = follows.start.get("last")
    if last is None or follows.start.get("profile") != "engine":
        return None
    refused = known.refused | _refused(follows.start)
    origin = origin_of(follows.start) or 0
    before = max(done | refused, default=0)
    least = max(before, origin)
    if last < least:
        return f"it says that {last} is the newest number, and {least} was given before"
    # What it was when the process before began: there may be nothing left of it.
    most = max(before, system.section.start.get("last") or 0) + len(made)
    if last > most and not (known.skips or system.section.lost):
        return f"it says that {last} is the newest number, and that is at most {most}"
    return None


def _not_the_newest(
    meant: int,
    refused: frozenset[int],
    known: EarlierSections,
    system: SectionSystem,
    state: Reached,
) -> str | None:
    for place in reversed(system.startable(state)):
        number = state.ids[place]
        if number is None:
            if system.may_be(state, place, meant):
                return None
            if not any(system.may_be(state, place, each) for each in refused):
                return f"it starts from checkpoint {meant}, and a newer one has completed"
        elif number not in refused:
            return _unless(number, meant)
    rest = known.startable - refused
    return _unless(max(rest), meant) if rest else _not_completed(meant)


def _unless(newest: int, meant: int) -> str | None:
    if newest == meant:
        return None
    if newest < meant:
        return _not_completed(meant)
    return f"it starts from checkpoint {meant}, and checkpoint {newest} is the newest"


def _not_completed(number: int) -> str:
    return f"it starts from checkpoint {number}, which has not completed"


def _told(ids: tuple[int | None, ...], left: Sequence[int], known: EarlierSections) -> str:
    number = ids[left[-1]] if left else max(known.startable)
    return "one" if number is None else f"checkpoint {number}"


def _finished(start: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(str(each) for each in start.get("finished") or ())


def _names(tasks: frozenset[str]) -> str:
    return ", ".join(sorted(tasks)) or "none"


def _refused(start: Mapping[str, Any]) -> frozenset[int]:
    said = start.get("refused")
    numbers = cast("list[object]", said) if isinstance(said, list) else []
    return frozenset(each for each in numbers if isinstance(each, int))


class CheckpointCopy(NamedTuple):
    """One that was made for a start."""

    number: int
    of: int
    why: str


def origin_of(start: Mapping[str, Any]) -> int | None:
    """The checkpoint that a section starts from."""
    origin = start.get("from") if start.get("starts") == "restoring" else None
    return origin if isinstance(origin, int) else None


def copies_of(start: Mapping[str, Any]) -> tuple[CheckpointCopy, ...]:
    """What a section says of its checkpoint being a copy, maybe of a copy: the oldest first."""
    said, origin = start.get("copied"), origin_of(start)
    if not isinstance(said, dict) or origin is None:
        return ()
    table = cast("dict[str, Any]", said)
    chain = [CheckpointCopy(*each) for each in table.get("chain", ())]
    found = (*chain, CheckpointCopy(origin, table["of"], table["why"]))
    return found if {each.why for each in found} <= {each.value for each in Copied} else ()


def carried(finished: frozenset[str], old: Job, now: Job, *, drained: bool) -> frozenset[str]:
    """Who has finished in a copy for a job as it is now."""
    tasks_of = {
        job: {
            vertex.name: [each.name for each in job.subtasks if each.vertex.name == vertex.name]
            for vertex in job.vertices
        }
        for job in (old, now)
    }
    found: set[str] = set()
    for vertex in now.vertices:
        before, tasks = tasks_of[old].get(vertex.name, []), tasks_of[now][vertex.name]
        known = next((each for each in old.vertices if each.name == vertex.name), None)
        ended = drained and known is not None and not old.edges_into(known)
        if before and (ended or finished >= set(before)):
            found |= set(tasks)
        else:
            found |= finished & set(before)
    return frozenset(found)


__all__ = ["EarlierSections", "origin_of", "wrong_origin"]
