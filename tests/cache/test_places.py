"""A key holds each module that code can reach, by the place of its file; else there is none."""

from __future__ import annotations

import importlib
import py_compile
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from finale.checker.spec.catalogue import catalogue
from tests.cache.plain_process import forget_tests
from tests.cache.ways.form import way
from tests.mutation.rules.apart import apart

PACKAGE = "from .inner import *\nLIMIT = 2\n"


def has_key(folder: Path, path: Path, *loaded: str) -> bool:
    """Whether a protocol that imports a package has a key, after some modules were loaded."""
    own = folder / "own"
    own.mkdir()
    text = way("counts", "from finale_way_p import LIMIT").texts(after=False)["count.py"]
    (own / "count.py").write_text(text)

    def call() -> bool:
        forget_tests()
        sys.path.insert(0, str(path))
        for name in loaded:
            sys.modules.pop(name, None)
            importlib.import_module(name)
        code = catalogue(own).code
        assert code is not None
        return code.key() is not None

    found = apart(call)
    assert isinstance(found, bool), found
    return found


@pytest.fixture
def package(tmp_path: Path) -> Path:
    made = tmp_path / "beside" / "finale_way_p"
    made.mkdir(parents=True)
    (made / "__init__.py").write_text(PACKAGE)
    (made / "inner.py").write_text("OTHER = 1\n")
    return made


def test_text_elsewhere_is_in_the_key(package: Path, tmp_path: Path) -> None:
    assert has_key(tmp_path, package.parent)


def test_byte_code_is_in_no_key(package: Path, tmp_path: Path) -> None:
    inner = package / "inner.py"
    py_compile.compile(str(inner), cfile=str(package / "inner.pyc"))
    inner.unlink()
    assert not has_key(tmp_path, package.parent)


def test_an_archive_is_in_no_key(package: Path, tmp_path: Path) -> None:
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for each in package.iterdir():
            file.write(each, f"finale_way_p/{each.name}")
    assert not has_key(tmp_path, archive)


def test_compiled_code_is_in_no_key(package: Path, tmp_path: Path) -> None:
    built = importlib.import_module("_bisect").__file__
    if built is None:
        pytest.skip("this Python has no compiled modules in files")
    (package / "inner.py").unlink()
    (package / "__init__.py").write_text("from ._bisect import *\nLIMIT = 2\n")
    shutil.copy(built, package)
    assert not has_key(tmp_path, package.parent)


@pytest.mark.parametrize("name", ["finale_way_other", "colorsys"])
def test_what_was_loaded_before_is_in_no_key(name: str, package: Path, tmp_path: Path) -> None:
    (package.parent / f"{name}.py").write_text("")
    assert not has_key(tmp_path, package.parent, name)


def test_a_module_of_python_that_was_loaded_before_is_known(package: Path, tmp_path: Path) -> None:
    assert has_key(tmp_path, package.parent, "colorsys", "string")
