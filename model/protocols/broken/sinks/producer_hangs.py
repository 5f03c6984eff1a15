"""A producer may never deliver what it was given: a stop that waits for it has no end.

Kafka Connect bounds that wait, and then the record is delivered twice.
"""

from __future__ import annotations

from typing import ClassVar

from finale.model.protocols.connector import Connector, SourceRecord
from finale.model.rules import UNFAIR, rule


class ProducerHangs(Connector):
    """Connector with one mistake."""

    must_fall: ClassVar[str] = "stop-ends"

    @rule(fair=UNFAIR)
    def deliver(self, record: SourceRecord) -> None:
        """The producer delivers a record, or never does."""
        super().deliver(record)
