"""What makes a cell another one: its spec, the source of its protocol and properties, the tool."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from finale.pipeline.sweep import sources
from finale.pipeline.sweep.sources import digest_of
from tests.pipeline.sweep.matrices import MATRIX, plan_in

_numbers = itertools.count()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package that can be imported, by its name: each time another, as modules are kept."""
    name = f"swept_{next(_numbers)}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "top.py").write_text(f"import os\nfrom .middle import x\nimport {name}.aside\n")
    (folder / "middle.py").write_text("def x():\n    from . import inner\n")
    for each in ("inner", "aside", "other"):
        (folder / f"{each}.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    for each in [module for module in sys.modules if module.startswith(name)]:
        del sys.modules[each]


@pytest.mark.parametrize(
    ("changed", "matters"),
    [
        ("top", True),
        ("middle", True),
        ("inner", True),
        ("aside", True),
        ("__init__", True),
        ("other", False),
    ],
)
def test_what_is_imported_matters(
    package: str, changed: str, matters: bool, tmp_path: Path
) -> None:
    before = digest_of([f"{package}.top"], [package])
    (tmp_path / package / f"{changed}.py").write_text("# of another day\n" + "import os\n")
    for each in (sources._closure, sources._file, sources._imports):
        each.cache_clear()
    assert (digest_of([f"{package}.top"], [package]) != before) is matters


@pytest.mark.parametrize(
    ("text", "is_whole"),
    [
        ("from finale.jobs import Checkpoint", False),
        ("from finale.jobs import *", True),
        ("from finale import jobs", True),
        ("import finale.jobs as j", True),
    ],
)
def test_a_public_name_matters_by_the_module_that_defines_it(
    package: str, text: str, is_whole: bool, tmp_path: Path
) -> None:
    (tmp_path / package / "top.py").write_text(f"{text}\n")
    asked = (frozenset({f"{package}.top"}), (package, "finale.model"), ())
    found = sources._closure(*asked)
    assert "finale.model.protocols.coordinator.checkpoints" in found
    assert ("finale.model.protocols.committer" in found) is is_whole


def test_what_is_left_out_does_not_matter(package: str, tmp_path: Path) -> None:
    asked = ([f"{package}.top"], [package], [f"{package}.middle"])
    before = digest_of(*asked)
    (tmp_path / package / "inner.py").write_text("# of another day\n")
    assert digest_of(*asked) == before


def test_keys_know_the_spec_and_the_tool(tmp_path: Path) -> None:
    keys = [cell.key for cell in plan_in(tmp_path).cells]
    assert [cell.key for cell in plan_in(tmp_path).cells] == keys
    titled = MATRIX.replace("Mistakes", "Errors") + "[limits]\nseconds = 9\n"
    assert [cell.key for cell in plan_in(tmp_path, titled).cells] == keys, "nothing that answers"
    asked = MATRIX.replace('"commitment", ', "")
    assert not set(keys) & {cell.key for cell in plan_in(tmp_path, asked).cells}
    assert not set(keys) & {cell.key for cell in plan_in(tmp_path, version="2").cells}
    more = [
        cell.key for cell in plan_in(tmp_path, MATRIX.replace("[1, 2, 3]", "[1, 2, 3, 4]")).cells
    ]
    assert set(keys) < set(more)


def test_keys_know_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {cell.setting: cell.key for cell in plan_in(tmp_path).cells}
    real = Path.read_bytes

    def changed(self: Path) -> bytes:
        is_changed = self.match("broken/two_phase_commit.py")
        return real(self) + (b"# changed\n" if is_changed else b"")

    monkeypatch.setattr(Path, "read_bytes", changed)
    after = {cell.setting: cell.key for cell in plan_in(tmp_path).cells}
    assert {dict(each)["variant"] for each in after if after[each] != before[each]} == {
        "commits-with-one",
        "withdraws",
    }
