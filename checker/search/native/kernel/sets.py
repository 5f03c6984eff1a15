"""Sets of transitions as bits, and how one is closed from an enabled update.

`checker/search/reductions/partial_order.py` defines stubborn sets. A set is an array of bits:
leaves first, then observers. Leaves that undo all updates of the set stay out of it.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .memory import (
    count_bits,
    half,
    inline,
    lowest_bit,
    set_word,
    word,
)
from .places import (
    BATCH,
    CHUNKS,
    FAULT_BIT,
    LEAVES,
    ORDER_ABSORBING,
    ORDER_DEPENDENT,
    ORDER_ENABLED,
    ORDER_ENABLING,
    ORDER_FREE,
    ORDER_GUARD_STARTS,
    ORDER_INSIDE,
    ORDER_LEAF_WORDS,
    ORDER_LITERALS,
    ORDER_PENDING,
    ORDER_UPDATES,
    ORDER_WORDS,
    STARTS,
)

#: What it costs to draw a transition into a set, beside one: an enabled one is a step to take.
COST_ENABLED = 1000


@inline
def has(bits, number):
    """Whether a number is in a set."""
    return (word(bits, number >> 6) >> (number & 63)) & 1 != 0


@inline
def put(bits, number):
    """Adds a number to a set."""
    set_word(bits, number >> 6, word(bits, number >> 6) | (1 << (number & 63)))


@inline
def take_out(bits, number):
    """Takes a number out of a set."""
    set_word(bits, number >> 6, word(bits, number >> 6) & ~(1 << (number & 63)))


@inline
def enabled_updates(shared, own, order, i):
    """Writes the set of the updates that a state has, and says how many they are."""
    enabled, updates = word(own, ORDER_ENABLED), word(order, ORDER_UPDATES)
    leaves, starts = word(own, LEAVES), word(own, STARTS)
    for k in range(word(order, ORDER_LEAF_WORDS)):
        set_word(enabled, k, 0)
    count = 0
    for chunk in range(word(shared, CHUNKS)):
        row = chunk * (BATCH + 1) + i
        for step in range(word(starts, row), word(starts, row + 1)):
            leaf = half(leaves, step)
            if leaf < FAULT_BIT and has(updates, leaf):
                put(enabled, leaf)
                count += 1
    return count


@inline
def closed(own, order, seed, truths, below):
    """Closes a set from an enabled update. Says how many updates of it are enabled; at `below` it
    gives up."""
    leaf_words, free = word(order, ORDER_LEAF_WORDS), word(own, ORDER_FREE)
    absorbing = word(order, ORDER_ABSORBING) + seed * leaf_words * 8
    for k in range(leaf_words):
        set_word(free, k, word(absorbing, k))
    taken = closed_beside(own, order, seed, truths, below)
    while taken < 0:  # something that is free does not undo all that is in the set
        taken = closed_beside(own, order, seed, truths, below)
    for k in range(leaf_words):
        set_word(word(own, ORDER_INSIDE), k, word(word(own, ORDER_INSIDE), k) & ~word(free, k))
    return taken


@inline
def closed_beside(own, order, seed, truths, below):
    """Closes a set; what is free is not drawn in. Says how many updates of it are enabled, or -1
    if less is free than it seemed."""
    words, leaf_words = word(order, ORDER_WORDS), word(order, ORDER_LEAF_WORDS)
    enabled, inside, pending = (
        word(own, ORDER_ENABLED), word(own, ORDER_INSIDE), word(own, ORDER_PENDING),
    )  # fmt: skip
    for k in range(words):
        set_word(inside, k, word(word(own, ORDER_FREE), k) if k < leaf_words else 0)
    put(inside, seed)
    set_word(pending, 0, seed)
    waiting, taken = 1, 1
    while waiting > 0 and taken < below:
        waiting -= 1
        transition = word(pending, waiting)
        if transition < leaf_words * 64 and has(enabled, transition):
            if binds(own, order, transition):
                return -1
            drawn, size = word(order, ORDER_DEPENDENT) + transition * words * 8, words
        else:
            literal = cheapest(own, order, transition, truths)
            if literal < 0:
                continue  # it observes something here, or changes nothing
            drawn, size = word(order, ORDER_ENABLING) + literal * leaf_words * 8, leaf_words
        for k in range(size):
            fresh = word(drawn, k) & ~word(inside, k)
            set_word(inside, k, word(inside, k) | fresh)
            if k < leaf_words:
                taken += count_bits(fresh & word(enabled, k))
            while fresh != 0:
                set_word(pending, waiting, k * 64 + lowest_bit(fresh))
                waiting += 1
                fresh &= fresh - 1
    return taken


@inline
def binds(own, order, update):
    """Leaves of what is free only what undoes an update too. Says whether that is less."""
    leaf_words, free = word(order, ORDER_LEAF_WORDS), word(own, ORDER_FREE)
    absorbing = word(order, ORDER_ABSORBING) + update * leaf_words * 8
    is_less = False
    for k in range(leaf_words):
        if word(free, k) & ~word(absorbing, k) != 0:
            set_word(free, k, word(free, k) & word(absorbing, k))
            is_less = True
    return is_less


@inline
def cheapest(own, order, transition, truths):
    """Of the literals of a guard that are false, the one whose enabling costs least; -1 if none."""
    starts, literals = word(order, ORDER_GUARD_STARTS), word(order, ORDER_LITERALS)
    enabled, inside = word(own, ORDER_ENABLED), word(own, ORDER_INSIDE)
    leaf_words = word(order, ORDER_LEAF_WORDS)
    found, least = -1, 0
    for place in range(word(starts, transition), word(starts, transition + 1)):
        literal = word(literals, place)
        if has(truths, literal >> 1) == (literal & 1 == 1):
            continue
        cost = 0
        for k in range(leaf_words):
            fresh = word(word(order, ORDER_ENABLING), literal * leaf_words + k) & ~word(inside, k)
            cost += count_bits(fresh) + COST_ENABLED * count_bits(fresh & word(enabled, k))
        if found < 0 or cost < least:
            found, least = literal, cost
    return found
