"""The steps of a batch looked up: which of them may lead to new states.

This is where a search spends its time, so these loops do nothing else, a step at a time in the
order of memory. Memory is asked ahead, first for the table and then for what it points to.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .memory import byte, half, inline, prefetch, set_word, word
from .places import (
    BATCH,
    CANDIDATE_COUNT,
    CANDIDATES,
    CHUNKS,
    COMPRESSED,
    EXACT,
    FAULT_BIT,
    FRESH,
    HAS_SPECIAL,
    HASHES,
    KEY_WIDTH,
    LEAVES,
    OUT,
    SIZE,
    STARTS,
    STORAGE,
    STORE,
    TABLE,
    TABLE_BITS,
    TOTAL,
    UNORDERED,
)
from .table import LOW_HALF, find, hash_of, place_of, upper


@inline
def hash_ahead(shared, own):
    """Hashes all steps of a batch, and asks memory for what they will be compared with."""
    storage, width, total = word(shared, STORAGE), word(shared, KEY_WIDTH), word(own, TOTAL)
    store, table, bits = word(shared, STORE), word(shared, TABLE), word(shared, TABLE_BITS)
    out, hashes = word(own, OUT), word(own, HASHES)
    size = 4 if storage == COMPRESSED else 8
    for step in range(total):
        mixed = hash_of(out, step * width, width)
        set_word(hashes, step, mixed)
        prefetch(table + place_of(mixed, bits) * size)
    if storage == EXACT:
        for step in range(total):
            mixed = word(hashes, step)
            entry = word(table, place_of(mixed, bits))
            if upper(entry) == upper(mixed):
                prefetch(store + ((entry & LOW_HALF) - 1) * width * 8)
    elif storage == COMPRESSED:
        for step in range(total):
            entry = half(table, place_of(word(hashes, step), bits))
            prefetch(store + (entry - 1) * 8)


@inline
def look_up(shared, own):
    """Lists the steps to states that are not in the table, and whether any step is special: a
    fault, or of a leaf that has branches which nobody took yet."""
    storage = word(shared, STORAGE)
    if storage == EXACT:
        look_up_in(EXACT, shared, own)
    elif storage == COMPRESSED:
        look_up_in(COMPRESSED, shared, own)
    else:
        look_up_in(storage, shared, own)
    put_in_order(shared, own)


@inline
def look_up_in(storage, shared, own):
    """The loop, for one kind of table."""
    width, total = word(shared, KEY_WIDTH), word(own, TOTAL)
    store, table, bits = word(shared, STORE), word(shared, TABLE), word(shared, TABLE_BITS)
    out, leaves, hashes = word(own, OUT), word(own, LEAVES), word(own, HASHES)
    fresh, found, count, special = word(own, FRESH), word(own, UNORDERED), 0, 0
    for step in range(total):
        leaf = half(leaves, step)
        special |= byte(fresh, leaf & (FAULT_BIT - 1))
        if leaf >= FAULT_BIT:
            special = 1
            continue
        mixed = word(hashes, step)
        number, place = find(
            storage, out, step, width, mixed, place_of(mixed, bits), store, table, bits
        )
        set_word(found, 2 * count, step)
        set_word(found, 2 * count + 1, place)
        count += number < 0
    set_word(own, CANDIDATE_COUNT, count)
    set_word(own, HAS_SPECIAL, special)


@inline
def put_in_order(shared, own):
    """Orders what was found by state and then by rule; in memory it is by chunk, then by state."""
    chunks, count = word(shared, CHUNKS), word(own, CANDIDATE_COUNT)
    starts, found, candidates = word(own, STARTS), word(own, UNORDERED), word(own, CANDIDATES)
    cursors = candidates + 2 * count * 8  # there is room behind for one word a chunk
    at = 0
    for chunk in range(chunks):
        set_word(cursors, chunk, at)
        end = word(starts, chunk * (BATCH + 1) + word(own, SIZE))
        while at < count and word(found, 2 * at) < end:
            at += 1
    ordered = 0
    for i in range(word(own, SIZE)):
        for chunk in range(chunks):
            end, at = word(starts, chunk * (BATCH + 1) + i + 1), word(cursors, chunk)
            while at < count and word(found, 2 * at) < end:
                set_word(candidates, 2 * ordered, word(found, 2 * at))
                set_word(candidates, 2 * ordered + 1, word(found, 2 * at + 1))
                ordered += 1
                at += 1
            set_word(cursors, chunk, at)
