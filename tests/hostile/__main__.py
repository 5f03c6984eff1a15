"""Writes what becomes of each bad input, and the page: read both before they are committed."""

import sys
import tempfile
from pathlib import Path

from .case import Box, TookTooLong, complaints, outcome, ran
from .corpus import EXPECTED, PAGE, cases, page, written

table: dict[str, dict[str, str]] = {}
for case in cases():
    with tempfile.TemporaryDirectory() as folder:
        box = Box(Path(folder) / "box")
        box.fill(case)
        try:
            done = ran(case, box)
        except TookTooLong:
            sys.stderr.write(f"{case}: took too long\n")
            continue
        for complaint in complaints(case, done, box):
            sys.stderr.write(f"{case}: {complaint}\n")
    table.setdefault(case.kind, {})[case.name] = outcome(done)
EXPECTED.write_text(written(table), encoding="utf-8")
PAGE.write_text(page(table), encoding="utf-8")
