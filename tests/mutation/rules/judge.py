"""Judges a mutant of the rules: the specs that explore what it changes, the cheapest first."""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.mutation.bench import Changed
from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.rules.apart import apart

if TYPE_CHECKING:
    from checker.claim import Spec

#: What knows the protocols or keeps their text, and is loaded again with a mutant in it.
AGAIN = ("model", "checker", "tests.protocols")


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant.

    `kind` is `verdict` (a property is judged otherwise, or in another number of steps), `counts`
    (only the numbers of states differ), `raises` (a coded error, or Python's own), `hang` (a spec
    takes much longer than before) or `survives`; `spec` is the one that told, `met` all that were
    met.
    """

    kind: str
    spec: str = ""
    said: str = ""
    met: tuple[str, ...] = ()


def judge(mutant: Mutant, names: Sequence[str], seconds: float) -> Outcome:
    """Run a mutant in specs, in a process of its own, until one of them tells it."""
    told = apart(lambda: _judged(mutant, names), seconds)
    if isinstance(told, str):
        return Outcome("hang" if told.startswith("signal") else "raises", said=told)
    return Outcome(**told | {"met": tuple(told["met"])})


def _judged(mutant: Mutant, names: Sequence[str]) -> dict[str, Any]:
    met: list[str] = []
    name = ""
    try:
        _load_anew(mutant)
        for name in names:
            met.append(name)
            _, told = outcome(name)
            if told:
                kind, said = told
                return {"kind": kind, "spec": name, "said": said, "met": met}
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
        return {"kind": "raises", "spec": name, "said": said, "met": met}
    return {"kind": "survives", "met": met}


def _load_anew(mutant: Mutant) -> None:
    for name in list(sys.modules):
        if name.startswith(AGAIN):
            del sys.modules[name]
    changed = Changed(mutant)
    sys.meta_path.insert(0, changed)
    # Rules are explored from their text, which is looked up by the file's name.
    lines = changed.source.decode().splitlines(keepends=True)
    linecache.cache[str(changed.path)] = len(changed.source), None, lines, str(changed.path)


def outcome(name: str) -> tuple[Spec, tuple[str, str] | None]:
    """Run a spec with the readable search: what is not as it expects, or None."""
    from checker.loading import catalogue
    from checker.question import Limits
    from checker.rows import SEARCH
    from checker.run import run
    from checker.spec import read_spec

    spec = read_spec(ROOT / "specs" / f"{name}.toml", catalogue())
    states = 4 * spec.counts.states + 2_000 if spec.counts else None
    result = run(spec, Limits(states_max=states), backend="readable")
    wrong = [row for row in result.rows if not row.ok]
    if not wrong:
        return spec, None
    judged = [row for row in wrong if row.property != SEARCH and row.verdict != "unknown"]
    if judged and not result.report.stopped:
        return spec, ("verdict", f"{judged[0].property} {judged[0].verdict}")
    return spec, ("counts", "another number of states")
