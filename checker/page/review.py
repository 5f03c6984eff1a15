"""Builds the page of `finale review`: what a change changes, with a run for each finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import htpy as h

from finale.checker.report.about import overrides_words, reached_words
from finale.checker.report.layout import counted
from finale.checker.report.places import (
    other_options,
    portable_error,
    portable_file,
    portable_place,
)
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
    told_of_change,
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
from finale.checker.spec.claim import Spec
from finale.checker.spec.meanings import summary
from finale.checker.spec.typed import option_word

from .context import context
from .document import document, fixed
from .ids import ids_section
from .parts import badge, folded, heading, listing, named, section, table
from .told import Told, legend, told_trace

#: How the word of a direction is coloured. What is unknown without the change, or with it, is not
#: known to be new: it has no colour.
_TONES = {
    Direction.VIOLATED: "bad",
    Direction.UNREACHED: "open",
    Direction.VACUOUS: "open",
    Direction.UNASKED: "open",
    Direction.UNSETTLED: "unsure",
    Direction.UNREACHED_OR_NOT: "unsure",
    Direction.VACUOUS_OR_NOT: "unsure",
    Direction.UNKNOWN: "unsure",
    Direction.DECIDED: "unsure",
    Direction.SEEN: "unsure",
    Direction.REACHED: "plain",
    Direction.MENDED: "good",
    Direction.TESTED: "good",
    Direction.ASKED: "good",
}
#: What the colours mean.
_COLOURS = (
    ("bad", "newly violated", "with the change, and known to hold without it"),
    ("open", "no longer reached", "or vacuous, or not asked, with the change alone"),
    ("good", "mended", "better with the change"),
    ("unsure", "unknown on one side", "nobody knows whether the change does it"),
)
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
    specs = [spec for review in reviews for spec in _specs_shown(review)]
    if specs:
        body.append(section("Legend", _colours(), legend(), name="legend"))
    whole = fixed(h.fragment[body])
    return document(f"Review: {title}", [whole, ids_section(whole, specs)])


def _colours() -> h.Renderable:
    return h.ul(".legend")[
        (h.li[badge(word, tone), f" {meaning}"] for tone, word, meaning in _COLOURS)
    ]


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
    facts += [badge(each, _tone_of(each)) for each in (*others, *missing)]
    return facts


def _tone_of(told: str) -> str:
    """The colour of a number of verdicts that differ one way, or of what is missing."""
    return next((t for each, t in _TONES.items() if told.endswith(f" {each.value}")), "open")


def _review(review: Review, name: str) -> Iterator[h.Node]:
    if review.remarks:
        yield section("The change is not what it seems", h.ul[map(_remark, review.remarks)])
    if review.errors:
        errors = dict.fromkeys(map(portable_error, review.errors.values()))
        yield section("Refused with an error", h.ul[(h.li[h.pre[each]] for each in errors)])
    yield section("Verdicts that differ", _verdicts(review, name))
    seen = review.behaviours
    if seen is not None and (seen.compared or seen.refused):
        yield section("What an observer sees", *_behaviours(seen))
    if review.stability is not None:
        yield section("With larger bounds", *_stability(review, name))
    yield section("The change", *_change(review))
    for run in _runs(review):
        yield _run(run, name)
    for flip in _flips(review):
        yield _flip_run(flip, name)


def _runs(review: Review) -> Sequence[Sequence[ChangedProperty]]:
    """The findings that have a run: those together that one run shows, the worst first."""
    one_each = [(each,) for each in review.findings if not each.direction.falls]
    found = [run for run in (*review.runs, *one_each) if run[0].first[1].trace is not None]
    return found[:RUNS_MAX]


def _flips(review: Review) -> list[Flip]:
    """The flips that have a run on the page: one of each property."""
    kinds = (review.new_flips, review.unsettled_flips, other_ends_of_mends(review))
    return [flips[0] for kind in kinds for flips in kind[:RUNS_MAX]]


def _specs_shown(review: Review) -> Iterator[Spec]:
    """The settings of the runs on the page."""
    yield from (run[0].first[0].case.changed for run in _runs(review))
    yield from (flip.larger.case.changed for flip in _flips(review))


def _remark(remark: Remark) -> h.Renderable:
    where = "" if remark.place is None else f" ({portable_place(remark.place)})"
    return h.li[remark.message, h.span(".soft")[where]]


# --- verdicts ------------------------------------------------------------------------------------


def _verdicts(review: Review, name: str) -> h.Renderable:
    if not review.findings:
        where = " in the settings that were tried" if review.errors else ""
        return h.p[f"No verdict differs{where}."]
    head = ("property", "verdict", "settings", "steps", "shortest in", "its options")
    anchors = {id(each): _anchor(name, run[0]) for run in _runs(review) for each in run}
    rows = (_finding(review, each, anchors.get(id(each), "")) for each in review.findings)
    return table(head, rows, caption="the worst first")


def _finding(review: Review, finding: ChangedProperty, anchor: str) -> list[h.Node]:
    tried, difference = finding.first
    direction, trace = finding.direction, difference.trace
    end = end_of_mend(review, finding)
    word: list[h.Node] = [badge(direction.value, _TONES[direction])]
    if end is not None:
        word = [badge(direction.value, "open"), " ", only_up_to(end)]
    spec = tried.case.changed
    files = [portable_file(each.case.file) for each, _ in finding.shown]
    options = (h.div[h.code[f"{key} = {option_word(value)}"]] for key, value in other_options(spec))
    return [
        [
            named(spec, finding.property, anchor),
            _soft(told_on_request(tried.case, finding.property)),
        ],
        word,
        folded(f"{len(files)} of {len(review.tried)}", listing("\n".join(files))),
        "" if trace is None else str(trace.length),
        portable_file(tried.case.file),
        [*options] or "defaults",
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
            name = portable_file(case.file)
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
    spec, anchor = larger.case.changed, "" if name is None else _flip_anchor(flip, name)
    return [
        [
            named(spec, flip.property, anchor),
            _soft(unknown_before(flip)),
            _soft(told_on_request(larger.case, flip.property)),
        ],
        f"{larger.bound} = {larger.value - 1}",
        badge(f"{larger.bound} = {larger.value}", "bad" if flip.is_new else "unsure"),
        str(flip.verdict.steps),
        portable_file(larger.case.file),
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
            [str(each), overrides_words(each), portable_place(each.place)]
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


def _run(run: Sequence[ChangedProperty], name: str) -> h.Renderable:
    """One run, with all that it shows."""
    tried, difference = run[0].first
    anchor = _anchor(name, run[0])
    word = badge(run[0].direction.value, _TONES[run[0].direction])
    title: list[h.Node] = [", ".join(each.property for each in run), " ", word]
    again = listing(command_of_finding(run[0], path_of=portable_file))
    told = _told(tried, difference, anchor)
    return section(title, _setting(tried.case.changed), told, again, name=anchor)


def _setting(spec: Spec) -> h.Renderable:
    return h.fragment[h.p(".facts")[f"in {portable_file(spec.file)}"], context(spec)]


def _told(tried: Tried, difference: Difference, anchor: str) -> h.Renderable:
    assert difference.trace is not None
    system, row = row_of(tried, difference.property)
    told = Told.of(f"{anchor}-trace", tried.case.changed, system, row)
    acts = told_of_change(tried, difference)
    return h.fragment[told_trace(told), h.p[f"{acts[0].upper()}{acts[1:]}."] if acts else None]


def _flip_run(flip: Flip, name: str) -> h.Renderable:
    spec = spec_of_flip(flip)
    anchor = _flip_anchor(flip, name)
    told = told_trace(Told.of(f"{anchor}-trace", spec, spec.system(), flip.verdict))
    title = f"{flip.property} with {flip.larger.bound} = {flip.larger.value}"
    again = listing(command_of_flip(flip, path_of=portable_file))
    return section(title, _setting(spec), told, again, name=anchor)


__all__ = ["review_page"]
