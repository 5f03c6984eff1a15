"""Audits of one system in a row share its symmetry."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from finale.checker.search.reductions import find
from tests.reductions.audit import symmetry_once


@pytest.fixture(scope="session", autouse=True)
def symmetry_is_found_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(find, "symmetry_of", symmetry_once)
        yield
