"""V-4: without EndOfData, operators finish only when their inputs have ended.

The savepoint of a stop with drain is then taken before they flush: what they flush is not in it.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.broken.finish.no_end_of_data import NoEndOfData
from finale.model.protocols.stop_with_savepoint import StopWithSavepoint


class StopsWithoutEndOfData(NoEndOfData, StopWithSavepoint):
    """StopWithSavepoint with the mistake of NoEndOfData."""

    must_fall: ClassVar[str] = "commit-completeness"
