"""Many specs at once: results in the order of the files, and no error that is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.checker.search.many import searched
from finale.checker.search.verdict import Report
from finale.model.errors import FinaleError

FILES = [Path("one"), Path("two"), Path("three")]


def refused(file: Path) -> Report:
    raise FinaleError("spec-key", f"{file} is wrong", advice="mend it")


def defective(file: Path) -> Report:
    raise ZeroDivisionError(f"in {file}")


def ignored(busy: object, done: int, count: int) -> None:
    pass


def test_errors_are_in_the_order_of_the_files() -> None:
    found = list(searched(FILES, refused, 2, ignored))
    assert [(file, getattr(error, "code", "")) for file, error in found] == [
        (file, "spec-key") for file in FILES
    ]


def test_a_defect_in_a_worker_is_raised_with_its_traceback() -> None:
    with pytest.raises(
        RuntimeError, match=r"(?s)one was searched.*in defective.*ZeroDivisionError"
    ):
        list(searched(FILES[:1], defective, 1, ignored))
