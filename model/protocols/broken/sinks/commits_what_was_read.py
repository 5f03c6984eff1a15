"""A connector commits its offset behind records that it has read, delivered or not."""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.connector import Connector, Progress, SourceRecord
from finale.model.rules import step


class CommitsWhatWasRead(Connector):
    """Connector with one mistake."""

    must_fall: ClassVar[str] = "committed-is-delivered"

    @step
    def _commit(self, record: SourceRecord) -> None:
        if record.progress != Progress.UNREAD:
            record.committed = True
