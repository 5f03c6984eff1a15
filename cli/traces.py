"""Writes traces as ITF files, one file for each property."""

from __future__ import annotations

from pathlib import Path

from checker.report.places import shown_file
from checker.search.rows import ResultRow, SpecResult
from model.itf import to_itf
from model.trace import Trace, replay

from .output import to_file_or_stdout
from .version import VERSION


def itf_of(result: SpecResult, row: ResultRow, trace: Trace) -> str:
    """A trace as ITF, with what it shows."""
    assert result.system is not None
    replay(result.system, trace)
    return to_itf(
        result.system,
        trace,
        {
            "source": shown_file(result.spec.file),
            "description": f"made by finale {VERSION}",
            "protocol": result.system.protocol,
            "property": row.property,
            "verdict": row.verdict,
            "binding": dict(row.binding),
        },
    )


def write_traces(result: SpecResult, folder: Path) -> dict[str, str]:
    """Write every trace of a result; the files by property.

    Below the folder the path of the spec is kept, so that specs of one name do not collide.
    """
    spec = Path(shown_file(result.spec.file)).with_suffix("")
    parts = [part for part in spec.parts if part not in (spec.anchor, "..")]
    written: dict[str, str] = {}
    for row in result.rows:
        if row.trace is not None:
            file = folder.joinpath(*parts, f"{row.property}.itf.json")
            to_file_or_stdout(itf_of(result, row, row.trace), file)
            written[row.property] = str(file)
    return written
