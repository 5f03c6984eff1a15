"""The page of `finale validate`: the course of each job, and each finding beside its lines."""

from __future__ import annotations

import re
import tarfile
from pathlib import Path
from typing import Literal

import pytest

from tests.cli.running import ROOT, run
from tests.page.browser import WIDTHS, browser, needs_browser, opened

SAMPLES = "tests/logs/samples.tar.xz"


@pytest.fixture(scope="module")
def page() -> str:
    ran = run(f"validate {SAMPLES} --format html", ROOT)
    assert ran.exit == 1
    return ran.stdout


def _job(page: str, name: str) -> str:
    (article,) = (each for each in page.split("<article") if f"</span> {name}" in each)
    return article


def _lines_of(name: str) -> list[str]:
    with tarfile.open(ROOT / SAMPLES) as archive:
        (member,) = (each for each in archive if each.name.endswith(f"{name}/flink.log"))
        file = archive.extractfile(member)
        assert file is not None
        return file.read().decode().splitlines()


def test_a_course_has_each_checkpoint_by_its_outcome(page: str) -> None:
    """The text of the same job counts 3 completed and 2 aborted ones."""
    job = _job(page, "bounded-01")
    assert job.count('class="checkpoints good"') == 3
    assert job.count('class="checkpoints bad"') == 2
    assert "attempt 1: RUNNING" in job
    assert 'class="finding"' not in job


def test_a_finding_stands_beside_its_line(page: str) -> None:
    job = _job(page, "H16-00")
    assert "requests-do-not-defeat" in job
    (marked,) = re.findall(r"<mark>621 (.*)\n</mark>", job)
    assert marked == _lines_of("H16-00")[620][: len(marked)].replace("'", "&#39;")
    assert "stop with savepoint" in job
    assert job.count("compare with the known hazard H16: finale explain H16") == 2
    assert "stop with savepoint 3: failed, its savepoint was aborted" in job
    assert "requests-do-not-defeat (line 621)" in job


def test_the_worst_jobs_come_first(page: str) -> None:
    jobs = page.split("<article")[1:]
    fails = ["✗" in each[: each.index("</h3>")] for each in jobs]
    assert fails == sorted(fails, reverse=True)
    assert 0 < sum(fails) < len(fails)


def test_names_of_a_log_are_no_markup(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    text = "\n".join(_lines_of("bounded-01")).replace("bounded-01", hostile)
    (tmp_path / "flink.log").write_text(text + "\n")
    page = run(f"validate {tmp_path}/flink.log --format html", ROOT).stdout
    assert "&lt;script&gt;alert(1)" in page
    assert hostile not in page


@needs_browser
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_loads_nothing_and_fits(
    page: str, tmp_path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    file = tmp_path / "page.html"
    file.write_text(page, encoding="utf-8")
    with browser() as window:
        seen = opened(window, file.as_uri(), width, scheme=scheme)
        assert not seen.wrong
        assert seen.requests == [file.as_uri()]
        assert seen.fits()
        drawn = seen.page.locator("figure.course rect").first.bounding_box()
        assert drawn is not None
        assert drawn["width"] > 0
