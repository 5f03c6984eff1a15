"""What mutants of rules meet: the specs, each with the functions that it explores and its cost.

A spec is run once as it is, in a process of its own; what it came to is kept until a rule changes.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.rules.apart import apart

SPECS = ROOT / "specs"
CACHE = ROOT / ".mutants_cache" / "rules"
#: Specs of more states are for a search that mutants do not wait for.
STATES_MAX = 20_000


@dataclass(frozen=True)
class Trial:
    """A spec: its protocol, its exact number of states, its seconds, the functions it explores."""

    name: str
    protocol: str
    states: int
    seconds: float
    functions: frozenset[str]

    def concerns(self, mutant: Mutant) -> bool:
        """Whether the spec explores what a mutant changes. Outside of functions: if its file."""
        if mutant.in_function:
            return f"{mutant.file}:{mutant.function}" in self.functions
        return any(each.startswith(f"{mutant.file}:") for each in self.functions)


def trials(workers: int, progress: Callable[[str], None]) -> list[Trial]:
    """All specs that are small enough, the cheapest first."""
    names = sorted(
        file.relative_to(SPECS).with_suffix("").as_posix()
        for file in SPECS.rglob("*.toml")
        if _is_small(tomllib.loads(file.read_text(encoding="utf-8")))
    )
    with ThreadPoolExecutor(workers) as pool:
        found = []
        for number, each in enumerate(pool.map(_trial, names), 1):
            if number % 50 == 0:
                progress(f"{number} of {len(names)} specs are known")
            found.append(each)
    return sorted((each for each in found if each), key=lambda each: each.seconds)


def _is_small(table: dict[str, Any]) -> bool:
    return not table.get("slow") and table.get("search", {}).get("states", 0) <= STATES_MAX


@cache
def sources() -> str:
    """What all outcomes depend on: the text of the model."""
    files = sorted((ROOT / "model").rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _trial(name: str) -> Trial | None:
    spec = (SPECS / f"{name}.toml").read_bytes()
    key = hashlib.sha256(sources().encode() + name.encode() + spec).hexdigest()[:20]
    file = CACHE / f"{key}.json"
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        told = apart(lambda: _met(name))
        file.write_text(json.dumps(told), encoding="utf-8")
    told = json.loads(file.read_text(encoding="utf-8"))
    if not told or "seconds" not in told:
        return None
    return Trial(**told | {"functions": frozenset(told["functions"])})


def _met(name: str) -> dict[str, Any]:
    """Run a spec as it is, and note what it explores. Empty if it is not as expected."""
    from tests.mutation.rules.judge import outcome

    began = time.process_time()
    with noted() as used:
        table, told = outcome(name)
    if told:
        return {}
    seconds = time.process_time() - began
    trial = Trial(
        name, table.protocol.key, table.counts.states if table.counts else 0, seconds, used()
    )
    return asdict(trial) | {"functions": sorted(trial.functions)}


@contextmanager
def noted() -> Iterator[Callable[[], frozenset[str]]]:
    """Which functions of the protocols are called meanwhile."""
    folder = f"{ROOT / 'model' / 'protocols'}/"
    codes: set[CodeType] = set()

    def called(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(called)
    try:
        yield lambda: frozenset(
            _names(code for code in codes if code.co_filename.startswith(folder))
        )
    finally:
        sys.setprofile(None)


def _names(codes: Iterable[CodeType]) -> Iterator[str]:
    for code in codes:
        file = Path(code.co_filename).relative_to(ROOT).as_posix()
        function = _functions(file).get(code.co_firstlineno)
        if function:
            yield f"{file}:{function}"


@cache
def _functions(file: str) -> dict[int, str]:
    """By each line of a file, the outermost function or method that it is in."""
    found: dict[int, str] = {}

    def below(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                below(child, f"{name}.{child.name}".removeprefix("."))
            elif isinstance(child, ast.FunctionDef):
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                own = f"{name}.{child.name}".removeprefix(".")
                found.update(dict.fromkeys(range(first, (child.end_lineno or first) + 1), own))

    below(ast.parse((ROOT / file).read_bytes()), "")
    return found
