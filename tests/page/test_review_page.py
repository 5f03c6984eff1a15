"""The page of a review has each finding with its run, escapes names, and loads nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from finale.checker.page.review import review_page
from finale.checker.review.change import Change
from finale.checker.review.verdicts import Direction
from finale.checker.spec.catalogue import catalogue
from finale.model.errors import FinaleError, Place
from tests.cli.running import run
from tests.review.reviewing import reviewed, specs_of
from tests.review.test_review import NEVER, REVERSED, SPEC, folder_of


def test_each_finding_has_its_run() -> None:
    found = reviewed(Change("two-phase-commit", "withdraws"), specs_of("two-phase-commit"))
    page = review_page([found], "Finale")
    assert "1 new violation of 2 properties" in page
    links = re.findall(r'<a href="#(r1-[^"]+)" title="[^"]+">([^<]+)</a>', page)
    assert {name for _, name in links} == {"promise-is-kept", "agreement"}
    [anchor] = {anchor for anchor, _ in links}  # one run shows both
    assert page.count(f'id="{anchor}"') == 1
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)


def test_a_page_names_no_path_of_the_machine(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, REVERSED))
    review = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    error = FinaleError("odd-spec", "why", place=Place(str(tmp_path / "odd.toml")), advice="fix")
    page = review_page([replace(review, errors={tmp_path / "odd.toml": error})], "Finale")
    assert str(tmp_path) not in page
    assert f"…/{tmp_path.name}/stop.toml" in page
    assert f"…/{tmp_path.name}/odd.toml" in page
    assert "--property a-before-b" in page


def test_a_run_stands_in_its_setting() -> None:
    found = reviewed(Change("two-phase-commit", "withdraws"), specs_of("two-phase-commit"))
    page = review_page([found], "Finale")
    run_of = page[page.index('id="r1-violated-') :]
    assert run_of.index("<code>managers</code>") < run_of.index("<svg")
    assert 'id="legend"' in page


def test_what_is_unknown_without_the_change_has_no_colour() -> None:
    found = reviewed(Change("two-phase-commit", "withdraws"), specs_of("two-phase-commit"))
    tried = tuple(
        replace(
            each,
            differences=tuple(
                replace(one, direction=Direction.UNSETTLED) for one in each.differences
            ),
        )
        for each in found.tried
    )
    page = review_page([replace(found, tried=tried)], "Finale")
    tones = re.findall(r'<span class="badge (\w+)">([^<]*unknown without the change)</span>', page)
    assert tones
    assert {tone for tone, _ in tones} == {"unsure"}


def test_hostile_names_are_escaped(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, REVERSED))
    evil = tmp_path / "<script>alert(1)<\x1b[31m.toml"
    evil.write_text(SPEC)
    page = review_page([reviewed(Change("stop", "other"), [evil], known=known)], "Finale")
    assert "<script>alert" not in page
    assert "\x1b" not in page


def test_lines_that_no_run_reached_are_marked(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, NEVER))
    review = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    page = review_page([review], "Finale")
    assert "3 of 4 lines reached" in page
    assert re.search(r"not reached +16 +worker.stopped = False", page)


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    folder_of(tmp_path, REVERSED)
    ran = run("review other --protocols mine -o review.html", tmp_path)
    assert ran.exit == 1
    assert "a-before-b" in (tmp_path / "review.html").read_text(encoding="utf-8")
    assert run("review other --protocols mine -o mine", tmp_path).exit == 2


def test_what_was_refused_is_told_on_the_page(tmp_path: Path) -> None:
    known = catalogue(folder_of(tmp_path, REVERSED))
    review = reviewed(Change("stop", "other"), [tmp_path / "stop.toml"], known=known)
    error = FinaleError("odd-spec", "nobody can read it", advice="write it anew")
    page = review_page([replace(review, errors={tmp_path / "odd.toml": error})], "Finale")
    assert "nobody can read it" in page
    assert "write it anew" in page
    assert "1 refused with an error" in page


def test_a_change_that_is_refused_everywhere_replaces_no_page(tmp_path: Path) -> None:
    folder_of(tmp_path, REVERSED.replace("self.", "self.oh_", 1))
    (tmp_path / "review.html").write_text("kept")
    assert run("review other --protocols mine -o review.html", tmp_path).exit == 2
    assert (tmp_path / "review.html").read_text() == "kept"
