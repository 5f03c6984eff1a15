"""The search as one thread runs it: take a batch, compute its steps, wait for the turn, commit.

Threads compute and look up steps in parallel, which is nearly all of the work. Only one thread at a
time commits new states, in the order in which the batches were taken. So the numbers of states and
all findings are those of a search with one thread.
"""

from __future__ import annotations

# As in `memory.py`.
# mypy: ignore-errors
# pyright: basic, reportCallIssue=false, reportArgumentType=false, reportGeneralTypeIssues=false
from .batch import expanded, go_through, shown, unpacked
from .lookup import look_up
from .memory import (
    byte,
    call_3,
    call_6,
    half,
    inline,
    lock,
    publish_word,
    seen_word,
    set_byte,
    set_half,
    set_word,
    unlock,
    wait,
    word,
)
from .places import (
    ASK,
    ASK_PART,
    BATCH,
    BRANCHES,
    CANDIDATE_COUNT,
    CANDIDATES,
    CHUNKS,
    CLOSED,
    DEADLOCK,
    DEPTH,
    DONE,
    EXPANDED,
    FAULT_LEAF,
    FAULT_STATE,
    FRESH,
    FULL,
    FULL_LEVELS,
    FULL_NODE,
    HAS_COVERED,
    KEY_WIDTH,
    LEAF_PARTS,
    LEAF_RULES,
    LEAVES,
    LEAVES_COUNT,
    LEVEL_END,
    LEVELS,
    LEVELS_ROOM,
    LIMIT,
    LOCK,
    NEEDED,
    NEW_PARTS,
    OPEN,
    ORDER,
    ORIGIN_BITS,
    ORIGIN_STATES,
    ORIGINS,
    OUT,
    OWN_DEADLOCK,
    OWN_FAULT_LEAF,
    OWN_FAULT_STATE,
    OWN_SEEN,
    OWN_TRANSITIONS,
    OWN_VISITED,
    PARTS,
    PAUSED,
    PICKS,
    REASON,
    RULES_MAX,
    RUNNING,
    SEEN,
    STARTS,
    STATE_FIRST,
    STATE_FOUND,
    STATE_TOPICS,
    STATES,
    STATES_MAX,
    STEP_BASE,
    STEP_FIRST,
    STEP_FOUND,
    STEP_TOPICS,
    STOP,
    STORAGE,
    STORE,
    STORE_ROOM,
    TABLE,
    TABLE_BITS,
    TABLE_ROOM,
    TAKEN,
    TRANSITIONS,
    VISITED,
)
from .stubborn import thin
from .table import enter, find


def advance(shared, own):
    """Expands states until there is a reason to stop, which is left in the block."""
    forget_coverage(shared, own)
    forget_topics(shared, own)
    while True:
        head, size = take_batch(shared)
        if size == 0:
            return 0
        has_parts = expanded(shared, own, head, size)
        if has_parts and word(shared, ORDER) != 0:
            has_parts = thin(shared, own)
        if has_parts:
            look_up(shared, own)
            shown(shared, own)
        else:
            stop_at_once(shared, FULL_NODE)
        tries = 0
        while seen_word(shared, EXPANDED) != head and seen_word(shared, REASON) < LIMIT:
            tries = wait(tries)
        if seen_word(shared, REASON) >= LIMIT:
            return 0
        before = word(shared, STATES)
        done = commit(shared, own, head, size)
        states = word(shared, STATES)
        publish_word(shared, EXPANDED, head + done)
        ask_new(shared, own, before, states)
        if done < size:
            return 0


@inline
def stop_at_once(shared, reason):
    """All threads stop, and leave the batches at hand. The first reason is kept.

    But for the limit of states: it cuts a state in two, so nothing may go on after it.
    """
    lock(shared, LOCK)
    if word(shared, REASON) < LIMIT or reason == LIMIT:
        set_word(shared, REASON, reason)
    unlock(shared, LOCK)


@inline
def forget_coverage(shared, own):
    """What this thread has seen taken is what all have: nothing of what was not entered."""
    for leaf in range(word(shared, LEAVES_COUNT)):
        set_byte(word(own, FRESH), leaf, 1)
        set_byte(word(own, OWN_VISITED), leaf, byte(word(shared, VISITED), leaf))
    for branch in range(word(shared, BRANCHES)):
        set_byte(word(own, OWN_SEEN), branch, byte(word(shared, SEEN), branch))
    set_word(own, HAS_COVERED, 0)


@inline
def forget_topics(shared, own):
    """What is settled for all is settled for this thread, and nothing else."""
    for topic in range(word(shared, STATE_TOPICS)):
        is_found = word(word(shared, STATE_FOUND), topic) >= 0
        set_word(word(own, STATE_FIRST), topic, CLOSED if is_found else OPEN)
    for topic in range(word(shared, STEP_TOPICS)):
        is_found = word(word(shared, STEP_FOUND), topic) >= 0
        set_word(word(own, STEP_FIRST), topic, CLOSED if is_found else OPEN)


@inline
def take_batch(shared):
    """The next states to be expanded, all of one level; none if there is a reason to stop."""
    tries = 0
    while True:
        lock(shared, LOCK)
        taken, level_end, stop = word(shared, TAKEN), word(shared, LEVEL_END), word(shared, STOP)
        if word(shared, REASON) == RUNNING and taken == level_end == seen_word(shared, EXPANDED):
            level_end = next_level(shared)
        if word(shared, REASON) == RUNNING and taken < level_end and taken >= stop:
            set_word(shared, REASON, PAUSED)
        if word(shared, REASON) != RUNNING:
            unlock(shared, LOCK)
            return taken, 0
        if taken < level_end:
            size = min(BATCH, level_end - taken, stop - taken)
            set_word(shared, TAKEN, taken + size)
            unlock(shared, LOCK)
            return taken, size
        unlock(shared, LOCK)
        tries = wait(tries)  # others have the rest of this level


@inline
def next_level(shared):
    """Begins the level of the states that were found from the last one, and says where it ends."""
    states, level_end = word(shared, STATES), word(shared, LEVEL_END)
    depth, levels = word(shared, DEPTH) + 1, word(shared, LEVELS)
    if states == level_end:
        set_word(shared, REASON, DONE)
        return level_end
    if depth + 1 >= word(shared, LEVELS_ROOM):
        set_word(shared, REASON, FULL_LEVELS)
        return level_end
    set_word(levels, depth, level_end)
    set_word(levels, depth + 1, states)
    set_word(shared, DEPTH, depth)
    set_word(shared, LEVEL_END, states)
    return states


@inline
def lacks_room(shared, more):
    """Whether so many more states cannot be stored; how many it would be is told."""
    needed = word(shared, STATES) + more
    if needed <= min(word(shared, STORE_ROOM), word(shared, TABLE_ROOM)):
        return False
    set_word(shared, NEEDED, needed)
    return True


@inline
def has_room(shared, more):
    """Whether so many more states can be stored and found; if not, that is the reason to stop."""
    if lacks_room(shared, more):
        stop_at_once(shared, FULL)
        return False
    return True


@inline
def commit(shared, own, head, size):
    """Enters the new states of a batch, and what it showed. Says how many states are expanded:
    none if there is no room, not all if there is one state more than are allowed."""
    count = word(own, CANDIDATE_COUNT)
    if not has_room(shared, count):
        return 0
    storage, width = word(shared, STORAGE), word(shared, KEY_WIDTH)
    store, table, bits = word(shared, STORE), word(shared, TABLE), word(shared, TABLE_BITS)
    out, candidates = word(own, OUT), word(own, CANDIDATES)
    before, states_max = word(shared, STATES), word(shared, STATES_MAX)
    leaves, leaf_parts = word(own, LEAVES), word(shared, LEAF_PARTS)
    states, new_parts = before, word(own, NEW_PARTS)
    below = OPEN
    for candidate in range(count):
        step, mixed = word(candidates, 2 * candidate), word(candidates, 2 * candidate + 1)
        number, place = find(storage, out, step, width, mixed, store, table, bits)
        if number < 0:
            if states == states_max:
                size, below = cut_off(shared, own, step)
                stop_at_once(shared, LIMIT)
                break
            for i in range(width):
                set_word(store, states * width + i, word(out, step * width + i))
            enter(storage, table, place, mixed, states, bits)
            set_half(new_parts, states - before, half(leaf_parts, half(leaves, step)))
            states += 1
    set_word(shared, STATES, states)
    first = (before + ORIGIN_STATES - 1) >> ORIGIN_BITS
    for place in range(first, (states + ORIGIN_STATES - 1) >> ORIGIN_BITS):
        set_half(word(shared, ORIGINS), place, head)
    report(shared, own, head, below)
    return size


@inline
def cut_off(shared, own, last):
    """Leaves of a batch what comes before the step that one state too many came from.

    Says how many states are expanded, and the place of that step among those of the batch.
    """
    starts, chunk, size = word(own, STARTS), 0, 0
    while chunk + 1 < word(shared, CHUNKS) and word(starts, (chunk + 1) * (BATCH + 1)) <= last:
        chunk += 1
    while word(starts, chunk * (BATCH + 1) + size + 1) <= last:
        size += 1
    forget_coverage(shared, own)
    go_through(shared, own, size, last)
    rule = word(word(shared, LEAF_RULES), half(word(own, LEAVES), last)) & (RULES_MAX - 1)
    return size, size * RULES_MAX + rule


@inline
def report(shared, own, head, below):
    """What a batch showed, now that it is its turn: by its steps that come before `below`."""
    set_word(shared, TRANSITIONS, word(shared, TRANSITIONS) + word(own, OWN_TRANSITIONS))
    if word(own, OWN_DEADLOCK) >= 0 and word(shared, DEADLOCK) < 0:
        set_word(shared, DEADLOCK, word(own, OWN_DEADLOCK))
    if word(own, OWN_FAULT_STATE) >= 0 and word(shared, FAULT_STATE) < 0:
        set_word(shared, FAULT_STATE, word(own, OWN_FAULT_STATE))
        set_word(shared, FAULT_LEAF, word(own, OWN_FAULT_LEAF))
    if word(own, HAS_COVERED) != 0:
        for leaf in range(word(shared, LEAVES_COUNT)):
            if byte(word(own, OWN_VISITED), leaf) != 0:
                set_byte(word(shared, VISITED), leaf, 1)
        for branch in range(word(shared, BRANCHES)):
            if byte(word(own, OWN_SEEN), branch) != 0:
                set_byte(word(shared, SEEN), branch, 1)
        set_word(own, HAS_COVERED, 0)
    first, found = word(own, STEP_FIRST), word(shared, STEP_FOUND)
    for topic in range(word(shared, STEP_TOPICS)):
        key = word(first, topic)
        if 0 <= key < below and key < OPEN and word(found, topic) < 0:
            set_word(found, topic, key)
            set_word(word(shared, STEP_BASE), topic, head)
        set_word(first, topic, CLOSED if word(found, topic) >= 0 else OPEN)


@inline
def ask(shared, own, begin, end):
    """Asks states all that is asked of states, and keeps the first that settles a topic."""
    first = word(own, STATE_FIRST)
    while begin < end:
        size = min(BATCH, end - begin)
        call_3(word(shared, ASK), unpacked(shared, own, begin, size), size, first)
        keep_settled(shared, own, begin)
        begin += size


@inline
def ask_new(shared, own, begin, end):
    """Asks the states that were just entered, and keeps the first that settles a topic.

    Topics come in parts. A state is asked a part only if the step that found it writes a cell that
    the part reads. If not, the answer is that of the state before, which has a lower number. If
    topics have no parts, a state is asked all.
    """
    parts, asked = word(shared, PARTS), word(own, NEW_PARTS)
    first, picks = word(own, STATE_FIRST), word(own, PICKS)
    if parts == 0:
        ask(shared, own, begin, end)
        return
    while begin < end:
        size = min(BATCH, end - begin)
        source = unpacked(shared, own, begin, size)
        for part in range(parts):
            count = 0
            for i in range(size):
                set_half(picks, count, i)
                count += (half(asked, i) >> part) & 1
            if count > 0:
                call_6(word(shared, ASK_PART), source, count, first, picks, part, 0)
        keep_settled(shared, own, begin)
        begin += size
        asked += size * 4


@inline
def keep_settled(shared, own, begin):
    """Keeps, for each topic that states have just settled, the first of them."""
    first, found = word(own, STATE_FIRST), word(shared, STATE_FOUND)
    for topic in range(word(shared, STATE_TOPICS)):
        settled = word(first, topic)
        if 0 <= settled < OPEN:
            lock(shared, LOCK)
            least = word(found, topic)
            if least < 0 or begin + settled < least:
                set_word(found, topic, begin + settled)
            unlock(shared, LOCK)
            set_word(first, topic, CLOSED)
