"""Draws a trace: each step with its rule and its changes, then the cause of the violation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rich.text import Text

from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Word
from finale.checker.spec.claim import Spec
from finale.checker.studies.causes import Causes
from finale.model.errors import Place
from finale.model.value_text import ARROW, ValueChange

from .job import job_lines
from .layout import Cell, columns, counted, flow, joined, paragraph
from .places import shown_file, told_of_options, told_setting
from .story import NO_PROGRESS, EntityGroup, Story, StoryStep

NO_CAUSES = Causes()
#: Where the text of a step begins, right of its number.
INDENT = 6
#: Labels longer than this do not push all values to the right.
LABEL_MAX = 30
_COLOURS = {
    Word.HOLDS: "bold green",
    Word.VIOLATED: "bold red",
    Word.UNKNOWN: "bold yellow",
    Word.RUN: "bold cyan",
}


def trace_lines(
    story: Story, spec: Spec, width: int, again: str = "", causes: Causes = NO_CAUSES
) -> list[Text]:
    """The whole trace, for a reader who has never seen one; `again` is the command to repeat it."""
    lines = [*_head(story, spec, width), Text(), *_before(story, width)]
    lines += [Text("start", "bold cyan"), *state_lines(story.groups, width)]
    for told in story.steps:
        if story.loop is not None and told.number == story.loop + 1:
            lines += [Text(), _loop_start(told.number)]
        lines += [Text(), *step_lines(told, story, width)]
    if story.loop is not None:
        lines += [Text(), _loop_end(story)]
    if story.rest:
        head = "the state that repeats forever" if story.loop is not None else "the last state"
        lines += [Text(), Text(head, "bold cyan"), *group_lines(story.rest, width)]
    if story.verdict is not Word.RUN:
        lines += [Text(), *_ending(story, width)]
    if avoided := list(told_causes(story, causes)):
        lines += [Text(), Text("what could have avoided it", "bold cyan")]
        for each in avoided:
            lines += paragraph(Text(each), width, indent=2)
    return [*lines, Text(), Text("reproduce: ", "dim").append(again)] if again else lines


def told_causes(story: Story, causes: Causes) -> Iterator[str]:
    """What a counterexample needs, in sentences."""

    def step(number: int) -> str:
        return f"step {number}, {story.steps[number - 1].rule},"

    for number in causes.needed:
        name = story.steps[number - 1].rule.rule.name
        yield f"without {step(number)} and with no {name} later, the property holds"
    for late, early in causes.moves:
        yield f"had {step(late)} come before {step(early)} the property could still hold"


def last_step_lines(story: Story, width: int) -> list[Text]:
    """The last step of a trace alone."""
    return list(step_lines(story.steps[-1], story, width))


def state_lines(groups: Sequence[EntityGroup], width: int) -> list[Text]:
    """One state."""
    return [*group_lines(groups, width), _quiet()]


def _before(story: Story, width: int) -> Iterator[Text]:
    """The runs of the systems that it is resumed from, the first one first."""
    for each in story.before:
        length = counted(len(each.steps), "step")
        yield Text("before ", "bold cyan").append(f"{shown_file(each.file)}, {length}", "dim")
        yield from group_lines(each.groups, width)
        for told in each.steps:
            yield Text()
            yield from step_lines(told, story, width)
        yield Text()
    if story.before:
        yield Text("the next job starts from the snapshot that is left behind", "bold cyan")
        yield Text()


def _head(story: Story, spec: Spec, width: int) -> Iterator[Text]:
    yield from paragraph(Text(spec.title, "bold"), width)
    # A path is never broken: it is there to be copied.
    drawn = [each for each in spec.values if each[0] != "job"]  # a whole job is drawn below
    protocol, *changes = told_setting(replace(spec, values=tuple(drawn)))
    changes += ["with another job"] if len(drawn) < len(spec.values) else []
    parts = (shown_file(spec.file), f"protocol {protocol}", *changes)
    yield from flow([Text(part, "dim") for part in parts], width)
    if options := told_of_options(spec):
        yield from paragraph(Text(options, "dim"), width)
    if left_out := ", ".join(sorted(spec.setting.without)):
        told = f"the rules leave out, whatever a step's sentence says: {left_out}"
        yield from paragraph(Text(told, "yellow"), width)
    if spec.setting.job is not None:
        yield Text()
        yield from job_lines(spec.setting.job, width, indent=2)
    yield Text()
    colour = _COLOURS[story.verdict]
    shorter = ", and no run is shorter" if story.is_shortest else "; a shorter run may exist"
    length = Text(counted(len(story.steps), "step") + shorter)
    if story.loop is not None:
        stem = counted(story.loop, "step")
        rest = counted(len(story.steps) - story.loop, "step")
        length = Text(f"after {stem}, by a loop of {rest} that can repeat forever")
        if story.loop == len(story.steps):
            length = Text(f"after {stem} no further step happens")
    head = Text(f"{story.property} is violated: ", colour) + length
    if story.verdict is Word.HOLDS:
        head = Text(f"{story.property} is reached: ", colour) + length
    elif story.verdict is Word.UNKNOWN:
        head = Text(f"{story.property} is not decided: ", colour) + length + Text(", at a bound")
    elif story.verdict is Word.RUN:
        head = Text("a run of ", colour).append(counted(len(story.steps), "step"))
    yield from paragraph(head, width)
    if story.sentence:
        yield from paragraph(Text(story.sentence), width, indent=2)


def group_lines(groups: Sequence[EntityGroup], width: int) -> list[Text]:
    """Show the entities of a state, those that are alike on one line."""
    names = [", ".join(name for name in group.names if name) for group in groups]
    wide = max(map(len, names), default=0) > width // 3
    kinds = max((len(group.kind) for group in groups), default=0)
    left = INDENT + kinds + 2 + (0 if wide else max(map(len, names), default=0) + 2)
    rows: list[list[Cell]] = []
    for group, name in zip(groups, names, strict=True):
        fields = [_field(*pair) for pair in group.values]
        lines = flow(fields, width - left, separator="  ") or [Text()]
        kind = Text(group.kind, "dim")
        if wide:
            rows.append([kind, Text(name)])
            rows.extend([Text(), line] for line in lines if line.plain)
        else:
            rows.append([kind, Text(name), lines[0]])
            rows.extend([Text(), Text(), line] for line in lines[1:])
    return columns(rows, width, indent=INDENT)


def _quiet() -> Text:
    return Text(" " * INDENT).append(
        "values that are not shown are 0, false or empty", "dim italic"
    )


def _field(name: str, value: str) -> Text:
    return Text(f"{name} ", "dim").append(value, "default")


def step_lines(told: StoryStep, story: Story, width: int) -> Iterator[Text]:
    """Show a step: the rule, its binding and sentence, and what changed."""
    number = Text(f"{told.number:>{INDENT - 2}}  ", "bold cyan")
    title = number + Text(told.rule.rule.name, "bold")
    if told.rule.binding:
        title.append("  ").append_text(binding_text(told.rule.binding))
    title.append(f"  {place_text(told.rule.rule.place)}", "dim")
    yield from columns([[title]], width)
    yield from paragraph(Text(told.rule.rule.sentence, "italic"), width, indent=INDENT)
    ways = [
        Text(each.text).append(f" {place_text(each.place)}", "dim") for each in told.alternatives
    ]
    if ways:
        ways[0] = Text("since ", "dim") + ways[0]
        fits = all(len(each) <= width - INDENT for each in ways)
        lines = flow(ways, width, indent=INDENT)
        yield from lines if fits else paragraph(joined(ways), width, indent=INDENT)
    if told.renamed:
        yield from paragraph(Text(_renamed(told.renamed), "italic"), width, indent=INDENT)
    yield from _changes(told.changes, story, width)
    if told.fault is not None:
        place = told.fault.place
        where = f"{shown_file(place.file)}:{place.line}" if place.file else ""
        fault = Text(f"fault {told.fault.code}: ", "bold red")
        fault = joined([fault.append(told.fault.message, "default"), Text(where, "dim")])
        yield from paragraph(fault, width, indent=INDENT + 2)
    elif not told.changes:
        yield Text(" " * (INDENT + 2)).append("nothing changes", "dim")


def place_text(place: Place) -> str:
    """Return a file and a line, as short as they can be."""
    return f"{Path(place.file).name}:{place.line}" if place.file else ""


def _renamed(names: Sequence[str]) -> str:
    """Show the entities that a step forgets or renumbers."""
    pairs = zip(names[1:], names, strict=False)
    others = "".join(f"; {old} is called {new} from here on" for old, new in pairs)
    return f"The id {names[0]} is given again: {names[0]} is forgotten{others}."


def binding_text(binding: Sequence[tuple[str, str]]) -> Text:
    """Return the entities and values that a rule or a property is bound to."""
    words = {"True": "true", "False": "false"}
    parts = [
        Text(f"{name} ", "dim").append(words.get(value, value), "cyan") for name, value in binding
    ]
    return joined(parts, ", ")


def _label_width(story: Story) -> int:
    labels = [each.label for told in story.steps for each in told.changes]
    labels += [each.label for each in story.ending]
    return min(max((len(label) for label in labels), default=0), LABEL_MAX)


def _changes(changes: Sequence[ValueChange], story: Story, width: int) -> list[Text]:
    label_width = _label_width(story)
    moved_width = max((len(each.moved) for each in changes), default=0)
    left = width - INDENT - label_width - moved_width - 8
    rows: list[list[Cell]] = []
    for each in changes:
        label: Cell = Text(each.label.ljust(label_width))
        if each.moved and len(each.new) > left:
            # A queue is one drawing: rather a line of its own than a break.
            rows.append([label, Text(each.moved)])
            rows.append([Text(), Text(each.new, "bold")])
        else:
            rows.append([label, *_change(each)])
    return columns(rows, width, indent=INDENT + 2)


def _change(change: ValueChange) -> list[Text]:
    if change.moved:
        return [Text(change.moved), Text(change.new, "bold")]
    if not change.old:
        return [Text(change.new, "bold")]
    return [Text(change.old, "dim").append(f" {ARROW} ").append(change.new, "bold")]


# --- the loop and the end ------------------------------------------------------------------------


def _loop_start(number: int) -> Text:
    return Text(
        f"  ┌── from here on, step {number} and those after it repeat forever", "bold yellow"
    )


def _loop_end(story: Story) -> Text:
    assert story.loop is not None
    if story.loop >= len(story.steps):
        return Text("  ◇ no further step happens", "bold yellow")
    where = f"step {story.loop}" if story.loop else "the start"
    return Text(f"  └── back to the state after {where}", "bold yellow")


def _ending(story: Story, width: int) -> Iterator[Text]:
    if story.property == WELL_FORMED:
        yield Text("A rule that can do this is not well-formed: add a guard, or correct the rule.")
        return
    if story.property == NO_DEADLOCK:
        yield Text(f"{NO_PROGRESS}:", "bold red")
        if story.unreliable:
            told = f"enabled, but nobody can rely on it: {', '.join(story.unreliable)}"
            yield from paragraph(Text(told), width, indent=2)
    elif story.verdict is Word.VIOLATED:
        yield Text(f"This violates {story.property}:", "bold red")
    elif story.verdict is Word.UNKNOWN:
        yield Text(f"Only a bound keeps this from {story.property}:", "bold yellow")
    else:
        yield Text(f"This is {story.property}:", "bold green")
    yield from paragraph(Text(story.sentence), width, indent=2)
    if story.binding:
        yield Text("  for ") + binding_text(story.binding)
    if story.ending:
        when = "that state" if story.rest else "the loop" if story.loop is not None else "the end"
        yield Text(f"  because in {when}", "dim")
        yield from _changes(story.ending, story, width)
