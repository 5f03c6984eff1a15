"""Every rule id is in docs/rule-reference.md: what it says, its text, its class in Flink."""

from __future__ import annotations

import re
from pathlib import Path

from finale.model.protocols.registry import RULE_IDS

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "rule-reference.md").read_text("utf-8")
ID = re.compile(
    r"\b(?:[A-Z]{2}-\d+(?:\.\d)?|[VF]\d*-\d+|CL-[A-Z]+(?:-ALL)?"
    r"|(?<![\w-])(?:[SLH]\d+|F\d))\b(?!→|[.→#])"
)
#: Ids of topics, which have no letters: only in `cites`.
TOPIC = re.compile(r'"(\d\.\d)"')
#: Words of the column "In Flink" where no method does what the rule says.
WITHOUT_METHOD = ("never built", "no method", "option", "aligned checkpoints")


def cited() -> dict[str, Path]:
    """Every id that a protocol, a property or a spec cites, with one of the files."""
    found: dict[str, Path] = {}
    for folder in ("model/protocols", "model/properties"):
        for file in (ROOT / folder).rglob("*.py"):
            for text in re.findall(r'"""(.*?)"""|#: (.*)', file.read_text("utf-8"), re.DOTALL):
                found |= dict.fromkeys(ID.findall(" ".join(text)), file)
    for file in (ROOT / "specs").rglob("*.toml"):
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("cites"):
                found |= dict.fromkeys((*ID.findall(line), *TOPIC.findall(line)), file)
    return found


def explained() -> set[str]:
    """The ids of the page: in a column of their own, or the parts of PL-2."""
    ids = set(re.findall(r"\| ([A-Z]{1,3}\d*(?:-[A-Z]+)*-?\d*|\d\.\d) \|", PAGE))
    return ids | set(re.findall(r"(PL-2\.\d) ", PAGE))


def rules() -> dict[str, list[str]]:
    """The rows of four columns: rule id -> rule, text, class and method."""
    rows = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows if len(row) == 4 and row[1] not in ("Rule", "Property")}


def test_every_cited_id_is_explained() -> None:
    known, page = cited(), explained()
    assert len(known) > 200
    missing = {name: str(file.relative_to(ROOT)) for name, file in known.items()}
    missing = {name: file for name, file in missing.items() if name not in page}
    assert not missing


def test_every_rule_names_its_text_and_what_does_it_in_flink() -> None:
    table = PAGE.partition("| Name | Text |")[2].partition("\n\n")[0]
    texts = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)
    assert len(texts) == 12
    found = {name: row for name, row in rules().items() if name in RULE_IDS}
    assert set(found) == set(RULE_IDS)
    for name, (rule, text, flink) in found.items():
        assert rule.endswith("."), name
        for each in text.split(", "):
            assert each in texts or re.fullmatch(r"FLINK-\d+", each), (name, each)
        methods = re.findall(r"`[A-Z]\w+\.\w+`", flink)
        assert methods or any(word in flink for word in WITHOUT_METHOD), name
