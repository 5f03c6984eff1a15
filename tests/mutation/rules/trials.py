"""What mutants of rules meet: the specs, each with the functions that it explores and its system.

The system of a spec is built once as it is, in a process of its own; its digest is kept until a
rule changes. A mutant that leaves the digest as it is changes nothing that a search could find.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from checker.spec.catalogue import catalogue
from checker.spec.reading import read_spec
from model.language.build import world_of
from model.language.predicates import property_of
from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.rules.apart import apart

SPECS = ROOT / "specs"
CACHE = ROOT / ".mutants_cache" / "rules"
#: Specs of more states are for a search that mutants do not wait for.
STATES_MAX = 20_000
#: A spec that takes longer to build is for nobody who waits.
SECONDS_MAX = 60


@dataclass(frozen=True)
class Trial:
    """A spec: its group, its number of states, digests of its system, what it explores.

    Specs of one `group` have the same protocol, variant and options, and differ in job and bounds.
    `rules` is the digest of the system without properties; `called` are all functions that are
    called, and `in_properties` those that properties call.
    """

    name: str
    group: str
    states: int
    digest: str
    rules: str
    called: frozenset[str]
    in_properties: frozenset[str]

    def concerns(self, mutant: Mutant) -> bool:
        """Whether the spec explores what a mutant changes. Outside of functions: if its file."""
        return _is_in(mutant, self.called)

    def asks(self, mutant: Mutant) -> bool:
        """Whether a property of the spec calls what a mutant changes."""
        return _is_in(mutant, self.in_properties)


def _is_in(mutant: Mutant, functions: frozenset[str]) -> bool:
    if mutant.in_function:
        return f"{mutant.file}:{mutant.function}" in functions
    return any(each.startswith(f"{mutant.file}:") for each in functions)


def trials(workers: int, progress: Callable[[str], None]) -> list[Trial]:
    """All specs that are small enough, the cheapest first."""
    names = sorted(
        file.relative_to(SPECS).with_suffix("").as_posix()
        for file in SPECS.rglob("*.toml")
        if _is_small(tomllib.loads(file.read_text(encoding="utf-8")))
    )
    # Loaded once here, it is loaded in all processes that fork from this one.
    catalogue()
    with ThreadPoolExecutor(workers) as pool:
        found = []
        for number, each in enumerate(pool.map(trial_of, names), 1):
            if number % 50 == 0:
                progress(f"{number} of {len(names)} specs are known")
            found.append(each)
    return sorted(found, key=lambda each: (each.states, each.name))


def _is_small(table: dict[str, Any]) -> bool:
    return not table.get("slow") and table.get("search", {}).get("states", 0) <= STATES_MAX


@cache
def sources() -> str:
    """What all outcomes depend on: the text of the model."""
    files = sorted((ROOT / "model").rglob("*.py"))
    files.append(Path(__file__))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def trial_of(name: str) -> Trial:
    """One spec as it is, built once for each text of the model."""
    spec = (SPECS / f"{name}.toml").read_bytes()
    key = hashlib.sha256(sources().encode() + name.encode() + spec).hexdigest()[:20]
    file = CACHE / f"{key}.json"
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        told = apart(lambda: _explored(name), SECONDS_MAX)
        file.write_text(json.dumps(told), encoding="utf-8")
    told = json.loads(file.read_text(encoding="utf-8"))
    if "digest" not in told:
        raise RuntimeError(f"{name}: {told}")
    sets = {key: frozenset(told[key]) for key in ("called", "in_properties")}
    return Trial(**told | sets)


def _explored(name: str) -> dict[str, Any]:
    """Build the system of a spec as it is, and note what it explores."""
    from tests.mutation.rules.digest import digest_of

    with noted() as called:
        spec = read_spec(SPECS / f"{name}.toml", catalogue())
        system = spec.system(())
    protocol = spec.instance()
    world = world_of(protocol, protocol.keeps())
    with noted() as asked:
        properties = tuple(property_of(world, protocol, each, system) for each in spec.asked)
    digest = digest_of(replace(system, properties=properties))
    group = f"{spec.protocol.key} {spec.variant} {spec.setting.options!r}"
    states = spec.counts.states if spec.counts else 0
    trial = Trial(name, group, states, digest, digest_of(system), called() | asked(), asked())
    sets = {"called": sorted(trial.called), "in_properties": sorted(trial.in_properties)}
    return asdict(trial) | sets


@contextmanager
def noted() -> Iterator[Callable[[], frozenset[str]]]:
    """Which functions of the protocols are called meanwhile."""
    folder = f"{ROOT / 'model' / 'protocols'}/"
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
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
