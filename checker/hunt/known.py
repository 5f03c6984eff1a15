"""The known violations: specs that expect one of the rules as they are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from finale.checker.search.answer import Violated
from finale.checker.spec.toml_text import toml_in
from finale.checker.spec.typed import is_list, is_table
from finale.model.errors import FinaleError

from .settings import HuntSetting


def known_settings(files: Iterable[Path], protocols: Collection[str]) -> Iterator[HuntSetting]:
    """Yield the specs of some protocols that expect a violation of the rules as they are.

    A spec of a variant, or without an assumption, is about other rules. A slow spec takes long to
    search. A file that is no spec is passed over: finale check says why.
    """
    for file in files:
        try:
            table, _ = toml_in(file)
        except FinaleError:
            continue
        if "variant" in table or "without" in table or table.get("slow") is True:
            continue
        rows = table.get("expect")
        expected = rows if is_list(rows) else []
        falls = any(is_table(row) and row.get("verdict") == Violated.word for row in expected)
        if falls and table.get("protocol") in protocols:
            yield HuntSetting(str(file), table, 0.0, file)
