"""A protocol with names that would like to be markup, scripts and orders to a terminal."""

import enum
from collections.abc import Sequence

from finale.model.rules import (
    EMPTY,
    Entity,
    Enum,
    Protocol,
    Queue,
    Ref,
    Set,
    Setting,
    always,
    field,
    require,
    rule,
    when,
)

EVIL = "<script>window.pwned = 1</script>"
IMAGE = '"><img src=x onerror="window.pwned = 1">'


class Mood(enum.Enum):
    """The names of members are shown."""

    CALM = "calm"
    ANGRY = "angry"


Mood.ANGRY._name_ = "</script><script>window.pwned = 1</script>"


class Named(Entity):
    """Somebody."""


class Actor(Named):
    """An actor with a name of its own choice."""

    mood = field(Enum(Mood), Mood.CALM)
    got = field(Set(Ref(Named)), EMPTY, messages="to")


class Pipe(Entity):
    """A channel between two such names."""

    queue = field(Queue(Enum(Mood), 2), ())


class Hostile(Protocol):
    """Two actors and a channel."""

    key = "hostile"

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.one, self.two = Actor(EVIL), Actor(f"{IMAGE}\x1b[2J\u202e#;%%{{init}}")
        self.pipe = Pipe(f"{self.one}→{self.two}")

    def entities(self) -> Sequence[Entity]:
        return (self.one, self.two, self.pipe)

    @rule
    def send(self, actor: Actor) -> None:
        """</script><script>window.pwned = 1</script> is sent."""
        require(self.pipe.queue.has_space, actor == self.one)
        self.pipe.queue.put(Mood.ANGRY)
        actor.got.add(self.two)

    @rule
    def take(self) -> None:
        """It is taken, and <b onmouseover="window.pwned = 1">read</b>."""
        require(not self.pipe.queue.is_empty)
        self.pipe.queue.take()
        self.two.mood = Mood.ANGRY
        self.one.got.clear()


@always
def stays_calm(state: Hostile) -> bool:
    """<img src=x onerror="window.pwned = 1"> stays calm."""
    when(state.one.mood == Mood.CALM)
    return state.two.mood == Mood.CALM


PROTOCOLS = (Hostile,)
VARIANTS: dict[str, type[Hostile]] = {}
PROPERTIES = (stays_calm,)
