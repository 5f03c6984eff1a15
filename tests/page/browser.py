"""A real browser for the tests of pages, and what it saw: errors, requests, dialogs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = shutil.which("chromium")
WIDTHS = (1280, 400)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("CI") != "true", reason="no chromium (Debian package)"
)


@dataclass
class Seen:
    """A page in the browser, with all that went wrong on it and all that it asked for."""

    page: Page
    wrong: list[str] = field(default_factory=list[str])
    requests: list[str] = field(default_factory=list[str])

    def fits(self) -> bool:
        """Whether the page, at this width, is read without scrolling sideways."""
        wide = self.page.evaluate("document.documentElement.scrollWidth")
        return bool(wide <= self.page.evaluate("window.innerWidth"))


@contextmanager
def browser() -> Generator[Browser]:
    """The browser of Debian. In continuous integration it must be there."""
    assert CHROMIUM is not None, ".ci/run installs chromium"
    with sync_playwright() as playwright:
        # Root has no sandbox; the pages are ours.
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


def opened(
    browser: Browser, url: str, width: int, *, scheme: Literal["light", "dark"] = "light"
) -> Seen:
    """A page, opened in a window of a width."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    seen = Seen(page)
    page.on("console", lambda message: seen.wrong.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: seen.wrong.append(str(error)))
    page.on("dialog", lambda dialog: seen.wrong.append(f"dialog {dialog.message}"))
    page.on("request", lambda request: seen.requests.append(request.url))
    page.goto(url)
    return seen
