"""Hunts: searches settings, the cheapest first, and leaves out what is known."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from checker.cache.code import digest, of_tool
from checker.search.limits import Limits
from checker.search.many import searched
from checker.spec.catalogue import Catalogue
from checker.studies.effects import Effect, effect_of
from model.errors import FinaleError

from .journal import Journal, Searched, Violation
from .known import Known, known_in, signatures_in
from .settings import HuntSetting, spec_in
from .signature import Signature

Look = Callable[[Sequence[str], int], None]
#: So many settings are handed to the processes at once: Ctrl-C and the time limit act in between.
BATCH = 64


@dataclass(frozen=True)
class Finding:
    """A new signature: its effect, and the cheapest setting in which it shows."""

    signature: Signature
    effect: Effect
    steps: int
    setting: HuntSetting
    count: int
    """In how many settings it shows."""


@dataclass(frozen=True)
class Hunt:
    """What a hunt has found so far."""

    findings: tuple[Finding, ...]
    known: tuple[Known, ...]
    searched: int
    left: int
    stopped: int
    interrupted: bool = False


def known_signatures(
    files: Sequence[Path], catalogue: Catalogue, limits: Limits, jobs: int, look: Look
) -> tuple[Known, ...]:
    """Return the signatures of known violations. A spec that cannot be read has none."""
    by_name = {str(file): file for file in files}
    work = searched(
        tuple(by_name), lambda name: known_in(by_name[name], catalogue, limits), jobs, look
    )
    return tuple(
        each for _, found in work for each in (() if isinstance(found, FinaleError) else found)
    )


def hunt(
    plan: Sequence[HuntSetting],
    journal: Journal,
    catalogue: Catalogue,
    limits: Limits,
    jobs: int,
    seconds: float | None,
    look: Look,
) -> bool:
    """Search the settings that the journal does not have. Return whether the user stopped it."""
    end = None if seconds is None else perf_counter() + seconds
    keys = {each.name: key_of(each, limits) for each in plan}
    ahead = [each for each in plan if keys[each.name] not in journal.known]
    done = len(plan) - len(ahead)
    try:
        for first in range(0, len(ahead), BATCH):
            if end is not None and perf_counter() > end:
                break
            batch = {each.name: each for each in ahead[first : first + BATCH]}
            for found in _batch(batch, keys, journal.folder, catalogue, limits, jobs, done, look):
                journal.keep(found)
            done += len(batch)
    except KeyboardInterrupt:
        return True
    return False


def _batch(
    batch: Mapping[str, HuntSetting],
    keys: Mapping[str, str],
    folder: Path,
    catalogue: Catalogue,
    limits: Limits,
    jobs: int,
    done: int,
    look: Look,
) -> Iterator[Searched]:
    """Search some settings at once."""
    work = searched(
        tuple(batch),
        lambda name: _searched(batch[name], keys[name], folder, catalogue, limits),
        jobs,
        lambda busy, count: look(busy, done + count),
    )
    for name, found in work:
        if isinstance(found, FinaleError):
            found = Searched(keys[name], name, refused=found.message)  # noqa: PLW2901
        yield found


def key_of(setting: HuntSetting, limits: Limits) -> str:
    """Return a key that changes with the setting, the limits, the rules, and the tool."""
    text = json.dumps(setting.table, sort_keys=True)
    return digest(["hunt", of_tool(), text, limits.states_max, limits.seconds_max]).hex()


def _searched(
    setting: HuntSetting, key: str, folder: Path, catalogue: Catalogue, limits: Limits
) -> Searched:
    began = perf_counter()
    try:
        spec = spec_in(setting, folder, catalogue)
    except FinaleError as error:
        return Searched(key, setting.name, refused=error.message)
    found, states, stopped = signatures_in(spec, limits)
    violations = tuple(Violation(each.property, steps, each) for each, steps in found)
    seconds = round(perf_counter() - began, 3)
    return Searched(key, setting.name, states, seconds, stopped, "", violations)


def findings_of(
    plan: Sequence[HuntSetting],
    results: Mapping[str, Searched],
    known: Sequence[Known],
    limits: Limits,
    catalogue: Catalogue,
) -> tuple[Finding, ...]:
    """Return the signatures that no known one covers, the worst and shortest first.

    Of signatures of which one covers the other, only the first counts.
    """
    found: dict[Signature, Finding] = {}
    counts: dict[Signature, int] = {}
    for setting, violation in _violations(plan, results, limits):
        signature = violation.signature
        if any(each.signature.covers(signature) for each in known):
            continue
        covering = next((each for each in found if each.covers(signature)), None)
        if covering is not None:
            counts[covering] += 1
            continue
        effect = effect_of(signature.property, catalogue.properties.get(signature.property))
        found[signature] = Finding(signature, effect, violation.steps, setting, 1)
        counts[signature] = 1
    order = list(Effect)
    made = (
        Finding(each.signature, each.effect, each.steps, each.setting, counts[each.signature])
        for each in found.values()
    )
    return tuple(sorted(made, key=lambda each: (order.index(each.effect), each.steps)))


def _violations(
    plan: Sequence[HuntSetting], results: Mapping[str, Searched], limits: Limits
) -> Iterator[tuple[HuntSetting, Violation]]:
    for setting in plan:
        result = results.get(key_of(setting, limits))
        for violation in () if result is None else result.violations:
            yield setting, violation


__all__ = ["Finding", "Hunt", "findings_of", "hunt", "key_of", "known_signatures"]
