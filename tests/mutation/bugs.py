"""Bugs of the past as mutants, from `bugs.toml`."""

from __future__ import annotations

import tomllib

from tests.mutation.mutants import ROOT, Mutant

FILE = ROOT / "tests" / "mutation" / "bugs.toml"


def bugs() -> list[Mutant]:
    """All of them, in the engine as it is. Raises ValueError where a text is not there any more."""
    return [_mutant(**bug) for bug in tomllib.loads(FILE.read_text())["bug"]]


def _mutant(name: str, file: str, function: str, before: str, after: str) -> Mutant:
    path = f"reference/{file}.py"
    source = (ROOT / path).read_bytes()
    begin = source.index(f"def {function.rsplit('.', 1)[-1]}(".encode())
    start = source.index(before.encode(), begin)
    return Mutant(
        file=path,
        function=function,
        line=source.count(b"\n", 0, start) + 1,
        operator=name,
        start=start,
        end=start + len(before.encode()),
        before=before,
        after=after,
    )
