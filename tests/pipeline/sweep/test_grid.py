"""The grid of a sweep, as lines and as a picture."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

from finale.cli.sweep_page import grid_lines, told
from finale.pipeline.sweep.cells import SweepCell, SweepPlan
from finale.pipeline.sweep.grid import Mark, laid_out, mark_of, marks_of, smallest_failing
from finale.pipeline.sweep.matrix import Matrix
from finale.pipeline.sweep.panels import panels_of
from finale.pipeline.sweep.picture import picture
from finale.pipeline.sweep.run import SweepProgress, Swept
from finale.pipeline.sweep.work import CellResult, CellVerdict
from tests.pipeline.sweep.matrices import matrix_in

TEXT = """\
base = "base.toml"
[axes]
variant = ["none", "withdraws", "presumes-prepared"]
sizes.managers = [1, 2, 3]
observe.x = [false, true]
"""


def results_of(matrix: Matrix) -> list[CellResult]:
    """Results that were made up: a property that holds, one that depends on the cell."""
    found: list[CellResult] = []
    for words in product(*(axis.words for axis in matrix.axes)):
        setting = tuple(zip((axis.key for axis in matrix.axes), words, strict=True))
        size = int(dict(setting)["sizes.managers"])
        verdict = {"none": "holds", "withdraws": "violated"}.get(words[0], "vacuous")
        rows = (
            CellVerdict("a", "holds", "exhaustive", 10 * size, None, 1.0, ""),
            CellVerdict("b", verdict, "exhaustive", 10 * size, size + 1, 1.0, ""),
        )
        found.append(CellResult("-".join(words), setting, rows, float(size)))
    return found


def swept_in(folder: Path) -> Swept:
    """All cells but the first, and nothing known of another one."""
    matrix = matrix_in(folder, TEXT)
    results = results_of(matrix)[1:]
    cells = tuple(SweepCell(done.setting, {}, done.key, 1.0) for done in results)
    return Swept(
        SweepPlan(matrix, cells, (matrix.base,)),
        tuple(done for done in results if done.key != "none-2-true"),
        1,
        1.0,
    )


def test_a_grid(tmp_path: Path) -> None:
    swept = swept_in(tmp_path)
    title, *lines, keys = (line.plain for line in grid_lines(swept, "b", (), 100))
    assert title == "b"
    assert lines == GRID.splitlines()
    assert keys == "✓ holds · ✗ violated · ~ vacuous · . not searched yet"


GRID = """\
        observe.x  false true
   sizes.managers  1 2 3 1 2 3
variant
none                 ✓ ✓ ✓ . ✓
withdraws          ✗ ✗ ✗ ✗ ✗ ✗
presumes-prepared  ~ ~ ~ ~ ~ ~"""


def test_axes_that_change_nothing_are_left_out(tmp_path: Path) -> None:
    swept = swept_in(tmp_path)
    found = tuple(cell for cell in swept.plan.cells if cell.key != "none-2-true")
    known = replace(swept, plan=replace(swept.plan, cells=found))
    lines = [line.plain for line in grid_lines(known, "b", (), 100)]
    assert lines == [
        "b",
        "the same for any sizes.managers, observe.x",
        "variant  none              withdraws         presumes-prepared",
        "         ✓                 ✗                 ~",
        "✓ holds · ✗ violated · ~ vacuous",
    ]
    assert [line.plain for line in grid_lines(known, "a", (), 100)][1:2] == [
        "the same for any variant, sizes.managers"
    ]


def test_a_narrow_page_and_columns_by_name(tmp_path: Path) -> None:
    matrix = matrix_in(tmp_path, TEXT)
    settings = [done.setting for done in results_of(matrix)]
    narrow = laid_out(matrix.axes, settings, 30)
    assert [axis.key for axis in narrow.columns] == ["sizes.managers"]
    assert narrow.row_words[1:3] == (("", "true"), ("withdraws", "false"))
    named = laid_out(matrix.axes, settings, 30, ("variant",))
    assert [axis.key for axis in named.columns] == ["variant"]
    assert [(span.word, span.count) for span in named.spans(0)] == [
        ("none", 1),
        ("withdraws", 1),
        ("presumes-prepared", 1),
    ]


def test_an_only_axis_that_is_too_wide_for_columns_is_in_rows(tmp_path: Path) -> None:
    swept = swept_in(tmp_path)
    found = tuple(cell for cell in swept.plan.cells if cell.key != "none-2-true")
    known = replace(swept, plan=replace(swept.plan, cells=found))
    assert [line.plain for line in grid_lines(known, "b", (), 40)][-5:-1] == [
        "variant",
        "none               ✓",
        "withdraws          ✗",
        "presumes-prepared  ~",
    ]


def test_marks() -> None:
    def row(verdict: str, steps: int | None = None) -> CellVerdict:
        return CellVerdict("a", verdict, "", 1, steps, 0.1, "")

    assert mark_of(row("violated", 3)) is Mark.VIOLATED
    assert mark_of(row("not-reached")) is Mark.UNREACHED
    rows = (row("holds"), row("unknown"), row("vacuous"))
    setting = (("variant", "none"),)
    assert marks_of([CellResult("k", setting, rows, 1.0)]) == {setting: Mark.UNKNOWN}
    assert marks_of([CellResult("k", setting, (), 1.0, error="x")]) == {setting: Mark.ERROR}
    assert marks_of([CellResult("k", setting, rows, 1.0)], "z") == {setting: Mark.NOT_ITS_OWN}


def test_the_smallest_that_fails(tmp_path: Path) -> None:
    results = results_of(matrix_in(tmp_path, TEXT))
    smallest = smallest_failing(results, "b")
    assert smallest is not None
    assert (smallest[0].key, smallest[1].steps) == ("withdraws-1-false", 2)
    assert smallest_failing(results, "a") is None


def test_a_picture(tmp_path: Path) -> None:
    """It is well-formed, and each panel has its cells, with their numbers."""
    matrix = matrix_in(tmp_path, TEXT.replace('"withdraws"', '"<&>"'))
    results = results_of(matrix)
    cells = tuple(SweepCell(done.setting, {}, done.key, 1.0) for done in results)
    swept = Swept(SweepPlan(matrix, cells, (matrix.base,)), tuple(results[:-1]), 1, 1.0)
    root = ElementTree.fromstring(picture(swept))
    space = "{http://www.w3.org/2000/svg}"
    told = ["".join(each.itertext()) for each in root.iter(f"{space}title")]
    shown = ["".join(each.itertext()) for each in root.iter(f"{space}text")]
    assert "all 2 properties: holds in 17, not searched yet in 1" in shown
    assert "states: 10 to 30, on a logarithmic scale" in shown
    assert "seconds: 1 to 3, on a logarithmic scale" in shown
    name = "variant = <&>, sizes.managers = 2, observe.x = true"
    assert [each for each in told if each.startswith(name)] == [
        f"{name}\nholds\n20 states, 2.00 s",
        f"{name}\n20 states",
        f"{name}\n2 seconds",
    ]


def test_a_picture_without_axes_that_change_nothing(tmp_path: Path) -> None:
    matrix = matrix_in(tmp_path, TEXT)
    results = results_of(matrix)
    cells = tuple(SweepCell(done.setting, {}, done.key, 1.0) for done in results)
    panels = list(
        panels_of(Swept(SweepPlan(matrix, cells, (matrix.base,)), tuple(results), 1, 1.0))
    )
    assert [panel.title.partition(":")[0] for panel in panels] == [
        "all 2 properties",
        "b",
        "states",
        "seconds",
    ]
    assert panels[1].title == "b: holds in 6, violated in 6, vacuous in 6"
    assert panels[1].lines == (
        "the same for any sizes.managers, observe.x",
        "the smallest: 10 states, 2 steps: "
        "variant = withdraws, sizes.managers = 1, observe.x = false",
    )
    one = panels[1].cells[("variant", "withdraws"),]
    assert one.told == "variant = withdraws\nviolated\n6 cells: 10 to 30 states, 1.00 to 3.00 s"
    assert one.sign == "✗"
    assert len(panels[2].cells) == 18


def test_how_far_it_is() -> None:
    news = SweepProgress(1200, 7, 3, 30.0, 10.0, 40.0)
    assert told("a.toml", news) == "a.toml: 7 of 1 200 cells · about 90 s left"
    assert told("a.toml", SweepProgress(1, 0, 3, 30.0, 0.0, 40.0)) == "a.toml: 0 of 1 cell"
