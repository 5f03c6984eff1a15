"""A search shared by owners: each keeps the states that it owns, and sends the others away.

The hash of a state determines its owner. An owner enters its own successors at once, and puts the
others into boxes, one for each owner. A table of recently sent states prevents most duplicates. A
state that this table has forgotten is sent twice; its owner then finds it in its own table.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .advance import forget_coverage, forget_topics, lacks_room, report
from .batch import expanded, shown
from .graph import quietly_expanded
from .lookup import STEPS, put_in_order
from .memory import byte, half, inline, prefetch, set_word, word
from .places import (
    BATCH,
    CHUNKS,
    EXACT,
    FAULT_BIT,
    FAULT_SHIFT,
    FRESH,
    FRESH_COUNT,
    HAS_SPECIAL,
    HASHES,
    LEAVES,
    MAIL_BOXES,
    MAIL_COUNTS,
    MAIL_OWN,
    MAIL_OWNERS,
    MAIL_ROOM,
    MAIL_SENT,
    MAIL_SENT_BITS,
    OPEN,
    OUT,
    SIZE,
    STARTS,
    STATES,
    STORE,
    TABLE,
    TABLE_BITS,
    TOTAL,
    WIDTH,
)
from .table import address_of, enter, find, group_of, hash_of, is_same, upper

#: Owners are told apart by other bits than places in a table are.
OWNER_FACTOR = -0x3C6EF372FE94F82B


@inline
def owner_of(mixed, owners):
    """Whose the state with this hash is."""
    return (upper(mixed * OWNER_FACTOR) * owners) >> 32


@inline
def copy(words, at, into, place, width):
    """Copies a state."""
    for i in range(width):
        set_word(into, place * width + i, word(words, at * width + i))


@inline
def post(words, at, width, owner, mail):
    """Puts a state into the box of its owner."""
    counts = word(mail, MAIL_COUNTS)
    count = word(counts, owner)
    copy(words, at, word(mail, MAIL_BOXES), owner * word(mail, MAIL_ROOM) + count, width)
    set_word(counts, owner, count + 1)


@inline
def fullest(mail):
    """How many states are in the fullest box."""
    most = 0
    for owner in range(word(mail, MAIL_OWNERS)):
        most = max(most, word(word(mail, MAIL_COUNTS), owner))
    return most


@inline
def enter_new(shared, words, at, mixed, width):
    """Enters a state, unless it is known."""
    store, table, bits = word(shared, STORE), word(shared, TABLE), word(shared, TABLE_BITS)
    number, place = find(EXACT, words, at, width, mixed, store, table, bits)
    if number < 0:
        states = word(shared, STATES)
        copy(words, at, store, states, width)
        enter(EXACT, table, place, mixed, states, bits)
        set_word(shared, STATES, states + 1)


def forget_sent(mail, width):
    """An entry of the table is a state that belongs there, or, if none was sent, one that does not.

    Zeros are such a one, but for the entry where the state of zeros belongs.
    """
    sent, mask = word(mail, MAIL_SENT), (1 << word(mail, MAIL_SENT_BITS)) - 1
    for place in range((mask + 1) * width):
        set_word(sent, place, 0)
    place = hash_of(sent, 0, width) & mask
    while hash_of(sent, place * width, width) & mask == place:
        set_word(sent, place * width, word(sent, place * width) + 1)
    return 0


def sort_out(mail, words, width, begin, end):
    """Puts states into the boxes of their owners. Says up to which there was room."""
    for at in range(begin, end):
        owner = owner_of(hash_of(words, at * width, width), word(mail, MAIL_OWNERS))
        if word(word(mail, MAIL_COUNTS), owner) == word(mail, MAIL_ROOM):
            return at
        post(words, at, width, owner, mail)
    return end


def receive(shared, words, begin, end):
    """Enters those states that are not known yet. Says up to which there was room."""
    width, table, bits = word(shared, WIDTH), word(shared, TABLE), word(shared, TABLE_BITS)
    while begin < end:
        stop = min(begin + STEPS, end)
        if lacks_room(shared, stop - begin):
            return begin
        for at in range(begin, stop):
            mixed = hash_of(words, at * width, width)
            prefetch(address_of(EXACT, table, group_of(EXACT, mixed, bits)))
        for at in range(begin, stop):
            enter_new(shared, words, at, hash_of(words, at * width, width), width)
        begin = stop
    return end


def send(shared, own, begin, end, mail):
    """Expands states. Says up to which there was room: for new ones, and in all boxes."""
    forget_coverage(shared, own)
    forget_topics(shared, own)
    while begin < end:
        size = min(BATCH, end - begin)
        expanded(shared, own, begin, size)
        total = word(own, TOTAL)
        if lacks_room(shared, total) or fullest(mail) + total > word(mail, MAIL_ROOM):
            return begin
        set_word(own, HAS_SPECIAL, 0)
        set_word(own, FRESH_COUNT, 0)
        put_in_order(shared, own)
        for first in range(0, total, STEPS):
            last = min(first + STEPS, total)
            look_ahead(shared, own, first, last, mail)
            deliver(shared, own, first, last, mail)
        shown(shared, own)
        report(shared, own, begin, OPEN)
        begin += size
    return end


@inline
def look_ahead(shared, own, first, last, mail):
    """Hashes steps, asks memory for where they will be looked up, and sees if any is special."""
    width, table, bits = word(shared, WIDTH), word(shared, TABLE), word(shared, TABLE_BITS)
    out, leaves, hashes, fresh = (
        word(own, OUT), word(own, LEAVES), word(own, HASHES), word(own, FRESH),
    )  # fmt: skip
    sent, mask = word(mail, MAIL_SENT), (1 << word(mail, MAIL_SENT_BITS)) - 1
    owners, this, special = word(mail, MAIL_OWNERS), word(mail, MAIL_OWN), 0
    for step in range(first, last):
        leaf = half(leaves, step)
        special |= byte(fresh, leaf & (FAULT_BIT - 1)) | leaf >> FAULT_SHIFT
        mixed = hash_of(out, step * width, width)
        set_word(hashes, step, mixed)
        is_own = owner_of(mixed, owners) == this
        there = sent + (mixed & mask) * width * 8
        here = address_of(EXACT, table, group_of(EXACT, mixed, bits))
        prefetch(here if is_own else there)
    set_word(own, HAS_SPECIAL, word(own, HAS_SPECIAL) | special)


@inline
def deliver(shared, own, first, last, mail):
    """Enters steps to states of one's own, and puts the others into boxes if need be."""
    out, leaves, hashes = word(own, OUT), word(own, LEAVES), word(own, HASHES)
    sent, mask = word(mail, MAIL_SENT), (1 << word(mail, MAIL_SENT_BITS)) - 1
    owners, this, width = word(mail, MAIL_OWNERS), word(mail, MAIL_OWN), word(shared, WIDTH)
    for step in range(first, last):
        if half(leaves, step) >= FAULT_BIT:
            continue
        mixed = word(hashes, step)
        owner = owner_of(mixed, owners)
        if owner == this:
            enter_new(shared, out, step, mixed, width)
        elif not is_same(out, step, sent, mixed & mask, width):
            copy(out, step, sent, mixed & mask, width)
            post(out, step, width, owner, mail)


def leads_into(shared, own, begin, end, masks, marks):
    """For each of the states begin..end of the store, the union of the masks of known states that
    its steps lead to. The states themselves need not be known."""
    width, bits = word(shared, WIDTH), word(shared, TABLE_BITS)
    store, table = word(shared, STORE), word(shared, TABLE)
    out, leaves, starts = word(own, OUT), word(own, LEAVES), word(own, STARTS)
    for head in range(begin, end, BATCH):
        quietly_expanded(shared, own, head, min(BATCH, end - head))
        for i in range(word(own, SIZE)):
            found = 0
            for chunk in range(word(shared, CHUNKS)):
                row = chunk * (BATCH + 1) + i
                for step in range(word(starts, row), word(starts, row + 1)):
                    if half(leaves, step) >= FAULT_BIT:
                        continue
                    mixed = hash_of(out, step * width, width)
                    number, _ = find(EXACT, out, step, width, mixed, store, table, bits)
                    if number >= 0:
                        found |= word(masks, number)
            set_word(marks, head - begin + i, found)
    return 0
