"""The page docs/bounds.md: what becomes of verdicts with larger bounds, and why."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from tests.bounds.kept import Change, Kept

CAUSES = Path(__file__).parent / "causes.toml"
HEAD = """# Larger bounds

A verdict holds within the bounds of its spec. Does it hold because of them? `make bounds` takes
each spec that expects properties to hold, makes one bound larger by one, and asks again: the
elements that a channel holds, the records of each source, the checkpoint ids. It writes this page.
Results are kept in `.bounds_cache`, so a run that is killed goes on where it stopped.

- *Same*: all verdicts are the same with the larger bound.
- *Changed*: a verdict is another one. The table below has each of them, and why.
- *Waits*: a property that holds becomes *unknown*, because a run waits for
  a bound. No counterexample was found.
- *Not decided*: the search came to its limit and found nothing before. That is not *same*.
  `python -m tests.bounds --undecided --states N` asks these again with a larger limit.
- *Refused*: the protocol cannot have the larger bound.

"""


@dataclass(frozen=True)
class Cause:
    """Why some verdicts change; `changes` are patterns of a spec, a bound and a property."""

    why: str
    changes: tuple[str, ...]

    def explains(self, kept: Kept, change: Change) -> bool:
        """Whether a change is one of those that it explains."""
        place = f"{kept.spec} {kept.bound} {change.property}"
        return any(fnmatchcase(place, pattern) for pattern in self.changes)


def causes(text: str) -> tuple[Cause, ...]:
    """The causes in a file."""
    return tuple(
        Cause(each["why"], tuple(each["changes"])) for each in tomllib.loads(text)["cause"]
    )


def outcome(kept: Kept) -> str:
    """What a result comes to, in a word of the page."""
    if kept.refused:
        return "refused"
    if any(change.verdict != "unknown" for change in kept.changes):
        return "changed"
    if kept.undecided:
        return "not decided"
    return "waits" if kept.changes else "same"


OUTCOMES = ("same", "changed", "waits", "not decided", "refused")


def written(
    known: Mapping[tuple[str, str], Kept],
    keys: Mapping[str, str],
    places: Collection[tuple[str, str]],
) -> tuple[str, int]:
    """The page, and how many changes of verdicts nobody has explained.

    `keys` are those of the specs as they are now; `places` are all specs and bounds to be asked.
    """
    found = [known[place] for place in sorted(places) if place in known]
    reasons = causes(CAUSES.read_text(encoding="utf-8"))
    rows = [*_changes(found, reasons)]
    lines = [*_summary(found, keys, len(places)), "", *_counts(found, places)]
    lines += ["", "## Verdicts that change", "", *_table(rows)]
    lines += ["", "## Properties that wait for a bound", "", *_waiting(found)]
    lines += ["", "## Not decided", "", *_open(found)]
    return HEAD + "\n".join(lines) + "\n", sum(not row[-1] for row in rows)


def _summary(found: Collection[Kept], keys: Mapping[str, str], places: int) -> Iterator[str]:
    old = sum(keys[each.spec] != each.key for each in found)
    yield f"{len(found)} of {places} pairs of a spec and a bound have a result."
    if old:
        yield (
            f"{old} of these are of a spec, a rule or a property that has been edited since; "
            "the command asks them again."
        )


def _counts(found: Collection[Kept], places: Collection[tuple[str, str]]) -> Iterator[str]:
    counted = Counter((each.bound, outcome(each)) for each in found)
    asked = Counter(bound for _, bound in places)
    yield "| Bound | Asked | Same | Changed | Waits | Not decided | Refused |"
    yield "|---|---|---|---|---|---|---|"
    for bound in sorted(asked):
        cells = (str(counted[bound, word]) for word in OUTCOMES)
        yield f"| `{bound}` | {asked[bound]} | {' | '.join(cells)} |"


def _changes(
    found: Collection[Kept], reasons: Collection[Cause]
) -> Iterator[tuple[str, str, str, str, str]]:
    for kept in found:
        for change in kept.changes:
            if change.verdict != "unknown":
                why = next((c.why for c in reasons if c.explains(kept, change)), "")
                steps = "" if change.steps is None else f" in {change.steps} steps"
                bound = f"{kept.bound} {kept.before} → {kept.after}"
                yield kept.spec, bound, change.property, f"{change.verdict}{steps}", why


def _table(rows: Collection[tuple[str, ...]]) -> Iterator[str]:
    if not rows:
        yield "None."
        return
    yield "| Spec | Bound | Property | With the larger bound | Why |"
    yield "|---|---|---|---|---|"
    for row in rows:
        spec, bound, name, verdict, why = row
        yield f"| {spec} | {bound} | `{name}` | {verdict} | {why or 'not explained'} |"


def _waiting(found: Collection[Kept]) -> Iterator[str]:
    counted = Counter(
        (change.property, kept.bound)
        for kept in found
        for change in kept.changes
        if change.verdict == "unknown"
    )
    yield "| Property | Bound that is larger | Specs |"
    yield "|---|---|---|"
    for (name, bound), number in sorted(counted.items()):
        yield f"| `{name}` | {bound} | {number} |"


def _open(found: Collection[Kept]) -> Iterator[str]:
    yield "| Spec | Bound | States seen | Limit |"
    yield "|---|---|---|---|"
    for kept in found:
        if kept.undecided:
            seen = f"{kept.states:,}".replace(",", " ")
            yield f"| {kept.spec} | {kept.bound} = {kept.after} | {seen} | {kept.stopped} |"
