"""Shows regularities that a few of many runs break, each with file and line."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from finale.checker.logs.regularities.mining import Break, BrokenGroup, Mined, Regularity

from .layout import counted, grouped, joined

#: So many regularities of a group, breaks of a regularity, and names of runs are shown.
_SHOWN = 3


def mined_lines(mined: Mined, most: int) -> Iterator[Text]:
    """The groups with the fewest runs, at most so many, and a summary."""
    for group in mined.groups[:most]:
        yield from _group_lines(mined, group)
    broken = sum(len(group.regularities) + group.others for group in mined.groups)
    shown = min(most, len(mined.groups))
    yield joined(
        [
            counted(len(mined.runs), "run"),
            f"{grouped(broken + mined.unbroken)} regularities",
            f"{grouped(mined.unbroken)} hold in each run",
            f"{shown} of {counted(len(mined.groups), 'group')} of runs shown",
        ]
    )
    if mined.left_out:
        left = counted(mined.left_out, "run")
        yield Text(f"  left out: {left} without a beginning or an end", "yellow")


def mined_document(mined: Mined) -> dict[str, object]:
    """The same as plain data, with every group."""
    return {
        "runs": [run.name for run in mined.runs],
        "left_out": mined.left_out,
        "unbroken": mined.unbroken,
        "groups": [
            {
                "runs": [mined.runs[number].name for number in group.runs],
                "others": group.others,
                "regularities": [_row(mined, each) for each in group.regularities],
            }
            for group in mined.groups
        ],
    }


def _group_lines(mined: Mined, group: BrokenGroup) -> Iterator[Text]:
    names = [mined.runs[number].name for number in group.runs]
    more = "" if len(names) <= _SHOWN else f", and {len(names) - _SHOWN} more"
    yield Text(f"{', '.join(names[:_SHOWN])}{more}", "bold")
    for each in group.regularities[:_SHOWN]:
        yield Text(f"  {each.sentence}")
        yield Text(f"    holds in {counted(each.holds, 'run')}; broken in", "dim")
        for broken in each.breaks[:_SHOWN]:
            yield Text(f"    {_place(mined, broken)}", "cyan") + Text(_about(broken))
        rest = len(each.breaks) - _SHOWN
        if rest > 0:
            yield Text(f"    and {counted(rest, 'more place')}", "dim")
    rest = len(group.regularities) - _SHOWN
    others = max(rest, 0) + group.others
    if others > 0:
        yield Text(f"  and {grouped(others)} more that the same runs break", "dim")
    yield Text("")


def _row(mined: Mined, each: Regularity) -> dict[str, object]:
    return {
        "scope": each.scope,
        "shape": each.shape.name.lower(),
        "lines": each.lines.text,
        "other": each.other.text,
        "sentence": each.sentence,
        "holds": each.holds,
        "breaks": [
            {
                "run": mined.runs[broken.run].name,
                "about": broken.about,
                "place": _place(mined, broken),
            }
            for broken in each.breaks
        ],
    }


def _about(broken: Break) -> str:
    return f"  {broken.about}" if broken.about else ""


def _place(mined: Mined, broken: Break) -> str:
    return mined.runs[broken.run].place(broken.event)
