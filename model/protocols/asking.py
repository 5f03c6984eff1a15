"""Messages from readers to the enumerator: a reader asks for a split, and is then assigned one.

Models `SplitRequestEvent` of FLIP-27. A request is a message of its own, so a failure can meet a
request on its way, and one that the enumerator has received and not yet answered. Neither is part
of a checkpoint: after a failure each restored reader asks again.
Left out: requests that name a host, and readers that ask for several splits at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from finale.model.protocols.enumerator import (
    Enumerating,
    EnumeratorOptions,
    ReaderId,
    SourceReader,
    Split,
)
from finale.model.rules import EMPTY, WEAK, Ref, Set, field, require, rule, step


@dataclass(frozen=True)
class AskingOptions(EnumeratorOptions):
    """Options of requests for splits."""

    #: readers ask for each split, and the enumerator assigns none that nobody has asked for
    readers_ask: bool = False


class Asking(Enumerating):
    """An enumerator whose readers ask for splits. Optional."""

    requests = field(Set(Ref(ReaderId)), EMPTY, ghost="requests", messages="from")
    """Requests on their way, by their senders."""
    wanting = field(Set(Ref(ReaderId)), EMPTY, ghost="requests")
    """The readers whose requests the enumerator has received and not answered."""

    def keeps(self) -> frozenset[str]:
        own = {"requests"} if self.options.readers_ask else set[str]()
        return super().keeps() | own

    @rule(fair=WEAK)
    def ask(self, reader: SourceReader) -> None:
        """1.1: a reader that has read all its splits asks for the next one."""
        require(self.options.readers_ask, lambda: not reader.asked)
        require(reader.is_running, not reader.received.has(reader.signal))
        reader.asked = True
        self.requests.add(reader)

    @rule(fair=WEAK)
    def receive_request(self, reader: SourceReader) -> None:
        """1.1: a request for a split arrives at the enumerator."""
        require(self.options.readers_ask, lambda: self.requests.has(reader))
        self.requests.remove(reader)
        self.wanting.add(reader)

    @rule(fair=WEAK)
    def assign(self, split: Split, reader: SourceReader) -> None:
        """1.1: the enumerator assigns a split to a reader that has registered, or has asked."""
        if self.options.readers_ask:
            require(self.wanting.has(reader))
            self.wanting.remove(reader)
        super().assign(split, reader)

    @rule(fair=WEAK)
    def signal_end(self, reader: SourceReader) -> None:
        """1.1: the enumerator, with all splits assigned, tells a reader that no more will come."""
        if self.options.readers_ask:
            require(self.wanting.has(reader))
            self.wanting.remove(reader)
        super().signal_end(reader)

    @rule(fair=WEAK)
    def receive_split(self, split: Split, reader: SourceReader) -> None:
        """1.1: a running reader receives a split."""
        super().receive_split(split, reader)
        if self.options.readers_ask:
            reader.asked = False

    @step
    def forget_requests(self) -> None:
        """RC-13: after a failure no request of an earlier attempt counts."""
        if self.options.readers_ask:
            self.requests.clear()
            self.wanting.clear()
            for reader in self.readers:
                reader.asked = False
