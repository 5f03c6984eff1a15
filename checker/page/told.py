"""Shows a trace on a page: each step with its changes, its queues and the source of its rule.

Without scripts it is a list of all steps. With them one step is current: keys and buttons move it,
and the state after it stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import htpy as h

from finale.checker.report.layout import counted
from finale.checker.report.places import portable_place
from finale.checker.report.rule import Body, bodies
from finale.checker.report.sequence import Diagram, sequence_of
from finale.checker.report.story import (
    NO_PROGRESS,
    Before,
    Story,
    StoryStep,
    entities_of,
    says_nothing,
    story_of,
)
from finale.checker.report.task_order import with_few_changes
from finale.checker.report.trace import place_text, told_causes
from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED, Verdict, Word
from finale.checker.spec.claim import Spec, runs_before
from finale.checker.studies.causes import Causes, added_rules, causes_of
from finale.checker.studies.decisive import Decisive, decisive_steps
from finale.model.domains import Domain, Queue
from finale.model.language.entities import Variable
from finale.model.system import State, System
from finale.model.trace import Trace
from finale.model.value_text import ARROW, ValueChange, label_of, value_text

from .document import data, fixed
from .job_svg import LEGEND as JOB_LEGEND
from .parts import badge, folded, listing, table
from .sequence_svg import LEGEND, sequence_svg


@dataclass(frozen=True)
class Told:
    """A trace with all that a page shows of it. `name` is its id: one for each trace of a page."""

    name: str
    spec: Spec
    system: System
    verdict: Verdict

    @classmethod
    def of(cls, name: str, spec: Spec, system: System, verdict: Verdict) -> Told:
        """A trace as `finale trace` prints it: a counterexample has the fewest changes of task.

        Witnesses, which a page folds, stay in the order in which they were found.
        """
        is_violated = verdict.word is Word.VIOLATED
        return cls(
            name, spec, system, with_few_changes(system, verdict) if is_violated else verdict
        )

    @property
    def trace(self) -> Trace:
        """The trace of the verdict."""
        assert self.verdict.trace is not None
        return self.verdict.trace

    @cached_property
    def story(self) -> Story:
        """The trace in words. It is replayed through the semantics first."""
        runs = tuple(runs_before(self.spec, self.trace))
        return story_of(self.system, self.verdict, runs)

    @cached_property
    def decisive(self) -> Decisive:
        """The steps without which the property could still hold."""
        return decisive_steps(self.system, self.verdict)

    @property
    def begins_too_late(self) -> bool:
        """Whether the violation is inevitable from the start: its cause lies in the run before."""
        is_doomed = not self.decisive.why and not self.decisive.no_return
        return self.verdict.word is Word.VIOLATED and is_doomed

    @cached_property
    def causes(self) -> Causes:
        """What the counterexample needs."""
        return causes_of(self.system, self.verdict, added_rules(self.spec.protocol))

    @cached_property
    def diagram(self) -> Diagram:
        """The trace as a sequence diagram."""
        return sequence_of(self.system, self.trace, self.story.steps, self.decisive)


def told_trace(told: Told) -> h.Renderable:
    """The part of a page that shows a trace."""
    story = told.story
    return h.div(".told", id=told.name)[
        story.property != WELL_FORMED and h.p[story.sentence],
        [_before(each, is_open=told.begins_too_late) for each in story.before],
        h.div(".scroll.diagram", tabindex="0", role="region", aria_label="sequence diagram")[
            fixed(sequence_svg(told.diagram, f"sequence diagram of {story.property}"))
        ],
        _explained(told),
        h.div(".walk")[
            h.div(".steps-column")[
                _controls(len(story.steps)),
                h.ol(".steps")[_start(told), (fixed(_step(told, each)) for each in story.steps)],
                _loop(story),
                _ending(story),
            ],
            h.aside(".state", hidden=True, aria_label="State after the current step")[
                h.h3["state ", h.span(".when")["at the start"]], h.div(".values")
            ],
        ],
        data(f"{told.name}-states", list(_states(told))),
    ]


def _explained(told: Told) -> h.Node:
    """What the marks of the diagram mean, or why nothing is marked."""
    decisive = told.decisive
    if told.verdict.word is not Word.VIOLATED:
        return None
    if decisive.why:
        return h.p(".soft")[f"No step is marked as decisive: {decisive.why}."]
    if told.begins_too_late:
        cause = "its cause lies in the run before" if told.story.before else "no step is decisive"
        return h.p(".soft")[f"The violation is inevitable from the start: {cause}."]
    marks = h.p(".soft")[
        h.span(".star")["★"],
        " marks the decisive steps: without any one of them the property could still hold. After "
        f"step {decisive.no_return}, at the dotted line, the violation is inevitable.",
    ]
    avoided = list(told_causes(told.story, told.causes))
    if not avoided:
        return marks
    return h.fragment[
        marks,
        h.p["What could have avoided it:"],
        h.ul[(h.li[f"{each[0].upper()}{each[1:]}."] for each in avoided)],
    ]


def legend(*, has_job: bool = True) -> h.Renderable:
    """What the marks of a diagram mean, and those of the job if the page draws one."""
    marks = (*JOB_LEGEND, *LEGEND) if has_job else LEGEND
    return h.ul(".legend")[(h.li[sample, f" {meaning}"] for sample, meaning in marks)]


def _controls(count: int) -> h.Renderable:
    buttons = (("first", "⇤ start"), ("back", "◀ back"), ("next", "next ▶"), ("last", "end ⇥"))
    return h.div(".controls.screen-only", hidden=True, role="group", aria_label="Walk the trace")[
        (h.button(type="button", data_go=go)[text] for go, text in buttons),
        h.output(aria_live="polite")[f"start of {count}"],
        h.span(".soft.keys")[h.kbd["←"], " ", h.kbd["→"], " step, ", h.kbd["Home"], " start"],
    ]


def _before(run: Before, *, is_open: bool) -> h.Renderable:
    """The run from whose snapshot the trace begins. It is open if it has the cause."""
    steps = (
        h.li(".step")[
            h.h3[
                h.span(".number")[str(each.number)],
                f" {each.rule.rule.name} ",
                _binding(each.rule.binding),
            ],
            h.p[each.rule.rule.sentence],
            changes_list(each.changes, {}),
        ]
        for each in run.steps
    )
    title = f"before: {run.file.name}, {counted(len(run.steps), 'step')}"
    return folded(title, h.ol(".steps")[steps], is_open=is_open)


def _start(told: Told) -> h.Renderable:
    return h.li(".step", id=f"{told.name}-0", value="0", data_step="0", tabindex="-1")[
        h.h3[h.span(".number")["0"], " start"],
        folded("values at the start", state_table(told.system, told.trace.states[0])),
    ]


def _step(told: Told, step: StoryStep) -> h.Renderable:
    rule, number = step.rule.rule, str(step.number)
    is_decisive = step.number in told.decisive.steps
    kind = ["step", is_decisive and "decisive"]
    item = h.li(class_=kind, id=f"{told.name}-{number}", data_step=number, tabindex="-1")
    return item[
        h.h3[h.span(".number")[number], " ", rule.name, " ", _binding(step.rule.binding)],
        h.p[rule.sentence],
        [
            h.p(".soft")["since ", h.code[each.text], f" {place_text(each.place)}"]
            for each in step.alternatives
        ],
        bool(step.renamed) and h.p[f"Ids are given again: {' ← '.join(step.renamed)}."],
        changes_list(step.changes, queues_after(told, step.number)),
        step.fault is not None
        and h.p[badge("fault", "bad"), f" {step.fault.code}: {step.fault.message}"],
        folded("source of the rule", *map(_body, bodies(told.spec.protocol, rule.name)[:2])),
    ]


def _body(body: Body) -> h.Renderable:
    place = portable_place(body.spot)
    return h.fragment[h.p(".soft")[f"{body.name}  {place}"], listing(body.source)]


def _binding(pairs: Sequence[tuple[str, str]]) -> h.Renderable:
    words = {"True": "true", "False": "false"}
    return h.span(".binding")[
        ([f"{name} ", h.b[words.get(value, value)], " "] for name, value in pairs)
    ]


# --- values --------------------------------------------------------------------------------------


def changes_list(changes: Sequence[ValueChange], queues: dict[str, list[str]]) -> h.Renderable:
    """What a step changed. A queue is drawn as it is after the step."""
    if not changes:
        return h.p(".soft")["nothing changes"]
    return h.ul(".changes")[
        (h.li[h.span(".label")[each.label], " ", _change(each, queues)] for each in changes)
    ]


def _change(change: ValueChange, queues: dict[str, list[str]]) -> h.Node:
    if change.label in queues:
        return [h.span(".moved")[change.moved], " ", queue(queues[change.label])]
    if not change.old:
        return h.ins[change.new]
    return [h.del_[change.old], f" {ARROW} ", h.ins[change.new]]


def queue(elements: Sequence[str]) -> h.Renderable:
    """A queue as it flows: the newest element at the left, the oldest about to leave."""
    text = f"queue, oldest first: {', '.join(reversed(elements))}" if elements else "empty queue"
    return h.span(".queue", role="img", aria_label=text)[
        (h.span(".element")[each] for each in elements),
        not elements and h.span(".element.none")["empty"],
        h.span[ARROW],
    ]


def queues_after(told: Told, position: int) -> dict[str, list[str]]:
    """The elements of all queues by their labels, the newest first."""
    if position >= len(told.trace.states):
        return {}
    return queues_of(told.system, told.trace.states[position])


def queues_of(system: System, state: State) -> dict[str, list[str]]:
    """The elements of all queues of a state by their labels, the newest first."""
    return {
        label_of(variable): elements_of(variable, value)
        for variable, value in zip(system.variables, system.values(state).values(), strict=True)
        if isinstance(variable.domain, Queue)
    }


def elements_of(variable: Variable, value: object) -> list[str]:
    """The elements of a queue as texts, the newest first."""
    domain = cast("Queue[object]", variable.domain)
    return [value_text(domain.element, each) for each in reversed(cast("Sequence[object]", value))]


def state_table(system: System, state: State) -> h.Renderable:
    """A state, entity by entity; values that say nothing are left out."""
    rows: list[list[h.Node]] = [
        [h.span(".soft")[kind], name, [h.span(".field")[f"{f} ", h.b[v]] for f, v in fields]]
        for (kind, name), fields in entities_of(system, state).items()
        if fields
    ]
    return table(["kind", "name", "values"], rows, caption="values that are not 0, false or empty")


def _states(told: Told) -> Iterator[list[object]]:
    """Each state as its values by variable; after the first one only what differs."""
    before: tuple[object, ...] | None = None
    for state in told.trace.states:
        now = tuple(told.system.values(state).values())
        yield [
            [index, *variable_json(variable, value)]
            for index, (variable, value) in enumerate(zip(told.system.variables, now, strict=True))
            if before is None or before[index] != value
        ]
        before = now


def variable_json(variable: Variable, value: object) -> list[object]:
    """A value for the scripts: entity, field, its text or the elements of a queue, and whether
    it says anything."""
    domain = cast("Domain[object]", variable.domain)
    is_queue = isinstance(domain, Queue)
    shown = elements_of(variable, value) if is_queue else value_text(domain, value)
    return [variable.entity.name, variable.field, shown, is_queue or not says_nothing(value)]


# --- the end -------------------------------------------------------------------------------------


def _loop(story: Story) -> h.Node:
    if story.loop is None:
        return None
    if story.loop >= len(story.steps):
        return h.p(".loop")["◇ no further step happens"]
    where = f"step {story.loop}" if story.loop else "the start"
    return h.p(".loop")[f"↺ back to the state after {where}; the steps since then repeat forever"]


def _ending(story: Story) -> h.Renderable:
    text, tone = _claim(story)
    return h.div(class_=["ending", tone])[
        h.p[h.b[text]],
        story.property != WELL_FORMED and h.p[story.sentence],
        bool(story.binding) and h.p["for ", _binding(story.binding)],
        bool(story.ending) and [h.p(".soft")["because then"], changes_list(story.ending, {})],
    ]


def _claim(story: Story) -> tuple[str, str]:
    if story.property == WELL_FORMED:
        return (
            "A rule that can do this is not well-formed: add a guard, or correct the rule.",
            "bad",
        )
    if story.property == NO_DEADLOCK:
        beside = "".join(
            f" {each} is enabled, but nobody can rely on it." for each in story.unreliable
        )
        return f"{NO_PROGRESS}.{beside}", "bad"
    if story.verdict is Word.VIOLATED:
        return f"This violates {story.property}.", "bad"
    if story.verdict is Word.UNKNOWN:
        return f"Only a bound keeps this from {story.property}.", "open"
    return f"This is {story.property}.", "good"


__all__ = ["Told", "changes_list", "legend", "queue", "state_table", "told_trace"]
