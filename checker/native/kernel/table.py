"""The table that finds states: open addressing, places by the upper bits of the hash.

    EXACT       a word an entry: half of the hash, and the number of the state plus one
    COMPRESSED  half a word an entry: the number of the state plus one
    HASHED      a word an entry: the hash, and nothing else

Zero is empty. As places are upper bits, a larger table is filled in the order of the smaller one,
which memory likes: growing costs little.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
# ruff: noqa: PLR0913, PLR0917, SIM110
from .memory import half, inline, publish_half, publish_word, set_half, set_word, word
from .places import (
    COMPRESSED,
    EXACT,
    KEY_WIDTH,
    STORAGE,
    STORE,
    TABLE,
    TABLE_BITS,
)

SEED = -0x61C8864680B583EB
FACTOR = -0x2917014799A6026D
LOW_HALF = 0xFFFFFFFF
ALL_BITS = 64


@inline
def upper(mixed):
    """The upper half of a word, unsigned."""
    return (mixed >> 32) & LOW_HALF


@inline
def mixed_with(found, value):
    """A hash that knows of one more word."""
    found = (found ^ value) * FACTOR
    return found ^ upper(found)


@inline
def hash_of(words, start, width):
    """The hash of the state whose words start there. Never zero, which means empty."""
    found = mixed_with(SEED, word(words, start))
    if width == 2:  # most systems have so many, and a loop over two costs more than they do
        found = mixed_with(found, word(words, start + 1))
    else:
        for i in range(1, width):
            found = mixed_with(found, word(words, start + i))
    found *= FACTOR
    found ^= upper(found)
    return found if found != 0 else 1


@inline
def place_of(mixed, bits):
    """Where a search for the hash begins."""
    return (mixed >> (ALL_BITS - bits)) & ((1 << bits) - 1)


@inline
def is_same(words, at, store, number, width):
    """Whether the state is the stored one."""
    one, other = store + number * width * 8, words + at * width * 8
    if word(one, 0) != word(other, 0):
        return False
    if width == 2:
        return word(one, 1) == word(other, 1)
    for i in range(1, width):
        if word(one, i) != word(other, i):
            return False
    return True


@inline
def find(storage, words, at, width, mixed, start, store, table, bits):
    """The number of a state, and where it is in the table; -1 and where it belongs.

    The search begins at `start`. Hashes have no numbers: what is there is 0.
    """
    mask = (1 << bits) - 1
    place = start
    while True:
        if storage == EXACT:
            entry = word(table, place)
            if entry == 0:
                return -1, place
            if upper(entry) == upper(mixed):
                number = (entry & LOW_HALF) - 1
                if is_same(words, at, store, number, width):
                    return number, place
        elif storage == COMPRESSED:
            entry = half(table, place)
            if entry == 0:
                return -1, place
            if word(store, entry - 1) == word(words, at):
                return entry - 1, place
        else:
            entry = word(table, place)
            if entry == 0:
                return -1, place
            if entry == mixed:
                return 0, place
        place = (place + 1) & mask


@inline
def enter(storage, table, place, mixed, number):
    """Makes a state that is stored known to all threads."""
    if storage == EXACT:
        publish_word(table, place, (upper(mixed) << 32) | (number + 1))
    elif storage == COMPRESSED:
        publish_half(table, place, number + 1)
    else:
        publish_word(table, place, mixed)


def refill(shared, begin, end):
    """Enters stored states, none of them twice."""
    storage, width = word(shared, STORAGE), word(shared, KEY_WIDTH)
    store, table, bits = word(shared, STORE), word(shared, TABLE), word(shared, TABLE_BITS)
    mask = (1 << bits) - 1
    for number in range(begin, end):
        mixed = hash_of(store, number * width, width)
        place = place_of(mixed, bits)
        if storage == COMPRESSED:
            while half(table, place) != 0:
                place = (place + 1) & mask
            set_half(table, place, number + 1)
        else:
            while word(table, place) != 0:
                place = (place + 1) & mask
            if storage == EXACT:
                set_word(table, place, (upper(mixed) << 32) | (number + 1))
            else:
                set_word(table, place, mixed)
    return 0


def move_entries(old, old_bits, table, bits):
    """Fills a larger table whose entries begin with the hash."""
    mask = (1 << bits) - 1
    for i in range(1 << old_bits):
        entry = word(old, i)
        if entry != 0:
            place = place_of(entry, bits)
            while word(table, place) != 0:
                place = (place + 1) & mask
            set_word(table, place, entry)
    return 0
