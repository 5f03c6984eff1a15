"""The hash table that finds states: open addressing, indexed by the upper bits of the hash.

    EXACT, COMPRESSED  half a word for each entry: the number of the state plus one, and above it as
                       many of the lower bits of the hash as fit
    HASHED             a word for each entry: the hash, and nothing else

Zero means empty. A lookup is a random memory access, and these accesses limit the speed of a
search. So entries are small, to fit into the processor's cache, and hold enough of the hash that
different states are seldom compared.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
# ruff: noqa: PLR0913, PLR0917, SIM110
from .memory import (
    half,
    inline,
    prefetch,
    publish_half,
    publish_word,
    set_half,
    set_word,
    swapped_half,
    word,
)
from .places import HASHED, KEY_WIDTH, STORAGE, STORE, TABLE, TABLE_BITS

SEED = -0x61C8864680B583EB
FACTOR = -0x2917014799A6026D
LOW_HALF = 0xFFFFFFFF
HALF_BITS, ALL_BITS = 32, 64
#: When a table is filled, memory is asked for an entry so many states ahead.
AHEAD = 24


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
def differing(words, at, store, number, width):
    """The bits in which a state differs from the stored one; zero if it is the same."""
    one, other = store + number * width * 8, words + at * width * 8
    found = word(one, 0) ^ word(other, 0)
    if width == 2:
        return found | (word(one, 1) ^ word(other, 1))
    for i in range(1, width):
        found |= word(one, i) ^ word(other, i)
    return found


# --- entries that name a state -------------------------------------------------------------------


@inline
def number_bits(bits):
    """How many bits of an entry are the number."""
    return min(bits, HALF_BITS)


@inline
def entry_of(mixed, number, bits):
    """The entry of a state."""
    return ((mixed << number_bits(bits)) & LOW_HALF) | (number + 1)


@inline
def number_in(entry, bits):
    """The number of the state of an entry that is not empty."""
    return (entry & ((1 << number_bits(bits)) - 1)) - 1


@inline
def may_be(entry, mixed, bits):
    """Whether an entry that is not empty may be that of a state with this hash."""
    shift = number_bits(bits)
    return ((entry ^ (mixed << shift)) & LOW_HALF) >> shift == 0


# --- looking up and entering ---------------------------------------------------------------------


@inline
def find(storage, words, at, width, mixed, start, store, table, bits):
    """The number of a state, and where it is in the table; -1 and where it belongs.

    The search begins at `start`. Hashes have no numbers: what is there is 0.
    """
    mask = (1 << bits) - 1
    place = start
    while True:
        if storage == HASHED:
            entry = word(table, place)
            if entry == 0:
                return -1, place
            if entry == mixed:
                return 0, place
        else:
            entry = half(table, place)
            if entry == 0:
                return -1, place
            if may_be(entry, mixed, bits):
                number = number_in(entry, bits)
                if is_same(words, at, store, number, width):
                    return number, place
        place = (place + 1) & mask


@inline
def enter(storage, table, place, mixed, number, bits):
    """Makes a state that is stored known to all threads."""
    if storage == HASHED:
        publish_word(table, place, mixed)
    else:
        publish_half(table, place, entry_of(mixed, number, bits))


def refill(shared, begin, end, are_several):
    """Enters stored states, none of them twice. Several threads may do so, each its own states."""
    storage, width = word(shared, STORAGE), word(shared, KEY_WIDTH)
    store, table, bits = word(shared, STORE), word(shared, TABLE), word(shared, TABLE_BITS)
    mask, size = (1 << bits) - 1, 8 if storage == HASHED else 4
    for number in range(begin, end):
        ahead = min(number + AHEAD, end - 1)
        prefetch(table + place_of(hash_of(store, ahead * width, width), bits) * size)
        mixed = hash_of(store, number * width, width)
        place = place_of(mixed, bits)
        if storage == HASHED:
            while word(table, place) != 0:
                place = (place + 1) & mask
            set_word(table, place, mixed)
            continue
        entry = entry_of(mixed, number, bits)
        if are_several:
            while not swapped_half(table, place, 0, entry):
                place = (place + 1) & mask
        else:
            while half(table, place) != 0:
                place = (place + 1) & mask
            set_half(table, place, entry)
    return 0


def move_entries(old, old_bits, table, bits):
    """Fills a larger table of hashes, whose states need not be read for that."""
    mask = (1 << bits) - 1
    for i in range(1 << old_bits):
        entry = word(old, i)
        if entry != 0:
            place = place_of(entry, bits)
            while word(table, place) != 0:
                place = (place + 1) & mask
            set_word(table, place, entry)
    return 0
