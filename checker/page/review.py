"""Builds the page of `finale review`: what a change changes, with a run for each finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import htpy as h

from finale.checker.report.about import overrides_words, reached_words
from finale.checker.report.layout import counted
from finale.checker.report.places import shown_file, shown_place
from finale.checker.report.review import (
    UNSEARCHED,
    command_of_finding,
    command_of_flip,
    end_of_mend,
    new_violations,
    only_up_to,
    other_ends_of_mends,
    row_of,
    spec_of_flip,
    told_of_larger_bounds,
    told_of_old_flips,
    told_of_verdicts,
    told_on_request,
    tried_settings,
    unknown_before,
    what_is_missing,
)
from finale.checker.review.behaviours import Behaviours
from finale.checker.review.lines import MemberCoverage
from finale.checker.review.review import ChangedProperty, Review, Tried
from finale.checker.review.seeming import Remark
from finale.checker.review.stability import Flip
from finale.checker.review.verdicts import Difference, Direction
from finale.checker.spec.meanings import summary

from .document import document
from .parts import badge, folded, heading, listing, section, table
from .told import Told, told_trace

#: How the word of a direction is coloured.
_TONES = {
    Direction.VIOLATED: "bad",
    Direction.UNREACHED: "open",
    Direction.VACUOUS: "open",
    Direction.UNSETTLED: "open",
    Direction.UNREACHED_OR_NOT: "open",
    Direction.VACUOUS_OR_NOT: "open",
    Direction.UNKNOWN: "open",
    Direction.UNASKED: "open",
    Direction.REACHED: "plain",
}
#: A page shows the runs of so many findings, the worst first: a browser draws them all at once.
RUNS_MAX = 12
#: The first lines of a method's source.
SOURCE_LINES_MAX = 60


def review_page(reviews: Sequence[Review], made_by: str) -> str:
    """The page about some changes."""
    title = str(reviews[0].change) if len(reviews) == 1 else f"{len(reviews)} changes"
    body: list[h.Node] = [heading(f"Review: {title}", *_facts(reviews), f"made by {made_by}")]
    for number, review in enumerate(reviews):
        name = f"r{number + 1}"
        if len(reviews) > 1:
            body.append(section(str(review.change), *_about(review)))
        body += _review(review, name)
    return document(f"Review: {title}", body)


def _facts(reviews: Sequence[Review]) -> Iterator[h.Node]:
    if len(reviews) == 1:
        yield from _about(reviews[0])


def _about(review: Review) -> list[h.Node]:
    worse, missing = new_violations(review), [*what_is_missing(review)]
    facts: list[h.Node] = []
    if review.changed.variant is not None:
        facts.append(summary(review.changed.variant))
    facts.append(f"tried in {tried_settings(review)}")
    is_whole = not missing and not review.remarks
    told, *others = told_of_verdicts(review)
    tone = "bad" if worse else "good" if is_whole and not others else "open"
    facts.append(badge(told, tone))
    if review.new_flips:
        facts.append(badge(f"{len(review.new_flips)} of them only with a larger bound", "bad"))
    facts += [badge(each, "open") for each in (*others, *missing)]
    return facts


def _review(review: Review, name: str) -> Iterator[h.Node]:
    if review.remarks:
        yield section("The change is not what it seems", h.ul[map(_remark, review.remarks)])
    if review.errors:
        errors = dict.fromkeys(map(str, review.errors.values()))
        yield section("Refused with an error", h.ul[(h.li[h.pre[each]] for each in errors)])
    shown = [each for each in review.findings if each.first[1].trace is not None][:RUNS_MAX]
    yield section("Verdicts that differ", _verdicts(review, name, shown))
    seen = review.behaviours
    if seen is not None and (seen.compared or seen.refused):
        yield section("What an observer sees", *_behaviours(seen))
    if review.stability is not None:
        yield section("With larger bounds", *_stability(review, name))
    yield section("The change", *_change(review))
    for finding in shown:
        yield _run(finding, name)
    kinds = (review.new_flips, review.unsettled_flips, other_ends_of_mends(review))
    for flips in (each for kind in kinds for each in kind[:RUNS_MAX]):
        yield _flip_run(flips[0], name)


def _remark(remark: Remark) -> h.Renderable:
    where = "" if remark.place is None else f" ({shown_place(remark.place)})"
    return h.li[remark.message, h.span(".soft")[where]]


# --- verdicts ------------------------------------------------------------------------------------


def _verdicts(review: Review, name: str, shown: Sequence[ChangedProperty]) -> h.Renderable:
    if not review.findings:
        where = " in the settings that were tried" if review.errors else ""
        return h.p[f"No verdict differs{where}."]
    head = ("property", "verdict", "settings", "steps", "shortest in")
    rows = (_finding(review, each, name, each in shown) for each in review.findings)
    return table(head, rows, caption="the worst first")


def _finding(review: Review, finding: ChangedProperty, name: str, is_shown: bool) -> list[h.Node]:
    tried, difference = finding.first
    direction, trace = finding.direction, difference.trace
    end = end_of_mend(review, finding)
    word: list[h.Node] = [badge(direction.value, _TONES.get(direction, "good"))]
    if end is not None:
        word = [badge(direction.value, "open"), " ", only_up_to(end)]
    link = h.a(href=f"#{_anchor(name, finding)}")[finding.property]
    files = [shown_file(each.case.file) for each, _ in finding.shown]
    asked = told_on_request(tried.case, finding.property)
    return [
        [link if is_shown else finding.property, _soft(asked)],
        word,
        folded(f"{len(files)} of {len(review.tried)}", listing("\n".join(files))),
        "" if trace is None else str(trace.length),
        shown_file(tried.case.file),
    ]


def _soft(text: str) -> h.Node:
    """A remark below what a cell says."""
    return h.div(".soft")[text] if text else ""


def _anchor(name: str, finding: ChangedProperty) -> str:
    return f"{name}-{finding.direction.name.lower()}-{finding.property}"


def _behaviours(found: Behaviours) -> Iterator[h.Node]:
    """A shortest run that only the changed protocol has, and one that it has no more."""
    rows: list[list[h.Node]] = []
    for word, shown in (("gained", found.gained), ("lost", found.lost)):
        if shown is not None:
            case, difference = shown
            seen = [f"{step:>4}  {text}" for step, text in difference.run.by_step]
            instead = ", ".join(difference.instead) or "nothing else"
            length = str(difference.run.trace.length)
            name = shown_file(case.file)
            rows.append([badge(word, "open"), listing("\n".join(seen)), length, instead, name])
    if rows:
        head = ("", "what is seen, by step", "steps", "the other system then shows", "in")
        yield table(head, rows, caption="shortest runs")
    of = counted(found.of, "differing setting")
    done = f"Compared: {len(found.compared)} of {of}: {'; '.join(found.told)}."
    yield h.p(".soft")[done]


def _stability(review: Review, name: str) -> Iterator[h.Node]:
    assert review.stability is not None
    head = ("property", "holds at", "falls at", "steps", "in")
    kinds = (
        (review.new_flips, "larger bounds"),
        (review.unsettled_flips, "unknown without the change"),
        (other_ends_of_mends(review), "mended up to a bound alone"),
    )
    for groups, caption in kinds:
        rows = [
            _flip(flip, name if flip is flips[0] and number < RUNS_MAX else None)
            for number, flips in enumerate(groups)
            for flip in flips
        ]
        if rows:
            yield table(head, rows, caption=caption)
    if told := told_of_larger_bounds(review):
        yield h.p[f"{told[0].upper()}{told[1:]}."]
    searched, of = review.stability.searched, review.stability.of
    done = f"Each bound one larger: {searched} of {of} searched"
    yield h.p(".soft")[f"{done}; {UNSEARCHED}." if searched < of else f"{done}."]
    if review.old_flips:
        yield h.p(".soft")[f"{told_of_old_flips(review)}."]


def _flip(flip: Flip, name: str | None) -> list[h.Node]:
    """A row about a larger bound. With a name, the row links to the run."""
    larger = flip.larger
    shown = flip.property
    link = shown if name is None else h.a(href=f"#{_flip_anchor(flip, name)}")[shown]
    return [
        [link, _soft(unknown_before(flip)), _soft(told_on_request(larger.case, flip.property))],
        f"{larger.bound} = {larger.value - 1}",
        badge(f"{larger.bound} = {larger.value}", "bad"),
        str(flip.verdict.steps),
        shown_file(larger.case.file),
    ]


def _flip_anchor(flip: Flip, name: str) -> str:
    return f"{name}-larger-{flip.property}"


# --- the change ----------------------------------------------------------------------------------


def _change(review: Review) -> Iterator[h.Node]:
    if review.rules:
        rules = sorted(review.rules.items(), key=lambda each: -each[1][0])
        rows = ([name, str(count), str(taken)] for name, (count, taken) in rules)
        head = ("rule", "settings", "of them, taken in")
        yield table(head, rows, caption="rules that step otherwise")
    if review.code.values:
        rows = (
            [str(each), overrides_words(each), shown_place(each.place)]
            for each in review.code.values
        )
        yield table(("value", "", "defined at"), rows, caption="fields and other values")
    for coverage in review.coverage.methods:
        method = coverage.of
        over = overrides_words(method.member)
        told = f"{method.role} {method.member}: {over}, {reached_words(coverage)}"
        yield folded(told, listing(_source(coverage)), is_open=bool(coverage.left))


def _source(coverage: MemberCoverage) -> str:
    """The lines of a method with their numbers; those that no run was seen to reach have a mark."""
    method = coverage.of
    lines = Path(method.file).read_text(encoding="utf-8").splitlines()
    first = method.member.place.line or 1
    last = min(max(coverage.lines, default=first), first + SOURCE_LINES_MAX, len(lines))
    marks = dict.fromkeys(coverage.unknown, "unknown ")
    marks |= dict.fromkeys(coverage.unreached, "not reached ")
    return "\n".join(
        f"{marks.get(number, ''):12}{number:5}  {lines[number - 1]}"
        for number in range(first, last + 1)
    )


# --- runs ----------------------------------------------------------------------------------------


def _run(finding: ChangedProperty, name: str) -> h.Renderable:
    tried, difference = finding.first
    anchor = _anchor(name, finding)
    title: list[h.Node] = [finding.property, " ", _word(finding)]
    again = listing(command_of_finding(finding))
    return section(title, _told(tried, difference, anchor), again, name=anchor)


def _word(finding: ChangedProperty) -> h.Renderable:
    return badge(finding.direction.value, _TONES.get(finding.direction, "good"))


def _told(tried: Tried, difference: Difference, anchor: str) -> h.Renderable:
    assert difference.trace is not None
    system, row = row_of(tried, difference.property)
    return told_trace(Told(f"{anchor}-trace", tried.case.changed, system, row))


def _flip_run(flip: Flip, name: str) -> h.Renderable:
    spec = spec_of_flip(flip)
    anchor = _flip_anchor(flip, name)
    told = Told(f"{anchor}-trace", spec, spec.system(), flip.verdict)
    title = f"{flip.property} with {flip.larger.bound} = {flip.larger.value}"
    return section(title, told_trace(told), listing(command_of_flip(flip)), name=anchor)


__all__ = ["review_page"]
