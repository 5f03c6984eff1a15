"""Builds a whole page: one file that loads nothing and runs only the scripts that it came with.

The policy of the page names its styles and scripts by their hashes. If a hostile name ever became
markup, the browser would still not run it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import cast

import htpy as h
from markupsafe import Markup

from finale.model.visible import visible


@cache
def asset(name: str) -> str:
    """The text of a file of this room."""
    return files("finale.checker.page").joinpath(name).read_text(encoding="utf-8")


def fixed(part: h.Renderable) -> Markup:
    """A part as finished markup. What is around a large part need not go through it again."""
    return Markup(str(part))


#: The scripts and the styles that every page has, in this order.
STYLES = ("colours.css", "page.css", "told.css", "sequence.css")
SCRIPTS = ("told.js",)


def document(
    title: str,
    body: h.Node,
    *,
    styles: tuple[str, ...] = (),
    scripts: tuple[str, ...] = (),
    connects: bool = False,
) -> str:
    """A page as text. `styles` and `scripts` are further files of this room.

    If it `connects`, its scripts may ask the server that the page came from, and nobody else.
    """
    style = "\n".join(map(asset, (*STYLES, *styles)))
    script = "\n".join(map(asset, (*SCRIPTS, *scripts)))
    page = h.html(lang="en")[
        h.head[
            h.meta(charset="utf-8"),
            h.meta(http_equiv="Content-Security-Policy", content=policy(style, script, connects)),
            h.meta(name="viewport", content="width=device-width, initial-scale=1"),
            h.meta(name="referrer", content="no-referrer"),
            h.link(rel="icon", href="data:,"),
            h.title[title],
            h.style[Markup(style)],
        ],
        h.body[
            h.a(".skip", href="#main")["Skip to the content"],
            h.main("#main")[body],
            h.script[Markup(script)],
        ],
    ]
    # A name that clears a terminal or turns the reading direction is harmless once it is written
    # out; scripts and styles have no such characters.
    return visible(str(page), "\n") + "\n"


def policy(style: str, script: str, connects: bool) -> str:
    """The Content-Security-Policy of a page with these texts."""
    server = "'self'" if connects else "'none'"
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "img-src data:",
            f"connect-src {server}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def data(name: str, value: object) -> h.Renderable:
    """A value that scripts of the page read by its id, as JSON that cannot end its element."""
    text = json.dumps(all_visible(value), separators=(",", ":")).replace("<", "\\u003c")
    return h.script(id=name, type="application/json")[Markup(text)]


def all_visible(value: object) -> object:
    """A value as plain data, all texts in it with invisible characters written out."""
    match value:
        case str():
            return visible(value)
        case list() | tuple():
            return [all_visible(each) for each in cast("Sequence[object]", value)]
        case dict():
            pairs = cast("dict[str, object]", value).items()
            return {key: all_visible(each) for key, each in pairs}
        case _:
            return value


__all__ = ["all_visible", "asset", "data", "document", "fixed"]
