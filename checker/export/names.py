"""Chooses a unique identifier for each cell, value, rule and property of an export."""

# pyright: reportUnnecessaryComparison=false
# Domains are invariant in what they hold, so pyright takes no Boolean for a domain of objects.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from finale.model.domains import Boolean, Domain, Enum, Option, Queue, Range, Ref, Set, Union
from finale.model.itf import element_of, keys_of
from finale.model.language.build import shown
from finale.model.system import GroundRule, System

Words = tuple[str, ...]
"""What the values of a cell are called, from its lowest on; empty for plain numbers."""

# Lamport, Specifying Systems, chapter 15; SPIN's manual; C, and macros that its compiler knows.
_TLA = """
    ASSUME ASSUMPTION AXIOM CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS IF IN
    INSTANCE LET LOCAL MODULE OTHER SUBSET THEN THEOREM UNCHANGED UNION VARIABLE VARIABLES WITH
    BOOLEAN STRING TRUE FALSE Nat Int Integers LAMBDA PROOF PROVE QED RECURSIVE WITNESS
"""
_PROMELA = """
    active assert atomic bit bool byte chan d_step d_proctype do else empty enabled eval false fi
    full get_priority hidden if init inline int len local ltl mtype nempty never nfull notrace np_
    od of pc_value pid print printf printm priority proctype provided return run select set_priority
    short show skip step timeout trace true typedef union unless unsigned xr xs always eventually
    until weakuntil stronguntil implies release equivalent next for in goto break
"""
_C = """
    auto case char const continue default double enum extern float long register signed sizeof
    static struct switch void volatile while asm typeof linux unix now uint ushort uchar ulong
"""
#: What means something in each language; in Promela also what does in the C that SPIN writes.
IN_TLA = frozenset(_TLA.split())
IN_PROMELA = frozenset((_PROMELA + _C).split())


class Names:
    """Gives out identifiers, each once. What is `taken` stands for something else."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def unique(self, wanted: str) -> str:
        """An identifier as near to a text as may be."""
        base = identifier(wanted)
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name


def identifier(text: str) -> str:
    """A text with nothing in it but letters, digits and single underscores."""
    text = re.sub(r"[^A-Za-z0-9]+", "_", text.replace("→", " to ")).strip("_") or "it"
    # A name may not begin with a digit, nor with TLA+'s operators for weak and strong fairness.
    return f"n_{text}" if text[0].isdigit() or text[:3] in ("WF_", "SF_") else text


class SystemNames:
    """The identifiers of a system: of its cells, of its variables that have several, its rules,
    its properties, and of the values that are words."""

    def __init__(self, system: System, taken: Iterable[str]) -> None:
        self._names = Names(taken)
        self.cells: list[str] = []
        self.words: list[Words] = []
        for variable in system.variables:
            domain = variable.domain
            for cell, words in zip(domain.cells, words_of(domain), strict=True):
                path = cell.path.replace("?", ".is given")
                self.cells.append(self.unique(variable.name + path))
                self.words.append(words)
        self.variables = [self.unique(variable.name) for variable in system.variables]
        self.rules = [self.unique(_rule_text(each)) for each in system.rules]
        self.properties = [self.unique(prop.name) for prop in system.properties]
        self.values: dict[tuple[str, int], str] = {}

    def unique(self, wanted: str) -> str:
        """A further identifier."""
        return self._names.unique(wanted)

    def value(self, words: Words, value: int) -> str:
        """The identifier of a value that is a word. Those that were asked for are in `values`."""
        key = words[value], value
        if key not in self.values:
            self.values[key] = self.unique(words[value])
        return self.values[key]


def _rule_text(rule: GroundRule) -> str:
    return " ".join([rule.rule.name, *(value for _, value in rule.binding)])


def words_of(domain: Domain[object]) -> Iterator[Words]:
    """Return the names of the values of each cell of a domain."""
    match domain:
        case Boolean() | Range():
            yield ()
        case Enum():
            yield tuple(f"{domain.kind.__name__} {member.name}" for member in domain.members)
        case Ref():
            yield tuple(f"{domain.kind.__name__} {shown(each)}" for each in domain.entities)
        case Option():
            yield ()
            yield from words_of(domain.element)
        case Union():
            yield tuple(f"kind {kind.__name__}" for kind in domain.kinds)
            for _, part in domain.layout.values():
                yield from words_of(part)
        case Set():
            for _ in domain.cells:
                yield ()
        case Queue():
            yield ()
            for _ in range(domain.slots):
                yield from words_of(domain.element)
        case _:
            element = element_of(domain)
            for _ in keys_of(domain):
                yield from words_of(element)
