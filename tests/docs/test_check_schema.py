"""The published schema of `finale check --format json` is what writes it, and real output is valid.

With RECORD_TRANSCRIPTS=1 in the environment the schema is written anew: read the difference, and
give the format a new number if a reader of an older document would misread a new one.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from finale.checker.report.check_json import FORMAT, CheckJson, RowJson
from tests.ci.outcomes import SPEC, inputs
from tests.cli.running import ROOT, run
from tests.docs.json_schema import schema_of

FILE = ROOT / "docs" / "check.schema.json"
P = "--protocols protocols"
FAULT = SPEC.replace('"ping-pong"', '"ping-pong"\nvariant  = "asks-again"')


def test_the_published_schema_is_that_of_the_program() -> None:
    schema = schema_of(CheckJson, f"urn:{FORMAT.replace('/', ':')}")
    Draft202012Validator.check_schema(schema)
    text = json.dumps(schema, indent=2) + "\n"
    if os.environ.get("RECORD_TRANSCRIPTS"):
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text


def test_the_page_of_specs_lists_the_keys_of_a_row() -> None:
    page = (ROOT / "docs" / "specs.md").read_text(encoding="utf-8")
    assert f"`{FORMAT}`" in page
    section = page.partition("## The result as JSON")[2]
    table = section[section.index("| Key of a row |") :].partition("\n\n")[0]
    heads = [line.split("|")[1] for line in table.splitlines()[2:]]
    told = [name for head in heads for name in re.findall(r"`([a-z_]+)`", head)]
    assert sorted(told) == sorted(each.name for each in fields(RowJson))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inputs(tmp_path)
    for name, pings in (("failing", "violated"), ("reached", "holds")):
        text = SPEC.format(never_done="holds", two_pings=pings)
        (tmp_path / f"{name}.toml").write_text(text)
    (tmp_path / "slow.toml").write_text("slow = true\n" + SPEC.format(never_done="", two_pings=""))
    (tmp_path / "variant.toml").write_text(FAULT.format(never_done="holds", two_pings="violated"))
    (tmp_path / "not.toml").write_text("title = 1\n[")
    return tmp_path


def valid(command: str, folder: Path) -> dict[str, Any]:
    ran = run(f"check {command} --format json", folder)
    document: dict[str, Any] = json.loads(ran.stdout)
    schema = json.loads(FILE.read_text(encoding="utf-8"))
    errors = [error.message for error in Draft202012Validator(schema).iter_errors(document)]
    assert errors == []
    assert document["exit"] == ran.exit
    return document


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (f"ping.toml {P}", 0),
        (f"failing.toml {P} --trace-dir traces", 1),
        (f". nothing.toml {P}", 2),
        (f"ping.toml {P} --max-states 3", 3),
        (f"failing.toml {P} --backend bmc", 1),
        (f"failing.toml {P} --strict --all-properties", 1),
        (f"variant.toml {P} --property never-done", 1),
    ],
)
def test_real_output_is_valid(folder: Path, command: str, code: int) -> None:
    assert valid(command, folder)["exit"] == code


def test_releases_are_rows_with_every_key() -> None:
    document = valid("specs/legacy-finish/timers.toml --release V0,V4", ROOT)
    assert {row["release"] for row in document["results"]} == {"V0", "V4"}


def test_a_spec_that_cannot_be_read_has_a_row(folder: Path) -> None:
    document = valid(f"not.toml lamp.toml nothing.toml {P}", folder)
    rows = {row["spec"]: row for row in document["results"]}
    assert {spec: (row["verdict"], row["ok"], row["line"]) for spec, row in rows.items()} == {
        "nothing.toml": ("error", False, None),
        "not.toml": ("error", False, 2),
        "lamp.toml": ("error", False, 2),
    }
    assert [rows[spec]["error"]["code"] for spec in ("nothing.toml", "not.toml", "lamp.toml")] == [
        "no-such-path",
        "malformed-toml",
        "unknown-protocol",
    ]
    assert rows["lamp.toml"]["error"]["key"] == "protocol"


def test_a_witness_that_is_not_reached_is_not_violated(folder: Path) -> None:
    for name, ok in (("failing", True), ("reached", False)):
        rows = {r["property"]: r for r in valid(f"{name}.toml {P}", folder)["results"]}
        told = rows["two-pings"]
        assert (told["kind"], told["verdict"], told["ok"]) == ("reachable", "not-reached", ok)
        assert told["expected"] == ("not-reached" if ok else "holds")
        assert rows["never-done"]["verdict"] == "violated"


def test_specs_that_are_left_out_are_named(folder: Path) -> None:
    (folder / "slow.toml").write_text("slow = true\n" + (folder / "failing.toml").read_text())
    document = valid(f"failing.toml slow.toml {P}", folder)
    assert document["left_out"] == [{"spec": "slow.toml", "why": "slow"}]
