"""Reads the classics of `examples/classics`: their specs, and what others make of them."""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec

ROOT = Path(__file__).parent.parent.parent / "examples" / "classics"
NAMES = tuple(sorted(file.stem for file in (ROOT / "specs").glob("*.toml")))


@cache
def spec_of(name: str) -> Spec:
    """One spec of the classics."""
    return read_spec(ROOT / "specs" / f"{name}.toml", _known())


@cache
def _known() -> Any:
    finders = [*sys.meta_path]
    try:
        return catalogue(ROOT / "protocols")
    finally:
        # Tests that are collected later are not imported by these protocols.
        sys.meta_path[:] = finders


@dataclass(frozen=True)
class Opinion:
    """What somebody else's tool says of the system of a spec; the keys of `outside.toml`."""

    spec: str
    tla: str = ""
    promela: str = ""
    published: str = ""
    configuration: str = ""
    constants: tuple[tuple[str, str], ...] = ()
    macros: tuple[str, ...] = ()
    starts: int = 1
    counts: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.spec} by {self.tla or self.promela or self.published}"


def opinions() -> tuple[Opinion, ...]:
    """All opinions, in the order of the file."""
    tables = tomllib.loads((ROOT / "outside.toml").read_text(encoding="utf-8"))
    return tuple(_opinion(spec, table) for spec, each in tables.items() for table in each)


def _opinion(spec: str, table: dict[str, Any]) -> Opinion:
    given: dict[str, Any] = {"constants": tuple(table.get("constants", {}).items())}
    for key, each in table.items():
        given.setdefault(key, tuple(each) if isinstance(each, list) else each)
    return Opinion(spec, **given)
