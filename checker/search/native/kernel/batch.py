"""A batch of states: one thread computes and looks up its steps, then commits them in its turn."""

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
    set_byte,
    set_half,
    set_word,
    word,
)
from .parts import compress, decompress
from .places import (
    BATCH,
    BEFORE,
    BEFORE_IDS,
    CANONICAL,
    CHUNKS,
    COMPRESSED,
    COVER,
    DEADLOCK,
    EXPAND,
    FAULT_BIT,
    FRESH,
    FRESH_COUNT,
    FRESH_STEPS,
    HAS_COVERED,
    HAS_SPECIAL,
    HEAD,
    IS_QUIET,
    IS_STUCK,
    KEY_WIDTH,
    LEAF_RULES,
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
    RULES_MAX,
    SIZE,
    SOURCE,
    STARTS,
    STEP_FIRST,
    STORAGE,
    STORE,
    STUCK,
    STUCK_COUNT,
    TOTAL,
    WIDTH,
)
from .table import is_same


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
                    if word(own, IS_QUIET) == 0:
                        return False
                    set_half(word(own, LEAVES), step, FAULT_BIT)
    return True


@inline
def key_of(shared, own, i):
    """The address of a state of the batch as it is stored."""
    return word(shared, STORE) + (word(own, HEAD) + i) * word(shared, KEY_WIDTH) * 8


@inline
def cover(shared, own, i, leaf):
    """Marks a leaf as taken, and its branches in a state."""
    set_byte(word(own, OWN_VISITED), leaf, 1)
    state = word(own, SOURCE) + i * word(shared, WIDTH) * 8
    unseen = call_3(word(shared, COVER), state, leaf, word(own, OWN_SEEN))
    set_byte(word(own, FRESH), leaf, 1 if unseen != 0 else 0)
    set_word(own, HAS_COVERED, 1)


@inline
def makes_progress(shared, leaf):
    """Whether a leaf is of a rule that makes progress."""
    return word(word(shared, LEAF_RULES), leaf) >= RULES_MAX


@inline
def note_state(shared, own, i, changes, fault):
    """Notes a state that is at fault, or that no rule which makes progress changes."""
    position = word(own, HEAD) + i
    if fault >= 0 and word(own, OWN_FAULT_STATE) < 0:
        set_word(own, OWN_FAULT_STATE, position)
        set_word(own, OWN_FAULT_LEAF, fault)
    if not changes and word(own, OWN_DEADLOCK) < 0 and word(shared, DEADLOCK) < 0:
        state = word(own, SOURCE) + i * word(shared, WIDTH) * 8
        if call_1(word(shared, IS_STUCK), state) != 0:
            set_word(own, OWN_DEADLOCK, position)


@inline
def go_through(shared, own, whole, last):
    """Goes through the steps of a batch in order, for what they show: faults, coverage, deadlocks.

    Those of the first `whole` states, and of the next one those up to the step `last`, if any.
    """
    out, leaves, starts = word(own, OUT), word(own, LEAVES), word(own, STARTS)
    width, fresh = word(shared, KEY_WIDTH), word(own, FRESH)
    transitions = 0
    set_word(own, OWN_DEADLOCK, -1)
    set_word(own, OWN_FAULT_STATE, -1)
    for i in range(whole if last < 0 else whole + 1):
        here = key_of(shared, own, i)
        changes, fault = False, -1
        for chunk in range(word(shared, CHUNKS)):
            row = chunk * (BATCH + 1) + i
            for step in range(word(starts, row), word(starts, row + 1)):
                if i == whole and step > last:
                    break
                leaf = half(leaves, step)
                if leaf >= FAULT_BIT:
                    changes = changes or makes_progress(shared, leaf - FAULT_BIT)
                    if fault < 0:
                        fault = leaf - FAULT_BIT
                    continue
                transitions += 1
                if byte(fresh, leaf) != 0:
                    cover(shared, own, i, leaf)
                if makes_progress(shared, leaf):
                    changes = changes or not is_same(out, step, here, 0, width)
        if i < whole:
            note_state(shared, own, i, changes, fault)
    set_word(own, OWN_TRANSITIONS, transitions)


@inline
def find_stuck(shared, own):
    """Notes the first deadlock of a batch without faults, if there is one."""
    set_word(own, OWN_DEADLOCK, -1)
    for place in range(word(own, STUCK_COUNT)):
        i = half(word(own, STUCK), place)
        if not is_changed(shared, own, i):
            note_state(shared, own, i, False, -1)


@inline
def is_changed(shared, own, i):
    """Whether a step of a rule that makes progress leads from a state to another one."""
    out, starts, width = word(own, OUT), word(own, STARTS), word(shared, KEY_WIDTH)
    here, leaves = key_of(shared, own, i), word(own, LEAVES)
    for chunk in range(word(shared, CHUNKS)):
        row = chunk * (BATCH + 1) + i
        for step in range(word(starts, row), word(starts, row + 1)):
            is_passed = not makes_progress(shared, half(leaves, step))
            if not is_passed and not is_same(out, step, here, 0, width):
                return True
    return False


@inline
def shown(shared, own):
    """What the steps of a batch show. Most often there is little but how many they are."""
    if word(own, HAS_SPECIAL) != 0:
        go_through(shared, own, word(own, SIZE), -1)
        return
    set_word(own, OWN_TRANSITIONS, word(own, TOTAL))
    set_word(own, OWN_FAULT_STATE, -1)
    cover_fresh(shared, own)
    find_stuck(shared, own)


@inline
def cover_fresh(shared, own):
    """Marks the branches of those steps of a batch whose leaves have branches not yet taken."""
    steps, fresh = word(own, FRESH_STEPS), word(own, FRESH)
    leaves, starts = word(own, LEAVES), word(own, STARTS)
    row = 0
    for place in range(word(own, FRESH_COUNT)):
        step = half(steps, place)
        leaf = half(leaves, step)
        if byte(fresh, leaf) == 0:
            continue
        if word(starts, row) > step:  # the listed steps of one state are in order of their chunks
            row = 0
        while word(starts, row + word(own, SIZE)) <= step:
            row += BATCH + 1
        cover(shared, own, state_of(starts + row * 8, step, word(own, SIZE)), leaf)


@inline
def state_of(starts, step, size):
    """The state of the batch that a step of a chunk begins in."""
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) >> 1
        if word(starts, middle) <= step:
            low = middle
        else:
            high = middle
    return low
