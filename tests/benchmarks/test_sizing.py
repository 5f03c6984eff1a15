"""The picture of sizes is drawn from the figures, and the text says the same."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from benchmarks.sizing import CORES, LOGS, MACHINES, NETWORK, PANELS, PICTURE, SPREAD, picture
from tests.cli.running import ROOT


def test_the_picture_in_the_docs_is_the_one_that_is_drawn() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture()
    assert f"pictures/{PICTURE.name}" in (ROOT / "docs" / "pipeline.md").read_text()


def test_it_has_a_line_for_each_and_stays_inside() -> None:
    root = ElementTree.fromstring(picture())
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    lines = root.findall("{*}polyline")
    assert len(lines) == sum(len(panel.lines) for panel in PANELS)
    for line in lines:
        places = [each.split(",") for each in line.attrib["points"].split()]
        assert len(places) > 10
        assert all(0 < float(x) < width and 0 < float(y) < height for x, y in places)


def test_the_network_binds_from_the_second_machine_on() -> None:
    for machines in (1, 2, MACHINES):
        by_processors = SPREAD.seconds / (machines * CORES)
        assert (SPREAD.bytes / NETWORK > by_processors) == (machines > 1)
    one, ten = (SPREAD.time(1e10, each * CORES, network=each > 1) for each in (1, MACHINES))
    assert one / ten == pytest.approx(1.45, abs=0.05)


def test_logs_are_bound_by_processors() -> None:
    assert 1 / LOGS.seconds == pytest.approx(6_700, rel=0.01)
    assert LOGS.time(1e9, 80, network=True) == 1e9 * LOGS.seconds / 80
