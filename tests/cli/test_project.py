"""The project file: values of flags that a command line leaves out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from finale.cli.project import KEYS
from tests.cli.running import HERE, ROOT, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a protocol of its own and a spec, without a project file."""
    shutil.copytree(HERE / "inputs" / "protocols", tmp_path / "mine")
    (tmp_path / "claims").mkdir()
    shutil.copy(HERE / "inputs" / "ping.toml", tmp_path / "claims")
    return tmp_path


def write(folder: Path, text: str, name: str = "finale.toml") -> None:
    (folder / name).write_text(text, encoding="utf-8")


BOTH = 'protocols = "mine"\nspecs = ["claims"]\n'


def test_check_takes_the_specs_and_protocols_of_the_project(folder: Path) -> None:
    assert "error[no-paths]" in run("check", folder).stderr
    write(folder, BOTH)
    named = run("check claims --protocols mine", folder)
    ran = run("check", folder)
    assert (ran.exit, named.exit) == (0, 0)
    assert ran.stdout.splitlines()[:3] == named.stdout.splitlines()[:3]


def test_it_counts_in_folders_below_it_and_paths_are_relative_to_it(folder: Path) -> None:
    write(folder, f"[tool.finale]\n{BOTH}", "pyproject.toml")
    below = folder / "claims"
    assert run("check", below).exit == 0
    assert run("trace ping.toml", below).exit == 0
    (folder / "other").mkdir()
    write(folder / "other", 'specs = ["none"]')
    assert "none" in run("check", folder / "other").stderr


def test_the_command_line_wins(folder: Path) -> None:
    write(folder, 'protocols = "nowhere"\nspecs = ["nowhere"]\n')
    assert run("check claims --protocols mine", folder).exit == 0
    assert "nowhere" in run("check claims", folder).stderr
    write(folder, f"{BOTH}[tool.finale]\nspecs = 1\n", "pyproject.toml")  # not the file that counts
    assert "nowhere" in run("check", folder).stderr


def test_a_pyproject_without_the_table_is_passed_over(folder: Path) -> None:
    write(folder, BOTH)
    write(folder / "claims", "[tool.other]\nx = 1\n", "pyproject.toml")
    assert run("check", folder / "claims").exit == 0


def test_strict_is_as_the_flag_and_not_for_releases(folder: Path) -> None:
    """A violation that the spec does not expect is then a failure."""
    spec = folder / "claims" / "ping.toml"
    text = spec.read_text(encoding="utf-8").partition("[[expect]]")[0]
    expects = '[[expect]]\nproperty = "two-pings"\nverdict = "holds"\n'
    spec.write_text(f"{text}{expects}", encoding="utf-8")
    write(folder, BOTH)
    assert run("check", folder).exit == 0
    write(folder, f"{BOTH}strict = true\n")
    assert run("check", folder).exit == 1
    assert run("report -o page.html", folder).exit == 1  # the page is as red as the build
    assert "releases-alone" not in run("check --release all", folder).stderr


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("spec = 1", "bad-project"),
        ("specs = [1]", "bad-project"),
        ("protocols = true", "bad-project"),
        ('strict = "yes"', "bad-project"),
        ("specs = ", "malformed-toml"),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_place(folder: Path, text: str, code: str) -> None:
    write(folder, text)
    ran = run("check", folder)
    assert ran.exit == 2
    assert f"error[{code}]" in ran.stderr
    assert "finale.toml" in ran.stderr
    assert run("schema --protocols mine", folder).exit == 2
    assert run("completion bash", folder).exit == 0


def test_the_page_has_each_key() -> None:
    page = (ROOT / "docs" / "project-file.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in page for name in KEYS)
