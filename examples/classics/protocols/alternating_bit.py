"""The alternating bit protocol (Bartlett, Scantlebury, Wilkinson 1969) over channels that lose.

As in "Specifying Systems" (`AlternatingBit.tla`): messages and acknowledgements are queues, any
element of which may be lost. TLC counts 240 states with two data and two places in each queue.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from finale.rules import (
    STRONG,
    WEAK,
    Bool,
    Bound,
    Protocol,
    Queue,
    Range,
    Record,
    RecordOf,
    always,
    field,
    leads_to,
    part,
    require,
    rule,
    when,
    within,
)

Datum = Range(1, Bound("data"))
DatumNumber = Annotated[int, Datum]
Place = Annotated[int, Range(0, Bound("channel") - 1)]


class Message(Record):
    """A datum with the sender's bit."""

    bit: bool = part(Bool)
    datum: int = part(Datum)


@dataclass(frozen=True)
class Sizes:
    """What is sent."""

    #: how many different data there are
    data: int = 2


@dataclass(frozen=True)
class Bounds:
    """How much is under way."""

    #: how many elements each of the two channels holds
    channel: int = 2


@dataclass(frozen=True)
class Options:
    """Whether the bit is used."""

    #: the sender turns its bit with each datum
    alternates: bool = True


class AlternatingBit(Protocol):
    """A sender repeats a datum until it is acknowledged with the bit that it has now."""

    key = "alternating-bit"
    Sizes = Sizes
    sizes: Sizes
    Bounds = Bounds
    bounds: Bounds
    Options = Options
    options: Options

    messages = field(Queue(RecordOf(Message), Bound("channel")), ())
    acknowledgements = field(Queue(Bool, Bound("channel")), ())
    bit = field(Bool, False)
    acknowledged = field(Bool, False)
    expected = field(Bool, False)
    sent = field(Datum, 1)
    received = field(Datum, 1)

    def start_states(self) -> Sequence[Mapping[str, object]]:
        data = range(1, int(self.sizes.data) + 1)
        return [
            {"bit": b, "acknowledged": b, "expected": b, "sent": s, "received": r}
            for b, s, r in itertools.product((False, True), data, data)
        ]

    @rule
    def send_new(self, datum: DatumNumber) -> None:
        """The sender, acknowledged, turns its bit and sends the next datum."""
        require(self.acknowledged == self.bit)
        within(self.messages.length, self.bounds.channel)
        self.sent = datum
        if self.options.alternates:
            self.bit = not self.bit
        else:
            self.acknowledged = not self.acknowledged
        self.messages.put(Message(bit=self.bit, datum=datum))

    @rule(fair=WEAK)
    def send_again(self) -> None:
        """The sender repeats a datum that is not acknowledged."""
        require(self.acknowledged != self.bit)
        within(self.messages.length, self.bounds.channel)
        self.messages.put(Message(bit=self.bit, datum=self.sent))

    @rule(fair=STRONG)
    def receive(self) -> None:
        """The receiver takes a message."""
        require(not self.messages.is_empty)
        match self.messages.take():
            case Message(bit=bit, datum=datum):
                self.expected = bit
                self.received = datum

    @rule(fair=WEAK)
    def acknowledge(self) -> None:
        """The receiver sends the bit that it received last."""
        within(self.acknowledgements.length, self.bounds.channel)
        self.acknowledgements.put(self.expected)

    @rule(fair=STRONG)
    def receive_acknowledgement(self) -> None:
        """The sender takes an acknowledgement."""
        require(not self.acknowledgements.is_empty)
        self.acknowledged = self.acknowledgements.take()

    @rule
    def lose_message(self, place: Place) -> None:
        """A message is lost, wherever it is in its channel."""
        require(self.messages.length > place)
        kept = [self.messages.at(each) for each in range(int(self.bounds.channel))]
        length = self.messages.length
        self.messages.clear()
        for each, message in enumerate(kept):
            if each != place and length > each:
                self.messages.put(message)

    @rule
    def lose_acknowledgement(self, place: Place) -> None:
        """An acknowledgement is lost, wherever it is in its channel."""
        require(self.acknowledgements.length > place)
        kept = [self.acknowledgements.at(each) for each in range(int(self.bounds.channel))]
        length = self.acknowledgements.length
        self.acknowledgements.clear()
        for each, acknowledgement in enumerate(kept):
            if each != place and length > each:
                self.acknowledgements.put(acknowledgement)


@always
def new_data_meet_a_receiver(state: AlternatingBit) -> bool:
    """When the sender may send the next datum, the receiver has the last one's bit."""
    when(state.acknowledged == state.bit)
    return state.expected == state.bit


@leads_to
def sent_is_received(state: AlternatingBit, datum: DatumNumber) -> bool:
    """A datum that is sent is received."""
    when(state.acknowledged != state.bit and state.sent == datum)
    return state.received == datum


PROTOCOLS = (AlternatingBit,)
PROPERTIES = (new_data_meet_a_receiver, sent_is_received)
