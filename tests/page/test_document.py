"""Pages as texts: the policy, escaping, and what they say."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import htpy as h
import pytest

from finale.checker.page import report as report_module
from finale.checker.page.document import data, document
from finale.checker.page.job_svg import job_svg
from finale.checker.page.overview import overview_page
from finale.checker.page.parts import grouped_number, verdict_word
from finale.checker.page.report import details, report_page
from finale.checker.page.told import told_trace
from finale.checker.report.about import settings
from finale.checker.report.job import described
from finale.checker.search.rows import CheckResult, Mistake
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.reading import read_spec
from finale.model.errors import FinaleError
from finale.model.language.decorators import ids_in
from tests.cli.running import run
from tests.page.made import ABORTS, HANGS, HOSTILE, PING, RESUMED, ROOT, result, told


class Outline(HTMLParser):
    """The elements of a page with their attributes, and the texts of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._inside, []).append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def policy(page: str) -> str:
    metas = Outline(page).named("meta")
    [found] = [m["content"] for m in metas if m.get("http-equiv") == "Content-Security-Policy"]
    assert found is not None
    return found


def test_the_policy_allows_the_scripts_and_styles_of_the_page_and_nothing_else() -> None:
    page = document("A page", h.p["text"])
    assert "default-src 'none'" in policy(page)
    assert "connect-src 'none'" in policy(page)
    for tag in ("style", "script"):
        [text] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy(page)


def test_data_cannot_end_its_element() -> None:
    assert "</script" not in str(data("d", "</script>")).removesuffix("</script>")


def test_nothing_hostile_becomes_markup() -> None:
    page = report_page([result(HOSTILE)], "finale")
    outline = Outline(page)
    assert not outline.named("img")
    assert not [each for _, each in outline.elements if any(key.startswith("on") for key in each)]
    scripts = outline.named("script")
    assert [each.get("type") for each in scripts] == ["application/json", None]
    assert all(each.isprintable() for each in page.replace("\n", ""))


def test_a_trace_begins_with_the_sentence_of_its_property() -> None:
    page = report_page([result(HANGS)], "finale")
    sentence = "<p>A checkpoint that was triggered completes or is aborted (L3).</p>"
    begin = page.index('id="s1-checkpoint-ends-trace"')
    assert begin < page.index(sentence) < page.index("<svg", begin)


def test_no_line_end_parts_a_number() -> None:
    assert grouped_number(1_234_567) == "1\u00a0234\u00a0567"
    page = report_page([result(ABORTS)], "finale")
    transitions = result(ABORTS).report.statistics.transitions
    assert transitions >= 1000
    assert f"{grouped_number(transitions)} transitions" in page


def test_a_page_loads_nothing() -> None:
    page = report_page([result(HANGS)], "finale")
    outline = Outline(page)
    links = [each.get("href") or "" for each in outline.named("a")]
    assert links
    assert all(each.startswith("#") for each in links)
    assert not [each for _, each in outline.elements if "src" in each]
    assert "url(" not in page
    assert "@import" not in page


def test_a_link_leads_to_each_trace() -> None:
    outline = Outline(report_page([result(HANGS)], "finale"))
    ids = [each["id"] for _, each in outline.elements if each.get("id")]
    links = {(each.get("href") or "")[1:] for each in outline.named("a")}
    assert len(ids) == len(set(ids))
    assert "s1-checkpoint-ends" in links
    assert links <= set(ids)


def test_two_specs_stand_beside_each_other() -> None:
    page = report_page([result(HANGS), result(ABORTS)], "finale")
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    [row] = [each for each in rows if ">checkpoint-ends<" in each]
    assert [w for w in ("violated", "holds", "changed") if f">{w}<" in row] == [
        "violated",
        "holds",
        "changed",
    ]
    ids = [each["id"] for _, each in Outline(page).elements if each.get("id")]
    assert len(ids) == len(set(ids))


def test_a_trace_that_is_too_much_is_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "STEPS_MAX", 30)
    page = report_page([result(HANGS)], "finale")
    shown = page.count('class="told"')
    left = re.findall(r"finale trace specs/final-checkpoint/\S+ --property (\S+)</code>", page)
    assert len(left) > 0 < shown
    assert shown + len(left) == sum(row.trace is not None for row in result(HANGS).rows)
    assert shown == 3
    assert page.index('class="told"') < page.index(f"--property {left[0]}")


def test_what_is_expected_is_not_red() -> None:
    found = result(ABORTS)
    rows = [
        replace(row, word=Word.VIOLATED, ok=False) if row.property == "no-deadlock" else row
        for row in found.rows
    ]
    page = report_page([replace(found, rows=tuple(rows))], "finale")
    [row] = [
        each for each in re.findall(r"<tr>(.*?)</tr>", page) if ">no-deadlock</span></td>" in each
    ]
    red = re.findall(r'<span class="badge bad">(.*?)</span>', row)
    assert red == ["not as expected"]
    assert ">holds <" in row


def test_a_violation_that_is_expected_is_not_red() -> None:
    rows = re.findall(r"<tr>(.*?)</tr>", report_page([result(HANGS)], "finale"))
    shape = r'>([a-z-]+)</a></td>.*?<span class="badge (\w+)">violated</span>'
    tones = {found[1]: found[2] for row in rows if (found := re.search(shape, row)) is not None}
    expected = result(HANGS).spec.expectations
    assert tones == {
        "checkpoint-ends": "known",
        "no-deadlock": "known",
        "close-after-acknowledgement": "open",
    }
    assert {each for each in tones if each in expected} == {"checkpoint-ends", "no-deadlock"}


def test_a_counterexample_has_the_order_of_finale_trace() -> None:
    words = f"trace {HANGS} --property checkpoint-ends --format json"
    steps = json.loads(run(words).stdout)["steps"]
    page = report_page([result(HANGS)], "finale")
    shape = r'id="s1-checkpoint-ends-trace-[1-9]\d*".*?</span> (\w+) '
    assert re.findall(shape, page) == [step["rule"] for step in steps]


def test_witnesses_are_folded_and_counterexamples_are_not() -> None:
    page = report_page([result(HANGS)], "finale")
    for row in result(HANGS).rows:
        if row.trace is not None:
            before = page[: page.index(f'id="s1-{row.property}-trace"')]
            section = before[before.rindex("<section") :]
            assert ("<details>" in section) == (row.word is Word.HOLDS), row.property


def test_the_run_before_is_open_if_it_has_the_cause() -> None:
    shown = str(told_trace(told(RESUMED, "finished-stays-marked")))
    assert "<details open><summary>before: " in shown
    assert "its cause lies in the run before" in shown
    shown = str(told_trace(told(RESUMED, "commit-at-most-once")))
    assert "<details><summary>before: " in shown
    assert "marks the decisive steps" in shown


def test_the_setting_stands_on_the_page() -> None:
    page = report_page([result(HANGS)], "finale")
    assert page.count('<svg class="job" viewBox="0 0 48 18"') == 3  # in the legend
    [drawing] = re.findall(r'<svg class="job"[^>]*aria-label="([^"]*)"', page)
    assert drawing == (
        "the job: S1, source, 0 records; S2, source, 0 records, never ends; "
        "K, sink, two-phase, reads S1 and S2"
    )
    for kind in settings(result(HANGS).spec).values():
        for each in kind:
            assert f"<code>{each.name}</code>" in page


Box = tuple[float, float, float, float]


@pytest.mark.parametrize(
    "name", ["figure", "diamond", "four-inputs", "parallel-edges", "pointwise", "fan-in-restarts"]
)
def test_a_job_is_drawn_with_an_arrow_for_each_edge(name: str) -> None:
    job = read_spec(ROOT / f"specs/final-checkpoint/{name}.toml", catalogue()).setting.job
    assert job is not None
    drawing = str(job_svg(job))
    boxes = dict(_boxes(drawing))
    assert set(boxes) == {vertex.name for vertex in job.vertices}
    for vertex in job.vertices:
        for line in described(vertex):
            assert f">{html.escape(line)}</text>" in drawing
    ends = [*_ends(drawing)]
    assert sorted((source, target) for source, target, *_ in ends) == sorted(
        (edge.source, edge.target) for edge in job.edges
    )
    for source, target, start, tip in ends:
        behind = 4 if job.vertex(source).parallelism > 1 else 0
        assert start[0] == pytest.approx(boxes[source][2] + behind, abs=0.11)
        assert tip[0] == pytest.approx(boxes[target][0], abs=0.11)
        assert boxes[source][1] < start[1] < boxes[source][3]
        assert boxes[target][1] < tip[1] < boxes[target][3]
    assert len({tip for *_, tip in ends}) == len(ends)
    sizes = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawing)
    assert sizes is not None
    width, height = map(float, sizes.groups())
    for one, (left, top, right, bottom) in boxes.items():
        assert (left, top) >= (0, 0)
        assert right + 4 <= width
        assert bottom + 4 <= height
        for other, (its_left, its_top, its_right, its_bottom) in boxes.items():
            beside = right < its_left or its_right < left
            assert one == other or beside or bottom < its_top or its_bottom < top


def _boxes(drawing: str) -> Iterator[tuple[str, Box]]:
    """Each vertex with the sides of its box."""
    for group in re.findall(r'<g class="vertex[^>]*>(.*?)</g>', drawing):
        [name] = re.findall(r'class="name"[^>]*>([^ <]+)[^<]*</text>', group)
        found = re.findall(r'<rect x="(\S+)" y="(\S+)" width="(\S+)" height="(\S+)"', group)
        x, y, width, height = map(float, found[-1])
        yield name, (x, y, x + width, y + height)


def _ends(drawing: str) -> Iterator[tuple[str, str, tuple[float, ...], tuple[float, ...]]]:
    """Source, target, start and tip of each arrow."""
    shape = r"<title>(\S+) → (\S+)</title><path d=\"M(\S+) ([\d.]+).*?points=\"\S+ (\S+),(\S+) "
    for source, target, *numbers in re.findall(shape, drawing):
        x, y, tip_x, tip_y = map(float, numbers)
        yield source, target, (x, y), (tip_x, tip_y)


def test_each_id_leads_to_its_sentences() -> None:
    outline = Outline(report_page([result(HANGS)], "finale"))
    listed = {each["data-id"] for each in outline.named("dt") if "data-id" in each}
    rules = {step.rule.rule.sentence for step in told(HANGS, "checkpoint-ends").story.steps}
    cited = {each for sentence in rules for each in ids_in(sentence)}
    assert cited
    assert cited <= listed
    spans = {each.get("title") for each in (*outline.named("a"), *outline.named("span"))}
    assert {family.sentence for family in result(HANGS).spec.asked} <= spans


def test_what_is_unknown_on_one_side_is_not_called_changed() -> None:
    one = result(ABORTS)
    name = "checkpoint-ends"
    rows = (replace(row, word=Word.UNKNOWN) if row.property == name else row for row in one.rows)
    page = report_page([one, replace(one, rows=tuple(rows))], "finale")
    [row] = [e for e in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL) if f">{name}<" in e]
    assert '<span class="badge unsure">unknown on one side</span>' in row
    assert ">changed<" not in page


# --- many specs ----------------------------------------------------------------------------------


def overview(*specs: Path, traces: bool = True) -> str:
    found = CheckResult([result(spec) for spec in specs])
    parts = [details(each, f"s{n + 1}", traces) for n, each in enumerate(found.results)]
    return overview_page(found, parts, "finale")


def test_each_spec_has_a_row_with_its_verdicts() -> None:
    page = overview(HANGS, ABORTS, HOSTILE)
    rows = {
        each["data-spec"]: each["data-cells"] or ""
        for each in Outline(page).named("tr")
        if "data-spec" in each
    }
    names = [name for name, _ in embedded(page, "properties")]
    codes = embedded(page, "codes")
    for number, spec in enumerate((HANGS, ABORTS, HOSTILE), 1):
        for row in result(spec).rows:
            if row.is_claim:
                word, state, tone, _ = codes[rows[str(number)][names.index(row.property)]]
                assert word == verdict_word(row)
                assert state == ("as expected" if row.expected else "nothing expected")
                assert tone != "bad"
    assert not Outline(page).named("img")


def test_all_about_a_spec_is_packed() -> None:
    page = overview(HANGS, ABORTS, HOSTILE)
    texts = dict(re.findall(r'<script id="packed-(\d+)" type="text/plain">(.*?)</script>', page))
    unpacked = [
        part
        for number in range(len(texts))
        for part in zlib.decompress(base64.b64decode(texts[str(number)])).decode().split("\0")
    ]
    assert [len(part) > 0 for part in unpacked] == [True] * sum(embedded(page, "packed"))
    first = unpacked[0]
    assert 'id="s1-checkpoint-ends-trace"' in first
    assert "<svg" in first
    assert "<script>window" not in "".join(unpacked)
    assert len(page) < sum(map(len, unpacked)) / 3
    small = overview(HANGS, ABORTS, HOSTILE, traces=False)
    assert len(small) < len(page)
    assert str(result(HANGS).spec.title) in small


def test_what_prevents_a_check_is_on_the_page() -> None:
    error = FinaleError("odd-spec", "nobody can read it", advice="write it anew")
    found = CheckResult([result(HANGS)], [Mistake(Path("odd.toml"), error)])
    page = overview_page(found, [""], "finale")
    assert "<p>odd.toml</p>" in page
    assert "error[odd-spec]: nobody can read it" in page


def embedded(page: str, name: str) -> Any:
    [text] = re.findall(rf'<script id="{name}" type="application/json">(.*?)</script>', page)
    return json.loads(text)


# --- the command ---------------------------------------------------------------------------------


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    file = tmp_path / "out" / "report.html"
    ran = run(f"report {HANGS} --property checkpoint-ends -o {file}")
    assert (ran.exit, ran.stdout) == (0, "")
    assert ran.stderr.endswith(f"written to {file}\n")
    page = file.read_text(encoding="utf-8")
    assert Outline(page).named("title")
    assert page.count('class="told"') == 1


def test_the_command_writes_a_page_about_a_folder(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.toml").write_text(PING.read_text(encoding="utf-8"))
    (tmp_path / "odd.toml").write_text("title = 1", encoding="utf-8")
    protocols = PING.parent / "protocols"
    ran = run(f"report . --no-traces --protocols {protocols} -o r.html", tmp_path)
    assert ran.exit == 2
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.count("data-spec=") == 3
    assert "odd.toml" in page
    assert str(tmp_path) not in page


def test_a_verdict_that_is_not_expected_is_the_exit_code(tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    text = HANGS.read_text(encoding="utf-8").replace('"violated"', '"holds"')
    assert '"violated"' not in text
    spec.write_text(text.replace("steps    = 13\n", ""), encoding="utf-8")
    assert run(f"report {spec} --property checkpoint-ends -o {tmp_path}/r.html").exit == 1


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("report -o x.html", "no-paths"),
        (f"report {HANGS}", "usage"),
        (f"report {HANGS} --property nothing -o x.html", "unknown-property"),
        (f"report {HANGS} --max-states 0 -o x.html", "bad-limit"),
        ("report missing.toml -o x.html", "no-such-path"),
    ],
)
def test_a_mistake_writes_nothing(tmp_path: Path, command: str, code: str) -> None:
    ran = run(command, tmp_path)
    assert (ran.exit, ran.stdout) == (2, "")
    assert f"error[{code}]" in ran.stderr
    assert not list(tmp_path.iterdir())
