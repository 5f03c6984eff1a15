"""Layout of the block of memory that the loops of the step cache share with Python.

A *function* is a decision tree that is learned path by path. An inner node reads a cell and has a
child for each value of the cell. 0 means that the path is not known yet; a leaf has the bit LEAF.
Values are small numbers. A *set* has one bit for each predicate, in whole words.

The functions are numbered in this order: ground rules; predicates (of states, the goals of these,
of steps; each kind begins at a whole word of a set); the checkpoint that a restart would take; by
the place of an id whether the id is free; by the place of a forgotten id and by cell the new value
of the cell.
"""

from __future__ import annotations

from itertools import count

#: In a tree: this is a leaf, and not a node.
LEAF = 1 << 31

_place = count()

# How many: cells of a state, cells of a step, ids, rules, words in a set, words for predicates of
# states; the functions that are neither a rule nor a predicate.
CELLS, STEP_CELLS, IDS_ROOM, RULE_COUNT, SET_WORDS, STATE_WORDS = (next(_place) for _ in range(6))
RESTORED, FREE, FORGET = (next(_place) for _ in range(3))
# Half words: the state after a step, then the state before it, then the cells that tell the step;
# the same cells as the predicates were last asked about them.
STATE, ASKED = (next(_place) for _ in range(2))
# Half words: by function its root; nodes, each a cell, where its children begin, and their number;
# children; by rule the cells of its step; by the leaf of a rule where its writes begin and end;
# writes, each a cell and its value.
ROOTS, NODES, CHILDREN, STEPS, RULE_LEAVES, WRITES = (next(_place) for _ in range(6))
# Words: events, each a code and a number. Half words: codes, each its kind and whether a checkpoint
# may begin; by code and place of an id a ground rule plus 1.
EVENTS, EVENT_COUNT, CODES, RULES_AT = (next(_place) for _ in range(4))
# Words: the known ids; their number; the next number or 0. Half words: by id the cell of its
# status; the status of an unused id.
IDS, IDS_COUNT, NEXT_NUMBER, STATUS_CELLS, UNUSED_VALUE = (next(_place) for _ in range(5))
# Sets: by cell the predicates that ever read it; the predicates to ask again, that fail, that are
# reported if they fail, that were reported; of states those that lead to something, and the open
# ones. Words: since which event one is open. Half words: by forgotten id and predicate of states
# the predicate that says the same afterwards, plus 1; 0 if it is about that id.
READERS, DUE, FAILING, SHOWN, REPORTED = (next(_place) for _ in range(5))
LEADS, OPEN, SINCE, RENUMBERED = (next(_place) for _ in range(4))
# The event; whether its step is taken; the function to learn.
AT, IS_TAKEN, WANTED = (next(_place) for _ in range(3))
# Half words: rules to try one after the other; their number; the next one; the states that they
# lead to, and how many.
TRIED, TRIED_COUNT, NEXT_RULE, OUT, OUT_COUNT = (next(_place) for _ in range(5))
PLACES_COUNT = next(_place)

# Kinds of codes: a ground rule; one by the place of the id; one that tells what it restores.
FIXED, BY_ID, RESTORES = range(3)
# Leaves of predicates.
HOLDS, FAILS, SILENT = range(3)
# Leaves of rules that cannot be taken: at all, or only because of a bound of the model.
REFUSED, BOUNDED = range(2)
# Why a loop returns.
DONE, LEARN, FOUND, STOPPED, BEYOND = range(5)
