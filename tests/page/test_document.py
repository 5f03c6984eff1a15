"""Pages as texts: the policy, escaping, and what they say."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import htpy as h
import pytest

from finale.checker.page import report as report_module
from finale.checker.page.document import data, document
from finale.checker.page.parts import grouped_number
from finale.checker.page.report import report_page
from finale.model.errors import FinaleError
from tests.cli.running import run
from tests.page.made import ABORTS, HANGS, HOSTILE, result


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


def test_too_much_for_a_page_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "STEPS_MAX", 30)
    with pytest.raises(FinaleError, match="44 steps, and a page shows 30") as error:
        report_page([result(HANGS)], "finale")
    assert error.value.code == "page-too-large"


# --- the command ---------------------------------------------------------------------------------


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    file = tmp_path / "out" / "report.html"
    ran = run(f"report {HANGS} --property checkpoint-ends -o {file}")
    assert (ran.exit, ran.stdout) == (0, "")
    assert ran.stderr.endswith(f"written to {file}\n")
    page = file.read_text(encoding="utf-8")
    assert Outline(page).named("title")
    assert page.count('class="told"') == 1


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
