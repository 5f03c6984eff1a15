"""Writes findings for GitHub Actions: annotations beside the lines, and a summary of the job.

A runner reads commands in everything that a step prints. So foreign text is escaped, and the
output of the check stands between `stop-commands` and its end.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from html import escape

from finale.checker.report.layout import counted
from finale.checker.search.rows import CheckResult, Exit, SpecResult
from finale.model.visible import visible

from .findings import Annotation, Checkout, findings, shown

#: A summary of a step may have a megabyte; a longer one is refused.
SUMMARY_BYTES_MAX = 1_000_000
#: More findings than this are counted and not listed.
FINDINGS_MAX = 200
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_VALUE = {**_DATA, ":": "%3A", ",": "%2C"}


# --- annotations ---------------------------------------------------------------------------------


class Guard:
    """What stops the runner from reading commands, and what lets it read them again."""

    def __init__(self) -> None:
        self._token = secrets.token_hex(16)

    @property
    def begin(self) -> str:
        """The line after which nothing is a command."""
        return f"::stop-commands::{self._token}"

    @property
    def end(self) -> str:
        """The line after which commands are read again."""
        return f"::{self._token}::"


def annotation_lines(outcome: CheckResult, checkout: Checkout) -> Iterator[str]:
    """Return a command for each finding: the runner shows it beside the line of the spec."""
    for found in findings(outcome):
        values = {"title": _title(found)}
        if found.place.file is not None:
            file = checkout.path_of(found.place.file)
            values = {"file": file, "line": str(found.place.line or 1), **values}
        told = ",".join(f"{name}={_replaced(value, _VALUE)}" for name, value in values.items())
        message = _replaced("\n".join(_message(found, checkout)), _DATA)
        yield f"::{found.level.value} {told}::{message}"


def _title(found: Annotation) -> str:
    return f"Finale: {found.name}"


def _message(found: Annotation, checkout: Checkout) -> Iterator[str]:
    """A few lines: an annotation has no room for a trace."""
    yield found.sentence
    if found.told is not None and found.told.story is not None:
        yield found.told.story.sentence
        yield from (f"{each.label} = {each.new}" for each in found.told.story.ending)
        yield f"Show it step by step: {found.told.again_in(checkout)}"


def _replaced(text: str, signs: dict[str, str]) -> str:
    shown = visible(text, "\r\n")
    return "".join(signs.get(each, each) for each in shown)


# --- the summary ---------------------------------------------------------------------------------


def summary_page(outcome: CheckResult) -> str:
    """Return the summary of the job in Markdown: a table, then each counterexample, folded."""
    found = list(findings(outcome))
    lines = ["## Finale", "", _counts(outcome.results, outcome), ""]
    if found:
        lines += ["| | Spec | Property | What |", "|---|---|---|---|"]
        lines += [_table_row(each) for each in found[:FINDINGS_MAX]]
        lines += [f"\n{len(found) - FINDINGS_MAX} more."] if len(found) > FINDINGS_MAX else []
    text = "\n".join([*lines, ""])
    for each in found[:FINDINGS_MAX]:
        part = _folded(each)
        if len((text + part).encode()) > SUMMARY_BYTES_MAX:
            break
        text += part
    return text


def _counts(results: Sequence[SpecResult], outcome: CheckResult) -> str:
    good = sum(result.exit is Exit.AS_EXPECTED for result in results)
    parts = [f"{counted(len(results), 'spec')} checked, {good} as expected"]
    mistakes = counted(len(outcome.mistakes), "mistake")
    parts += [f"{mistakes} in the input"] if outcome.mistakes else []
    parts += [f"{len(outcome.left_out)} left out"] if outcome.left_out else []
    parts += ["interrupted"] if outcome.interrupted else []
    return ", ".join(parts) + "."


def _table_row(found: Annotation) -> str:
    line = "" if found.place.line is None else f":{found.place.line}"
    sign = {"error": "❌", "warning": "⚠️"}[found.level.value]
    where = f"{shown(found)}{line}"
    return f"| {sign} | {_code(where)} | {_code(found.name)} | {_plain(found.sentence)} |"


def _code(text: str) -> str:
    return f"<code>{_plain(text)}</code>" if text else ""


def _plain(text: str) -> str:
    """A text in which Markdown, HTML and mentions mean nothing."""
    return "".join(
        each if each.isalnum() or each == " " else f"&#{ord(each)};" for each in visible(text)
    )


def _folded(found: Annotation) -> str:
    """A counterexample that a reader opens."""
    lines = () if found.told is None else found.told.lines_and_command
    if not lines:
        return ""
    head = _plain(f"{shown(found)}: {found.name}")
    body = escape(visible("\n".join(lines), "\n"))
    # Between blank lines, `pre` is a block of its own, which may hold blank lines.
    return f"\n<details><summary>{head}</summary>\n\n<pre>\n{body}\n</pre>\n\n</details>\n"
