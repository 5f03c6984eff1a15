"""Judging weakened properties: a spec that expects the property to fall must notice.

The rules of a spec are explored once, and kept for the mutants that come next; only the property
is built anew, and the states are searched. Specs of a property are tried in the order of their
states until one of them notices.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from checker.answer import Violated
from checker.backends import check_with
from checker.claim import Spec
from checker.loading import catalogue
from checker.question import Limits
from model.errors import FinaleError
from model.language.build import world_of
from model.language.entities import World
from model.language.predicates import property_of
from model.language.properties import Family
from model.language.protocol import Protocol
from model.system import System
from tests.mutation.bench import Verdict
from tests.mutation.depends import digest
from tests.mutation.mutants import ROOT
from tests.mutation.properties.mutants import SHARED, Weaker
from tests.protocols.specs import FILES, name_of, spec_of
from tests.protocols.specs import ROOT as SPECS

#: Larger specs are not asked: a fall that only they show is a spec that is missing.
STATES_MAX = 5_000
#: Specs without counts come behind small ones.
STATES_UNKNOWN = 4_000
#: With more states it pays to compile.
READABLE_STATES = 3_000


@lru_cache(maxsize=1)
def _falls() -> dict[str, list[str]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for spec in map(spec_of, FILES):
        for name, each in spec.expectations.items():
            if each.verdict == Violated.word and not spec.slow and states_of(spec) <= STATES_MAX:
                found.setdefault(name, []).append((states_of(spec), name_of(spec.file)))
    return {name: [file for _, file in sorted(files)] for name, files in found.items()}


def states_of(spec: Spec) -> int:
    """The states of a spec, or a guess."""
    return spec.counts.states if spec.counts is not None else STATES_UNKNOWN


def meets(property_name: str) -> list[str]:
    """The specs that expect a property to fall, those with few states first."""
    return _falls().get(property_name, [])


def trial(weaker: Weaker, name: str) -> str:
    """A property at a spec, by which a verdict is kept."""
    return f"{weaker.property} {name}"


def about(weaker: Weaker, name: str) -> str:
    """A digest of all that the answer of a spec to a property depends on."""
    spec = spec_of(SPECS / name)
    text = spec.file.read_text()
    if spec.resumption is not None:
        text += spec.resumption.first.file.read_text()
    modules = {each.__module__ for each in spec.protocol.__mro__}
    own = {f"model.properties.{each}" for each in (weaker.module, SHARED)}
    return digest(text, modules | own)


@dataclass(frozen=True)
class Explored:
    """A spec with its rules explored, and no property."""

    spec: Spec
    protocol: Protocol
    world: World
    system: System


@lru_cache(maxsize=24)
def explored(name: str) -> Explored:
    """The system of a spec, without properties."""
    spec = spec_of(SPECS / name)
    system = spec.system(())
    protocol = spec.instance()
    return Explored(spec, protocol, world_of(protocol, protocol.keeps()), system)


def judge(weaker: Weaker, names: list[str]) -> tuple[Verdict, list[str]]:
    """What became of a mutant, and the specs that it has met."""
    met: list[str] = []
    with loaded(weaker) as family:
        for name in names:
            met.append(name)
            said = difference(explored(name), family)
            if said:
                kind = "crash" if said.startswith("error: ") else "differs"
                return Verdict(kind, name, said), met[-1:]
    return Verdict("survives"), met


def difference(known: Explored, family: Family) -> str:
    """How the answer to a property differs from what a spec expects; "" if it does not."""
    expected = known.spec.expectations[family.name]
    families = [family]
    if family.witness is not None:
        families.append(catalogue().properties[family.witness])
    try:
        properties = tuple(
            property_of(known.world, known.protocol, each, known.system) for each in families
        )
    except FinaleError as error:
        return f"error: {error.code}"
    except TypeError as error:
        return f"error: {error}"
    large = states_of(known.spec) > READABLE_STATES
    system = replace(known.system, properties=properties)
    report = check_with("auto", system, Limits(), None, large)
    answer = next(each for each in report.answers if each.property == family.name)
    if not isinstance(answer.verdict, Violated):
        return answer.verdict.word
    if expected.steps is not None and answer.steps != expected.steps:
        return f"{answer.steps} steps instead of {expected.steps}"
    return ""


# --- loading -------------------------------------------------------------------------------------

_NUMBERS = count()


@contextmanager
def loaded(weaker: Weaker) -> Generator[Family]:
    """The weakened property, from a changed copy of its file."""
    path = ROOT / weaker.mutant.file
    changed = weaker.mutant.applied(path.read_bytes())
    with TemporaryDirectory(prefix="finale-mutant-") as folder:
        if path.stem != SHARED or weaker.module == SHARED:
            module = _module(Path(folder), weaker.module, changed)
        else:
            name = f"model.properties.{SHARED}"
            own = sys.modules[name]
            sys.modules[name] = _module(Path(folder), SHARED, changed)
            try:
                source = (ROOT / "model" / "properties" / f"{weaker.module}.py").read_bytes()
                module = _module(Path(folder), weaker.module, source)
            finally:
                sys.modules[name] = own
        family: Family = getattr(module, weaker.mutant.function)
        yield family


def _module(folder: Path, name: str, source: bytes) -> ModuleType:
    """A module from a file of its own, so that the text of its functions can be found."""
    file = folder / f"{name}_{next(_NUMBERS)}.py"
    file.write_bytes(source)
    made = importlib.util.spec_from_file_location(f"mutated_{file.stem}", file)
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    sys.modules[made.name] = module
    made.loader.exec_module(module)
    return module
