"""Shows how two systems differ to an observer: the answer, and a run of each beside the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from finale.checker.compare.comparison import Comparison, Difference, Relation, Told
from finale.checker.compare.observed import START, Side
from finale.checker.compare.observer import GROUPS
from finale.checker.search.verdict import Word
from finale.checker.spec.claim import Spec
from finale.model.trace import replay

from .layout import counted, flow, grouped, paragraph, wrapped
from .places import shown_file, told_setting
from .story import Story, StoryStep, groups_of, step_json, steps_of
from .trace import group_lines, step_lines

#: The text and colour of each relation.
_RELATIONS = {
    Relation.SAME: ("✓ same", "bold green", "Each can do exactly what the other can do."),
    Relation.MORE: (
        "✗ more",
        "bold red",
        "The second can do everything that the first can do, and more.",
    ),
    Relation.LESS: (
        "✗ less",
        "bold red",
        "The second can do only a part of what the first can do.",
    ),
    Relation.BOTH: (
        "✗ more and less",
        "bold red",
        "Each can do something that the other cannot do.",
    ),
    Relation.UNOBSERVABLE: (
        "≈ only unobservable steps differ",
        "bold yellow",
        "Each sequence of observations of one is also one of the other.",
    ),
    Relation.UNKNOWN: ("? unknown", "bold yellow", "Not all states were seen."),
}
_SILENT_CHOICES = (
    "They decide at different moments, in unobservable steps, which of these sequences follows."
)
_SILENT_LOOPS = (
    "One of them can take unobservable steps forever where the other cannot. "
    "Nothing else is different."
)
SEEN, UNABLE, BAR = "●", "✗", " │ "
#: The width of the labels at the top.
LABEL = 10
#: How many watched names are listed.
NAMES_MAX = 12


def comparison_lines(found: Comparison, width: int, finer: Comparison | None = None) -> list[Text]:
    """The whole comparison, for a reader who has never seen one.

    `finer` is the comparison by an observer who sees a difference that this one does not see, or of
    whom that is unknown.
    """
    lines = [*_head(found, width), Text()]
    word, style, sentence = _RELATIONS[found.relation]
    lines.append(Text(word, style))
    lines += paragraph(Text(sentence), width, indent=2)
    if found.relation is Relation.UNOBSERVABLE:
        why = _SILENT_LOOPS if found.only_divergence else _SILENT_CHOICES
        lines += paragraph(Text(why), width, indent=2)
    if found.relation is Relation.UNKNOWN:
        lines += paragraph(Text(f"The comparison ended at {found.why}."), width, indent=2)
    if found.is_same and found.other_fairness:
        lines += paragraph(Text(_unfair(found.other_fairness), "yellow"), width, indent=2)
    if finer is not None:
        lines += paragraph(Text(_sees_more(finer), "yellow"), width, indent=2)
    if found.sides is not None:
        first, second = found.sides
        if found.gained is not None:
            lines += _difference("second", second, "first", first, found.gained, width)
        if found.lost is not None:
            lines += _difference("first", first, "second", second, found.lost, width)
    return lines


def _unfair(rules: Sequence[str]) -> str:
    return (
        f"But the two do not promise the same fairness of {', '.join(rules)}, which no observer "
        "sees: check properties of what happens in the end"
    )


def _sees_more(finer: Comparison) -> str:
    advice = f"give --observe {','.join(finer.observer.words)}"
    if finer.relation is Relation.UNKNOWN:
        return (
            f"Whether an observer of {finer.observer} sees a difference is unknown, because of "
            f"{finer.why}: {advice}"
        )
    runs = (each for each in (finer.lost, finer.gained) if each is not None)
    steps = min(len(each.run.trace.rules) for each in runs)
    return (
        f"An observer of {finer.observer} sees a difference after {counted(steps, 'step')}: "
        f"{advice}"
    )


def _head(found: Comparison, width: int) -> Iterator[Text]:
    for number, word in enumerate(("first", "second")):
        parts = [Text(shown_file(found.specs[number].file)), *_setting(found.specs[number])]
        if found.sides is not None:
            graph = found.sides[number].graph
            parts.append(Text(counted(len(graph.states), "state"), "dim"))
            parts.append(Text(f"{grouped(len(graph.leaf))} transitions", "dim"))
        yield from _labelled(word, flow(parts, width - LABEL))
    yield from _labelled("observed", wrapped(_observed(found), width - LABEL))


def _labelled(label: str, lines: Sequence[Text]) -> Iterator[Text]:
    for position, line in enumerate(lines):
        head = label if position == 0 else ""
        yield Text(head.ljust(LABEL), "bold cyan").append_text(line)


def _setting(spec: Spec) -> Iterator[Text]:
    """What a reader must know of a spec beside its file."""
    yield from map(Text, told_setting(spec))
    if spec.under is not None:
        yield Text(spec.under.release.name)


def _observed(found: Comparison) -> str:
    words = [word for word in found.observer.words if word in GROUPS]
    names: list[str] = []
    if found.sides is not None:
        names = sorted(found.sides[0].view.names)
    more = f" and {len(names) - NAMES_MAX} more" if len(names) > NAMES_MAX else ""
    shown = f"{', '.join(names[:NAMES_MAX])}{more}, and how a run ends" if names else ""
    return ": ".join(part for part in (", ".join(words), shown) if part) or str(found.observer)


# --- a run of one side, and what the other can do ------------------------------------------------


def _difference(
    name: str, side: Side, other_name: str, other: Side, found: Difference, width: int
) -> Iterator[Text]:
    length = counted(len(found.run.trace.rules), "step")
    yield Text()
    head = Text(f"Only the {name} can do this: ", "bold red")
    yield from paragraph(head + Text(f"{length}, and no run is shorter"), width)
    yield Text()
    room = (width - len(BAR)) // 2
    left = _sections(side, found.run, room)
    right = [*_sections(other, found.other, room), list(_instead(other_name, found, room))]
    yield from _beside([Text(name, "bold cyan")], [Text(other_name, "bold cyan")], room)
    for own, its in zip(left, right, strict=True):
        yield from _beside(own, its, room)
    yield Text()
    yield Text(f"The run of the {name}, step by step", "bold cyan")
    story = _story(side, found.run)
    yield from group_lines(story.groups, width)
    seen = dict(found.run.observations)
    if seen[0] != START:
        yield from paragraph(_seen(seen[0]), width, indent=6)
    for told in story.steps:
        yield Text()
        yield from step_lines(told, story, width)
        if told.number in seen:
            yield from paragraph(_seen(seen[told.number]), width, indent=6)
    last = len(story.steps) + 1
    if last in seen:
        yield Text()
        yield from paragraph(_seen(seen[last]), width, indent=2)


def _story(side: Side, told: Told) -> Story:
    replay(side.system, told.trace)
    groups = tuple(groups_of(side.system, told.trace.states[0]))
    steps = tuple(steps_of(side.system, told.trace))
    return Story("", Word.RUN, "", (), (), groups, steps, None, (), ())


def _sections(side: Side, told: Told, width: int) -> list[list[Text]]:
    """The run up to each observation: its rules, and the observation.

    A start that is like all starts of both systems needs no words.
    """
    replay(side.system, told.trace)
    steps = list(steps_of(side.system, told.trace))
    sections: list[list[Text]] = []
    done = 0
    for number, text in told.observations:
        if text == START:
            continue
        lines = [line for step in steps[done:number] for line in _rule(step, width)]
        sections.append([*lines, *_hanging(f"   {SEEN} ", text, "bold", width)])
        done = max(done, number)
    return sections


def _rule(step: StoryStep, width: int) -> list[Text]:
    return _hanging(f"{step.number:>4} ", str(step.rule), "default", width)


def _instead(name: str, found: Difference, width: int) -> Iterator[Text]:
    verb = "go on" if found.has_same_start else "start"
    yield from _hanging(f"   {UNABLE} ", f"the {name} cannot {verb} like this", "bold red", width)
    if found.instead:
        yield Text(f"     it can {verb} with", "dim")
    for text in found.instead:
        yield from _hanging(f"   {SEEN} ", text, "default", width)
    if not found.instead:
        yield from _hanging("     ", "nothing more is observed", "dim", width)


def _hanging(head: str, text: str, style: str, width: int) -> list[Text]:
    first, *rest = wrapped(Text(text, style), width - len(head))
    lines = [Text(head).append_text(first)]
    return [*lines, *(Text(" " * len(head)).append_text(line) for line in rest)]


def _beside(left: Sequence[Text], right: Sequence[Text], width: int) -> Iterator[Text]:
    """Two texts side by side."""
    height = max(len(left), len(right))
    for row in range(height):
        own = left[row] if row < len(left) else Text()
        its = right[row] if row < len(right) else Text()
        line = Text().append_text(own).append(" " * max(width - own.cell_len, 0))
        line.append(BAR, "dim").append_text(its)
        line.rstrip()
        yield line


def _seen(text: str) -> Text:
    return Text(f"{SEEN} ", "bold").append(text, "bold")


# --- as JSON -------------------------------------------------------------------------------------


def comparison_json(found: Comparison, finer: Comparison | None = None) -> dict[str, object]:
    """The comparison as plain data; `finer` as for `comparison_lines`."""
    sides = found.sides or (None, None)
    first, second = sides
    return {
        "answer": found.relation.value,
        "why": found.why,
        "only_divergence": found.only_divergence,
        "other_fairness": list(found.other_fairness),
        "observe": list(found.observer.words),
        "observed": sorted(first.view.names) if first is not None else [],
        "first": _spec_json(found.specs[0], first),
        "second": _spec_json(found.specs[1], second),
        "gained": _difference_json(second, first, found.gained),
        "lost": _difference_json(first, second, found.lost),
        "finer": None if finer is None or finer.why else list(finer.observer.words),
        "finer_unknown": finer.why if finer is not None else "",
        "seconds": round(found.seconds, 3),
    }


def _spec_json(spec: Spec, side: Side | None) -> dict[str, object]:
    return {
        "spec": shown_file(spec.file),
        "protocol": spec.protocol.key,
        "variant": spec.variant,
        "values": dict(spec.values),
        "release": spec.under.release.key if spec.under is not None else None,
        "states": len(side.graph.states) if side is not None else None,
        "transitions": len(side.graph.leaf) if side is not None else None,
    }


def _difference_json(
    side: Side | None, other: Side | None, found: Difference | None
) -> dict[str, object] | None:
    if side is None or other is None or found is None:
        return None
    return {
        "observation": found.observation,
        "steps": len(found.run.trace.rules),
        "run": _run_json(side, found.run),
        "other": _run_json(other, found.other),
        "instead": list(found.instead),
    }


def _run_json(side: Side, told: Told) -> dict[str, object]:
    replay(side.system, told.trace)
    return {
        "observations": [{"step": step, "text": text} for step, text in told.observations],
        "steps": [step_json(each) for each in steps_of(side.system, told.trace)],
    }
