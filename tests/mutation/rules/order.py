"""The order in which specs meet a mutant, so that one that tells it comes early.

First comes the spec that is known to tell it. The others come by turns from two lists. In one,
those are first that have most of what the changed function names: its options, bounds, kinds of
vertices and observed history. In the other the small ones are first, and of each option, bound and
kind some.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path

from finale.checker.review.order import features_of, rounds, words_of
from tests.mutation.mutants import ROOT, Mutant
from tests.mutation.rules.trials import SPECS, Trial

#: Which spec tells a mutant that other specs do not, by the mutant's id.
TELLING = Path(__file__).parent / "telling.toml"
#: How many states a spec of the first round has at most; of the next one twice as many.
STATES_FIRST = 1_000


def ordered(mutant: Mutant, known: Sequence[Trial]) -> list[Trial]:
    """The specs that a mutant meets, those first that are likely to tell it."""
    told = [each for each in known if each.name == telling().get(mutant.id)]
    named = _text_of(mutant.file, mutant.function)

    def rank(trial: Trial) -> tuple[int, int]:
        return -sum(word in named for word in _words(trial.name)), trial.states

    turns = zip(sorted(known, key=rank), _rounds(known), strict=True)
    return list({each.name: each for each in chain(told, *turns)}.values())


@cache
def telling() -> dict[str, str]:
    """By mutants: the spec that is met first."""
    return tomllib.loads(TELLING.read_text(encoding="utf-8"))


def _rounds(known: Sequence[Trial]) -> Iterator[Trial]:
    return rounds(
        known,
        lambda each: (each.states, each.name),
        lambda each: _features(each.name),
        STATES_FIRST,
    )


@cache
def _features(spec: str) -> frozenset[str]:
    return features_of(_table(spec))


@cache
def _words(spec: str) -> frozenset[str]:
    return words_of(_table(spec))


@cache
def _table(spec: str) -> Mapping[str, object]:
    return tomllib.loads((SPECS / f"{spec}.toml").read_text(encoding="utf-8"))


@cache
def _text_of(file: str, function: str) -> str:
    source = (ROOT / file).read_text(encoding="utf-8")
    node: ast.AST = ast.parse(source)
    for name in filter(None, function.split(".")):
        inside = ast.iter_child_nodes(node)
        node = next(each for each in inside if getattr(each, "name", "") == name)
    return (ast.get_source_segment(source, node) or "").lower()
