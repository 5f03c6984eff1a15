"""Draws a life cycle in the terminal, or as a Mermaid state diagram."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from rich.text import Text

from finale.model.system import Rule, System
from finale.model.visible import visible

from .layout import columns
from .lifecycle import STATES_MAX, Cause, LifeCycle, StatusEdge

_STEP = "       "


def life_cycle_lines(cycle: LifeCycle, width: int) -> list[Text]:
    """One life cycle. Rules stand on their edges, with what they emit behind them."""
    names = ", ".join(cycle.names)
    lines = [Text(cycle.kind, "bold").append(f"  {names}", "default"), Text()]
    lived = cycle.lived
    for position, state in enumerate(lived):
        following = lived[position + 1] if position + 1 < len(lived) else None
        lines += _box(cycle, state, following, width)
        if following is not None:
            lines += _descent(cycle.edges.get(StatusEdge(state, following), ()), width)
    never = [state for state in cycle.states if state not in lived]
    if never:
        lines += [Text(), Text(f"  never here: {', '.join(never)}", "dim")]
    if any(not cause.seen for causes in cycle.edges.values() for cause in causes):
        note = f"  (?) the guard allows it; no run through the first {STATES_MAX} states does it"
        lines += [Text(), Text(note, "dim")]
    return lines


def _box(cycle: LifeCycle, state: str, following: str | None, width: int) -> Iterator[Text]:
    inner = len(state) + 2
    mark = "● " if state in cycle.initial else "  "
    down = bool(following and StatusEdge(state, following) in cycle.edges)
    yield Text(f"  ┌{'─' * inner}┐")
    yield Text(mark, "bold cyan") + Text("│ ") + Text(state, "bold") + Text(" │")
    yield Text(f"  └────{'┬' if down else '─'}{'─' * (inner - 5)}┘")
    rows: list[list[Text]] = []
    for edge, causes in cycle.edges.items():
        if edge.source == state and edge.target != following:
            where = "stays" if edge.target == state else f"▶ {edge.target}"
            for number, cause in enumerate(causes):
                rows.append([Text("" if number else where, "cyan"), *_cells(cause)])
    bar = "│" if down else " "
    for line in columns(rows, width - len(_STEP) - 2):
        yield Text(f"{_STEP}{bar}  ").append_text(line)


def _descent(causes: Sequence[Cause], width: int) -> Iterator[Text]:
    """The way down to the next box; without causes nothing leads there from the one above."""
    if not causes:
        return
    for line in columns([_cells(cause) for cause in causes], width - len(_STEP) - 2):
        yield Text(f"{_STEP}│  ").append_text(line)
    yield Text(f"{_STEP}▼")


def _cells(cause: Cause) -> list[Text]:
    rule = Text(cause.rule, "bold")
    emits = Text(f"emits {', '.join(cause.emits)}" if cause.emits else "", "green")
    return [rule if cause.seen else rule.append(" (?)", "yellow"), emits]


def legend_lines(cycles: Sequence[LifeCycle], system: System, width: int) -> list[Text]:
    """The rules on the edges, each with its sentence."""
    named = {c.rule for cycle in cycles for causes in cycle.edges.values() for c in causes}
    rules: dict[str, Rule] = {}
    for ground in system.rules:
        if ground.rule.name in named:
            rules.setdefault(ground.rule.name, ground.rule)
    return columns(
        [[Text(r.name, "bold"), Text(r.sentence)] for r in rules.values()], width, indent=2
    )


def mermaid(cycles: Sequence[LifeCycle], title: str) -> str:
    """All life cycles as one Mermaid state diagram; of several, each is a composite state."""
    heading = json.dumps(visible(title), ensure_ascii=False)
    lines = ["---", f"title: {heading}", "---", "stateDiagram-v2"]
    for cycle in cycles:
        alone = len(cycles) == 1
        prefix = "" if alone else f"{cycle.kind}_"
        inner = "    " if alone else "        "
        if not alone:
            lines.append(f'    state "{cycle.kind} {", ".join(cycle.names)}" as {cycle.kind} {{')
        for state in cycle.lived if prefix else ():
            lines.append(f'{inner}state "{state}" as {prefix}{state}')
        lines += [f"{inner}[*] --> {prefix}{state}" for state in cycle.initial]
        for edge, causes in cycle.edges.items():
            label = ", ".join(_plain(cause) for cause in causes)
            lines.append(f"{inner}{prefix}{edge.source} --> {prefix}{edge.target}: {label}")
        left = {edge.source for edge in cycle.edges if edge.source != edge.target}
        lines += [f"{inner}{prefix}{state} --> [*]" for state in cycle.lived if state not in left]
        if not alone:
            lines.append("    }")
    return "\n".join(lines) + "\n"


def _plain(cause: Cause) -> str:
    emits = f" / {' '.join(cause.emits)}" if cause.emits else ""
    return f"{cause.rule}{emits}{'' if cause.seen else ' (?)'}"
