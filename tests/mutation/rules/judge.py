"""Judges a mutant of the rules: the specs that explore what it changes, in turn."""

from __future__ import annotations

import linecache
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from tests.mutation.bench import Changed
from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.rules.apart import apart

if TYPE_CHECKING:
    from finale.checker.spec.claim import Spec
    from tests.mutation.rules.trials import Trial

#: What knows the protocols or keeps their text, and is loaded again with a mutant in it.
AGAIN = ("finale", "tests.protocols")


#: A search of a mutant ends after this many seconds for each thousand states, and some seconds.
SECONDS_A_THOUSAND, SECONDS = 3, 15


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant.

    `kind` is `verdict` (a property is judged otherwise, or in another number of steps), `counts`
    (only the numbers of states differ), `raises` (a coded error, or Python's own), `hang` (a spec
    takes much longer than before) or `survives`; `spec` is the one that told.

    Of the specs that explore what was changed, `same` have the very system that they had,
    `searched` were searched, and `left` were not met, since the time was over.
    """

    kind: str
    spec: str = ""
    said: str = ""
    same: int = 0
    searched: int = 0
    left: int = 0


def judge(mutant: Mutant, meets: Sequence[Trial], seconds: float) -> Outcome:
    """Run a mutant in specs, in a process of its own, until one of them tells it.

    No spec is begun after so many seconds of processor time.
    """
    told = apart(lambda: asdict(_judged(mutant, meets, seconds)), 20 * seconds)
    if isinstance(told, str):
        return Outcome("raises", said=told)
    return Outcome(**told)


def _judged(mutant: Mutant, meets: Sequence[Trial], seconds: float) -> Outcome:
    same = searched = 0
    name = ""
    try:
        _load_anew(mutant)
        for index, each in enumerate(meets):
            if process_time() > seconds:
                return Outcome("survives", "", "", same, searched, len(meets) - index)
            name = each.name
            with _ended_after(SECONDS + SECONDS_A_THOUSAND * each.states / 1000):
                spec = _read(name)
                if each.is_same(mutant, spec):
                    same += 1
                    continue
                searched += 1
                told = outcome(spec)
            if told:
                return Outcome(*told, same, searched)
    except _TakesLongError:
        return Outcome("hang", name, "", same, searched)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"
        return Outcome("raises", name, said, same, searched)
    return Outcome("survives", "", "", same, searched)


class _TakesLongError(BaseException):
    """A search takes much longer than that of the rules as they are."""


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    def end(number: int, frame: object) -> None:
        raise _TakesLongError

    signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _read(name: str) -> Spec:
    from finale.checker.spec.catalogue import catalogue
    from finale.checker.spec.reading import read_spec

    return read_spec(ROOT / "specs" / f"{name}.toml", catalogue())


def _load_anew(mutant: Mutant) -> None:
    for name in list(sys.modules):
        if name.startswith(AGAIN):
            del sys.modules[name]
    changed = Changed(mutant)
    sys.meta_path.insert(0, changed)
    # Rules are explored from their text, which is looked up by the file's name.
    lines = changed.source.decode().splitlines(keepends=True)
    linecache.cache[str(changed.path)] = len(changed.source), None, lines, str(changed.path)


def outcome(spec: Spec) -> tuple[str, str, str] | None:
    """Run a spec with the readable search: what is not as it expects, or None."""
    from finale.checker.search.limits import Limits
    from finale.checker.search.rows import SEARCH
    from finale.checker.search.run import run

    name = spec.file.relative_to(ROOT / "specs").with_suffix("").as_posix()
    states = 4 * spec.counts.states + 2_000 if spec.counts else None
    result = run(spec, Limits(states_max=states), backend="readable")
    wrong = [row for row in result.rows if not row.ok]
    if not wrong:
        return None
    judged = [row for row in wrong if row.property != SEARCH and row.word != "unknown"]
    if judged and not result.report.stopped:
        return "verdict", name, f"{judged[0].property} {judged[0].word}"
    return "counts", name, "another number of states"
