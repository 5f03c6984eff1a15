"""Every rule id, and every id that a property or a spec cites, is explained in docs/rule-ids.md."""

from __future__ import annotations

import re
from pathlib import Path

from model.rule_ids import RULE_IDS

ROOT = Path(__file__).parent.parent.parent
ID = re.compile(
    r"\b(?:[A-Z]{2}-\d+|[VF]\d*-\d+|CL-[A-Z]+(?:-ALL)?|(?<![\w-])[SLH]\d+)\b(?!→|[.→#])"
)


def cited() -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in ("model/protocols", "model/properties"):
        for file in (ROOT / folder).rglob("*.py"):
            for text in re.findall(r'"""(.*?)"""|#: (.*)', file.read_text("utf-8"), re.DOTALL):
                found |= dict.fromkeys(ID.findall(" ".join(text)), file)
    for file in (ROOT / "specs").rglob("*.toml"):
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("cites"):
                found |= dict.fromkeys(ID.findall(line), file)
    return found


def test_every_cited_id_is_explained() -> None:
    page = (ROOT / "docs" / "rule-ids.md").read_text("utf-8")
    explained = set(re.findall(r"\| ([A-Z]{1,2}\d*(?:-[A-Z]+)*-?\d*) \|", page))
    assert explained >= set(RULE_IDS)
    known = cited()
    assert len(known) > 60
    missing = {name: str(file.relative_to(ROOT)) for name, file in known.items()}
    missing = {name: file for name, file in missing.items() if name not in explained}
    assert not missing
