"""`finale validate` says the same of a log in each layout, without an option."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import ROOT, run

from .edits import found, lines_of
from .layouts import LAYOUTS, plain_file, records_of

#: A run without a finding, and runs with real ones: a violation, a job that is stuck by a reason
#: that an exception tells.
HEALTHY, FINDINGS = "bounded-01", ("H2-06", "H4-00")
PLAIN = "plain"
#: Layouts that leave 15 characters of a thread's name.
CUT = ("%d %-5p %c [%15.15t] - %m%n", "Spring's default")


def judged(name: str, folder: Path) -> dict[str, list[Any]]:
    """By layout, the jobs of a run as JSON has them: one command judges all layouts."""
    records = records_of(lines_of(name))
    files = {PLAIN: plain_file(records)} | {key: of(records) for key, (of, _) in LAYOUTS.items()}
    for number, data in enumerate(files.values()):
        (folder / str(number)).mkdir()
        (folder / str(number) / "flink.log").write_bytes(data)
    by = defaultdict[str, list[Any]](list)
    for job in json.loads(run("validate . --format json", folder).stdout)["results"]:
        by[Path(job["logs"]).parts[0]].append(job)
    return {key: by[str(number)] for number, key in enumerate(files)}


def said(job: Any, *, lines: bool) -> dict[str, Any]:
    """What is said of a job, but for the name of its file. `lines`: and the numbers of lines."""
    gone = {"logs", "files"}
    told = {key: value for key, value in job.items() if key not in gone}
    own = {"file", "where"} | (set() if lines else {"line", "until", "why"})
    told["findings"] = [
        {key: value for key, value in each.items() if key not in own} for each in job["findings"]
    ]
    return told


def test_there_are_as_many_layouts_as_operators_have() -> None:
    assert len(LAYOUTS) >= 29


@pytest.mark.parametrize("name", [HEALTHY, *FINDINGS])
def test_a_layout_changes_nothing(name: str, tmp_path: Path) -> None:
    jobs = judged(name, tmp_path)
    (alone,) = jobs.pop(PLAIN)
    assert bool(found(alone, "violated", "stuck")) == (name != HEALTHY)
    for layout, (job,) in jobs.items():
        same = LAYOUTS[layout][1]
        told, whole = said(job, lines=same), said(alone, lines=same)
        if name == "H2-06" and layout in CUT:
            # "mmitter (1/2)#0" is the thread of sink0 or of sink1: it is taken for neither.
            assert told["findings"] == whole["findings"], layout
            assert set(told["decided"]) < set(whole["decided"]), layout
        else:
            assert told == whole, layout


def test_the_page_lists_each_layout() -> None:
    page = (ROOT / "docs/layouts.md").read_text()
    assert [name for name in LAYOUTS if name not in page] == []
