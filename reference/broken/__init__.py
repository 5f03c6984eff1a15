"""Engines with one mistake each, which tests must find.

Each has the name of its counterpart among the broken variants of the model.
"""

from __future__ import annotations

from finale.reference.broken.finish import (
    CloseAbortsPending,
    CommitOnClose,
    WaitsForLostAck,
)
from finale.reference.engine import Engine

BROKEN: dict[str, type[Engine]] = {
    "close-aborts-pending": CloseAbortsPending,
    "commit-on-close": CommitOnClose,
    "waits-for-lost-ack": WaitsForLostAck,
}
