"""How much memory a search may take by default: part of the memory that is free.

If a control group limits this process, as in a container, only what the group leaves counts as
free: beyond that the system would kill the process before it could answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

#: Of the memory that is free when a search begins, it takes at most this part unless told.
SHARE_PERCENT = 80
#: For each version of control groups, as `/proc/self/cgroup` names it: where its groups are, their
#: files for the limit and for what is taken, and what of that the system can have back.
GROUPS = {
    "": ("", "memory.max", "memory.current", "inactive_file"),
    "memory": (
        "memory",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    ),
}


def share_of_free_memory(searches: int = 1, root: Path = Path("/")) -> int | None:
    """Return one search's part of the free memory in bytes; None if the system does not tell."""
    free = [*_free_on_machine(root), *_free_in_groups(root)]
    return max(min(free), 0) * SHARE_PERCENT // (100 * searches) if free else None


def _free_on_machine(root: Path) -> Iterator[int]:
    with suppress(OSError, ValueError, IndexError):
        for line in (root / "proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024


def _free_in_groups(root: Path) -> Iterator[int]:
    """For each group that this process is in, and each above it, what is left of its limit."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        _, names, group = line.split(":", 2)
        for name in names.split(","):
            if name in GROUPS:
                folder, *files = GROUPS[name]
                top = root / "sys/fs/cgroup" / folder
                # A container sees its own group at the top, whatever it is called outside.
                inner = top / group.strip("/")
                for place in {inner, *inner.parents}:
                    if place.is_relative_to(top):
                        yield from _free_in(place, *files)


def _free_in(place: Path, limit: str, usage: str, reclaimed: str) -> Iterator[int]:
    with suppress(OSError, ValueError):  # no such group is seen here, or its limit is "max"
        most, taken = (int((place / file).read_text()) for file in (limit, usage))
        stat = dict(line.split() for line in (place / "memory.stat").read_text().splitlines())
        yield most - taken + int(stat.get(reclaimed, 0))
