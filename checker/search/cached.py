"""Keeps answers about a system, such as the report of a search, under keys of all they rest on.

There are two keys. One is of the files: if no file of the tool, of the user's folder and of the
spec has changed, the answer is handed out before a system is built. The other is of the system: if
a file has changed and the system has not, there is no need to search it again.

Only reports of complete searches are kept: limits of time or memory say nothing of the system.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Generic, TypeVar

from finale.checker.cache.code import (
    digest,
    name_of,
    of_checker,
    of_finale,
    of_setting,
)
from finale.checker.cache.plain_data import plain, typed
from finale.checker.cache.store import Store
from finale.checker.spec.catalogue import Catalogue
from finale.checker.spec.claim import Spec
from finale.model.system import Fault, System, Update, leaves

from .verdict import Report

#: The code that a report depends on, beside what builds systems.
_FOLDERS = ("cache", "search", "spec")
#: The packages that search or are asked in a search.
_PACKAGES = ("llvmlite", "numba", "numpy", "z3_solver")


T = TypeVar("T")
"""What is kept: a dataclass of plain data."""


@dataclass
class CachedAnswers(Generic[T]):
    """The answers of one kind about one spec, asked in one way: `asked` says how."""

    store: Store
    spec: Spec
    asked: tuple[object, ...]
    kind: type[T]

    def of_files(self) -> T | None:
        """Return the answer for these very files, if it is kept."""
        return None if self.key_of_files is None else self._answer(self.key_of_files)

    def of_system(self, key: bytes | None, system: System) -> T | None:
        """Return the answer for a system, if it is kept; from now on it is that of these files."""
        answer = None if key is None else self._answer(self._key_of_system(key, system))
        if answer is not None:
            self._put([], answer)
        return answer

    def keep(self, key: bytes | None, system: System, answer: T) -> None:
        """Keep an answer."""
        if key is not None and of_code(self.spec.catalogue) is not None:
            self._put([self._key_of_system(key, system)], answer)

    def _put(self, keys: list[bytes], answer: T) -> None:
        text = json.dumps(plain(answer), separators=(",", ":"))
        before = self.key_of_files
        del self.key_of_files  # code that ran since may have loaded or read something
        of_files = [] if before is None or before != self.key_of_files else [before]
        for key in (*keys, *of_files):
            self.store.put(key, text)
        self.store.flush()

    def _answer(self, key: bytes) -> T | None:
        text = self.store.text(key)
        return None if text is None else typed(self.kind, json.loads(text))

    @cached_property
    def key_of_files(self) -> bytes | None:
        """The key of what was loaded, not of what the files have become since.

        There is none if the user's code reads what no key holds, such as a data file.
        """
        code = of_code(self.spec.catalogue)
        tables = [each.table for each in self.spec.chain()]
        if code is None or any(table is None for table in tables):
            return None
        # A spec may be asked in another setting than its file says: under another release, say.
        own = (name_of(self.spec.protocol), self.spec.variant, of_setting(self.spec.setting))
        return digest(["files", code, tables, own, *self.asked])

    def _key_of_system(self, key: bytes, system: System) -> bytes:
        # Reports name branches and faults by file and line: where a rule was moved, they are anew.
        places = [
            [(each.file, each.line, each.outcome) for each, _ in end.branches]
            if isinstance(end, Update)
            else (str(end.place) if isinstance(end, Fault) else "")
            for rule in system.rules
            for end in leaves(rule.tree)
        ]
        return digest(["system", _of_searches(), key, places, *self.asked])


class CachedReports(CachedAnswers[Report]):
    """The reports of one spec: those of complete searches."""

    def keep(self, key: bytes | None, system: System, answer: Report) -> None:
        if all(_is_complete(each) for each in (answer, *answer.further)):
            super().keep(key, system, answer)

    def _answer(self, key: bytes) -> Report | None:
        answer = super()._answer(key)
        return None if answer is None else replace(answer, cached=True)


def cached_reports(spec: Spec, asked: Collection[object]) -> CachedReports | None:
    """Return the reports of a spec, or None if nothing is kept."""
    store = spec.catalogue.store
    if store is None or not store.is_open:
        return None
    return CachedReports(store, spec, tuple(asked), Report)


def of_code(catalogue: Catalogue) -> bytes | None:
    """Return the digest of all code that an answer depends on: of Finale's, and of a user's folder.

    There is none if the user's code reads what no key holds, such as a data file.
    """
    code = None if catalogue.code is None else catalogue.code.key()
    if catalogue.code is not None and code is None:
        return None
    return digest(["code", _of_searches(), of_finale(), code])


def _is_complete(report: Report) -> bool:
    return not report.stopped and report.statistics.complete


@cache
def _of_searches() -> bytes:
    return digest([of_checker(*_FOLDERS), *_versions()])


def _versions() -> Iterator[str]:
    """The packages that search, as pip calls the folders of their versions."""
    names = tuple(f"{name}-" for name in _PACKAGES)
    for folder in map(Path, sys.path):
        if folder.is_dir():
            found = (each.name for each in folder.iterdir() if each.suffix == ".dist-info")
            yield from sorted(each for each in found if each.startswith(names))
