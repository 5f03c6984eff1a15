"""One tiny system of the zoo, with what is known of it by hand."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from finale.model.language.properties import Family
from finale.model.language.protocol import Protocol
from finale.model.rules import Setting


@dataclass(frozen=True)
class Animal:
    """A protocol with the counts and verdicts that its comment derives.

    `expected` has a word a property, and the steps of the trace if there is one: "violated 3".
    Rows that are not named hold.
    """

    kind: type[Protocol]
    states: int
    transitions: int
    depth: int
    families: tuple[Family, ...] = ()
    expected: Mapping[str, str] = field(default_factory=dict[str, str])
    setting: Setting = field(default_factory=Setting)

    def make(self) -> Protocol:
        return self.kind(self.setting)

    def __str__(self) -> str:
        return self.kind.__name__
