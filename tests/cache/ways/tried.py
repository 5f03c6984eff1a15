"""Tries a way: are the answers of the command with a cache those without one?"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from finale.checker.cache import store
from finale.cli.main import main
from tests.cache.plain_process import forget_tests
from tests.mutation.rules.apart import apart

from .form import Way, chosen

Answer = Any
#: What differs between two runs of one search.
_TIMES = ("seconds", "cached", "timing")


@dataclass(frozen=True)
class Tried:
    """The answers before and after the edit, without a cache and with one."""

    cold: tuple[Answer, Answer]
    warm: tuple[Answer, Answer]
    #: Whether the answer before the edit came from the cache when it was asked for again.
    kept: bool

    @property
    def is_seen(self) -> bool:
        """Whether the edit changes the answer, or both are refused."""
        before, after = self.cold
        return bool(before != after or (before["exit"] == 2 and after["exit"] == 2))

    @property
    def is_stale(self) -> bool:
        """Whether an answer with the cache differs from the one without."""
        return self.cold != self.warm


def tried(way: Way, folder: Path, *, elsewhere: bool = False, process: bool = False) -> Tried:
    """Check before and after the edit.

    `elsewhere`: the files after the edit are in another folder of the same name. `process`: each
    check is a new process, instead of a fork of this one. So it is if Python itself reads the
    environment. There HERE stands for the folder.
    """
    process |= any(key.startswith("PYTHON") for key in way.environment)
    cold: list[Answer] = []
    warm: list[Answer] = []
    kept = False
    for after in (False, True):
        place = folder / ("there" if elsewhere and after else "here")
        _write(way, place, after=after)
        ask = _by_process if process else _by_fork
        environment = {
            key: chosen(value, after=after).replace("HERE", str(place))
            for key, value in way.environment.items()
        }
        cold.append(ask(place, {**environment, "FINALE_CACHE": ""}))
        with_cache = {**environment, "FINALE_CACHE": str(folder / "cache")}
        warm.append(ask(place, with_cache))
        if not after:
            again = ask(place, with_cache)
            kept = again.pop("kept")
            warm[-1].pop("kept")
            warm[-1] = warm[-1] if again == warm[-1] else again
        for each in (cold[-1], warm[-1]):
            each.pop("kept", None)
    return Tried((cold[0], cold[1]), (warm[0], warm[1]), kept)


def _write(way: Way, place: Path, *, after: bool) -> None:
    shutil.rmtree(place, ignore_errors=True)
    protocols = place / "protocols"
    protocols.mkdir(parents=True)
    (place / "spec.toml").write_text(chosen(way.spec, after=after))
    for path, text in way.texts(after=after).items():
        file = protocols / chosen(path, after=after)
        file.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith("-> "):
            file.symlink_to(text.removeprefix("-> "))
        else:
            file.write_text(text)


def _words(place: Path) -> list[str]:
    spec, protocols = place / "spec.toml", place / "protocols"
    words = ["check", str(spec), "--protocols", str(protocols), "--format", "json"]
    return [*words, "--backend", "readable"]


@cache
def _preload() -> None:
    """Load what a check loads, before processes fork: that saves most of their time."""
    import tempfile

    from .form import way

    with tempfile.TemporaryDirectory() as folder:
        _write(way("a number", limit="§"), Path(folder), after=False)

        def loaded() -> list[str]:
            with contextlib.redirect_stdout(io.StringIO()):
                main(_words(Path(folder)))
            return [name for name in sys.modules if not name.startswith("finale_protocols")]

        for name in apart(loaded):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def _by_fork(place: Path, environment: Mapping[str, str]) -> Answer:
    _preload()

    def call() -> object:
        os.environ.update(environment)
        forget_tests()
        # Files of Finale may be edited while tests run.
        store.__dict__["BEGAN"] = time.time() + 3600
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(_words(place))
        return [code, out.getvalue(), err.getvalue()]

    found = apart(call)
    assert isinstance(found, list), found
    return _answer(place, *found)


def _by_process(place: Path, environment: Mapping[str, str]) -> Answer:
    import subprocess

    command = [sys.executable, "-m", "finale", *_words(place)]
    full = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, env=full, check=False)
    return _answer(place, done.returncode, done.stdout, done.stderr)


def _answer(place: Path, code: int, out: str, err: str) -> Answer:
    """Return what is said, without times, and without the folder that the files are in."""
    plain = str(place)
    try:
        said = json.loads(out.replace(plain, ""))
    except ValueError:
        said = {"results": [], "text": out}
    rows = [{k: v for k, v in row.items() if k not in _TIMES} for row in said["results"]]
    kept = any(row.get("cached") for row in said["results"])
    return {"exit": code, "rows": rows, "err": err.replace(plain, ""), "kept": kept}


__all__ = ["Tried", "tried"]
