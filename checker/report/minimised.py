"""Shows the smallest setting of a counterexample, and what the counterexample needs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from finale.checker.review.minimise import NO_SETTING, Minimised, Need, Setting
from finale.checker.search.run import run
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Word
from finale.checker.spec.writing import spec_text

from .check_json import MinimisedJson, StepJson
from .layout import columns, counted, joined, paragraph
from .places import shown_file
from .results import STYLES

_TOLD = ("title", "cites", "fixed_in")


def minimised_lines(found: Minimised, width: int) -> list[Text]:
    """How much smaller, what was taken away, what is needed, and the setting as a spec."""
    before, after = found.before, found.after
    head = joined([f"{found.property} falls in a smaller setting", *_sizes(before, after)])
    if not found.taken:
        none = " falls in no smaller setting" if found.is_least else ": no smaller setting found"
        head = Text(f"{found.property}{none}")
    head.stylize("bold")
    lines = [*paragraph(head, width), Text(shown_file(before.spec.file), "dim")]
    if found.taken:
        gone = list(dict.fromkeys(each.what for each in found.taken))
        lines += columns([[Text("taken away", "dim"), "; ".join(gone)]], width, indent=2)
    lines += columns(list(_needs(found)), width, indent=2)
    if found.stopped:
        told = f"stopped: {found.stopped}. A smaller setting may exist."
        lines += paragraph(Text(told, "yellow"), width, indent=2)
    so_far = "" if found.is_least else " so far"
    lines += [Text(), Text(f"the smallest setting{so_far} as a spec", "bold cyan")]
    lines += [Text(f"  {line}") for line in smallest_text(found).splitlines()]
    return lines


def _sizes(before: Setting, after: Setting) -> Iterator[str]:
    yield f"{before.trace.length} → {counted(after.trace.length, 'step')}"
    yield f"{before.states} → {counted(after.states, 'state')}"


def _needs(found: Minimised) -> Iterator[list[Text]]:
    for each in _told(found):
        if each.verdict == Word.VIOLATED:
            more = "" if each.step.part == "variant" else ", in more states"
            told = Text(f"without it the property falls, too{more}")
            yield [Text("kept", "dim"), Text(each.step.what), told]
        else:
            yield [Text("needed", "dim"), Text(each.step.what), _without(each)]


def _told(found: Minimised) -> list[Need]:
    """The refused steps to another setting, and that to the protocol without the variant."""
    needs = found.needs
    return [each for each in needs if each.verdict != NO_SETTING or each.step.part == "variant"]


def _without(need: Need) -> Text:
    verdict = Text(need.verdict, STYLES.get(need.verdict, ""))
    if need.verdict == Word.HOLDS:
        return Text("without it the property ").append_text(verdict)
    if need.verdict == NO_SETTING:
        return Text(f"{NO_SETTING} without it: {need.why}")
    told = Text("without it the property is ").append_text(verdict)
    return told.append(f": {need.why}" if need.verdict == Word.UNKNOWN and need.why else "")


def smallest_text(found: Minimised) -> str:
    """The smallest setting as a spec that expects the violation.

    A hang is a deadlock too, mostly: what holds in every spec that does not say otherwise is
    searched, and expected as it is.
    """
    spec = found.after.spec
    assert spec.table is not None
    steps = {found.property: found.after.trace.length}
    for row in run(spec, only=(NO_DEADLOCK, WELL_FORMED)).rows:
        if row.trace is not None:
            steps.setdefault(row.property, row.trace.length)
    expect = [{"property": n, "verdict": "violated", "steps": each} for n, each in steps.items()]
    plain: Mapping[str, object] = {k: v for k, v in spec.table.items() if v != {}}
    head = {"title": spec.title, "protocol": spec.protocol.key}
    head |= {} if spec.variant is None else {"variant": spec.variant}
    rest = {k: v for k, v in plain.items() if k not in (*head, *_TOLD, "search", "expect", "slow")}
    return spec_text({**head, **rest, "expect": expect})


def minimised_json(found: Minimised) -> MinimisedJson:
    """The same as a part of the JSON documents of `finale check` and `finale trace`."""
    before, after = found.before, found.after
    return MinimisedJson(
        spec=shown_file(before.spec.file),
        property=found.property,
        states=(before.states, after.states),
        steps=(before.trace.length, after.trace.length),
        taken=tuple(StepJson(each.part, each.what) for each in found.taken),
        needed=tuple(
            StepJson(each.step.part, each.step.what, each.verdict) for each in _told(found)
        ),
        least=found.is_least,
        smallest=smallest_text(found),
    )
