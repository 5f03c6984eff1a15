"""Mistakes in stopping a job and in what users ask for."""

from __future__ import annotations

from collections.abc import Mapping

#: By the protocol's key and the variant's: "module:Class" within this package.
VARIANTS: Mapping[str, Mapping[str, str]] = {
    "final-checkpoint": {
        "requires-pending": "requires_pending:RequiresPending",
    },
}
