"""Every planted mistake, shrunk: how much smaller each counterexample is, and what it needs.

`python -m tests.review.broken FILE` shrinks all and writes what it found, a line of JSON for each.
A line that is there already is not worked out again. At the end it prints a table.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import Any

from finale.checker.cache.store import Store, cache_folder
from finale.checker.report.minimised import minimised_json
from finale.checker.review.minimise import Minimised, minimised
from finale.checker.search.verdict import Word
from finale.checker.spec.catalogue import catalogue
from finale.checker.spec.claim import Spec
from finale.checker.spec.reading import read_spec
from finale.model.system import Kind

#: What a cell without an entry shows.
NOTHING = "–"  # noqa: RUF001 - a dash
ROOT = Path(__file__).parent.parent.parent
SPECS = sorted((ROOT / "specs").rglob("*.toml"))


def falling() -> Iterator[tuple[Path, Spec, str]]:
    """A spec for each variant of this package with a mistake, and the property that must fall.

    Small specs come first, and specs without counts last. Of several specs of one variant, the
    first one in a folder `broken` is taken.
    """
    known = catalogue(None, Store(cache_folder()))
    specs: dict[tuple[str, str], tuple[Path, Spec, str]] = {}
    for file in sorted(SPECS, key=lambda each: ("broken" not in each.parts, str(each))):
        text = file.read_text(encoding="utf-8")
        if "variant" not in text:
            continue
        spec = read_spec(file, known)
        name = str(getattr(spec.protocol, "must_fall", ""))
        expected = spec.expectations.get(name)
        if spec.variant and expected is not None and expected.verdict == Word.VIOLATED:
            specs.setdefault((spec.protocol.key, spec.variant), (file, spec, name))
    yield from sorted(specs.values(), key=lambda each: (_size(each[1]), each[0]))


def shrinkable() -> Iterator[tuple[Path, Spec, str]]:
    """Those with a counterexample: that no run reaches a witness is shown by no run."""
    for file, spec, name in falling():
        kinds = {each.name: each.kind for each in spec.families}
        if kinds.get(name) is not Kind.REACHABLE:
            yield file, spec, name


def _size(spec: Spec) -> float:
    return inf if spec.counts is None else spec.counts.states


def shrink_all(results: Path) -> None:
    """Shrink all counterexamples, and write what was found."""
    done = {json.loads(line)["spec"] for line in lines_of(results)}
    for file, spec, name in shrinkable():
        where = str(file.relative_to(ROOT))
        if where not in done:
            found = found_of(file, spec, minimised(spec, name))
            with results.open("a", encoding="utf-8") as opened:
                opened.write(json.dumps(found) + "\n")


def found_of(file: Path, spec: Spec, smallest: Minimised) -> dict[str, Any]:
    """What was found about one mistake, as plain data."""
    about = {"spec": str(file.relative_to(ROOT)), "variant": spec.variant}
    return asdict(minimised_json(smallest)) | about


def table(results: Path) -> str:
    """The mistakes by name: how much smaller, and what is needed."""
    rows = [json.loads(line) for line in lines_of(results)]
    head = ["| Mistake | What falls | Steps | States | Needed: without it the property holds |"]
    head.append("|---|---|--:|--:|---|")
    return "\n".join([*head, *map(row_of, sorted(rows, key=lambda each: str(each["variant"])))])


def row_of(found: dict[str, Any]) -> str:
    """A row of the table."""
    needed = [each["what"] for each in found["needed"] if each["without"] == "holds"]
    others = ", ".join(f"`{each}`" for each in needed if _is_told(each, needed))
    steps, states = (" → ".join(map(str, found[name])) for name in ("steps", "states"))
    mistake = f"[{found['variant']}](../{found['spec']})"
    return f"| {mistake} | {found['property']} | {steps} | {states} | {others or NOTHING} |"


def _is_told(what: str, needed: list[str]) -> bool:
    """Whether a row says it: not the variant, nor a smaller number of what must be there at all."""
    thing, smaller, _ = what.partition(", with ")
    return not what.startswith("the variant") and not (smaller and thing in needed)


def lines_of(results: Path) -> list[str]:
    return results.read_text(encoding="utf-8").splitlines() if results.exists() else []


if __name__ == "__main__":
    shrink_all(Path(sys.argv[1]))
    print(table(Path(sys.argv[1])))
