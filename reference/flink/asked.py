"""What a real Flink says about the assumptions of the rules: the rows of `asked.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("asked.toml")


@dataclass(frozen=True)
class AskedRow:
    """One assumption: the counterexample that was driven, the two verdicts, and the damage.

    Without a `property`, the run is one to a forbidden step, and no property falls. `as_it_is` is
    the verdict of Flink as it is, and `forced` the verdict with the method forced.
    """

    spec: str
    property: str
    step: str
    as_it_is: str
    forced: str
    saw: str


@dataclass(frozen=True)
class AskedTable:
    """All rows: the release, the assumptions that it was asked about, and why not the others."""

    release: str
    asked: Mapping[str, AskedRow]
    unasked: Mapping[str, str]


def asked_table() -> AskedTable:
    """Return what the file says."""
    table: dict[str, Any] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    rows = {name: _row(each) for name, each in table["asked"].items()}
    return AskedTable(table["release"], rows, table.get("unasked", {}))


def _row(row: Mapping[str, Any]) -> AskedRow:
    as_it_is, forced = row["verdicts"]
    return AskedRow(row["spec"], row.get("property", ""), row["step"], as_it_is, forced, row["saw"])


__all__ = ["AskedRow", "AskedTable", "asked_table"]
