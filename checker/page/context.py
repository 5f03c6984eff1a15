"""Shows the setting of a spec on a page: its job as a drawing, its options and its bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import htpy as h

from finale.checker.report.about import Setting, settings
from finale.checker.spec.claim import Spec

from .document import fixed
from .job_svg import job_svg
from .parts import folded, table


def context(spec: Spec) -> Iterator[h.Node]:
    """The job, and what the spec sets; values that are the defaults are folded."""
    job = spec.setting.job
    if job is not None:
        yield fixed(job_svg(job))
    for kind, found in settings(spec).items():
        changed = [each for each in found if each.is_changed]
        left = [each for each in found if not each.is_changed]
        if changed:
            yield _table(changed, kind)
        if left:
            word = "defaults of Finale" if kind == "options" else "defaults"
            yield folded(f"{kind}, {word}: {len(left)}", _table(left, kind))


def _table(found: Sequence[Setting], kind: str) -> h.Renderable:
    rows: list[list[h.Node]] = [
        [h.code[each.name], h.b[each.value], [each.meaning, h.div(".soft")[each.default]]]
        for each in found
    ]
    return table(("name", "value", "meaning"), rows, caption=kind)


__all__ = ["context"]
