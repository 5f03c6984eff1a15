"""Lists what a variant defines: its rules, helpers and values, and what they take the place of."""

from __future__ import annotations

from rich.text import Text

from finale.checker.review.code import ChangedCode
from finale.checker.review.lines import Coverage, MemberCoverage
from finale.checker.spec.overriding import Member, class_name

from .layout import columns, counted, joined
from .places import shown_file


def defined_lines(
    code: ChangedCode, width: int, *, indent: int = 2, coverage: Coverage | None = None
) -> list[Text]:
    """All members by file; with a coverage, how many of their lines some run reached."""
    roles = {each.member: each.role for each in code.methods}
    reached = {each.of.member: each for each in coverage.methods} if coverage else {}
    lines: list[Text] = []
    for file in dict.fromkeys(each.place.file or "" for each in code.members):
        lines.append(Text(" " * indent + shown_file(file), "dim"))
        rows: list[list[Text]] = []
        for member in code.members:
            if member.place.file != file:
                continue
            told = joined([overrides_words(member), f"line {member.place.line}"])
            if member in reached and reached[member].lines:
                own = reached[member]
                told = joined([told, Text(reached_words(own), "yellow" if own.left else "green")])
            role = Text(roles.get(member, "value"), "dim")
            rows.append([role, Text(str(member), "bold"), told])
        lines += columns(rows, width, indent=indent + 2)
    return lines


def overrides_words(member: Member) -> str:
    """What a member takes the place of: the class that its own derives from, and the class that
    has the inherited value, if that is another one."""
    if member.inherited is None:
        return "new"
    owner = member.inherited[0]
    base = next((each for each in member.kind.__bases__ if issubclass(each, owner)), owner)
    defined = "" if base is owner else f", defined in {class_name(owner)}"
    return f"overrides {class_name(base)}{defined}"


def reached_words(coverage: MemberCoverage) -> str:
    """How many lines of a method some run has reached, and of how many that is unknown."""
    if not coverage.left:
        return "all lines reached"
    count = len(coverage.lines)
    unknown = f", {len(coverage.unknown)} unknown" if coverage.unknown else ""
    return f"{count - len(coverage.left)} of {counted(count, 'line')} reached{unknown}"
