"""The project file: values of flags that a command line leaves out."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from finale.cli.commands import COMMANDS
from finale.cli.main import app
from finale.cli.project import KEYS
from tests.cli.running import HERE, ROOT, run, run_apart


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
    unexpected(folder)
    write(folder, BOTH)
    assert run("check", folder).exit == 0
    write(folder, f"{BOTH}strict = true\n")
    assert run("check", folder).exit == 1
    assert run("report -o page.html", folder).exit == 1  # the page is as red as the build
    assert "releases-alone" not in run("check --release all", folder).stderr


def unexpected(folder: Path) -> None:
    """Let the spec expect nothing of a property that is violated."""
    spec = folder / "claims" / "ping.toml"
    text = spec.read_text(encoding="utf-8").partition("[[expect]]")[0]
    expects = '[[expect]]\nproperty = "two-pings"\nverdict = "holds"\n'
    spec.write_text(f"{text}{expects}", encoding="utf-8")


def test_a_flag_that_the_project_sets_has_a_negative_form(folder: Path) -> None:
    unexpected(folder)
    write(folder, f"{BOTH}strict = true\n")
    assert run("check", folder).exit == 1
    assert run("check --no-strict", folder).exit == 0
    assert run("report -o page.html --no-strict", folder).exit == 0


def test_the_nearest_file_above_the_specs_counts(folder: Path) -> None:
    """Whoever checks a project from above checks what the project checks."""
    unexpected(folder)
    write(folder, f"{BOTH}strict = true\n")
    write(folder.parent, 'protocols = "nowhere"\n')
    try:
        assert run(f"check {folder.name}/claims", folder.parent).exit == 1
        assert run(f"check {folder.name}/claims/ping.toml", folder.parent).exit == 1
        assert run(f"trace {folder.name}/claims/ping.toml", folder.parent).exit == 0
    finally:
        (folder.parent / "finale.toml").unlink()


def test_two_projects_that_differ_are_refused(folder: Path) -> None:
    other = folder / "other"
    shutil.copytree(folder / "claims", other / "claims")
    write(folder, f"{BOTH}strict = true\n")
    write(other, 'protocols = "../mine"\n')
    ran = run("check claims other/claims", folder)
    assert ran.exit == 2
    assert "error[two-projects]: finale.toml and other/finale.toml differ in strict" in ran.stderr
    assert run("check claims other/claims --strict", folder).exit == 0


def test_a_project_file_that_does_not_count_is_named(folder: Path) -> None:
    shutil.copytree(folder / "claims", folder / "claims" / "other")
    write(folder, BOTH)
    assert "note" not in run("check", folder).stderr
    write(folder / "claims" / "other", "strict = true\n")
    ran = run("check", folder)
    assert ran.exit == 0
    assert "note: claims/other/finale.toml (strict) does not count here" in ran.stderr


def test_review_takes_the_specs_of_the_project(folder: Path) -> None:
    write(folder, BOTH)
    ran = run("review forgets --stability 0 --format json", folder)
    assert "claims/ping.toml" in ran.stdout, ran.stderr
    write(folder, 'protocols = "mine"\nspecs = ["gone"]\n')
    ran = run("review forgets", folder)
    assert (ran.exit, ran.stderr.partition(":")[0]) == (2, "error[no-such-path]")


CLAIM = """
title    = "A task finishes while its checkpoint is being triggered"
protocol = "final-checkpoint"

[options]
final_wait = "none"

[job]
S1 = { records = 0 }
S2 = { records = 0, bounded = false }
K  = { from = ["S1", "S2"], sink = "two-phase" }

[bounds]
checkpoints = 1
channel     = 2

[[expect]]
property = "checkpoint-ends"
verdict  = "holds"
"""


@pytest.fixture
def repository(folder: Path) -> Path:
    """A repository with a claim on a protocol of Finale, which another property violates."""
    (folder / "claims" / "ping.toml").unlink()
    for name in ("claims", "further"):
        (folder / name).mkdir(exist_ok=True)
        write(folder / name, CLAIM, "race.toml")
    shutil.copytree(folder / "mine", folder / "too")
    return folder


def test_an_unknown_variant_names_the_project_below_that_has_it(folder: Path) -> None:
    project = folder / "project"
    shutil.copytree(folder / "mine", project / "mine")
    write(project, BOTH)
    ran = run("review forgets --of final-checkpoint", folder)
    assert (ran.exit, ran.stderr.partition(":")[0]) == (2, "error[unknown-variant]")
    told = 'help: the protocols of project/finale.toml name "forgets": change to project, or add '
    assert f"{told}--protocols project/mine; otherwise: " in ran.stderr
    assert "finale.toml" not in run("review forgests", folder).stderr


def git(folder: Path, *words: str) -> None:
    own = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", folder, *own, *words], check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "Begin")


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (f"{BOTH}strict = true\n", "strict"),
        ('protocols = "mine"\nspecs = ["claims", "further"]\n', "specs"),
        ('protocols = "too"\nspecs = ["claims"]\n', "protocols"),
        (f'{BOTH}release = "flink-2.3"\n', "release"),
    ],
)
def test_a_change_of_the_project_concerns_every_spec(
    repository: Path, text: str, keys: str
) -> None:
    write(repository, BOTH)
    commit(repository)
    before = run_apart("check", "--changed-since", "HEAD", folder=repository)
    assert (before.exit, "1 spec left out" in before.stdout) == (0, True)
    assert "HEAD is the current commit, and no file differs from it" in before.stderr
    write(repository, text)
    ran = run_apart("check", "--changed-since", "HEAD", folder=repository)
    assert "left out" not in ran.stdout
    why = f"note: finale.toml has changed since HEAD ({keys}), so every spec is checked\n"
    assert ran.stderr == why
    assert ran.exit == (1 if keys == "strict" else 0)
    write(repository, f"# The same.\n{BOTH}")
    ran = run_apart("check", "--changed-since", "HEAD", folder=repository)
    assert ("1 spec left out" in ran.stdout, ran.stderr) == (True, "")


def test_a_project_file_that_came_or_went_concerns_every_spec(repository: Path) -> None:
    words = ("check", "claims", "--protocols", "mine", "--changed-since", "HEAD")
    table = f"[tool.finale]\n{BOTH}"
    write(repository, f'[project]\nname = "p"\n{table}', "pyproject.toml")
    commit(repository)
    write(repository, f'[project]\nname = "q"\n{table}', "pyproject.toml")
    assert "1 spec left out" in run_apart(*words, folder=repository).stdout
    write(repository, "")
    assert "pyproject.toml has changed since HEAD" in run_apart(*words, folder=repository).stderr
    (repository / "finale.toml").unlink()
    write(repository / "claims", "strict = true\n")
    assert (
        "claims/finale.toml has changed since HEAD" in run_apart(*words, folder=repository).stderr
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('release = "flink-9.9"', "unknown-release"),
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


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('specs = ["gone"]', "error[no-such-path]: finale.toml (key specs): gone is not there"),
        (
            'protocols = "gone"',
            "error[no-such-folder]: finale.toml (key protocols): gone is not a folder",
        ),
    ],
)
def test_a_path_of_the_file_that_leads_nowhere_is_told_with_its_key(
    folder: Path, text: str, told: str
) -> None:
    write(folder, text)
    command = "check" if "specs" in text else "check claims"
    first, advice = run(command, folder).stderr.splitlines()[:2]
    assert first == told
    assert "--protocols" not in advice


def test_the_page_has_each_key_with_its_commands() -> None:
    page = (ROOT / "docs" / "project-file.md").read_text(encoding="utf-8")
    for name, key in KEYS.items():
        row = re.search(rf"^\| `{name}` \|.*$", page, re.MULTILINE)
        assert row is not None, name
        commands = {command for command, _ in key.fills if command not in ("*", "serve-items")}
        for command in sorted({*commands, *key.read_by}):
            assert f"`finale {command}`" in row[0], (name, command)
        if name == "protocols":
            assert set(re.findall(r"`finale ([a-z]+)`", row[0])) == set(with_protocols())


def with_protocols() -> list[str]:
    """The commands with the flag --protocols."""
    names = [each.name for group in COMMANDS for each in group.commands if " " not in each.name]
    arguments = {name: app[name].assemble_argument_collection() for name in names}
    return [name for name in names if any(a.name == "--protocols" for a in arguments[name])]
