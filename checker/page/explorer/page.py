"""The page of the explorer, before any question is asked."""

from __future__ import annotations

from collections.abc import Sequence

import htpy as h

from finale.checker.page.document import data, document
from finale.checker.page.parts import folded, heading, section
from finale.checker.page.told import legend
from finale.checker.report.places import shown_file, told_setting
from finale.checker.search.verdict import NO_DEADLOCK
from finale.checker.spec.claim import Spec
from finale.model.system import System

from .walk import Walk


def explorer_page(spec: Spec, system: System, start: Walk, names: Sequence[str]) -> str:
    """The page as text. Its script asks the server for everything that changes."""
    protocol, *changes = told_setting(spec)
    trace = start.trace
    begin = {"start": system.initial.index(trace.states[0]), "rules": list(trace.rules)}
    body = [
        heading(spec.title, shown_file(spec.file), f"protocol {protocol}", *changes),
        h.noscript[h.p["This page needs scripts. Without them: finale trace, finale report."]],
        h.div("#explorer", hidden=True)[
            h.p("#message", role="alert", hidden=True),
            h.div("#violated", aria_live="polite")[h.p(".soft")["looking for violations …"]],
            _controls(),
            h.div(".columns")[
                section("Next steps", h.p("#word.soft"), h.ol("#next.choices"), _blocked()),
                section("State", _evaluate(names), h.div("#state")),
                section("Run so far", h.ol("#taken.run", start="0")),
            ],
            section("Sequence diagram", _diagram(), folded("legend", legend(has_job=False))),
            section("Properties in this state", _ask(system), h.div("#properties")),
        ],
        data("begin", begin),
    ]
    return document(
        f"explore {spec.file.name}", body, styles=("explorer/explorer.css",),
        scripts=("explorer/explorer.js",), connects=True,
    )  # fmt: skip


def _controls() -> h.Renderable:
    return h.div(".controls", role="group", aria_label="The run")[
        h.button("#back", type="button")["◀ back"],
        h.button("#restart", type="button")["⇤ start"],
        h.label("#starts", hidden=True)[
            "initial state ", h.input(type="number", min="1", value="1")
        ],
        h.button("#copy", type="button")["copy as a trace (ITF)"],
        h.a("#save", download="path.itf.json", hidden=True)["save"],
        h.output("#where", aria_live="polite"),
        h.span(".soft.keys")[
            h.kbd["1"], "…", h.kbd["9"], " take a step, ", h.kbd["←"], " back, ", h.kbd["Home"],
            " start",
        ],
    ]  # fmt: skip


def _blocked() -> h.Renderable:
    return h.details("#blocked")[
        h.summary["not enabled: why"],
        h.input("#wanted", type="search", placeholder="rule or task", aria_label="rule or task"),
        h.ol("#reasons.choices"),
    ]


def _evaluate(names: Sequence[str]) -> h.Renderable:
    return h.form("#evaluate")[
        h.label[
            "expression ",
            h.input("#expression", list="names", placeholder="S.status", autocomplete="off"),
        ],
        h.datalist("#names")[(h.option(value=each) for each in names)],
        h.output("#value.mono", aria_live="polite"),
    ]


def _diagram() -> h.Renderable:
    return h.div("#diagram.scroll.diagram", tabindex="0", role="region", aria_label="diagram")


def _ask(system: System) -> h.Renderable:
    names = [*(each.name for each in system.properties), NO_DEADLOCK]
    return h.form("#ask")[
        h.label[
            "from here, look for a run that violates, or reaches, ",
            h.select("#property")[(h.option(value=each)[each] for each in names)],
        ],
        " ",
        h.button(type="submit")["look"],
        h.output("#found", aria_live="polite"),
    ]


__all__ = ["explorer_page"]
