"""Which Flink and which Java are found, and what is said if there are none."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.reference.flink.hooks import hooks_of
from finale.reference.flink.releases import release_of
from finale.reference.flink.toolchain import Jdk, compiled, find_jdk


def distribution(folder: Path, version: str, *classes: str) -> Path:
    (folder / "lib").mkdir()
    with zipfile.ZipFile(folder / "lib" / f"flink-dist-{version}.jar", "w") as jar:
        for name in classes:
            jar.writestr(f"{name.replace('.', '/')}.class", b"")
    return folder


def code(call: Callable[[], object]) -> str:
    with pytest.raises(FinaleError) as caught:
        call()
    return caught.value.code


def test_a_folder_and_its_folder_lib_are_found(tmp_path: Path) -> None:
    release = release_of(str(distribution(tmp_path, "2.3.0")))
    assert (release.version, release.line) == ("2.3.0", "2.3")
    assert release_of(str(tmp_path / "lib")).jars == release.jars


def test_a_version_of_ones_own_is_found(tmp_path: Path) -> None:
    assert release_of(str(distribution(tmp_path, "2.3.1-my-patch"))).version == "2.3.1"


@pytest.mark.parametrize("name", ["", "nowhere"])
def test_a_folder_without_flink(tmp_path: Path, name: str) -> None:
    assert code(lambda: release_of(str(tmp_path / name))) == "no-flink"


def test_a_release_without_hooks(tmp_path: Path) -> None:
    folder = distribution(tmp_path, "1.3.0")
    assert code(lambda: release_of(str(folder))) == "unknown-release"


def test_a_release_that_is_not_installed() -> None:
    assert code(lambda: release_of("0.1")) == "no-flink"


def test_a_jar_that_is_none(tmp_path: Path) -> None:
    folder = distribution(tmp_path, "2.3.0")
    (folder / "lib" / "flink-dist-2.3.0.jar").write_bytes(b"no zip")
    assert code(lambda: hooks_of(release_of(str(folder)))) == "no-flink"


def test_a_hook_that_a_release_lacks_is_named(tmp_path: Path) -> None:
    release = release_of(str(distribution(tmp_path, "2.3.9", "org.apache.flink.Other")))
    with pytest.raises(FinaleError) as caught:
        hooks_of(release)
    assert caught.value.code == "hook-missing"
    assert "CheckpointCoordinator.createPendingCheckpoint" in caught.value.message


# --- Java ----------------------------------------------------------------------------------------


def java(folder: Path, modules: str, *, compiler: bool) -> Path:
    (folder / "bin").mkdir()
    programs = ["java", "javac"] if compiler else ["java"]
    for name in programs:
        program = folder / "bin" / name
        program.write_text(f"#!/bin/sh\necho {modules}\n", encoding="utf-8")
        program.chmod(0o755)
    return folder


def test_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert code(find_jdk) == "java-missing"
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert code(find_jdk) == "java-missing"


@pytest.mark.parametrize(
    ("modules", "compiler", "what"),
    [
        ("java.base@17", True, "has no module jdk.jdi"),
        ("java.base@17 jdk.jdi@17", False, "has no compiler"),
        ("java.base@11.0.2 jdk.jdi@11.0.2", True, "is of version 11"),
    ],
)
def test_a_java_that_is_no_jdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modules: str, what: str, *, compiler: bool
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java(tmp_path, modules, compiler=compiler)))
    with pytest.raises(FinaleError) as caught:
        find_jdk()
    assert (caught.value.code, caught.value.message) == ("jdk-missing", f"this Java {what}")


def test_a_java_that_does_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = java(tmp_path, "x", compiler=True)
    (home / "bin" / "java").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert code(find_jdk) == "java-missing"


def test_a_folder_for_classes_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("FINALE_CACHE", str(file))
    release = release_of(str(distribution(tmp_path, "2.3.0")))
    jdk = Jdk(Path("java"), Path("javac"))
    assert code(lambda: compiled(jdk, release, {})) == "unwritable"
