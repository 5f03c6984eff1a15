"""The lists of `docs/proofs.md`: what rules may read of a layout, and why."""

from __future__ import annotations

from collections.abc import Iterator

from finale.model.language.layout import LayoutGuard
from finale.model.protocols.layouts import ALL_JOBS, FEW_IDS, UNBOUNDED

TITLES = {
    "In a proof for runs of any length": UNBOUNDED,
    "In a proof about all jobs": ALL_JOBS,
    "Beside `live_checkpoints`": FEW_IDS,
}


def lists() -> str:
    """Return the tables of all layouts."""
    return "\n".join(line for title, guard in TITLES.items() for line in _table(title, guard))


def _table(title: str, guard: LayoutGuard) -> Iterator[str]:
    yield from (f"**{title}**", "", "| Reader | Value | Why |", "|---|---|---|")
    for same in guard.same:
        yield f"| any | {_words(same.of, same.names)} | {same.why} |"
    for reader in guard.readers:
        told = f"{reader.why}; only Finale's rules may call it" if reader.answers else reader.why
        yield f"| `{reader.function}` | {_words('', reader.names)} | {told} |"
    yield ""


def _words(of: str, names: tuple[str, ...]) -> str:
    return ", ".join(f"`{of}.{name}`" if of else f"`{name}`" for name in names)
