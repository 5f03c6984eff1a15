"""`finale explain`: what a name means, taken from docstrings and pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from finale.checker.logs.regularities.assumptions import ASSUMPTIONS, NECESSARY
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.doc_tables import DOCS
from finale.cli.explaining import PAGES, rows_of
from finale.model.properties.registry import PROPERTIES
from finale.model.protocols.registry import RULE_IDS
from tests.cli.running import HERE, run
from tests.docs.codes import codes

PING = HERE / "inputs" / "protocols" / "ping.py"


def kinds(name: str) -> list[str]:
    ran = run(f"explain --format json -- {name}")
    assert (ran.exit, ran.stderr) == (0, "")
    return [each["kind"] for each in json.loads(ran.stdout)["meanings"]]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("PL-4", ["id", "cited in final-checkpoint"]),
        ("pl-2.4", ["id"]),
        ("H2", ["id", "hazard", "cited"]),
        ("legal-never-fails", ["property"]),
        ("well-formed", ["property of every spec"]),
        ("unknown-variant", ["error"]),
        ("vacuous", ["word"]),
        ("notification", ["word"]),
        ("is-past", ["assumption"]),
        ("finish_race", ["option"]),
        ("deliver_trigger", ["rule"]),
        ("two-phase-commit", ["protocol"]),
        ("V4", ["release"]),
    ],
)
def test_a_name_of_each_kind_is_explained(name: str, kind: list[str]) -> None:
    assert list(dict.fromkeys(kinds(name))) == kind


def test_an_id_names_the_properties_that_state_it() -> None:
    told = run("explain S27", columns=200).stdout
    assert "legal steps fail no task" in told
    assert "legal-never-fails" in told


def test_each_property_id_and_error_is_explained() -> None:
    """All that a trace, a check or a message can show."""
    named = {
        page: {each.name for each in rows_of((DOCS / f"{page}.md").read_text("utf-8"), kind, page)}
        for page, kind in PAGES.items()
    }
    assert set(RULE_IDS) <= named["rule-reference"]
    assert codes(DOCS.parent / "python") <= named["errors"]
    assert {family.name for family in PROPERTIES} <= set(catalogue().properties)


def test_a_variant_of_the_user_comes_first(tmp_path: Path) -> None:
    """Also before a word of the glossary of the same name."""
    text = PING.read_text(encoding="utf-8").replace('"forgets":', '"drain":')
    (tmp_path / "ping.py").write_text(text, encoding="utf-8")
    told = run("explain drain --protocols .", tmp_path, columns=200).stdout
    assert re.findall(r"^drain · .*$", told, re.MULTILINE) == [
        "drain · your variant of ping-pong",
        "drain · word · docs/glossary.md, Words of Flink",
    ]


def test_a_near_name_is_guessed_and_a_far_one_is_not() -> None:
    near = run("explain legal-never-fail")
    assert near.exit == 2
    assert near.stderr.endswith('help: did you mean "legal-never-fails"?\n')
    far = run("explain xyzzy")
    assert far.exit == 2
    assert "did you mean" not in far.stderr
    assert "finale list" in far.stderr


def test_what_validate_says_of_lines_is_explained() -> None:
    for name in (NECESSARY, *(each.name for each in ASSUMPTIONS)):
        assert kinds(name) == ["assumption about lines of a log"]


def test_several_names_are_explained_one_by_one() -> None:
    ran = run("explain waiting-task-closes H4", columns=200)
    assert ran.exit == 0
    assert "waiting-task-closes · property" in ran.stdout
    assert "has used UnionListState" in ran.stdout
    assert run("explain waiting-task-closes nothing-of-this-name").exit == 2
