"""Each file and folder that a command writes: what becomes of foreign content, links and locks.

A file that the user names is replaced as a whole; of a link, the file that it leads to. In a folder
that a command goes on with, nothing foreign is touched, and nothing outside is written.
"""

from __future__ import annotations

import ast
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest

from finale.checker.hunt.journal import Journal as HuntJournal
from finale.checker.reproduce.runs import DrivenRuns
from finale.checker.search.native.resume import ResumeFolder
from finale.checker.studies import recording
from finale.model.errors import FinaleError
from finale.model.written import write_through, write_whole
from finale.pipeline.sweep.run import SweepStore
from finale.pipeline.validating.store import ResultStore
from finale.pipeline.watch.journal import Journal as WatchJournal
from finale.reference.flink.releases import Release
from finale.reference.flink.run import SCRIPT, prepared_folder
from finale.reference.formats.folder import locked
from tests.cli.running import HERE, ROOT, Ran, run

P = "--protocols protocols"
SPEC = 'title = "One claim"\nprotocol = "ping-pong"\n'
BOUNDED = 'title = "A"\nprotocol = "final-checkpoint"\n[job]\nshape = "pair"\nrecords = 0\n'
MATRIX = 'title = "A"\nspec = "bounded.toml"\n[axes]\n"bounds.checkpoints" = [1]\n'
LOG = "2026-11-22 10:00:00,000 INFO  org.apache.flink.Some [] - Nothing of note.\n"
HUNT = "hunt operator-coordinator --max-total-seconds 0.001 --workers 1 --known none --output"


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """A folder with inputs; beside it is one outside, in which nothing may change."""
    here = tmp_path / "here"
    shutil.copytree(HERE / "inputs", here)
    (here / "none").mkdir()
    (here / "none" / "other.toml").write_text('title = "no spec"')
    for name, text in (("spec", SPEC), ("bounded", BOUNDED), ("matrix", MATRIX)):
        (here / f"{name}.toml").write_text(text)
    (here / "flink.log").write_text(LOG)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "notes").write_text("my notes")
    return here


def seen(folder: Path) -> dict[str, str]:
    """What is in a folder: by path, what it is."""
    return {
        str(each.relative_to(folder)): hashlib.sha256(each.read_bytes()).hexdigest()
        if each.is_file()
        else f"{each.is_symlink()} {each.is_dir()}"
        for each in sorted(folder.rglob("*"))
    }


def code(ran: Ran) -> str:
    """The code of the error, or that there is none."""
    assert "Traceback" not in ran.stderr, ran.stderr
    assert (ran.exit == 2) == ran.stderr.startswith("error["), ran
    return ran.stderr.split("]")[0].removeprefix("error[") if ran.exit == 2 else "written"


# --- files that the user names -------------------------------------------------------------------

#: A command, the file that it writes, and what becomes of another text in that file.
FILES: dict[str, tuple[str, str, str]] = {
    "report": (f"report spec.toml {P} -o {{}}", "out/page.html", "written"),
    "coverage": (f"coverage spec.toml {P} -o {{}}", "out/coverage.html", "written"),
    "trace": (f"trace spec.toml {P} --output {{}}", "out/trace.txt", "written"),
    "trace as ITF": (f"trace spec.toml {P} --format itf -o {{}}", "out/a.itf.json", "written"),
    "trace as SVG": (f"trace spec.toml {P} --format svg -o {{}}", "out/a.svg", "written"),
    "schema": ("schema --output {}", "out/schema.json", "written"),
    "check --junit": (f"check spec.toml {P} --junit {{}}", "out/junit.xml", "written"),
    "check --sarif": (f"check spec.toml {P} --sarif {{}}", "out/all.sarif", "written"),
    "export to TLA+": ("export bounded.toml --to tla --output {}", "out/A.tla", "file-exists"),
    "export to Promela": (
        "export bounded.toml --to promela --safety-only --output {}",
        "out/A.pml",
        "file-exists",
    ),
    "simulate": (
        f"simulate spec.toml {P} --runs 9 --seed 1 --output {{}}",
        "out/r.json",
        "written",
    ),
}


def made(box: Path, name: str) -> tuple[str, Path]:
    """The command line, and the file, in a folder that is there."""
    command, target, _ = FILES[name]
    file = box / target
    file.parent.mkdir()
    return command.format(file), file


@pytest.mark.parametrize("name", FILES)
def test_another_text_in_a_named_file(name: str, box: Path) -> None:
    command, file = made(box, name)
    file.write_text("my notes")
    told = code(run(command, box))
    assert told == FILES[name][2]
    assert (file.read_text() == "my notes") == (told != "written")
    assert not [each for each in file.parent.iterdir() if each.name.endswith((".part", ".draft"))]


@pytest.mark.parametrize("name", FILES)
def test_a_link_in_place_of_a_named_file(name: str, box: Path) -> None:
    """The user's link stays; the file that it leads to is written, or nothing is."""
    command, file = made(box, name)
    target = box.parent / "outside" / "target"
    target.write_text("my notes")
    file.symlink_to(target)
    told = code(run(command, box))
    assert told == FILES[name][2]
    assert file.is_symlink()
    assert (target.read_text() == "my notes") == (told != "written")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("harm", ["a folder", "below a file", "a long name", "no rights"])
def test_a_name_that_cannot_be_written(name: str, harm: str, box: Path) -> None:
    command, file = made(box, name)
    before = file.parent
    match harm:
        case "a folder":
            file.mkdir()
            if "export" in name:  # it writes into a folder
                (file / f"bounded{file.suffix}").mkdir()
        case "below a file":
            before.rmdir()
            before.write_text("my notes")
        case "a long name":
            command = command.replace(file.name, "x" * 300 + file.suffix)
        case _:
            command = command.replace(str(file), f"/proc/{file.name}")
    left = seen(box)
    ran = run(command, box)
    assert ran.exit == 2, ran
    assert "Traceback" not in ran.stderr
    assert ran.stderr.startswith("error["), ran.stderr
    after = {path: each for path, each in seen(box).items() if "__pycache__" not in path}
    assert after == {path: each for path, each in left.items() if "__pycache__" not in path}


@pytest.mark.parametrize("ending", [".draft", ".part"])
def test_a_draft_of_an_export_is_no_link_of_somebody_else(ending: str, box: Path) -> None:
    command, file = made(box, "export to TLA+")
    (file.parent / f".{file.name}{ending}").symlink_to(box.parent / "outside" / "notes")
    before = seen(box.parent / "outside")
    assert code(run(command, box)) == "written"
    assert seen(box.parent / "outside") == before
    assert file.is_file()


# --- files that a command changes ----------------------------------------------------------------


def test_a_spec_is_recorded_as_a_whole_through_a_link(box: Path) -> None:
    real = box.parent / "outside" / "spec.toml"
    real.write_text(SPEC)
    (box / "link.toml").symlink_to(real)
    assert code(run(f"check link.toml {P} --record", box)) == "written"
    assert (box / "link.toml").is_symlink()
    assert "states" in real.read_text()


def test_a_full_disk_leaves_the_file_as_it_was(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    ran = run(f"check spec.toml {P} --record --no-cache", box)
    assert code(ran) == "unwritable"
    assert (box / "spec.toml").read_text() == SPEC
    assert not [*box.glob(".spec*")]


def test_a_spec_that_was_changed_meanwhile_keeps_the_change(
    box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = SPEC + "[bounds]\npings = 1\n"
    whole = recording._second_opinion

    def edited(spec: object) -> object:
        (box / "spec.toml").write_text(other)
        return whole(spec)  # type: ignore[arg-type]

    monkeypatch.setattr(recording, "_second_opinion", edited)
    ran = run(f"check spec.toml {P} --record", box)
    assert code(ran) == "unwritable"
    assert "the file was changed while it was checked" in ran.stderr
    assert (box / "spec.toml").read_text() == other


def test_a_file_without_rights_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that may be written, a file that may not be could be replaced."""
    file = tmp_path / "spec.toml"
    file.write_text("mine")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError):
        write_through(file, "other")
    assert file.read_text() == "mine"


# --- folders that a command goes on with ---------------------------------------------------------

Opened = Callable[[Path], AbstractContextManager[object]]


@contextmanager
def searching(folder: Path) -> Iterator[object]:
    opened = ResumeFolder(folder, "some system")
    try:
        yield opened
    finally:
        opened.close()


#: What a folder has that is not of the command, if not the code of a folder that cannot be made.
FOREIGN = {"check --resume": "resume-foreign"}
#: A folder: what opens it, the codes of an unusable one and of one in use, the file that begins it.
FOLDERS: dict[str, tuple[Opened, str, str, str]] = {
    "hunt": (HuntJournal, "hunt-folder", "hunt-in-use", "settings.ndjson"),
    "sweep": (SweepStore, "sweep-folder", "sweep-in-use", "cells.ndjson"),
    "watch": (
        lambda path: WatchJournal(path, {}),
        "watch-folder",
        "watch-in-use",
        "findings.ndjson",
    ),
    "validate": (
        lambda path: ResultStore(path, "order"),
        "results-folder",
        "results-in-use",
        "validated.jsonl",
    ),
    "reproduce --orders": (
        lambda path: DrivenRuns(path, Release("2.3.0", Path(), ())),
        "reproduction-folder",
        "reproduction-in-use",
        "runs.ndjson",
    ),
    "check --resume": (searching, "resume-folder", "resume-in-use", "states.bin"),
}


def refused(opened: Opened, folder: Path) -> str:
    with pytest.raises(FinaleError) as raised, opened(folder):
        pass
    return raised.value.code


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("foreign", ["thesis.tex", "notes.half", "found", "parts/notes"])
def test_a_folder_with_other_files(name: str, foreign: str, tmp_path: Path) -> None:
    opened, told, _, _ = FOLDERS[name]
    file = tmp_path / "folder" / foreign
    file.parent.mkdir(parents=True)
    file.write_text("my notes")
    before = seen(tmp_path)
    assert refused(opened, tmp_path / "folder") == FOREIGN.get(name, told)
    assert seen(tmp_path) == before


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("text", ["my notes", "my notes\n", "\0\0\0\n"])
def test_a_foreign_file_of_the_name_that_begins_it(name: str, text: str, tmp_path: Path) -> None:
    opened, told, _, begins = FOLDERS[name]
    (tmp_path / begins).write_text(text)
    before = seen(tmp_path)
    assert refused(opened, tmp_path) == FOREIGN.get(name, told)
    assert seen(tmp_path) == before


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("harm", ["a file", "below a file", "no rights"])
def test_a_folder_that_cannot_be_made(name: str, harm: str, tmp_path: Path) -> None:
    opened, told, _, _ = FOLDERS[name]
    (tmp_path / "file").write_text("my notes")
    folders = {
        "a file": tmp_path / "file",
        "below a file": tmp_path / "file" / "folder",
        "no rights": Path("/proc/finale-folder"),
    }
    assert refused(opened, folders[harm]) == told
    assert (tmp_path / "file").read_text() == "my notes"


@pytest.mark.parametrize("name", FOLDERS)
def test_two_at_once(name: str, tmp_path: Path) -> None:
    opened, _, in_use, _ = FOLDERS[name]
    with opened(tmp_path / "folder"):
        before = seen(tmp_path)
        assert refused(opened, tmp_path / "folder") == in_use
        assert seen(tmp_path) == before


@pytest.mark.parametrize("name", FOLDERS)
def test_the_file_that_begins_it_is_a_link(name: str, tmp_path: Path) -> None:
    """What it leads to is not written, whether the folder is refused or not."""
    opened, _, _, begins = FOLDERS[name]
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    with opened(folder):
        pass
    outside.mkdir()
    shutil.move(folder / begins, outside / begins)
    (folder / begins).symlink_to(outside / begins)
    before = seen(outside)
    with suppress(FinaleError), opened(folder):
        pass
    assert seen(outside) == before


@pytest.mark.parametrize(("name", "below"), [("hunt", "found"), ("validate", "parts")])
def test_a_folder_in_it_is_a_link(name: str, below: str, tmp_path: Path) -> None:
    opened, told, _, _ = FOLDERS[name]
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    with opened(folder):
        pass
    outside.mkdir()
    (outside / "7.notes").write_text("my notes")
    if (folder / below).exists():
        (folder / below).rmdir()
    (folder / below).symlink_to(outside)
    assert refused(opened, folder) == told
    assert (outside / "7.notes").read_text() == "my notes"


def test_a_draft_in_a_folder_is_no_link_of_somebody_else(tmp_path: Path) -> None:
    """A process that was killed leaves a draft, and another person may leave a link."""
    (tmp_path / "notes").write_text("my notes")
    (tmp_path / "draft").symlink_to(tmp_path / "notes")
    write_whole(tmp_path / "file", "text", "draft")
    assert (tmp_path / "file").read_text() == "text"
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    write_whole(tmp_path / "link", "text")
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "notes").read_text() == "my notes"


def test_the_lock_of_a_run_is_no_link_of_somebody_else(tmp_path: Path) -> None:
    folder, notes = tmp_path / "folder", tmp_path / "notes"
    folder.mkdir()
    notes.write_text("my notes")
    (folder / "lock").symlink_to(notes)
    with pytest.raises(FinaleError) as raised, locked(folder):
        pass
    assert raised.value.code == "unwritable"
    assert notes.read_text() == "my notes"


def test_one_run_of_two_has_a_folder(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(FinaleError) as raised, locked(tmp_path):
        pass
    assert "another run is using this folder" in str(raised.value)


def test_one_reproduction_of_two_has_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both find the folder empty, and one of them makes its script first."""
    prepared_folder(tmp_path / "one")
    script = (tmp_path / "one" / SCRIPT).read_bytes()
    monkeypatch.setattr(Path, "iterdir", lambda _: iter(()))
    with pytest.raises(FinaleError) as raised:
        prepared_folder(tmp_path / "one")
    assert raised.value.code in ("unwritable", "directory-not-empty")
    assert (tmp_path / "one" / SCRIPT).read_bytes() == script


# --- folders that a command writes files into ----------------------------------------------------

#: A command, and the files that it may replace in the folder.
INTO: dict[str, tuple[str, str]] = {
    "check --trace-dir": (f"check spec.toml {P} --trace-dir {{}}", "spec/never-done.itf.json"),
    "diff --aut": (f"diff spec.toml --set bounds.pings=1 --observe everything {P} --aut {{}}", ""),
    "export": ("export bounded.toml --to tla --output {}", "bounded.tla"),
}


@pytest.mark.parametrize("name", INTO)
def test_other_files_of_a_folder_stay(name: str, box: Path) -> None:
    folder = box / "out"
    folder.mkdir()
    (folder / "notes").write_text("my notes")
    ran = run(INTO[name][0].format(folder), box)
    assert "Traceback" not in ran.stderr
    assert ran.exit in (0, 1), ran
    assert (folder / "notes").read_text() == "my notes"
    assert len([*folder.rglob("*")]) > 1


@pytest.mark.parametrize("name", INTO)
def test_a_file_in_place_of_a_folder(name: str, box: Path) -> None:
    (box / "out").write_text("my notes")
    assert run(INTO[name][0].format("out/below"), box).exit == 2
    assert (box / "out").read_text() == "my notes"


@pytest.mark.parametrize("foreign", ["README.md", "protocols/my_change.py"])
def test_a_new_review_replaces_nothing(foreign: str, box: Path) -> None:
    file = box / "new" / foreign
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    before = seen(box / "new")
    assert run("new new --of final-checkpoint", box).exit == 2
    assert seen(box / "new") == before


def test_a_hunt_tells_that_its_folder_is_in_use(box: Path) -> None:
    with HuntJournal(box / "out"):
        assert code(run(f"{HUNT} out", box)) == "hunt-in-use"


# --- there is no other way -----------------------------------------------------------------------

#: What writes a file by itself, and why it may.
WRITERS = {
    "cli/child.py": "a setting of this process, and no file",
    "cli/ci.py": "the summary of GitHub is a file to append to",
    "cli/new.py": "a new file alone",
    "cli/output.py": "its own draft",
    "checker/search/distributed/files.py": "in a folder with a lock",
    "model/written.py": "its own draft",
    "pipeline/search/work.py": "a name that nobody has, in a folder with a lock",
    "pipeline/session.py": "in a temporary folder",
    "pipeline/validating/store.py": "in a folder with a lock",
    "reference/flink/fetching.py": "in a folder that this process has just made",
    "reference/flink/jvms.py": "in a folder that this process has just made",
    "reference/flink/run.py": "in a folder that this process has just made",
    "reference/formats/control.py": "in the folder of a run, which has a lock",
    "reference/formats/files.py": "in the folder of a run, which has a lock",
}
MODES = ("w", "a", "x", "r+", "wb", "ab", "xb", "r+b", "ab+")


def writers() -> Iterator[str]:
    for package in ("cli", "checker", "model", "pipeline", "reference"):
        for file in sorted((ROOT / package).rglob("*.py")):
            name = str(file.relative_to(ROOT))
            if name.startswith("checker/cache/"):
                continue  # the folder is Finale's own
            if any(map(writes, ast.walk(ast.parse(file.read_text(encoding="utf-8"))))):
                yield name


def writes(node: ast.AST) -> bool:
    """Whether a call writes a file, or opens one to write it."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in ("write_text", "write_bytes"):
        return True
    modes = [*node.args[:1], *(each.value for each in node.keywords if each.arg == "mode")]
    texts = [each for mode in modes for each in ast.walk(mode) if isinstance(each, ast.Constant)]
    return node.func.attr == "open" and any(each.value in MODES for each in texts)


def test_no_other_file_writes_by_itself() -> None:
    """A new writer takes `OutputFile`, `write_whole`, `write_through` or a journal."""
    assert sorted(writers()) == sorted(WRITERS)
