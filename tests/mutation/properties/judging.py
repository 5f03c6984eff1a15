"""Judging weakened properties: a spec that expects the property to fall must notice.

All mutants that a spec has to judge are asked in one search of its states, each as a property of
its own. Specs are tried in the order of their states until one of them notices.
"""

from __future__ import annotations

import atexit
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from finale.checker.search.backends import check_with
from finale.checker.search.limits import Limits
from finale.checker.search.verdict import Verdict as Found
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.model.errors import FinaleError
from finale.model.language.build import world_of
from finale.model.language.entities import World
from finale.model.language.predicates import property_of
from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.system import Property, System
from tests.mutation.bench import Verdict
from tests.mutation.depends import digest
from tests.mutation.mutants import ROOT
from tests.mutation.properties.mutants import SHARED, Weaker
from tests.protocols.specs import FILES, name_of, spec_of
from tests.protocols.specs import ROOT as SPECS

#: Larger specs are not asked: a fall that only they show is a spec that is missing.
STATES_MAX = 200_000
#: Specs without counts come behind small ones.
STATES_UNKNOWN = 4_000


@lru_cache(maxsize=1)
def _falls() -> dict[str, list[str]]:
    found: dict[str, list[tuple[int, str]]] = {}
    for spec in map(spec_of, FILES):
        for name, each in spec.expectations.items():
            if each.verdict == Word.VIOLATED and not spec.slow and states_of(spec) <= STATES_MAX:
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
    own = {f"finale.model.properties.{each}" for each in (weaker.module, SHARED)}
    return digest(text, modules | own)


@dataclass(frozen=True)
class Explored:
    """A spec with its rules explored, and no property."""

    spec: Spec
    protocol: Protocol
    world: World
    system: System


@lru_cache(maxsize=4)
def explored(name: str) -> Explored:
    """The system of a spec, without properties."""
    spec = spec_of(SPECS / name)
    system = spec.system(())
    protocol = spec.instance()
    return Explored(spec, protocol, world_of(protocol, protocol.keeps()), system)


def judge(name: str, mutants: Sequence[Weaker]) -> dict[str, Verdict]:
    """What a spec says of mutants of properties that it expects to fall, by the mutants' ids.

    All are asked in one search of the spec's states.
    """
    known = explored(name)
    told: dict[str, Verdict] = {}
    asked: dict[str, Property] = {}
    witnesses: dict[str, Property] = {}
    for each in mutants:
        family = loaded(each)
        try:
            asked[each.mutant.id] = replace(_property(known, family), name=each.mutant.id)
        except (FinaleError, TypeError) as error:
            code = error.code if isinstance(error, FinaleError) else str(error)
            told[each.mutant.id] = Verdict("crash", name, f"error: {code}")
        if family.witness is not None and family.witness not in witnesses:
            witness = catalogue().properties[family.witness]
            witnesses[family.witness] = _property(known, witness)
    system = replace(known.system, properties=(*asked.values(), *witnesses.values()))
    answers = check_with("auto", system, Limits(), None, states_of(known.spec)).verdicts
    by_id = {each.mutant.id: each for each in mutants}
    for answer in answers:
        if answer.property in by_id:
            expected = known.spec.expectations[by_id[answer.property].property]
            said = _difference(answer, expected.steps)
            kind = "differs" if said else "survives"
            told[answer.property] = Verdict(kind, name if said else "", said)
    return told


def _property(known: Explored, family: Family) -> Property:
    return property_of(known.world, known.protocol, family, known.system)


def _difference(answer: Found, steps: int | None) -> str:
    """How an answer differs from a fall in so many steps; "" if it does not."""
    if answer.word is not Word.VIOLATED:
        return answer.word
    if steps is not None and answer.steps != steps:
        return f"{answer.steps} steps instead of {steps}"
    return ""


# --- loading -------------------------------------------------------------------------------------

_NUMBERS = count()


@cache
def _folder() -> Path:
    folder = TemporaryDirectory(prefix="finale-mutants-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@cache
def loaded(weaker: Weaker) -> Family:
    """The weakened property, from a changed copy of its file."""
    path = ROOT / weaker.mutant.file
    changed = weaker.mutant.applied(path.read_bytes())
    if path.stem != SHARED or weaker.module == SHARED:
        module = _module(_folder(), weaker.module, changed)
    else:
        name = f"finale.model.properties.{SHARED}"
        own = sys.modules[name]
        sys.modules[name] = _module(_folder(), SHARED, changed)
        try:
            source = (ROOT / "model" / "properties" / f"{weaker.module}.py").read_bytes()
            module = _module(_folder(), weaker.module, source)
        finally:
            sys.modules[name] = own
    family: Family = getattr(module, weaker.mutant.function)
    return family


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
