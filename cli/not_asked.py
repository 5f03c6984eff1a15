"""Says that a proof asked nothing, because a rule reads the layout."""

from __future__ import annotations

from rich.text import Text

from finale.checker.report.layout import console, paragraph, write
from finale.checker.report.places import shown_place
from finale.model.errors import FinaleError

from .output import document, say_json


def say_not_asked(error: FinaleError, head: dict[str, object], command: str, as_text: bool) -> None:
    """Print which code reads which value of the layout, and where."""
    if not as_text:
        place = error.place
        row: dict[str, object] = {"verdict": "not-asked", "why": error.message}
        if place is not None:
            row |= {"rule": place.rule, "file": place.file, "line": place.line}
        say_json(document(command) | head | row)
        return
    page = console()
    write(
        page, [Text("Not asked: a rule reads what a window and a run do not have alike.", "bold")]
    )
    where = shown_place(error.place) if error.place is not None else ""
    write(
        page,
        paragraph(
            Text(f"{where}: {error.message}" if where else error.message), page.width, indent=4
        ),
    )
    write(page, paragraph(Text(error.advice, "dim"), page.width, indent=4))
