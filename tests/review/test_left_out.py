"""Specs and settings that a review leaves out are named, with the reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.review.reviewing import specs_of
from tests.review.test_review import COPY, REVERSED, SPEC, folder_of

TYPO = f"{SPEC}[options]\nloses = 2\n"
#: Another variant, with an option of its own; and a spec of it.
OPTION = '''"""Another variant."""

from dataclasses import dataclass

from .stop import Stop


class Optional(Stop):
    """Stop, with an option."""

    @dataclass(frozen=True)
    class Options(Stop.Options):
        """One option."""

        loses: int = 1


VARIANTS = {"optional": Optional}
'''


@pytest.mark.parametrize(
    "text",
    [
        TYPO,
        "title = ",
        'title = "None"\n',
        SPEC.replace('"stop"', '"stopp"'),
        f'{SPEC}variant = "nobodys"\n',
    ],
)
def test_a_spec_that_the_user_names_is_read_or_refused(text: str, tmp_path: Path) -> None:
    folder_of(tmp_path, REVERSED)
    (tmp_path / "bad.toml").write_text(text)
    line = "review other --protocols mine --stability 0 --specs bad.toml"
    for others in ("", " --specs stop.toml"):
        ran = run(f"{line}{others}", tmp_path)
        assert ran.exit == 2
        assert "bad.toml" in ran.stderr
        assert "error[no-cases]" not in ran.stderr
        assert not ran.stdout


@pytest.mark.parametrize(
    ("text", "code"), [(TYPO, "unknown-option"), ("title = ", "malformed-toml")]
)
def test_a_spec_of_a_folder_with_a_mistake_is_named(text: str, code: str, tmp_path: Path) -> None:
    folder_of(tmp_path, COPY)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "bad.toml").write_text(text)
    line = "review other --protocols mine --stability 0 --specs specs"
    ran = run(line, tmp_path)
    assert ran.exit == 2
    assert f"error[{code}]" in ran.stderr
    (tmp_path / "specs" / "good.toml").write_text(SPEC)
    ran = run(line, tmp_path)
    assert ran.exit == 0
    assert "a spec is left out: " in ran.stdout
    assert "bad.toml:" in ran.stdout
    (found,) = json.loads(run(f"{line} --format json", tmp_path).stdout)["reviews"]
    assert [each["kind"] for each in found["remarks"]] == ["spec-left-out"]


def test_specs_of_other_protocols_and_variants_are_passed_over(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, REVERSED)
    (folder / "optional.py").write_text(OPTION)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "good.toml").write_text(SPEC)
    (tmp_path / "specs" / "typo.toml").write_text(TYPO.replace("stop", "elsewhere"))
    (tmp_path / "specs" / "optional.toml").write_text(TYPO.replace("[", 'variant="optional"\n['))
    other = specs_of("connector")[0]
    for specs in ("specs", "specs/good.toml --specs specs/optional.toml"):
        line = f"review other --protocols mine --stability 0 --specs {specs} --specs {other}"
        ran = run(f"{line} --format json", tmp_path)
        (found,) = json.loads(ran.stdout)["reviews"]
        assert found["settings"] == 1
        assert not found["remarks"]
