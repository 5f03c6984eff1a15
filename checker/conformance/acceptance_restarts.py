"""From which checkpoint a process may start: the newest that what came before has left.

Anything else needs evidence in `log-start`: that newer ones were damaged, that the checkpoint is a
copy, or that the folder had none. Without it a start from an older one is no run of the protocol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from reference.formats.eventlog import Section
from reference.formats.snapshots import Copied

from .acceptance_system import Reached, SectionSystem


@dataclass(frozen=True)
class Known:
    """What the earlier sections of a run have shown of its folder."""

    finished: Mapping[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    """The checkpoints that have completed, and the tasks that each has as finished."""
    startable: frozenset[int] = frozenset()
    """Those of them that a process starts from by itself: not a user's savepoints."""
    refused: frozenset[int] = frozenset()
    """Those that were damaged."""
    copies: frozenset[tuple[int, int, str]] = frozenset()
    """The starts from a copy: its number, of which, and why. Later starts from it tell it, too."""
    skips: bool = False
    """Processes may be missing between the section and the next one."""

    def before(self, section: Section, *, skips: bool = False) -> Known:
        """What of it stands when a section has begun: nothing where its folder was empty."""
        own, finished = origin_of(section.start), _finished(section.start)
        kept = self._kept(section.start)
        found = kept.finished if own is None else {**kept.finished, own: finished}
        startable = kept.startable if own is None else kept.startable | {own}
        return Known(found, startable, kept.refused, kept.copies | _copy(section.start), skips)

    def wrong_finished(self, section: Section) -> str | None:
        """Why its checkpoint cannot have those tasks as finished that a section says."""
        origin, finished = origin_of(section.start), _finished(section.start)
        known = None if origin is None else self._kept(section.start).finished.get(origin)
        if known is None or known == finished:
            return None
        return f"checkpoint {origin} has {_names(known)} as finished, not {_names(finished)}"

    def _kept(self, start: Mapping[str, Any]) -> Known:
        if _new(start) or self.why(start) == Copied.ELSEWHERE.value:
            return Known()
        return replace(self, refused=self.refused | _refused(start), skips=False)

    def why(self, start: Mapping[str, Any]) -> str | None:
        """Why a section's checkpoint is a copy, if it is one that was made for its start."""
        return next((why for _, _, why in _copy(start) - self.copies), None)

    def after(self, finished: Mapping[int, frozenset[str]], startable: frozenset[int]) -> Known:
        """And what does when these have completed."""
        known, both = {**self.finished, **finished}, self.startable | startable
        return replace(self, finished=known, startable=both, skips=False)


def origin_of(start: Mapping[str, Any]) -> int | None:
    """The checkpoint that a section starts from."""
    origin = start.get("from") if start.get("starts") == "restoring" else None
    return origin if isinstance(origin, int) else None


def _new(start: Mapping[str, Any]) -> bool:
    """Whether a section begins in an empty folder: then there is nothing to start from."""
    return start.get("new") is True and origin_of(start) is None


def wrong_origin(
    follows: Section, known: Known, system: SectionSystem, state: Reached
) -> str | None:
    """Why a section cannot follow upon this state, if it cannot be: by where it starts.

    `known` is what was so when the section of the state had begun.
    """
    start, origin = follows.start, origin_of(follows.start)
    left = system.startable(state)
    if origin is None:
        if _new(start) or not (left or known.startable):
            return None
        return f"it starts from no checkpoint, and {_told(state.ids, left, known)} has completed"
    done = system.finished_of(state).keys() | known.finished.keys()
    newer = origin > max(done, default=0)
    why = known.why(start)
    if why == Copied.ELSEWHERE.value:
        return None
    if why is not None and not newer:
        return f"it starts from checkpoint {origin}, a copy, and that is no new number"
    meant = origin if why is None else int(start["copied"]["of"])
    if why == Copied.GIVEN.value:
        unnamed = any(system.may_be(state, place, meant) for place in system.unnamed(state))
        return None if meant in done or unnamed else _not_completed(meant)
    if known.skips and meant > max(done, default=0):
        return None
    return _not_the_newest(meant, known.refused | _refused(start), known, system, state)


def _not_the_newest(
    meant: int,
    refused: frozenset[int],
    known: Known,
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


def _told(ids: tuple[int | None, ...], left: Sequence[int], known: Known) -> str:
    number = ids[left[-1]] if left else max(known.startable)
    return "one" if number is None else f"checkpoint {number}"


def _copy(start: Mapping[str, Any]) -> frozenset[tuple[int, int, str]]:
    """What a section says of its checkpoint being a copy."""
    said, origin = start.get("copied"), origin_of(start)
    if not isinstance(said, dict) or origin is None:
        return frozenset()
    table = cast("dict[str, object]", said)
    of, why = table.get("of"), table.get("why")
    known = isinstance(of, int) and why in {each.value for each in Copied}
    return frozenset({(origin, cast("int", of), str(why))}) if known else frozenset()


def _finished(start: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(str(each) for each in start.get("finished") or ())


def _names(tasks: frozenset[str]) -> str:
    return ", ".join(sorted(tasks)) or "none"


def _refused(start: Mapping[str, Any]) -> frozenset[int]:
    said = start.get("refused")
    numbers = cast("list[object]", said) if isinstance(said, list) else []
    return frozenset(each for each in numbers if isinstance(each, int))


__all__ = ["Known", "origin_of", "wrong_origin"]
