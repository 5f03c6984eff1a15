"""Writes functions of generated code: a loop over states, and the frame of a function."""

from __future__ import annotations

from collections.abc import Callable

from .kernel.places import RULES_MAX
from .layout import StateLayout
from .values import LlvmText, Values


def unpacked(text: LlvmText, layout: StateLayout, state: str) -> Values:
    """Return the words of the state at an address, as values."""
    words: list[str] = []
    for word in range(layout.width):
        address = text.value(f"getelementptr i64, ptr {state}, i64 {word}")
        words.append(text.value(f"load i64, ptr {address}"))
    return Values(text, layout, words)


def loop(
    text: LlvmText,
    layout: StateLayout,
    body: Callable[[Values], None],
    counts: bool = False,
    picks: bool = False,
) -> None:
    """Write a loop over `n` states; `%i` is the place of a state.

    If it `picks`, the places are those that `%picks` lists.

    If it counts, it begins at `%start`, writes to `%starts` what has been counted before each
    state, and returns what has been counted in the end. The count is in memory: a name for it in
    each block would be copied from block to block by code that is made quickly.
    """
    if counts:
        text.line("%count = alloca i64")
        text.line("store i64 %start, ptr %count")
    before, turn = text.block, "turn" if picks else "i"
    text.jump("head")
    text.open("head")
    text.line(f"%{turn} = phi i64 [ 0, %{before} ], [ %{turn}_next, %tail ]")
    if counts:
        count = text.value("load i64, ptr %count")
        address = text.value("getelementptr i64, ptr %starts, i64 %i")
        text.line(f"store i64 {count}, ptr {address}")
    text.branch(text.value(f"icmp slt i64 %{turn}, %n"), "body", "done")
    text.open("body")
    if picks:
        address = text.value("getelementptr i32, ptr %picks, i64 %turn")
        text.line(f"%i = zext i32 {text.value(f'load i32, ptr {address}')} to i64")
    offset = text.value(f"mul i64 %i, {layout.width}")
    state = text.value(f"getelementptr i64, ptr %in, i64 {offset}")
    text.line(f"%step = mul i64 %i, {RULES_MAX}")
    body(unpacked(text, layout, state))
    text.jump("tail")
    text.open("tail")
    text.line(f"%{turn}_next = add i64 %{turn}, 1")
    text.jump("head")
    text.open("done")
    text.line(f"ret i64 {text.value('load i64, ptr %count') if counts else '0'}")


def function(kind: str, header: str, text: LlvmText, attributes: str = "nounwind") -> str:
    """Return the text of a function whose blocks are written."""
    return "\n".join([f"{kind} @{header} {attributes} {{", "entry:", *text.lines, "}", ""])
