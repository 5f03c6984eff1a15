"""The hash table that finds states: open addressing, in groups of entries.

    EXACT, COMPRESSED  half a word for each entry: the number of the state plus one, and above it as
                       many bits of the hash as fit: the *tag*
    HASHED             a word for each entry: the hash, or one where that is zero

Zero means empty. A group is what memory brings together, 16 halves or 8 words, and all its entries
are compared at once. The upper bits of a hash name the group where a search begins, and the bits
below them are the tag. Entries of a group are filled in order; a state whose group is full is in
the next one that is not. So a lookup ends at the first group with an empty entry.

A lookup is a random memory access. So entries are small, to fit into the processor's cache, and
hold enough of the hash that different states are seldom compared.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
# ruff: noqa: PLR0913, PLR0917
from .memory import (
    half,
    halves_like,
    inline,
    lowest_bit,
    prefetch,
    product,
    publish_half,
    publish_word,
    set_half,
    set_word,
    word,
    words_like,
)
from .places import EXACT, HASHED, KEY_WIDTH, STORAGE, STORE, TABLE, TABLE_BITS

SEED = -0x61C8864680B583EB
FACTOR = -0x2917014799A6026D
OTHER_SEED = 0x2545F4914F6CDD1D
LOW_HALF = 0xFFFFFFFF
HALF_BITS, ALL_BITS = 32, 64
#: The bits of a hash that a group and a tag have together: 28 of half a word, for 16 in a group.
HALVES_IN_GROUP, WORDS_IN_GROUP, GROUP_BITS = 16, 8, 4
TAG_SHIFT = ALL_BITS - HALF_BITS + GROUP_BITS
#: When a table is filled, memory is asked for an entry so many states ahead.
AHEAD = 24


@inline
def upper(mixed):
    """The upper half of a word, unsigned."""
    return (mixed >> 32) & LOW_HALF


@inline
def hash_of(words, start, width):
    """The hash of the state whose words start there."""
    if width == 1:
        found = product(word(words, start) ^ SEED, FACTOR)
    elif width == 2:  # most systems have so many, and a loop over two costs more than they do
        found = product(word(words, start) ^ SEED, word(words, start + 1) ^ OTHER_SEED)
    else:
        found = SEED
        for i in range(0, width - 1, 2):
            found = product(found ^ word(words, start + i), word(words, start + i + 1) ^ OTHER_SEED)
        if width % 2 != 0:
            found = product(found ^ word(words, start + width - 1), FACTOR)
    return found


@inline
def group_of(storage, mixed, bits):
    """The place in the table of the first entry of the group where a search for the hash begins."""
    size = WORDS_IN_GROUP if storage == HASHED else HALVES_IN_GROUP
    return place_of(mixed, bits) & -size


@inline
def address_of(storage, table, place):
    """The address of an entry."""
    return table + place * (8 if storage == HASHED else 4)


@inline
def place_of(mixed, bits):
    """The upper bits of a hash."""
    return (mixed >> (ALL_BITS - bits)) & ((1 << bits) - 1)


@inline
def is_same(words, at, store, number, width):
    """Whether the state is the stored one."""
    return differing(words, at, store, number, width) == 0


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
def tag_of(mixed, bits):
    """The tag of a hash, where it is in an entry."""
    return ((mixed >> TAG_SHIFT) << number_bits(bits)) & LOW_HALF


@inline
def number_in(entry, bits):
    """The number of the state of an entry that is not empty."""
    return (entry & ((1 << number_bits(bits)) - 1)) - 1


# --- looking up and entering ---------------------------------------------------------------------


@inline
def never_empty(mixed):
    """A hash as it is stored."""
    return mixed if mixed != 0 else 1


@inline
def free_in(storage, line):
    """Which entries of a group are empty."""
    return words_like(line, 0, -1) if storage == HASHED else halves_like(line, 0, -1)


@inline
def like(storage, line, mixed, bits):
    """Which entries of a group may be those of a state with this hash, or are empty."""
    if storage == HASHED:
        return words_like(line, never_empty(mixed), -1)
    return halves_like(line, tag_of(mixed, bits), -1 << number_bits(bits))


@inline
def find(storage, words, at, width, mixed, store, table, bits):
    """The number of a state, and where it is in the table; -1 and where it belongs.

    Hashes have no numbers: what is there is 0.
    """
    size = WORDS_IN_GROUP if storage == HASHED else HALVES_IN_GROUP
    group = group_of(storage, mixed, bits)
    while True:
        line = address_of(storage, table, group)
        free = free_in(storage, line)
        found = like(storage, line, mixed, bits) & ~free
        while found != 0:
            place = group + lowest_bit(found)
            if storage == HASHED:
                return 0, place
            number = number_in(half(table, place), bits)
            if is_same(words, at, store, number, width):
                return number, place
            found &= found - 1
        if free != 0:
            return -1, group + lowest_bit(free)
        group = (group + size) & ((1 << bits) - 1)


@inline
def place_for(storage, table, bits, mixed):
    """Where the state with a hash belongs, which is not in the table."""
    size = WORDS_IN_GROUP if storage == HASHED else HALVES_IN_GROUP
    group = group_of(storage, mixed, bits)
    free = free_in(storage, address_of(storage, table, group))
    while free == 0:
        group = (group + size) & ((1 << bits) - 1)
        free = free_in(storage, address_of(storage, table, group))
    return group + lowest_bit(free)


@inline
def entry_of(mixed, number, bits):
    """The entry of a state."""
    return tag_of(mixed, bits) | (number + 1)


@inline
def enter(storage, table, place, mixed, number, bits):
    """Makes a state that is stored known to all threads."""
    if storage == HASHED:
        publish_word(table, place, never_empty(mixed))
    else:
        publish_half(table, place, entry_of(mixed, number, bits))


def refill(shared, begin, end):
    """Enters stored states, none of them twice."""
    storage, width = word(shared, STORAGE), word(shared, KEY_WIDTH)
    store, table, bits = word(shared, STORE), word(shared, TABLE), word(shared, TABLE_BITS)
    for number in range(begin, end):
        ahead = hash_of(store, min(number + AHEAD, end - 1) * width, width)
        prefetch(address_of(storage, table, group_of(storage, ahead, bits)))
        mixed = hash_of(store, number * width, width)
        enter(storage, table, place_for(storage, table, bits, mixed), mixed, number, bits)
    return 0


def move_entries(shared, old, old_bits):
    """Fills a larger table from an old one."""
    storage, table, bits = word(shared, STORAGE), word(shared, TABLE), word(shared, TABLE_BITS)
    if storage == HASHED:
        for place in range(1 << old_bits):
            mixed = word(old, place)
            if mixed != 0:
                set_word(table, place_for(HASHED, table, bits, mixed), mixed)
        return 0
    size, was_full = HALVES_IN_GROUP, is_full(old, (1 << old_bits) - HALVES_IN_GROUP)
    for group in range(0, 1 << old_bits, size):
        fills_up = was_full or is_full(old, group) or bits != old_bits + 1
        if fills_up or half(table, 2 * group) != 0 or half(table, 2 * group + size) != 0:
            move_group(shared, old, old_bits, group, was_full)
        else:
            divide_group(old, old_bits, group, table)
        was_full = is_full(old, group)
    return 0


@inline
def is_full(table, group):
    """Whether a group has no empty entry."""
    return half(table, group + HALVES_IN_GROUP - 1) != 0


@inline
def divide_group(old, old_bits, group, table):
    """Moves the entries of a group to the two groups that come of it, which are empty.

    The group and the tag of an entry are the upper bits of its hash: one bit of the tag tells
    which of the two it is. No state is read.
    """
    left, right = 2 * group, 2 * group + HALVES_IN_GROUP
    for place in range(group, group + HALVES_IN_GROUP):
        entry = half(old, place)
        if entry == 0:
            break
        number = number_in(entry, old_bits)
        mixed = entry >> old_bits << TAG_SHIFT
        is_right = entry >> (HALF_BITS - 1)
        set_half(table, right if is_right != 0 else left, entry_of(mixed, number, old_bits + 1))
        left, right = left + 1 - is_right, right + is_right


@inline
def move_group(shared, old, old_bits, group, was_full):
    """Moves the entries of a group to wherever they belong. States are read if the group before
    is full: an entry may belong there."""
    store, width = word(shared, STORE), word(shared, KEY_WIDTH)
    table, bits = word(shared, TABLE), word(shared, TABLE_BITS)
    for place in range(group, group + HALVES_IN_GROUP):
        entry = half(old, place)
        if entry == 0:
            break
        number = number_in(entry, old_bits)
        if was_full or bits > HALF_BITS:
            mixed = hash_of(store, number * width, width)
        else:
            mixed = group << (ALL_BITS - old_bits) | entry >> old_bits << TAG_SHIFT
        place_now = place_for(EXACT, table, bits, mixed)
        set_half(table, place_now, entry_of(mixed, number, bits))
