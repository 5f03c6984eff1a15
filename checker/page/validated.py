"""Builds the page about logs of real runs: a row for each job with its course on a time line.

A row has the states of the job, its checkpoints by outcome, stops, failures and findings, below
each other on one axis. Positions are percentages, so a row fits each width without a script. The
lines around a finding stand beside the finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import htpy as h

from finale.checker.logs.course import CourseMark, CourseSpan, JobCourse, LogExcerpt
from finale.checker.logs.findings import Finding, Severity
from finale.checker.logs.verdicts import FileRemark, JobVerdict
from finale.checker.report.layout import counted, grouped
from finale.checker.report.validated import Hazards, how_bad, told_hazards

from .document import document
from .parts import badge, folded, heading, section

#: The lanes of a row, and how high each is, in pixels.
_LANES = {"job": 14, "checkpoints": 12, "stops": 8}
_NAMES = {"job": "states of the job", "checkpoints": "checkpoints", "stops": "stops"}
_GAP, _MARKS = 4, 14
#: Something that is drawn has this width at least, in percent of the axis.
_WIDTH_MIN = 0.25
#: How states of a job are coloured; others are plain.
_GOOD_STATES = ("RUNNING", "FINISHED")
_BAD_STATES = ("RESTARTING", "FAILING", "FAILED")
_TONES = {"completed": "good", "aborted": "bad", "pending": "open"}
_SEVERITIES = {Severity.OPEN: "open"}
#: A place on an axis without length, as that of a job with one line.
_SECOND = 1.0


def validated_page(
    jobs: Sequence[tuple[JobVerdict, JobCourse | None]],
    counts: str,
    made_by: str,
    hazards: Hazards,
) -> str:
    """Return the page about jobs, the worst first. `counts` says how many lines were read.

    `hazards`: the known hazards, of which those are named that a finding is most like.
    """
    worst_first = sorted(jobs, key=lambda each: how_bad(each[0]))
    failing = sum(verdict.fails for verdict, _ in jobs)
    undecided = sum(verdict.is_open and not verdict.fails for verdict, _ in jobs)
    body = [
        heading(
            f"{counted(len(jobs), 'job')}, {failing or 'none'} with findings",
            counts,
            *([f"{undecided} undecided"] if undecided else []),
            made_by,
        ),
        _legend(),
        section("Jobs", (_job(*each, hazards) for each in worst_first)),
    ]
    return document("Finale: logs of real runs", body, styles=("validated.css",))


def _legend() -> h.Node:
    shown = (
        ("good", "attempt that runs, checkpoint completed"),
        ("bad", "restart or failure, checkpoint aborted, stop failed"),
        ("open", "checkpoint pending at the end"),
        ("stop", "stop that succeeded, or whose end no line tells"),
    )
    marks = (("failed", "a task fails"), ("finding", "a finding"))
    rows = (
        "From above: findings and failures, states of the job, checkpoints, stops with a savepoint."
    )
    return h.p(".soft")[rows], h.p(".legend")[
        ([h.span[_key(h.rect(class_=[tone], x="0", y="1", width="14", height="10")), text], " "]
         for tone, text in shown),
        ([h.span[_key(_shape(kind, "7", 6)), text], " "] for kind, text in marks),
    ]  # fmt: skip


def _key(shape: h.Node) -> h.Renderable:
    return h.svg(".course", width="14", height="12", aria_hidden="true")[shape]


def _job(verdict: JobVerdict, course: JobCourse | None, hazards: Hazards) -> h.Renderable:
    sign, tone = ("?", "open") if verdict.is_open else ("✓", "good")
    if verdict.fails:
        sign, tone = "✗", "bad"
    facts = [
        *(f"{len(n)} {s.value}" for s, n in verdict.checkpoints.items() if n),
        counted(verdict.restarts, "restart") if verdict.restarts else None,
        verdict.coverage.value,
        verdict.logs,
    ]
    conforms = verdict.conforms
    return h.article(".job")[
        h.h3[
            badge(f"{sign} {verdict.state or 'no state'}", tone),
            " ",
            verdict.name or f"job {verdict.job}",
            [" ", badge(conforms.word)] if conforms else None,
        ],
        h.p(".facts")[(h.span[each] for each in facts if each)],
        _drawn(course) if course else None,
        _files(verdict.stops) if verdict.stops else None,
        _findings(verdict.findings, course, hazards) if verdict.findings else None,
        h.p[f"{conforms.word}: {conforms.why}"] if conforms and conforms.why else None,
        _needs(verdict) if verdict.needs else None,
        _files(verdict.files) if verdict.files else None,
    ]


def _files(remarks: Sequence[FileRemark]) -> h.Renderable:
    return h.ul[(h.li[f"{each.file}:{each.where.line} {each.text}"] for each in remarks)]


def _needs(verdict: JobVerdict) -> h.Renderable:
    levels = dict.fromkeys(level for some in verdict.needs.values() for level in some)
    told = ", ".join(levels) or "no level decides them"
    return folded(
        f"not decided by these lines: {len(verdict.needs)} of the properties",
        h.p[", ".join(verdict.needs)],
        h.p(".soft")[f"needs {told}"],
    )


# --- the time line --------------------------------------------------------------------------------


def _drawn(course: JobCourse) -> h.Renderable:
    lanes = [lane for lane in _LANES if any(each.lane == lane for each in course.spans)]
    tops: dict[str, int] = {}
    top = _MARKS
    for lane in lanes:
        tops[lane] = top
        top += _LANES[lane] + _GAP
    marks = [*course.failures, *course.findings]
    told = ", ".join(_NAMES[lane] for lane in lanes)
    return h.figure(".course")[
        h.svg(".course", width="100%", height=str(top), role="img", aria_label=f"course: {told}")[
            (_line(mark, course, top) for mark in course.findings),
            (_span(each, course, tops[each.lane]) for each in course.spans),
            (_mark(each, course) for each in marks),
        ],
        h.figcaption[h.span[course.begins], h.span[_after(course.seconds)]],
    ]


def _percent(seconds: float, course: JobCourse) -> float:
    return 100 * seconds / (course.seconds or _SECOND)


def _span(span: CourseSpan, course: JobCourse, top: int) -> h.Renderable:
    begins = min(_percent(span.begins, course), 100 - _WIDTH_MIN)
    width = max(_percent(span.ends, course) - begins, _WIDTH_MIN)
    lines = f"line {span.line}" + (f" to {span.last}" if span.last is not None else "")
    told = f"{span.label} ({lines}; {span.ends - span.begins:.3f} s)"
    box = h.rect(
        class_=[span.lane, _tone(span)],
        x=f"{begins:.3f}%",
        y=str(top),
        width=f"{width:.3f}%",
        height=str(_LANES[span.lane]),
    )
    return h.g[h.title[told], box]


def _tone(span: CourseSpan) -> str:
    if span.lane == "stops":
        return f"stop {span.kind}"
    if span.lane == "checkpoints":
        return _TONES[span.kind]
    return "good" if span.kind in _GOOD_STATES else "bad" if span.kind in _BAD_STATES else "plain"


def _mark(mark: CourseMark, course: JobCourse) -> h.Renderable:
    at = f"{min(max(_percent(mark.at, course), 0.5), 99.5):.3f}%"
    kind = "failed" if mark.kind == "failed" else "finding"
    told = mark.label if kind == "failed" else f"{mark.kind}: {mark.label}"
    return h.g[h.title[f"{told} (line {mark.line})"], _shape(kind, at, 7)]


def _shape(kind: str, x: str, y: int) -> h.Renderable:
    if kind == "failed":
        return h.circle(".failed", cx=x, cy=str(y), r="3.5")
    return h.svg(x=x, y=str(y - 6), overflow="visible")[h.path(".finding", d="M0 0l6 11h-12z")]


def _line(mark: CourseMark, course: JobCourse, height: int) -> h.Renderable:
    at = f"{min(max(_percent(mark.at, course), 0.5), 99.5):.3f}%"
    return h.line(".finding", x1=at, x2=at, y1="7", y2=str(height))


def _after(seconds: float) -> str:
    return f"{grouped(round(seconds))} s later" if seconds >= 10 else f"{seconds:.3f} s later"


# --- findings -------------------------------------------------------------------------------------


def _findings(
    findings: Sequence[Finding], course: JobCourse | None, hazards: Hazards
) -> h.Renderable:
    around = {} if course is None else {each.of: each for each in course.excerpts}
    told = [None, *(each.property for each in findings)]
    shown = {each.place: each for each in reversed(findings)}
    names = {each.property for each in findings}
    return h.ul(".findings")[
        (
            _finding(
                each,
                around.get(each.place) if shown[each.place] is each else None,
                told_hazards(each, names, hazards),
                again=each.property == before,
            )
            for each, before in zip(findings, told, strict=False)
        )
    ]


def _finding(
    finding: Finding, excerpt: LogExcerpt | None, like: str, *, again: bool
) -> h.Renderable:
    """A finding beside its lines. The sentence of its property is not said `again`."""
    about = ", ".join(value for _, value in finding.binding)
    return h.li[
        h.div[
            h.p[
                badge(finding.severity.value, _SEVERITIES.get(finding.severity, "bad")),
                " ",
                h.strong[finding.property],
                about and f" ({about})",
            ],
            h.p(".place")[
                h.code[finding.place],
                f" to {finding.told_until}" if finding.until else None,
            ],
            None if again else h.p[f"Should hold: {finding.sentence}"],
            finding.why and h.p[finding.why],
            None if again or not like else h.p[like],
        ],
        h.pre(tabindex="0")[h.code[tuple(_lines(excerpt))]] if excerpt else None,
    ]


def _lines(excerpt: LogExcerpt) -> Iterator[h.Node]:
    width = len(str(excerpt.lines[-1][0])) if excerpt.lines else 0
    for number, text in excerpt.lines:
        told = f"{number:>{width}} {text.expandtabs(4)}\n"
        yield h.mark[told] if number == excerpt.line else told


__all__ = ["validated_page"]
