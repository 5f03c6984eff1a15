"""What `finale export` does where it cannot write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import ROOT, run

SPEC = ROOT / "specs/two-phase-commit/three-managers.toml"


def test_a_folder_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_path: Path, *_text: str, **_how: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "write_text", refused)
    monkeypatch.setattr(Path, "unlink", refused)
    ran = run(f"export {SPEC} --to tla", tmp_path)
    assert ran.exit == 2
    assert ran.stderr.startswith("error[unwritable]: .: the files cannot be written: Read-only")
    assert not list(tmp_path.iterdir())
