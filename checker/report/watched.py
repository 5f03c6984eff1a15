"""Shows the findings in growing logs, record by record, each with file and line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.text import Text

from .layout import counted, joined

#: What belongs to a record stands below its head, behind the time.
_IN = " " * 12
_STYLE = {"violated": "red", "stuck": "red"}


def told_lines(records: Iterable[Mapping[str, Any]]) -> Iterator[Text]:
    """Records that come together, each with the time of day when it was made.

    What a property claims is said with the first of its findings.
    """
    said: set[str] = set()
    for record in records:
        match record["what"]:
            case "finding":
                yield from _finding(record, is_first=record["property"] not in said)
                said.add(record["property"])
            case "withdrawn":
                mark, told = Text("✓ ", "bold green"), Text("not ") + _property(record)
                yield _head(mark, record, told)
                yield Text(f"{_IN}as lines that came since explain; it was said of ", "dim") + Text(
                    record["where"], "cyan"
                )
            case "rejected":
                yield _head(Text("✗ ", "bold red"), record, Text("rejected", "red"))
                yield Text(f"{_IN}{record['why']}")
                yield Text(f"{_IN}{record['logs']}", "cyan")
            case "job":
                yield from _job(record)
            case _:
                yield _head(Text("! ", "bold yellow"), record, Text(record["why"]))


def _head(mark: Text, record: Mapping[str, Any], told: Text) -> Text:
    time = Text(record["time"][11:19], "dim")
    name = record.get("name") or record.get("job") or record["logs"]
    return joined([time, mark + Text(name, "bold") + Text(": ") + told], "  ")


def _finding(record: Mapping[str, Any], *, is_first: bool) -> Iterator[Text]:
    yield _head(Text("✗ ", "bold red"), record, _property(record))
    if is_first:
        yield Text(f"{_IN}{record['sentence']}", "dim")
    yield Text(f"{_IN}{record['where']}", "cyan")
    if record["why"] is not None:
        yield Text(f"{_IN}because: {record['why']}")


def _property(record: Mapping[str, Any]) -> Text:
    about = ", ".join(record["binding"].values())
    severity = record["severity"]
    name = f"{record['property']}({about})" if about else record["property"]
    return Text(severity, _STYLE.get(severity, "")) + Text(f" {name}")


def _job(record: Mapping[str, Any]) -> Iterator[Text]:
    wrong = record["findings"]
    mark = Text("✗ ", "bold red") if wrong else Text("✓ ", "bold green")
    told = record["state"] or "its log has ended"
    if record["word"] == "truncated":
        mark, told = Text("… ", "bold yellow"), "truncated: nothing more has come"
    elif record["word"] == "grows":
        mark, told = Text("… ", "bold"), "goes on"
    told += f", {counted(wrong, 'finding')}" if wrong else ""
    yield _head(mark, record, Text(told))
    points = [f"{count} {fate}" for fate, count in record["checkpoints"].items() if count]
    parts = [*points, counted(record["events"], "event"), record["coverage"]]
    yield Text(_IN) + joined(parts) + Text(f"  {record['logs']}", "dim")
    if record["open"]:
        yield Text(f"{_IN}still to come: {', '.join(record['open'])}", "yellow")
