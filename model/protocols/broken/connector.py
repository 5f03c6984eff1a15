"""Planted mistakes of `connector`."""

from __future__ import annotations

from finale.model.protocols.connector import Connector, Progress, SourceRecord
from finale.model.rules import UNFAIR, rule, step


class CommitsWhatWasRead(Connector):
    """A connector commits its offset behind records that it has read, delivered or not."""

    variant, must_fall = "commits-what-was-read", "committed-is-delivered"

    @step
    def _commit(self, record: SourceRecord) -> None:
        if record.progress != Progress.UNREAD:
            record.committed = True


class ProducerHangs(Connector):
    """A producer may never deliver what it was given: a stop that waits for it has no end.

    Kafka Connect bounds that wait, and then the record is delivered twice.
    """

    variant, must_fall = "producer-hangs", "stop-ends"

    @rule(fair=UNFAIR)
    def deliver(self, record: SourceRecord) -> None:
        """The producer delivers a record, or never does."""
        super().deliver(record)
