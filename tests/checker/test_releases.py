"""A spec under releases: their protocols and options in place of its own, its job and bounds."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from finale.checker.report.releases import comparison_lines
from finale.checker.search.rows import SpecResult
from finale.checker.search.run import run
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import Spec, read_spec
from finale.checker.spec.releases import release_with, releases_in
from finale.checker.spec.typed import option_word
from finale.checker.studies.across_releases import Comparison, compared
from finale.model.errors import FinaleError
from finale.model.protocols.releases import RELEASES

KNOWN = catalogue()
EVERY = releases_in("all")
PAIR = """
title = "A pair"
protocol = "final-checkpoint"
{}
[job]
shape = "pair"
[bounds]
checkpoints = 1
[observe]
effects = true
taken = true
[[expect]]
property = "commit-completeness"
verdict = "holds"
[[expect]]
property = "closed-after-final-checkpoint"
verdict = "holds"
"""


def spec(folder: Path, more: str = "", text: str = PAIR) -> Spec:
    file = folder / "pair.toml"
    file.write_text(text.replace("{}", more), encoding="utf-8")
    return read_spec(file, KNOWN)


def search(changed: Spec, names: Collection[str]) -> SpecResult:
    return run(changed, only=names)


def verdicts(found: Comparison, name: str) -> list[str | None]:
    rows = [column.row(name) for column in found.columns]
    return [None if row is None else row.word for row in rows]


def test_each_release_has_its_own_protocol_and_options(tmp_path: Path) -> None:
    found = compared(spec(tmp_path), EVERY, (), search)
    assert [c.protocol for c in found.columns] == ["legacy-finish"] * 3 + ["final-checkpoint"] * 6
    assert verdicts(found, "commit-completeness") == ["violated"] * 4 + ["holds"] * 5


def test_options_that_do_not_differ_are_searched_once(tmp_path: Path) -> None:
    searched: list[Spec] = []

    def count(changed: Spec, names: Collection[str]) -> SpecResult:
        searched.append(changed)
        return run(changed, only=names)

    found = compared(spec(tmp_path), EVERY, (), count)
    assert len(searched) < len(found.columns) == 9
    under = [column.result.spec.under for column in found.columns if column.result]
    assert [each.release for each in under if each] == list(RELEASES)


def test_own_options_win_and_may_not_apply(tmp_path: Path) -> None:
    mine = spec(tmp_path, "[options]\ncheckpoints_after_finish = true")
    found = compared(mine, EVERY, ["commit-completeness"], search)
    assert verdicts(found, "commit-completeness") == [None] * 3 + ["holds"] * 6
    assert 'no option "checkpoints_after_finish"' in found.columns[0].why
    variant = spec(tmp_path, 'variant = "writes-twice"')
    assert "no variant" in compared(variant, EVERY[:1], (), search).columns[0].why


def test_a_release_in_a_spec(tmp_path: Path) -> None:
    old = spec(tmp_path, 'release = "flink-1.14"').setting.options
    new = spec(tmp_path, 'release = "V5"')
    assert (old["checkpoints_after_finish"], old["final_trigger"]) == (False, False)
    assert new.setting.options["final_trigger"] is True
    assert new.under is not None
    assert new.under.release.name == "flink-1.18"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("all", "V0 V1 V2 V3 V4 V4' V5 V6 V7"),
        ("V6, flink-1.8", "V0 V6"),
        ("V4',V4'", "V4'"),
        ("V4'a,V4a", "V4a V4'a"),
        ("V4a,V3,V4", "V3 V4"),
    ],
)
def test_releases_named(text: str, labels: str) -> None:
    assert " ".join(each.label for each in releases_in(text)) == labels


STOPPED = """
title = "A pair is stopped"
protocol = "stop-with-savepoint"
[job]
shape = "pair"
[bounds]
checkpoints = 1
[[expect]]
property = "no-deadlock"
verdict = "holds"
"""


def test_each_name_that_a_table_prints_can_be_asked_for(tmp_path: Path) -> None:
    def labels(text: str) -> list[str]:
        found = compared(stopped, releases_in(text), ["no-such"], search)
        return [column.under.label for column in found.columns]

    stopped = spec(tmp_path, text=STOPPED)
    printed = labels("all")
    assert {"V2a", "V3a", "V4a", "V4'a", "V7a"} < set(printed)
    for name in printed:
        assert name in labels(name)
    assert labels("V4a") == ["V4a"]
    assert labels("V4") == ["V4", "V4a"]


def test_what_is_searched_is_that_scheduler(tmp_path: Path) -> None:
    stopped = spec(tmp_path, text=STOPPED)
    (column,) = compared(stopped, releases_in("V4a"), ["stop-is-answered"], search).columns
    assert column.result is not None
    assert column.result.spec.under == column.under
    assert option_word(column.result.spec.setting.options["scheduler"]) == "adaptive"


def test_a_scheduler_that_makes_no_difference(tmp_path: Path) -> None:
    found = compared(spec(tmp_path), releases_in("V4a"), (), search)
    assert [column.under.label for column in found.columns] == ["V4"]


@pytest.mark.parametrize(
    ("version", "advice"),
    [
        ("flink-1.19", 'give "flink-1.18" (V5), which stands for 1.18 and 1.19'),
        ("flink-1.20.2", 'give "flink-2.3" (V6), which stands for 1.20 to 2.3'),
        ("flink-7.1", 'did you mean "flink-1.18"?'),
    ],
)
def test_a_version_has_a_release_that_stands_for_it(version: str, advice: str) -> None:
    with pytest.raises(FinaleError, match="there is no release") as caught:
        releases_in(version)
    assert caught.value.advice == advice


@pytest.mark.parametrize("text", ["V9", "", "V1,,V2", "1.15", "V4b", "V0a"])
def test_releases_that_are_none(text: str) -> None:
    with pytest.raises(FinaleError, match="there is no release") as caught:
        releases_in(text)
    assert caught.value.code == "unknown-release"


def test_a_table_is_divided_where_the_page_is_narrow(tmp_path: Path) -> None:
    found = compared(spec(tmp_path), EVERY, (), search)
    lines = [line.plain for line in comparison_lines(found, 60)][1:]
    assert max(map(len, lines)) <= 60
    assert sum("V0" in line and "V1" in line for line in lines) == 1
    assert [line.split() for line in lines if line.split()[-1:] == ["V7"]] == [
        ["V4'", "V5", "V6", "V7"],
    ]


@pytest.mark.parametrize(
    ("version", "key"),
    [("1.8.3", "V0"), ("1.12.0", "V1"), ("1.12.2", "V2"), ("1.13.6", "V2"), ("1.14.6", "V3"),
     ("1.17.2", "V4'"), ("1.19.3", "V5"), ("1.20.3", "V6"), ("2.3.0", "V6")],
)  # fmt: skip
def test_the_release_that_stands_for_a_version(version: str, key: str) -> None:
    assert release_with(version).key == key


def test_a_version_after_all_releases() -> None:
    with pytest.raises(FinaleError, match=r"no release stands for version 9\.0"):
        release_with("9.0")
