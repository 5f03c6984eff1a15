"""Stubborn sets: removes the steps of a batch that need not be taken.

`checker/search/reductions/partial_order.py` defines stubborn sets. A set is an array of bits:
leaves first, then observers. In each state, one set is closed from each enabled update; leaves that
undo all updates of the set stay out of it. One more set starts with all transitions: one update
after another is removed from it, with all transitions that need that update. Of the sets with a
step to a state that is not yet expanded, the smallest is taken.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# ruff: noqa: SIM110
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .batch import makes_progress
from .chains import run_ahead
from .memory import call_3, count_bits, half, inline, lowest_bit, set_half, set_word, word
from .places import (
    BATCH,
    CHAIN_STEPS,
    CHUNKS,
    FAULT_BIT,
    HASHED,
    HEAD,
    KEY_WIDTH,
    LEAVES,
    ORDER,
    ORDER_ABSORBING,
    ORDER_ATOM_WORDS,
    ORDER_CHOSEN,
    ORDER_DEPENDENT,
    ORDER_ENABLED,
    ORDER_ENABLING,
    ORDER_FREE,
    ORDER_GUARD_STARTS,
    ORDER_GUARDS,
    ORDER_INSIDE,
    ORDER_LEAF_WORDS,
    ORDER_LITERALS,
    ORDER_ONWARD,
    ORDER_SAVED,
    ORDER_TRUTHS,
    ORDER_WORDS,
    OUT,
    SIZE,
    SOURCE,
    STARTS,
    STORAGE,
    STORE,
    TABLE,
    TABLE_BITS,
    TOTAL,
)
from .sets import closed, enabled_updates, has, take_out
from .table import find, hash_of


@inline
def thin(shared, own):
    """Throws out the steps of a batch that need not be taken; faults stay. False where there is no
    room for parts.

    What is left is moved to the ends of chains. A state of which no step then goes on takes all.
    """
    order = word(shared, ORDER)
    call_3(word(order, ORDER_GUARDS), word(own, SOURCE), word(own, SIZE), word(own, ORDER_TRUTHS))
    for i in range(word(own, SIZE)):
        choose(shared, own, order, i)
    count = listed(shared, own, order)
    while count > 0:
        if not run_ahead(shared, own, count):
            return False
        count = listed_if_stuck(shared, own, order)
    out, leaves, starts = word(own, OUT), word(own, LEAVES), word(own, STARTS)
    width, leaf_words = word(shared, KEY_WIDTH), word(order, ORDER_LEAF_WORDS)
    kept, begin = 0, 0
    for chunk in range(word(shared, CHUNKS)):
        row = chunk * (BATCH + 1)
        for i in range(word(own, SIZE)):
            chosen = word(own, ORDER_CHOSEN) + i * leaf_words * 8
            end = word(starts, row + i + 1)
            set_word(starts, row + i, kept)
            for step in range(begin, end):
                leaf = half(leaves, step)
                if leaf < FAULT_BIT and not has(chosen, leaf):
                    continue
                if kept < step:
                    set_half(leaves, kept, leaf)
                    for k in range(width):
                        set_word(out, kept * width + k, word(out, step * width + k))
                kept += 1
            begin = end
        set_word(starts, row + word(own, SIZE), kept)
    set_word(own, TOTAL, kept)
    return True


@inline
def listed(shared, own, order):
    """Lists the steps to be taken in CHAIN_STEPS, and says how many they are."""
    count = 0
    for i in range(word(own, SIZE)):
        chosen = word(own, ORDER_CHOSEN) + i * word(order, ORDER_LEAF_WORDS) * 8
        count = listed_of(shared, own, i, chosen, True, count)
    return count


@inline
def listed_if_stuck(shared, own, order):
    """Lists the steps that were left out of states of which no step goes on: they are taken now."""
    count, leaf_words = 0, word(order, ORDER_LEAF_WORDS)
    for i in range(word(own, SIZE)):
        chosen = word(own, ORDER_CHOSEN) + i * leaf_words * 8
        if goes_on(shared, own, i, chosen):
            continue
        count = listed_of(shared, own, i, chosen, False, count)
        for k in range(leaf_words):
            set_word(chosen, k, -1)
    return count


@inline
def listed_of(shared, own, i, chosen, is_inside, count):
    """Lists the steps of a state that are in a set, or those that are not."""
    leaves, starts, steps = word(own, LEAVES), word(own, STARTS), word(own, CHAIN_STEPS)
    for chunk in range(word(shared, CHUNKS)):
        row = chunk * (BATCH + 1) + i
        for step in range(word(starts, row), word(starts, row + 1)):
            leaf = half(leaves, step)
            if leaf < FAULT_BIT and has(chosen, leaf) == is_inside:
                set_word(steps, count, step)
                count += 1
    return count


@inline
def choose(shared, own, order, i):
    """Which leaves to take in a state of the batch: a stubborn set, or all."""
    leaf_words = word(order, ORDER_LEAF_WORDS)
    chosen = word(own, ORDER_CHOSEN) + i * leaf_words * 8
    truths = word(own, ORDER_TRUTHS) + i * word(order, ORDER_ATOM_WORDS) * 8
    enabled, inside = word(own, ORDER_ENABLED), word(own, ORDER_INSIDE)
    least = enabled_updates(shared, own, order, i)
    for k in range(leaf_words):
        set_word(chosen, k, -1)
    for k in range(leaf_words):
        seeds = word(enabled, k)
        while seeds != 0 and least > 1:
            seed = k * 64 + lowest_bit(seeds)
            seeds &= seeds - 1
            taken = closed(own, order, seed, truths, least)
            # The cycle proviso of breadth-first search (Bošnački and Holzmann, "Improving SPIN's
            # partial-order reduction for breadth-first search", 2005): what is left out here is
            # not left out for ever.
            if taken < least and goes_on(shared, own, i, inside):
                least = taken
                for part in range(leaf_words):
                    set_word(chosen, part, word(inside, part))
    if least > 1 and pruned(own, order, truths) < least and goes_on(shared, own, i, inside):
        for part in range(leaf_words):
            set_word(chosen, part, word(inside, part))


@inline
def pruned(own, order, truths):
    """Leaves out of the set of all transitions what can be left out, one enabled update after the
    other. Says how many updates of what stays are enabled."""
    words, leaf_words = word(order, ORDER_WORDS), word(order, ORDER_LEAF_WORDS)
    enabled, inside, saved, free = (
        word(own, ORDER_ENABLED), word(own, ORDER_INSIDE), word(own, ORDER_SAVED),
        word(own, ORDER_FREE),
    )  # fmt: skip
    left = begun(own, order, truths)
    for k in range(leaf_words):
        updates = word(enabled, k)
        while updates != 0 and left > 1:
            update = k * 64 + lowest_bit(updates)
            updates &= updates - 1
            if not has(inside, update) or has(free, update):
                continue
            for part in range(words):
                set_word(saved, part, word(inside, part))
            take_out(inside, update)
            leave_out(own, order, truths)
            left = enabled_inside(own, leaf_words)
            if left == 0:
                for part in range(words):
                    set_word(inside, part, word(saved, part))
                left = enabled_inside(own, leaf_words)
    for k in range(leaf_words):
        set_word(inside, k, word(inside, k) & ~word(free, k))
    return left


@inline
def begun(own, order, truths):
    """Begins with all transitions but for updates that are not undone by what is free: what undoes
    the updates that undo nothing. Says how many updates of them are enabled."""
    words, leaf_words = word(order, ORDER_WORDS), word(order, ORDER_LEAF_WORDS)
    enabled, inside, free = word(own, ORDER_ENABLED), word(own, ORDER_INSIDE), word(own, ORDER_FREE)
    absorbing = word(order, ORDER_ABSORBING)
    for k in range(leaf_words):
        set_word(free, k, 0)
    for k in range(leaf_words):
        updates = word(enabled, k)
        while updates != 0:
            row = absorbing + (k * 64 + lowest_bit(updates)) * leaf_words * 8
            updates &= updates - 1
            for part in range(leaf_words):
                set_word(free, part, word(free, part) | word(row, part))
    for k in range(words):
        set_word(inside, k, -1)
    for k in range(leaf_words):
        set_word(inside, k, ~word(free, k))
    for k in range(leaf_words):
        updates = word(enabled, k) & word(inside, k)
        while updates != 0:
            row = absorbing + (k * 64 + lowest_bit(updates)) * leaf_words * 8
            updates &= updates - 1
            for part in range(leaf_words):
                set_word(free, part, word(free, part) & word(row, part))
    for k in range(leaf_words):
        set_word(inside, k, -1)
    for k in range(leaf_words):
        updates = word(enabled, k)
        while updates != 0:
            update = k * 64 + lowest_bit(updates)
            updates &= updates - 1
            row = absorbing + update * leaf_words * 8
            if not has(free, update) and not is_part(free, row, leaf_words):
                take_out(inside, update)
    leave_out(own, order, truths)
    left = enabled_inside(own, leaf_words)
    if left == 0:
        for k in range(words):
            set_word(inside, k, -1)
        for k in range(leaf_words):
            set_word(free, k, 0)
        left = enabled_inside(own, leaf_words)
    return left


@inline
def enabled_inside(own, leaf_words):
    """How many enabled updates are in the set, but for what is free."""
    count = 0
    for k in range(leaf_words):
        bits = word(word(own, ORDER_ENABLED), k) & word(word(own, ORDER_INSIDE), k)
        count += count_bits(bits & ~word(word(own, ORDER_FREE), k))
    return count


@inline
def leave_out(own, order, truths):
    """Leaves out of the set all that cannot stay, until the rest is stubborn."""
    inside, free, changes = word(own, ORDER_INSIDE), word(own, ORDER_FREE), True
    leaf_words = word(order, ORDER_LEAF_WORDS)
    while changes:
        changes = False
        for k in range(word(order, ORDER_WORDS)):
            rest = word(inside, k)
            if k < leaf_words:
                rest &= ~word(free, k)
            while rest != 0:
                transition = k * 64 + lowest_bit(rest)
                rest &= rest - 1
                if not can_stay(own, order, transition, truths):
                    take_out(inside, transition)
                    changes = True


@inline
def can_stay(own, order, transition, truths):
    """Whether all is in the set that a transition of it needs there."""
    words, leaf_words = word(order, ORDER_WORDS), word(order, ORDER_LEAF_WORDS)
    inside = word(own, ORDER_INSIDE)
    if transition < leaf_words * 64 and has(word(own, ORDER_ENABLED), transition):
        drawn = word(order, ORDER_DEPENDENT) + transition * words * 8
        return is_part(drawn, inside, words)
    starts, literals = word(order, ORDER_GUARD_STARTS), word(order, ORDER_LITERALS)
    is_settled = True
    for place in range(word(starts, transition), word(starts, transition + 1)):
        literal = word(literals, place)
        if has(truths, literal >> 1) != (literal & 1 == 1):
            is_settled = False
            drawn = word(order, ORDER_ENABLING) + literal * leaf_words * 8
            if is_part(drawn, inside, leaf_words):
                return True
    return is_settled


@inline
def is_part(bits, whole, words):
    """Whether a set is a part of another."""
    for k in range(words):
        if word(bits, k) & ~word(whole, k) != 0:
            return False
    return True


@inline
def goes_on(shared, own, i, inside):
    """Whether a step of the set is on no cycle, or leads to a state that is still to be expanded.

    The step is of a rule that makes progress: so deadlocks are kept.
    Such a state is not found yet, and then has a higher number, or it has one: which of the two
    depends on the threads, the answer does not. Hashed states have no numbers.
    """
    storage, width, bits = word(shared, STORAGE), word(shared, KEY_WIDTH), word(shared, TABLE_BITS)
    store, table = word(shared, STORE), word(shared, TABLE)
    out, leaves, starts = word(own, OUT), word(own, LEAVES), word(own, STARTS)
    for chunk in range(word(shared, CHUNKS)):
        row = chunk * (BATCH + 1) + i
        for step in range(word(starts, row), word(starts, row + 1)):
            leaf = half(leaves, step)
            if leaf >= FAULT_BIT or not has(inside, leaf) or not makes_progress(shared, leaf):
                continue
            if has(word(word(shared, ORDER), ORDER_ONWARD), leaf):
                return True
            mixed = hash_of(out, step * width, width)
            number, _ = find(storage, out, step, width, mixed, store, table, bits)
            if number < 0 or (storage != HASHED and number > word(own, HEAD) + i):
                return True
    return False
