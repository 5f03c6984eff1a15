"""Looks for the cheapest setting that closes each gap: a spec, with other options and bounds.

A setting is named only if a walk of it has reached the goal. Which settings are tried follows from
what is reached elsewhere. If all settings in which a rule is taken have `bounds.failures = 1`, then
a gap of that rule asks for this value in each spec that meets the phase. A branch asks for other
values of one option or bound in the specs whose rules have the branch. Each round tries the next
setting of each open gap, all of them side by side.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import get_type_hints

from finale.checker.search.many import WORKER_DIED, searched
from finale.checker.spec.claim import Spec
from finale.checker.spec.grid import EXPECTED, settings_of, varied, without
from finale.checker.spec.reading import spec_of
from finale.checker.spec.typed import choices_of
from finale.model.errors import FinaleError

from .seen import STATES_MAX, Seen, seen
from .suite import BranchGoal, Coverage, Goal, Looked

Values = tuple[tuple[str, object], ...]
"""Keys of a spec with values, as `--set` takes them."""

#: So many settings are tried for each gap.
TRIES_MAX = 12


@dataclass(frozen=True)
class Closing:
    """The cheapest setting that was walked and reaches a gap, and the number of all walks."""

    setting: Looked | None
    tries: int


def closings(
    coverage: Coverage,
    jobs: int,
    look: Callable[[Sequence[str], int, int], None],
    states_max: int = STATES_MAX,
) -> Mapping[Goal, Closing]:
    """Return for each gap the cheapest setting that closes it, of those that were tried.

    A setting that the protocol refuses is no try. Raises `worker-died`.
    """
    plans = {gap: islice(_tries(gap, coverage), TRIES_MAX) for gap in coverage.gaps}
    found: dict[Goal, Looked | None] = dict.fromkeys(plans)
    count = dict.fromkeys(plans, 0)
    tried, walked = set[str](), set[str]()
    while plans:
        ahead: dict[str, Spec] = {}
        names: dict[Goal, str] = {}
        for gap in list(plans):
            each = None if found[gap] is not None else next(plans[gap], None)
            if each is None:
                del plans[gap]
            else:
                name = names[gap] = _name(each)
                ahead |= {} if name in tried else {name: each}
        tried |= ahead.keys()
        for looked in _walked(ahead, jobs, look, states_max):
            walked.add(_name(looked.spec))
            for goal in set(looked.reached) & found.keys():
                before = found[goal]
                if before is None or looked.seen.states < before.seen.states:
                    found[goal] = looked
        for gap, name in names.items():
            count[gap] += name in walked
    return {gap: Closing(found[gap], count[gap]) for gap in found}


def _name(spec: Spec) -> str:
    return " ".join([str(spec.file), *(f"--set {each}" for each in settings_of(spec.values))])


def _walked(
    tries: Mapping[str, Spec],
    jobs: int,
    look: Callable[[Sequence[str], int, int], None],
    states_max: int,
) -> Iterator[Looked]:
    """Walk settings side by side, and leave out those that the protocol refuses."""
    for name, found in searched(
        list(tries), lambda name: seen(tries[name], states_max), jobs, look
    ):
        if isinstance(found, Seen):
            yield Looked(tries[name], found)
        elif found.code == WORKER_DIED:
            raise found


# --- which settings ------------------------------------------------------------------------------


def _tries(gap: Goal, coverage: Coverage) -> Iterator[Spec]:
    """Return the settings to try for a gap, the most promising first."""
    if isinstance(gap, BranchGoal):
        having = [each for each in coverage.looked if gap in each.branches]
        for values in _each_other_value(having[0].spec):
            yield from _changed(having[0].spec, values)
        return
    own = [each for each in coverage.looked if each.spec.protocol.key == gap.protocol]
    taking = [each for each in own if gap.rule in each.seen.pairs]
    meeting = [each for each in own if gap.phase in each.seen.met]
    of_rule = _shared([each for each in coverage.looked if gap.rule in each.seen.pairs])
    of_phase = _shared(meeting)
    for each in own:
        needed = {} if each in taking else dict(of_rule)
        needed |= {} if each in meeting else of_phase
        if values := _missing(each.spec, needed):
            yield from _changed(each.spec, values)
    # If no setting takes the rule, one bound of the cheapest spec may be what excludes the rule.
    having = taking or own[:1]
    for each in having:
        for name, number in each.spec.setting.bounds.items():
            if number or not taking:
                yield from _changed(each.spec, ((f"bounds.{name}", number + 1),))


def _changed(spec: Spec, values: Values) -> Iterator[Spec]:
    """The spec with other values, if it is one."""
    assert spec.table is not None
    table = varied(without(spec.table, EXPECTED), values)
    lines = spec.lines.without(key for key, _ in values)
    with suppress(FinaleError):
        yield replace(spec_of(spec.file, table, lines, spec.catalogue), values=values)


def _shared(some: Sequence[Looked]) -> dict[str, object]:
    """The options and bounds that are not the defaults in any of some settings.

    A bound has the least value, an option the first one.
    """
    if not some:
        return {}
    found = [_unusual(each.spec) for each in some]
    keys = [key for key in found[0] if all(key in each for each in found)]
    return {key: min((e[key] for e in found), key=_as_number) for key in keys}


def _as_number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _unusual(spec: Spec) -> dict[str, object]:
    """The options and bounds of a setting that are not the defaults, by their keys."""
    protocol, setting = spec.protocol, spec.setting
    parts = (
        ("options", protocol.Options, setting.options),
        ("bounds", protocol.Bounds, setting.bounds),
    )
    return {
        f"{part}.{each.name}": value.value if isinstance(value, enum.Enum) else value
        for part, kind, given in parts
        for each in fields(kind)
        if (value := given.get(each.name, each.default)) != each.default
    }


def _missing(spec: Spec, needed: Mapping[str, object]) -> Values:
    """What a spec lacks of some values. A bound may be larger."""
    own = _unusual(spec)
    return tuple(
        (key, value)
        for key, value in needed.items()
        if key not in own or (not key.startswith("bounds.") and own[key] != value)
    )


def _each_other_value(spec: Spec) -> Iterator[Values]:
    """Each other value of one option, and each bound one larger."""
    hints = get_type_hints(spec.protocol.Options)
    for each in fields(spec.protocol.Options):
        now = spec.setting.options.get(each.name, each.default)
        for written, meant in choices_of(hints[each.name]):
            if meant != now:
                yield ((f"options.{each.name}", written),)
        if hints[each.name] is int and isinstance(now, int):
            yield ((f"options.{each.name}", now + 1),)
    for name, number in spec.setting.bounds.items():
        yield ((f"bounds.{name}", number + 1),)
