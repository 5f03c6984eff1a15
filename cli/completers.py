"""Names for shell completion: protocols, variants, properties, rules, releases.

A shell asks for them when the user presses TAB. They are the names of this package: a folder of
`--protocols` is code, and no code of the user's runs while a line is only being typed. Each import
is inside its function, since a shell waits for the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from finale.checker.search.verdict import NO_DEADLOCK, WELL_FORMED

if TYPE_CHECKING:
    from cyclopts.completion import CompletionContext

PROTOCOL = "final-checkpoint"
"""The protocol that a command means if none is named."""

Names = list[tuple[str, str]]
"""Names, each with a few words about it."""


def properties(_: CompletionContext) -> Names:
    """All properties, with their sentences."""
    from finale.model.properties.registry import PROPERTIES

    built_in = [(name, "asked of every spec") for name in (WELL_FORMED, NO_DEADLOCK)]
    return [*built_in, *((family.name, family.sentence) for family in PROPERTIES)]


def protocols(_: CompletionContext) -> list[str]:
    """All protocols."""
    from finale.model.protocols.registry import PROTOCOLS

    return [entry.key for entry in PROTOCOLS]


def variants(context: CompletionContext) -> list[str]:
    """The variants of the protocol on the line; without one, all variants."""
    from finale.model.protocols.registry import PROTOCOLS

    given = _given(context, "--of")
    entries = [entry for entry in PROTOCOLS if given in (None, entry.key)]
    return [variant for entry in entries for variant in entry.variants]


def rules(context: CompletionContext) -> Names:
    """The rules of the protocol on the line, with their sentences; without one, of the default."""
    from finale.checker.spec.catalogue import catalogue
    from finale.model.language.build import rule_names, rule_of

    kind = catalogue().protocol(_given(context, "--of") or PROTOCOL)
    return [(name, rule_of(kind, name).sentence) for name in rule_names(kind)]


def releases(_: CompletionContext) -> Names:
    """All releases of Flink."""
    from finale.model.protocols.releases import RELEASES

    return [("all", "every release"), *((each.key, each.name) for each in RELEASES)]


def _given(context: CompletionContext, flag: str) -> str | None:
    """What the line has for a flag."""
    found = context.get(flag)
    return found.raw if found is not None else None


__all__ = ["properties", "protocols", "releases", "rules", "variants"]
