"""Where Java or PySpark is missing or too old, the user is told so before Spark is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.model.errors import FinaleError
from finale.pipeline import java
from finale.pipeline.java import java_version, require_spark


def java_that(folder: Path, script: str) -> Path:
    """A JAVA_HOME whose Java is a shell script."""
    (folder / "bin").mkdir()
    file = folder / "bin" / "java"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return folder


def says(version: str) -> str:
    return f"echo 'openjdk version \"{version}\" 2025-04-15' >&2"


@pytest.mark.parametrize(
    ("version", "found"),
    [("17.0.15", 17), ("21", 21), ("25-ea", 25)],
)
def test_a_java_tells_its_version(
    version: str, found: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_that(tmp_path, says(version))))
    assert java_version() == found


@pytest.mark.parametrize(
    ("script", "code", "told"),
    [
        (says("1.8.0_412"), "java-too-old", "version 8"),
        (says("11.0.2"), "java-too-old", "version 11"),
        ("exit 1", "java-missing", "does not tell its version"),
        ("echo hello", "java-missing", "does not tell its version"),
    ],
)
def test_a_java_that_will_not_do(
    script: str, code: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", str(java_that(tmp_path, script)))
    with pytest.raises(FinaleError, match=told) as raised:
        java_version()
    assert raised.value.code == code
    assert str(tmp_path) in str(raised.value)


def test_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(FinaleError, match="JAVA_HOME is set, and there is no Java in it") as raised:
        java_version()
    assert raised.value.code == "java-missing"
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FinaleError, match="there is none on this machine"):
        java_version()


def test_a_java_that_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = java_that(tmp_path, "")
    (home / "bin" / "java").write_bytes(b"\0\1\2\3")
    monkeypatch.setenv("JAVA_HOME", str(home))
    with pytest.raises(FinaleError, match="cannot be run"):
        java_version()


def test_no_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "PACKAGES", ("pyspark_of_no_release",))
    with pytest.raises(FinaleError, match="not installed") as raised:
        require_spark()
    assert raised.value.code == "spark-missing"
