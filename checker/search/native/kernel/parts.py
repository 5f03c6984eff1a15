"""Compressed states: equal words, and equal pairs of parts, are stored once and named by ids.

A tree of nodes holds the parts. The first nodes hold the words of states. Each further node holds
pairs of ids of two earlier nodes. The pair of ids at the root is the *key* of a state: one word.
Cells of one entity share words, so few different words make up many states (tree compression: Blom,
Lisser, van de Pol, Weber 2008).
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .memory import half, inline, lock, publish_half, publish_word, set_word, unlock, word
from .places import (
    KEY_LEFT,
    KEY_RIGHT,
    LOCK,
    NODE_BITS,
    NODE_COUNT,
    NODE_LEFT,
    NODE_RIGHT,
    NODE_ROOM,
    NODE_SIZE,
    NODE_STORE,
    NODE_TABLE,
    NODES,
    NODES_COUNT,
    WIDTH,
)
from .table import FACTOR, LOW_HALF, SEED, place_of, upper


@inline
def hash_of_word(value):
    """The hash of one word."""
    found = (value ^ SEED) * FACTOR
    found ^= upper(found)
    return found * FACTOR


@inline
def id_in(node, value):
    """The id of a value, or -1 with the place where it belongs."""
    store, table, bits = word(node, NODE_STORE), word(node, NODE_TABLE), word(node, NODE_BITS)
    place = place_of(hash_of_word(value), bits)
    while True:
        entry = half(table, place)
        if entry == 0:
            return -1, place
        if word(store, entry - 1) == value:
            return entry - 1, place
        place = (place + 1) & ((1 << bits) - 1)


@inline
def id_of(shared, number, value):
    """The id of a value, a new one if need be; -1 where there is no room."""
    node = word(shared, NODES) + number * NODE_SIZE * 8
    found, place = id_in(node, value)
    if found < 0:
        lock(shared, LOCK)
        found, place = id_in(node, value)  # another thread may have come first
        count = word(node, NODE_COUNT)
        if found < 0 and count < word(node, NODE_ROOM):
            set_word(word(node, NODE_STORE), count, value)
            publish_half(word(node, NODE_TABLE), place, count + 1)
            publish_word(node, NODE_COUNT, count + 1)
            found = count
        unlock(shared, LOCK)
    return found


@inline
def pair(ids, left, right):
    """The word of two ids."""
    return (word(ids, left) << 32) | word(ids, right)


@inline
def compress(shared, words, at, ids, source, source_ids):
    """Writes the key of a state over its place, taking ids from the state before it. False where
    there is no room; then nothing is lost, and it is done again."""
    width, nodes = word(shared, WIDTH), word(shared, NODES_COUNT)
    state = words + at * width * 8
    for number in range(nodes):
        if number < width:
            value = word(state, number)
            same = source != 0 and value == word(source, number)
        else:
            node = word(shared, NODES) + number * NODE_SIZE * 8
            left, right = word(node, NODE_LEFT), word(node, NODE_RIGHT)
            value = pair(ids, left, right)
            same = source != 0 and value == pair(source_ids, left, right)
        found = word(source_ids, number) if same else id_of(shared, number, value)
        if found < 0:
            return False
        set_word(ids, number, found)
    if width == 1:
        key = word(state, 0)
    else:
        key = pair(ids, word(shared, KEY_LEFT), word(shared, KEY_RIGHT))
    set_word(words, at, key)
    return True


@inline
def decompress(shared, key, state, ids):
    """Writes the words of a state, and the ids of its parts."""
    width, nodes = word(shared, WIDTH), word(shared, NODES_COUNT)
    if width == 1:
        set_word(state, 0, key)
        return
    set_word(ids, word(shared, KEY_LEFT), upper(key))
    set_word(ids, word(shared, KEY_RIGHT), key & LOW_HALF)
    for back in range(nodes):
        number = nodes - 1 - back
        node = word(shared, NODES) + number * NODE_SIZE * 8
        value = word(word(node, NODE_STORE), word(ids, number))
        if number < width:
            set_word(state, number, value)
        else:
            set_word(ids, word(node, NODE_LEFT), upper(value))
            set_word(ids, word(node, NODE_RIGHT), value & LOW_HALF)


def refill_node(node):
    """Enters the values of a node into its table, which is empty."""
    store, table, bits = word(node, NODE_STORE), word(node, NODE_TABLE), word(node, NODE_BITS)
    for number in range(word(node, NODE_COUNT)):
        place = place_of(hash_of_word(word(store, number)), bits)
        while half(table, place) != 0:
            place = (place + 1) & ((1 << bits) - 1)
        publish_half(table, place, number + 1)
    return 0


def compress_states(shared, words, ids, begin, end):
    """Writes the keys of states over their words, and says up to which there was room."""
    for at in range(begin, end):
        if not compress(shared, words, at, ids, 0, 0):
            return at
    return end
