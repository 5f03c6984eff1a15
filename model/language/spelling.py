"""Decides whether one name of a rule is a misspelling of another name."""

from __future__ import annotations

#: A shorter word is as likely another one: `get` is not `set` misspelt.
LETTERS_MIN = 4


def is_misspelt(name: str, meant: str) -> bool:
    """Whether two names differ as by a slip: in one letter of one word, in case, or in underscores.

    Words that differ in numbers are meant to differ: `phase1` is not `phase2` misspelt.
    """
    if name == meant:
        return False
    if name.replace("_", "").casefold() == meant.replace("_", "").casefold():
        return True
    ones, others = name.split("_"), meant.split("_")
    if len(ones) != len(others):
        return False
    different = [pair for pair in zip(ones, others, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and _is_slip(*different[0])


def _is_slip(one: str, other: str) -> bool:
    """Whether a letter is too many, missing, or wrong, or two are exchanged."""
    if max(len(one), len(other)) < LETTERS_MIN:
        return False
    begin = 0
    while begin < min(len(one), len(other)) and one[begin] == other[begin]:
        begin += 1
    one, other = one[begin:], other[begin:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    if not (one + other).isalpha():
        return False
    is_exchanged = len(one) == 2 and one == other[::-1]
    return is_exchanged or max(len(one), len(other)) == 1
