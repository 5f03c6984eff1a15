"""A batch of states: its steps made and looked up by one thread, and then entered in its turn."""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .memory import (
    byte,
    call_1,
    call_2,
    call_3,
    call_6,
    half,
    inline,
    prefetch,
    set_byte,
    set_word,
    word,
)
from .parts import compress, decompress
from .places import (
    BATCH,
    BEFORE,
    BEFORE_IDS,
    CANDIDATE_COUNT,
    CANDIDATES,
    CANONICAL,
    CHUNKS,
    COMPRESSED,
    COVER,
    DEADLOCK,
    EXACT,
    EXPAND,
    FAULT_BIT,
    FRESH,
    HAS_COVERED,
    HASHES,
    HEAD,
    IS_STUCK,
    KEY_WIDTH,
    LEAVES,
    NODES_COUNT,
    OUT,
    OUT_IDS,
    OWN_DEADLOCK,
    OWN_FAULT_LEAF,
    OWN_FAULT_STATE,
    OWN_SEEN,
    OWN_TRANSITIONS,
    OWN_VISITED,
    SIZE,
    SOURCE,
    STARTS,
    STEP_FIRST,
    STORAGE,
    STORE,
    TABLE,
    TABLE_BITS,
    TOTAL,
    WIDTH,
)
from .table import LOW_HALF, find, hash_of, is_same, place_of, upper


@inline
def unpacked(shared, own, head, size):
    """The address of the words of stored states."""
    width = word(shared, WIDTH)
    store = word(shared, STORE)
    if word(shared, STORAGE) != COMPRESSED:
        return store + head * width * 8
    words, ids, nodes = word(own, BEFORE), word(own, BEFORE_IDS), word(shared, NODES_COUNT)
    for i in range(size):
        key = word(store, head + i)
        decompress(shared, key, words + i * width * 8, ids + i * nodes * 8)
    return words


@inline
def expanded(shared, own, head, size):
    """Makes all steps of a batch, as they are stored. False where there is no room for parts."""
    width, chunks, out = word(shared, WIDTH), word(shared, CHUNKS), word(own, OUT)
    source, starts = unpacked(shared, own, head, size), word(own, STARTS)
    set_word(own, HEAD, head)
    set_word(own, SIZE, size)
    set_word(own, SOURCE, source)
    total = call_6(
        word(shared, EXPAND), source, size, out, word(own, LEAVES), starts, word(own, STEP_FIRST)
    )
    set_word(own, TOTAL, total)
    if word(shared, CANONICAL) != 0:
        call_2(word(shared, CANONICAL), out, total)
    if word(shared, STORAGE) != COMPRESSED:
        return True
    nodes = word(shared, NODES_COUNT)
    for chunk in range(chunks):
        row = chunk * (BATCH + 1)
        for i in range(size):
            state, ids = source + i * width * 8, word(own, BEFORE_IDS) + i * nodes * 8
            for step in range(word(starts, row + i), word(starts, row + i + 1)):
                if half(word(own, LEAVES), step) >= FAULT_BIT:
                    continue
                # Steps come in this order in memory, so none is written over before its time.
                if not compress(shared, out, step, word(own, OUT_IDS), state, ids):
                    return False
    return True


@inline
def key_of(shared, own, i):
    """The address of a state of the batch as it is stored."""
    return word(shared, STORE) + (word(own, HEAD) + i) * word(shared, KEY_WIDTH) * 8


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
    for step in range(total):
        mixed = word(hashes, step)
        if storage == EXACT:
            entry = word(table, place_of(mixed, bits))
            if entry != 0 and upper(entry) == upper(mixed):
                prefetch(store + ((entry & LOW_HALF) - 1) * width * 8)
        elif storage == COMPRESSED:
            entry = half(table, place_of(mixed, bits))
            if entry != 0:
                prefetch(store + (entry - 1) * 8)


@inline
def cover(shared, own, i, leaf):
    """Marks a leaf as taken, and its branches in a state."""
    set_byte(word(own, OWN_VISITED), leaf, 1)
    state = word(own, SOURCE) + i * word(shared, WIDTH) * 8
    unseen = call_3(word(shared, COVER), state, leaf, word(own, OWN_SEEN))
    set_byte(word(own, FRESH), leaf, 1 if unseen != 0 else 0)
    set_word(own, HAS_COVERED, 1)


@inline
def note_state(shared, own, i, changes, fault):
    """Notes a state that is at fault, or that nothing changes."""
    position = word(own, HEAD) + i
    if fault >= 0 and word(own, OWN_FAULT_STATE) < 0:
        set_word(own, OWN_FAULT_STATE, position)
        set_word(own, OWN_FAULT_LEAF, fault)
    if not changes and word(own, OWN_DEADLOCK) < 0 and word(shared, DEADLOCK) < 0:
        state = word(own, SOURCE) + i * word(shared, WIDTH) * 8
        if call_1(word(shared, IS_STUCK), state) != 0:
            set_word(own, OWN_DEADLOCK, position)


@inline
def scan(shared, own, whole, last):
    """Goes through the steps of a batch in order: what they show, and which may be new states.

    Those of the first `whole` states, and of the next one those up to the step `last`, if any.
    """
    storage, width, chunks = word(shared, STORAGE), word(shared, KEY_WIDTH), word(shared, CHUNKS)
    store, table, bits = word(shared, STORE), word(shared, TABLE), word(shared, TABLE_BITS)
    out, leaves, starts, hashes = (
        word(own, OUT), word(own, LEAVES), word(own, STARTS), word(own, HASHES),
    )  # fmt: skip
    fresh, candidates = word(own, FRESH), word(own, CANDIDATES)
    count, transitions = 0, 0
    set_word(own, OWN_DEADLOCK, -1)
    set_word(own, OWN_FAULT_STATE, -1)
    for i in range(whole if last < 0 else whole + 1):
        here = key_of(shared, own, i)
        changes, fault = False, -1
        for chunk in range(chunks):
            row = chunk * (BATCH + 1) + i
            for step in range(word(starts, row), word(starts, row + 1)):
                if i == whole and step > last:
                    break
                leaf = half(leaves, step)
                if leaf >= FAULT_BIT:
                    changes = True
                    if fault < 0:
                        fault = leaf - FAULT_BIT
                    continue
                transitions += 1
                if byte(fresh, leaf) != 0:
                    cover(shared, own, i, leaf)
                if not changes:
                    if is_same(out, step, here, 0, width):
                        continue
                    changes = True
                mixed = word(hashes, step)
                number, place = find(
                    storage, out, step, width, mixed, place_of(mixed, bits), store, table, bits
                )
                if number < 0 and last < 0:
                    set_word(candidates, 2 * count, step)
                    set_word(candidates, 2 * count + 1, place)
                    count += 1
        if i < whole:
            note_state(shared, own, i, changes, fault)
    set_word(own, CANDIDATE_COUNT, count)
    set_word(own, OWN_TRANSITIONS, transitions)
