"""A variant that finds the parts of its base in the cache is the system that is made without."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from finale.checker.cache.store import Store
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from tests.cache.same import assert_same_systems
from tests.protocols.specs import FILES, name_of, spec_of

VARIED = [file for file in FILES if re.search("^variant", file.read_text(), re.MULTILINE)]
SOME = random.Random(18).sample(VARIED, 6)


def base_of(spec: Spec, folder: Path, store: Store) -> Spec:
    """The same spec without its variant."""
    text = re.sub("^variant.*\n", "", spec.file.read_text(), flags=re.MULTILINE)
    text = text.replace('"../', f'"{spec.file.parent.parent}/')
    file = folder / "base.toml"
    file.write_text(text)
    return read_spec(file, catalogue(None, store))


def assert_shared(file: Path, folder: Path) -> None:
    store = Store(folder / "cache")
    base_of(spec_of(file), folder, store).system()
    warm = read_spec(file, catalogue(None, store)).system()
    assert_same_systems(warm, read_spec(file, catalogue()).system())


@pytest.mark.parametrize("file", SOME, ids=name_of)
def test_a_variant_takes_from_its_base_what_is_the_same(file: Path, tmp_path: Path) -> None:
    assert_shared(file, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("file", VARIED, ids=name_of)
def test_each_variant_takes_from_its_base_what_is_the_same(file: Path, tmp_path: Path) -> None:
    assert_shared(file, tmp_path)
