"""How large the page of `finale report` is, and how soon it is drawn: `python -m benchmarks.pages`.

The page is about all of `specs/` without traces, unless other paths or `--traces` are given. The
exit code is 1 if the page has more than 3 MB, or its first paint takes a second or more.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import sync_playwright

from .commands import FINALE, ROOT

BYTES_MAX, SECONDS_MAX = 3_000_000, 1.0
WIDTHS = (1280, 400)
ROUNDS = 5
#: The time at which the browser first drew a part of the page, and that of the whole table.
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
READY = "performance.getEntriesByType('navigation')[0].domComplete"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, open it, and print what was measured; the exit code."""
    parser = argparse.ArgumentParser("python -m benchmarks.pages", description=__doc__)
    parser.add_argument("paths", nargs="*", default=[str(ROOT / "specs")])
    parser.add_argument("--traces", action="store_true", help="with all traces")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"default {ROUNDS}")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        flags = [] if given.traces else ["--no-traces"]
        ran = subprocess.run(
            [FINALE, "report", *given.paths, *flags, "-o", page], cwd=ROOT, check=False
        )
        if not page.exists():
            print(f"FAILED: finale report ended with {ran.returncode}")
            return 1
        size = page.stat().st_size
        print(f"{page.read_text(encoding='utf-8').count('data-spec=')} specs, {size:,} bytes")
        seconds = [max(_measured(page, width, given.rounds)) for width in WIDTHS]
    return 0 if size <= BYTES_MAX and max(seconds) < SECONDS_MAX else 1


def _measured(page: Path, width: int, rounds: int) -> list[float]:
    """The seconds until the first paint, in a new window each time."""
    paints, readies = list[float](), list[float]()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for _ in range(rounds):
            window = browser.new_page(viewport={"width": width, "height": 900})
            window.goto(page.as_uri())
            window.wait_for_function(f"{PAINT} > 0")
            paints.append(window.evaluate(PAINT) / 1000)
            readies.append(window.evaluate(READY) / 1000)
            window.close()
    paint, ready = statistics.median(paints), statistics.median(readies)
    told = f"first paint {paint:.2f} s (at most {max(paints):.2f}), complete {ready:.2f} s"
    print(f"{width} pixels: {told}, medians of {rounds}")
    return paints


if __name__ == "__main__":
    sys.exit(main())
