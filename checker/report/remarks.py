"""Shows how a change is not what it seems, for a review and for a check of one spec."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from finale.checker.review.seeming import Remark

from .layout import Cell, columns
from .places import shown_file, shown_place

#: A remark names so many specs; of more only the number.
SPECS_MAX = 3


def remark_lines(remarks: Iterable[Remark], width: int) -> list[Text]:
    """How a change is not what it seems."""
    rows: list[list[Cell]] = []
    for each in remarks:
        where = "" if each.place is None else f" ({shown_place(each.place)})"
        rows.append([Text("!", "bold yellow"), f"{_specs(each)}{each.message}{where}"])
    return columns(rows, width, indent=2)


def _specs(remark: Remark) -> str:
    names = [shown_file(each) for each in remark.specs]
    if not names:
        return ""
    return f"{', '.join(names) if len(names) <= SPECS_MAX else f'{len(names)} specs'}: "


__all__ = ["remark_lines"]
