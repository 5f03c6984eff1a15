"""Looks up the steps of a batch, to find those that may lead to new states.

A search spends most of its time here, so no loop over steps has a branch that depends on a state: a
wrongly predicted branch would cost more than it saves. Such a loop writes every element to the end
of a list; whether the end then moves depends on the state.

    put_in_order  lists the steps by state, then by rule
    sift          hashes steps, and leaves out those to where another step of the batch leads
    compare       compares what is left with the table

Most steps to new states are left out by `sift`: states that are expanded together have successors
in common. For that it needs no memory but what the batch has just written.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .batch import key_of, makes_progress
from .memory import byte, half, inline, lowest_bit, prefetch, set_half, set_word, word
from .places import (
    BATCH,
    CANDIDATE_COUNT,
    CANDIDATES,
    CHUNKS,
    FAULT_BIT,
    FAULT_SHIFT,
    FRESH,
    FRESH_COUNT,
    FRESH_STEPS,
    HAS_SPECIAL,
    HASHED,
    IN_ORDER,
    KEY_WIDTH,
    LEAVES,
    OUT,
    RECENT,
    RECENT_BITS,
    RULES_IN_CHUNK,
    SIFTED,
    SIZE,
    STARTS,
    STORAGE,
    STORE,
    STUCK,
    STUCK_COUNT,
    TABLE,
    TABLE_BITS,
    TOTAL,
)
from .table import (
    HALVES_IN_GROUP,
    address_of,
    differing,
    free_in,
    group_of,
    hash_of,
    like,
    number_in,
)

#: So many steps at a time: what memory brings for them stays in a near cache.
STEPS = 512


@inline
def look_up(shared, own):
    """Lists the steps to states that are not in the table, and those of leaves that have branches
    which nobody took yet. Tells whether any step is special: a fault."""
    set_word(own, HAS_SPECIAL, 0)
    set_word(own, FRESH_COUNT, 0)
    set_word(own, CANDIDATE_COUNT, 0)
    first = put_in_order(shared, own)
    storage, width = word(shared, STORAGE), word(shared, KEY_WIDTH)
    if first == word(own, TOTAL):
        return
    if storage == HASHED:
        look_up_in(HASHED, width, shared, own, first)
    elif width == 1:
        look_up_in(0, 1, shared, own, first)
    elif width == 2:
        look_up_in(0, 2, shared, own, first)
    elif width == 3:
        look_up_in(0, 3, shared, own, first)
    else:
        look_up_in(0, width, shared, own, first)


@inline
def put_in_order(shared, own):
    """Lists steps by state and then by rule; in memory they are by chunk, then by state.

    Says where in the list the first step is that is no fault. Lists states that may be stuck, too:
    all but those whose first step is of a rule that makes progress, and leads to another state.
    """
    chunks, starts, width = word(shared, CHUNKS), word(own, STARTS), word(shared, KEY_WIDTH)
    out, leaves, steps, count = word(own, OUT), word(own, LEAVES), word(own, IN_ORDER), 0
    stuck, stuck_count, here = word(own, STUCK), 0, key_of(shared, own, 0)
    for i in range(word(own, SIZE)):
        begin_of_state = count
        for chunk in range(chunks):
            row = chunk * (BATCH + 1) + i
            begin = word(starts, row)
            for more in range(RULES_IN_CHUNK):  # at once, and those too many are written over
                set_half(steps, count + more, begin + more)
            count += word(starts, row + 1) - begin
        set_half(stuck, stuck_count, i)
        stuck_count += 1
        if count > begin_of_state:  # nearly always
            step = half(steps, begin_of_state)
            is_changed = 1 if differing(out, step, here, i, width) != 0 else 0
            leaf = half(leaves, step) & (FAULT_BIT - 1)
            stuck_count -= is_changed & (1 if makes_progress(shared, leaf) else 0)
    set_word(own, STUCK_COUNT, stuck_count)
    first = 0
    while first < count and half(leaves, half(steps, first)) >= FAULT_BIT:
        set_word(own, HAS_SPECIAL, 1)
        first += 1
    return first


@inline
def look_up_in(storage, width, shared, own, first):
    """Lists what may be new, for one kind of table and one width.

    RECENT has a step for each value of some bits of a hash. At the beginning it is everywhere the
    first step, which is listed though it leads to where it does itself.
    """
    recent, steps, total = word(own, RECENT), word(own, IN_ORDER), word(own, TOTAL)
    step, sifted = half(steps, first), word(own, SIFTED)
    for place in range(1 << RECENT_BITS):
        set_half(recent, place, step)
    set_word(sifted, 0, step)
    set_word(sifted, 1, hash_of(word(own, OUT), step * width, width))
    count = 1
    while first < total:
        end = min(first + STEPS, total)
        count = sift(storage, width, shared, own, first, end, count)
        compare(storage, width, shared, own, count)
        first, count = end, 0


@inline
def sift(storage, width, shared, own, begin, end, count):
    """Hashes steps, and lists those that lead to where no recent step did, with their hashes. Asks
    memory for the groups where their lookups begin. Says how many are listed."""
    table, bits, out = word(shared, TABLE), word(shared, TABLE_BITS), word(own, OUT)
    leaves, fresh, special = word(own, LEAVES), word(own, FRESH), 0
    fresh_steps, fresh_count = word(own, FRESH_STEPS), word(own, FRESH_COUNT)
    steps, recent, sifted = word(own, IN_ORDER), word(own, RECENT), word(own, SIFTED)
    for i in range(begin, end):
        step = half(steps, i)
        leaf = half(leaves, step)
        is_fault = leaf >> FAULT_SHIFT
        special |= is_fault
        set_half(fresh_steps, fresh_count, step)
        fresh_count += byte(fresh, leaf & (FAULT_BIT - 1))
        mixed = hash_of(out, step * width, width)
        prefetch(address_of(storage, table, group_of(storage, mixed, bits)))
        place = mixed & ((1 << RECENT_BITS) - 1)
        other = half(recent, place)
        is_left_out = is_fault | (1 if differing(out, step, out, other, width) == 0 else 0)
        set_half(recent, place, other if is_left_out != 0 else step)
        set_word(sifted, 2 * count, step)
        set_word(sifted, 2 * count + 1, mixed)
        count += 1 - is_left_out
    set_word(own, HAS_SPECIAL, word(own, HAS_SPECIAL) | special)
    set_word(own, FRESH_COUNT, fresh_count)
    return count


@inline
def compare(storage, width, shared, own, count):
    """Lists those steps that are not to the first state of their group which they may be to. Some
    of these may be to another state of the table; that is seen when they are entered."""
    table, bits, store = word(shared, TABLE), word(shared, TABLE_BITS), word(shared, STORE)
    out, sifted = word(own, OUT), word(own, SIFTED)
    candidates, listed = word(own, CANDIDATES), word(own, CANDIDATE_COUNT)
    for i in range(count):
        step, mixed = word(sifted, 2 * i), word(sifted, 2 * i + 1)
        group = group_of(storage, mixed, bits)
        line = address_of(storage, table, group)
        found = like(storage, line, mixed, bits) & ~free_in(storage, line)
        is_known = 1 if found != 0 else 0
        if storage != HASHED:
            place = group + lowest_bit(found | 1 << (HALVES_IN_GROUP - 1))
            number = number_in(half(table, place), bits)
            number = number if found != 0 else 0
            is_known &= 1 if differing(out, step, store, number, width) == 0 else 0
        set_word(candidates, 2 * listed, step)
        set_word(candidates, 2 * listed + 1, mixed)
        listed += 1 - is_known
    set_word(own, CANDIDATE_COUNT, listed)
