"""`finale impact --source`: revisions and patches list what builds of the same sources list."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from finale.checker.impact.builds import build_of
from finale.checker.impact.comparing import How, Impact, impact
from finale.checker.impact.java_source import source_in
from finale.checker.impact.sources import sources_of
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError
from tests.impact.javac import COORDINATOR, GATEWAY, SOURCES, TASK, built, needs_javac

KNOWN = catalogue(None)
LOCKED = COORDINATOR.replace("synchronized (lock) {", "synchronized (this) {")
CHANGES: Mapping[str, Mapping[str, str]] = {
    "in a lambda and in a method": {
        "CheckpointCoordinator": COORDINATOR.replace("said + pending", "said + 2 * pending"),
        "StreamTask": TASK.replace('"end"', '"END"'),
    },
    "renamed, and another lock": {
        "CheckpointCoordinator": LOCKED,
        "StreamTask": TASK.replace("endData", "endOfData"),
    },
    "in an anonymous class, in a caller, and in no named method": {
        "CheckpointCoordinator": COORDINATOR.replace("count(id);", "count(id + 1);").replace(
            "unrelated() {", "unrelated() { pending++;"
        ),
        "Gateway": GATEWAY.replace('(1, "a")', '(2, "a")'),
    },
}
IN_PACKAGES = {
    "CheckpointCoordinator": "org/apache/flink/runtime/checkpoint",
    "Gateway": "org/apache/flink/runtime/checkpoint",
    "StreamTask": "org/apache/flink/streaming/runtime/tasks",
}


def git(folder: Path, *words: str) -> str:
    own = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *own, *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def commit(folder: Path, sources: Mapping[str, str]) -> None:
    for name, text in sources.items():
        file = folder / "flink-runtime/src/main/java" / IN_PACKAGES[name] / f"{name}.java"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "a change")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = tmp_path / "clone"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, SOURCES)
    return folder


def compared(folder: Path, change: str) -> Impact:
    with sources_of(folder, change) as (old, new):
        return impact(old, new, KNOWN)


def lists(found: Impact) -> tuple[list[tuple[str, str, str]], ...]:
    return tuple(
        [(each.title, each.how.value, each.note) for each in changes]
        for changes in (found.named, found.near, found.unnamed)
    )


@needs_javac
@pytest.mark.parametrize("name", CHANGES)
def test_sources_list_what_builds_list(name: str, clone: Path, tmp_path: Path) -> None:
    changed = {**SOURCES, **CHANGES[name]}
    commit(clone, changed)
    found = compared(clone, "HEAD^..HEAD")
    with (
        build_of(str(built(tmp_path / "old"))) as old,
        build_of(str(built(tmp_path / "new", changed))) as new,
    ):
        assert lists(found) == lists(impact(old, new, KNOWN))
    assert sum(map(len, lists(found))) >= 2
    assert [each.event for each in found.lines] == []


def test_a_patch_lists_what_its_commit_lists(clone: Path, tmp_path: Path) -> None:
    commit(clone, {"StreamTask": TASK.replace('"end"', '"END"')})
    patch = tmp_path / "a.patch"
    patch.write_text(git(clone, "diff", "HEAD^", "HEAD"), encoding="utf-8")
    of_commit = lists(compared(clone, "HEAD^..HEAD"))
    assert of_commit == lists(compared(clone, "main^.."))
    git(clone, "reset", "--quiet", "--hard", "HEAD^")
    before = sorted(path for path in clone.rglob("*") if path.is_file())
    found = compared(clone, str(patch))
    assert lists(found) == of_commit == ([("StreamTask.endData", "changed", "")], [], [])
    assert sorted(path for path in clone.rglob("*") if path.is_file()) == before


def test_a_log_line_whose_text_changed(clone: Path) -> None:
    commit(clone, {"CheckpointCoordinator": COORDINATOR.replace("Received late", "Late")})
    (line,) = compared(clone, "HEAD^..HEAD").lines
    assert (line.event, line.is_read) == ("acknowledgement-late", False)


def test_layout_comments_and_tests_change_nothing(clone: Path) -> None:
    laid = TASK.replace("{ System", "{ // the end\n\n      System").replace('("', '(\n  "')
    assert laid != TASK
    commit(clone, {"StreamTask": f"/* a licence */\n{laid}"})
    test = clone / "flink-runtime/src/test/java/org/apache/flink/runtime/checkpoint/ATest.java"
    test.parent.mkdir(parents=True)
    test.write_text("package a; class ATest { void a() {} }", encoding="utf-8")
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "--message", "a test")
    assert lists(compared(clone, "HEAD~2..HEAD")) == ([], [], [])


def test_names_in_other_releases_follow_the_version_of_the_sources(clone: Path) -> None:
    pom = "<artifactId>flink-parent</artifactId>\n<version>1.13-SNAPSHOT</version>"
    (clone / "pom.xml").write_text(pom, encoding="utf-8")
    old = COORDINATOR.replace("void unrelated()", "void snapshotTaskState()")
    commit(clone, {"CheckpointCoordinator": old})
    commit(clone, {"CheckpointCoordinator": old.replace("State() {", "State() { pending++;")})
    (change,) = compared(clone, "HEAD^..HEAD").named
    assert change.title == "CheckpointCoordinator.snapshotTaskState"
    assert "rule PL-4" in {each.told for each in change.named_by}
    (clone / "pom.xml").write_text(pom.replace("1.13", "1.14"), encoding="utf-8")
    commit(clone, {"CheckpointCoordinator": COORDINATOR.replace("unrelated", "triggerTasks")})
    (change,) = compared(clone, "HEAD^..HEAD").named
    assert (change.title, change.how) == ("CheckpointCoordinator.triggerTasks", How.MOVED)
    assert change.note == "the release before calls it CheckpointCoordinator.snapshotTaskState"


def test_classes_of_a_file() -> None:
    text = b"""package p; import q.Outer.Inner; import static q.A.b;
    class A<T> extends Inner implements B, C.D<T> {
        final E field = new E();
        static int count = 1;
        A(int of) { this(); field.run(of); }
        @Override public void m(String... all) throws Exception { helper("a" + of + "b"); }
        enum K { X { void n() { } } ; void o() { F.p(); } }
        class N { void q() { m(); r(G::s); } }
    }"""
    found = source_in(text, "p/A", "A.java").classes
    assert list(found) == ["p/A", "p/A$K", "p/A$N"]
    assert found["p/A"].above == ("q/Outer$Inner", "p/B", "p/C$D")
    methods = {name: body for name, _, body in found["p/A"].methods if body.calls}
    assert methods["m"].texts == ("a{}b",)
    assert methods["m"].calls == {("p/A", "helper")}
    assert {name for name, _, _ in found["p/A"].methods} == {"<init>", "<clinit>", "m"}
    inner = {name: body.calls for name, _, body in found["p/A$N"].methods}
    assert inner == {"q": {("p/A", "m"), ("p/A$N", "r"), ("p/G", "s")}}


# --- bad input -----------------------------------------------------------------------------------


def code(folder: Path, change: str) -> str:
    """The code of the error that a change is refused with."""
    with pytest.raises(FinaleError) as raised:
        compared(folder, change)
    return raised.value.code


def test_what_is_no_change(clone: Path, tmp_path: Path) -> None:
    for change in ("HEAD", "none..HEAD", "HEAD..none", "..", "HEAD...HEAD", "no.patch"):
        assert code(clone, change) == "unknown-revision"
    assert code(tmp_path / "none", "a..b") == "no-such-path"
    assert code(tmp_path, "a..b") == "no-repository"


def test_a_shallow_clone(clone: Path, tmp_path: Path) -> None:
    commit(clone, {"StreamTask": TASK.replace('"end"', '"END"')})
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{clone}", "shallow")
    assert code(tmp_path / "shallow", "HEAD^..HEAD") == "shallow-clone"


def test_a_patch_that_does_not_apply(clone: Path, tmp_path: Path) -> None:
    for number, text in enumerate(("no patch", "--- a/b\n+++ b/b\n@@ -1 +1 @@\n-a\n+b\n", "")):
        patch = tmp_path / f"{number}.patch"
        patch.write_text(text, encoding="utf-8")
        assert code(clone, str(patch)) == "bad-patch"


def test_sources_that_do_not_parse(clone: Path) -> None:
    commit(clone, {"StreamTask": TASK.replace("class", "klass")})
    with pytest.raises(FinaleError) as raised:
        compared(clone, "HEAD^..HEAD")
    assert raised.value.code == "bad-source"
    assert "StreamTask.java:3" in str(raised.value)


def test_a_repository_of_something_else(clone: Path) -> None:
    git(clone, "rm", "--quiet", "-r", ".")
    (clone / "a").touch()
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "--message", "nothing")
    assert code(clone, "HEAD^..HEAD") == "no-flink"
