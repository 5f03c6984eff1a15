"""The README shows what the tool really prints, and the citation is of this version."""

from __future__ import annotations

import re
from pathlib import Path

from ruamel.yaml import YAML

from finale.cli import VERSION
from tests.cli.running import run

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_counterexample_is_the_demo_s() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (demo,) = re.findall(r"^DEMO = (\S+)$", makefile, re.MULTILINE)
    quoted = README.partition("It ends like this:\n\n```\n")[2].partition("\n```\n")[0]
    assert quoted
    printed = re.sub(r"\.py:\d+", ".py:1", run(f"trace {demo}").stdout).splitlines()
    position = 0
    for line in re.sub(r"\.py:\d+", ".py:1", quoted).splitlines():
        if line.strip() in ("", "…"):
            continue
        assert line in printed[position:], f"not printed, or in another order: {line}"
        position = printed.index(line, position) + 1


def test_the_spec_in_the_readme_is_valid_and_holds(tmp_path: Path) -> None:
    (toml,) = re.findall(r"^```toml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    (tmp_path / "readme.toml").write_text(toml, encoding="utf-8")
    assert run("check readme.toml", tmp_path).exit == 0


def test_files_that_the_readme_names_exist() -> None:
    named = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r"specs/[\w/.-]+\.toml", README)
    assert len(named) > 10
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing


def test_the_citation_is_of_this_version() -> None:
    cited = YAML(typ="safe").load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    assert cited["version"] == VERSION
