"""Animals of the zoo: queues, records, unions and how they are matched."""

from finale.model.rules import (
    Bool,
    Nothing,
    Option,
    Protocol,
    Queue,
    Range,
    Record,
    Taken,
    Union,
    always,
    before,
    field,
    on_step,
    part,
    reachable,
    require,
    rule,
    when,
)
from tests.zoo.animal import Animal


class Pipe(Protocol):
    """Truth values in, the oldest out."""

    queue = field(Queue(Bool, 2), ())

    @rule
    def put(self, value: bool) -> None:
        """A value is put in."""
        require(self.queue.has_space)
        self.queue.put(value)

    @rule
    def take(self) -> None:
        """The oldest is taken."""
        require(not self.queue.is_empty)
        self.queue.take()


@on_step
def only_put_grows(pipe: Pipe, step: Taken) -> bool:
    """After a put there is one more."""
    when(step.rule == "put")
    return pipe.queue.length == before(lambda: pipe.queue.length) + 1


@on_step
def takes_only_true(pipe: Pipe, step: Taken) -> bool:
    """What is taken is true: not if false was put."""
    when(step.rule == "take")
    return before(lambda: pipe.queue.head) == True  # noqa: E712 - the head is an option


@reachable
def holds_both(pipe: Pipe) -> bool:
    """Both values are queued, true in front."""
    return pipe.queue.at(0) == True and pipe.queue.at(1) == False  # noqa: E712 - may be Nothing


# 1 + 2 + 4 contents. put: 2 from each of the 3 with space; take: 1 from each of the 6 others.
PIPE = Animal(
    Pipe,
    states=7,
    transitions=12,
    depth=2,
    families=(only_put_grows, takes_only_true, holds_both),
    expected={"takes-only-true": "violated 2", "holds-both": "holds 2"},
)


class Data(Record):
    """A record of the stream."""


class Barrier(Record):
    """A border in the stream."""

    number: int = part(Range(1, 2))


class Lanes(Protocol):
    """A barrier overtakes the data; there is one at a time."""

    queue = field(Queue(Union(Data, Barrier), 2), ())

    @rule
    def send(self) -> None:
        """Data queues up."""
        require(self.queue.has_space)
        self.queue.put(Data())

    @rule
    def overtake(self) -> None:
        """A barrier goes in front."""
        require(self.queue.has_space, not self.queue.holds(Barrier))
        self.queue.put_first(Barrier(1))

    @rule
    def receive(self) -> None:
        """The first is taken."""
        require(not self.queue.is_empty)
        self.queue.take()


@always
def barrier_is_first(lanes: Lanes) -> bool:
    """A barrier is never behind data."""
    when(lanes.queue.holds(Barrier(1)))
    is_first: bool = lanes.queue.head == Barrier
    return is_first


@reachable
def barrier_is_second(lanes: Lanes) -> bool:
    """A barrier is behind something: it never is."""
    is_second: bool = lanes.queue.at(1) == Barrier
    return is_second


# [], D, B, DD, BD. send from the 3 with space, overtake from [] and D, receive from the 4 others.
LANES = Animal(
    Lanes,
    states=5,
    transitions=9,
    depth=2,
    families=(barrier_is_first, barrier_is_second),
    expected={"barrier-is-second": "violated"},
)


class Put(Record):
    """Asks to keep a value."""

    value: bool = part(Bool)


class Clear(Record):
    """Asks to forget it."""


class Register(Protocol):
    """Serves one request at a time."""

    inbox = field(Queue(Union(Put, Clear), 1), ())
    value = field(Option(Bool), Nothing)

    @rule
    def ask_to_put(self, value: bool) -> None:
        """Someone asks to keep a value."""
        require(self.inbox.is_empty)
        self.inbox.put(Put(value))

    @rule
    def ask_to_clear(self) -> None:
        """Someone asks to forget it."""
        require(self.inbox.is_empty)
        self.inbox.put(Clear())

    @rule
    def serve(self) -> None:
        """The request is served."""
        require(not self.inbox.is_empty)
        match self.inbox.take():
            case Put(value=value):
                self.value = value
            case Clear():
                self.value = Nothing


@always
def put_is_put(register: Register) -> bool:
    """A false value is never asked to be kept while true is kept: it is, in three steps."""
    when(register.inbox.head == Put(False))
    return register.value != True  # noqa: E712 - may be Nothing


# inbox in {none, put false, put true, clear} x value in {none, false, true}. 3 ways to ask in each
# of 3 states, one to serve in each of the 9 others. Farthest: a value kept and a request pending.
REGISTER = Animal(
    Register,
    states=12,
    transitions=18,
    depth=3,
    families=(put_is_put,),
    expected={"put-is-put": "violated 3"},
)

QUEUES = (PIPE, LANES, REGISTER)
