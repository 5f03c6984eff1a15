"""An animal of the zoo whose ids are given again: what properties say of them."""

import enum
from collections.abc import Sequence

from finale.model.language.guards import Limit
from finale.model.language.renaming import retire
from finale.model.rules import (
    WEAK,
    Entity,
    Enum,
    Protocol,
    Setting,
    always,
    before,
    field,
    leads_to,
    on_step,
    reachable,
    require,
    rule,
    step,
    when,
    within,
)
from tests.zoo.animal import Animal


class Turn(enum.Enum):
    """How far a ticket is."""

    UNUSED = "unused"
    WAITING = "waiting"
    SERVED = "served"


class Ticket(Entity):
    """One of two tickets that are in use."""

    turn = field(Enum(Turn), Turn.UNUSED)


class TicketOffice(Protocol):
    """Serves tickets in any order; a ticket that is served is thrown away when one is needed."""

    only = Limit(2, "tickets")

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.tickets = (Ticket("one"), Ticket("two"))

    def entities(self) -> Sequence[Entity]:
        return self.tickets

    @property
    def gives_ids_again(self) -> bool:
        return True

    @rule(fair=WEAK)
    def draw(self) -> None:
        """Somebody draws the next ticket."""
        self.make_room()
        one, two = self.tickets
        within(2 if two.turn != Turn.UNUSED else 1, self.only)
        if one.turn == Turn.UNUSED:
            one.turn = Turn.WAITING
        else:
            two.turn = Turn.WAITING

    @step
    def make_room(self) -> None:
        """The oldest ticket that is served is thrown away."""
        for ticket in self.tickets:
            if self.tickets[-1].turn != Turn.UNUSED and ticket.turn == Turn.SERVED:
                retire(ticket, Ticket)

    @rule(fair=WEAK)
    def serve(self, ticket: Ticket) -> None:
        """A ticket is served."""
        require(ticket.turn == Turn.WAITING)
        ticket.turn = Turn.SERVED


@on_step
def served_once(office: TicketOffice, ticket: Ticket) -> bool:
    """What has been served does not wait again."""
    when(before(lambda: ticket.turn == Turn.SERVED))
    return ticket.turn == Turn.SERVED


@on_step
def drawn_is_not_served(office: TicketOffice, ticket: Ticket) -> bool:
    """A ticket waits when it is drawn."""
    when(before(lambda: ticket.turn == Turn.UNUSED) and ticket.turn != Turn.UNUSED)
    return ticket.turn == Turn.WAITING


@on_step
def served_in_order(office: TicketOffice, older: Ticket, newer: Ticket) -> bool:
    """Who comes first is served first."""
    when(older < newer and before(lambda: newer.turn == Turn.WAITING))
    when(newer.turn == Turn.SERVED)
    return older.turn == Turn.SERVED


@leads_to
def waiting_is_served(office: TicketOffice, ticket: Ticket) -> bool:
    """Who waits is served."""
    when(ticket.turn == Turn.WAITING)
    return ticket.turn == Turn.SERVED


@leads_to
def served_waits_again(office: TicketOffice, ticket: Ticket) -> bool:
    """Who was served waits again."""
    when(ticket.turn == Turn.SERVED)
    return ticket.turn == Turn.WAITING


@leads_to
def somebody_is_served(office: TicketOffice) -> bool:
    """If somebody waits, somebody is served."""
    when(any(ticket.turn == Turn.WAITING for ticket in office.tickets))
    return any(ticket.turn == Turn.SERVED for ticket in office.tickets)


@reachable(of_all_ids=True)
def one_was_enough(office: TicketOffice) -> bool:
    """All have been served with one ticket."""
    return sum(ticket.turn == Turn.SERVED for ticket in office.tickets) == 1


@always(of_all_ids=True)
def served_after_another(office: TicketOffice, ticket: Ticket) -> bool:
    """Before who is served another one was drawn."""
    when(ticket.turn == Turn.SERVED)
    return any(other < ticket for other in office.tickets)


# The turns of both, U, W or S: UU, WU, SU, WW, SW, WS, SS. Draw: UU to WU, WU to WW, SU to SW; the
# oldest served one is thrown away from SW and WS, to WW, and from SS, to SW; in WW only the bound
# is in the way. Serve: WU 1, WW 2, SW 1, WS 1. Together 6 + 5. SS is reached last, after 4 steps.
# To WS lead 3 steps: draw, draw, serve two. When SW becomes WW, ticket two becomes ticket one while
# it still waits; when it is thrown away who was served has a name no more.
OFFICE = Animal(
    TicketOffice,
    states=7,
    transitions=11,
    depth=4,
    families=(
        served_once,
        drawn_is_not_served,
        served_in_order,
        waiting_is_served,
        served_waits_again,
        somebody_is_served,
        one_was_enough,
        served_after_another,
    ),
    expected={
        "served-in-order": "violated 3",
        "waiting-is-served": "not-asked",
        "served-waits-again": "not-asked",
        "one-was-enough": "not-asked",
        "served-after-another": "not-asked",
    },
)

RECYCLED = (OFFICE,)
