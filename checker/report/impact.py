"""Shows what a change of Flink touches: as text, as JSON, and as Markdown for a comment."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from finale.checker.impact.code import Code
from finale.checker.impact.comparing import PACKAGES, READ, SHOWING, Change, How, Impact, LineChange
from finale.checker.impact.naming import Kind, Name
from finale.checker.studies.effects import Effect

from .layout import Cell, columns, counted, paragraph
from .markdown import comment, folded, inline

_STYLES = {Effect.LOSS: "bold red", Effect.HANG: "red", Effect.OTHER: "yellow"}
#: So many lines of a difference are printed; the other formats have all.
DIFF_MAX = 16
#: So many methods without a name are printed, and so many in a comment of each list.
UNNAMED_MAX = 20
SPECS_MAX = 3
_PACKAGE = re.compile(r"(?:[a-z]\w*/)+(?=[A-Z])")

NAMED = "changed where rules stand"
NEAR = "changed near a rule"
UNNAMED = "changed where no rule stands"
LINES = "log lines whose text changed"
UNSEEN = "not looked at"


def short(line: str) -> str:
    """A line of code without the packages of its classes."""
    return _PACKAGE.sub("", line)


def build_words(build: Code) -> str:
    """A build for a reader: its name, and its version if the name does not say the version."""
    has = build.version and build.version not in build.name
    return f"{build.name} ({build.version})" if has else build.name


def same_version(impact: Impact) -> str:
    """What is said of two builds that say that they are of one version."""
    if impact.old.version and impact.old.version == impact.new.version:
        return f"both say that they are Flink {impact.old.version}"
    return ""


def summary_line(impact: Impact) -> str:
    """The whole result in one line."""
    return (
        f"{counted(len(impact.named), 'method')} that rules name, "
        f"{counted(len(impact.near), 'method')} near them, "
        f"{counted(len(impact.unnamed), 'other method')} of the protocol's packages, "
        f"{counted(len(impact.lines), 'log line')}"
    )


def names_of(change: Change) -> list[str]:
    """Who names a method: `rule PL-4`, several of a kind together."""
    found: dict[Kind, list[str]] = {}
    for name in change.named_by:
        found.setdefault(name.kind, []).append(name.key)
    return [
        f"{kind.value if len(keys) == 1 else f'{kind.value}s'} {', '.join(dict.fromkeys(keys))}"
        for kind, keys in found.items()
    ]


def effect_words(change: Change) -> str:
    """The worst effect that specs show, with some of these specs."""
    if change.effect is None:
        return "no spec shows what is violated without it"
    worst = [each.spec for each in change.evidence if each.effect is change.effect]
    more = f" and {len(worst) - SPECS_MAX} more" if len(worst) > SPECS_MAX else ""
    return f"{change.effect.value}: {', '.join(worst[:SPECS_MAX])}{more}"


def unseen_sentences(impact: Impact) -> Iterator[str]:
    """What the comparison does not say."""
    yield (
        f"{counted(impact.elsewhere, 'changed method')} of {', '.join(READ)}, which "
        "no rule names, and which are in no package of the protocol"
    )
    if impact.unread:
        yield f"{impact.unread} classes of other packages that differ (APIs, SQL, file systems)"
    yield f"methods that show or compare objects: {', '.join(sorted(SHOWING - {'$values'}))}"
    yield "fields, annotations and defaults without code; files that are no classes"
    if impact.only_compiled:
        yield (
            f"{impact.only_compiled} classes that were read and differ, but in no method: the "
            "compiler made the difference, or fields and line numbers"
        )
    missing, all_lines = impact.lines_not_found
    if missing:
        yield (
            f"{missing} of {counted(all_lines, 'log line')}: neither has the text in the class "
            "that has the logger"
        )
    if impact.left_out:
        yield f"{len(impact.left_out)} packages that only one of the two has: it is a part of Flink"
    if impact.absent:
        names = dict.fromkeys(f"{name.owner}.{name.method} ({name.told})" for name in impact.absent)
        yield f"named methods that neither has: {', '.join(names)}"


# --- in a terminal -------------------------------------------------------------------------------


def impact_lines(impact: Impact, width: int) -> list[Text]:
    """The whole answer."""
    lines = [Text(f"{build_words(impact.old)} → {build_words(impact.new)}", "bold")]
    if said := same_version(impact):
        lines += paragraph(Text(said, "yellow"), width, indent=2)
    lines += [*_head(NAMED), *_named(impact.named, width)]
    lines += [*_head(NEAR), *_rows(_near_cells(impact.near), width)]
    lines += [*_head(UNNAMED), *_rows(_unnamed_cells(impact.unnamed), width)]
    lines += [*_head(LINES), *_rows(list(map(_line_cells, impact.lines)), width)]
    lines += _head(UNSEEN)
    for each in unseen_sentences(impact):
        lines += paragraph(Text(each, "dim"), width, indent=2)
    return [*lines, Text(), Text(summary_line(impact), "bold")]


def _head(title: str) -> list[Text]:
    return [Text(), Text(title, "bold cyan")]


def _rows(rows: Sequence[Sequence[Cell]], width: int) -> list[Text]:
    return columns(rows, width, indent=2) if rows else [Text("  none")]


def _named(changes: Sequence[Change], width: int) -> Iterator[Text]:
    if not changes:
        yield Text("  none")
    for change in changes:
        style = "" if change.effect is None else _STYLES.get(change.effect, "")
        yield from paragraph(Text(f"{change.title}  {change.how.value}", style), width, indent=2)
        for said in (", ".join(names_of(change)), effect_words(change), change.note):
            yield from paragraph(Text(said, "dim"), width, indent=4) if said else ()
        shown = change.diff[:DIFF_MAX] if change.how is How.CHANGED else ()
        for line in shown:
            sign = {"+": "green", "-": "red"}.get(line[:1], "dim")
            yield Text(f"      {short(line)}", sign)
        if len(shown) < len(change.diff):
            left = counted(len(change.diff) - len(shown), "more line")
            yield Text(f"      … {left}: --format html shows all", "dim")


def _near_cells(changes: Sequence[Change]) -> list[list[Cell]]:
    return [[each.title, each.how.value, "; ".join(each.near[:SPECS_MAX])] for each in changes]


def _unnamed_cells(changes: Sequence[Change]) -> list[list[Cell]]:
    rows: list[list[Cell]] = [[each[0], each[1], each[2]] for each in classes_of(changes)]
    left = len(rows) - UNNAMED_MAX
    more: list[list[Cell]] = [["…", "", f"{left} more classes: --format html"]] if left > 0 else []
    return rows[:UNNAMED_MAX] + more


def classes_of(changes: Sequence[Change]) -> list[tuple[str, str, str]]:
    """The methods without a name by their classes: the class, new or changed, its methods."""
    found: dict[str, list[Change]] = {}
    for each in changes:
        found.setdefault(each.key[0], []).append(each)
    rows: list[tuple[str, str, str]] = []
    for owner, own in found.items():
        how = Counter(each.how for each in own).most_common(1)[0][0]
        whole = how in (How.NEW_CLASS, How.GONE_CLASS)
        methods = counted(len(own), "method") if whole else ", ".join(_told(each) for each in own)
        name = owner.rpartition("/")[2].replace("$", ".")
        rows.append((name, how.value if whole else "changed", methods))
    return rows


def _told(change: Change) -> str:
    name = change.key[1]
    return name if change.how is How.CHANGED else f"{name} ({change.how.value})"


def _line_cells(line: LineChange) -> list[Cell]:
    return [line.event, line.logger.rpartition("/")[2], line_words(line)]


def line_words(line: LineChange) -> str:
    """What became of the text of a log line."""
    old, new = (" / ".join(f'"{each}"' for each in texts) for texts in (line.old, line.new))
    after = f"is now {new}" if new else "is not written here any more"
    read = "validate still reads it" if line.is_read else "validate does not read it any more"
    return f"{old} {after}; {read}"


# --- as JSON -------------------------------------------------------------------------------------


def impact_json(impact: Impact) -> dict[str, object]:
    """Everything, with the whole code of both builds."""
    return {
        "old": _build_json(impact.old),
        "new": _build_json(impact.new),
        "named": [_change_json(each) for each in impact.named],
        "near": [_change_json(each) for each in impact.near],
        "unnamed": [_change_json(each) for each in impact.unnamed],
        "log_lines": [
            {
                "event": each.event,
                "logger": each.logger.replace("/", "."),
                "old": list(each.old),
                "new": list(each.new),
                "read": each.is_read,
            }
            for each in impact.lines
        ],
        "packages": list(PACKAGES),
        "not_looked_at": list(unseen_sentences(impact)),
    }


def _build_json(build: Code) -> dict[str, object]:
    return {"name": build.name, "version": build.version or None, "classes": len(build.sums)}


def _change_json(change: Change) -> dict[str, object]:
    return {
        "class": change.key[0].replace("/", "."),
        "method": change.key[1],
        "change": change.how.value,
        "named_by": [_name_json(each) for each in change.named_by],
        "effect": None if change.effect is None else change.effect.name.lower(),
        "specs": [
            {"spec": each.spec, "property": each.property, "effect": each.effect.name.lower()}
            for each in change.evidence
        ],
        "near": list(change.near),
        "note": change.note or None,
        "old": list(change.old),
        "new": list(change.new),
    }


def _name_json(name: Name) -> dict[str, object]:
    return {"kind": name.kind.value, "name": name.key, "says": name.sentence}


# --- as Markdown ---------------------------------------------------------------------------------


def impact_markdown(impact: Impact) -> str:
    """A comment for a pull request, shorter than such comments may be."""
    head = [f"### What `{build_words(impact.old)}` → `{build_words(impact.new)}` touches", ""]
    head += [f"{summary_line(impact)}.", ""]
    if said := same_version(impact):
        head += [f"The two builds: {said}.", ""]
    tail = ["", f"**{UNSEEN.capitalize()}**", ""]
    tail += [f"- {inline(each)}" for each in unseen_sentences(impact)]
    rest = "The rest does not fit into a comment: `--format html` shows all."
    return comment(head, _parts(impact), tail, rest)


def _parts(impact: Impact) -> Iterator[str]:
    yield _title(NAMED)
    for each in impact.named:
        yield _details(each)
    yield from () if impact.named else ("none",)
    yield _title(NEAR)
    for each in impact.near:
        yield f"- `{each.title}` ({each.how.value}): {inline('; '.join(each.near[:SPECS_MAX]))}"
    yield from () if impact.near else ("none",)
    yield _title(LINES)
    for line in impact.lines:
        yield f"- {inline(f'{line.event}: {line_words(line)}')}"
    yield from () if impact.lines else ("none",)
    yield _title(UNNAMED)
    for name, how, methods in classes_of(impact.unnamed):
        yield f"- `{name}` ({how}): {inline(methods)}"
    yield from () if impact.unnamed else ("none",)


def _title(title: str) -> str:
    return f"\n**{title.capitalize()}**\n"


def _details(change: Change) -> str:
    about = [*names_of(change), effect_words(change), *([change.note] if change.note else [])]
    summary = f"<code>{inline(change.title)}</code> {change.how.value}"
    return folded(summary, map(short, change.diff), "diff", about)


__all__ = [
    "LINES", "NAMED", "NEAR", "UNNAMED", "UNSEEN", "build_words", "classes_of", "effect_words",
    "impact_json", "impact_lines", "impact_markdown", "line_words", "names_of", "same_version",
    "short", "summary_line", "unseen_sentences",
]  # fmt: skip
