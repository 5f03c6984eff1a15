"""Where the inner loops find things: positions in the block of a search, and in that of a thread.

A block is an array of words. Names in capitals are positions of words; a comment says what the
address of an array points to.

While threads run, one of them at a time may write a word of the shared block:

    TAKEN, LEVEL_END, DEPTH, levels  the thread that holds LOCK
    REASON                           the thread that holds LOCK; only LIMIT overrides a reason
                                     above LIMIT
    STATES, counts, findings, table  the thread that has the turn: EXPANDED is the first state of
                                     its batch
    EXPANDED                         the thread that has the turn, last of all: this passes the turn
    STATE_FOUND, values of nodes     the thread that holds LOCK
    STOP                             Python, before threads run, and to make them pause

Python writes everything else while no thread runs.
"""

from __future__ import annotations

from itertools import count

#: States in one call of a generated function.
BATCH = 256
#: The search notes where every state of so many was found from.
ORIGIN_BITS = 8
ORIGIN_STATES = 1 << ORIGIN_BITS
#: Two processors do not write words that are so close together without waiting for each other.
WORDS_IN_LINE = 16
#: Rules in one function: too few unpack the state again and again, too many compile slowly.
RULES_IN_CHUNK = 16
#: Recent steps are found by so many bits of their hashes.
RECENT_BITS = 11
#: The least state or step that settles a topic: OPEN if none does yet, CLOSED if one did before.
OPEN, CLOSED = 1 << 62, -1
#: What settles a topic if it is no state or step that is numbered: it is within a chain.
IN_CHAIN = -2
#: In a thread's list of leaves: this step ends in a fault.
FAULT_SHIFT = 30
FAULT_BIT = 1 << FAULT_SHIFT
#: A step within a batch is its state times this, plus its rule.
RULES_MAX = 1 << 16

_shared = count()

# Addresses of generated functions (`lower.py`); CANONICAL may be zero.
EXPAND, ASK, COVER, IS_STUCK, ASK_PART, CANONICAL = (next(_shared) for _ in range(6))

# What does not change while a search runs: words a state, words that a state is stored in, chunks
# of rules, how states are stored, limit of states, leaves, branches, topics of states and of steps,
# parts that the topics of states are split into, for each leaf the set of parts that it can change.
(
    WIDTH,
    KEY_WIDTH,
    CHUNKS,
    STORAGE,
    STATES_MAX,
    LEAF_RULES,
    BRANCHES,
    LEAVES_COUNT,
    STATE_TOPICS,
    STEP_TOPICS,
    PARTS,
    LEAF_PARTS,
) = (next(_shared) for _ in range(12))

# Arrays that grow, and for how many states there is room: the states in the order found, the table
# that finds them (2 to the power of TABLE_BITS entries), the first state of each level; for every
# state whose number is a multiple of ORIGIN_STATES, the first state of the batch it was found from.
STORE, STORE_ROOM, TABLE, TABLE_BITS, TABLE_ROOM, LEVELS, LEVELS_ROOM, ORIGINS = (
    next(_shared) for _ in range(8)
)

# The tree of parts of compressed states: its nodes, how many, which of them make the key.
NODES, NODES_COUNT, KEY_LEFT, KEY_RIGHT = (next(_shared) for _ in range(4))

# Arrays of what was found: leaves taken, branches taken, per topic its first state, or the batch
# and the step in it.
VISITED, SEEN, STATE_FOUND, STEP_BASE, STEP_FOUND = (next(_shared) for _ in range(5))

# The address of a block for partial order, or zero. Why threads come back, and when they do.
ORDER, STOP, REASON, NEEDED = (next(_shared) for _ in range(4))


def _next_line() -> None:
    """Leaves out words up to the next line of memory."""
    while next(_shared) % WORDS_IN_LINE != WORDS_IN_LINE - 1:
        pass


# How far the search is. States are TAKEN to be expanded, and EXPANDED when that is done. Each line
# is written by one thread while the others read what is in other lines: a thread that waits for
# its turn reads EXPANDED all the time.
_next_line()
LOCK, TAKEN, LEVEL_END, DEPTH = (next(_shared) for _ in range(4))
_next_line()
EXPANDED = next(_shared)
_next_line()
STATES, TRANSITIONS, DEADLOCK, FAULT_STATE, FAULT_LEAF = (next(_shared) for _ in range(5))
_next_line()
SHARED_COUNT = next(_shared)

_own = count()

# A thread's arrays: states that are expanded where they are not stored as words, the ids of their
# parts, the steps of a batch, their leaves, where those of each state begin, their hashes (only
# with mail).
BEFORE, BEFORE_IDS, OUT, OUT_IDS, LEAVES, STARTS, HASHES = (next(_own) for _ in range(7))
# Lists, see `lookup.py`. Of steps: by state and rule; the last ones, by hash; with their hashes,
# those to where no other leads, and those that seem to be new; those of FRESH leaves. Of states:
# those that may be stuck; of new ones, the parts that they are asked, and those that are asked one.
IN_ORDER, RECENT, SIFTED, CANDIDATES, FRESH_STEPS, STUCK, NEW_PARTS, PICKS = (
    next(_own) for _ in range(8)
)
# What it has seen of leaves, branches and topics; FRESH are leaves with branches not yet taken.
FRESH, OWN_VISITED, OWN_SEEN, STATE_FIRST, STEP_FIRST = (next(_own) for _ in range(5))
# What it found in the batch at hand.
(
    HEAD,
    SIZE,
    SOURCE,
    TOTAL,
    CANDIDATE_COUNT,
    STUCK_COUNT,
    FRESH_COUNT,
    OWN_TRANSITIONS,
    OWN_DEADLOCK,
    OWN_FAULT_STATE,
    OWN_FAULT_LEAF,
    HAS_COVERED,
    HAS_SPECIAL,
    IS_QUIET,
) = (next(_own) for _ in range(14))
# For partial order: which atoms are true and which leaves are taken, in each state of the batch;
# and in the state at hand which updates are enabled, the set, a copy, what to look at, and the
# leaves that need not be in the set since they undo all that is.
(
    ORDER_TRUTHS,
    ORDER_CHOSEN,
    ORDER_ENABLED,
    ORDER_INSIDE,
    ORDER_SAVED,
    ORDER_PENDING,
    ORDER_FREE,
) = (next(_own) for _ in range(7))
# For chains of single steps: the block of a second thread's arrays, the steps of the batch that are
# at hand; and, in that block, the states that they lead to.
CHAIN, CHAIN_STEPS, CHAIN_STATES = (next(_own) for _ in range(3))
OWN_COUNT = next(_own)

# The block for partial order: the generated function that tells which atoms are true; words a set
# of atoms, of leaves, of all transitions; the set of all updates; where the guard of each
# transition begins among the literals; for each leaf and each literal a set; the set of the
# updates that are on no cycle.
(
    ORDER_GUARDS,
    ORDER_ATOM_WORDS,
    ORDER_LEAF_WORDS,
    ORDER_WORDS,
    ORDER_UPDATES,
    ORDER_GUARD_STARTS,
    ORDER_LITERALS,
    ORDER_DEPENDENT,
    ORDER_ENABLING,
    ORDER_ABSORBING,
    ORDER_ONWARD,
    ORDER_COUNT,
) = range(12)

# The block for mail (`mail.py`): how many owners, which one this is; a box for each, for how many
# states there is room in it and how many are in it; a table of states that were sent.
(
    MAIL_OWNERS,
    MAIL_OWN,
    MAIL_BOXES,
    MAIL_ROOM,
    MAIL_COUNTS,
    MAIL_SENT,
    MAIL_SENT_BITS,
    MAIL_COUNT,
) = range(8)

# A node of the tree of parts: its values by id, their table, how large, how many, the ids below.
NODE_STORE, NODE_TABLE, NODE_BITS, NODE_COUNT, NODE_ROOM, NODE_LEFT, NODE_RIGHT = range(7)
NODE_SIZE = 8

# How states are stored.
EXACT, COMPRESSED, HASHED = range(3)

# Why threads came back; while they have no reason they are RUNNING. From LIMIT on they leave the
# batches at hand as if they had not been begun; the one that LIMIT cuts off is entered up to there.
RUNNING, PAUSED, DONE, FULL_LEVELS, LIMIT, FULL, FULL_NODE = range(7)

#: The loops that Python calls, each with how many words it takes.
LOOPS = {
    "advance": 2,
    "ask_all": 4,
    "refill": 3,
    "move_entries": 3,
    "refill_node": 1,
    "compress_states": 5,
    "find_step": 6,
    "go_along": 3,
    "edges": 6,
    "answer": 5,
    "enabled_keys": 3,
    "components": 2,
    "keys_of_parts": 3,
    "stem": 3,
    "reach": 2,
    "forget_sent": 2,
    "sort_out": 5,
    "receive": 4,
    "send": 5,
    "leads_into": 6,
    "follow": 1,
    "take_all": 1,
}
