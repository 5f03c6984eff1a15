"""What `finale export` does where it cannot write."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.cli.running import ROOT, run

SPEC = ROOT / "specs/two-phase-commit/three-managers.toml"


def test_a_folder_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(tempfile, "mkstemp", refused)
    ran = run(f"export {SPEC} --to tla", tmp_path)
    assert ran.exit == 2
    assert ran.stderr.startswith(
        "error[unwritable]: three_managers.tla: the file cannot be written"
    )
    assert not list(tmp_path.iterdir())
