"""What mutants of rules meet: the specs, each with the functions that its parts explore.

The parts of a spec are its rules, its properties, and what is made before them. Each is built once
as it is, in a process of its own; digests of the parts are kept until a rule changes. A mutant that
leaves all digests as they are changes nothing that a search could find, and only parts that call
what it changes are built anew.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from tests.mutation.mutants import HOME, ROOT, Mutant
from tests.mutation.rules.apart import apart

if TYPE_CHECKING:
    from finale.checker.spec.claim import Spec

SPECS = ROOT / "specs"
CACHE = ROOT / ".mutants_cache" / "rules"
#: Specs with more states are left out: a search of them takes too long for each mutant. So are
#: those without exact counts: how long a search of them takes without a mutant is not known.
STATES_MAX = 30_000
#: The part of a system that is neither a rule nor a property.
FIRST = "what comes before the rules"
#: The build of a system ends after so many seconds of processor time.
SECONDS_MAX = 60


@dataclass(frozen=True)
class Trial:
    """A spec: its number of states, the digests of its parts, by functions the parts that call."""

    name: str
    states: int
    digests: Mapping[str, str]
    callers: Mapping[str, Sequence[str]]

    def concerned(self, mutant: Mutant) -> set[str]:
        """The parts that call what a mutant changes. Outside of functions: all, if of the file."""
        if mutant.in_function:
            return set(self.callers.get(f"{mutant.file}:{mutant.function}", ()))
        touched = any(each.startswith(f"{mutant.file}:") for each in self.callers)
        return {FIRST} if touched else set()

    def is_same(self, mutant: Mutant, spec: Spec) -> bool:
        """Whether the parts that a mutant may have changed are what they were.

        Every part is compared if none is known to call what is changed: it may run while loaded.
        """
        concerned = self.concerned(mutant)
        if not concerned or FIRST in concerned:
            return dict(parts_of(spec)) == self.digests
        before = {name: each for name, each in self.digests.items() if name in concerned}
        return dict(parts_of(spec, concerned)) == before


def trials(workers: int, progress: Callable[[str], None]) -> list[Trial]:
    """All specs that are small enough, the cheapest first."""
    names = sorted(
        file.relative_to(SPECS).with_suffix("").as_posix()
        for file in SPECS.rglob("*.toml")
        if _is_small(tomllib.loads(file.read_text(encoding="utf-8")))
    )
    # What is loaded and parsed here is so in all processes that fork from this one.
    catalogue()
    for file in (ROOT / "model" / "protocols").rglob("*.py"):
        _functions(file.relative_to(ROOT).as_posix())
    with ThreadPoolExecutor(workers) as pool:
        found = []
        for number, each in enumerate(pool.map(trial_of, names), 1):
            if number % 50 == 0:
                progress(f"{number} of {len(names)} specs are known")
            found.append(each)
    return sorted(found, key=lambda each: (each.states, each.name))


def _is_small(table: dict[str, Any]) -> bool:
    return not table.get("slow") and 0 < table.get("search", {}).get("states", 0) <= STATES_MAX


@cache
def sources() -> str:
    """What all outcomes depend on: the text of the model."""
    files = sorted((ROOT / "model").rglob("*.py"))
    files += [Path(__file__), ROOT / "checker" / "review" / "form.py"]
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
    if "digests" not in told:
        raise RuntimeError(f"{name}: {told}")
    return Trial(**told)


def _explored(name: str) -> dict[str, Any]:
    """Build the parts of a spec as it is, and note what each explores."""
    callers: dict[str, list[str]] = {}
    digests: dict[str, str] = {}
    with noted() as called:
        spec = read_spec(SPECS / f"{name}.toml", catalogue())
        for part, digest in parts_of(spec):
            digests[part] = digest
            for function in sorted(called()):
                callers.setdefault(function, []).append(part)
    return asdict(Trial(name, spec.counts.states if spec.counts else 0, digests, callers))


def parts_of(spec: Spec, names: Collection[str] | None = None) -> Iterator[tuple[str, str]]:
    """The parts of a spec's system, or some, each with its digest; the first is all the rest."""
    from finale.checker.review.form import Digests, Form, Forms
    from finale.model.language.build import bound_rules, ground_rule, initial_states, world_of
    from finale.model.language.predicates import property_of, where

    forms = Forms(Digests().of)

    def digest(form: Form) -> str:
        return hashlib.blake2b(repr(form).encode(), digest_size=12).hexdigest()

    protocol = spec.instance()
    world = world_of(protocol, protocol.keeps())
    if names is None:
        terminal = where(world, protocol.terminal)
        start = initial_states(protocol, world)
        yield FIRST, digest(forms.first(world.variables, start, terminal))
    for name, bound in groupby(bound_rules(protocol), lambda each: each.rule.name):
        if names is None or name in names:
            yield name, digest(forms.rules([ground_rule(world, each) for each in bound]))
    asked = [each for each in spec.asked if names is None or f"property {each.name}" in names]
    system = spec.system(()) if asked else None
    for each in asked:
        assert system is not None
        made = property_of(world, protocol, each, system)
        yield f"property {each.name}", digest(forms.property(made))


@contextmanager
def noted() -> Iterator[Callable[[], frozenset[str]]]:
    """Which functions of the protocols are called, asked for again and again: since then."""
    folder = f"{HOME / 'model' / 'protocols'}/"
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        codes.add(frame.f_code)

    def since() -> frozenset[str]:
        noted = [code for code in tuple(codes) if code.co_filename.startswith(folder)]
        codes.clear()
        return frozenset(_names(noted))

    # Told of calls alone, since nothing is returned that would be told of lines.
    sys.settrace(note)
    try:
        yield since
    finally:
        sys.settrace(None)


def _names(codes: Iterable[CodeType]) -> Iterator[str]:
    for code in codes:
        file = Path(code.co_filename).relative_to(HOME).as_posix()
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
