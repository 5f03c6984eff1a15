"""Layout of the block of memory that the loops of the step cache share with Python.

A *function* is a decision tree that is learned path by path. An inner node reads a cell and has a
child for each value of the cell. 0 means that the path is not known yet; a leaf has the bit LEAF.
Values are small numbers. A *set* has one bit for each predicate, in whole words.
"""

from __future__ import annotations

from itertools import count

#: In a tree: this is a leaf, and not a node.
LEAF = 1 << 31
#: In the sources of a renaming: the cell gets a value of its own, and not that of another one.
CONSTANT = (1 << 32) - 1
#: And this one is not known yet.
NOT_LEARNED = CONSTANT - 1

_place = count()

# How many cells, state predicates, step predicates, rules; words in a set of either.
CELLS, STATE_COUNT, STEP_COUNT, RULE_COUNT, STATE_WORDS, STEP_WORDS = (
    next(_place) for _ in range(6)
)
# Functions are numbered: rules, state predicates, their goals, step predicates, what would be
# restored; by the place of an id whether it is free, then that it is given again; from there on
# those that are made along the way.
# Arrays of half words: the state after a step, behind it that before, and behind that cells which
# tell the step; by function its root; nodes, each a cell, where its children begin and how many
# there are; children; by rule what the cells of the step are, and how many these are.
STATE, ROOTS, NODES, CHILDREN, TOLD, TOLD_COUNT = (next(_place) for _ in range(6))
# Leaves of predicates (half words): what it said, and which set of cells was read; of those where
# each begins (one more than there are), and their cells.
SAID_LEAVES, READ_STARTS, READ_CELLS = (next(_place) for _ in range(3))
# Leaves of rules (half words): where writes begin and end, how it goes on, with which function;
# writes, each a cell and its value.
RULE_LEAVES, WRITES = (next(_place) for _ in range(2))
# Renamings (half words): for each id that is given again, of each cell the one that it is moved
# from and where in MAPS it is told what its values become; 0 if they stay. A part of MAPS has its
# length, and then values plus 1; of a cell that gets a CONSTANT it is told here at once.
SOURCES, MOVES, MAPS = (next(_place) for _ in range(3))
# Words: events, each a code and a number; codes, each its kind, what of, and how it counts;
# half words: ground rules plus 1 by the place of an id.
EVENTS, EVENT_COUNT, CODES, RULES_AT = (next(_place) for _ in range(4))
# Words: the ids that are known, and how many; the next number, or 0; half words: where each id
# has its status, and what that is while it is not used; how many ids there are in the model.
IDS, IDS_COUNT, NEXT_NUMBER, STATUS_CELLS, UNUSED_VALUE, IDS_ROOM = (next(_place) for _ in range(6))
# Sets by cell of those that read it: of state predicates, of goals, of step predicates (by cell
# of the state after, then before); half words: which set of cells each has read, plus 1.
STATE_READERS, GOAL_READERS, STEP_READERS = (next(_place) for _ in range(3))
STATE_READ, GOAL_READ, STEP_READ = (next(_place) for _ in range(3))
# Sets: of state predicates that fail, that are open, that lead to something, that were told, and
# that are due; of step predicates that fail, that fail of this step alone, that were told, that
# are due, and those of them that do not ask which step it is. Words: since when one is open.
FAILING, OPEN, LEADS, STATE_TOLD, STATE_DUE = (next(_place) for _ in range(5))
WRONG, WRONG_NOW, STEP_TOLD, STEP_DUE, PLAIN = (next(_place) for _ in range(5))
SINCE = next(_place)
# By rule two words: where those begin that ask which step it is, and where they end, plus 1; half
# words: each a predicate and its function.
ASKED, ASKED_LIST = (next(_place) for _ in range(2))
# Half words: the cells that this step has changed, and the step before it; counts, -1 for none.
CHANGED, CHANGED_COUNT, EARLIER, EARLIER_COUNT = (next(_place) for _ in range(4))
# A set of the cells that have moved since the step before this, in so many words: ids were given
# again in between. Half words: for each id, of each state predicate that which says the same then,
# plus 1; 0 if it is about that id.
MOVED, MOVED_WORDS, RENUMBERED = (next(_place) for _ in range(3))
# How far it is; whether the event is tried once more; what was found, and how many; half words:
# functions that must be learned, and how many.
AT, AGAIN, RECORDS, RECORDS_COUNT, MISSES, MISSES_COUNT, WANTED = (next(_place) for _ in range(7))
# Half words: the rules that are tried one after the other, how many, which one is next; the states
# to which they lead, and how many; the function that is asked.
TRIED, TRIED_COUNT, NEXT_RULE, OUT, OUT_COUNT = (next(_place) for _ in range(5))
ASKED_FUNCTION = next(_place)
PLACES_COUNT = next(_place)

#: So many functions are learned at once. With so many findings the loop comes back; one event may
#: have as many more as there are predicates. Words in one: the event, whether it is of a state, the
#: predicate, how many ids, the ids.
MISSES_ROOM, RECORDS_ENOUGH, RECORD = 256, 64, 4 + 32

# Kinds of codes: a ground rule; one by the place of the id; one that tells what it restores.
FIXED, BY_ID, RESTORES = range(3)
# How a code counts: no new id; perhaps one.
NONE, BEGINS = range(2)
# What a predicate says.
HOLDS, FAILS, SILENT = range(3)
# How a rule ends: it is taken, or not, or not for a bound of the model's; from RENAMES on an id is
# given again, and it goes on.
ENDS, REFUSED, BOUNDED, RENAMES = range(4)
# Why the loop comes back.
DONE, LEARN_RULE, LEARN, LEARN_RENAMING, LEARN_ASKED, STOPPED, FULL, BEYOND = range(8)
