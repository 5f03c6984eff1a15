"""What `finale new` writes is green at once, for every protocol that can be a base."""

from __future__ import annotations

from pathlib import Path

import pytest

from finale.model.protocols.registry import PROTOCOLS
from tests.cli.running import run

CHECK = "check specs --protocols protocols --strict"


@pytest.mark.parametrize("key", [entry.key for entry in PROTOCOLS])
def test_a_new_review_is_green(key: str, tmp_path: Path) -> None:
    made = run(f"new review --of {key}", tmp_path)
    assert (made.exit, made.stderr) == (0, "")
    checked = run(CHECK, tmp_path / "review")
    assert checked.exit == 0, checked
    # The variant is still as its protocol, and the check says so.
    told = "  !  specs/my-change.toml: the change changes nothing"
    assert checked.stderr.split("\n")[0].startswith(told), checked
    assert "1 spec checked · all as expected" in checked.stdout
    expected = (tmp_path / "review" / "specs" / "my-change.toml").read_text(encoding="utf-8")
    assert expected.count("[[expect]]") >= 2
