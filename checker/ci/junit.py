"""Writes the results of a check as JUnit XML: a suite for each spec, a case for each property.

The dialect is what Jenkins and GitLab read. A failure is a verdict that differs; an error is a
question that a limit left open, or a spec that cannot be read. A property that was not tested
(vacuous, unknown or not asked, without an expectation) is skipped and says why: a green tick would
claim too much.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from finale.checker.report.places import expectation_line, shown_file, told_setting
from finale.checker.search.rows import CheckResult, Mistake, ResultRow, SpecResult
from finale.checker.search.verdict import Word
from finale.model.visible import visible

from .findings import Annotation, Level, finding_of

#: The cases of a document that are no properties.
READING = "reading"
WHOLE = "finale check"
_COUNTED = ("failure", "error", "skipped")


def junit_of(outcome: CheckResult) -> str:
    """Return the document."""
    suites = [_suite_of(result) for result in outcome.results]
    for file, mistakes in _by_file(outcome.mistakes).items():
        suites.append(_suite(file, [_mistaken(file, mistake) for mistake in mistakes]))
    for left in outcome.left_out:
        name = shown_file(left.file)
        case = _case(name, READING)
        SubElement(case, "skipped", message=_text(f"{left.why}: {left.title}"))
        suites.append(_suite(name, [case]))
    if outcome.interrupted:
        case = _case(WHOLE, "interrupted")
        SubElement(case, "error", type="interrupted", message="The check was interrupted.")
        suites.append(_suite(WHOLE, [case]))
    root = Element("testsuites", name=WHOLE)
    root.extend(suites)
    _count(root, suites)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, "unicode")}\n'


def _suite_of(result: SpecResult) -> Element:
    """The suite of a spec: all its time is that of its search."""
    name = shown_file(result.spec.file)
    suite = _suite(name, [_answer(result, row) for row in result.rows])
    suite.set("time", f"{result.report.statistics.seconds:.3f}")
    properties = Element("properties")
    about = {"title": result.spec.title, "backend": result.report.backend}
    about["setting"] = "; ".join(told_setting(result.spec))
    for key, value in about.items():
        SubElement(properties, "property", name=key, value=_text(value))
    suite.insert(0, properties)
    return suite


def _answer(result: SpecResult, row: ResultRow) -> Element:
    spec = result.spec
    case = _case(shown_file(spec.file), row.property, expectation_line(spec, row.property))
    found = finding_of(result, row)
    if found is not None and (not row.ok or found.is_open):
        kind = "error" if found.is_open else "failure"
        told = SubElement(case, kind, type=row.word, message=_text(found.sentence))
        told.text = _body(found)
    elif found is not None and found.level is Level.WARNING:
        SubElement(case, "skipped", message=_text(found.sentence))
    elif row.expected is None and row.is_unreached:
        SubElement(case, "skipped", message="never reached: no run of this spec shows it")
    elif row.expected is None and row.word not in (
        Word.HOLDS,
        Word.VIOLATED,
        Word.DOES_NOT_APPLY,
    ):
        why = f"{row.word}: {row.why}" if row.why else row.word
        SubElement(case, "skipped", message=_text(why))
    return case


def _body(found: Annotation) -> str:
    lines = () if found.told is None else found.told.lines_and_command
    return visible("\n".join([found.sentence, "", *lines]).rstrip(), "\n")


def _by_file(mistakes: Iterable[Mistake]) -> dict[str, list[Mistake]]:
    found: dict[str, list[Mistake]] = {}
    for each in mistakes:
        file = each.place.file
        found.setdefault(WHOLE if file is None else shown_file(file), []).append(each)
    return found


def _mistaken(file: str, mistake: Mistake) -> Element:
    error = mistake.error
    case = _case(file, READING, mistake.place.line)
    told = SubElement(case, "error", type=error.code, message=_text(error.message))
    told.text = visible(str(error), "\n")
    return case


def _case(file: str, name: str, line: int | None = None) -> Element:
    """A case. Jenkins takes what is before the last dot of a class name as a package."""
    parts = Path(file).with_suffix("").parts
    group = ".".join(part.replace(".", "_") for part in parts if part.strip("./"))
    case = Element("testcase", name=_text(name), classname=_text(group), file=_text(file), time="0")
    if line is not None:
        case.set("line", str(line))
    return case


def _suite(name: str, cases: Sequence[Element]) -> Element:
    suite = Element("testsuite", name=_text(name))
    suite.extend(cases)
    _count(suite, cases)
    return suite


def _count(whole: Element, parts: Sequence[Element]) -> None:
    """Set how many cases there are, and how many of each kind."""
    cases = [case for part in parts for case in part.iter("testcase")]
    whole.set("tests", str(len(cases)))
    for kind, attribute in zip(_COUNTED, ("failures", "errors", "skipped"), strict=True):
        whole.set(attribute, str(sum(case.find(kind) is not None for case in cases)))


def _text(text: str) -> str:
    """A text for an attribute: XML has no place for most control characters."""
    return visible(text)
