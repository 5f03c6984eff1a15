"""Looks up the steps of a batch, to find those that may lead to new states.

A search spends most of its time here, so these loops have no branch that depends on a state. Each
loop goes through a list and writes every element to the ends of the next lists; whether an end then
moves depends on the state. A wrongly predicted branch would cost more than the extra writes.
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
    FAULT_BIT,
    FAULT_SHIFT,
    FRESH,
    HAS_SPECIAL,
    HASHED,
    HASHES,
    KEY_WIDTH,
    LEAVES,
    MATCHES,
    OUT,
    PLACES,
    PROBES,
    RULES_MAX,
    SIZE,
    STARTS,
    STORAGE,
    STORE,
    TABLE,
    TABLE_BITS,
    TOTAL,
)
from .table import differing, hash_of, may_be, number_in, place_of

#: So many steps at a time: what memory brings for them stays in a near cache.
STEPS = 512
#: A probe is a place in the table, times this, plus a step.
PLACE = BATCH * RULES_MAX


@inline
def look_up(shared, own):
    """Lists the steps to states that are not in the table, and whether any step is special: a
    fault, or of a leaf that has branches which nobody took yet."""
    if word(shared, STORAGE) == HASHED:
        look_up_in(HASHED, shared, own)
    else:
        look_up_in(0, shared, own)
    put_in_order(shared, own)


@inline
def look_up_in(storage, shared, own):
    """Fills in PLACES, for one kind of table."""
    begin, total = 0, word(own, TOTAL)
    set_word(own, HAS_SPECIAL, 0)
    while begin < total:
        end = min(begin + STEPS, total)
        count = begin_probes(storage, shared, own, begin, end)
        while count > 0:
            matches = probe(storage, shared, own, count)
            count = compare(storage, shared, own, matches)
        begin = end


@inline
def begin_probes(storage, shared, own, begin, end):
    """Hashes steps, and asks memory for the entries where their probes begin. Says how many."""
    width, table, bits = word(shared, KEY_WIDTH), word(shared, TABLE), word(shared, TABLE_BITS)
    out, leaves, hashes = word(own, OUT), word(own, LEAVES), word(own, HASHES)
    fresh, probes, places = word(own, FRESH), word(own, PROBES), word(own, PLACES)
    special, count, size = 0, 0, 8 if storage == HASHED else 4
    for step in range(begin, end):
        leaf = half(leaves, step)
        is_fault = leaf >> FAULT_SHIFT
        special |= byte(fresh, leaf & (FAULT_BIT - 1)) | is_fault
        mixed = hash_of(out, step * width, width)
        place = place_of(mixed, bits)
        prefetch(table + place * size)
        set_word(hashes, step, mixed)
        set_word(places, step, -1)
        set_word(probes, count, place * PLACE + step)
        count += 1 - is_fault
    set_word(own, HAS_SPECIAL, word(own, HAS_SPECIAL) | special)
    return count


@inline
def probe(storage, shared, own, count):
    """Follows probes until each has found an empty entry, or one that may be that of its state.

    Says how many of the latter there are.
    """
    table, bits = word(shared, TABLE), word(shared, TABLE_BITS)
    mask = (1 << bits) - 1
    hashes, places = word(own, HASHES), word(own, PLACES)
    probes, matches, matched = word(own, PROBES), word(own, MATCHES), 0
    while count > 0:
        left = 0
        for i in range(count):
            at = word(probes, i)
            step, place = at & (PLACE - 1), at // PLACE & mask
            mixed = word(hashes, step)
            if storage == HASHED:
                entry = word(table, place)
                is_taken = 1 if entry != 0 else 0
                is_match = 1 if entry == mixed else 0
            else:
                entry = half(table, place)
                is_taken = 1 if entry != 0 else 0
                is_match = is_taken if may_be(entry, mixed, bits) else 0
            set_word(places, step, -1 if is_taken else place)
            set_word(matches, matched, at)
            matched += is_match
            set_word(probes, left, at + PLACE)
            left += is_taken - is_match
        count = left
    return matched


@inline
def compare(storage, shared, own, count):
    """Compares states with those that they may be. Says how many probes have to go on."""
    table, bits = word(shared, TABLE), word(shared, TABLE_BITS)
    width, store, mask = word(shared, KEY_WIDTH), word(shared, STORE), (1 << bits) - 1
    out, probes, matches, left = word(own, OUT), word(own, PROBES), word(own, MATCHES), 0
    if storage == HASHED:
        return 0
    for i in range(count):
        at = word(matches, i)
        step, place = at & (PLACE - 1), at // PLACE & mask
        number = number_in(half(table, place), bits)
        set_word(probes, left, at + PLACE)
        left += 1 if differing(out, step, store, number, width) != 0 else 0
    return left


@inline
def put_in_order(shared, own):
    """Lists what may be new by state and then by rule; in memory it is by chunk, then by state."""
    chunks, starts, count = word(shared, CHUNKS), word(own, STARTS), 0
    if chunks == 1:
        count = list_new(own, 0, word(own, TOTAL), 0)
    else:
        for i in range(word(own, SIZE)):
            for chunk in range(chunks):
                row = chunk * (BATCH + 1) + i
                count = list_new(own, word(starts, row), word(starts, row + 1), count)
    set_word(own, CANDIDATE_COUNT, count)


@inline
def list_new(own, begin, end, count):
    """Lists those of some steps that may be new. Says how many are listed then."""
    places, candidates = word(own, PLACES), word(own, CANDIDATES)
    for step in range(begin, end):
        place = word(places, step)
        set_word(candidates, 2 * count, step)
        set_word(candidates, 2 * count + 1, place)
        count += 1 if place >= 0 else 0
    return count
