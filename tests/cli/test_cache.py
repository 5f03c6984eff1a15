"""`finale check` with a cache: what did not change is not worked out again, and is told."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest import mock

import pytest

from benchmarks.commands import VARIANTS
from finale.checker.search.native.loops import loops
from finale.cli.again import times_of
from tests.cli.running import run_apart as finale

ROOT = Path(__file__).parents[2]
SPECS = ROOT / "specs" / "two-phase-commit"
CLASSICS = ROOT / "examples" / "classics"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A cache of this test's own, with the compiled loops of the native search."""
    loops()
    (tmp_path / "cache").mkdir(mode=0o700)
    for file in (Path.home() / ".cache" / "finale").glob("loops-*.o"):
        shutil.copy(file, tmp_path / "cache")
    with mock.patch.dict(os.environ, {"FINALE_CACHE": str(tmp_path / "cache")}):
        yield tmp_path


def rows(*words: object) -> list[dict[str, object]]:
    """The rows of a check, without what takes another time each time."""
    found = json.loads(finale("check", *words, "--format", "json").stdout)["results"]
    return [{k: v for k, v in row.items() if k != "seconds"} for row in found]


def test_a_second_check_is_cached(folder: Path) -> None:
    spec = sorted(SPECS.rglob("*.toml"))[0]
    first = rows(spec)
    assert not any(row["cached"] for row in first)
    second = rows(spec)
    assert all(row["cached"] for row in second)
    assert second == [{**row, "cached": True} for row in first]
    assert "· cached" in finale("check", spec).stdout
    assert not any(row["cached"] for row in rows(spec, "--no-cache"))
    assert (folder / "cache" / "finale.sqlite").exists()


@pytest.mark.usefixtures("folder")
def test_a_folder_is_checked_as_its_specs_are() -> None:
    together = rows(SPECS, "--workers", 2)
    alone = rows(SPECS, "--workers", 1, "--no-cache")
    # Two of the specs have one system: whichever is later may have the report of the other.
    assert [{**row, "cached": False} for row in together] == alone
    assert rows(SPECS) == [{**row, "cached": True} for row in alone]


def test_one_rule_that_changes_is_followed(folder: Path) -> None:
    own = folder / "protocols"
    shutil.copytree(CLASSICS / "protocols", own)
    spec = CLASSICS / "specs" / "peterson.toml"
    before = rows(spec, "--protocols", own)
    file = own / "peterson.py"
    text = file.read_text()
    file.write_text(f"# A comment moves all lines.\n{text}")
    moved = rows(spec, "--protocols", own)
    assert [row["verdict"] for row in moved] == [row["verdict"] for row in before]
    wrong = text.replace("require(", "require(True or ", 1)
    assert wrong != text
    file.write_text(wrong)
    changed = rows(spec, "--protocols", own)
    assert changed == rows(spec, "--protocols", own, "--no-cache")
    assert [row["states"] for row in changed] != [row["states"] for row in before]


#: Folders that change an object of Finale's which no name of a module or class holds.
PATCHES = {
    "a constant": "import finale.model.expressions as e\ne._INTEGERS[2] = e.integer(1)",
    "a value": "import finale.model.expressions as e\nobject.__setattr__(e.integer(2), 'value', 1)",
    "a cell": "import operator\nimport finale.model.language.symbolic_values as v\n"
    "vars(v.SymbolicOption)['__lt__'].__closure__[0].cell_contents = operator.gt",
}


@pytest.mark.parametrize("patch", PATCHES)
def test_a_folder_that_changes_finale_changes_no_answer_without_it(
    patch: str, folder: Path
) -> None:
    own = folder / "protocols"
    own.mkdir()
    (own / "patch.py").write_text(f"{PATCHES[patch]}\nPROTOCOLS = ()\nPROPERTIES = ()\n")
    spec = ROOT / "specs" / "final-checkpoint" / "pair.toml"
    setting = (spec, "--set", "bounds.checkpoints=2")
    rows(*setting, "--protocols", own)
    assert rows(*setting) == rows(*setting, "--no-cache")
    assert rows(*setting, "--protocols", own) == [
        {**row, "cached": True} for row in rows(*setting, "--protocols", own, "--no-cache")
    ]


def kept(folder: Path) -> int:
    """The number of texts that the cache has."""
    with closing(sqlite3.connect(folder / "cache" / "finale.sqlite")) as file:
        (count,) = file.execute("SELECT count(*) FROM kept").fetchone()
    return int(count)


@pytest.mark.parametrize("variant", ["same", "later"])
@pytest.mark.parametrize("names", [("pair",), ("figure",), ("pair", "figure")])
def test_a_variant_works_out_little_more_than_its_own_rule(
    names: tuple[str, ...], variant: str, folder: Path
) -> None:
    specs = [ROOT / "specs" / "final-checkpoint" / f"{name}.toml" for name in names]
    own = folder / "protocols"
    own.mkdir()
    (own / "variants.py").write_text(VARIANTS)
    finale("check", *specs)
    of_base = kept(folder)
    # Several specs are checked in processes of their own.
    done = finale("check", *specs, "--variant", variant, "--protocols", own, "--workers", 2)
    assert done.exit in (0, 1), done.stderr
    compared = 100 * len(names)  # the rules, and each property
    assert kept(folder) - of_base - compared < of_base / 5


def test_a_cache_of_others_is_told_once_and_not_used(folder: Path) -> None:
    (folder / "cache").chmod(0o777)
    done = finale("check", SPECS)
    assert done.exit == 0
    assert done.stderr.count("others can write") == 1


def test_each_release_has_a_report_of_its_own(folder: Path) -> None:
    assert folder.is_dir()
    spec = ROOT / "specs" / "final-checkpoint" / "pair.toml"
    words = ("check", spec, "--release", "V3,V4", "--format", "json")
    first = json.loads(finale(*words).stdout)["results"]
    second = json.loads(finale(*words).stdout)["results"]
    anew = json.loads(finale(*words, "--no-cache").stdout)["results"]
    for rows in (first, second, anew):
        for row in rows:
            row["seconds"] = row["cached"] = None
    assert first == second == anew
    releases = [row["release"] for row in first]
    assert len(set(releases)) == 2


# --- code that reads what is not in its file -----------------------------------------------------

LIMITED = """
{reads}
from finale.model.protocols.two_phase_commit import Manager, TwoPhaseCommit
from finale.model.rules import require, rule


class Limited(TwoPhaseCommit):
    @rule
    def prepare(self, manager: Manager) -> None:
        \"\"\"A resource manager prepares, up to a limit.\"\"\"
        require(LIMIT > 1)
        super().prepare(manager)


VARIANTS = {{"limited": Limited}}
"""
OPENED = "with open(__file__.replace('own.py', 'limit.txt')) as file:\n    exec(file.read())"
READS = {
    "own/limit.py": "from .limit import LIMIT",
    "own/within/limit.py": "from .within.limit import LIMIT",
    "elsewhere/limit_elsewhere.py": "from limit_elsewhere import LIMIT",
    "environment": "import os\nLIMIT = int(os.environ['LIMIT_OF_TEST'])",
    "own/limit.txt": OPENED,
}


@pytest.mark.parametrize(("name", "reads"), READS.items(), ids=READS)
def test_what_code_reads_elsewhere_is_noticed(
    folder: Path, name: str, reads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, file = folder / "own", folder / name
    own.mkdir()
    file.parent.mkdir(exist_ok=True)
    (own / "own.py").write_text(LIMITED.format(reads=reads))
    monkeypatch.setenv("PYTHONPATH", str(folder / "elsewhere"), prepend=os.pathsep)
    words = (SPECS / "three-managers.toml", "--protocols", own, "--variant", "limited")
    found = list[object]()
    for limit in (2, 1):
        file.write_text(f"LIMIT = {limit}\n")
        monkeypatch.setenv("LIMIT_OF_TEST", str(limit))
        kept = rows(*words)
        assert kept == rows(*words, "--no-cache")
        found.append(kept[0]["states"])
    assert found[0] != found[1]


# --- what changed since a revision ---------------------------------------------------------------


def git(folder: Path, *words: str) -> None:
    own = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", folder, *own, *words], check=True, capture_output=True)


@pytest.fixture
def repository(folder: Path) -> Path:
    """A repository with two classics and their specs."""
    top = folder / "repository"
    for name in ("peterson", "semaphore"):
        (top / "protocols").mkdir(parents=True, exist_ok=True)
        shutil.copy(CLASSICS / "protocols" / f"{name}.py", top / "protocols")
    (top / "specs").mkdir()
    shutil.copy(CLASSICS / "specs" / "peterson.toml", top / "specs")
    shutil.copy(CLASSICS / "specs" / "semaphore-weak.toml", top / "specs")
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-q", "-m", "Begin")
    return top


def checked(repository: Path) -> set[str]:
    specs, protocols = repository / "specs", repository / "protocols"
    words = ("--changed-since", "HEAD", "--protocols", protocols)
    return {Path(str(row["spec"])).stem for row in rows(specs, *words)}


def test_what_did_not_change_is_left_out(repository: Path) -> None:
    assert checked(repository) == set()
    file = repository / "protocols" / "peterson.py"
    before = file.read_text()
    file.write_text(before + "\n")
    # A file of the folder may change what the others have: all of it is one.
    assert checked(repository) == {"peterson", "semaphore-weak"}
    file.write_text(before)
    spec = repository / "specs" / "semaphore-weak.toml"
    spec.write_text(spec.read_text() + "\n")
    assert checked(repository) == {"semaphore-weak"}
    git(repository, "commit", "-q", "-a", "-m", "Go on")
    assert checked(repository) == set()
    (repository / "specs" / "new.toml").write_text(spec.read_text())
    assert checked(repository) == {"new"}


@pytest.mark.parametrize("name", ["constants.py", "within/constants.py"])
def test_what_a_file_imports_is_part_of_it(repository: Path, name: str) -> None:
    file, constants = (repository / "protocols" / each for each in ("peterson.py", name))
    constants.parent.mkdir(exist_ok=True)
    constants.write_text("NUMBER = 1\n")
    module = name.removesuffix(".py").replace("/", ".")
    file.write_text(
        file.read_text().replace("import enum", f"from .{module} import NUMBER\nimport enum", 1)
    )
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "Go on")
    assert checked(repository) == set()
    constants.write_text("NUMBER = 2\n")
    assert checked(repository) == {"peterson", "semaphore-weak"}


def test_a_revision_that_is_none_is_refused(repository: Path) -> None:
    words = ("--protocols", repository / "protocols", "--changed-since")
    done = finale("check", repository / "specs", *words, "no-such")
    assert done.exit == 2
    assert "error[unknown-revision]" in done.stderr


def test_a_folder_in_no_repository_is_refused(folder: Path) -> None:
    shutil.copy(CLASSICS / "specs" / "peterson.toml", folder)
    with mock.patch.dict(os.environ, {"GIT_CEILING_DIRECTORIES": str(folder.parent)}):
        done = finale("check", folder, "--changed-since", "HEAD")
    assert done.exit == 2
    assert "error[no-repository]" in done.stderr


# --- several processes ---------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_many_specs_can_be_interrupted(folder: Path, number: signal.Signals) -> None:
    program = Path(sys.executable).with_name("finale")
    page = folder / "page"
    with page.open("w") as out:
        command = [str(program), "check", "specs/unaligned", "--workers", "2"]
        checking = subprocess.Popen(command, stdout=out, cwd=ROOT)
        try:
            wait_for(page, "✓ specs/", 1)
            checking.send_signal(number)
            code = checking.wait(60)
        finally:
            checking.kill()
    assert code == 130
    assert "interrupted" in page.read_text().splitlines()[-1]


def test_a_worker_that_dies_costs_one_spec(folder: Path) -> None:
    specs = folder / "specs"
    specs.mkdir()
    for name in ("one", "two", "three"):
        shutil.copy(CLASSICS / "specs" / "peterson.toml", specs / f"{name}.toml")
    own = folder / "protocols"
    shutil.copytree(CLASSICS / "protocols", own)
    text = (own / "peterson.py").read_text()
    start = text.index("@rule")
    deadly = f"import os, multiprocessing\n{text[:start]}"
    deadly += "\n    def limits(self):\n"
    deadly += "        if multiprocessing.parent_process() is not None:\n"
    deadly += "            os.abort()\n        return super().limits()\n\n    "
    (own / "peterson.py").write_text(deadly + text[start:])
    done = finale("check", specs, "--protocols", own, "--workers", 2)
    assert done.exit == 2
    assert done.stderr.count("error[worker-died]") == 3


# --- watching ------------------------------------------------------------------------------------


def test_a_spec_is_checked_again_when_it_is_saved(folder: Path) -> None:
    own = folder / "protocols"
    shutil.copytree(CLASSICS / "protocols", own)
    spec = folder / "peterson.toml"
    shutil.copy(CLASSICS / "specs" / "peterson.toml", spec)
    program = Path(sys.executable).with_name("finale")
    (folder / "rich.py").write_text("raise SystemExit('not this one')\n")
    page = folder / "page"
    with page.open("w") as out:
        watching = subprocess.Popen(
            [program, "check", str(spec), "--protocols", str(own), "--watch"],
            cwd=folder,  # with modules of this name: the checks load their own
            stdout=out,
        )
        try:
            wait_for(page, "1 spec checked", 1)
            spec.write_text(spec.read_text().replace("title = ", "title = ", 1) + "\n")
            wait_for(page, "1 spec checked", 2)
            assert "changed: peterson.toml" in page.read_text()
            file = own / "peterson.py"
            file.write_text(file.read_text() + "\n")
            wait_for(page, "1 spec checked", 3)
        finally:
            watching.send_signal(signal.SIGINT)
            code = watching.wait(60)
    assert code == 130


def test_an_edit_that_keeps_size_and_time_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text("LIMIT = 2\n")
    before, times = times_of([tmp_path]), file.stat()
    time.sleep(0.02)
    file.write_text("LIMIT = 3\n")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert times_of([tmp_path]) != before


def wait_for(page: Path, text: str, times: int) -> None:
    """Wait until a page says something so many times."""
    for _ in range(1800):
        if page.read_text().count(text) >= times:
            return
        time.sleep(0.1)
    raise AssertionError(page.read_text())
