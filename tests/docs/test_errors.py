"""Every code of an error stands in docs/errors.md, and none that nobody raises."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.codes import codes
from tests.docs.pages import ROOT

ROW = re.compile(r"^\| ((?:`[a-z0-9-]+`(?:, )?)+) \|", re.MULTILINE)


def rows(page: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [code for row in ROW.findall(text) for code in re.findall("`([^`]+)`", row)]


def test_the_table_has_every_code_once() -> None:
    told = rows("errors.md")
    assert sorted(told) == sorted(codes(ROOT / "python"))


def test_the_tutorial_names_codes_of_the_table() -> None:
    told = rows("rules.md")
    assert len(told) > 10
    assert set(told) <= set(rows("errors.md"))


def test_codes_that_are_put_together_are_found() -> None:
    found = codes(ROOT / "python")
    assert {"rule-uses-while", "missing-bound", "not-a-mapping", "no-release", "usage"} <= found


def _codes_of(folder: Path, **modules: str) -> set[str]:
    for name, text in modules.items():
        (folder / "package").mkdir(exist_ok=True)
        (folder / "package" / f"{name}.py").write_text(text, encoding="utf-8")
    return codes(folder, ("package",))


def test_helpers_of_one_name_in_two_modules_are_two(tmp_path: Path) -> None:
    found = _codes_of(
        tmp_path,
        one='def _built(code):\n  raise FinaleError(code)\ndef ask():\n  _built("first")\n',
        two="from .one import _built as other\n"
        "def _built(text):\n  return text\n"
        'def ask():\n  _built("no-code")\n  other("second")\n',
    )
    assert found == {"first", "second"}


def test_the_time_does_not_double_with_each_call(tmp_path: Path) -> None:
    """Forty functions that each call the next one twice, and the last the first."""
    calls = (f"def f{n}(code):\n  f{n + 1}(code)\n  f{n + 1}(code)\n" for n in range(40))
    last = 'def f40(code):\n  f0(code)\n  raise FinaleError(code)\ndef ask():\n  f0("far")\n'
    assert _codes_of(tmp_path, one="".join([*calls, last])) == {"far"}
