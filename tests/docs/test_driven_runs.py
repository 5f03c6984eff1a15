"""Numbers of driven runs: sums of the tables in `docs/flink.md`, and the table of findings."""

from __future__ import annotations

import re
import tomllib

from tests.docs.pages import ROOT

FINDINGS = (ROOT / "docs" / "findings.md").read_text(encoding="utf-8")
#: A row of the table of findings: its spec, property, steps and driven runs.
FINDING = re.compile(
    r"^\| .* \| \[([\w/-]+)\]\(.*?\) \| `([\w-]+)` \| (\d+) \| (.*?) \| .* \|$", re.M
)
PAGE = (ROOT / "docs" / "flink.md").read_text(encoding="utf-8")
SURVIVED = re.compile(r"Flink 2\.3\.0 survived all (\d+) orders")
AGREE = re.compile(
    r"Model and engine agree in (\d+) driven runs: in (\d+) .*?, in (\d+) .*?, and in (\d+) ",
    re.DOTALL,
)
COUNT = re.compile(r"(\d+) of (\d+)( each)?")
REPRODUCED = re.compile(r"reproduced, (\d+) of (\d+)")


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading whose first column is `SPEC`."""
    _, _, section = PAGE.partition(f"\n## {heading}\n")
    _, _, table = section.partition("\n| SPEC |")
    assert table, heading
    lines = table.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def survived(row: list[str]) -> int:
    """Number of orders that a row says to have survived, of all its specs."""
    found = COUNT.fullmatch(row[1])
    assert found is not None, row
    assert found[1] == found[2], row
    specs = row[0].count("`") // 2
    assert (specs > 1) == (found[3] is not None), row
    return int(found[1]) * specs


def reproduced(row: list[str]) -> int:
    """Number of runs that a row of the counterexamples says to have reproduced."""
    found = COUNT.match(row[-1].strip(" |"))
    assert found is not None, row
    return int(found[1])


def reproduced_before(row: list[str]) -> int:
    """Number of reproduced runs before the fix that a row of the pairs says."""
    found = REPRODUCED.search(row[2])
    assert found is not None, row
    return int(found[1])


def test_the_driven_runs_of_the_tables_add_up() -> None:
    orders = sum(survived(row) for row in rows("A spec that holds"))
    runs = sum(reproduced(row) for row in rows("What was tried"))
    pairs = sum(reproduced_before(row) for row in rows("Before and after a fix"))
    said = SURVIVED.search(PAGE)
    assert said is not None
    assert int(said[1]) == orders
    agree = AGREE.search(PAGE)
    assert agree is not None
    numbers = [int(number) for number in agree.groups()]
    assert numbers == [runs + pairs + orders, runs, pairs, orders]


def test_no_spec_has_two_rows_of_orders() -> None:
    named = [name for row in rows("A spec that holds") for name in specs_of(row[0])]
    assert len(named) == len(set(named))
    assert all((ROOT / "specs" / f"{name}.toml").exists() for name in named)


def specs_of(cell: str) -> list[str]:
    """Paths of the specs of a cell: a name without a folder has that of the name before."""
    found: list[str] = []
    for name in re.findall(r"`([^`]+)`", cell):
        folder = found[-1].rpartition("/")[0] if found and "/" not in name else ""
        found.append(f"{folder}/{name}" if folder else name)
    return found


def test_findings_have_the_steps_of_their_specs_and_the_driven_runs_of_the_table() -> None:
    driven = {
        (row[0].strip(" `"), row[1].strip("`")): row[-1].strip(" |")
        for row in rows("What was tried")
        if len(row) == 4
    }
    found = FINDING.findall(FINDINGS)
    assert len(found) == FINDINGS.count("](../specs/")
    for spec, name, steps, seen in found:
        claims = tomllib.loads((ROOT / "specs" / f"{spec}.toml").read_text("utf-8"))["expect"]
        expected = {each["property"]: each.get("steps") for each in claims}
        assert expected[name] == int(steps), spec
        assert driven.get((spec, name), seen) == seen, spec
        assert (spec, name) in driven or not COUNT.search(seen), spec
