"""Pages in a real browser: no errors, nothing loaded, by keyboard, at two widths, hostile names."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route

from finale.checker.page.explorer.server import HOST, Explorer, serving
from finale.checker.page.explorer.walk import walk_of
from finale.checker.page.overview import overview_page
from finale.checker.page.report import details, report_page
from finale.checker.page.review import review_page
from finale.checker.page.sequence_svg import sequence_file
from finale.checker.review.change import Change
from finale.checker.review.verdicts import Difference, Direction
from finale.checker.search.rows import CheckResult
from finale.checker.search.verdict import Verdict, Word
from finale.cli.traces import itf_of_run
from finale.model.itf import from_itf
from finale.model.trace import Trace
from tests.page.browser import WIDTHS, Seen, browser, needs_browser, opened
from tests.page.made import ABORTS, HANGS, HOSTILE, PING, RESUMED, result, told
from tests.review.reviewing import reviewed, specs_of

pytestmark = needs_browser
PAGES = {
    "one": (HANGS,),
    "resumed": (RESUMED,),
    "two": (HANGS, ABORTS),
    "ping": (PING,),
    "hostile": (HOSTILE,),
}


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for name, specs in PAGES.items():
        page = report_page([result(spec) for spec in specs], "finale")
        (made / f"{name}.html").write_text(page, encoding="utf-8")
    return made


@pytest.fixture(scope="module", params=[HANGS, HOSTILE], ids=["hangs", "hostile"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    found = result(request.param)
    assert found.system is not None
    begin = walk_of(found.system, 0, [])
    system = found.system

    def written(run: Trace) -> str:
        return itf_of_run(found.spec, system, Verdict("", Word.RUN, run))

    explorer = Explorer(found.spec, system, begin, written)
    with serving(explorer, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.url
        server.shutdown()
        thread.join()


def is_sound(seen: Seen) -> bool:
    """Nothing went wrong, nothing came from elsewhere, and no name became a script."""
    first = urlsplit(seen.requests[0])
    assert seen.wrong == []
    assert {urlsplit(each)[:2] for each in seen.requests} <= {first[:2], ("data", "")}
    assert seen.page.evaluate("window.pwned") is None
    assert seen.page.locator("img").count() == 0
    return seen.fits()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_a_report_is_read(window: Browser, folder: Path, name: str, width: int) -> None:
    url = (folder / f"{name}.html").as_uri()
    seen = opened(window, url, width, scheme="light" if width == WIDTHS[0] else "dark")
    assert is_sound(seen)
    assert len(seen.requests) == 1
    assert seen.page.locator(".told svg").count() == seen.page.locator(".told").count() > 0
    assert cut(seen) == []
    seen.page.close()


def cut(seen: Seen) -> list[str]:
    """The texts and tables that are read only by scrolling sideways, with everything unfolded."""
    found: list[str] = seen.page.evaluate(
        """() => {
          for (const each of document.querySelectorAll("details")) each.open = true;
          return [...document.querySelectorAll("pre, .scroll:not(.diagram, .job-of *)")]
            .filter((each) => each.scrollWidth > each.clientWidth + 1)
            .map((each) => each.textContent.slice(0, 80));
        }"""
    )
    assert seen.fits()
    return found


@pytest.mark.parametrize("width", WIDTHS)
def test_a_review_is_read(window: Browser, tmp_path: Path, width: int) -> None:
    """Also with the longest word of a verdict."""
    found = reviewed(Change("two-phase-commit", "withdraws"), specs_of("two-phase-commit"))
    tried = tuple(
        replace(one, differences=tuple(map(unsettled, one.differences))) for one in found.tried
    )
    file = tmp_path / "review.html"
    file.write_text(review_page([replace(found, tried=tried)], "finale"), encoding="utf-8")
    seen = opened(window, file.as_uri(), width, scheme="dark" if width == 400 else "light")
    assert is_sound(seen)
    assert seen.page.locator(".badge", has_text="unknown without the change").count() > 0
    assert cut(seen) == []
    seen.page.close()


def unsettled(difference: Difference) -> Difference:
    return replace(difference, direction=Direction.UNSETTLED)


def current(page: Page, name: str = "s1-checkpoint-ends-trace") -> str:
    return str(page.locator(f"#{name} .step.current h3").inner_text())


def test_the_keys_walk_a_trace(window: Browser, folder: Path) -> None:
    seen = opened(window, (folder / "one.html").as_uri(), 1280)
    page = seen.page
    told_part = page.locator("#s1-checkpoint-ends-trace")
    told_part.locator(".step").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "quiesce" in current(page)
    assert told_part.locator(".state .changed").all_inner_texts() == ["QUIESCED"]
    assert told_part.locator("output").inner_text() == "step 3 of 13"
    assert told_part.locator(".row.current").get_attribute("data-mark") == "3"
    page.keyboard.press("End")
    assert "learn_finished" in current(page)
    assert told_part.locator("[data-go=next]").is_disabled()
    page.keyboard.press("Home")
    assert "start" in current(page)
    told_part.locator(".row[data-mark='7']").click()
    assert "run_trigger" in current(page)
    assert is_sound(seen)
    page.close()


@pytest.mark.parametrize("key", ["j", "ArrowRight"])
def test_after_a_link_to_a_trace_the_keys_walk_it(window: Browser, folder: Path, key: str) -> None:
    seen = opened(window, (folder / "one.html").as_uri(), 400)
    page = seen.page
    page.get_by_role("link", name="checkpoint-ends", exact=True).click()
    for _ in range(3):
        page.keyboard.press(key)
    assert "quiesce" in current(page)
    assert is_sound(seen)
    page.close()


def test_the_keys_walk_the_trace_and_not_the_run_before(window: Browser, folder: Path) -> None:
    seen = opened(window, (folder / "resumed.html").as_uri(), 1280)
    page, name = seen.page, "s1-finished-stays-marked-trace"
    assert page.locator(f"#{name} details[open] .step").count() > 0
    page.locator(f"#{name} .walk .step").first.focus()
    page.keyboard.press("End")
    trace = told(RESUMED, "finished-stays-marked").trace
    assert page.locator(f"#{name} .step.current").get_attribute("data-step") == str(trace.length)
    assert is_sound(seen)
    page.close()


def test_everything_is_reached_by_keyboard(window: Browser, folder: Path) -> None:
    seen = opened(window, (folder / "one.html").as_uri(), 1280)
    page = seen.page
    wanted = page.locator("a, button:enabled, summary, .step[tabindex='0'], .scroll:visible")
    reached: set[str] = set()
    for _ in range(2 * wanted.count()):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.outerHTML.slice(0, 200)"))
    assert {"<a href=", "<button ", "<summary"} <= {each[:8] for each in reached}
    assert any("data-go" in each for each in reached)
    assert any('class="step current"' in each for each in reached)
    assert any("diagram" in each for each in reached)
    page.keyboard.press("Shift+Tab")
    page.close()


def test_without_scripts_all_steps_are_there(window: Browser, folder: Path) -> None:
    context = window.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "one.html").as_uri())
    assert page.locator("#s1-checkpoint-ends-trace .step:visible").count() == 14
    assert page.locator(".controls:visible").count() == 0
    context.close()


@pytest.fixture(scope="module")
def many(folder: Path) -> str:
    found = CheckResult([result(spec) for spec in (HANGS, ABORTS, HOSTILE)])
    parts = [details(each, f"s{n + 1}", True) for n, each in enumerate(found.results)]
    (folder / "many.html").write_text(overview_page(found, parts, "finale"), encoding="utf-8")
    return (folder / "many.html").as_uri()


def rows_of(page: Page) -> list[str]:
    return page.locator("[data-spec]:visible a").all_inner_texts()


@pytest.mark.parametrize("width", WIDTHS)
def test_many_specs_are_filtered(window: Browser, many: str, width: int) -> None:
    seen = opened(window, many, width, scheme="light" if width == WIDTHS[0] else "dark")
    page = seen.page
    assert len(rows_of(page)) == 3
    page.locator("#search").fill("during trigger aborts".replace(" ", "-"))
    assert [Path(each).name for each in rows_of(page)] == [ABORTS.name]
    page.locator("#search").fill("")
    page.locator("#property").select_option("checkpoint-ends")
    page.locator("#verdict").select_option("violated")
    assert [Path(each).name for each in rows_of(page)] == [HANGS.name]
    assert page.locator("#shown").inner_text() == "1 of 3 specs"
    page.locator("#verdict").select_option("not as expected")
    assert rows_of(page) == []
    assert is_sound(seen)
    page.close()


def test_a_cell_says_its_verdict_and_leads_to_the_trace(window: Browser, many: str) -> None:
    seen = opened(window, many, 1280)
    page = seen.page
    cell = page.locator("[data-spec='1'] i[data-property=checkpoint-ends]")
    assert cell.get_attribute("title") == "checkpoint-ends: violated, as expected"
    heads = page.locator("thead .cells span").all_inner_texts()
    row = page.locator("[data-spec='1'] td i")
    assert [each.get_attribute("data-property") for each in row.all()] == heads
    # What a reader looks for stands where the table begins; it scrolls sideways.
    assert heads[:4] == [
        "close-after-acknowledgement", "checkpoint-ends", "no-deadlock", "stays-calm"
    ]  # fmt: skip
    assert heads.index("job-finishes") < heads.index("well-formed")
    cell.click()
    page.locator("#s1-checkpoint-ends .step.current").wait_for()
    assert page.locator("#specs:visible").count() == 0
    page.go_back()
    page.locator("#specs:visible").wait_for()
    assert is_sound(seen)
    page.close()


def test_an_id_of_an_opened_spec_leads_to_its_sentences(window: Browser, many: str) -> None:
    seen = opened(window, f"{many}#s1-checkpoint-ends", 1280)
    page = seen.page
    link = page.locator("#s1-checkpoint-ends a.id").first
    link.wait_for()
    name = link.inner_text()
    assert link.get_attribute("title") == page.locator(f"#id-{name} + dd").inner_text()
    link.click()
    assert page.locator("#s1-checkpoint-ends:visible").count() == 1
    page.locator(f"#id-{name}:visible").wait_for()
    assert is_sound(seen)
    page.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_spec_is_opened_and_walked_by_keyboard(window: Browser, many: str, width: int) -> None:
    seen = opened(window, many, width)
    page = seen.page
    page.locator("[data-spec='1'] a").focus()
    page.keyboard.press("Enter")
    link = page.locator("#details").get_by_role("link", name="checkpoint-ends", exact=True)
    link.focus()
    page.keyboard.press("Enter")
    page.locator("#s1-checkpoint-ends:focus").wait_for()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert "quiesce" in current(page)
    assert is_sound(seen)
    page.locator(".back").focus()
    page.keyboard.press("Enter")
    page.locator("[data-spec='1'] a:focus").wait_for()
    page.close()


def test_a_link_unfolds_a_witness(window: Browser, folder: Path) -> None:
    seen = opened(window, (folder / "one.html").as_uri(), 1280)
    page = seen.page
    witness = page.locator("#s1-trigger-meets-ended-task-trace")
    assert not witness.is_visible()
    page.get_by_role("link", name="trigger-meets-ended-task", exact=True).click()
    witness.wait_for(state="visible")
    page.keyboard.press("j")
    assert current(page, "s1-trigger-meets-ended-task-trace").startswith("1")
    page.close()


@pytest.mark.parametrize("spec", [HANGS, HOSTILE], ids=["hangs", "hostile"])
def test_a_drawing_is_a_file_of_its_own(window: Browser, tmp_path: Path, spec: Path) -> None:
    name = "checkpoint-ends" if spec is HANGS else "stays-calm"
    file = tmp_path / "race.svg"
    file.write_text(sequence_file(told(spec, name).diagram, "race"), encoding="utf-8")
    seen = opened(window, file.as_uri(), 1280)
    assert seen.wrong == []
    assert len(seen.requests) == 1
    seen.page.close()


# --- the explorer --------------------------------------------------------------------------------


@pytest.mark.parametrize("width", WIDTHS)
def test_the_explorer_is_walked_by_keyboard(window: Browser, address: str, width: int) -> None:
    seen = opened(window, address, width)
    page = seen.page
    page.locator("#next button").first.wait_for()
    page.keyboard.press("1")
    page.locator("#taken li").nth(1).wait_for()
    assert page.locator("#where").inner_text() == "after step 1"
    first = page.locator("#properties td:first-child").first
    assert first.locator(".sentence").inner_text().endswith((".", ")"))
    assert page.locator("#state .changed").count() > 0
    page.locator("#diagram svg").wait_for()
    assert is_sound(seen)
    page.keyboard.press("ArrowLeft")
    page.locator("#taken li").nth(1).wait_for(state="detached")
    page.go_back()
    page.locator("#taken li").nth(1).wait_for()
    page.keyboard.press("Home")
    page.locator("#taken li").nth(1).wait_for(state="detached")
    assert is_sound(seen)
    page.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_a_violation_is_on_the_first_screen(window: Browser, address: str, width: int) -> None:
    seen = opened(window, address, width)
    page = seen.page
    link = page.locator("#violated a").last
    link.wait_for()
    assert page.evaluate("scrollY") == 0
    box = link.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 900
    link.focus()
    page.keyboard.press("Enter")
    page.locator("#taken li").nth(1).wait_for()
    assert is_sound(seen)
    page.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_not_enabled_says_why(window: Browser, address: str, width: int) -> None:
    seen = opened(window, address, width)
    page = seen.page
    page.locator("#next button").first.wait_for()
    page.locator("#blocked > summary").focus()
    page.keyboard.press("Enter")
    page.locator("#reasons .condition").first.wait_for()
    page.locator("#reasons .source > summary").first.focus()
    page.keyboard.press("Enter")
    page.locator("#reasons .line.stop").first.wait_for()
    # Nothing is cut at the side.
    wide = "(e) => e.scrollWidth <= e.clientWidth"
    assert all(each.evaluate(wide) for each in page.locator(".source pre").all())
    page.locator("#expression").fill("1 + 1")
    page.locator("#expression").press("Enter")
    page.locator("#value", has_text="= 2").wait_for()
    page.locator("#expression").fill("nobody.status")
    page.locator("#expression").press("Enter")
    page.locator("#value", has_text="has no value").wait_for()
    seen.wrong = [each for each in seen.wrong if "422" not in each]
    assert is_sound(seen)
    page.close()


def test_an_answer_that_was_overtaken_is_not_shown(window: Browser, address: str) -> None:
    seen = opened(window, address, 1280)
    page = seen.page
    page.locator("#next button").first.wait_for()
    late: list[Route] = []

    def hold(route: Route) -> None:
        if "1 + 1" in (route.request.post_data or ""):
            late.append(route)
        else:
            route.continue_()

    page.route("**/value", hold)
    page.locator("#expression").fill("1 + 1")
    page.locator("#expression").press("Enter")
    page.locator("#expression").fill("2 + 3")
    page.locator("#expression").press("Enter")
    page.locator("#value", has_text="= 5").wait_for()
    assert late
    for each in late:
        with page.expect_response("**/value") as answer:
            each.continue_()
        assert answer.value.json() == "2"
    page.evaluate("() => new Promise(requestAnimationFrame)")
    assert page.locator("#value").text_content() == "= 5"
    page.unroute("**/value")
    assert is_sound(seen)
    page.close()


def test_the_names_of_lanes_stay_in_sight(window: Browser, folder: Path) -> None:
    seen = opened(window, (folder / "one.html").as_uri(), 400)
    diagram = seen.page.locator("#s1-checkpoint-ends .diagram")
    diagram.evaluate("(e) => { e.style.maxHeight = '200px'; e.scrollTop = 90; }")
    head = diagram.locator(".heads text").first
    seen.page.wait_for_function(
        "() => document.querySelector('#s1-checkpoint-ends .heads').hasAttribute('transform')"
    )
    inside, shown = head.bounding_box(), diagram.bounding_box()
    assert inside is not None
    assert shown is not None
    assert inside["y"] >= shown["y"]
    seen.page.close()


def test_a_counterexample_is_jumped_to_and_copied(window: Browser, address: str) -> None:
    spec = HOSTILE if "hostile" in window_title(window, address) else HANGS
    name = "stays-calm" if spec is HOSTILE else "checkpoint-ends"
    context = window.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(address)
    page.locator("#property").select_option(name)
    page.locator("#property").press("Tab")
    page.keyboard.press("Enter")
    page.locator("#found button").wait_for()
    page.keyboard.press("Enter")
    trace = told(spec, name).trace
    page.locator("#taken li").nth(len(trace.rules)).wait_for()
    page.locator("#copy").click()
    page.locator("#save:visible").wait_for()
    page.locator("#where", has_text="copied").wait_for()
    text = page.evaluate("navigator.clipboard.readText()")
    system = result(spec).system
    assert system is not None
    assert from_itf(system, text).states == trace.states
    context.close()


def window_title(window: Browser, address: str) -> str:
    page = window.new_page()
    page.goto(address)
    title = page.title()
    page.close()
    return title


def test_a_path_that_is_none_is_told(window: Browser, address: str) -> None:
    page = window.new_page()
    page.goto(f"{address}#0.99999")
    page.locator("#message").wait_for()
    assert page.locator("#message").inner_text().startswith("not-a-run: ")
    page.close()


def test_the_server_refuses_what_has_no_token(window: Browser, address: str) -> None:
    page = window.new_page()
    answer = page.goto(f"http://{HOST}:{urlsplit(address).port}/")
    assert answer is not None
    assert answer.status == 404
    assert json.dumps(page.inner_text("body")) == '"Not Found"'
    page.close()
