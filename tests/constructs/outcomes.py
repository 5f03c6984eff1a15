"""What Finale says of a construct: refused by a code, misread, or the same as plain Python.

Each construct runs in a process of its own: some end the process, or change Python.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from finale.checker.search.interpreter.comparing import compare_all
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from tests.constructs.construct import Construct
from tests.constructs.template import SPEC, source_of

AGREES = "agrees"
RAISES = "raises"
#: A construct that takes longer than this hangs.
SECONDS_MAX = 120


@dataclass(frozen=True)
class Outcome:
    """`word` is `agrees`, the code of an error, or `raises`; `text` is its message."""

    word: str
    text: str = ""
    states: int = 0


def outcome_of(construct: Construct, states_max: int = 5_000) -> Outcome:
    """Build and compare the protocol of a construct, in all states, in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        child = os.fork()
        if child == 0:
            _child(construct, folder, states_max)
        _, status = os.waitpid(child, 0)
        file = folder / "outcome.json"
        if not file.exists():
            return Outcome(RAISES, f"the process ended with {status}")
        return Outcome(**json.loads(file.read_text(encoding="utf-8")))


def _child(construct: Construct, folder: Path, states_max: int) -> None:
    signal.alarm(SECONDS_MAX)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    leave = os._exit  # a construct may have replaced it
    try:
        found = _found(construct, folder, states_max)
    except FinaleError as error:
        found = Outcome(error.code, error.message)
    except BaseException as error:
        found = Outcome(RAISES, "".join(traceback.format_exception(error))[-1_000:])
    (folder / "outcome.json").write_text(json.dumps(vars(found)), encoding="utf-8")
    leave(0)


def _found(construct: Construct, folder: Path, states_max: int) -> Outcome:
    (folder / "protocols").mkdir()
    (folder / "protocols" / "toy.py").write_text(source_of(construct), encoding="utf-8")
    (folder / "toy.toml").write_text(SPEC, encoding="utf-8")
    known = catalogue(folder / "protocols")
    spec = read_spec(folder / "toy.toml", known)
    system = spec.system()
    with known.blaming_user_code():
        states = compare_all(spec.asked, system, states_max)
    return Outcome(AGREES, states=states)


def outcomes(
    constructs: Iterable[Construct], workers: int = 2
) -> Iterator[tuple[Construct, Outcome]]:
    """Return the outcome of each construct, in order."""
    with ThreadPoolExecutor(workers) as pool:
        chosen = list(constructs)
        yield from zip(chosen, pool.map(outcome_of, chosen), strict=True)
